"""What stands in a phrase: its stems, the word it is about, its names and its numbers."""

import re
from dataclasses import dataclass

from everlore.domain.dates import without_dates
from everlore.domain.words import query_terms
from everlore.language.lists import listed
from everlore.language.numbers import CARDINALS

_BOUNDARY = re.compile(
    r",? (?:in|at|on|with|for|during|while|when|whenever|because|since|after|before|than|over|by|from|as|but|who|"
    r"which|that|especially|particularly|like|such|every|each|without|if|so|near|around|through|to|into|about)\b",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    r" (?:every|each|once|twice|daily|weekly|often|regularly|(?:a|per) (?:day|week|month|year)|"
    r"on (?:week|mon|tues|wednes|thurs|fri|satur|sun)\w*)\b"
)
_DETERMINERS = re.compile(
    r"(?:(?:a|an|the|some|any|his|her|their|its|my|both|all|most|very|really|fluent|basic|a little|a lot of|lots of|"
    r"new|being|to|how to) )+",
    re.IGNORECASE,
)
_GENERIC = frozenset(query_terms(" ".join(listed("things.generic"))))
# Words that add nothing to the verb before them: smoking is smoking cigarettes.
_UNDERSTOOD = frozenset(query_terms("cigarette cigarettes tobacco pack"))
_NUMBER_WORDS = {word: str(value) for word, value in CARDINALS.items()} | {"no": "0", "hundred": "100"}
_YEAR = re.compile(r"\b(?:1[89]|20|21)\d\d\b")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
NOT_NAMES = listed("names.not_within")
_ENDS = re.compile(r"[.!?:]\s*$")


@dataclass(frozen=True, slots=True)
class Value:
    value: frozenset[str]
    detail: frozenset[str]
    head: str = ""
    is_list: bool = False


def stems(text: str) -> frozenset[str]:
    # "5th of May" and "May 5" are one day.
    return frozenset(query_terms(re.sub(r"\b(\d{1,2})(?:st|nd|rd|th)\b", r"\1", text)))


def noun(text: str) -> Value:
    """Its value ends where a qualification begins: "coffee in the morning" is coffee."""
    plain = bare(without_dates(text))
    boundary = _BOUNDARY.search(plain)
    core = plain[: boundary.start()] if boundary else plain
    is_list = " and " in core or " or " in core or "," in core
    if not is_list:
        core = core.split(",", 1)[0]
    return Value(stems(core), stems(plain), _head(core), is_list)


def verb(text: str) -> Value:
    """Everything counts but how often: "goes to the gym" is neither going nor the gym."""
    plain = bare(without_dates(text))
    often = _OFTEN.search(plain)
    core = plain[: often.start()] if often else plain
    first = query_terms(core.split(" ", 1)[0])
    told = stems(core)
    return Value((told - _UNDERSTOOD) or told, stems(plain), first[0] if first else "")


def place(text: str) -> Value:
    """The names in it; nothing where it names no place, as "a small apartment"."""
    plain = without_dates(text)
    boundary = _BOUNDARY.search(plain)
    core = (plain[: boundary.start()] if boundary else plain).split(",", 1)[0]
    named = names_of(f"in {core}") or names_of(f"in {plain}")[:3]
    if not named and text == text.lower() and not _DETERMINERS.match(core) and len(core.split()) <= 3:
        return Value(stems(core), stems(plain))
    return Value(stems(" ".join(named)) if named else frozenset(), stems(plain))


def called(text: str) -> Value:
    """Names of persons or animals: "Emma", "Tom and Anna", "Whiskers, who is old"."""
    boundary = _BOUNDARY.search(text)
    core = text[: boundary.start()] if boundary else text
    return Value(stems(core), stems(text), is_list=" and " in core)


def number(text: str) -> str:
    return _NUMBER_WORDS.get(text.lower(), text)


def bare(text: str) -> str:
    found = _DETERMINERS.match(text)
    return text[found.end() :] if found and found.end() < len(text) else text


def _head(core: str) -> str:
    found = query_terms(core.split(" of ", 1)[0])
    telling = [stem for stem in found if stem not in _GENERIC]
    return (telling or list(found) or [""])[-1]


# ── names and numbers of a whole statement ───────────────────────────────────────────────────────


def names_of(text: str) -> tuple[str, ...]:
    """Words with a capital, in small letters and in order; of those that begin a sentence, all but common ones."""
    found: list[str] = []
    for match in _WORD.finditer(text[:4_000]):
        before = text[max(0, match.start() - 4) : match.start()]
        is_first = not before.strip() or bool(_ENDS.search(before))
        word = match.group().replace("’", "'").removesuffix("'s")
        if word[:1].isupper() and word not in ("I", "User") and not (is_first and word.lower() in NOT_NAMES):
            found.append(word.lower())
    return tuple(dict.fromkeys(found))


def numbers_of(text: str) -> frozenset[str]:
    words = (number(word) for word in _WORD.findall(text[:4_000].lower()))
    return frozenset(_NUMBER.findall(text[:4_000])) | {word for word in words if word.isdecimal() and word != "0"}


def years_in(text: str) -> frozenset[str]:
    return frozenset(_YEAR.findall(text[:4_000]))
