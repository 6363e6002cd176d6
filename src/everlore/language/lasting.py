"""The lists of words (`english/`) for what lasts and what passes: verbs, adjectives and nouns by class.

Grammar alone cannot tell that deafness stays and hunger goes, so these say it.
"""

from everlore.language.lists import listed, phrases_listed, tabled
from everlore.language.words import DAYS, MONTHS, SKILLS, STATES_OF, words

# ── what passes ──────────────────────────────────────────────────────────────────────────────────

MOODS = listed("traits.moods")
THINKING = listed("verbs.thinking")
PURSUITS = listed("life.pursuits")
PURSUED = tabled("life.pursued")
PASSING_THINGS = listed("things.passing")
OF_THE_TASK = listed("things.of_the_task")
OF_CODE = listed("things.of_code")
NOWS = phrases_listed("time.nows")
IDIOMS = phrases_listed("talk.idioms")

# ── what lasts ───────────────────────────────────────────────────────────────────────────────────

TOIL = listed("work.toil")
NEEDS_SORT = TOIL | listed("verbs.needs_sort")
STANDING = (NEEDS_SORT - words("get go see walk")) | listed("verbs.standing")
AGAIN = listed("time.again") | {f"{day}s" for day in DAYS}
UNITS = (MONTHS | DAYS) | listed("time.units")
TIMES = phrases_listed("time.how_often")
# Adjectives of people that hold for years.
STAYING = STATES_OF
CURED = words("cancer-free debt-free smoke-free seizure-free")
STANDING_AFTER = tabled("life.standing_after")
BODY = listed("body.parts")
AILING = listed("body.ailing")
# Empty: whatever follows; else one of the words must stand near.
EVENTS = {**dict.fromkeys(listed("life.events_alone"), frozenset[str]()), **tabled("life.events")}
SENSES = listed("verbs.senses")
SKILLS_WIDE = SKILLS | SENSES | words("cycle roller-skate cartwheel roll")
DURATION = listed("time.durations")
WHEN = MONTHS | DAYS | listed("time.seasons") | {"year", "month", "next"}
PLANNED = listed("life.planned")
STANDING_PAST = listed("life.done_once")
