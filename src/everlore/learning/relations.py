"""Compares two claim frames. Pure, and careful: unless they clearly conflict they are unrelated.

Start at `relation`. `new` is the new statement, `old` the known one; the order matters: "no longer likes coffee" ends
"likes iced coffee", but "no longer likes iced coffee" does not end "likes coffee".
"""

from enum import Enum, auto

from everlore.domain.claim import Slot
from everlore.domain.words import terms_of
from everlore.language.lists import phrases_listed
from everlore.language.tense import Tense
from everlore.learning.claims import SINGLE_ON_CHANGE, VERBAL, ClaimFrame, is_single, stems


class Relation(Enum):
    SAME = auto()
    # The new one says more than the old one, or less.
    FINER = auto()
    COARSER = auto()
    OPPOSED = auto()
    # Ends an unnamed fact of that kind: "quit their job".
    OPPOSED_IF_ALONE = auto()
    # Same person and slot, but both can be true.
    BESIDE = auto()
    APART = auto()


_LIKING = frozenset({Slot.LIKE, Slot.DISLIKE})
_AHEAD = frozenset({Slot.GOAL, Slot.PLAN})
_BEING = frozenset({Slot.OCCUPATION, Slot.BEING})
_WORK = frozenset({Slot.OCCUPATION, Slot.EMPLOYER})
_COUPLE = frozenset({Slot.PARTNER, Slot.RELATIONSHIP_STATUS})
_GROUPS = (_LIKING, _AHEAD, _BEING, _COUPLE, frozenset({Slot.EMPLOYER, Slot.WORKPLACE}))
# Slots with names: the longer name is the finer one, whatever its last word is.
_NAMES = frozenset({Slot.NAME, Slot.HOME, Slot.FAMILY, Slot.PET, Slot.PARTNER})


# Groups of slots whose claims may end or repeat each other.
_RESPECTS = {
    slot: min(group) for group in (_LIKING, _AHEAD, _BEING | _WORK | {Slot.WORKPLACE}, _COUPLE) for slot in group
}


def respect_of(frame: ClaimFrame) -> str:
    """The group of a frame's slot: frames of different groups do not affect each other."""
    return _RESPECTS.get(frame.slot, frame.slot).value


def relation(new: ClaimFrame, old: ClaimFrame) -> Relation:
    if new.subject != old.subject:
        return Relation.APART
    if {new.slot, old.slot} <= _COUPLE:
        return _of_couple(new, old)
    if _is_work_again(new, old):
        return Relation.OPPOSED
    if _is_vague_end(new) and old.polarity and _is_now(old) and _in_same_respect(new, old, vague=True):
        return Relation.OPPOSED_IF_ALONE
    if not _in_same_respect(new, old):
        return Relation.APART
    if _sign(new) != _sign(old):
        return Relation.OPPOSED if _undoes(new, old) else Relation.BESIDE
    if _is_now(new) != _is_now(old) or (new.tense is not old.tense and Tense.FUTURE in (new.tense, old.tense)):
        return Relation.BESIDE
    return _of_one_sign(new, old)


def _of_one_sign(new: ClaimFrame, old: ClaimFrame) -> Relation:
    if new.value == old.value:
        return _by_detail(new, old)
    if _sign(new) > 0 and _refines(new, old):
        return Relation.FINER if old.detail <= new.detail else Relation.BESIDE
    if _sign(new) > 0 and _refines(old, new):
        return Relation.COARSER if new.detail <= old.detail else Relation.BESIDE
    return Relation.OPPOSED if _replaces(new, old) else Relation.BESIDE


def _by_detail(new: ClaimFrame, old: ClaimFrame) -> Relation:
    if new.detail == old.detail:
        return Relation.SAME
    if old.detail < new.detail:
        return Relation.FINER
    return Relation.COARSER if new.detail < old.detail else Relation.BESIDE


def _refines(one: ClaimFrame, other: ClaimFrame) -> bool:
    """ "Weekend hiking trips" refine hiking; but "coffee cake" does not refine coffee, nor "runs a bakery" running."""
    if one.slot in VERBAL or one.slot in (Slot.AGE, Slot.FAMILY_SIZE):
        return False
    return other.value < one.value and (one.slot in _NAMES or one.head == other.head or one.is_list)


def _replaces(new: ClaimFrame, old: ClaimFrame) -> bool:
    """Whether only one of the two values can hold now."""
    if _sign(new) < 0 or not _is_now(new) or new.is_list or old.is_list or not new.value or not old.value:
        return False
    if new.slot in SINGLE_ON_CHANGE and old.slot is new.slot:
        return new.is_change
    # "Lives in Norway" and "lives in Oslo" can both be true.
    if new.slot is Slot.HOME and not new.is_change and width(new.value) != width(old.value):
        return False
    return is_single(new)


def _undoes(new: ClaimFrame, old: ClaimFrame) -> bool:
    """Whether only one of two statements of opposite sign can hold now."""
    # A qualified denial leaves the rest true: "no coffee in the evening".
    if not (_is_now(new) and _is_now(old)) or not (new.detail - new.value) <= old.detail:
        return False
    if _sign(new) > 0:
        # And "likes coffee" says nothing about coffee in the evening.
        return new.value == old.value and (old.detail - old.value) <= new.detail
    if new.value == old.value:
        return True
    if new.is_list and old.value < new.value:
        return True
    is_narrower = new.value < old.value and not old.is_list
    return is_narrower and new.head == old.head and (new.slot in _AHEAD or new.slot not in VERBAL)


def _sign(frame: ClaimFrame) -> int:
    """1: holds, -1: does not, 0: neither: "no longer hates it" is neither liking nor disliking."""
    if frame.slot is Slot.DISLIKE:
        return -1 if frame.polarity else 0
    return 1 if frame.polarity else -1


def _is_now(frame: ClaimFrame) -> bool:
    """Whether it says something about the present: "used to" does, a plain past does not."""
    return frame.tense is not Tense.PAST or frame.is_change


def _in_same_respect(new: ClaimFrame, old: ClaimFrame, *, vague: bool = False) -> bool:
    if vague and {new.slot, old.slot} <= _WORK:
        return True
    together = new.slot is old.slot or any({new.slot, old.slot} <= group for group in _GROUPS)
    return together and new.topic == old.topic


def _is_vague_end(frame: ClaimFrame) -> bool:
    return not frame.value and not frame.polarity and frame.is_change


def _is_work_again(new: ClaimFrame, old: ClaimFrame) -> bool:
    works = new.slot in _WORK and new.polarity and _is_now(new)
    # A job lost in 2012 is a past event, whatever came after.
    return works and bool(new.value) and old.slot in _WORK and _is_vague_end(old) and not old.is_dated


# ── couples ──────────────────────────────────────────────────────────────────────────────────────

_TOGETHER, _MARRIED, _SINGLE = stems("together"), stems("married"), stems("single")
_FORMERLY = stems("divorced widowed separated")


def _of_couple(new: ClaimFrame, old: ClaimFrame) -> Relation:
    """Compares partners and forms of relationship: someone with a wife is married, singles have no partner."""
    if not (_is_now(new) and _is_now(old)):
        same = (new.slot, new.value, new.polarity, new.tense) == (old.slot, old.value, old.polarity, old.tense)
        return Relation.SAME if same else Relation.BESIDE
    one, other = _status(new), _status(old)
    are_partners = new.slot is old.slot is Slot.PARTNER
    if not old.polarity or not new.polarity:
        is_end = new.polarity is not old.polarity and not other <= _FORMERLY | _SINGLE
        if are_partners:
            is_end = new.polarity is not old.polarity and (not new.value or not old.value or new.value == old.value)
        return Relation.OPPOSED if is_end else Relation.BESIDE
    if are_partners and not (new.value <= old.value or old.value <= new.value):
        return Relation.BESIDE if new.is_list or old.is_list else Relation.OPPOSED
    if one == other or (are_partners and not (one and other)):
        return _by_detail(new, old) if new.slot is old.slot else _by_name(new)
    if are_partners and _TOGETHER in (one, other):
        # Married people are also together.
        return Relation.COARSER if one == _TOGETHER else Relation.FINER
    return Relation.OPPOSED if _excludes(new, old) else Relation.BESIDE


def _by_name(new: ClaimFrame) -> Relation:
    return Relation.FINER if new.slot is Slot.PARTNER else Relation.COARSER


def _status(frame: ClaimFrame) -> frozenset[str]:
    return frame.value if frame.slot is Slot.RELATIONSHIP_STATUS else stems(frame.topic)


def _excludes(new: ClaimFrame, old: ClaimFrame) -> bool:
    """Whether both cannot be true: singles have no partner, the divorced no spouse; and only one of dating, engaged and
    married holds."""
    pair = (_status(new), _status(old))
    if any(each <= _FORMERLY and each for each in pair):
        return _MARRIED in pair
    return new.slot is old.slot or _SINGLE in pair or (new.slot is Slot.PARTNER and pair[0] == _MARRIED)


# ── places ───────────────────────────────────────────────────────────────────────────────────────

_WIDE = (
    phrases_listed("places.regions"),
    phrases_listed("places.countries"),
    phrases_listed("places.continents"),
)
# The width of each place by the stems of its name; the wider one if a name is ambiguous.
_WIDTHS = {frozenset(terms_of(" ".join(name))): width for width, names in enumerate(_WIDE, 1) for name in names}


def width(stems: frozenset[str]) -> int:
    """0 for a town or an unknown name; then regions and states, countries, continents. A wider place may contain the
    other one, so "lives in Norway" and "lives in Oslo" can both be true."""
    return _WIDTHS.get(stems, 0)
