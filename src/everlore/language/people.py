"""What people and animals are to whoever speaks of theirs: "sister", "flatmate", "greyhound".

The words are in `english/people.toml`.
"""

from everlore.language.lists import by_word, listed

FEMALE = listed("people.female")
MALE = listed("people.male")
ANYBODY = listed("people.anybody")
PLURALS = listed("people.plurals")
PETS = listed("people.pets")
PLURAL_PETS = listed("people.plural_pets")
RELATIVES = FEMALE | MALE | ANYBODY
PERSONS = RELATIVES | PLURALS
KEPT = PERSONS | PETS | PLURAL_PETS
# Said without "my", these are the speaker's own: "Husband works nights".
BARE = (FEMALE | MALE | listed("people.bare")) - {
    "bride", "groom", "bro", "ma", "pa", "pop", "son", "fella", "mam",
}  # fmt: skip
KIN_OF = by_word("people.kin")
