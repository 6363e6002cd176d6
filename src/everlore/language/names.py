"""Shortens names: "Anna Berg" becomes "Anna", but "Old Marlow" and "The Captain" stay whole.

In: a name as written. Out: the first name and the rest. A name that begins with a title or an epithet has no first
name. The words are in `english/names.toml`. Start at `first_name`.
"""

from everlore.language.lists import listed

_TITLES = listed("names.titles")


def first_name(name: str) -> str:
    """The short form of a name: the first name, or the whole name if it begins with a title."""
    return split_name(name)[0]


def split_name(name: str) -> tuple[str, str]:
    """The first name and the rest, with white space collapsed: ("Anna", "Berg"), ("Old Marlow", "")."""
    name = " ".join(name.split())
    first, _, rest = name.partition(" ")
    return (name, "") if first.casefold().strip(".,'’“”\"") in _TITLES else (first, rest)
