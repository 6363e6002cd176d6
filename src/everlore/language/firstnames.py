"""Common given names, for text typed without capitals: "hi im amy" names a person, "hi im happy" does not."""

from everlore.language.lists import listed

FIRST_NAMES = listed("names.first")
