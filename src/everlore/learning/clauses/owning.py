"""Whose people are meant who stand without "my": "Nan's 91", "niece Orla turned 5", "the dog is going deaf". Pure.

Start at `with_my`.
"""

from collections.abc import Sequence

from everlore.language.lists import listed
from everlore.language.people import BARE, PETS, WITH_THE
from everlore.language.words import AILMENTS
from everlore.learning.clauses.short import is_short_for_is
from everlore.learning.clauses.tokens import Token, lows
from everlore.learning.clauses.words import ADVERBS, AUXILIARIES, THIRD_PERSON_VERBS, is_past_form

_AT_TIMES = PETS | listed("people.with_the_at_times")
_IN_LAW = ("in", "law")
_SMALL_ONES = frozenset({("little", "one"), ("wee", "one")})
_OF_HEALTH = AILMENTS | frozenset({"deaf", "blind", "lame", "diabetic"})


def with_my(tokens: Sequence[Token]) -> Sequence[Token]:
    """Whom nobody else is said to have, the speaker has; where a verb follows, and nobody is called."""
    words = lows(tokens[:3])
    if words[1:] in _SMALL_ONES and words[0] in {"the", "my", "our"} and _acts(tokens, 3):
        child = Token("child", "child", tokens[2].start, tokens[2].end)
        return (_my(tokens[0]), tokens[1], child, *tokens[3:])
    if words[:1] == ("the",) and _is_ones_own(tokens):
        return (_my(tokens[0]), *tokens[1:])
    end = _kin_end(tokens)
    if not end or not _acts(tokens, end):
        return tokens
    first = tokens[0]
    # The capital of a sentence is none of the word behind "my".
    kin = Token(first.text.lower(), first.low, first.start, first.end)
    return (Token("my", "my", first.start, first.start), kin, *tokens[1:])


def _my(token: Token) -> Token:
    return Token("my", "my", token.start, token.end)


def _is_ones_own(tokens: Sequence[Token]) -> bool:
    """ "The wife snores"; of others only where a name, an age or their health is told: "the dog is 12"."""
    end = 3 if len(tokens) > 3 and tokens[2].is_capital else 2
    if len(tokens) <= end or not _acts(tokens, end):
        return False
    is_told = end == 3 or any(token.low.isdecimal() or token.low in _OF_HEALTH for token in tokens[3:7])
    return tokens[1].low in WITH_THE or (tokens[1].low in _AT_TIMES and is_told)


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
