"""Work, study and what people are by profession: "I work at", "I study", "I'm a nurse at"."""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.language.clauses import Token, lows
from everlore.language.lists import listed, phrases_listed
from everlore.language.words import words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules import being
from everlore.reflect.rules.frames import ANY_TENSE, NOW_TENSES, Frame, of_frames
from everlore.reflect.rules.phrase import shown, value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, Tense

_SCHOOLS = listed("work.schools")
_NOT_WORKED_IN = listed("work.not_worked_in")


def _is_job(rest: Sequence[Token]) -> bool:
    return _NOT_WORKED_IN.isdisjoint(lows(rest[1:4]))


def _is_school(rest: Sequence[Token]) -> bool:
    return not _SCHOOLS.isdisjoint(lows(rest[1:5])) and {"today", "tomorrow", "now", "back"}.isdisjoint(lows(rest))


_NO_STUDY = listed("work.not_studied")
_PUPILS = listed("work.not_taught")
_EXAMS = words("test exam exams quiz finals")
_WORK = (
    Frame(
        verbs=words("work"),
        after=listed("work.after_work"),
        reason="Says where or as what they work.",
        fits=_is_job,
    ),
    Frame(
        verbs=words("study"),
        reason="Says what or where they study.",
        fits=lambda rest: bool(rest) and rest[0].low not in _NO_STUDY and _EXAMS.isdisjoint(lows(rest)),
    ),
    Frame(
        verbs=words("go"),
        after=words("to"),
        reason="Says where they study.",
        tenses=ANY_TENSE - {Tense.PERFECT, Tense.LONG},
        fits=_is_school,
    ),
    Frame(
        verbs=words("teach"),
        reason="Says what they teach.",
        tenses=NOW_TENSES | {Tense.USED, Tense.PAST},
        fits=lambda rest: bool(rest) and rest[0].low not in _PUPILS and _EXAMS.isdisjoint(lows(rest)),
    ),
)


@rule
def stated(said: Said) -> list[Candidate]:
    if said.next == "in" and len(said.rest) > 1 and said.rest[1].text == "IT" and said.verb in {"work", "be"}:
        return said.tells("in IT", Category.PERSONAL_INFO, "Says what they work in.")
    return being.stated(said) if said.verb == "be" else of_frames(said, _WORK)


_FIELDS = listed("work.fields")
_IN_THE = frozenset(phrases_listed("work.in_the"))
_MOST = 8


@rule
def doing(said: Said) -> list[Candidate]:
    """ "I'm in sales", "I'm in my second year at MIT", "I'm in high school"."""
    if said.verb != "be" or said.tense not in being.TENSES or said.next != "in" or len(said.rest) < 2:
        return []
    near = lows(said.rest[1:5])
    is_year = (near[0] == "my" and "year" in near) or "grade" in near or near[:2] in _IN_THE
    found = value(said.rest[1:], keep_when=True)
    if not found or len(found) > _MOST or not (is_year or near[0] in _FIELDS):
        return []
    return said.tells(f"in {shown(found)}", Category.PERSONAL_INFO, "Says where they work or study.", confidence=0.9)
