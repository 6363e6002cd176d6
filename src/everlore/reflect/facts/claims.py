"""A fact or a clause taken apart, so that one can be held against the other.

In: a line of text. Out: a `Claim` for a fact ("User's sister Emma lives in Oslo"), a `Sense` for either: whether
it speaks of liking or disliking, is denied, is only wished for, or is over. Both are read with the same eyes, so
that what is overlooked in one is overlooked in the other.

Start at `claims_in`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from everlore.reflect.clauses import Token, tokens_of
from everlore.reflect.facts.senses import Sense, cannot_stand, sense_of
from everlore.reflect.facts.vocabulary import (
    DISLIKING,
    FRAMES,
    KINDS,
    LIKING,
    PAST_FORMS,
    PEOPLE,
    WISHES,
    means,
    stem_of,
)
from everlore.reflect.figures import numbers_in

_ARTICLES = frozenset({"a", "an", "the"})
_PREPOSITIONS = frozenset(
    "in at on of for from with to by about near around over under into through since during".split()
)
_CONJOINED = re.compile(r"^(?:is|was|has|had|lives|works|[a-z]{3,}s|[a-z]{3,}ed)$")


class Relation(StrEnum):
    """What a fact says of its subject, where more than the words must agree."""

    NAME = "name"
    HAS = "has"
    IS = "is"
    LIKES = "likes"
    FROM = "from"
    AGED = "aged"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Claim:
    """`owners`: the people it is about ("sister"), none where it is about the user. `named`: how they are called;
    `which`: what tells them apart ("younger").
    `keys`: stems that must be borne out. `heads`: what somebody is said to be ("teacher")."""

    tokens: tuple[Token, ...]
    relation: Relation
    sense: Sense
    owners: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    which: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    keys: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    verb: str = ""
    is_past: bool = False


def claims_in(content: str) -> list[Claim]:
    """One for each predicate: "User is a nurse and lives in Leeds" claims two things, and both must be true."""
    tokens = tokens_of(content)
    starts = [place for place in range(2, len(tokens) - 1) if _begins_another(tokens, place)]
    if not starts or tokens[0].low != "user":
        return [_claim(tokens)]
    subject_end = _subject_end(tokens)
    subject = tokens[:subject_end]
    bounds = [0, *starts, len(tokens)]
    parts = [tokens[start:end] for start, end in pairwise(bounds)]
    return [_claim(part if index == 0 else [*subject, *part[1:]]) for index, part in enumerate(parts)]


def names_in(tokens: Sequence[Token]) -> frozenset[str]:
    """Words with a capital where none is due, without the first."""
    return frozenset(
        token.low for token in tokens[1:] if token.is_word and token.is_capital and token.low not in {"i", "user"}
    )


def figures_in(words: Sequence[str]) -> frozenset[str]:
    """The numbers in figures, however they were written. "In my thirties" speaks of thirty."""
    text = " ".join(f"{word[:-4]}ty" if word.endswith("ties") else word for word in words)
    return frozenset(number.value for number in numbers_in(text))


# ── the parts of a claim ─────────────────────────────────────────────────────────────────────────


def _begins_another(tokens: Sequence[Token], place: int) -> bool:
    """ "… and lives": a verb in the third person after "and", where no noun is meant by it."""
    if tokens[place].low not in {"and", "but"}:
        return False
    after = tokens[place + 1].low
    if not _CONJOINED.match(after) or tokens[place + 1].is_capital:
        return False
    # "cats and dogs" are two nouns, unless what follows needs an object as verbs do.
    return not after.endswith("s") or after in _VERBS


_VERBS = frozenset(
    "is was has lives works loves likes hates enjoys prefers dislikes wants plans hopes owns speaks plays studies "
    "teaches runs collects drives goes makes knows needs uses uses travels reads writes sings paints cooks bakes "
    "hikes swims volunteers dreams aims intends does feels thinks believes".split()
)


def _subject_end(tokens: Sequence[Token]) -> int:
    """Behind "User", or behind "User's younger sister Emma"."""
    if len(tokens) < 2 or tokens[1].low != "'s":
        return 1
    is_person = False
    for place in range(2, min(len(tokens), 10)):
        token = tokens[place]
        goes_on = token.low in PEOPLE or token.is_capital or token.low in {"'s", "and", "of"}
        if token.low in _VERBS or token.low in _AUXILIARIES or (is_person and not goes_on):
            return place
        if place > 2 and token.low.endswith("ed") and token.low not in {"retired", "named", "called"}:
            return place
        is_person = is_person or token.low in PEOPLE
    return min(len(tokens), 3)


_AUXILIARIES = frozenset("are were had can will does did recently also used".split())


def _claim(tokens: Sequence[Token]) -> Claim:
    end = _subject_end(tokens)
    subject, predicate = tokens[:end], tokens[end:]
    words = [token.low for token in tokens]
    owners = frozenset(stem_of(word) for word in words[2:end] if word in PEOPLE) if end > 1 else frozenset()
    named = names_in([tokens[0], *subject[2:]]) if owners else frozenset()
    claim = Claim(
        tokens=tuple(tokens),
        relation=_relation([token.low for token in subject], [token.low for token in predicate]),
        sense=sense_of(words),
        owners=owners,
        named=named,
        which=_which(subject) if owners else (),
        names=names_in(tokens) - named,
        numbers=figures_in(words),
        verb=_verb([token.low for token in predicate]),
        is_past=_is_past([token.low for token in predicate]),
    )
    if claim.relation is Relation.IS:
        claim = replace(claim, heads=_heads([token.low for token in predicate]))
    return replace(claim, keys=_keys(claim))


def _which(subject: Sequence[Token]) -> tuple[str, ...]:
    low = [token.low for token in subject[2:] if token.is_word and not token.is_capital and token.low not in PEOPLE]
    return tuple(stem_of(word) for word in low if stem_of(word) not in FRAMES and not figures_in([word]))


def _keys(claim: Claim) -> tuple[str, ...]:
    passed_over = claim.names | claim.named
    found: dict[str, None] = {}
    for token in claim.tokens[_subject_end(claim.tokens) if claim.owners else 0 :]:
        if token.is_word and token.low not in passed_over and token.low not in WISHES and not figures_in([token.low]):
            found |= dict.fromkeys(stem_of(part) for part in token.low.split("-"))
    empty = {"", *FRAMES, *_frame_of(claim), *_kinds(claim)}
    return tuple(stem for stem in found if stem not in empty)


def _kinds(claim: Claim) -> list[str]:
    """ "Python programming", "the band Muse": beside a name stands what sort of thing it names."""
    is_name = [token.low in claim.names for token in claim.tokens]
    return [
        stem_of(token.low)
        for place, token in enumerate(claim.tokens)
        if stem_of(token.low) in KINDS
        and (any(is_name[max(0, place - 1) : place]) or any(is_name[place + 1 : place + 2]))
    ]


def _frame_of(claim: Claim) -> tuple[str, ...]:
    """Words that are spoken for by the relation: "works as", "can't stand"."""
    if claim.relation is Relation.IS and claim.heads and claim.verb.startswith("work"):
        return ("work",)
    return ("stand", "bear", "toler", "turn") if claim.relation in (Relation.LIKES, Relation.AGED) else ()


_PASSED_OVER = frozenset({"also", "now", "not", "does", "do", "did"})


def _relation(subject: Sequence[str], predicate: Sequence[str]) -> Relation:
    words = [word for word in predicate if not word.endswith("ly") and word not in _PASSED_OVER]
    if _is_naming(subject, words):
        return Relation.NAME
    first, second = [*words, "", ""][:2]
    if _is_aging(subject, words):
        return Relation.AGED
    if cannot_stand(predicate) >= 0 or any(stem_of(word) in LIKING | DISLIKING for word in (*subject, *words[:4])):
        return Relation.LIKES
    if first in {"has", "have", "had", "owns"} and not _is_participle(second):
        return Relation.HAS
    if first in {"is", "was"} and second in {"from", "originally"}:
        return Relation.FROM
    if first in {"is", "was"} and not second.endswith("ing") and second not in _PREPOSITIONS:
        return Relation.IS
    if "as" in words[1:3] and first in {"works", "worked", "work", "working", "is"}:
        return Relation.IS
    return Relation.OTHER


def _is_naming(subject: Sequence[str], words: Sequence[str]) -> bool:
    about_self = not any(word in PEOPLE for word in subject)
    has_name = "name" in subject or "nickname" in subject or list(words[:1]) in (["name"], ["nickname"])
    is_called = len(words) > 2 and words[0] in {"is", "goes"} and words[1] in {"named", "called", "by", "known"}
    return about_self and (has_name or is_called)


def _is_aging(subject: Sequence[str], words: Sequence[str]) -> bool:
    is_number = len(words) > 1 and words[0] in {"is", "was", "turned"} and _is_number(words[1])
    return "age" in subject or (is_number and (len(words) == 2 or words[2] in {"years", "year", "years-old", "months"}))


def _is_number(word: str) -> bool:
    return bool(figures_in([word])) and (word[0].isdigit() or word.isalpha())


def _is_participle(word: str) -> bool:
    return word in {"been", "gone", "done", "seen", "had", "not", "never", "always"} or (
        word.endswith(("ed", "en"))
        and len(word) > 4
        and word not in {"children", "seven", "eleven", "kitchen", "garden"}
    )


def _heads(predicate: Sequence[str]) -> tuple[str, ...]:
    """ "is a high school teacher in Leeds": teacher. Of an adjective the word itself."""
    start = next((place + 1 for place, word in enumerate(predicate) if word in {"is", "was", "as"}), 0)
    if "as" in predicate[:4]:
        start = list(predicate).index("as") + 1
    head = ""
    for word in predicate[start:]:
        if word in _PREPOSITIONS or word in {"who", "that", "and", "or", "but", "because", ",", "(", "with"}:
            break
        if word not in _ARTICLES and word not in {"not", "'s"} and not word.endswith("ly"):
            head = word
    return (head,) if head and stem_of(head) not in FRAMES and not figures_in([head]) else ()


def _verb(predicate: Sequence[str]) -> str:
    return next((word for word in predicate if not word.endswith("ly") and word not in {"also", "not", "never"}), "")


def _is_past(predicate: Sequence[str]) -> bool:
    verb = _verb(predicate)
    if verb in {"was", "were", "had", "did", "used"}:
        return True
    if verb in {"has", "have"} and len(predicate) > 1:
        return _is_participle(predicate[1])
    return verb.endswith("ed") or verb in PAST_FORMS


# ── the same thing in other words ────────────────────────────────────────────────────────────────


def is_same_statement(one: str, other: str) -> bool:
    """ "User enjoys hiking" and "User likes to hike"; "User has a sister named Emma" and "User's sister is Emma"."""
    mine, theirs = claims_in(one), claims_in(other)
    return len(mine) == len(theirs) and all(_is_same(*pair) for pair in zip(mine, theirs, strict=True))


def _is_same(one: Claim, other: Claim) -> bool:
    return _gist(one) == _gist(other) and _are_alike(_own_keys(one), _own_keys(other))


def _gist(claim: Claim) -> tuple[object, ...]:
    """All that must be equal; the other words may be other words for the same."""
    sense = claim.sense
    people = claim.owners | {key for key in claim.keys if key in _PEOPLE}
    is_bound = claim.relation in (Relation.FROM, Relation.AGED)
    return (
        people,
        claim.names | claim.named,
        claim.numbers,
        (sense.sign, sense.denied, sense.wished, sense.ended, claim.is_past),
        claim.relation if is_bound else "",
        sense.objects_until is None or tuple(claim.keys),
    )


def _own_keys(claim: Claim) -> list[str]:
    return [key for key in claim.keys if key not in _PEOPLE]


def _are_alike(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    return all(any(_is_word_for(key, each) for each in theirs) for key in mine) and all(
        any(_is_word_for(key, each) for each in mine) for key in theirs
    )


def _is_word_for(one: str, other: str) -> bool:
    return one == other or means(one, other) or means(other, one)


_PEOPLE = frozenset(stem_of(word) for word in PEOPLE)
