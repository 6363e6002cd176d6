"""Word lists from `english/` that several modules share: what people are, keep and suffer from.

They hold only what grammar cannot tell: that "nurse" is a job and "mess" is not.
"""

from everlore.language.lists import by_word, listed
from everlore.language.numbers import CARDINALS

FEMALE = listed("people.female")
MALE = listed("people.male")
PLURALS = listed("people.plurals")
PETS = listed("people.pets")
PLURAL_PETS = listed("people.plural_pets")
PERSONS = FEMALE | MALE | listed("people.anybody") | PLURALS
KEPT = PERSONS | PETS | PLURAL_PETS
# Said without "my", these still mean the speaker's own relative: "Husband works nights".
BARE = (FEMALE | MALE | listed("people.bare")) - frozenset("bride groom bro ma pa pop son fella mam".split())
KIN_OF = by_word("people.kin")
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
# For text typed without capitals: "hi im amy" names a person, "hi im happy" does not.
FIRST_NAMES = listed("names.first")
