"""Names by which people introduce themselves or somebody of theirs. Pure. Start at `introduced_name`."""

from collections.abc import Sequence

from everlore.language.firstnames import FIRST_NAMES
from everlore.language.lists import listed
from everlore.language.words import DAYS, KINDS, MONTHS, NATIONS, PLACES, STATES_OF, WORKS
from everlore.learning.clauses import Token, lows
from everlore.learning.phrasebooks.wording import names

_MOST = 3
_NO_NAME = listed("names.none")
_AFTER = listed("names.behind")
_AFTER_OWN = listed("names.behind_own") | {""}
_WORDS = listed("names.words")
_PLAYED = listed("names.played")
_FAMOUS = listed("names.famous")
_KNOWN = NATIONS | STATES_OF | KINDS | WORKS | MONTHS | DAYS | PLACES | _NO_NAME


def name_in(tokens: Sequence[Token]) -> str:
    """A name at the front of the tokens, where something says that it is one; it gets its capitals."""
    found = [token for token in names(tokens) if token.low not in _NO_NAME][:_MOST]
    if found and tokens[0] is found[0]:
        return " ".join(token.text for token in found)
    low = tokens[0].low if tokens else ""
    return _capital(tokens[0]) if low.isalpha() and low not in _NO_NAME | _AFTER else ""


def introduced_name(rest: Sequence[Token], *, is_first: bool = True) -> str:
    """ "I'm Sarah", "my boss is Martin": a name and nothing else, or with a comma or where they are from behind it.
    `is_first`: people introduce themselves first of all, so that a name need not be a known one."""
    found = names(rest) or (tuple(rest[:1]) if lows(rest[:1]) and rest[0].low in FIRST_NAMES - _WORDS else ())
    after = rest[len(found)].low if len(rest) > len(found) else ""
    if not 0 < len(found) <= _MOST or after not in _AFTER_OWN or not all(map(_may_be_name, found)):
        return ""
    if rest[0].low in _FAMOUS or not _PLAYED.isdisjoint(lows(rest[1:8])):
        return ""
    is_known = found[0].low in FIRST_NAMES or len(found) > 1
    return " ".join(map(_capital, found)) if is_known or is_first else ""


def _may_be_name(token: Token) -> bool:
    low = token.low
    if low in FIRST_NAMES:
        return True
    is_word = low in _KNOWN or low.endswith(("ing", "ed"))
    return token.is_capital and low.isalpha() and len(low) > 1 and not token.text.isupper() and not is_word


def _capital(token: Token) -> str:
    return token.text[:1].upper() + token.text[1:]
