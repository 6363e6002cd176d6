"""When a prediction states a labelled fact: one rule, the same for every extractor.

A sentence is read as claims. A claim has a subject (the user, or somebody of theirs: "User's sister"), a polarity,
a tense (now, past, wish), the frames of its verbs ("likes" and "loves" are one frame), and its value words, stemmed.
A prediction states a fact when one of its claims has the fact's subject, polarity, tense and frame, and holds all
of the fact's value words. It may say more: whether the rest is grounded is asked apart, by `ungrounded`.

Start at `states`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache

from benchmarks.extract import tables
from everlore.domain.words import terms_of

_MOST_CHARS = 2_000
_MOST_SOURCE_CHARS = 200_000
_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[;,.]")
# "User's dad's from Leeds": what follows is not his.
_IS = re.compile(r" 's (from|in|at|on|a|an|the|not|very|no|going|getting)\b")
_NUMBER = re.compile(r"(\d+)(?:st|nd|rd|th|k|kg|km|cm|hr|hrs|gb|am|pm|s|yo)?")
_RELATIVE = frozenset(("who", "that", "which"))
_BREAKS = _RELATIVE | frozenset(("but", "and", ",", ";", "."))


class Tense(StrEnum):
    NOW = "now"
    PAST = "past"
    WISH = "wish"
    # "has lived" may be now or past, "is moving" may be now or wish.
    PERFECT = "perfect"
    GOING_ON = "going_on"


_ALIKE = frozenset(
    frozenset(pair)
    for pair in (
        (Tense.PERFECT, Tense.NOW),
        (Tense.PERFECT, Tense.PAST),
        (Tense.GOING_ON, Tense.NOW),
        (Tense.GOING_ON, Tense.WISH),
        (Tense.GOING_ON, Tense.PERFECT),
    )
)


@dataclass(frozen=True, slots=True)
class Claim:
    """`subject`: "user", or a relation such as "sister"; `names` is what stands beside the relation."""

    subject: str
    names: frozenset[str] = frozenset()
    is_positive: bool = True
    tense: Tense = Tense.NOW
    frames: tuple[str, ...] = ()
    words: frozenset[str] = field(default=frozenset())


def states(predicted: str, gold: str) -> bool:
    """Whether the first sentence says what the second says, or more."""
    wanted = claims_of(gold)
    return bool(wanted) and any(_covers(claim, wanted[0]) for claim in claims_of(predicted))


def presupposes(predicted: str, gold: str) -> bool:
    """Whether whoever believes the first sentence knows the second too, though it is not what the first is about:
    "User's sister Emma lives in Oslo" tells what the sister is called. It covers a fact; it makes nothing right."""
    wanted = claims_of(gold)
    return bool(wanted) and any(_covers(claim, wanted[0]) for claim in _presupposed(predicted))


def contradicts(predicted: str, gold: str) -> bool:
    """Whether it says the same with the wrong polarity or tense: what was once, or what is not, as if it were so."""
    wanted = claims_of(gold)
    # Without a frame, only words are alike: "can drive" is no other way to say "passed the driving test".
    return bool(wanted and wanted[0].frames) and any(
        _covers(replace(claim, is_positive=wanted[0].is_positive, tense=wanted[0].tense), wanted[0])
        and not _covers(claim, wanted[0])
        # "cried when the sister was ill" is nothing against having one.
        and set(claim.frames) & set(wanted[0].frames)
        for claim in claims_of(predicted)
    )


def ungrounded(predicted: str, texts: Iterable[str]) -> frozenset[str]:
    """The value words of a prediction that stand in none of the texts."""
    known = {word for text in texts for word in _stems(_tokens(text, _MOST_SOURCE_CHARS))}
    return frozenset(word for word in value_words(predicted) if not _is_known(word, known))


def value_words(sentence: str) -> frozenset[str]:
    """All of a sentence that a source must hold: names, numbers and what else is no mere frame."""
    claims = claims_of(sentence)
    if not claims:
        return frozenset(_values(word for word in _tokens(sentence) if word not in _BREAKS))
    found: set[str] = set()
    for claim in claims:
        found |= claim.words | claim.names
        found |= {claim.subject} if claim.subject != "user" else set()
    return frozenset(found)


@lru_cache(maxsize=8192)
def claims_of(sentence: str) -> tuple[Claim, ...]:
    """What a sentence claims, its main claim first; nothing where its subject is not the user."""
    tokens = _tokens(sentence)
    if tokens[:1] == ["the"]:
        tokens = tokens[1:]
    if not tokens or tokens[0] not in ("user", "users") or _is_only_repeated(sentence, tokens):
        return ()
    return tuple(_claims(tokens))


def _is_only_repeated(sentence: str, tokens: Sequence[str]) -> bool:
    """Whether it hands on what was said instead of stating it: "User said …", "User: I …"."""
    opening = sentence.lstrip()[: len("The user:")].lower()
    return (
        any(word in tables.FIRST_PERSON for word in tokens)
        or opening.startswith(("user:", "the user:"))
        or (tokens[1:2] != [] and tokens[1] in tables.SAYING)
    )


def _presupposed(sentence: str) -> Iterator[Claim]:
    for claim in claims_of(sentence):
        if claim.subject != "user":
            yield Claim("user", frames=("have",), words=frozenset((claim.subject,)))
            if claim.names:
                yield Claim(claim.subject, frames=("name",), words=claim.names)
    words = _tokens(sentence)
    if "user" in words[:2] and (named := _named_at(words[1:])) is not None:
        # Whoever has "two daughters named …" has two daughters.
        yield _claim("user", frozenset(), words[1:named])


# ── words ────────────────────────────────────────────────────────────────────────────────────────


def _tokens(text: str, most: int = _MOST_CHARS) -> list[str]:
    """Lower-case words, contractions opened ("isn't" is "is not", "User's" is "user 's"), phrases joined."""
    words: list[str] = []
    for raw in _TOKEN.findall(text[:most].lower().replace("’", "'")):
        words += _opened(raw)
    joined = _IS.sub(r" is \1", f" {' '.join(words)} ")
    for phrase, instead in tables.PHRASES:
        joined = joined.replace(f" {phrase} ", f" {instead} ")
    return joined.split()


def _opened(raw: str) -> list[str]:
    if raw in ("can't", "cannot", "cant"):
        return ["can", "not"]
    if raw in ("won't", "wont"):
        return ["will", "not"]
    if raw.endswith("n't"):
        return [raw.removesuffix("n't"), "not"]
    if raw.endswith("x") and raw[:-1].isdecimal():
        return [raw[:-1], "times"]
    if raw.endswith("'s"):
        return [_same(raw.removesuffix("'s")), "'s"]
    parts = [raw] if _stays_whole(raw) else raw.replace("'", "").split("-")
    return [str(sum_)] if (sum_ := _tens_and_ones(parts)) else [_same(part) for part in parts]


def _tens_and_ones(parts: Sequence[str]) -> int:
    """ "forty-three" is 43; 0 where the parts are no such number."""
    values = [int(tables.NUMBERS.get(part, 0)) for part in parts]
    return sum(values) if len(values) == 2 and values[0] >= 20 and 0 < values[1] < 10 else 0


def _stays_whole(raw: str) -> bool:
    return "-" in raw and (raw in tables.RELATIONS or raw in tables.FRAMES)


def _same(word: str) -> str:
    word = tables.SAME_WORDS.get(word) or _same_of_many(word)
    number = _NUMBER.fullmatch(word)
    return number.group(1).lstrip("0") or "0" if number else tables.NUMBERS.get(word, word)


def _same_of_many(word: str) -> str:
    """ "flatmates" are roommates, as a "flatmate" is one."""
    single = tables.SAME_WORDS.get(word.removesuffix("s"), "")
    return single if single in tables.RELATIONS else word


def _stems(tokens: Iterable[str]) -> Iterator[str]:
    for token in tokens:
        if _is_relation(token):
            yield _singular(token)
        else:
            yield from terms_of(token)


def _is_relation(word: str) -> bool:
    return word in tables.RELATIONS or word.removesuffix("s") in tables.RELATIONS


def _singular(relation: str) -> str:
    single = relation.removesuffix("s")
    return single if single in tables.RELATIONS else relation


def _is_known(word: str, known: set[str]) -> bool:
    # "Portugal" grounds "Portuguese": long words that begin alike.
    return word in known or (len(word) >= 6 and any(each[:5] == word[:5] for each in known))


# ── claims ───────────────────────────────────────────────────────────────────────────────────────


def _claims(tokens: Sequence[str]) -> Iterator[Claim]:
    subject, names, rest = _subject(tokens)
    about = subject
    for opening, whole in _clauses(rest):
        clause, compared = _compared(whole)
        named = _named_at(clause) if subject == "user" and not opening else None
        if clause[:1] == ["user"] and len(clause) > 1:
            yield from _claims(clause)
        elif named is not None:
            yield _naming(clause, named)
        else:
            yield _claim(about if opening in _RELATIVE else subject, names, clause)
        if compared:
            # Claimed of nobody, and yet it must have been said.
            yield Claim(subject, frames=("than",), words=frozenset(_values(compared)))
        # "has a hamster who is two": it is the hamster who is.
        about = next((_singular(word) for word in reversed(clause) if _is_relation(word)), subject)


def _subject(tokens: Sequence[str]) -> tuple[str, frozenset[str], list[str]]:
    """Who it is about, by which names, and the rest of the sentence."""
    if tokens[1:2] != ["'s"] and tokens[0] != "users":
        return "user", frozenset(), list(tokens[1:])
    rest = list(tokens[2:] if tokens[1:2] == ["'s"] else tokens[1:])
    subject = "user"
    while (found := _relation_at(rest)) is not None:
        subject = _singular(rest[found])
        rest = rest[found + 1 :]
        if rest[:1] != ["'s"]:
            break
        rest = rest[1:]
    if subject == "user":
        return subject, frozenset(), rest
    names = _names_before_verb(rest)
    if rest[len(names) : len(names) + 1] == ["'s"]:
        names = []
    return subject, frozenset(_values(names)), rest[len(names) :]


def _relation_at(words: Sequence[str]) -> int | None:
    """The relation at the beginning, behind an adjective or two; None where something else is had."""
    for at, word in enumerate(words[:4]):
        if _is_relation(word):
            return at
        if word in tables.FRAMES or word == "'s":
            return None
    return None


def _names_before_verb(words: Sequence[str]) -> list[str]:
    for at, word in enumerate(words[:6]):
        ahead = words[at + 1] if at + 1 < len(words) else ""
        # Names end in "s" too: "Ines is 9" has its verb behind her.
        if word == "'s" or _is_known_verb(word) or (_looks_like_verb(word) and not _is_known_verb(ahead)):
            return list(words[:at])
    return []


def _is_known_verb(word: str) -> bool:
    known = tables.FRAMES, tables.AUXILIARIES, tables.WISHES, tables.PARTICIPLES, tables.NEGATIONS
    return any(word in each for each in known)


def _looks_like_verb(word: str) -> bool:
    return word.endswith("ed") or (word.endswith("s") and len(word) > 3)


def _clauses(words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Parts with a verb of their own, each with the word that opens it: "is a nurse and lives in Leeds" is two."""
    opening = ""
    clause: list[str] = []
    for at, word in enumerate(words):
        ahead = words[at + 1] if at + 1 < len(words) else ""
        starts = _starts_clause(ahead) or (word == "," and ahead in tables.NEGATIONS)
        if word in _BREAKS and clause and (starts or word in ("but", ";")):
            yield opening, clause
            opening, clause = word, []
        elif word not in (",", ";", "."):
            clause.append(word)
    if clause:
        yield opening, clause


def _compared(clause: list[str]) -> tuple[list[str], list[str]]:
    """What is preferred, and what it is preferred to: of "tea over coffee", only tea is liked."""
    like = next((at for at, word in enumerate(clause) if tables.FRAMES.get(word) == "like"), len(clause))
    is_preferred = clause[like : like + 1] != [] and clause[like].startswith("prefer")
    for at in range(like + 2, len(clause)):
        # "prefers to go to bed" and "prefers going to bed" compare nothing.
        is_to = clause[at] == "to" and clause[like + 1] != "to" and not clause[at - 1].endswith("ing")
        if clause[at] == "than" or (is_preferred and (clause[at] == "over" or is_to)):
            return clause[:at], clause[at + 1 :]
    return clause, []


def _starts_clause(word: str) -> bool:
    return word in ("user", "does", "do", "can", "has", "is", "was", "are", "were", "used-to") or (
        word in tables.FRAMES and word.endswith("s")
    )


def _named_at(clause: Sequence[str]) -> int | None:
    """Where names begin in "has a sister named Emma" and "has a dog, Rex"; None where nobody is named."""
    if not clause or (tables.FRAMES.get(clause[0]) != "have" and clause[0] != "used-to"):
        return None
    at = next((at for at, word in enumerate(clause[:6]) if _is_relation(word)), None)
    if at is None or at + 1 >= len(clause):
        return None
    if tables.FRAMES.get(clause[at + 1]) == "name":
        return at + 2 if _are_enough(clause[:at], clause[at + 2 :]) else None
    is_short = len(clause) <= at + 3
    return at + 1 if is_short and clause[at + 1] not in tables.EMPTY and clause[at + 1] != "'s" else None


def _are_enough(counted: Sequence[str], names: Sequence[str]) -> bool:
    """Two daughters are not both called Ines."""
    return max((int(word) for word in counted if word.isdecimal()), default=1) <= len(list(_values(names)))


def _naming(clause: Sequence[str], named: int) -> Claim:
    """Having somebody who is called something is what they are called."""
    whole = _claim("user", frozenset(), clause[:named])
    relation = next(word for word in clause if _is_relation(word))
    return replace(whole, subject=_singular(relation), frames=("name",), words=frozenset(_values(clause[named:])))


def _claim(subject: str, names: frozenset[str], clause: Sequence[str]) -> Claim:
    return Claim(
        subject,
        names=names,
        is_positive=_is_positive(clause),
        tense=_tense(clause),
        frames=_frames(clause),
        words=frozenset(_values(clause)),
    )


def _frames(clause: Sequence[str]) -> tuple[str, ...]:
    """What its verbs say. Weak ones count only alone: "is a fan" likes, and is nothing."""
    words = _plain(clause)
    found = [
        tables.FRAMES[word]
        for at, word in enumerate(words)
        if word in tables.FRAMES and not _is_auxiliary(word, words[at + 1] if at + 1 < len(words) else "")
    ]
    if "name" in found:
        return ("name",)
    telling = [frame for frame in found if frame not in tables.WEAK_FRAMES]
    return tuple(dict.fromkeys(telling or found))


def _is_auxiliary(word: str, ahead: str) -> bool:
    """ "has lived" is no having, "is moving" no being, "has to go" neither."""
    if tables.FRAMES[word] == "have":
        return ahead == "to" or _is_participle(ahead)
    return tables.FRAMES[word] == "be" and ahead.endswith("ing") and len(ahead) > len("king")


def _is_participle(word: str) -> bool:
    return word.endswith("ed") or word in tables.PARTICIPLES


def _plain(clause: Sequence[str]) -> list[str]:
    """Without what may stand between the verbs."""
    skipped = (tables.ADVERBS, tables.NEGATIONS, tables.OVER)
    return [word for word in clause if not any(word in each for each in skipped)]


def _is_positive(clause: Sequence[str]) -> bool:
    no = sum(word in tables.NEGATIONS for word in clause) + sum(word in tables.DISLIKES for word in clause)
    if "anymore" in clause or ("any" in clause and "more" in clause):
        no -= 1
    return no % 2 == 0


def _tense(clause: Sequence[str]) -> Tense:
    words = _plain(clause)
    if not words:
        return Tense.NOW
    if _is_over(clause):
        return Tense.PAST
    first, ahead = words[0], words[1] if len(words) > 1 else ""
    if first in tables.WISHES or ahead in tables.WISHES or (first, ahead) == ("is", "going"):
        return Tense.WISH
    if first in ("has", "have"):
        if ahead == "to":
            return Tense.WISH
        return Tense.PERFECT if _is_participle(ahead) else Tense.NOW
    if first in ("is", "are", "am"):
        return Tense.GOING_ON if ahead.endswith("ing") else Tense.NOW
    return Tense.PAST if first in tables.PAST_FORMS or first.endswith("ed") else Tense.NOW


def _is_over(clause: Sequence[str]) -> bool:
    return any(word in tables.OVER for word in clause) or ("any" in clause and "more" in clause)


def _values(words: Iterable[str]) -> Iterator[str]:
    skipped = (tables.FRAMES, tables.AUXILIARIES, tables.WISHES, tables.NEGATIONS, tables.EMPTY)
    for word in words:
        if not (any(word in each for each in skipped) or word == "'s"):
            yield from _stems((word,))


# ── comparing ────────────────────────────────────────────────────────────────────────────────────


def _covers(claim: Claim, wanted: Claim) -> bool:
    return (
        _is_same_subject(claim, wanted)
        and claim.is_positive == wanted.is_positive
        and _is_same_tense(claim.tense, wanted.tense)
        and _is_same_frame(claim, wanted)
        and (wanted.words <= claim.words if wanted.words else _says_it_all(claim, wanted))
    )


def _says_it_all(claim: Claim, wanted: Claim) -> bool:
    """Without value words the frame is the value. Whoever "died" did so wherever it was; else nothing may be added."""
    return bool(wanted.frames) and (wanted.frames == ("die",) or not claim.words)


def _is_same_subject(claim: Claim, wanted: Claim) -> bool:
    if claim.names and wanted.names and not claim.names & wanted.names:
        return False
    return (
        claim.subject == wanted.subject
        or wanted.subject in tables.VAGUER.get(claim.subject, frozenset())
        # A poodle is a dog; a child need not be a daughter.
        or (wanted.subject in tables.KINDS and claim.subject in tables.VAGUER[wanted.subject])
    )


def _is_same_tense(one: Tense, other: Tense) -> bool:
    return one is other or frozenset((one, other)) in _ALIKE


def _is_same_frame(claim: Claim, wanted: Claim) -> bool:
    is_weak = any(frame in tables.WEAK_FRAMES for frame in claim.frames)
    if wanted.frames == ("name",) and claim.frames == ("be",):
        # "User's wife is Hannah" names her, if it says no more.
        return claim.words == wanted.words
    if not wanted.frames:
        return not is_weak
    if wanted.frames[0] in tables.WEAK_FRAMES:
        return is_weak
    return wanted.frames[0] in claim.frames
