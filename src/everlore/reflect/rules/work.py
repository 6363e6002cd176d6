"""Work, study and what people are by profession: "I work at", "I study", "I'm a nurse at"."""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.reflect.candidate import Candidate
from everlore.reflect.clauses import Token, lows
from everlore.reflect.rules import being
from everlore.reflect.rules.frames import ANY_TENSE, NOW_TENSES, Frame, of_frames
from everlore.reflect.rules.phrase import shown, value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, Tense
from everlore.reflect.rules.words import phrases, words

_SCHOOLS = words(
    "elementary preschool daycare college university school uni academy institute grad kindergarten seminary campus "
    "community high"
)
_JOBS = words("job shift career work company firm business position role internship apprenticeship residency")


_NO_JOB = words("it you this that me myself progress free nothing peace case mysterious tandem silence vain")


def _is_job(rest: Sequence[Token]) -> bool:
    return not any(token.low in _NO_JOB for token in rest[1:3])


_NO_STUDY = words("hard a too all with together every until the your more tonight")


def _is_study(rest: Sequence[Token]) -> bool:
    return bool(rest) and rest[0].low not in _NO_STUDY


def _is_school(rest: Sequence[Token]) -> bool:
    after = rest[1:5]
    if (
        after
        and after[0].low in {"the", "a"}
        and not (len(after) > 1 and after[1].is_capital)
        and "university" not in lows(after)
    ):
        return False
    return any(token.low in _SCHOOLS for token in after) and not any(
        token.low in {"today", "tomorrow", "now", "back"} for token in rest
    )


_VENTURES = words(
    "business company shop store bakery restaurant cafe farm blog podcast channel studio agency bar gym salon "
    "daycare nonprofit charity ranch bookstore gallery startup brewery clinic practice club"
)


def _is_venture(rest: Sequence[Token]) -> bool:
    is_one = bool(rest) and rest[0].low in {"a", "an", "my", "our", "the"}
    return is_one and any(token.low in _VENTURES for token in rest[1:5])


_SOLD = words("cars insurance real houses homes software jewelry clothes furniture handmade shoes")


_WORK = (
    Frame(
        verbs=words("work"),
        after=words(
            "as at for in with from on part-time full-time part full remotely nights freelance under two three night"
        ),
        category=Category.PERSONAL_INFO,
        reason="Says where or as what they work.",
        fits=lambda rest: _works(rest),
    ),
    Frame(
        verbs=words("work"),
        category=Category.PERSONAL_INFO,
        reason="Says where or as what they work.",
        fits=lambda rest: bool(rest) and rest[0].low[0].isdigit() and _works(rest),
    ),
    Frame(
        verbs=words("get pursue do finish"),
        category=Category.PERSONAL_INFO,
        reason="Says what degree they work on.",
        tenses=frozenset({Tense.GOING, Tense.LONG}),
        fits=lambda rest: (
            bool(rest)
            and rest[0].low in {"my", "a", "an"}
            and any(
                token.low in {"phd", "degree", "masters", "master's", "mba", "bachelor's", "bachelors", "doctorate"}
                for token in rest[:4]
            )
        ),
    ),
    Frame(
        verbs=words("freelance moonlight intern apprentice"),
        after=words("as at for in with"),
        category=Category.PERSONAL_INFO,
        reason="Says as what they work.",
    ),
    Frame(
        verbs=words("study"), category=Category.PERSONAL_INFO, reason="Says what or where they study.", fits=_is_study
    ),
    Frame(
        verbs=words("major minor"), after=words("in"), category=Category.PERSONAL_INFO, reason="Says what they study."
    ),
    Frame(
        verbs=words("teach"),
        category=Category.PERSONAL_INFO,
        reason="Says what they teach.",
        tenses=NOW_TENSES | {Tense.USED, Tense.PAST},
        fits=lambda rest: (
            bool(rest) and rest[0].low not in {"you", "me", "him", "her", "them", "myself", "a", "the", "how"}
        ),
    ),
    Frame(
        verbs=words("attend"),
        category=Category.PERSONAL_INFO,
        reason="Says where they go.",
        fits=lambda rest: _is_school(rest) or _is_school([*rest[:1], *rest]) or (bool(rest) and rest[0].is_capital),
    ),
    Frame(
        verbs=words("go"),
        after=words("to"),
        category=Category.PERSONAL_INFO,
        reason="Says where they study.",
        fits=_is_school,
        tenses=ANY_TENSE - {Tense.PERFECT, Tense.LONG},
    ),
    Frame(
        verbs=words("graduate"),
        after=words("from in with last this high"),
        category=Category.EXPERIENCE,
        reason="Says what they graduated from.",
        tenses=frozenset({Tense.PAST, Tense.PERFECT}),
    ),
    Frame(
        verbs=words("drop"),
        after=words("out"),
        category=Category.EXPERIENCE,
        reason="Says what they left.",
        tenses=frozenset({Tense.PAST}),
        fits=lambda rest: len(rest) > 2,
    ),
    Frame(
        verbs=words("run own manage"),
        category=Category.PERSONAL_INFO,
        reason="Says what they run.",
        tenses=NOW_TENSES | {Tense.USED, Tense.PAST},
        fits=_is_venture,
    ),
    Frame(verbs=words("serve"), after=words("in"), category=Category.EXPERIENCE, reason="Says where they served."),
    Frame(
        verbs=words("train"),
        after=words("to as for"),
        category=Category.PERSONAL_INFO,
        reason="Says what they train for.",
        tenses=NOW_TENSES,
        confidence=0.9,
    ),
    Frame(
        verbs=words("start"),
        category=Category.EXPERIENCE,
        reason="Says what they started.",
        tenses=frozenset({Tense.PAST, Tense.GOING}),
        fits=lambda rest: any(token.low in _JOBS | {"college", "university", "school"} for token in rest[:5]),
        confidence=0.9,
    ),
    Frame(
        verbs=words("quit lose leave"),
        category=Category.EXPERIENCE,
        reason="Says what job they left.",
        tenses=frozenset({Tense.PAST}),
        fits=lambda rest: any(token.low in {"job", "career"} for token in rest[:4]),
    ),
    Frame(
        verbs=words("retire"),
        category=Category.EXPERIENCE,
        reason="Says that they retired.",
        tenses=frozenset({Tense.PAST}),
        needs_rest=False,
    ),
    Frame(
        verbs=words("sell make"),
        category=Category.PERSONAL_INFO,
        reason="Says what they do for a living.",
        tenses=NOW_TENSES,
        fits=lambda rest: any(token.low in {"living", "online"} for token in rest),
    ),
    Frame(
        verbs=words("sell"),
        category=Category.PERSONAL_INFO,
        reason="Says what they sell.",
        tenses=frozenset({Tense.PRESENT}),
        fits=lambda rest: bool(rest) and rest[0].low in _SOLD,
    ),
)


_WORKED_WITH = words(
    "children kids animals people computers wood horses dogs disabled special autistic seniors elderly "
    "patients data the students"
)


def _works(rest: Sequence[Token]) -> bool:
    first = rest[0].low
    if first == "on":
        return (
            len(rest) > 2
            and rest[1].low in {"a", "the", "wall", "oil", "construction", "cars"}
            and any(token.low in {"farm", "ranch", "rig", "boat", "ship", "street"} for token in rest)
        )
    if first == "with":
        return len(rest) > 1 and rest[1].low in _WORKED_WITH and "you" not in {t.low for t in rest}
    if first[0].isdigit():
        return any(token.low in {"at", "for", "in", "as"} for token in rest[1:]) and not any(
            token.low in {"today", "tomorrow"} for token in rest
        )
    if first in {"two", "three", "part", "full", "night", "under"}:
        return len(rest) > 1 and rest[1].low in {"jobs", "time", "shifts", "-"}
    if first == "in" and len(rest) > 1 and rest[1].low in {"the", "my", "a", "an"}:
        return (
            not any(
                token.low in {"morning", "evening", "afternoon", "garden", "yard", "kitchen"} for token in rest[1:4]
            )
            or len(rest) > 5
        )
    return _is_job(rest)


@rule
def stated(said: Said) -> list[Candidate]:
    if said.next == "in" and len(said.rest) > 1 and said.rest[1].text == "IT" and said.verb in {"work", "be"}:
        return said.tells("in IT", Category.PERSONAL_INFO, "Says what they work in.")
    if said.verb == "be":
        return being.stated(said)
    if (
        said.verb == "go"
        and said.is_user
        and said.rest
        and any(token.low in {"elementary", "preschool", "daycare"} for token in said.rest)
    ):
        return []
    if (
        said.verb in {"study", "teach"}
        and said.tense is Tense.GOING
        and any(token.low in {"test", "exam", "exams", "quiz", "finals"} for token in said.rest)
    ):
        return []
    return of_frames(said, _WORK)


_FIELDS = words(
    "sales marketing finance tech advertising construction banking insurance retail hr consulting healthcare education "
    "hospitality nursing college university kindergarten law graduate"
)
_IN_THE = frozenset(
    phrases(
        "high school, grad school, med school, law school, medical school, middle school, a band, the army, the navy"
    )
)
_MOST = 8


@rule
def doing(said: Said) -> list[Candidate]:
    """ "I'm in sales", "I'm in my second year at MIT", "I'm in high school"."""
    if said.verb != "be" or said.tense not in being.TENSES or said.next != "in" or len(said.rest) < 2:
        return []
    near = lows(said.rest[1:5])
    is_year = (near[0] == "my" and "year" in near) or "grade" in near or near[:2] in _IN_THE
    is_field = near[0] in _FIELDS or said.rest[1].text == "IT"
    found = value(said.rest[1:], keep_when=True)
    if not found or len(found) > _MOST or not (is_year or is_field):
        return []
    return said.tells(f"in {shown(found)}", Category.PERSONAL_INFO, "Says where they work or study.", confidence=0.9)
