"""Names of places so wide that a town may lie in them: "lives in Norway" and "lives in Oslo" can both be true.

No atlas: only what tells a country, a state or a continent from a town, so that neither retires the other.
"""

from everlore.domain.words import terms_of
from everlore.language.lists import phrases_listed

_NAMES = (
    phrases_listed("places.regions"),
    phrases_listed("places.countries"),
    phrases_listed("places.continents"),
)
# How wide each is, by the stems of its name; the wider one where a name is of both.
_WIDTHS = {frozenset(terms_of(" ".join(name))): width for width, names in enumerate(_NAMES, 1) for name in names}


def width(stems: frozenset[str]) -> int:
    """0 for a town, or any name that is not known; then regions and states, countries, continents."""
    return _WIDTHS.get(stems, 0)
