"""Two readings of the same respect beside each other: whether both can be true. Pure. Start at `compared`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from everlore.campaign.canon.respects import RespectReading
from everlore.campaign.canon.things import CanonThing, is_other, is_same
from everlore.campaign.canon.vocabulary import lines_of
from everlore.domain.words import words_of

SURE, LIKELY, MAYBE = 0.9, 0.75, 0.6


@dataclass(frozen=True, slots=True)
class Contradiction:
    """`reason`: for a reader; `confidence`: how surely."""

    reason: str
    confidence: float


def compared(one: RespectReading, other: RespectReading) -> Contradiction | None:
    if (one.kind, one.respect) != (other.kind, other.respect) or (one.denied and other.denied):
        return None
    return _denied(one, other) if one.denied != other.denied else _COMPARED[one.kind](one, other)


def _denied(one: RespectReading, other: RespectReading) -> Contradiction | None:
    if one.kind == "who" and (one.what.is_nobody or other.what.is_nobody):
        if not is_same(one.of, other.of):
            return None
        who = other.what if one.what.is_nobody else one.what
        return Contradiction(f"{_respect(one)} {name_of(one.of)}: {name_of(who)} or nobody", SURE)
    if not is_same_reading(one, other, any_sign=True):
        return None
    return Contradiction(f"one says what the other denies of {name_of(one.of)}", SURE)


def is_same_reading(one: RespectReading, other: RespectReading, *, any_sign: bool = False) -> bool:
    if (one.kind, one.respect) != (other.kind, other.respect) or not is_same(one.of, other.of):
        return False
    if not any_sign and one.denied != other.denied:
        return False
    is_valued = one.values == other.values and one.amount == other.amount
    return is_valued and (one.what == one.of or is_same(one.what, other.what))


def _who(one: RespectReading, other: RespectReading) -> Contradiction | None:
    if not is_same(one.of, other.of) or not is_other(one.what, other.what):
        return None
    reason = f"{_respect(one)} {name_of(one.of)}: {name_of(one.what)} or {name_of(other.what)}"
    return Contradiction(reason, SURE if one.what.names and other.what.names else MAYBE)


def _where(one: RespectReading, other: RespectReading) -> Contradiction | None:
    if not is_same(one.of, other.of):
        return None
    reason = f"where {name_of(one.of)} is: {one.respect} {name_of(one.what)} or {other.respect} {name_of(other.what)}"
    if one.values and other.values and one.values.isdisjoint(other.values):
        return Contradiction(reason, SURE)
    rooms = [
        {lines_of("rooms").get(each) for each in words_of(thing.text)} - {None} for thing in (one.what, other.what)
    ]
    if all(rooms) and rooms[0].isdisjoint(rooms[1]) and one.is_sure:
        return Contradiction(reason, LIKELY)
    if not (one.is_sure and other.is_sure and one.what.names and other.what.names):
        return None
    return Contradiction(reason, LIKELY) if is_other(one.what, other.what) else None


def _class(one: RespectReading, other: RespectReading) -> Contradiction | None:
    if not is_same(one.of, other.of):
        return None
    lines = lines_of(one.respect)
    first, second = ({lines[each] for each in reading.values} for reading in (one, other))
    if one.respect == "materials" and not first.isdisjoint(second):
        # Granite is stone, and no marble.
        is_kind = any(_is_general(each) for each in (*one.values, *other.values))
        if is_kind or not one.values.isdisjoint(other.values) or _are_forms(one.values, other.values):
            return None
    elif not first.isdisjoint(second):
        return None
    reason = f"{one.respect.removesuffix('s')} of {name_of(one.of)}: {_listed(one)} or {_listed(other)}"
    return Contradiction(reason, SURE)


def _is_general(word: str) -> bool:
    return word in ("wood", "wooden", "timber", "stone", "metal", "cloth")


def _are_forms(one: frozenset[str], other: frozenset[str]) -> bool:
    """Gold and golden."""
    return any(a.startswith(b) or b.startswith(a) for a in one for b in other)


def _number(one: RespectReading, other: RespectReading) -> Contradiction | None:
    if not is_same(one.of, other.of) or one.amount < 0 or other.amount < 0:
        return None
    if not (one.is_sure and other.is_sure):
        return _at_least(one, other)
    if one.values and other.values and one.values.isdisjoint(other.values):
        # "Three older brothers, two younger ones": counted apart.
        return None
    if one.what.names and other.what.names and one.what.names.isdisjoint(other.what.names) and one.what != one.of:
        return None
    if one.respect == "age" and one.amount <= other.amount <= one.amount + 2:
        return None
    if abs(one.amount - other.amount) <= (0.1 * one.amount if " long " in f" {one.respect}" else 0):
        return None
    what = "age" if one.respect == "age" else "number" if one.respect == "there" else one.respect.split()[-1]
    return Contradiction(f"{what} of {name_of(one.of)}: {_figure(one.amount)} or {_figure(other.amount)}", SURE)


def _at_least(one: RespectReading, other: RespectReading) -> Contradiction | None:
    """Three sons are three children at least."""
    least, exact = (one, other) if other.is_sure else (other, one)
    if not exact.is_sure or exact.amount >= least.amount or exact.values or least.values:
        return None
    figures = f"{_figure(exact.amount)} or at least {_figure(least.amount)}"
    return Contradiction(f"{one.respect} of {name_of(one.of)}: {figures}", SURE)


def _kin(one: RespectReading, other: RespectReading) -> Contradiction | None:
    """Of the same two: a sister is no mother."""
    if not (is_same(one.of, other.of) and is_same(one.what, other.what)) or one.values & other.values:
        return None
    if one.values | other.values in ({"brother", "twin"}, {"sister", "twin"}):
        return None
    return Contradiction(f"what {name_of(one.what)} is to {name_of(one.of)}: {_listed(one)} or {_listed(other)}", SURE)


def _when(one: RespectReading, other: RespectReading) -> Contradiction | None:
    if not is_same(one.of, other.of):
        return None
    if one.values:
        is_apart = bool(other.values) and one.values != other.values and bool(one.what.stems & other.what.stems)
        return (
            Contradiction(f"when it was: {_listed(one)} or {_listed(other)} {name_of(one.what)}", SURE)
            if is_apart
            else None
        )
    less, more = sorted((one.amount, other.amount))
    if one.respect.startswith("year "):
        years = f"{_figure(one.amount)} or {_figure(other.amount)}"
        return Contradiction(f"in which year: {years}", SURE) if less != more else None
    if less < 0 or other.values or more <= 2 * less:
        return None
    return Contradiction(f"how long ago: {_figure(one.amount)} or {_figure(other.amount)} days", SURE)


_COMPARED: Mapping[str, Callable[[RespectReading, RespectReading], Contradiction | None]] = {
    "who": _who,
    "where": _where,
    "class": _class,
    "number": _number,
    "kin": _kin,
    "when": _when,
}


# ── words ────────────────────────────────────────────────────────────────────────────────────────


def name_of(thing: CanonThing) -> str:
    return thing.text or "it"


def _listed(reading: RespectReading) -> str:
    return " and ".join(sorted(reading.values))


def _figure(amount: float) -> str:
    return f"{amount:g}"


def _respect(reading: RespectReading) -> str:
    if reading.respect.startswith("role "):
        return f"{reading.respect.removeprefix('role ')} of"
    return f"who {reading.respect}s"
