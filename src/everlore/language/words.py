"""The lists of words (`english/`) that the rules share: what people are, keep, learn, speak, play and suffer from.

They stay short where grammar decides, and only name what grammar cannot tell: that "nurse" is work and "mess" is not.
"""

from everlore.language.lists import listed, tabled
from everlore.language.numbers import CARDINALS
from everlore.language.people import ANYBODY, FEMALE, KEPT, MALE, PERSONS, PETS, PLURAL_PETS, PLURALS, RELATIVES

__all__ = ["ANYBODY", "FEMALE", "KEPT", "MALE", "PERSONS", "PETS", "PLURALS", "PLURAL_PETS", "RELATIVES"]


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TELLING = listed("people.telling") | (PETS - {"pet", "fish", "rat", "mouse", "bird", "lab", "shepherd", "retriever"})
BEFORE_PERSONS = listed("people.before_persons")
NUMBERS = frozenset(CARDINALS) - {"zero"}
SOME = NUMBERS | listed("grammar.some")
MONTHS = listed("time.months")
DAYS = listed("time.days")

# ── what people are ──────────────────────────────────────────────────────────────────────────────

WORKS = listed("work.works")
KINDS = listed("traits.kinds")
NO_KIND = listed("traits.no_kind")
STATES_OF = listed("traits.states")
NATIONS = listed("places.nations")
LANGUAGES = listed("places.languages")
CODE = listed("work.code")
PLACES = listed("places.known")
PLACE_PAIRS = listed("places.first_halves")

# ── what people have, do and want ────────────────────────────────────────────────────────────────

AILMENTS = listed("body.ailments")
BELONGINGS = listed("things.belongings")
SKILLS = listed("verbs.skills")
HABITS = listed("verbs.habits")
OFTEN = listed("time.often")
INSTRUMENTS = listed("things.instruments")
SPORTS = listed("things.sports")
AIMS = listed("life.aims")
AIM_OBJECTS = tabled("life.aim_objects")
OF_THE_TALK = listed("talk.of_the_talk")
NOW = listed("time.now")
