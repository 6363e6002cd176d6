"""How many values hold at a time in each slot, and how a slot is said."""

from everlore.domain.claim import Slot
from everlore.language.lists import phrases_listed

# One value at a time: another one means that the first is over. In all other slots several hold at once.
SINGLE = frozenset(
    {
        Slot.NAME,
        Slot.AGE,
        Slot.BIRTHDAY,
        Slot.BIRTH_YEAR,
        Slot.HOME,
        Slot.FAVORITE,
        Slot.PARTNER,
        Slot.RELATIONSHIP_STATUS,
        Slot.FAMILY_SIZE,
        Slot.DIET,
    }
)
# Somebody can have two jobs: another one ends the first only where a change is said.
SINGLE_ON_CHANGE = frozenset({Slot.OCCUPATION, Slot.EMPLOYER})
SINGLE_TOPICS = frozenset(" ".join(topic) for topic in phrases_listed("traits.single"))
# Of these a date in the sentence says nothing about since when they hold: "likes music from the 90s".
TIMELESS = frozenset(
    {Slot.LIKE, Slot.DISLIKE, Slot.FAVORITE, Slot.BIRTHDAY, Slot.BIRTH_YEAR, Slot.NAME, Slot.GOAL, Slot.PLAN}
)
# Said with a verb rather than a noun: every word of it counts.
VERBAL = frozenset({Slot.SKILL, Slot.STUDY, Slot.GOAL, Slot.PLAN, Slot.HABIT})
