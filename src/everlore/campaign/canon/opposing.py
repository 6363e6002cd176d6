"""Two clauses of the same thing that are opposites: alive and dead, loves and hates, childless and has a child. Pure.

The pairs stand in `words.txt`; besides, "un…" and "…less" are opposed to what they are made of. Start at `opposed`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from everlore.campaign.canon.clauses import CanonClause
from everlore.campaign.canon.comparing import LIKELY, Contradiction, name_of
from everlore.campaign.canon.things import is_same, thing_of
from everlore.campaign.canon.vocabulary import members, opposed_verbs, opposites, stem_of, stems_in

_WORD = re.compile(r"[^\W_][\w'-]*")
_NEGATION = re.compile(r"\b(?:not|no|never|none|nothing)\b")
_AT = re.compile(r"\b(?:in|on|at|near|within|of|to|with) (?:the )?([A-Z][\w'-]*(?: [A-Z][\w'-]*)*)")
_TO_WHOM = re.compile(r"^ (?:of|to|with|by|for|against|towards?|about|than) (?P<whom>.+)$")
_OBJECT_ENDS = re.compile(
    r"\b(?:in|on|at|by|with|from|for|of|above|below|near|under|as|among|before|after|because|during|every|to|and|more|"
    r"than|but|so|all)\b|,"
)
_ALMOST = re.compile(
    r"\b(?:nearly|almost|half|barely|hardly|scarcely|partly|too|so|as|how|(?:smell|taste|look|sound|feel)(?:s|ed)?)\b"
)
_COMPARED = re.compile(
    r"^(?:is|are|was|were) (?:much |far )?(?P<how>\w+er|(?:more|less) \w+|worth more) "
    r"than (?P<whom>.+)$"
)
_BETWEEN = frozenset(
    "is are was were has have had been still died dies a an the very quite also one two three four five six seven "
    "older elder younger little big twin always himself herself itself among lies lay "
    "stands stood sits far deep".split()
)


@dataclass(frozen=True, slots=True)
class OpposedSide:
    """On which side of which line of opposites a clause stands, and where it says so."""

    line: int
    side: int
    start: int
    end: int
    is_verb: bool = False


def opposed(one: CanonClause, other: CanonClause) -> Contradiction | None:
    """Of the same subject; the caller has seen to it that both speak of the same time."""
    if _are_swapped(one, other):
        return _found(one, one.says, f"{other.subject.text} {other.says}")
    if not is_same(one.subject, other.subject):
        return None
    first, second = _sides(one.says, one.denied), _sides(other.says, other.denied)
    for (verbs, line, side), said in first.items():
        against = second.get((verbs, line, 1 - side))
        if against is None or (verbs, line, 1 - side) in first or (verbs, line, side) in second:
            continue
        if _have_same_object(one, said, other, against) if verbs else _speak_of_one(one, said, other, against):
            return _found(one, one.says[said.start : said.end], other.says[against.start : against.end])
    if one.denied or other.denied:
        return None
    return _by_ending(one, other) or _by_ending(other, one)


def _are_swapped(one: CanonClause, other: CanonClause) -> bool:
    """ "Ash is older than Orne", "Orne is older than Ash"."""
    first, second = _COMPARED.match(one.says), _COMPARED.match(other.says)
    if first is None or second is None or first["how"] != second["how"] or one.denied or other.denied:
        return False
    whom = [thing_of(_OBJECT_ENDS.split(found["whom"], maxsplit=1)[0]) for found in (first, second)]
    return is_same(one.subject, whom[1]) and is_same(other.subject, whom[0])


def _found(one: CanonClause, said: str, against: str) -> Contradiction:
    return Contradiction(f"{name_of(one.subject)}: {said} or {against}", LIKELY)


# ── which sides a clause stands on ───────────────────────────────────────────────────────────────


@lru_cache(maxsize=8_192)
def _sides(says: str, denied: bool) -> Mapping[tuple[bool, int, int], OpposedSide]:
    """What is denied stands on a side only by words that deny: "no children"."""
    found: dict[tuple[bool, int, int], OpposedSide] = {}
    lower = says.lower()
    for word in _WORD.finditer(lower):
        for phrase, is_verb, line, side in _phrases_from(word[0]):
            end = word.start() + len(phrase)
            is_there = lower.startswith(phrase, word.start()) and not lower[end : end + 1].isalnum()
            if is_there and bool(_NEGATION.search(phrase)) == denied and not _is_done_to_others(lower, word):
                found.setdefault((is_verb, line, side), OpposedSide(line, side, word.start(), end, is_verb))
        is_many = lower.startswith(("are ", "were ")) and word[0].endswith("s")
        singular = (word[0][:-1],) if is_many else ()
        for base in (*singular, *_positives(word[0], is_than=lower.startswith(" than ", word.end()))):
            for phrase, is_verb, line, side in _phrases_from(base):
                if phrase == base and not is_verb and not denied:
                    found.setdefault((False, line, side), OpposedSide(line, side, word.start(), word.end()))
    return found


def _is_done_to_others(says: str, word: re.Match[str]) -> bool:
    """ "Killed a wolf" is not "was killed": a verb at the beginning, with an object behind it."""
    if word.start() or not word[0].endswith("ed") or word[0] in members("acts"):
        return False
    behind = _WORD.match(says[word.end() :].lstrip(" "))
    return behind is not None and behind[0] not in members("behind acts")


def _positives(word: str, *, is_than: bool) -> Iterator[str]:
    """ "Bravest": brave; and "braver" where it says than whom."""
    ending = next((each for each in ("est", "er") if word.endswith(each)), "")
    if not ending or len(word) < 5 or (ending == "er" and not is_than):
        return
    stem = word.removesuffix(ending)
    yield from (f"{stem[:-1]}y",) if stem.endswith("i") else (stem, f"{stem}e", stem[:-1])


def _phrases_from(word: str) -> tuple[tuple[str, bool, int, int], ...]:
    return _index().get(word, ())


@cache
def _index() -> Mapping[str, tuple[tuple[str, bool, int, int], ...]]:
    """By its first word: each phrase, whether it is a verb with an object, its line and its side."""
    found: dict[str, list[tuple[str, bool, int, int]]] = {}
    for is_verb, lines in ((False, opposites()), (True, opposed_verbs())):
        for line, sides in enumerate(lines):
            for side, phrases in enumerate(sides):
                for phrase in phrases:
                    first = _WORD.findall(phrase)[0]
                    found.setdefault(first, []).append((phrase, is_verb, line, side))
    return {word: tuple(sorted(phrases, key=lambda each: -len(each[0]))) for word, phrases in found.items()}


# ── whether both are said of the same ────────────────────────────────────────────────────────────


def _speak_of_one(one: CanonClause, said: OpposedSide, other: CanonClause, against: OpposedSide) -> bool:
    """What is opposed must be said of the subject itself, or of the same thing beside it, and not of other places."""
    if _are_elsewhere(one, other) or _are_to_others(one, said, other, against):
        return False
    if _is_weakened(one, said) or _is_weakened(other, against) or not _are_of_like(one, said, other, against):
        return False
    first, second = (_beside(each, found) for each, found in ((one, said), (other, against)))
    return (
        not first
        or not second
        or not first.isdisjoint(second)
        or (_is_of_itself(one, said) and _is_of_itself(other, against))
    )


def _is_weakened(clause: CanonClause, side: OpposedSide) -> bool:
    """ "Nearly killed", "old enough", "young for an elf", "smells sweet"."""
    before, behind = clause.says[: side.start], clause.says[side.end :]
    return bool(_ALMOST.search(before)) or bool(re.match(r" (?:enough|for an?)\b", behind))


def _are_elsewhere(one: CanonClause, other: CanonClause) -> bool:
    names = [{each for found in _AT.finditer(clause.says) for each in found[1].split()} for clause in (one, other)]
    return all(names) and names[0].isdisjoint(names[1])


def _are_to_others(one: CanonClause, said: OpposedSide, other: CanonClause, against: OpposedSide) -> bool:
    """ "A friend of the elves", "an enemy of the trolls"."""
    whom = [_TO_WHOM.match(clause.says[side.end :]) for clause, side in ((one, said), (other, against))]
    if whom[0] is None or whom[1] is None:
        # "In the north" of the world, and "south of Orne".
        return whom != [None, None] and one.says[said.start : said.end] in members("directions")
    return stems_in(whom[0]["whom"]).isdisjoint(stems_in(whom[1]["whom"]))


def _are_of_like(one: CanonClause, said: OpposedSide, other: CanonClause, against: OpposedSide) -> bool:
    """ "A strong swimmer" may be weak otherwise, and a slow reader ride fast."""
    nouns = [_noun_behind(clause, side) for clause, side in ((one, said), (other, against))]
    own = {each for each in nouns if each and each not in members("whoever")}
    return not own or nouns[0] == nouns[1] or own <= one.subject.stems | other.subject.stems


def _noun_behind(clause: CanonClause, side: OpposedSide) -> str:
    before, behind = clause.says[: side.start].split(), _WORD.match(clause.says[side.end :].lstrip())
    if not before or before[-1] not in ("a", "an", "the", "very") or behind is None:
        return ""
    word = behind[0]
    is_noun = word.islower() and word not in members("small") and clause.says[side.end : side.end + 1] == " "
    return word if is_noun else ""


def _is_of_itself(clause: CanonClause, side: OpposedSide) -> bool:
    """ "Is dead", "died …", "is a blind man": nothing stands between."""
    return all(each in _BETWEEN for each in clause.says[: side.start].split())


def _beside(clause: CanonClause, side: OpposedSide) -> frozenset[str]:
    return stems_in(clause.says[: side.start] + " " + clause.says[side.end :]) - {"alway"}


def _have_same_object(one: CanonClause, said: OpposedSide, other: CanonClause, against: OpposedSide) -> bool:
    """ "Loves her sister", "hates her uncle": a verb is opposed where its object is the same."""
    if not (_is_of_itself(one, said) and _is_of_itself(other, against)):
        return False
    ends = [_OBJECT_ENDS.split(clause.says[side.end :], maxsplit=1) for clause, side in ((one, said), (other, against))]
    objects = [thing_of(each[0]) for each in ends]
    if objects[0].is_nobody and objects[1].is_nobody:
        return len(stems_in(one.says)) == len(stems_in(other.says)) == 1
    if objects[0].is_nobody or objects[1].is_nobody:
        whole = [stems_in(clause.says[side.end :]) for clause, side in ((one, said), (other, against))]
        return bool(whole[0] & whole[1])
    return is_same(*objects) and not (len(ends[0]) > 1 and len(ends[1]) > 1 and _are_elsewhere(one, other))


# ── "un…" and "…less" ────────────────────────────────────────────────────────────────────────────

_UN = re.compile(r"\b(?:un|in|im|ir)(?P<of>[a-z]{4,})\b")
_ABLE = re.compile(r"(?:able|ible)$")
_LESS = re.compile(r"\b(?P<of>[a-z]{3,})less\b")
_HAS = re.compile(r"^(?:has|have|wears|wear|bears|with)\b")


def _by_ending(one: CanonClause, other: CanonClause) -> Contradiction | None:
    for found in _UN.finditer(one.says):
        word = _spoken(_ABLE.sub("", found["of"]), other.says)
        if word is None:
            continue
        said, against = OpposedSide(0, 0, *found.span()), OpposedSide(0, 1, *word.span())
        if _is_of_itself(one, said) and _speak_of_one(one, said, other, against):
            return _found(one, found[0], word[0])
    for found in _LESS.finditer(one.says):
        word = _spoken(found["of"], other.says) if _HAS.match(other.says) else None
        if word is not None and _is_of_itself(one, OpposedSide(0, 0, *found.span())):
            return _found(one, found[0], word[0])
    return None


def _spoken(word: str, says: str) -> re.Match[str] | None:
    stem = stem_of(word)
    return next((each for each in _WORD.finditer(says) if stem_of(each[0].lower()) == stem), None)
