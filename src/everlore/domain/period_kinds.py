"""The kinds of periods that words name: days, dates, weeks, months, seasons, years, and how long ago.

Each reads from one word on, and says what it found and where it ended; None where the words name nothing of its kind.
Start at `NAMED`.
"""

from collections.abc import Callable
from datetime import timedelta

from everlore.domain.calendar import (
    DAYS,
    DECADES,
    MONTHS,
    PARTS,
    SEASONS,
    DateSpan,
    date_of,
    day_of,
    month_of,
    part_of,
    season_of,
    shifted,
    week_of,
    weekday_from,
    weekend_of,
    years_from,
)
from everlore.domain.reckoning import (
    FIRST_YEAR,
    LAST_YEAR,
    Amount,
    amount_at,
    chosen,
    day_number,
    day_of_week,
    feast_at,
    fixed,
    is_day,
    is_year,
    told,
    unit_away,
)
from everlore.domain.spoken import Grain, Period, TimePhrase, TimeReference
from everlore.language.tense import Tense

DASHES = ("-", "–", "—")
_HABITUAL = frozenset(f"{part}s" for part in PARTS)
FROM = frozenset("since from starting beginning".split())
WAYS = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1, "upcoming": 1}
Reader = Callable[[TimePhrase, int, bool], Period | None]


def first_of(readers: tuple[Reader, ...], said: TimePhrase, place: int, bare: bool) -> Period | None:
    for reader in readers:
        found = reader(said, place, bare)
        if found is not None:
            return found
    return None


def read_day_word(said: TimePhrase, place: int, bare: bool) -> Period | None:
    word, today = said.word(place), said.today
    away = {"today": 0, "yesterday": -1, "tomorrow": 1}.get(word)
    if away is not None:
        return _part_or_day(said, day_of(today + timedelta(days=away)), place + 1)
    if word == "tonight":
        return told(part_of(today, "night"), place + 1)
    if _is_now(said, place, bare):
        return told(day_of(today), place + 1 + (word == "right"))
    three = (said.word(place), said.word(place + 1), said.word(place + 2))
    away = {("day", "before", "yesterday"): -2, ("day", "after", "tomorrow"): 2}.get(three)
    return None if away is None else told(day_of(today + timedelta(days=away)), place + 3)


def _is_now(said: TimePhrase, place: int, bare: bool) -> bool:
    """ "From now on", "right now"; elsewhere "now" says that something is new, and not when."""
    if said.word(place) == "right":
        return said.word(place + 1) == "now"
    return bare and said.word(place) == "now" and said.word(place - 1) in FROM | {"of", "until", "till"}


def _part_or_day(said: TimePhrase, day: DateSpan, after: int) -> Period:
    name = said.word(after)
    return told(part_of(day.start, name), after + 1) if name in PARTS else told(day, after)


def _part_of_now(said: TimePhrase, name: str, way: int, after: int) -> Period | None:
    if way == 0:
        return told(part_of(said.today, name), after)
    yesterday = said.today - timedelta(days=1)
    return told(part_of(yesterday, name), after) if (way, name) == (-1, "night") else None


def read_relative(said: TimePhrase, place: int, _bare: bool) -> Period | None:
    """ "Last month", "this morning", "next Tuesday", "the coming summer", "the week before last"."""
    is_double = said.word(place) == "this" and said.word(place + 1) in ("past", "coming", "upcoming", "last", "next")
    place += is_double
    way = WAYS.get(said.word(place))
    name, after = said.word(place + 1), place + 2
    if way is None:
        return _once_removed(said, place) or _the_weekend(said, place)
    if name in PARTS:
        return _part_of_now(said, name, way, after)
    if name in ("week", "month", "year"):
        # "The last week of June" counts from its end, and "this past year" is how long.
        is_other = said.word(after) == "of" or (is_double and said.word(place) == "past")
        return None if is_other else unit_away(said, Amount(1, name, after), way, after)
    if name == "weekend":
        return day_of_week(said, 5, way, after, days=2)
    if name in DAYS:
        return day_of_week(said, DAYS[name], way, after)
    return _relative_name(said, place, way)


def _once_removed(said: TimePhrase, place: int) -> Period | None:
    """ "The week before last", "the Friday after next"."""
    name = said.word(place)
    way = {("before", "last"): -2, ("after", "next"): 2}.get((said.word(place + 1), said.word(place + 2)))
    if way is None or said.word(place - 1) != "the":
        return None
    if name in ("week", "month", "year"):
        return unit_away(said, Amount(2, name, place + 3), way // 2, place + 3)
    if name not in DAYS and name != "weekend":
        return None
    days = 2 if name == "weekend" else 1
    near = weekday_from(said.today, DAYS.get(name, 5), way // 2, days=days)
    return told(near.moved(7 * (way // 2)), place + 3, Grain.DAY if days == 1 else Grain.WEEKEND)


def _the_weekend(said: TimePhrase, place: int) -> Period | None:
    """ "Went hiking over the weekend"; of now it is a habit."""
    is_one = said.word(place) == "weekend" and said.word(place - 1) == "the" and said.word(place + 1) != "of"
    if not is_one or said.tense is Tense.NOW or said.word(place - 2) not in ("on", "at", "over", "during"):
        return None
    return day_of_week(said, 5, 0, place + 1, days=2)


def _relative_name(said: TimePhrase, place: int, way: int) -> Period | None:
    name, after = said.word(place + 1), place + 2
    if name in MONTHS and not is_day(said.word(after)):
        found = chosen(said, lambda year: month_of(said.today, year, MONTHS[name]), way, after)
        grain = Grain.MONTH
    elif name in SEASONS:
        found = chosen(said, lambda year: season_of(said.today, year, SEASONS[name]), way, after)
        grain = Grain.SEASON
    else:
        feast = feast_at(said, place + 1)
        if feast is None:
            return None
        found = chosen(said, lambda year: date_of(said.today, year, *feast[0]), way, feast[1])
        grain, after = Grain.FEAST, feast[1]
    return None if found is None else found._replace(grain=grain, known=TimeReference.RELATIVE, name=(place + 1, after))


def read_ago(said: TimePhrase, place: int, _bare: bool) -> Period | None:
    amount = amount_at(said, place)
    if amount is None or said.word(place - 1) in ("half", "#"):
        return None
    after = amount.after + 1
    if said.word(amount.after) in ("ago", "earlier"):
        if said.word(after) == "today":
            day = shifted(said.today, -amount.number, amount.unit)
            return None if day is None else told(day_of(day), after + 1)
        return unit_away(said, amount, -1, after + (said.word(after) == "now"))
    ahead = said.word(amount.after) == "from" and said.word(after) in ("now", "today")
    return unit_away(said, amount, 1, after + 1) if ahead else None


def read_date(said: TimePhrase, place: int, _bare: bool) -> Period | None:
    """ "5 May", "May 5th, 2019", "May 5-7", "the 5th of May", "the 5th of next month", "2019-05-05"."""
    word = said.word(place)
    if word.count("-") == 2:
        year, month, day = (int(part) for part in word.split("-"))
        return fixed(date_of(said.today, year, month, day), place + 1)
    step = 1 if said.word(place + 1) != "of" else 2
    if is_day(word) and said.word(place + step) in MONTHS:
        return _dated(said, MONTHS[said.word(place + step)], day_number(word), place + step + 1)
    if is_day(word) and step == 2:
        return _day_of_month(said, day_number(word), place + 2)
    step = 1 if said.word(place + 1) != "the" else 2
    if word in MONTHS and is_day(said.word(place + step)):
        after = place + step + 1
        if said.word(after) in DASHES and is_day(said.word(after + 1)):
            after += 2
        return _dated(said, MONTHS[word], day_number(said.word(place + step)), after)
    return None


def _day_of_month(said: TimePhrase, day: int, place: int) -> Period | None:
    month = read_relative(said, place, False)
    if month is None or month.grain is not Grain.MONTH:
        return None
    found = date_of(said.today, month.start.year, month.start.month, day)
    return None if found is None else told(found, month.after)


def _dated(said: TimePhrase, month: int, day: int, after: int) -> Period | None:
    if is_year(said.word(after)):
        return fixed(date_of(said.today, int(said.word(after)), month, day), after + 1)
    return chosen(said, lambda year: date_of(said.today, year, month, day), None, after)


def read_month(said: TimePhrase, place: int, bare: bool) -> Period | None:
    word = said.word(place)
    if word not in MONTHS:
        return None
    year = place + 1 + (said.word(place + 1) == "of")
    if is_year(said.word(year)):
        return fixed(month_of(said.today, int(said.word(year)), MONTHS[word]), year + 1, Grain.MONTH)
    # Alone it may be a name, or what somebody may do.
    if not bare:
        return None
    return chosen(said, lambda each: month_of(said.today, each, MONTHS[word]), None, place + 1, Grain.MONTH)


def read_season(said: TimePhrase, place: int, bare: bool) -> Period | None:
    word = said.word(place)
    if word not in SEASONS:
        return None
    year = place + 1 + (said.word(place + 1) == "of")
    if is_year(said.word(year)):
        # "Winter 2026–27".
        is_double = said.word(year + 1) in DASHES and said.word(year + 2) == f"{(int(said.word(year)) + 1) % 100:02}"
        after = year + (3 if is_double else 1)
        return fixed(season_of(said.today, int(said.word(year)), SEASONS[word]), after, Grain.SEASON)
    # "Swims in the summer" is a habit.
    if not bare or said.tense is Tense.NOW:
        return None
    found = chosen(said, lambda each: season_of(said.today, each, SEASONS[word]), None, place + 1, Grain.SEASON)
    return None if found is None else found._replace(name=(place, place + 1))


def read_feast(said: TimePhrase, place: int, bare: bool) -> Period | None:
    feast = feast_at(said, place)
    if feast is None:
        return None
    day, after = feast
    if is_year(said.word(after)):
        return fixed(date_of(said.today, int(said.word(after)), *day), after + 1, Grain.FEAST)
    found = chosen(said, lambda year: date_of(said.today, year, *day), None, after, Grain.FEAST) if bare else None
    return None if found is None else found._replace(name=(place, after))


def read_weekday(said: TimePhrase, place: int, bare: bool) -> Period | None:
    """Also with its date: "Monday, the 5th of May". "On Monday mornings" is a habit."""
    word = said.word(place)
    if word not in DAYS or not bare or said.word(place + 1) in _HABITUAL:
        return None
    date = place + 1 + (said.word(place + 1) == "the")
    found = read_date(said, date, bare) if said.gap(place + 1) <= 2 else None
    if found is not None:
        return found
    is_behind = said.tense is Tense.PAST and not said.is_deadline(place)
    found = day_of_week(said, DAYS[word], -1 if is_behind else 1, place + 1)
    return found._replace(known=TimeReference.WEEKDAY)


NAMED: tuple[Reader, ...] = (read_date, read_month, read_season, read_feast, read_weekday)


def read_week_of(said: TimePhrase, place: int, bare: bool) -> Period | None:
    """ "The week of 9 November 2026", and the weekend."""
    word = said.word(place)
    if not bare or word not in ("week", "weekend") or said.word(place + 1) not in ("of", "beginning", "starting"):
        return None
    day = read_date(said, place + 2 + (said.word(place + 2) == "the"), bare)
    if day is None:
        return None
    span, grain = (week_of(day.start), Grain.WEEK) if word == "week" else (weekend_of(day.start), Grain.WEEKEND)
    return day._replace(start=span.start, end=span.end, grain=grain)


def read_year(said: TimePhrase, place: int, bare: bool) -> Period | None:
    word = said.word(place)
    if not bare or not is_year(word):
        return None
    return fixed(years_from(said.today, int(word), 1), place + 1, Grain.YEAR)


def read_decade(said: TimePhrase, place: int, bare: bool) -> Period | None:
    word = said.word(place)
    first = DECADES.get(word)
    if first is None and word.endswith("0s") and len(word) in (3, 5):
        first = int(word[:-1]) + (1900 if len(word) == 3 else 0)
    if first is None or not bare or not FIRST_YEAR <= first <= LAST_YEAR:
        return None
    return fixed(years_from(said.today, first, 10), place + 1, Grain.DECADE)
