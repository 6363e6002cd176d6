"""Of what kind a claim is, as memories are sorted. Pure."""

from everlore.domain.claim import USER, Claim, Slot
from everlore.domain.memory import Category
from everlore.language.tense import Tense

_CATEGORIES = {
    **dict.fromkeys((Slot.LIKE, Slot.DISLIKE, Slot.FAVORITE, Slot.DIET, Slot.HABIT), Category.PREFERENCE),
    **dict.fromkeys((Slot.SKILL, Slot.LANGUAGE), Category.SKILL),
    **dict.fromkeys((Slot.GOAL, Slot.PLAN), Category.GOAL),
    **dict.fromkeys(
        (Slot.PARTNER, Slot.RELATIONSHIP_STATUS, Slot.FAMILY, Slot.FAMILY_SIZE, Slot.PET), Category.RELATIONSHIP
    ),
}

# With a change, a step in a life.
_LIVED = frozenset({Slot.HOME, Slot.OCCUPATION, Slot.EMPLOYER, Slot.HABIT, Slot.PET})


def category_of(claim: Claim) -> Category:
    if claim.subject != USER:
        return Category.RELATIONSHIP
    if claim.time is Tense.PAST and claim.slot is not Slot.NAME:
        return Category.EXPERIENCE
    if claim.is_change and claim.slot in _LIVED:
        return Category.EXPERIENCE
    return _CATEGORIES.get(claim.slot, Category.PERSONAL_INFO) if claim.slot else Category.PERSONAL_INFO
