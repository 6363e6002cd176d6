"""The lists of words (`english/`) that several modules share: what people are, keep and suffer from.

They stay short where grammar decides, and only name what grammar cannot tell: that "nurse" is work and "mess" is not.
"""

from everlore.language.lists import listed
from everlore.language.numbers import CARDINALS
from everlore.language.people import FEMALE, KEPT, MALE, PERSONS, PETS, PLURAL_PETS, PLURALS

__all__ = ["FEMALE", "KEPT", "MALE", "PERSONS", "PETS", "PLURALS", "PLURAL_PETS"]

BEFORE_PERSONS = listed("people.before_persons")
NUMBERS = frozenset(CARDINALS) - {"zero"}
SOME = NUMBERS | listed("grammar.some")
MONTHS = listed("time.months")
DAYS = listed("time.days")
WORKS = listed("work.works")
KINDS = listed("traits.kinds")
STATES_OF = listed("traits.states")
NATIONS = listed("places.nations")
PLACES = listed("places.known")
OFTEN = listed("time.often")
OF_THE_TALK = listed("talk.of_the_talk")
NOW = listed("time.now")
