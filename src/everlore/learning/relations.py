"""How two frames stand to each other. Pure, and careful: what is not plainly opposed is apart.

Start at `relation`. `new` is what is being said, `old` what is known: they are not interchangeable, for "no longer
likes coffee" ends "likes iced coffee", and "no longer likes iced coffee" does not end "likes coffee".
"""

from enum import Enum, auto

from everlore.domain.claim import Slot
from everlore.domain.words import terms_of
from everlore.language.lists import phrases_listed
from everlore.language.tense import Tense
from everlore.learning.claims import SINGLE_ON_CHANGE, VERBAL, ClaimFrame, is_single, stems


class Relation(Enum):
    SAME = auto()
    # The new one says all that the old one says, and more; or the other way round.
    FINER = auto()
    COARSER = auto()
    OPPOSED = auto()
    # Something of that kind is over, without a word on which: "quit their job".
    OPPOSED_IF_ALONE = auto()
    # Of the same person, in the same respect, and both can be true.
    BESIDE = auto()
    APART = auto()


_LIKING = frozenset({Slot.LIKE, Slot.DISLIKE})
_AHEAD = frozenset({Slot.GOAL, Slot.PLAN})
_BEING = frozenset({Slot.OCCUPATION, Slot.BEING})
_WORK = frozenset({Slot.OCCUPATION, Slot.EMPLOYER})
_PLACES_OF_WORK = frozenset({Slot.EMPLOYER, Slot.WORKPLACE})
_COUPLE = frozenset({Slot.PARTNER, Slot.RELATIONSHIP_STATUS})
_FAMILY = frozenset({Slot.FAMILY, Slot.FAMILY_SIZE})
_GROUPS = (_LIKING, _AHEAD, _BEING, _COUPLE)
# Names of one thing: the longer one is the finer one, whatever its last word is.
_NAMES = frozenset({Slot.NAME, Slot.HOME, Slot.FAMILY, Slot.PET, Slot.PARTNER})


# Whatever may end or repeat the other, whichever of the two is said: what somebody learns is what they can.
_RESPECTS = {
    slot: min(group)
    for group in (
        _LIKING,
        _AHEAD,
        _BEING | _WORK | {Slot.WORKPLACE},
        _COUPLE,
        _FAMILY,
        {Slot.STUDY, Slot.SKILL, Slot.LANGUAGE},
    )
    for slot in group
}


def respect_of(frame: ClaimFrame) -> str:
    """Two frames of different respects say nothing of each other."""
    return _RESPECTS.get(frame.slot, frame.slot).value


def relation(new: ClaimFrame, old: ClaimFrame) -> Relation:
    if new.subject != old.subject:
        return Relation.APART
    if {new.slot, old.slot} <= _COUPLE:
        return _of_couple(new, old)
    if {new.slot, old.slot} == _FAMILY:
        return _of_how_many(new, old)
    if {new.slot, old.slot} == _PLACES_OF_WORK and new.value == old.value and _sign(new) == _sign(old):
        return _by_detail(new, old) if _is_now(new) == _is_now(old) else Relation.BESIDE
    if _is_learnt(new, old) or _is_work_again(new, old):
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
    """ "Weekend hiking trips" are hiking; but "coffee cake" is no coffee, and "runs a bakery" no running."""
    if one.slot in VERBAL or one.slot in (Slot.AGE, Slot.FAMILY_SIZE):
        return False
    return other.value < one.value and (one.slot in _NAMES or one.head == other.head or one.is_list)


def _replaces(new: ClaimFrame, old: ClaimFrame) -> bool:
    """Whether only one of two values can hold now."""
    if _sign(new) < 0 or not _is_now(new) or new.is_list or old.is_list or not new.value or not old.value:
        return False
    if new.slot in SINGLE_ON_CHANGE and old.slot is new.slot:
        return new.is_change
    # "Lives in Norway" and "lives in Oslo" can both be true.
    if new.slot is Slot.HOME and not new.is_change and width(new.value) != width(old.value):
        return False
    return is_single(new)


def _undoes(new: ClaimFrame, old: ClaimFrame) -> bool:
    """Whether of two statements of opposite sign only one can hold now."""
    # A qualified one leaves the rest as it was: "no coffee in the evening".
    if not (_is_now(new) and _is_now(old)) or not (new.detail - new.value) <= old.detail:
        return False
    if _sign(new) > 0:
        # Nor does "likes coffee" say anything of coffee in the evening.
        return new.value == old.value and (old.detail - old.value) <= new.detail
    if new.value == old.value:
        return True
    if new.is_list and old.value < new.value:
        return True
    is_narrower = new.value < old.value and not old.is_list
    return is_narrower and new.head == old.head and (new.slot in _AHEAD or new.slot not in VERBAL)


def _sign(frame: ClaimFrame) -> int:
    """1: holds, -1: does not. "No longer hates it" is neither liking nor disliking."""
    if frame.slot is Slot.DISLIKE:
        return -1 if frame.polarity else 0
    return 1 if frame.polarity else -1


def _is_now(frame: ClaimFrame) -> bool:
    """Whether it says anything of the present: "used to" does, a plain past does not."""
    return frame.tense is not Tense.PAST or frame.is_change


def _in_same_respect(new: ClaimFrame, old: ClaimFrame, *, vague: bool = False) -> bool:
    if vague and {new.slot, old.slot} <= _WORK:
        return True
    together = new.slot is old.slot or any({new.slot, old.slot} <= group for group in _GROUPS)
    return together and new.topic == old.topic


def _is_vague_end(frame: ClaimFrame) -> bool:
    return not frame.value and not frame.polarity and frame.is_change


def _is_learnt(new: ClaimFrame, old: ClaimFrame) -> bool:
    """Who has learnt it is not learning it any more; who merely speaks it may still be."""
    can = new.slot in (Slot.SKILL, Slot.LANGUAGE) and new.polarity and new.is_change
    return can and old.slot is Slot.STUDY and old.polarity and _is_now(old) and new.value == old.value


def _is_work_again(new: ClaimFrame, old: ClaimFrame) -> bool:
    works = new.slot in _WORK and new.polarity and _is_now(new)
    # A job that was lost in 2012 was lost in 2012, whatever came after.
    return works and bool(new.value) and old.slot in _WORK and _is_vague_end(old) and not old.is_dated


def _of_how_many(new: ClaimFrame, old: ClaimFrame) -> Relation:
    """Who has two sisters has sisters, and who has none has no sister named Emma."""
    size, some = (new, old) if new.slot is Slot.FAMILY_SIZE else (old, new)
    if new.topic != old.topic or not (_is_now(new) and _is_now(old)):
        return Relation.APART
    is_none = "0" in size.value
    if is_none == some.polarity:
        return Relation.OPPOSED
    if some.value or is_none:
        return Relation.BESIDE
    return Relation.FINER if new is size else Relation.COARSER


# ── couples ──────────────────────────────────────────────────────────────────────────────────────

_TOGETHER = "together"
_MARRIED, _SINGLE, _FORMERLY = stems("married"), stems("single"), stems("divorced widowed separated")


def _of_couple(new: ClaimFrame, old: ClaimFrame) -> Relation:
    """Whom somebody is with, and in which manner: who has a wife is married, and the single are with nobody."""
    if not (_is_now(new) and _is_now(old)):
        same = (new.slot, new.value, new.polarity, new.tense) == (old.slot, old.value, old.polarity, old.tense)
        return Relation.SAME if same else Relation.BESIDE
    if new.slot is old.slot is Slot.PARTNER:
        return _of_partners(new, old)
    one, other = _status(new), _status(old)
    if new.polarity and old.polarity:
        if one != other:
            return Relation.OPPOSED if _excludes(new, old) else Relation.BESIDE
        if new.slot is old.slot:
            return Relation.SAME
        return Relation.FINER if new.slot is Slot.PARTNER else Relation.COARSER
    if new.slot is Slot.PARTNER and old.polarity:
        return Relation.BESIDE if other <= _FORMERLY | _SINGLE else Relation.OPPOSED
    is_end = new.polarity is not old.polarity and one == other and not (new.slot is not old.slot and new.polarity)
    return Relation.OPPOSED if is_end else Relation.BESIDE


def _status(frame: ClaimFrame) -> frozenset[str]:
    return frame.value if frame.slot is Slot.RELATIONSHIP_STATUS else stems(frame.topic)


def _excludes(new: ClaimFrame, old: ClaimFrame) -> bool:
    """Whether nobody can be both: the single are with nobody, the divorced with anybody but a spouse; of dating,
    engaged and married, one holds."""
    pair = (_status(new), _status(old))
    if any(each <= _FORMERLY and each for each in pair):
        return _MARRIED in pair
    return new.slot is old.slot or _SINGLE in pair or (new.slot is Slot.PARTNER and pair[0] == _MARRIED)


def _of_partners(new: ClaimFrame, old: ClaimFrame) -> Relation:
    is_same = new.value == old.value or not new.value or not old.value
    if new.polarity != old.polarity:
        return Relation.OPPOSED if is_same and not (new.polarity and new.value != old.value) else Relation.BESIDE
    if not new.polarity:
        return Relation.SAME if new.value == old.value else Relation.BESIDE
    if not (is_same or new.value <= old.value or old.value <= new.value):
        return Relation.BESIDE if new.is_list or old.is_list else Relation.OPPOSED
    if new.topic and old.topic and new.topic != old.topic:
        # Whoever is married to somebody is together with them.
        if _TOGETHER in (new.topic, old.topic):
            return Relation.COARSER if new.topic == _TOGETHER else Relation.FINER
        return Relation.OPPOSED
    return _by_detail(new, old)


# ── places ───────────────────────────────────────────────────────────────────────────────────────

_WIDE = (
    phrases_listed("places.regions"),
    phrases_listed("places.countries"),
    phrases_listed("places.continents"),
)
# How wide each is, by the stems of its name; the wider one where a name is of both.
_WIDTHS = {frozenset(terms_of(" ".join(name))): width for width, names in enumerate(_WIDE, 1) for name in names}


def width(stems: frozenset[str]) -> int:
    """0 for a town, or any name that is not known; then regions and states, countries, continents: in so wide a place a
    town may lie. "Lives in Norway" and "lives in Oslo" can both be true."""
    return _WIDTHS.get(stems, 0)
