"""The two speakers: names, age, gender, race and pronouns (P5).

The character is `system.…`, the person it talks to `user.…`; both have the same variables. The texts of a person may
contain macros of a card, which are expanded. Names are on one line.

Start at `of_both`, which makes one variable for each of the two.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from everlore.compose.card import card_text
from everlore.compose.context import Context
from everlore.compose.variables import Variable, VariableView
from everlore.domain.macros import expand
from everlore.domain.person import Person
from everlore.language.names import first_name, split_name

Fill = Callable[[str], str]
# Gets the text about a person; the second argument expands the macros in their texts.
Tell = Callable[[Person, Fill], str]

_NOBODY = "User"


class _Pronouns(NamedTuple):
    subject: str
    possessive: str


_THEY = _Pronouns("they", "their")
_PRONOUNS = {"he": "his", "she": "her", "they": "their", "it": "its"}
_GENDERS = {
    **dict.fromkeys("female woman girl f".split(), _Pronouns("she", "her")),
    **dict.fromkeys("male man boy m".split(), _Pronouns("he", "his")),
}


def one_line(name: str) -> str:
    """A name that cannot begin a line of its own, and so cannot imitate anything else."""
    return " ".join(name.split())


def filler(character: Person, user: Person | None) -> Fill:
    """Expands the macros of a card: {{char}}, {{user}} and the rest."""
    char = one_line(card_text(character, "nickname") or character.name)
    name = one_line(user.name) if user else _NOBODY

    def fill(text: str) -> str:
        return expand(text, char=char, user=name, seed=character.id)

    return fill


def filled(view: VariableView, text: str) -> str:
    """A text of the character, with its macros expanded."""
    return filler(view.context.character, view.context.user)(text).strip()


def of_both(told: Mapping[str, tuple[Tell, str]]) -> dict[str, Variable]:
    """`system.NAME` and `user.NAME` for each NAME, which has a function and a description."""
    return {
        f"{whose}.{name}": Variable(_value(whose, name, tell), f"The {person}'s {about}.")
        for whose, person in (("system", "character"), ("user", "user"))
        for name, (tell, about) in told.items()
    }


def _value(whose: str, name: str, tell: Tell) -> Callable[[VariableView], str]:
    def value(view: VariableView) -> str:
        person = _person(view.context, whose)
        fill = filler(view.context.character, view.context.user)
        return _UNKNOWN.get(name, "") if person is None else tell(person, fill)

    return value


def _person(context: Context, whose: str) -> Person | None:
    return context.character if whose == "system" else context.user


def _name(person: Person, _fill: Fill) -> str:
    return one_line(person.name)


def _first_name(person: Person, _fill: Fill) -> str:
    return first_name(person.name)


def _last_name(person: Person, _fill: Fill) -> str:
    return split_name(person.name)[1]


def _age_and_gender(person: Person, fill: Fill) -> str:
    age = "" if person.age is None else f"{person.age}-year-old"
    return f"{age} {_gender(person, fill)}".strip()


def _gender(person: Person, fill: Fill) -> str:
    return one_line(fill(person.gender))


def _race(person: Person, fill: Fill) -> str:
    return one_line(fill(person.race))


def _possessive(person: Person, _fill: Fill) -> str:
    return _pronouns(person).possessive


def _subject(person: Person, _fill: Fill) -> str:
    return _pronouns(person).subject.capitalize()


def _pronouns(person: Person) -> _Pronouns:
    """As stated, else by gender, else they."""
    forms = [form.strip(" ()") for form in one_line(person.pronouns).lower().replace(",", "/").split("/")]
    if forms[0] in _PRONOUNS:
        return _Pronouns(forms[0], _PRONOUNS[forms[0]])
    # Custom pronouns must be complete: "xe/xem/xyr". With two forms the possessive would be a guess.
    if len(forms) > 2 and forms[0].isalpha() and forms[2].isalpha():
        return _Pronouns(forms[0], forms[2])
    words = person.gender.lower().split()
    return _GENDERS.get(words[-1], _THEY) if words else _THEY


# The values for a user without a profile.
_UNKNOWN = {"firstName": _NOBODY, "fullName": _NOBODY, "ppro": _THEY.possessive, "cpro": _THEY.subject.capitalize()}

VARIABLES = of_both(
    {
        "firstName": (_first_name, "first name, or the full name if it begins with a title"),
        "lastName": (_last_name, "name after the first"),
        "fullName": (_name, "name"),
        "asg": (_age_and_gender, 'age and gender, as in "28-year-old female"'),
        "gender": (_gender, "gender"),
        "race": (_race, "race"),
        "ppro": (_possessive, 'possessive pronoun, as in "her"'),
        "cpro": (_subject, 'pronoun with a capital, as in "She"'),
    }
)
