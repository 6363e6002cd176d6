"""What a short word stands for: the "'s" of "my sister's a nurse" is a verb, that of "my sister's dog" is not."""

from collections.abc import Sequence

from everlore.language.lists import listed
from everlore.language.words import KEPT
from everlore.learning.clauses.tokens import ClauseToken
from everlore.learning.clauses.words import ADVERBS, AUXILIARIES, THIRD_PERSON_VERBS, is_past_form

SORTS = listed("people.sorts")
_TRAITS = listed("traits.behind_a_person")
_ENDS = frozenset({",", "and", "but", "so", "in", "to", "from", "with", "now", "already", "today", "years"})
# Nothing belongs to these: "my surname's Okafor".
_ATTRIBUTES = frozenset({"surname", "name", "nickname", "birthday", "hometown", "maiden"})
_BEHIND = ADVERBS | frozenset("a an the not in from called named going been got had on".split())
_BEFORE_SORTS = frozenset("a an the my our and very newly recently".split())


def is_short_for_is(tokens: Sequence[ClauseToken], place: int) -> bool:
    """ "my sister's a nurse", "my brother's deaf" and not "my sister's dog is a poodle"."""
    if place + 1 >= len(tokens):
        return False
    after = tokens[place + 1].low
    is_last = place + 2 == len(tokens) or tokens[place + 2].low in _ENDS
    is_told = is_last and (after in _TRAITS or after.isdecimal() or tokens[place + 1].is_capital)
    return is_told or tokens[place - 1].low in _ATTRIBUTES or after in _BEHIND or after.endswith("ing")


def acts(tokens: Sequence[ClauseToken], place: int) -> bool:
    """ "me and dan broke up", "my uncle cries": a past form, or an "-s" right after the subject."""
    if place == 0:
        return False
    low, last = tokens[place].low, tokens[place - 1]
    if is_past_form(low):
        return low not in SORTS and last.low not in _BEFORE_SORTS
    if not low.endswith("s") or low.endswith("ss") or len(low) < len("eats") or tokens[place].is_capital:
        return False
    after = tokens[place + 1].low if place + 1 < len(tokens) else ""
    is_name = after in AUXILIARIES | THIRD_PERSON_VERBS | {"and", ",", "'s", "", "who"}
    return (last.low in KEPT or (last.is_capital and place > 1)) and not is_name
