"""What a user message holds as evidence: the clauses that the user stated, and whom each of them is about (F5).

In: a `Source`. Out: its `Evidence`. Questions, requests, greetings, quotations, suppositions and play are no
evidence, nor is a sentence that only repeats what an assistant said before (M16).

Start at `evidence_of`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from everlore.domain.display import display
from everlore.reflect.candidate import Source
from everlore.reflect.clauses import Mood, Read, Token, Whose, lows, read, tokens_of
from everlore.reflect.clauses.words import ADVERBS, AUXILIARIES, PRONOUNS, THIRD_PERSON_VERBS
from everlore.reflect.facts.jest import is_jest
from everlore.reflect.facts.senses import Sense, sense_of
from everlore.reflect.facts.vocabulary import BACKWARD, ENGLISH, FOREIGN, PEOPLE, stem_of

_MOST_TURNS = 12
_MOST_TURN_CHARS = 4_000
_MOST_QUESTION = 400
_SENTENCE = re.compile(r"[^.!?\n\"“”]{1,600}")
# A shorter sentence is said by anybody: "I know", "Me too".
_LEAST_REPEATED = 3
_BACKWARD_SUBJECTS = frozenset({"she", "he", "they", "who", "it", "that"})
_QUOTED_LINE = re.compile(r"^\s{0,8}>", re.MULTILINE)
_DREAMING = frozenset("dreamed dreamt imagined imagine pretended pretend joked lied".split())
_NOMINATIVES = PRONOUNS | {"who", "me"}
# "Retired postman" has no verb.
_FINITE = (AUXILIARIES | THIRD_PERSON_VERBS) - ADVERBS - {"retired", "married", "divorced"}


@dataclass(frozen=True, slots=True)
class Ground:
    """One clause. `persons`: stems of the people it is about ("sister"), none where it is about the user or a thing.
    `before`: words of what it points back to with "there" or "she"; `beside`: what the sentence adds in brackets."""

    tokens: tuple[Token, ...]
    whose: Whose
    subject: tuple[str, ...]
    sense: Sense
    is_past: bool
    is_fragment: bool
    persons: frozenset[str] = frozenset()
    beside: tuple[Token, ...] = ()
    before: frozenset[str] = frozenset()

    @property
    def words(self) -> tuple[str, ...]:
        return lows(self.tokens)


@dataclass(frozen=True, slots=True)
class Evidence:
    """`repeats`: something in the message is only quoted; `jests`: or not meant. `assistants`: words of their names, in
    small letters. `is_foreign`: the message is not in English, so that its words cannot be compared with a fact's."""

    grounds: tuple[Ground, ...]
    repeats: bool
    assistants: frozenset[str]
    words: frozenset[str]
    earlier: frozenset[str]
    is_foreign: bool
    jests: bool = False


def evidence_of(source: Source) -> Evidence:
    clauses = read(source.content)
    repeated = _repeated(source)
    told = [each for each in clauses if _is_stated(each)]
    stated = [each for each in told if not is_jest(lows(tokens_of(each.clause.text)))]
    own = [each for each in stated if not _is_within(each, repeated) and not _is_dreamt(each, clauses)]
    earlier = _earlier(source)
    words = [word for each in clauses for word in lows(tokens_of(each.clause.text))]
    return Evidence(
        grounds=tuple(_grounds(own, clauses, earlier, _question(source))),
        repeats=len(own) < len(stated)
        or any(each.clause.mood is Mood.QUOTES for each in clauses)
        or bool(_QUOTED_LINE.search(source.content[:_MOST_TURN_CHARS])),
        assistants=assistant_words(source.assistants),
        words=frozenset(words),
        earlier=frozenset(word for turn in earlier for word in turn),
        is_foreign=_is_foreign(words),
        jests=len(stated) < len(told),
    )


def _is_stated(clause: Read) -> bool:
    """ "I'd rather read" says what somebody likes, though it has the form of what might be."""
    mood, words = clause.clause.mood, lows(clause.predicate)
    return mood is Mood.STATES or (mood is Mood.SUPPOSES and words[:2] in (("would", "rather"), ("would", "prefer")))


def _is_dreamt(clause: Read, clauses: Sequence[Read]) -> bool:
    """ "I dreamed I was the president"."""
    place = next(at for at, each in enumerate(clauses) if each is clause)
    last = clauses[place - 1] if place else None
    return last is not None and last.sentence == clause.sentence and not _DREAMING.isdisjoint(lows(last.predicate)[-2:])


def is_foreign(text: str) -> bool:
    return _is_foreign(lows(tokens_of(text[:_MOST_TURN_CHARS])))


def _is_foreign(words: Sequence[str]) -> bool:
    """At least two small words of other languages, and clearly more of them than of ours."""
    foreign = sum(word in FOREIGN for word in words)
    return foreign > 1 and foreign > 2 * sum(word in ENGLISH for word in words)


def assistant_words(names: Iterable[str]) -> frozenset[str]:
    return frozenset(word for name in names for word in lows(tokens_of(name[:200])) if len(word) > 1)


# ── what is only repeated ────────────────────────────────────────────────────────────────────────


def _repeated(source: Source) -> list[str]:
    """The sentences of the message that an assistant said in the same words."""
    theirs = {
        sentence for turn in source.before[-_MOST_TURNS:] if not turn.is_user for sentence in _sentences(turn.content)
    }
    return [sentence for sentence in _sentences(source.content) if sentence in theirs] if theirs else []


def _sentences(text: str) -> list[str]:
    shown = display(text[:_MOST_TURN_CHARS]).text
    said = [_plain(tokens_of(match.group())) for match in _SENTENCE.finditer(shown)]
    return [each for each in said if each.count(" ") > _LEAST_REPEATED]


def _plain(tokens: Sequence[Token]) -> str:
    """ " i love hiking ": a space around each word."""
    return f" {' '.join(token.low for token in tokens if token.is_word)} "


def _is_within(clause: Read, repeated: Sequence[str]) -> bool:
    plain = _plain(tokens_of(clause.clause.text))
    return any(plain in sentence for sentence in repeated)


# ── who is meant ─────────────────────────────────────────────────────────────────────────────────


def _earlier(source: Source) -> list[tuple[str, ...]]:
    """The words of the user's own earlier turns: they may tell who "she" is (F8)."""
    turns = [turn for turn in source.before[-_MOST_TURNS:] if turn.is_user]
    return [lows(tokens_of(display(turn.content[:_MOST_TURN_CHARS]).text)) for turn in turns]


def _question(source: Source) -> tuple[str, ...]:
    """What the message may be the answer to: the last question of the turn before it."""
    if not source.before or source.before[-1].is_user:
        return ()
    asked = display(source.before[-1].content[-_MOST_TURN_CHARS:]).text.rpartition("?")[0]
    return lows(tokens_of(re.split(r"[.!?\n]", asked)[-1][-_MOST_QUESTION:]))


def _grounds(
    own: Sequence[Read], clauses: Sequence[Read], earlier: Sequence[tuple[str, ...]], question: tuple[str, ...]
) -> list[Ground]:
    found: list[Ground] = []
    lately = _people(question) or _people(word for turn in earlier[-1:] for word in turn)
    stated = {id(each) for each in own}
    for place, each in enumerate(clauses):
        tokens = tuple(tokens_of(each.clause.text))
        if id(each) not in stated:
            # "Write a poem for my grandson, he's turning 5": a request states nothing, and yet tells who "he" is.
            is_ask = each.clause.mood in {Mood.REQUESTS, Mood.ASKS}
            lately = (_people(lows(tokens)) if is_ask else frozenset()) or lately
            continue
        subject = lows(tokens_of(each.clause.subject))
        persons = _persons(each, subject, lately)
        words = lows(tokens)
        lately = persons or _people(words) or lately
        before = _before(place, clauses, words) or (question if place == 0 and _answers(each, words) else ())
        before = before or _continued(place, clauses, words)
        found.append(
            Ground(
                tokens=tokens,
                whose=each.clause.whose,
                subject=subject,
                sense=_answered(sense_of(words), before) if _answers(each, words) else sense_of(words),
                is_past=each.clause.past,
                is_fragment=_is_fragment(each, words),
                persons=persons,
                beside=_beside(place, clauses),
                before=frozenset(before),
            )
        )
    return found


def _answers(clause: Read, words: Sequence[str]) -> bool:
    """ "Blue.", "Mine is blue", "It's blue": what is asked for stands in the question."""
    return _is_fragment(clause, words) or words[:1] in (("mine",), ("it",), ("that",))


def _answered(said: Sense, question: Sequence[str]) -> Sense:
    """Who names a colour when asked for a favourite likes it; a denial of the question is left to the answer."""
    return said if said.sign or not question else replace(said, sign=max(0, sense_of(question).sign))


def _persons(clause: Read, subject: Sequence[str], lately: frozenset[str]) -> frozenset[str]:
    if clause.clause.whose is Whose.SELF:
        return frozenset()
    named = _people(subject or _opening(lows(tokens_of(clause.clause.text))))
    if named:
        return named
    is_naming = subject[1:] == ("name",) and subject[0] in {"his", "her", "its", "their"}
    return lately if is_naming or (subject[:1] and subject[0] in _BACKWARD_SUBJECTS) else frozenset()


def _opening(words: Sequence[str]) -> Sequence[str]:
    """ "My roommates always leave dishes", where nothing else told who the subject is."""
    return words[1:4] if words[:1] in (("my",), ("our",)) and len(words) > 3 else ()


def _people(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem_of(word) for word in words if word in PEOPLE or word.removesuffix("s") in PEOPLE)


def _is_fragment(clause: Read, words: Sequence[str]) -> bool:
    """ "Beautiful photo.", "Teacher here": nobody is named, so it is the user who speaks of what is before them."""
    if _people(_opening(words)):
        return False
    return clause.clause.whose is Whose.OTHER and not any(word in _FINITE or word in _NOMINATIVES for word in words)


def _beside(place: int, clauses: Sequence[Read]) -> tuple[Token, ...]:
    """ "whisky (Irish kind)": a fragment behind a clause, in the same sentence, says more of it."""
    if place + 1 >= len(clauses):
        return ()
    after = clauses[place + 1]
    tokens = tuple(tokens_of(after.clause.text))
    belongs = after.sentence == clauses[place].sentence and after.clause.mood is Mood.STATES
    # "… since I was nine" dates what stands before it.
    return tokens if belongs and ("since" in after.lead or _is_fragment(after, lows(tokens))) else ()


def _continued(place: int, clauses: Sequence[Read], words: Sequence[str]) -> tuple[str, ...]:
    """ "I love hot dogs. And pizza!": a fragment goes on with what the user said of themselves just before."""
    if place == 0 or not _is_fragment(clauses[place], words):
        return ()
    last = clauses[place - 1].clause
    told = lows(tokens_of(last.text))
    is_own = last.whose is Whose.SELF or (last.whose is Whose.OWN and not _people(lows(tokens_of(last.subject))))
    return told if is_own and last.mood is Mood.STATES and not sense_of(told).denials else ()


def _before(place: int, clauses: Sequence[Read], words: Sequence[str]) -> tuple[str, ...]:
    if place == 0 or BACKWARD.isdisjoint(words):
        return ()
    return lows(tokens_of(clauses[place - 1].clause.text))
