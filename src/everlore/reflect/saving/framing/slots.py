"""In which respect something is said of somebody, and how many values hold in it at a time."""

from enum import StrEnum


class Slot(StrEnum):
    NAME = "name"
    NICKNAME = "nickname"
    AGE = "age"
    BIRTHDAY = "birthday"
    BIRTH_YEAR = "birth_year"
    HOME = "home"
    ORIGIN = "origin"
    OCCUPATION = "occupation"
    EMPLOYER = "employer"
    WORKPLACE = "workplace"
    RELATIONSHIP_STATUS = "relationship_status"
    PARTNER = "partner"
    FAMILY = "family"
    FAMILY_SIZE = "family_size"
    PET = "pet"
    FAVORITE = "favorite"
    LIKE = "like"
    DISLIKE = "dislike"
    DIET = "diet"
    ALLERGY = "allergy"
    POSSESSION = "possession"
    SKILL = "skill"
    LANGUAGE = "language"
    STUDY = "study"
    GOAL = "goal"
    PLAN = "plan"
    # What somebody does, again and again or just now; also what a character does to another.
    HABIT = "habit"
    BEING = "being"
    # "User's eye color is …": only of a few topics there is one value.
    ATTRIBUTE = "attribute"


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
# Attributes with one value at a time, by their stems.
SINGLE_TOPICS = frozenset(
    "address;blood type;email;email address;eye color;hair color;height;weight;phone number;pronoun;shoe size;"
    "time zone;timezon;zodiac sign;star sign;surnam;last name;first name;major;nation".split(";")
)
# Said with a verb rather than a noun: every word of it counts.
VERBAL = frozenset({Slot.SKILL, Slot.STUDY, Slot.GOAL, Slot.PLAN, Slot.HABIT})
