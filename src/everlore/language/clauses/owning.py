"""Whose people are meant who stand without "my": "Nan's 91", "husband works nights", "niece Orla turned 5". Pure.

Start at `with_my`.
"""

from collections.abc import Sequence

from everlore.language.clauses.short import is_short_for_is
from everlore.language.clauses.tokens import Token
from everlore.language.clauses.words import ADVERBS, AUXILIARIES, THIRD_PERSON_VERBS, is_past_form
from everlore.language.people import BARE, WITH_THE

_IN_LAW = ("in", "law")


def with_my(tokens: Sequence[Token]) -> Sequence[Token]:
    """Whom nobody else is said to have, the speaker has; where a verb follows, and nobody is called."""
    if len(tokens) > 2 and tokens[0].low == "the" and tokens[1].low in WITH_THE and _acts(tokens, 2):
        return (Token("my", "my", tokens[0].start, tokens[0].end), *tokens[1:])
    end = _kin_end(tokens)
    if not end or not _acts(tokens, end):
        return tokens
    first = tokens[0]
    # The capital of a sentence is none of the word behind "my".
    kin = Token(first.text.lower(), first.low, first.start, first.end)
    return (Token("my", "my", first.start, first.start), kin, *tokens[1:])


def _kin_end(tokens: Sequence[Token]) -> int:
    """Where "husband", "niece Orla", "sister in law" ends; 0 where nobody of that kind stands first."""
    if not tokens or tokens[0].low not in BARE:
        return 0
    end = 3 if tuple(token.low for token in tokens[1:3]) == _IN_LAW else 1
    while end < min(len(tokens), 4) and tokens[end].is_capital and tokens[end].text[1:].islower():
        end += 1
    return end


def _acts(tokens: Sequence[Token], at: int) -> bool:
    if at >= len(tokens):
        return False
    low = tokens[at].low
    if low == "'s":
        return is_short_for_is(tokens, at)
    while low in ADVERBS and at + 1 < len(tokens):
        at += 1
        low = tokens[at].low
    is_third = low.endswith("s") and not low.endswith("ss") and len(low) > len("its") and at + 1 < len(tokens)
    return low in AUXILIARIES or low in THIRD_PERSON_VERBS or is_past_form(low) or is_third
