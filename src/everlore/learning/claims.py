"""Claims in a comparable form: subject, slot and value, as word stems. Pure.

"lives in Seattle", "resides in Seattle" and "moved to Seattle last month" share the subject `user`, the slot HOME and
the value Seattle, so frames can be compared where sentences cannot. A claim without a slot has no frame (None); then
text similarity decides, which never retires anything.

Start at `framed`; `relations` compares two frames, `phrasebooks.statements` makes claims from typed sentences.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime

from everlore.domain.claim import USER, Claim, Slot
from everlore.domain.dates import when, without_dates
from everlore.domain.words import query_terms
from everlore.language.lists import by_word, listed, phrases_listed
from everlore.language.numbers import CARDINALS, numbers_in
from everlore.language.tense import Tense
from everlore.language.words import KIN_OF, PERSONS
from everlore.learning.candidate import Candidate, Written


def slots(names: str) -> frozenset[Slot]:
    return frozenset(map(Slot, names.split()))


# Slots with one value at a time: a new value ends the old one. All other slots may have several.
SINGLE = slots("name age birthday birth_year home favorite partner relationship_status family_size diet")
# Someone may have two jobs: a new one ends the old one only if the sentence tells a change.
SINGLE_ON_CHANGE = slots("occupation employer")
SINGLE_TOPICS = frozenset(" ".join(topic) for topic in phrases_listed("traits.single"))
# Slots for which a date in the sentence is no start: "likes music from the 90s".
TIMELESS = slots("like dislike favorite birthday birth_year name goal plan")
# Slots whose value is a verb phrase: every word of it counts.
VERBAL = slots("skill study goal plan habit")

# ── values ───────────────────────────────────────────────────────────────────────────────────────

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
# Objects implied by their verb: smoking means smoking cigarettes.
_UNDERSTOOD = frozenset(query_terms("cigarette cigarettes tobacco pack"))
_NUMBER_WORDS = {word: str(value) for word, value in CARDINALS.items()} | {"no": "0", "hundred": "100"}
_YEAR = re.compile(r"\b(?:1[89]|20|21)\d\d\b")
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
    # "5th of May" and "May 5" are the same day.
    return frozenset(query_terms(re.sub(r"\b(\d{1,2})(?:st|nd|rd|th)\b", r"\1", text)))


def _until(text: str, end: re.Pattern[str]) -> str:
    found = end.search(text)
    return text[: found.start()] if found else text


def noun(text: str) -> Value:
    """A noun value, up to the first qualification: "coffee in the morning" is coffee."""
    plain = bare(without_dates(text))
    core = _until(plain, _BOUNDARY)
    is_list = " and " in core or " or " in core or "," in core
    if not is_list:
        core = core.split(",", 1)[0]
    return Value(stems(core), stems(plain), _head(core), is_list)


def verb(text: str) -> Value:
    """A verb value with all its words except frequency: "goes to the gym" is neither going nor the gym."""
    plain = bare(without_dates(text))
    core = _until(plain, _OFTEN)
    first = query_terms(core.split(" ", 1)[0])
    told = stems(core)
    return Value((told - _UNDERSTOOD) or told, stems(plain), first[0] if first else "")


def place(text: str) -> Value:
    """The names in a place value; empty if it names no place, as "a small apartment"."""
    plain = without_dates(text)
    core = _until(plain, _BOUNDARY).split(",", 1)[0]
    named = names_of(f"in {core}") or names_of(f"in {plain}")[:3]
    if not named and text == text.lower() and not _DETERMINERS.match(core) and len(core.split()) <= 3:
        return Value(stems(core), stems(plain))
    return Value(stems(" ".join(named)) if named else frozenset(), stems(plain))


def called(text: str) -> Value:
    """Names of people or animals: "Emma", "Tom and Anna", "Whiskers, who is old"."""
    core = _until(text, _BOUNDARY)
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


# ── names and numbers of a statement ─────────────────────────────────────────────────────────────


def names_of(text: str) -> tuple[str, ...]:
    """Capitalized words, in lower case and in order; at the start of a sentence without common words."""
    found: list[str] = []
    for match in _WORD.finditer(text[:4_000]):
        before = text[max(0, match.start() - 4) : match.start()]
        is_first = not before.strip() or bool(_ENDS.search(before))
        word = match.group().replace("’", "'").removesuffix("'s")
        if word[:1].isupper() and word not in ("I", "User") and not (is_first and word.lower() in NOT_NAMES):
            found.append(word.lower())
    return tuple(dict.fromkeys(found))


def numbers_of(text: str) -> frozenset[str]:
    return frozenset(each.value for each in numbers_in(text[:4_000])) - {"0"}


def years_in(text: str) -> frozenset[str]:
    return frozenset(_YEAR.findall(text[:4_000]))


# ── frames ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class ClaimFrame:
    """A claim as stems. `topic` splits a slot: favourite of what, which relative or pet, form of a relationship.

    `value`: what holds; `detail`: with all qualifying stems; `head`: the main word of `value`. "Used to" means denied
    (`polarity` False), a change, and past. `is_dated`: it names a year itself.
    """

    subject: str
    slot: Slot
    value: frozenset[str]
    polarity: bool = True
    tense: Tense = Tense.NOW
    is_change: bool = False
    topic: str = ""
    detail: frozenset[str] = frozenset()
    head: str = ""
    is_list: bool = False
    is_dated: bool = False


def framed(claim: Claim | None, content: str = "") -> ClaimFrame | None:
    """The claim as stems; `content`: its sentence, which may name a year."""
    if claim is None or claim.slot is None:
        return None
    value = value_of(claim.slot, claim.value)
    return ClaimFrame(
        subject=claim.subject.lower(),
        slot=claim.slot,
        value=value.value,
        polarity=claim.polarity,
        tense=claim.time,
        is_change=claim.is_change,
        topic=topic_of(claim.slot, claim.topic),
        detail=value.detail | value.value,
        head=value.head,
        is_list=value.is_list,
        is_dated=bool(years_in(content)),
    )


def since_of(claim: Claim, content: str, said_at: datetime) -> datetime | None:
    """The start of the period in the sentence, if it says since when it holds. Never in the future: a plan holds from
    when it was made."""
    if claim.slot in TIMELESS and claim.polarity and not claim.is_change:
        return None
    named = when(content, said_at)
    return None if named is None or named.start > said_at else named.start


def is_single(frame: ClaimFrame) -> bool:
    """Whether another value of the same subject, slot and topic ends this one."""
    return frame.slot in SINGLE or (frame.slot is Slot.ATTRIBUTE and frame.topic in SINGLE_TOPICS)


_SOMEBODY = re.compile(r"(?:some(?:one|body)|an?|his|her|their)\b", re.IGNORECASE)
_MANNER_OF = by_word("people.manners")


def value_of(slot: Slot, said: str) -> Value:
    if not said:
        return Value(frozenset(), frozenset())
    if slot is Slot.HOME or slot is Slot.ORIGIN:
        return place(said)
    if slot is Slot.PARTNER and _SOMEBODY.match(said):
        return Value(frozenset(), stems(said))
    if slot in (Slot.NAME, Slot.NICKNAME, Slot.PARTNER, Slot.FAMILY, Slot.PET):
        return called(said)
    if slot in (Slot.BIRTHDAY, Slot.BIRTH_YEAR):
        return Value(stems(said), stems(said))
    if slot in (Slot.AGE, Slot.FAMILY_SIZE):
        one = frozenset({number(said)})
        return Value(one, one)
    return verb(said) if slot in VERBAL else noun(said)


def topic_of(slot: Slot, said: str) -> str:
    if slot is Slot.DIET:
        return "meat"
    if slot is Slot.PARTNER:
        return manner_of(said)
    if slot in (Slot.FAMILY, Slot.FAMILY_SIZE):
        kin = said.lower() or "children"
        return kin_of(kin) if kin in KIN_OF else " ".join(query_terms(kin))
    return " ".join(query_terms(said)) if said else ""


# ── people in the user's life ────────────────────────────────────────────────────────────────────

_NAME = re.compile(r"[A-Z][\w-]{0,40}(?: [A-Z][\w-]{0,40})?")
_THEIRS = re.compile(rf"{USER}'s (?P<kin>[\w-]{{1,40}}) (?P<name>{_NAME.pattern})", re.IGNORECASE)
_CLOSE = PERSONS | frozenset(KIN_OF) | listed("people.partners")


def kin_of(word: str) -> str:
    """Unifies words for relatives: "kids" and "children"."""
    return KIN_OF.get(word.lower(), word.lower())


def manner_of(words: str) -> str:
    """The form of a relationship: "wife" means married. Empty if unknown."""
    return next((_MANNER_OF[word] for word in words.lower().split() if word in _MANNER_OF), "")


def introduced(claim: Claim | None) -> tuple[str, str] | None:
    """The person that a claim introduces, with their relation to the user: ("Bram", "brother")."""
    if claim is None:
        return None
    theirs = _THEIRS.fullmatch(claim.subject)
    if theirs and theirs["kin"].lower() in _CLOSE:
        return theirs["name"], theirs["kin"].lower()
    is_told = claim.slot in (Slot.FAMILY, Slot.PARTNER) and claim.subject == USER and claim.polarity
    if is_told and claim.topic.lower() in _CLOSE and _NAME.fullmatch(claim.value):
        # "Children" means several people, so it cannot identify one.
        kin = kin_of(claim.topic)
        return (claim.value, kin) if kin != "children" else None
    return None


def resolved(candidate: Candidate, kin: str) -> Candidate:
    """The statement about the user's relative. Text that a person wrote stays; only its claim gets the relation."""
    claim = candidate.claim
    if claim is None or not kin:
        return candidate
    name, rest = candidate.content[: len(claim.subject)], candidate.content[len(claim.subject) :]
    if name != claim.subject or not rest.startswith(" "):
        return candidate
    content = candidate.content if isinstance(candidate, Written) else f"User's {kin} {candidate.content}"
    return replace(candidate, content=content, claim=replace(claim, subject=f"{USER}'s {kin} {name}"))
