"""Whether a predicate is denied, over, new or long past, and what is left of it without the words that say so.

"No longer likes coffee" is "likes coffee", denied, a change. "Has been living in Oslo for years" is "is living in
Oslo for years". Start at `mood_of`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from everlore.language.lists import listed
from everlore.language.tense import Tense, is_past_form
from everlore.language.verbs import is_participle


@dataclass(frozen=True, slots=True)
class Mood:
    """`phrase` begins with its verb. "Used to" is denied, a change, and past."""

    phrase: str
    denied: bool = False
    is_change: bool = False
    tense: Tense = Tense.NOW
    # The verb has no ending: "does not smoke", "used to smoke".
    is_bare: bool = False


_ADVERBS = (
    "currently|presently|still|really|just|recently|usually|often|always|actually|absolutely|truly|particularly|"
    "especially|mainly|mostly|generally|apparently|finally|officially|newly|even|definitely|sometimes|already|"
    "very much|deeply|simply|probably|originally|temporarily|occasionally|regularly|frequently|typically|greatly"
)
_LEADING: tuple[tuple[re.Pattern[str], Mapping[str, object]], ...] = tuple(
    (re.compile(rf"(?:{pattern})(?: |$)", re.IGNORECASE), effect)
    for pattern, effect in (
        (_ADVERBS, {}),
        ("also", {"also": True}),
        ("now|nowadays", {"now": True}),
        ("no longer", {"denied": True, "is_change": True}),
        ("used to be", {"denied": True, "is_change": True, "tense": Tense.PAST, "be": "is"}),
        ("used to", {"denied": True, "is_change": True, "tense": Tense.PAST, "is_bare": True}),
        ("(?:does|do) not|doesn't|don't", {"denied": True, "is_bare": True}),
        ("did not|didn't", {"denied": True, "is_bare": True, "tense": Tense.PAST}),
        ("formerly|previously", {"denied": True, "is_change": True, "tense": Tense.PAST}),
        ("not|never", {"denied": True}),
        ("(?:is|are) not|isn't|aren't", {"denied": True, "be": "is"}),
        ("(?:was|were) not|wasn't|weren't", {"denied": True, "be": "is", "tense": Tense.PAST}),
        ("(?:can not|cannot|can't)(?! (?:stand|bear|abide))", {"denied": True, "be": "can"}),
        ("became|become|turned into|has become|have become", {"be": "is", "is_change": True}),
        ("is|are|(?:has|have) been", {"be": "is"}),
        ("was|were", {"be": "is", "tense": Tense.PAST}),
        (
            r"(?:(?:has|have) )?(?:started|begun|began)(?: to(?= [a-z])|(?= [a-z]+ing\b))",
            {"is_change": True, "is_bare": True},
        ),
        (
            r"(?:come|came|grown|grew|learned|learnt) to(?= (?:like|love|enjoy|hate|dislike|trust)\b)",
            {"is_change": True, "is_bare": True, "tense": Tense.NOW},
        ),
        ("(?:stopped|quit|ceased) being", {"denied": True, "is_change": True, "be": "is"}),
        (
            r"(?:stopped|quit|gave up|given up|ceased)(?= [a-z]{2,30}ing\b)",
            {"denied": True, "is_change": True, "is_bare": True},
        ),
    )
)
_PERFECT = re.compile(
    rf"(?:has|have) (?P<rest>(?:(?:{_ADVERBS}|never|not|no longer) ){{0,2}}(?P<verb>[a-z]+)(?: .*)?)", re.IGNORECASE
)
_NO_PERFECT = listed("verbs.no_perfect")
_HAS_NOT = re.compile(r"^ha(?:sn't|ven't)\b", re.IGNORECASE)
_LASTING = re.compile(r" (?:for|since) ")
_TRAILING: tuple[tuple[re.Pattern[str], Mapping[str, object]], ...] = tuple(
    (re.compile(rf",? (?:{pattern})$", re.IGNORECASE), effect)
    for pattern, effect in (
        ("any ?more|any longer", {"is_change": True}),
        ("again|instead", {"is_change": True}),
        ("now|nowadays|these days", {"now": True}),
        ("too|as well", {"also": True}),
        ("at all|at the moment|currently|right now|very much|a lot|so much|lately", {}),
    )
)
# More than any sentence has in a row.
_MOST_STEPS = 8


def mood_of(predicate: str) -> Mood:
    predicate = _HAS_NOT.sub("has not", predicate)
    mood, marks = Mood(predicate), dict[str, object]()
    perfect = _PERFECT.fullmatch(predicate)
    if perfect and _is_participle(perfect["verb"]):
        mood = replace(mood, phrase=perfect["rest"])
    mood = _stripped(mood, marks)
    be = marks.get("be")
    first = mood.phrase.split(" ", 1)[0].lower()
    if be is not None:
        mood = replace(mood, phrase=f"{be} {mood.phrase}".strip())
    elif is_past_form(first) and not (perfect and (mood.denied or _LASTING.search(mood.phrase))):
        mood = replace(mood, tense=Tense.PAST)
    if perfect and mood.denied:
        mood = replace(mood, is_bare=True)
    # "Now also works as a barista" replaces nothing.
    new = bool(marks.get("now")) and not marks.get("also")
    return replace(mood, is_change=mood.is_change or new)


def _stripped(mood: Mood, marks: dict[str, object]) -> Mood:
    for _ in range(_MOST_STEPS):
        step = _lead(mood, marks) or _trail(mood, marks)
        if step is None:
            break
        mood = step
    return mood


def _lead(mood: Mood, marks: dict[str, object]) -> Mood | None:
    for pattern, effect in _LEADING:
        match = pattern.match(mood.phrase)
        # A second "is" belongs to the phrase.
        if match and match.end() < len(mood.phrase) and not ("be" in effect and "be" in marks):
            return _with(mood, mood.phrase[match.end() :].lstrip(), effect, marks)
    return None


def _trail(mood: Mood, marks: dict[str, object]) -> Mood | None:
    for pattern, effect in _TRAILING:
        # From the end: a search would try every space of a long text.
        match = pattern.search(mood.phrase, max(0, len(mood.phrase) - 20))
        if match:
            return _with(mood, mood.phrase[: match.start()], effect, marks)
    return None


def _with(mood: Mood, phrase: str, effect: Mapping[str, object], marks: dict[str, object]) -> Mood:
    marks.update({name: value for name, value in effect.items() if name in ("be", "now", "also")})
    own = {name: value for name, value in effect.items() if name not in ("be", "now", "also")}
    return replace(mood, phrase=phrase, **own)  # type: ignore[arg-type]  # names and values stand in the tables above


def _is_participle(word: str) -> bool:
    return is_participle(word.lower()) and word.lower() not in _NO_PERFECT
