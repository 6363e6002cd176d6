"""Corrections in the same breath: "I'm 33, no wait, 34" says 34. The last wording stands where the first one stood.

In: the tokens of a line. Out: the same without what was taken back.
"""

from collections.abc import Sequence

from everlore.learning.clauses.tokens import Token, lows
from everlore.learning.clauses.words import AUXILIARIES, PRONOUNS, TASTES

_MARKS = frozenset({",", ".", "-", "–", "—", "…", "(", "!", "*", ")"})
_TAKES_BACK = (
    ("no", ",", "wait", ",", "i", "mean"), ("oops", ",", "i", "mean"), ("sorry", ",", "i", "mean"),
    ("sorry", "i", "mean"), ("no", "i", "mean"),
    ("wait", ",", "i", "mean"), ("wait", "i", "mean"),
    ("no", "wait"), ("no", ",", "wait"), ("wait", ",", "no"), ("wait", "no"), ("i", "mean"), ("i", "meant"),
    ("scratch", "that"),
    ("make", "that"), ("or", "rather"), ("sorry", ",", "i", "meant"), ("sorry", "i", "meant"),
    ("oops", ",", "i", "meant"),
    ("correction",), ("er",), ("sorry",), ("oops",), ("whoops",), ("actually", "no"), ("no", ",", "actually"),
    ("no", "actually"), ("strike", "that"),
)  # fmt: skip
_MOST_WORDS = 5
_FEW = 4


def corrected(tokens: Sequence[Token]) -> list[Token]:
    kept: list[Token] = []
    place = 0
    while place < len(tokens):
        if kept and tokens[place].low == kept[-1].low and tokens[place].low in TASTES | {"really", "very", "so"}:
            # "I love love love it".
            place += 1
            continue
        if (
            kept
            and tokens[place].low == "like"
            and tokens[place + 1 : place + 2]
            and _fills(kept[-1], tokens[place + 1])
        ):
            # "it took like 3 weeks".
            place += 1
            continue
        after = _taken_back(tokens, place) if kept else 0
        if not after:
            kept.append(tokens[place])
            place += 1
            continue
        instead = _instead(tokens, after)
        if instead and _put(kept, instead):
            place = after + len(instead)
        else:
            kept.append(tokens[place])
            place += 1
    return kept


def _fills(before: Token, after: Token) -> bool:
    return after.low[0].isdecimal() and before.low not in PRONOUNS | AUXILIARIES | {"not", "to", "and", ","}


def _taken_back(tokens: Sequence[Token], place: int) -> int:
    """Where the correction's own words begin, or 0 where nothing is taken back here. A correction stands apart."""
    words = lows(tokens[place : place + 6])
    is_apart = place > 0 and tokens[place - 1].low in _MARKS
    for phrase in _TAKES_BACK:
        if words[: len(phrase)] == phrase and (
            is_apart or phrase in {("i", "mean"), ("i", "meant"), ("no", "wait"), ("or", "rather")}
        ):
            end = place + len(phrase)
            while end < len(tokens) and tokens[end].low in _MARKS | {"it", "is"}:
                end += 1
            return end
    return 0


def _instead(tokens: Sequence[Token], start: int) -> list[Token]:
    found: list[Token] = []
    for token in tokens[start : start + _MOST_WORDS + 1]:
        if not token.is_word or token.low in {"and", "but"}:
            break
        found.append(token)
    is_short = 0 < len(found) <= _FEW
    return found if is_short and PRONOUNS.isdisjoint(lows(found)) and AUXILIARIES.isdisjoint(lows(found)) else []


def _put(kept: list[Token], instead: Sequence[Token]) -> bool:
    """Put the words where those stood that they correct: after the same first word, or over the same sort of word."""
    while kept and kept[-1].low in _MARKS:
        kept.pop()
    for back in range(1, min(_MOST_WORDS + 1, len(kept)) + 1):
        old = kept[-back]
        if old.low == instead[0].low:
            kept[-back:] = instead
            return True
    last = instead[-1]
    for back in range(1, min(_MOST_WORDS, len(kept)) + 1):
        old = kept[-back]
        if _is_like(old, last):
            first = len(kept) - back
            while first and last.is_capital and kept[first - 1].is_capital and kept[first - 1].low not in PRONOUNS:
                first -= 1
            kept[first : len(kept) - back + 1] = instead
            return True
    return False


def _is_like(old: Token, new: Token) -> bool:
    if new.low[0].isdecimal() or old.low[0].isdecimal():
        return new.low[0].isdecimal() and old.low[0].isdecimal()
    return old.is_capital == new.is_capital and old.low not in PRONOUNS | AUXILIARIES
