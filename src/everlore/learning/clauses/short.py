"""What a short word stands for: the "'s" of "my sister's a nurse" is a verb, that of "my sister's dog" is not."""

from collections.abc import Sequence

from everlore.language.lists import listed
from everlore.language.people import KEPT
from everlore.learning.clauses.tokens import Token
from everlore.learning.clauses.words import ADVERBS, AUXILIARIES, THIRD_PERSON_VERBS, is_past_form

SORTS = listed("people.sorts")
_TRAITS = listed("traits.behind_a_person")


_ENDS = frozenset({",", "and", "but", "so", "in", "to", "from", "with", "now", "already", "today", "years"})
# Nothing belongs to these: "my surname's Okafor".
_ATTRIBUTES = frozenset({"surname", "name", "nickname", "birthday", "hometown", "maiden"})


def is_short_for_is(tokens: Sequence[Token], place: int) -> bool:
    """ "my sister's a nurse" and not "my sister's dog is a poodle"."""
    after = tokens[place + 1].low if place + 1 < len(tokens) else ""
    if place + 1 < len(tokens) and _is_said_of(tokens, place + 1):
        return True
    if tokens[place - 1].low in _ATTRIBUTES and place + 1 < len(tokens) and tokens[place + 1].is_capital:
        return True
    return (
        after in {"a", "an", "the", "not", "in", "from", "called", "named", "going", "been", "got", "had", "on"}
        or after in ADVERBS
        or after.endswith("ing")
    )


def _is_said_of(tokens: Sequence[Token], place: int) -> bool:
    """ "my mum's Japanese", "my brother's deaf": an adjective, and then the end of it."""
    low = tokens[place].low
    is_last = place + 1 == len(tokens) or tokens[place + 1].low in _ENDS
    is_nation = tokens[place].is_capital and low.endswith(
        ("ese", "ish", "ian", "can", "ean", "ch", "aeli", "nese", "man")
    )
    return is_last and (low in _TRAITS or is_nation or low.isdecimal())


def acts(tokens: Sequence[Token], place: int) -> bool:
    """ "me and dan broke up", "my uncle cries": a past form, or an "-s" right behind whoever does it."""
    low, last = tokens[place].low, tokens[max(0, place - 1)]
    if place == 0:
        return False
    if is_past_form(low):
        return low not in SORTS and last.low not in {"a", "an", "the", "my", "our", "and", "very", "newly", "recently"}
    if not low.endswith("s") or low.endswith("ss") or len(low) < len("eats") or tokens[place].is_capital:
        return False
    after = tokens[place + 1].low if place + 1 < len(tokens) else ""
    is_name = after in AUXILIARIES or after in THIRD_PERSON_VERBS or after in {"and", ",", "'s", "", "who"}
    return (last.low in KEPT or (last.is_capital and place > 1)) and not is_name
