"""Finds the periods that the words of a text name: "last month", "since March", "from 2010 to 2015".

In: the words, when they were said, and their tense. Out: the periods, in order and apart from each other. Each
word is looked at a fixed number of times. Start at `periods_in`.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta

from everlore.domain.calendar import (
    DAYS,
    DECADES,
    FEASTS,
    MONTHS,
    NUMBERS,
    PARTS,
    SEASONS,
    UNITS,
    DateSpan,
    date_of,
    day_of,
    is_kept,
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

_DASHES = ("-", "–", "—")
_HABITUAL = frozenset(f"{part}s" for part in PARTS)

# ── finding ──────────────────────────────────────────────────────────────────────────────────────

_NEVER = frozenset("every each".split())
_BESIDE = frozenset("before after than".split())
_AROUND = frozenset("in on at during around about by over of through throughout early mid late".split())
_FROM = frozenset("since from starting beginning".split())
_WAYS = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1, "upcoming": 1}
# No period begins with another word: most words of a text need no closer look.
_FIRST_WORDS = (
    _AROUND
    | _FROM
    | _WAYS.keys()
    | MONTHS.keys()
    | DAYS.keys()
    | SEASONS.keys()
    | NUMBERS.keys()
    | DECADES.keys()
    | {name[0] for name in FEASTS}
    | set("for the between as until till within few couple today yesterday tomorrow tonight day right".split())
)
# Every period has one of these, or a figure: most texts need no look at all.
_TIMES = (
    MONTHS.keys()
    | DAYS.keys()
    | SEASONS.keys()
    | DECADES.keys()
    | PARTS.keys()
    | UNITS
    | {f"{unit}s" for unit in UNITS}
    | {name[-1] for name in FEASTS}
    | set("now today yesterday tomorrow tonight weekend".split())
)


def periods_in(said: TimePhrase, *, beside: bool = False) -> Iterator[Period]:
    """`beside`: also those that only bound what is told, as in "before last year"."""
    if not any(token.word in _TIMES or token.word[0].isdigit() for token in said.tokens):
        return
    place, last = 0, None
    against = _NEVER if beside else _NEVER | _BESIDE
    while place < len(said.tokens):
        word = said.word(place)
        may_begin = (word in _FIRST_WORDS or word[0].isdigit()) and said.word(place - 1) not in against
        found = _period(said, place) if may_begin else _another(said, place, last)
        if found is not None and is_kept(found.start) and is_kept(found.end or found.start):
            last = _after_another(said, found, last)
            yield last
            place = found.after
        else:
            place += 1


def _another(said: TimePhrase, place: int, last: Period | None) -> Period | None:
    """ "On Monday and Tuesday", "in May or June": also the second."""
    if last is None or last.after != place or said.word(place) not in ("and", "or") or said.tense is Tense.NOW:
        return None
    found = _point(said, place + 1, bare=True) if last.known in (TimeReference.OPEN, TimeReference.WEEKDAY) else None
    is_alike = found is not None and (found.known, found.grain) == (last.known, last.grain)
    return found._replace(first=place) if found is not None and is_alike else None


def _after_another(said: TimePhrase, found: Period, last: Period | None) -> Period:
    """ "Last year, in March": that March."""
    if last is None or last.after != found.first or said.gap(found.first) > 2 or found.points:
        return found
    inner = _inside(said, last, found.core) if last.known is TimeReference.RELATIVE else None
    return found if inner is None else inner._replace(first=found.first)


def _period(said: TimePhrase, place: int) -> Period | None:
    for reader in (_lasting, _between, _since, _until, _ahead, _around, _point):
        found = reader(said, place)
        if found is not None:
            return found._replace(first=place)
    return None


def _lasting(said: TimePhrase, place: int) -> Period | None:
    """ "For three years", "for the past two months", "over the last year": until now."""
    words = [said.word(place + step) for step in range(3)]
    step = 1 if words[0] in ("for", "in", "over", "during") else 0
    step += words[step] == "the"
    is_back = said.word(place + step) in ("past", "last")
    amount = amount_at(said, place + step + is_back, bare=is_back)
    if amount is None or not (is_back or _is_still(said, words[0])):
        return None
    # That is the year of the calendar before this one; or the last year of something else.
    if (words[0] == "last" and amount.number == 1) or said.word(amount.after) == "of":
        return None
    start = shifted(said.today, -amount.number, amount.unit)
    return None if start is None else Period(start, None, amount.after, known=TimeReference.LASTING)


def _is_still(said: TimePhrase, word: str) -> bool:
    return word == "for" and any(token.word in ("has", "have", "been", "i've", "we've") for token in said.tokens)


def _between(said: TimePhrase, place: int) -> Period | None:
    """ "From 2010 to 2015", "between March and May", "2010-2015"."""
    opener = said.word(place)
    joints = {"from": ("to", "until", "till", *_DASHES), "between": ("and",)}.get(opener, _DASHES)
    begin = place + (opener in ("from", "between"))
    first = _point(said, begin, bare=True)
    if first is None or said.word(first.after) not in joints:
        return None
    last = _point(said, first.after + 1, bare=True)
    if last is not None and last.start < first.start:
        # "Between March and May 2020": the year of the second is that of the first.
        first = _point(TimePhrase(said.tokens, last.start, Tense.PAST), begin, bare=True)
    if first is None or last is None or last.end is None or last.end <= first.start:
        return None
    return Period(first.start, last.end, last.after, points=(first, last))


def _since(said: TimePhrase, place: int) -> Period | None:
    word = said.word(place)
    as_of = word == "as" and said.word(place + 1) == "of"
    if word not in _FROM and not as_of:
        return None
    begun = said if word in ("starting", "beginning", "from") else said.in_the(Tense.PAST)
    found = _point(begun, _behind_article(said, place + (2 if as_of else 1)), bare=True)
    return None if found is None else found._replace(end=None)


def _until(said: TimePhrase, place: int) -> Period | None:
    if said.word(place) not in ("until", "till"):
        return None
    found = _point(said.in_the(Tense.FUTURE), _behind_article(said, place + 1), bare=True)
    if found is None or found.start <= said.at:
        return found
    return Period(said.at, found.start, found.after, points=(found,))


def _ahead(said: TimePhrase, place: int) -> Period | None:
    """ "In two weeks"; but "learned it in two weeks" is how long it took."""
    if said.word(place) not in ("in", "within") or said.tense is Tense.PAST:
        return None
    is_vague = said.word(place + 1) in ("about", "around", "roughly")
    amount = amount_at(said, place + 1 + is_vague)
    found = None if amount is None else unit_away(said, amount, 1, amount.after)
    return None if found is None else found._replace(core=place, is_vague=found.is_vague or is_vague)


def _around(said: TimePhrase, place: int) -> Period | None:
    """ "In 2019", "on Monday", "by the end of March": the small words tell that a bare name is a time."""
    step = 0
    while step < 3 and said.word(place + step) in _AROUND | {"the", "-"}:
        step += 1
    if step == 0 or said.word(place) == "-":
        return None
    return _point(said, place + step, bare=True)


def _behind_article(said: TimePhrase, place: int) -> int:
    while said.word(place) in ("the", "early", "mid", "late", "-"):
        place += 1
    return place


Reader = Callable[[TimePhrase, int, bool], Period | None]


def _point(said: TimePhrase, place: int, *, bare: bool = False) -> Period | None:
    """`bare`: a small word before it shows that a lone name or number is a time."""
    found = _first_of((_day_word, _relative, _ago, *_NAMED, _week_of, _year, _decade), said, place, bare)
    if found is None:
        return None
    found = found._replace(core=place)
    return _narrowed(said, found) or found


def _first_of(readers: tuple[Reader, ...], said: TimePhrase, place: int, bare: bool) -> Period | None:
    for reader in readers:
        found = reader(said, place, bare)
        if found is not None:
            return found
    return None


# ── one within another ───────────────────────────────────────────────────────────────────────────


def _narrowed(said: TimePhrase, found: Period) -> Period | None:
    """ "March of last year", "last week on Monday": the finer one, in the wider one."""
    if found.known in (TimeReference.OPEN, TimeReference.WEEKDAY):
        step = found.after + (said.word(found.after) in ("of", "in"))
        wider = _first_of((_relative, _ago), said, step, False)
        inner = _inside(said, wider, found.core) if wider and _is_joined(said, found.after, step) else None
        return None if wider is None or inner is None else inner._replace(after=wider.after)
    if found.known is not TimeReference.RELATIVE:
        return None
    step = found.after + (said.word(found.after) in ("in", "on", "at"))
    step += said.word(step) == "the"
    inner = _inside(said, found, step) if _is_joined(said, found.after, step) else None
    return None if inner is None else inner._replace(core=found.core)


def _is_joined(said: TimePhrase, first: int, last: int) -> bool:
    return all(said.gap(place) == 1 for place in range(first, last + 1))


def _inside(said: TimePhrase, wider: Period, place: int) -> Period | None:
    if wider.grain not in (Grain.WEEK, Grain.YEAR) or wider.end is None:
        return None
    before = TimePhrase(said.tokens, wider.start - timedelta(seconds=1), Tense.FUTURE)
    found = _first_of(_NAMED, before, place, True)
    if found is None or found.known not in (TimeReference.OPEN, TimeReference.WEEKDAY) or found.start >= wider.end:
        return None
    if (found.known is TimeReference.WEEKDAY) != (wider.grain is Grain.WEEK):
        return None
    return found._replace(core=place, known=TimeReference.RELATIVE)


# ── the kinds of periods ─────────────────────────────────────────────────────────────────────────


def _day_word(said: TimePhrase, place: int, bare: bool) -> Period | None:
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
    return bare and said.word(place) == "now" and said.word(place - 1) in _FROM | {"of", "until", "till"}


def _part_or_day(said: TimePhrase, day: DateSpan, after: int) -> Period:
    name = said.word(after)
    return told(part_of(day.start, name), after + 1) if name in PARTS else told(day, after)


def _part_of_now(said: TimePhrase, name: str, way: int, after: int) -> Period | None:
    if way == 0:
        return told(part_of(said.today, name), after)
    yesterday = said.today - timedelta(days=1)
    return told(part_of(yesterday, name), after) if (way, name) == (-1, "night") else None


def _relative(said: TimePhrase, place: int, _bare: bool) -> Period | None:
    """ "Last month", "this morning", "next Tuesday", "the coming summer", "the week before last"."""
    is_double = said.word(place) == "this" and said.word(place + 1) in ("past", "coming", "upcoming", "last", "next")
    place += is_double
    way = _WAYS.get(said.word(place))
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


def _ago(said: TimePhrase, place: int, _bare: bool) -> Period | None:
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


def _date(said: TimePhrase, place: int, _bare: bool) -> Period | None:
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
        if said.word(after) in _DASHES and is_day(said.word(after + 1)):
            after += 2
        return _dated(said, MONTHS[word], day_number(said.word(place + step)), after)
    return None


def _day_of_month(said: TimePhrase, day: int, place: int) -> Period | None:
    month = _relative(said, place, False)
    if month is None or month.grain is not Grain.MONTH:
        return None
    found = date_of(said.today, month.start.year, month.start.month, day)
    return None if found is None else told(found, month.after)


def _dated(said: TimePhrase, month: int, day: int, after: int) -> Period | None:
    if is_year(said.word(after)):
        return fixed(date_of(said.today, int(said.word(after)), month, day), after + 1)
    return chosen(said, lambda year: date_of(said.today, year, month, day), None, after)


def _month(said: TimePhrase, place: int, bare: bool) -> Period | None:
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


def _season(said: TimePhrase, place: int, bare: bool) -> Period | None:
    word = said.word(place)
    if word not in SEASONS:
        return None
    year = place + 1 + (said.word(place + 1) == "of")
    if is_year(said.word(year)):
        # "Winter 2026–27".
        is_double = said.word(year + 1) in _DASHES and said.word(year + 2) == f"{(int(said.word(year)) + 1) % 100:02}"
        after = year + (3 if is_double else 1)
        return fixed(season_of(said.today, int(said.word(year)), SEASONS[word]), after, Grain.SEASON)
    # "Swims in the summer" is a habit.
    if not bare or said.tense is Tense.NOW:
        return None
    found = chosen(said, lambda each: season_of(said.today, each, SEASONS[word]), None, place + 1, Grain.SEASON)
    return None if found is None else found._replace(name=(place, place + 1))


def _feast(said: TimePhrase, place: int, bare: bool) -> Period | None:
    feast = feast_at(said, place)
    if feast is None:
        return None
    day, after = feast
    if is_year(said.word(after)):
        return fixed(date_of(said.today, int(said.word(after)), *day), after + 1, Grain.FEAST)
    found = chosen(said, lambda year: date_of(said.today, year, *day), None, after, Grain.FEAST) if bare else None
    return None if found is None else found._replace(name=(place, after))


def _weekday(said: TimePhrase, place: int, bare: bool) -> Period | None:
    """Also with its date: "Monday, the 5th of May". "On Monday mornings" is a habit."""
    word = said.word(place)
    if word not in DAYS or not bare or said.word(place + 1) in _HABITUAL:
        return None
    date = place + 1 + (said.word(place + 1) == "the")
    found = _date(said, date, bare) if said.gap(place + 1) <= 2 else None
    if found is not None:
        return found
    is_behind = said.tense is Tense.PAST and not said.is_deadline(place)
    found = day_of_week(said, DAYS[word], -1 if is_behind else 1, place + 1)
    return found._replace(known=TimeReference.WEEKDAY)


_NAMED: tuple[Reader, ...] = (_date, _month, _season, _feast, _weekday)


def _week_of(said: TimePhrase, place: int, bare: bool) -> Period | None:
    """ "The week of 9 November 2026", and the weekend."""
    word = said.word(place)
    if not bare or word not in ("week", "weekend") or said.word(place + 1) not in ("of", "beginning", "starting"):
        return None
    day = _date(said, place + 2 + (said.word(place + 2) == "the"), bare)
    if day is None:
        return None
    span, grain = (week_of(day.start), Grain.WEEK) if word == "week" else (weekend_of(day.start), Grain.WEEKEND)
    return day._replace(start=span.start, end=span.end, grain=grain)


def _year(said: TimePhrase, place: int, bare: bool) -> Period | None:
    word = said.word(place)
    if not bare or not is_year(word):
        return None
    return fixed(years_from(said.today, int(word), 1), place + 1, Grain.YEAR)


def _decade(said: TimePhrase, place: int, bare: bool) -> Period | None:
    word = said.word(place)
    first = DECADES.get(word)
    if first is None and word.endswith("0s") and len(word) in (3, 5):
        first = int(word[:-1]) + (1900 if len(word) == 3 else 0)
    if first is None or not bare or not FIRST_YEAR <= first <= LAST_YEAR:
        return None
    return fixed(years_from(said.today, first, 10), place + 1, Grain.DECADE)
