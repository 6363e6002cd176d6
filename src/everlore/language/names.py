"""How a name is shortened: "Anna Berg" is called "Anna", but "Old Marlow" and "The Captain" keep their whole name.

In: a name as it is written. Out: the first name and the rest. A name that begins with a title or an epithet has no
first name. The words are in `english/names.toml`. Start at `first_name`.
"""

from everlore.language.lists import listed

_TITLES = listed("names.titles")


def first_name(name: str) -> str:
    """What to call somebody for short: the first name, or the whole name if it begins with a title."""
    return split_name(name)[0]


def split_name(name: str) -> tuple[str, str]:
    """The first name and the rest, each on one line: ("Anna", "Berg"), ("Old Marlow", "")."""
    name = " ".join(name.split())
    first, _, rest = name.partition(" ")
    return (name, "") if first.casefold().strip(".,'’“”\"") in _TITLES else (first, rest)
