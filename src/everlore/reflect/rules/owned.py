"""What belongs to the user and what it is: "my favorite color is green", "my flight is on Tuesday", "my name is Sarah".

In: a clause with the subject "my …", and that subject. Out: at most one fact; none of what passes with the hour.

Start at `attribute`.
"""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.reflect.candidate import Candidate
from everlore.reflect.clauses import Token, lows
from everlore.reflect.rules import home, wide, work
from everlore.reflect.rules.identity import name, name_in
from everlore.reflect.rules.lastingwords import MOODS
from everlore.reflect.rules.phrase import shown, value
from everlore.reflect.rules.plans import is_aim
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import STATED, Said, Tense
from everlore.reflect.rules.times import head_of, is_idiom, names_date, says_now
from everlore.reflect.rules.words import KEPT, LANGUAGES, words

_MOST_SUBJECT = 6
_ATTRIBUTES: dict[str, Category] = {
    **dict.fromkeys(
        words(
            "birthday age height weight hometown nationality ethnicity religion gender pronouns job occupation "
            "profession major minor degree hair eyes sign zodiac timezone blood surname nickname workplace "
            "company diet heritage ancestry background eyesight birthplace language tongue anniversary car house "
            "apartment bike van truck flat place commute rent salary village town school college university uni office "
            "church bedtime diagnosis type motorbike boat postcode local street breed"
        ),
        Category.PERSONAL_INFO,
    ),
    **dict.fromkeys(
        words(
            "hobby hobbies favorite passion passions interests interest obsession pleasure peeve fear fears "
            "phobia team allergy allergies band food drink tipple snack go-to nemesis happy-place kryptonite jam"
        ),
        Category.PREFERENCE,
    ),
    **dict.fromkeys(words("dream goal goals ambition resolution plan aspiration"), Category.GOAL),
    **dict.fromkeys(words("talent talents skill skills specialty speciality instrument strength"), Category.SKILL),
}
_NO_ATTRIBUTE_VALUE = words(
    "good bad great fine ok okay boring stressful hard easy weird messy long short coming tomorrow today better worse "
    "terrible awesome fun amazing not going doing getting nice cool so too very really pretty killing ruined broken "
    "crazy to falling over near soon important simple working clear a-mess huge awful ending wonderful horrible cold "
    "done done-for exhausting"
)


@rule
def attribute(said: Said, subject: Sequence[Token]) -> list[Candidate]:
    """ "My favorite color is green", "my name is Sarah": `subject` without "my"."""
    while len(subject) > 1 and subject[-1].low in {"this", "year", "life", "now", "right", "for", "in"}:
        subject = subject[:-1]
    kinds = lows(subject)
    if is_idiom(said.read.predicate):
        return []
    if "'s" in kinds:
        return _of_theirs(said, subject)
    said = _happening(said)
    if said.verb != "be" or said.tense is not Tense.PRESENT or said.is_denied or not kinds:
        return _doing(said, subject)
    if kinds[-1] in LANGUAGES:
        return _spoken(said, subject[-1])
    if kinds[-1] in {"name", "names"}:
        return _own_name(said, kinds)
    if "favorite" in kinds or "favorites" in kinds:
        return favorite(
            said.rest,
            [
                token
                for token in subject
                if token.low not in {"all", "time", "all-time"} and not (token.low == "of" and "time" in kinds)
            ],
            kinds,
            "are" if said.read.predicate[0].low == "are" else "is",
        )
    if kinds[-1] in _GADGETS:
        return _gadget(said, subject)
    category = _ATTRIBUTES.get(kinds[-1]) or (
        _ATTRIBUTES.get(kinds[-2]) if len(kinds) > 1 and kinds[-1] in {"job", "color", "type", "number"} else None
    )
    if category is None and not {"comfort", "go-to", "guilty", "dream"}.isdisjoint(kinds[:-1]):
        category = Category.PREFERENCE
    if category is None or len(kinds) > 4:
        return []
    return _own_attribute(said, subject, category)


@rule
def _of_theirs(said: Said, subject: Sequence[Token]) -> list[Candidate]:
    """ "My sister's husband is a pilot"."""
    kinds = lows(subject)
    is_kin = kinds.count("'s") == 1 and kinds[kinds.index("'s") - 1] in KEPT and len(kinds) <= _MOST_SUBJECT
    if not is_kin or kinds[-1] not in KEPT - {"doctor", "teacher"}:
        return []
    theirs = said.turned(label=f"User's {shown(subject)}")
    return work.stated(theirs) or home.stated(theirs) or wide.stated(theirs)


# ── dates, tongues and doings ────────────────────────────────────────────────────────────────────

_DATED = words(
    "flight interview appointment surgery operation op wedding exam exams deadline dissertation thesis train visa "
    "holiday honeymoon graduation viva scan driving-test test biopsy hearing due-date chemo placement concert gig "
    "recital marathon race funeral ceremony party anniversary birthday baby 18th 21st 30th 40th 50th 60th 70th 80th "
    "90th 100th eighteenth thirtieth fortieth fiftieth sixtieth baptism christening barmitzvah quinceañera move trip "
    "audition"
)


_MOST_VALUE = 12


@rule
def _fact(said: Said, subject: Sequence[Token], held: Sequence[Token]) -> list[Candidate]:
    be = said.read.predicate[0].low if said.read.predicate[0].low in {"is", "are"} else "is"
    content = f"User's {shown(subject)} {be} {shown(held)}"
    return [Candidate(content=content, category=Category.PERSONAL_INFO, confidence=0.9, reasoning="Says when it is.")]


_NOT_SPOKEN = words(
    "nonexistent non-existent zero terrible awful gone rubbish appalling atrocious horrible teacher class"
)


@rule
def _spoken(said: Said, tongue: Token) -> list[Candidate]:
    """ "My Spanish is okay"."""
    if not said.rest or not _NOT_SPOKEN.isdisjoint(lows(said.rest[:4])) or says_now(said.rest):
        return []
    is_fluent = not {"fluent", "good", "great", "excellent", "native", "perfect"}.isdisjoint(lows(said.rest[:3]))
    content = f"User speaks {'' if is_fluent else 'some '}{tongue.text[:1].upper()}{tongue.text[1:]}"
    return [
        Candidate(content=content, category=Category.SKILL, confidence=0.85, reasoning="Says how well they speak it.")
    ]


_GADGETS = words("phone laptop computer pc console watch camera guitar piano bass bike car van truck motorbike boat")


@rule
def _gadget(said: Said, subject: Sequence[Token]) -> list[Candidate]:
    """ "My phone is a Pixel 7", unlike "my phone is a brick": a name or a number says which."""
    end = next((place for place, token in enumerate(said.rest) if token.low in {"with", "that", "from"}), None)
    held = value(said.rest[:end], keep_when=True)
    is_named = any(token.is_capital or token.low[:1].isdigit() for token in held[1:5])
    is_model = bool(held) and held[0].low in {"a", "an", "called"} and (is_named or len(held) > 2)
    return _fact(said, subject, held) if is_model and len(held) <= _MOST_VALUE else []


@rule
def _doing(said: Said, subject: Sequence[Token]) -> list[Candidate]:
    """ "My job is fixing lifts"."""
    if said.verb in _SPANNING and head_of(subject) in _DATED | _SPANS and names_date(said) and not said.is_denied:
        held = value(said.rest, keep_when=True)
        owned = said.turned(label=f"User's {shown(subject)}")
        return owned.tells(held, Category.PERSONAL_INFO, "Says when it is.") if held else []
    if said.tense is not Tense.GOING or said.is_denied or lows(subject) not in _DOINGS:
        return []
    held = value(said.read.predicate[1:], keep_when=True)
    return _fact(said, subject, held) if 1 < len(held) <= _MOST_VALUE and not says_now(held) else []


_SPANNING = words("start begin end expire finish close run open arrive land leave")
_SPANS = words("contract lease term course leave notice semester mortgage probation passport job school uni insurance")
_DOINGS = frozenset({("job",), ("hobby",), ("passion",), ("dream",), ("day", "job"), ("main", "hobby"), ("goal",)})


def _happening(said: Said) -> Said:
    """ "my favorite drink happens to be tea", "… would have to be tea"."""
    words_ = [token.low for token in said.read.predicate[:5]]
    at = words_.index("be") if "be" in words_ and words_[0] in {"happens", "would", "has", "happen"} else None
    return (
        said
        if at is None
        else said.turned(verb="be", tense=Tense.PRESENT, rest=tuple(said.read.predicate[at + 1 :]), is_denied=False)
    )


_KINDS_OF_NAME = frozenset(
    {
        "name",
        "names",
        "full name",
        "first name",
        "last name",
        "middle name",
        "real name",
        "nick name",
        "actual name",
        "given name",
        "family name",
    }
)


@rule
def _own_name(said: Said, lows: Sequence[str]) -> list[Candidate]:
    kind = " ".join(lows)
    if kind not in _KINDS_OF_NAME:
        return []
    found = name_in(said.rest)
    shown_kind = (
        "name" if kind in {"names", "full name", "real name", "actual name", "given name", "first name"} else kind
    )
    return name(found, "Says their name.", kind=shown_kind) if found else []


@rule
def favorite(rest: Sequence[Token], subject: Sequence[Token], lows: Sequence[str], be: str = "is") -> list[Candidate]:
    """ "my favorite color is green" and "my favorites are jazz and soul"."""
    held = value(rest, comma="has" in [token.low for token in rest])
    if (
        not held
        or len(held) > 10
        or len(lows) > 7
        or held[0].low in {"when", "to", "probably", "definitely"} - {"to"}
        or (lows[-1] in {"part", "thing"} and len(lows) < 4)
    ):
        return []
    what = shown([token for token in subject if token.low not in {"absolute", "very"}])
    return [
        Candidate(
            content=f"User's {what} {be} {shown(held)}",
            category=Category.PREFERENCE,
            confidence=STATED,
            reasoning="Names a favorite.",
        )
    ]


@rule
def _own_attribute(said: Said, subject: Sequence[Token], category: Category) -> list[Candidate]:
    held = value(said.rest, comma=False, keep_when=True)
    is_goal = category is Category.GOAL and held and held[0].low == "to"
    if (
        not held
        or len(held) > 12
        or (held[0].low in _NO_ATTRIBUTE_VALUE | MOODS and not is_goal)
        or says_now(held)
        or (held[-1].low in _NO_ATTRIBUTE_VALUE and len(held) < 3)
    ):
        return []
    if is_goal and not is_aim([token for token in held[1:] if token.low not in {"finally", "actually", "one", "day"}]):
        return []
    if any(token.low in {"mess", "disaster", "nightmare", "joke", "wreck", "pain"} for token in held):
        return []
    if (
        category is Category.GOAL
        and not is_goal
        and held[0].low
        not in {"a", "becoming", "being", "running", "owning", "opening", "writing", "traveling", "visiting"}
    ):
        return []
    be = said.read.predicate[0].low if said.read.predicate[0].low in {"is", "are"} else "is"
    content = f"User's {shown(subject)} {be} {shown(held)}"
    return [
        Candidate(
            content=content, category=category, confidence=0.9, reasoning=f"Says what their {subject[-1].low} is."
        )
    ]
