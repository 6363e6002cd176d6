"""Verb frames: which verb, followed by what, in which tenses, states which sort of fact. `of_frames` reads them.

A frame keeps the user's own words: the verb in the third person, and what followed it up to the end of the clause.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from everlore.domain.memory import Category
from everlore.language.clauses import Token
from everlore.language.clauses.words import BE
from everlore.language.lists import listed
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.phrase import cut, is_soon, is_telling, shown
from everlore.reflect.rules.rule import with_rule
from everlore.reflect.rules.said import Said, Tense

NOW_TENSES = frozenset({Tense.PRESENT, Tense.GOING, Tense.LONG})
PAST_TENSES = frozenset({Tense.PAST, Tense.PERFECT, Tense.USED})
ANY_TENSE = NOW_TENSES | PAST_TENSES
_LONG = 12
_SHORT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """`after`: the words one of which must follow the verb; empty where any may. `place`: a proper noun follows,
    which is written with a capital however it was typed. `fits` looks at all that follows the verb."""

    verbs: frozenset[str]
    reason: str
    category: Category = Category.PERSONAL_INFO
    after: frozenset[str] = frozenset()
    tenses: frozenset[Tense] = ANY_TENSE
    place: bool = False
    fits: Callable[[Sequence[Token]], bool] | None = None


def of_frames(said: Said, frames: Iterable[Frame]) -> list[Candidate]:
    """What the first frame that fits makes of a clause."""
    for frame in frames:
        if said.verb in frame.verbs and said.tense in frame.tenses and _follows(said, frame):
            return with_rule(_stated(said, frame), f"frames: {frame.reason}")
    return []


def _follows(said: Said, frame: Frame) -> bool:
    if frame.after and said.next not in frame.after:
        return False
    return frame.fits is None or frame.fits(said.rest)


def _stated(said: Said, frame: Frame) -> list[Candidate]:
    start = 1 if frame.after and said.next in _PREPOSITIONS else 0
    head, behind = said.rest[:start], said.rest[start:]
    rest = place_in(behind) if frame.place else cut(behind, keep_when=True)
    if not is_telling(rest) or len(rest) > _LONG or (said.tense in NOW_TENSES and is_soon(rest)):
        return []
    text = f"{shown(head)} {with_capital(rest) if frame.place else shown(rest)}"
    return said.tells(text, _category(said, frame), frame.reason)


def _category(said: Said, frame: Frame) -> Category:
    goes_on = said.tense is Tense.PERFECT and any(token.low in {"since", "for"} for token in said.rest)
    return Category.EXPERIENCE if said.tense in PAST_TENSES and not goes_on else frame.category


_PREPOSITIONS = listed("grammar.prepositions")
_PLACE_ENDS = listed("places.ends")


_PLACE_STOPS = listed("places.stops")


def place_in(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """A place and what qualifies it: "Austin, Texas", "a town near Leeds for ten years". It ends at a companion."""
    end = 0
    if not tokens or tokens[0].low in _PREPOSITIONS | BE:
        return ()
    while end < len(tokens):
        token = tokens[end]
        if token.low == ",":
            if not _goes_on(tokens, end):
                break
        elif (end and _ends_place(token)) or (not token.is_word and token.low not in {"'s", "'", "-", "/"}):
            break
        end += 1
    return cut(tokens[:end], comma=False, keep_when=True)


def _ends_place(token: Token) -> bool:
    return token.low in _PLACE_STOPS or (token.low.endswith("ing") and len(token.low) > _SHORT and not token.is_capital)


def _goes_on(tokens: Sequence[Token], comma: int) -> bool:
    """ "Austin, Texas" and "portland, oregon", but not "Austin, a nurse"."""
    after = tokens[comma + 1 : comma + 3]
    if not after or comma == 0 or not after[0].low.isalpha() or after[0].low in {"a", "i", "my", "yes", "no", "too"}:
        return False
    is_end = len(after) == 1 or after[1].low in {",", "and", "with"} or after[1].is_capital
    is_small = not tokens[comma - 1].is_capital and len(tokens) - comma <= 3
    return is_end and (after[0].is_capital or is_small)


_COMMON = listed("places.common")


def with_capital(tokens: Sequence[Token]) -> str:
    """A place typed in small letters gets its capital; what qualifies it ("for ten years") stays small."""
    end = next((place for place, token in enumerate(tokens) if place and token.low in _PLACE_ENDS), len(tokens))
    is_common = bool(tokens) and tokens[0].low in _COMMON
    return " ".join([shown(tokens[:end], capital=not is_common), shown(tokens[end:])]).strip()
