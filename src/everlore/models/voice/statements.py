"""What was told: the statements that a scene holds, and which of them answers a question.

In: a scene, and what was asked. Out: statements, the best first. A statement fits better the more of what
was asked for it names; among equals the newest wins, because people move, change jobs and grow older.

Start at `statements_of` and `answers`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise

from everlore.domain.claim import USER, Claim, Slot, claim_in
from everlore.domain.conversation import Author, Message
from everlore.domain.memory import said_of
from everlore.domain.person import Person
from everlore.language.tense import Tense
from everlore.models.chat import Scene
from everlore.models.voice.asking import Asked, is_denied, is_question, is_small_talk, parts_of
from everlore.models.voice.aspects import IDENTITY, OWN_FACTS, OWN_NAME, TOLD_APART, Aspect, Shape
from everlore.models.voice.delicate import is_in_danger, is_unquotable
from everlore.models.voice.phrases import (
    MEANS,
    MEASURES,
    MONTHS,
    NATIONALITIES,
    NUMBER_WORDS,
    PLACE_PREPOSITIONS,
    SETTLED_NO_MORE,
    WIDE,
)
from everlore.models.voice.plain import plain, without_lead
from everlore.models.voice.stems import bare_words, has, phrases, spaced, stem_set, stems_of, words_of
from everlore.models.voice.turning import memory_to_you, to_you

_MOST_MESSAGES = 300
_NO_NAMES = frozenset({"", "user", "you", "me", "player", "human", "anonymous", "guest"})

# Mira: “…” User: “…”, as a segment is kept where no model sums it up.
_QUOTE = re.compile(r"(?P<who>[^:“”]{1,60}): “(?P<said>[^”]{0,2000})”")
_QUOTES = re.compile(r"(?:[^:“”]{1,60}: “[^”]{0,2000}”)+")

_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)
_NEAR_START = 7
_AT_START = 3
_SELVES = frozenset({"i", "im", "ive", "id", "ill", "we", "weve"})

SURE = 3
LIKELY = 2
MAYBE = 1
_SAYS_SO = 2


@dataclass(frozen=True)
class Statement:
    """`text` as it was said or kept, in one plain line. `clause`: about "you", where it could be turned. `claim`: what
    a memory is known to say."""

    text: str
    clause: str | None
    is_memory: bool
    at: datetime
    place: int
    claim: Claim | None = None

    @cached_property
    def stems(self) -> str:
        return spaced(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(self.stems.split())

    @cached_property
    def is_of_user(self) -> bool:
        """The user is its subject, and not somebody or something of theirs: "my sister likes"."""
        if self.claim is not None and self.claim.subject == USER:
            return True
        if self.is_memory:
            return self.clause is not None and self.clause.startswith("You ")
        start = self.stems.split()[:_NEAR_START]
        return not _SELVES.isdisjoint(start) and "my" not in start[: _first_of(_SELVES, start)][:_AT_START]

    @cached_property
    def is_denied(self) -> bool:
        """Says what is not so: no evidence for what it names."""
        if self.is_memory:
            return self.claim is not None and self.claim.slot is not None and not self.claim.polarity
        return is_denied(self.stems)

    @cached_property
    def is_settled(self) -> bool:
        """Holds now: neither over nor only wished for."""
        if self.claim is not None and self.claim.time is Tense.PAST:
            return False
        return not has(self.stems, SETTLED_NO_MORE)


def _first_of(wanted: frozenset[str], words: Sequence[str]) -> int:
    return next(place for place, word in enumerate(words) if word in wanted)


# ── collecting ───────────────────────────────────────────────────────────────────────────────────


def user_names(user: Person | None) -> list[str]:
    """What the user is called, without names that are none."""
    if user is None or user.name.strip().lower() in _NO_NAMES:
        return []
    return list(dict.fromkeys([user.name.strip(), user.name.split()[0]]))


def statements_of(scene: Scene) -> list[Statement]:
    """Everything that the user is known to have said or to be, memories first."""
    spoken = [*scene.earlier, *scene.history][-_MOST_MESSAGES:]
    return [*_remembered(scene), *said_in(spoken)]


def _remembered(scene: Scene) -> Iterator[Statement]:
    names = user_names(scene.user)
    for place, memory in enumerate(scene.memories):
        text = plain(memory.content)
        if _QUOTES.fullmatch(text):
            yield from _quoted_in(text, names, -place)
        elif text and not is_in_danger(text):
            claim = claim_in(memory.extra)
            yield Statement(
                text, memory_to_you(text, names), is_memory=True, at=said_of(memory), place=-place, claim=claim
            )


def _quoted_in(text: str, names: Sequence[str], place: int) -> Iterator[Statement]:
    """A summary that quotes: what the user said in it was said, and is no memory of its own. What was learnt of it
    since says the same, and says it better."""
    for quote in _QUOTE.finditer(text):
        if quote["who"].strip() in {"User", *names}:
            yield from _told_in(quote["said"], _LONG_AGO, place)


def said_in(messages: Sequence[Message]) -> list[Statement]:
    """What the user stated in messages, in order."""
    return [
        each
        for place, message in enumerate(messages)
        if message.author is Author.USER
        for each in _told_in(message.content, message.created_at, place)
    ]


def _told_in(content: str, at: datetime, place: int) -> Iterator[Statement]:
    for sentence in parts_of(content) if not is_in_danger(content) else ():
        text = without_lead(sentence)
        if is_statement(text):
            yield Statement(text, to_you(text), is_memory=False, at=at, place=place)


def is_statement(sentence: str) -> bool:
    """Says something that may be said back: no question, no greeting, no insult, and more than a word."""
    is_more = len(words_of(sentence)) > 1 and not is_question(sentence) and not is_small_talk(sentence)
    return is_more and not is_unquotable(sentence)


# ── choosing ─────────────────────────────────────────────────────────────────────────────────────


def answers(asked: Asked, known: Sequence[Statement]) -> list[tuple[int, Statement]]:
    """Statements that fit, each with how well, the best first."""
    fits = [(fit(asked, statement), statement) for statement in known]
    if asked.aspect is not None and not asked.aspect.is_many:
        denied = [each for well, each in fits if well and each.is_denied]
        fits = [(well, each) for well, each in fits if not any(_is_taken_back(each, by) for by in denied)]
    return sorted((each for each in fits if each[0]), key=lambda each: _rank(asked, *each), reverse=True)


def _is_taken_back(statement: Statement, by: Statement) -> bool:
    """ "I live in Oslo", said before "I don't live in Oslo anymore"."""
    is_older = (statement.at, statement.place) < (by.at, by.place)
    return is_older and not statement.is_denied and _content(statement) <= by.words


def _rank(asked: Asked, how_well: int, statement: Statement) -> tuple[int, int, bool, bool, datetime, bool, int]:
    # "Do I have kids?" asks whom they have, before anything else of them.
    is_had = statement.claim is not None and statement.claim.slot in _HAD and has(asked.stems, _HAVING)
    is_telling = _has_name(statement.text) or any(map(str.isdecimal, statement.text))
    if asked.aspect is not None and asked.aspect.shape is Shape.PLACE:
        # "I live in Oslo" tells more than "I have lived there for years", but not more than "I live on a farm".
        is_telling = is_telling or statement.words.isdisjoint(_POINTING)
    named = _named(asked, statement)
    return how_well, named, is_had, is_telling, statement.at, statement.is_memory, statement.place


_HAD = frozenset({Slot.FAMILY, Slot.FAMILY_SIZE, Slot.PARTNER, Slot.PET, Slot.POSSESSION})
_HAVING = phrases("have | got | many | who is | whos")


def fit(asked: Asked, statement: Statement) -> int:
    """0: does not answer; up to `SURE`."""
    named = _named(asked, statement)
    if asked.aspect is None:
        how_well = _fit_subjects(named, len(asked.subjects))
    elif asked.is_of_user and not (statement.is_of_user or has(statement.stems, OWN_FACTS)):
        how_well = 0
    else:
        how_well = _fit_aspect(asked.aspect, asked.subjects, statement, named)
    if how_well and statement.is_denied and asked.aspect is not None and not asked.aspect.is_many:
        return MAYBE
    return max(how_well - 1, MAYBE) if how_well and not statement.is_settled else how_well


def _fit_subjects(named: int, wanted: int) -> int:
    if not named:
        return 0
    return SURE if named == wanted else LIKELY if 2 * named >= wanted else MAYBE


def _fit_aspect(aspect: Aspect, subjects: frozenset[str], statement: Statement, named: int) -> int:
    proof = _proof(aspect, subjects, statement)
    if not subjects:
        return proof + 1 if proof else 0
    if named:
        return proof + 1 if named == len(subjects) else proof
    return MAYBE if proof == _SAYS_SO and aspect.is_many and subjects <= WIDE else 0


def _named(asked: Asked, statement: Statement) -> int:
    """How many of the things asked for a statement names."""
    return sum(1 for subject in asked.subjects if not statement.words.isdisjoint({subject} | MEANS.get(subject, _NONE)))


_NONE: frozenset[str] = frozenset()
_POINTING = stem_set("there here alone with")


def _proof(aspect: Aspect, subjects: frozenset[str], statement: Statement) -> int:
    """2: says so; 1: looks like it; 0: does not. By what is claimed; the words of what claims something else can only
    look like it."""
    claim = statement.claim
    if aspect.shape is Shape.NAME and subjects and claim is not None and claim.slot in _NAMING and claim.value:
        return _SAYS_SO
    if claim is None or claim.slot not in TOLD_APART or not aspect.slots:
        return _proof_in_words(aspect, subjects, statement)
    if _answers(aspect, subjects, claim):
        return _SAYS_SO
    return min(_proof_in_words(aspect, subjects, statement), _SAYS_SO - 1)


# "Has a sister named Emma": what somebody of theirs is called.
_NAMING = frozenset({Slot.PARTNER, Slot.FAMILY, Slot.PET})


def _answers(aspect: Aspect, subjects: frozenset[str], claim: Claim) -> bool:
    """What is not liked is disliked; of many, what is not so is told where it was asked for by name."""
    if claim.slot is Slot.LIKE and not claim.polarity:
        return Slot.DISLIKE in aspect.slots
    return claim.slot in aspect.slots and (claim.polarity or not aspect.is_many or bool(subjects))


def _proof_in_words(aspect: Aspect, subjects: frozenset[str], statement: Statement) -> int:
    if aspect.shape is Shape.NAME and not subjects:
        return _SAYS_SO if has(statement.stems, OWN_NAME) else int(_introduces(statement.text))
    stems = statement.stems if subjects else _without(statement.stems, aspect.unless)
    has_shape = _has_shape(aspect.shape, subjects, statement)
    if has(stems, aspect.proofs) or (has_shape and has(stems, aspect.shaped)):
        return _SAYS_SO
    is_shaped = has_shape and aspect.by_shape and stems == statement.stems
    return int(is_shaped or has(stems, aspect.hints))


def _without(stems: str, phrases: Sequence[str]) -> str:
    """ "I love tea and dislike milk" still says what is loved."""
    for phrase in phrases:
        stems = stems.replace(phrase, "  ")
    return stems


# ── shapes ───────────────────────────────────────────────────────────────────────────────────────


def _has_shape(shape: Shape, subjects: frozenset[str], statement: Statement) -> bool:
    match shape:
        case Shape.PLACE:
            return _has_place(statement.text, is_own=not subjects and not statement.is_memory)
        case Shape.DATE:
            return any(word.isdecimal() or word.lower() in MONTHS for word in words_of(statement.text))
        case Shape.AGE:
            return _tells_age(statement.text, subjects)
        case Shape.NAME:
            return _has_name(statement.text) and not subjects.isdisjoint(statement.words)
        case Shape.NONE:
            return False


def _tells_age(text: str, subjects: frozenset[str]) -> bool:
    """ "I'm 34", "I'm Ann, 34", "my sister is 30", "I turned forty"; not "I am 5 minutes late", and of "Ann, who is 6"
    nobody else's age."""
    words = words_of(text)
    stems = [spaced(word).strip() for word in words]
    ages = [at for at, after in enumerate([*stems[1:], ""]) if _is_age(stems[at]) and after not in MEASURES]
    if not subjects:
        return any(_whose_age(words, stems, at) in _SELVES for at in ages)
    meant = subjects.union(*(MEANS.get(subject, _NONE) for subject in subjects))
    return any(_whose_age(words, stems, at) in meant or not meant.isdisjoint(stems[max(0, at - 4) : at]) for at in ages)


def _whose_age(words: Sequence[str], stems: Sequence[str], at: int) -> str:
    """The word for whoever is that old: the last before the verb that is a name, or anybody at all."""
    before = [place for place in range(at) if stems[place] not in _BESIDE_AGES]
    if not before:
        return ""
    last = before[-1]
    # "I'm Ann, 34".
    is_named = words[last][:1].isupper() and last > 0 and stems[last - 1] in {"im", "am"}
    return "im" if is_named else stems[last]


_BESIDE_AGES = stem_set("am is are was turned turn aged age be became who now just almost nearly about only old")


def _is_age(word: str) -> bool:
    return (word.isdecimal() and len(word) <= 3) or word in NUMBER_WORDS


def _has_place(text: str, *, is_own: bool) -> bool:
    """ "I have a shop in Riga"; `is_own`: unlike "I have a brother, Tom is a cook in Riga"."""
    words = words_of(text)
    places = [
        at
        for at, (one, other) in enumerate(pairwise(words))
        if one.lower() in PLACE_PREPOSITIONS and other[:1].isupper() and other.lower() not in MONTHS
    ]
    return any(not is_own or not _names_another(words[:at]) for at in places)


def _names_another(words: Sequence[str]) -> bool:
    """Somebody by name, behind whom nothing more is said of oneself."""
    before = ["", *bare_words(" ".join(words))]
    named = [
        at
        for at, word in enumerate(words)
        if at and word[:1].isupper() and word.split("'")[0] != "I" and before[at] not in _BEFORE_NO_OTHER
    ]
    return bool(named) and _SELVES.isdisjoint(before[named[-1] + 1 :])


# Before a place, or before one's own name.
_BEFORE_NO_OTHER = PLACE_PREPOSITIONS | {"from", "to", "of", "im", "am", "name"}


def _has_name(text: str) -> bool:
    """A capital that does not only begin the sentence: "my sister Emma"; or one that is no usual beginning."""
    first, *others = words_of(text) or [""]
    return any(word[:1].isupper() and word.split("'")[0] != "I" for word in others) or (
        first[:1].isupper() and _BEGINNINGS.isdisjoint(stems_of(first))
    )


def _introduces(text: str) -> bool:
    """ "I'm Anna", "I am Anna from Oslo", "I'm Anna, hello"; not "I'm German"."""
    low = text.lower().replace("’", "'")
    start = next((lead for lead in ("i'm ", "im ", "i am ") if low.startswith(lead)), "")
    name, _, rest = text[len(start) :].partition(" ")
    bare, after = name.rstrip(",.!;"), (words_of(rest) or [""])[0]
    is_name = bool(start) and name[:1].isupper() and bare.lower() not in NATIONALITIES
    return is_name and (bare != name or not after or after[:1].isupper() or after.lower() in _AFTER_NAMES)


_AFTER_NAMES = frozenset("and from i'm the by but".split())
_BEGINNINGS = frozenset("i im ive my the a an we our his her their user he she it they this that in on at".split())


NO_IDENTITY = len(IDENTITY)


def identity(statement: Statement) -> int:
    """How soon it belongs into a list of who the user is: name, age, home … before what they like or plan."""
    is_own = statement.is_of_user or has(statement.stems, OWN_FACTS)
    said = (place for place, aspect in enumerate(IDENTITY) if _proof(aspect, _NONE, statement) == _SAYS_SO)
    return next(said, NO_IDENTITY) if is_own else NO_IDENTITY


# ── listing ──────────────────────────────────────────────────────────────────────────────────────


def different(known: Sequence[Statement], most: int) -> list[Statement]:
    """The first `most` that do not say the same as one before."""
    kept: list[Statement] = []
    for statement in known:
        if len(kept) < most and not any(_is_same(statement, other) for other in kept):
            kept.append(statement)
    return kept


def _is_same(one: Statement, other: Statement) -> bool:
    mine, others = _content(one), _content(other)
    return len(mine & others) >= 0.6 * (min(len(mine), len(others)) or 1)


def _content(statement: Statement) -> frozenset[str]:
    return statement.words - _COMMON


_COMMON = frozenset("i im ive my me user a an the in of to is am are and have has".split())
