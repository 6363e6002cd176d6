"""What a statement says: of whom, in which respect, and whether it still holds.

"User lives in Seattle", "The user resides in Seattle" and "User moved to Seattle last month" have one subject,
`user`, one slot, HOME, and one value, Seattle. Whoever made the statement may have said so (its `Claim`); where nobody
did, its words show it, as far as they can be parsed. Two frames can be compared, which are claims by the stems of their
words; two sentences cannot. What nobody claims and does not parse has no frame (None): then similarity decides, and
similarity never retires anything.

Start at `claimed`, which reads a sentence where it must, and `framed`.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from everlore.domain.claim import USER, Claim, Slot
from everlore.domain.dates import when
from everlore.language.tense import Tense
from everlore.reflect.saving.framing import values
from everlore.reflect.saving.framing.mood import Mood, mood_of
from everlore.reflect.saving.framing.phrases import Phrase, phrase_of, topic_of, value_of
from everlore.reflect.saving.framing.slots import SINGLE, SINGLE_ON_CHANGE, SINGLE_TOPICS, TIMELESS
from everlore.reflect.saving.framing.values import NOT_NAMES
from everlore.reflect.saving.framing.vocabulary import BEFORE_KIN, KIN, PARTNERS, PETS, kin_of, manner_of, which

__all__ = ["SINGLE", "SINGLE_ON_CHANGE", "Frame", "claimed", "framed", "is_single", "parsed"]

# A longer statement says more than one thing.
_MOST_CHARS = 300
# Whoever weighs, keeps and compares a statement asks what it says: of so many it is known without reading it again.
_KEPT = 4_096


@dataclass(frozen=True, slots=True)
class Frame:
    """`topic` splits a slot: the favourite of what, which kin, which pet, how a couple is together.

    `value` is what holds, `detail` all the stems that qualify it as well, `head` the one word that `value` is
    about. "Used to" is denied (`polarity` False), a change, and past. `is_dated`: it names a year itself.
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


def framed(claim: Claim | None, content: str = "") -> Frame | None:
    """The claim by its stems; `content`: the sentence that it is of, which may name a year."""
    if claim is None or claim.slot is None:
        return None
    value = value_of(claim.slot, claim.value)
    return Frame(
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
        is_dated=bool(values.years_in(content)),
    )


def claimed(content: str, claim: Claim | None, said_at: datetime) -> Claim | None:
    """What a statement claims: as its maker knew, and as its words show where they did not say in which respect. With
    the day since when it holds, where it names one."""
    known = claim if claim is not None and claim.slot is not None else _completed(parsed(content), claim)
    if known is None or known.since is not None:
        return known
    return replace(known, since=since_of(known, content, said_at))


def _completed(found: Claim | None, claim: Claim | None) -> Claim | None:
    """What its maker knew counts before what the words show."""
    if found is None or claim is None:
        return found or claim
    time = found.time if claim.time is Tense.NOW else claim.time
    return replace(found, time=time, since=claim.since, until=claim.until, quote=claim.quote)


def since_of(claim: Claim, content: str, said_at: datetime) -> datetime | None:
    """The beginning of the period that the sentence names, if it says since when it holds; never later than now: a plan
    holds from when it was made, not when it is for."""
    if claim.slot in TIMELESS and claim.polarity and not claim.is_change:
        return None
    named = when(content, said_at)
    return None if named is None or named.start > said_at else named.start


def is_single(frame: Frame) -> bool:
    """Whether another value of the same subject, slot and topic means that this one is over."""
    return frame.slot in SINGLE or (frame.slot is Slot.ATTRIBUTE and frame.topic in SINGLE_TOPICS)


_USER = re.compile(r"(?:the )?user(?P<of>'s)? (?P<rest>.+)", re.IGNORECASE)
_NAMED = re.compile(r"(?P<name>[A-Z][\w-]{0,40}(?: [A-Z][\w-]{0,40}){0,2}?)(?P<of>'s)? (?P<rest>.+)")
_TURNED = re.compile(
    r"(?P<v>.{1,100}) (?:is|are) (?:the )?user's (?P<t>(?:favou?rite|preferred) .{1,60})", re.IGNORECASE
)
# "User and Alex broke up" is told as what the user did.
_BOTH = re.compile(
    r"(?:the )?user and (?P<name>(?-i:[A-Z])[\w-]{0,40}) (?P<did>broke up|split up|separated|divorced|got divorced|"
    r"got married|got engaged|are married|are engaged|are dating|are together)(?P<rest>(?: .+)?)",
    re.IGNORECASE,
)
_BOTH_AS_ONE = {
    "broke up": "broke up with",
    "split up": "split up with",
    "separated": "separated from",
    "got divorced": "got divorced from",
    "got married": "got married to",
    "got engaged": "got engaged to",
    "are married": "is married to",
    "are engaged": "is engaged to",
    "are dating": "is dating",
    "are together": "is together with",
}
_ABBREVIATED = re.compile(r"\b(St|Dr|Mr|Mrs|Ms|Prof|Jr|Sr|[A-Z])\.(?= )")
_IN_LAW = re.compile(r" in law\b")
# More than one sentence, or more than one predicate: no single frame says it all.
_MORE = re.compile(
    r"[.!?;] |(?<!jobs)(?<!job)(?<!career)(?<!careers)(?:,|,? and|,? but) (?:also |now |then |still )?"
    r"(?:lives?|works?|has|is|was|likes?|loves?|enjoys?|hates?|wants?|plans?|speaks?|studies|moved|"
    r"quit|does|can|will|used to)\b",
    re.IGNORECASE,
)


# ── reading a sentence ───────────────────────────────────────────────────────────────────────────


@lru_cache(_KEPT)
def parsed(content: str) -> Claim | None:
    """What the words show. None where they say more than one thing, or nothing that is understood."""
    if len(content) > 2 * _MOST_CHARS:
        return None
    text = _ABBREVIATED.sub(r"\1", " ".join(content.split()).replace("’", "'")).rstrip(".! ")
    text = _IN_LAW.sub("-in-law", text)
    both = _BOTH.fullmatch(text)
    if both:
        text = f"User {_BOTH_AS_ONE.get(both['did'].lower(), both['did'])} {both['name']}{both['rest']}"
    if not text or len(text) > _MOST_CHARS or _MORE.search(text):
        return None
    turned = _TURNED.fullmatch(text)
    if turned:
        text = f"User's {turned['t']} is {turned['v']}"
    return _read(text)


def _read(text: str) -> Claim | None:
    found = _USER.fullmatch(text)
    if found:
        return _of(USER, bool(found["of"]), found["rest"])
    named = _NAMED.fullmatch(text)
    if named is None or named["name"].split()[0].lower() in NOT_NAMES:
        return None
    return _of(named["name"], bool(named["of"]), named["rest"])


def _of(subject: str, is_owner: bool, rest: str) -> Claim | None:
    if is_owner:
        return _owned(subject, rest)
    mood = mood_of(rest)
    phrase = phrase_of(mood)
    return None if phrase is None else _claim(subject, mood, phrase)


def _claim(subject: str, mood: Mood, phrase: Phrase) -> Claim:
    if phrase.slot in (Slot.FAMILY, Slot.PET) and mood.denied and not mood.is_change and not phrase.said:
        # "Does not have any kids", "does not have a cat": their number is none.
        return Claim(subject=subject, slot=Slot.FAMILY_SIZE, topic=phrase.topic, value="no", time=mood.tense)
    return Claim(
        subject=subject,
        slot=phrase.slot,
        topic=phrase.topic,
        value=phrase.said,
        polarity=mood.denied == phrase.denied,
        # "Used to" stays past, whatever the verb behind it means.
        time=mood.tense if mood.denied and mood.is_change else phrase.tense or mood.tense,
        is_change=mood.is_change or phrase.is_change,
    )


# ── "User's …" ───────────────────────────────────────────────────────────────────────────────────

_NAME = r"[A-Z][\w-]{0,40}(?: [A-Z][\w-]{0,40})?"
_IS = (
    r"(?P<mood>(?:is|are|was|were|isn't|is not|is now|is actually|has been)(?: no longer| now| not)?|"
    r"(?P<new>(?:has )?changed to))"
)
_ATTRIBUTE = re.compile(rf"(?P<t>[\w' -]{{1,60}}?) {_IS} (?P<v>.+)", re.IGNORECASE)
_RELATIVE = re.compile(
    rf"(?P<before>(?:(?:{BEFORE_KIN}) ){{0,3}})(?P<kin>{KIN}|{PARTNERS})(?:'s)?"
    rf"(?:,? (?P<name>(?-i:{_NAME}(?: and {_NAME})?)),?)? (?P<rest>.+)",
    re.IGNORECASE,
)
_CALLED = re.compile(r"(?:is|are) (?:named|called) (?P<v>.+)|(?:name is|names are) (?P<n>.+)", re.IGNORECASE)
_PET = re.compile(
    rf"(?P<new>new )?(?:\w+ )?(?P<kin>{PETS})(?:'s)?(?:,? (?P<name>(?-i:{_NAME})),?)? (?P<rest>.+)", re.IGNORECASE
)
_DIED = re.compile(
    r"(?:has )?(?:recently )?(?:died|passed away|is dead|was put (?:down|to sleep)|(?:ran|flew) away)\b.*",
    re.IGNORECASE,
)
_KNOWN_TOPICS = {
    "name": Slot.NAME,
    "full name": Slot.NAME,
    "real name": Slot.NAME,
    "nickname": Slot.NICKNAME,
    "age": Slot.AGE,
    "birthday": Slot.BIRTHDAY,
    "date of birth": Slot.BIRTHDAY,
    "birth year": Slot.BIRTH_YEAR,
    "year of birth": Slot.BIRTH_YEAR,
    "hometown": Slot.ORIGIN,
    "home": Slot.HOME,
    "job": Slot.OCCUPATION,
    "occupation": Slot.OCCUPATION,
    "profession": Slot.OCCUPATION,
    "employer": Slot.EMPLOYER,
    "native language": Slot.LANGUAGE,
    "first language": Slot.LANGUAGE,
    "goal": Slot.GOAL,
    "dream": Slot.GOAL,
    "plan": Slot.PLAN,
}
_FAVORITE = re.compile(r"(?:(?:all-time|absolute|new|current) )?(?:favou?rite|preferred) (?P<t>.+)", re.IGNORECASE)


def _owned(subject: str, rest: str) -> Claim | None:
    """In turn: a pet, somebody close, or what is called theirs."""
    pet = _PET.fullmatch(rest)
    if pet:
        return _of_pet(subject, pet)
    relative = _RELATIVE.fullmatch(rest)
    claim = _of_relative(subject, relative) if relative else None
    if claim is not None:
        return claim
    attribute = _ATTRIBUTE.fullmatch(rest)
    return _attribute(subject, attribute) if attribute else None


def _of_pet(subject: str, found: re.Match[str]) -> Claim | None:
    kin, name = found["kin"], found["name"] or ""
    if _DIED.fullmatch(found["rest"]):
        return Claim(subject=subject, slot=Slot.PET, topic=kin, value=name, polarity=False, is_change=True)
    called = _called(found["rest"])
    if called:
        return Claim(subject=subject, slot=Slot.PET, topic=kin, value=called)
    return _of(f"{subject}'s {kin.lower()} {name}".strip(), False, found["rest"])


def _of_relative(subject: str, found: re.Match[str]) -> Claim | None:
    kin, name = found["kin"].lower(), found["name"] or ""
    is_partner = bool(manner_of(kin))
    slot = Slot.PARTNER if is_partner else Slot.FAMILY
    if is_partner and _DIED.fullmatch(found["rest"]):
        return Claim(subject=subject, slot=slot, topic=kin, value=name, polarity=False, is_change=True)
    called = _called(found["rest"])
    if called:
        return Claim(subject=subject, slot=slot, topic=kin, value=called)
    close = kin_of(kin)
    # Whose name is known needs nothing else to be told from another.
    theirs = f"{close} {name}" if name else f"{which(found['before'])} {close}"
    return _of(f"{subject}'s {theirs.strip()}", False, found["rest"])


def _called(rest: str) -> str:
    """ "Is named Emma", "'s name is Emma", "is Emma"."""
    found = _CALLED.fullmatch(rest) or re.fullmatch(rf"is (?P<v>{_NAME})(?P<n>)", rest)
    return (found["v"] or found["n"]) if found else ""


def _attribute(subject: str, found: re.Match[str]) -> Claim | None:
    topic = found["t"].lower()
    is_new = bool(found["new"]) or (topic.startswith("new ") and topic[4:] in _KNOWN_TOPICS)
    topic = topic[4:] if is_new and not found["new"] else topic
    mood = mood_of(f"{'became' if is_new else found['mood']} {found['v']}")
    said = mood.phrase.removeprefix("is ")
    favorite = _FAVORITE.fullmatch(topic)
    slot = Slot.FAVORITE if favorite else _KNOWN_TOPICS.get(topic, Slot.ATTRIBUTE)
    phrase = phrase_of(Mood(_AS_SAID[slot].format(said))) if slot in _AS_SAID else None
    if phrase is None:
        about = favorite["t"] if favorite else topic if slot is Slot.ATTRIBUTE else ""
        phrase = Phrase(slot, said, topic=about)
    return _claim(subject, mood, phrase)


# Read as the phrase that says the same.
_AS_SAID = {
    Slot.NAME: "is called {}",
    Slot.AGE: "is {}",
    Slot.BIRTHDAY: "is born on {}",
    Slot.BIRTH_YEAR: "is born in {}",
    Slot.ORIGIN: "is from {}",
    Slot.HOME: "lives in {}",
    Slot.OCCUPATION: "works as {}",
    Slot.EMPLOYER: "works for {}",
    Slot.LANGUAGE: "speaks {}",
    Slot.GOAL: "wants to {}",
    Slot.PLAN: "plans to {}",
}
