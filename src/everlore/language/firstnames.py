"""Common given names, for text that is typed without capitals: "hi im amy" names somebody, "hi im happy" does not."""

from everlore.language.lists import listed

FIRST_NAMES = listed("names.first")
