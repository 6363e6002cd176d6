"""What a statement says, as far as its words show: of whom, in which respect, and whether it still holds.

"User lives in Seattle", "The user resides in Seattle" and "User moved to Seattle last month" have one subject,
`user`, one slot, HOME, and one value, {seattl}. Two frames can be compared; two sentences cannot. Whoever wrote
the statement, rules, a model or a person, only its words count. What does not parse has no frame (None): then
similarity decides, and similarity never retires anything.

In: one statement. Out: its `Frame`, or None. Start at `frame_of`.
"""

import re
from dataclasses import dataclass, replace

from everlore.domain.claim import Slot
from everlore.domain.tense import Tense
from everlore.domain.words import query_terms
from everlore.reflect.saving.framing import values
from everlore.reflect.saving.framing.mood import Mood, mood_of
from everlore.reflect.saving.framing.phrases import Phrase, phrase_of
from everlore.reflect.saving.framing.slots import SINGLE, SINGLE_ON_CHANGE, SINGLE_TOPICS
from everlore.reflect.saving.framing.values import NOT_NAMES, Value
from everlore.reflect.saving.framing.vocabulary import KIN, PARTNERS, PETS, kin_of, manner_of

__all__ = ["SINGLE", "SINGLE_ON_CHANGE", "Frame", "frame_of", "is_single"]

# A longer statement says more than one thing.
_MOST_CHARS = 300


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
# More than one sentence, or more than one predicate: no single frame says it all.
_MORE = re.compile(
    r"[.!?;] |(?<!jobs)(?<!job)(?<!career)(?<!careers)(?:,|,? and|,? but) (?:also |now |then |still )?"
    r"(?:lives?|works?|has|is|was|likes?|loves?|enjoys?|hates?|wants?|plans?|speaks?|studies|moved|"
    r"quit|does|can|will|used to)\b",
    re.IGNORECASE,
)


def frame_of(content: str) -> Frame | None:
    if len(content) > 2 * _MOST_CHARS:
        return None
    text = _ABBREVIATED.sub(r"\1", " ".join(content.split()).replace("’", "'")).rstrip(".! ")
    both = _BOTH.fullmatch(text)
    if both:
        text = f"User {_BOTH_AS_ONE.get(both['did'].lower(), both['did'])} {both['name']}{both['rest']}"
    if not text or len(text) > _MOST_CHARS or _MORE.search(text):
        return None
    turned = _TURNED.fullmatch(text)
    if turned:
        text = f"User's {turned['t']} is {turned['v']}"
    frame = _read(text)
    return replace(frame, is_dated=bool(values.years_in(text))) if frame is not None else None


def _read(text: str) -> Frame | None:
    found = _USER.fullmatch(text)
    if found:
        return _framed("user", bool(found["of"]), found["rest"])
    named = _NAMED.fullmatch(text)
    if named is None or named["name"].split()[0].lower() in NOT_NAMES:
        return None
    return _framed(named["name"].lower(), bool(named["of"]), named["rest"])


def _framed(subject: str, is_owner: bool, rest: str) -> Frame | None:
    if is_owner:
        return _owned(subject, rest)
    mood = mood_of(rest)
    phrase = phrase_of(mood)
    return None if phrase is None else _frame(subject, mood, phrase)


def _frame(subject: str, mood: Mood, phrase: Phrase) -> Frame:
    return Frame(
        subject=subject,
        slot=phrase.slot,
        value=phrase.value.value,
        polarity=mood.denied == phrase.denied,
        # "Used to" stays past, whatever the verb behind it means.
        tense=mood.tense if mood.denied and mood.is_change else phrase.tense or mood.tense,
        is_change=mood.is_change or phrase.is_change,
        topic=phrase.topic,
        detail=phrase.value.detail | phrase.value.value,
        head=phrase.value.head,
        is_list=phrase.value.is_list,
    )


# ── "User's …" ───────────────────────────────────────────────────────────────────────────────────

_NAME = r"[A-Z][\w-]{0,40}(?: [A-Z][\w-]{0,40})?"
_IS = (
    r"(?P<mood>(?:is|are|was|were|isn't|is not|is now|is actually|has been)(?: no longer| now| not)?|"
    r"(?P<new>(?:has )?changed to))"
)
_ATTRIBUTE = re.compile(rf"(?P<t>[\w' -]{{1,60}}?) {_IS} (?P<v>.+)", re.IGNORECASE)
_AGED = r"(?:older |younger |little |big |elder |twin |oldest |youngest |new |late |best )?"
_RELATIVE = re.compile(
    rf"{_AGED}(?P<kin>{KIN}|{PARTNERS})(?:'s)?(?:,? (?P<name>(?-i:{_NAME})),?)? (?P<rest>.+)", re.IGNORECASE
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


def _owned(subject: str, rest: str) -> Frame | None:
    """In turn: a pet, somebody close, or what is called theirs."""
    pet = _PET.fullmatch(rest)
    if pet:
        return _of_pet(subject, pet)
    relative = _RELATIVE.fullmatch(rest)
    if relative:
        return _of_relative(subject, relative)
    attribute = _ATTRIBUTE.fullmatch(rest)
    return _attribute(subject, attribute) if attribute else None


def _of_pet(subject: str, found: re.Match[str]) -> Frame | None:
    topic, name = " ".join(query_terms(found["kin"])), found["name"] or ""
    if _DIED.fullmatch(found["rest"]):
        stems = values.stems(name) if name else frozenset()
        return Frame(subject, Slot.PET, stems, polarity=False, is_change=True, topic=topic, detail=stems)
    called = _called(found["rest"])
    if called:
        return Frame(subject, Slot.PET, called.value, topic=topic, detail=called.detail, is_list=called.is_list)
    return _framed(f"{subject}'s {found['kin'].lower()} {name.lower()}".strip(), False, found["rest"])


def _of_relative(subject: str, found: re.Match[str]) -> Frame | None:
    kin, name = found["kin"].lower(), found["name"] or ""
    is_partner = bool(manner_of(kin))
    slot, topic = (Slot.PARTNER, manner_of(kin)) if is_partner else (Slot.FAMILY, kin_of(kin))
    if is_partner and _DIED.fullmatch(found["rest"]):
        stems = values.stems(name) if name else frozenset()
        return Frame(subject, slot, stems, polarity=False, is_change=True, topic=topic, detail=stems)
    called = _called(found["rest"])
    if called:
        return Frame(subject, slot, called.value, topic=topic, detail=called.detail, is_list=called.is_list)
    whose = kin if is_partner else kin_of(kin)
    return _framed(f"{subject}'s {whose} {name.lower()}".strip(), False, found["rest"])


def _called(rest: str) -> Value | None:
    """ "Is named Emma", "'s name is Emma", "is Emma"."""
    found = _CALLED.fullmatch(rest) or re.fullmatch(rf"is (?P<v>{_NAME})(?P<n>)", rest)
    return values.called(found["v"] or found["n"]) if found else None


def _attribute(subject: str, found: re.Match[str]) -> Frame | None:
    topic, mood = found["t"].lower(), mood_of(f"{'became' if found['new'] else found['mood']} {found['v']}")
    said = mood.phrase.removeprefix("is ")
    favorite = _FAVORITE.fullmatch(topic)
    slot = Slot.FAVORITE if favorite else _KNOWN_TOPICS.get(topic, Slot.ATTRIBUTE)
    phrase = phrase_of(Mood(_AS_SAID[slot].format(said))) if slot in _AS_SAID else None
    if phrase is None:
        about = favorite["t"] if favorite else topic if slot is Slot.ATTRIBUTE else ""
        phrase = Phrase(slot, values.noun(said), topic=" ".join(query_terms(about)) if about else "")
    return _frame(subject, mood, phrase)


# Read as the phrase that says the same.
_AS_SAID = {
    Slot.NAME: "is called {}",
    Slot.AGE: "is {}",
    Slot.BIRTHDAY: "is born on {}",
    Slot.ORIGIN: "is from {}",
    Slot.HOME: "lives in {}",
    Slot.OCCUPATION: "works as {}",
    Slot.EMPLOYER: "works for {}",
    Slot.LANGUAGE: "speaks {}",
    Slot.GOAL: "wants to {}",
    Slot.PLAN: "plans to {}",
}
