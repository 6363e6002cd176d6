"""Words that decide what a phrase is about: kin, partners, pets, diets, occupations."""

from collections.abc import Iterable

from everlore.domain.words import query_terms
from everlore.language import people
from everlore.language.lists import by_word, listed
from everlore.language.people import KIN_OF, PERSONS
from everlore.language.words import BEFORE_PERSONS, WORKS


def _any_of(words: Iterable[str]) -> str:
    """The longer one first: "ex-wife" before "ex"."""
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


_PARTNERS = listed("people.partners")
PARTNERS = _any_of(_PARTNERS)
KIN = _any_of((PERSONS | frozenset(KIN_OF)) - _PARTNERS)
BEFORE_KIN = _any_of(BEFORE_PERSONS)
_WHICH = listed("people.which")
_NO_MORE = listed("people.no_more")
BEFORE_PARTNERS = _any_of(BEFORE_PERSONS - _NO_MORE)
NO_MORE = _any_of(_NO_MORE)
PETS = _any_of(people.PETS | people.PLURAL_PETS)
DIETS = _any_of(listed("body.diets"))
OCCUPATIONS = frozenset(query_terms(" ".join(WORKS), most=2_000))
_MANNER_OF = by_word("people.manners")


def kin_of(word: str) -> str:
    """ "Kids" and "children" are one."""
    return KIN_OF.get(word.lower(), word.lower())


def which(words: str) -> str:
    """Of "much younger", what tells this one from another."""
    return next((word for word in words.lower().split() if word in _WHICH), "")


def manner_of(words: str) -> str:
    """How a couple is together: "wife" says married. Empty where nothing is said of it."""
    return next((_MANNER_OF[word] for word in words.lower().split() if word in _MANNER_OF), "")
