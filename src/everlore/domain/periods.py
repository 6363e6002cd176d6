"""Finds the periods that the words of a text name: "last month", "since March", "from 2010 to 2015".

In: the words, when they were said, and their tense. Out: the periods, in order and apart from each other. Each
word is looked at a fixed number of times. Start at `periods_in`.
"""

from collections.abc import Iterator
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
    is_kept,
    shifted,
)
from everlore.domain.period_kinds import (
    DASHES,
    FROM,
    NAMED,
    WAYS,
    first_of,
    read_ago,
    read_day_word,
    read_decade,
    read_relative,
    read_week_of,
    read_year,
)
from everlore.domain.reckoning import (
    amount_at,
    unit_away,
)
from everlore.domain.spoken import Grain, Period, TimePhrase, TimeReference
from everlore.language.tense import Tense

# ── finding ──────────────────────────────────────────────────────────────────────────────────────

_NEVER = frozenset("every each".split())
_BESIDE = frozenset("before after than".split())
_AROUND = frozenset("in on at during around about by over of through throughout early mid late".split())
# No period begins with another word: most words of a text need no closer look.
_FIRST_WORDS = (
    _AROUND
    | FROM
    | WAYS.keys()
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
    joints = {"from": ("to", "until", "till", *DASHES), "between": ("and",)}.get(opener, DASHES)
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
    if word not in FROM and not as_of:
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


def _point(said: TimePhrase, place: int, *, bare: bool = False) -> Period | None:
    """`bare`: a small word before it shows that a lone name or number is a time."""
    found = first_of(
        (read_day_word, read_relative, read_ago, *NAMED, read_week_of, read_year, read_decade), said, place, bare
    )
    if found is None:
        return None
    found = found._replace(core=place)
    return _narrowed(said, found) or found


# ── one within another ───────────────────────────────────────────────────────────────────────────


def _narrowed(said: TimePhrase, found: Period) -> Period | None:
    """ "March of last year", "last week on Monday": the finer one, in the wider one."""
    if found.known in (TimeReference.OPEN, TimeReference.WEEKDAY):
        step = found.after + (said.word(found.after) in ("of", "in"))
        wider = first_of((read_relative, read_ago), said, step, False)
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
    found = first_of(NAMED, before, place, True)
    if found is None or found.known not in (TimeReference.OPEN, TimeReference.WEEKDAY) or found.start >= wider.end:
        return None
    if (found.known is TimeReference.WEEKDAY) != (wider.grain is Grain.WEEK):
        return None
    return found._replace(core=place, known=TimeReference.RELATIVE)


# ── the kinds of periods ─────────────────────────────────────────────────────────────────────────
