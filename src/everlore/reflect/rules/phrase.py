"""Values out of a clause: which words belong to it, how they read in the third person, and whether they say anything.

In: tokens. Out: text such as "their husband Tom". A value about "you", "it" or "that idea" refers to the talk and
not to the user's life, so it is none.

Start at `value`.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from everlore.language.clauses import Token
from everlore.language.lists import by_word, listed, phrases_listed
from everlore.language.words import NOW, NUMBERS, OF_THE_TALK

_TURNED = by_word("grammar.turned")
_POINTING = listed("grammar.pointing")
_NOBODY = listed("grammar.nobody")
_ASKED = frozenset({"you", "your", "yours", "yourself", "u", "ur"})
_STOPS = listed("grammar.stops")
_TAIL = listed("talk.tail")
_DANGLING = listed("grammar.dangling")
_PHRASES = phrases_listed("talk.tail_phrases")
# "these days", "right now" say when: kept where time matters.
_WHEN = frozenset({("these", "days"), ("right", "now"), ("at", "the", "moment"), ("for", "now"), ("so", "far")})
_SPELLED_OUT = listed("typing.spelled_out")
MOST_WORDS = 16
_SPACE_BEFORE = re.compile(r" (?=[,.;:!?%)']|n't)")


def shown(tokens: Sequence[Token], *, capital: bool = False) -> str:
    """Tokens as text in the third person. `capital`: a name or a place gets its capital however it was typed."""
    words = [_TURNED.get(token.low, token.low if token.low in _SPELLED_OUT else token.text) for token in tokens]
    if capital and not any(word[:1].isupper() for word in words):
        words = [_capital(word, place) for place, word in enumerate(words)]
    text = _SPACE_BEFORE.sub("", " ".join(words)).strip(" ,-")
    return text.replace(" / ", "/").replace("( ", "(")


_SMALL = listed("names.small")


def _capital(word: str, place: int) -> str:
    is_small = place and word.lower() in _SMALL
    return word if is_small else word[:1].upper() + word[1:]


def cut(tokens: Sequence[Token], *, comma: bool = True, keep_when: bool = False) -> tuple[Token, ...]:
    """Up to where the value ends: at another clause, and at a comma unless a list or a place goes on."""
    end = 0
    while end < len(tokens) and not _stops(tokens, end, comma):
        end += 1
    return trimmed(tokens[:end], keep_when=keep_when)


def _stops(tokens: Sequence[Token], place: int, comma: bool) -> bool:
    low = tokens[place].low
    if low == ",":
        return comma
    if low == "so":
        return place > 0
    if low == "and":
        if place and place + 1 < len(tokens) and tokens[place + 1].low in {"no", "zero", "not"}:
            # "eleven jumpers and no shame": what is denied at the end is of another sort.
            return True
        return place + 1 == len(tokens) or _is_clause(tokens[place + 1 : place + 6])
    return low in _STOPS or (not tokens[place].is_word and low not in {"'s", "&", "'", "-", "%", "'d", "/"})


_FINITE = listed("verbs.finite")


def _is_clause(ahead: Sequence[Token]) -> bool:
    """ "… and half of them can't": not another item, but somebody else who does something."""
    end = next((place for place, token in enumerate(ahead) if token.low in {",", "who", "that", "which"}), len(ahead))
    return any(token.low in _FINITE for token in ahead[1:end])


def trimmed(tokens: Sequence[Token], *, keep_when: bool = False) -> tuple[Token, ...]:
    kept = list(tokens)
    while kept:
        phrase = next((each for each in _PHRASES if tuple(token.low for token in kept[-len(each) :]) == each), None)
        if len(kept) > 3 and kept[-3].low == "to" and kept[-1].low in {"this", "that", "it"}:
            # "… to do this": why is another matter.
            del kept[-3:]
        elif phrase is not None and not (keep_when and phrase in _WHEN):
            del kept[-len(phrase) :]
        elif kept[-1].low in _TAIL or (not kept[-1].is_word and kept[-1].low not in {"'s", "%"}):
            kept.pop()
        else:
            break
    return tuple(kept)


def is_telling(tokens: Sequence[Token]) -> bool:
    """Names something that the words alone make clear."""
    if not tokens or len(tokens) > MOST_WORDS:
        return False
    first, last = tokens[0].low, tokens[-1].low
    if (
        (first in _POINTING and not _is_counted(tokens))
        or last in _DANGLING
        or any(token.low in _ASKED for token in tokens)
    ):
        return False
    if first in _NOBODY or first in {"is", "are", "was", "were", "and", "or", "'s", "of"} or len(last) > 40:
        return False
    if len(tokens) == 1 and tokens[0].low in NUMBERS:
        return False
    if len(tokens) == 1 and first in {"lots", "stuff", "things", "more", "most", "much", "some", "few", "none", "too"}:
        return False
    if len(tokens) == 1 and first.endswith("ly") and first not in {"family", "italy", "jelly"}:
        return False
    return last not in _POINTING - {"here", "there", "her"} and not _is_of_the_talk(tokens)


def _is_counted(tokens: Sequence[Token]) -> bool:
    """ "one ear", unlike "one since Monday"."""
    return tokens[0].low == "one" and len(tokens) > 1 and tokens[1].low not in _BEHIND_THE_ONE


_BEHIND_THE_ONE = listed("grammar.behind_the_one")


def _is_of_the_talk(tokens: Sequence[Token]) -> bool:
    if tokens[0].low not in {"the", "all", "some", "any", "both", "how"}:
        return False
    head = next((token.low for token in tokens[1:] if token.low in OF_THE_TALK and not token.is_capital), "")
    return bool(head)


def is_soon(tokens: Sequence[Token]) -> bool:
    """For the next minutes or hours only."""
    low = tuple(token.low for token in tokens)
    return not NOW.isdisjoint(low) or ("a", "second") in pairwise(low)


def value(tokens: Sequence[Token], *, comma: bool = True, keep_when: bool = False) -> tuple[Token, ...]:
    """The telling value at the front of the tokens, or nothing."""
    found = cut(tokens, comma=comma, keep_when=keep_when)
    return found if is_telling(found) else ()


def items(tokens: Sequence[Token]) -> list[tuple[Token, ...]]:
    """ "hiking, chess and old films" as three. What belongs together stays: "mac and cheese", "Tom and Jerry"."""
    whole = _listed(cut(tokens, comma=False))
    if len(whole) > 2 and whole[0].low == "both":
        whole = whole[1:]
    if not whole:
        return []
    parts = _parts(whole)
    if len(parts) < 2 or not all(0 < len(part) <= _MOST_IN_ITEM for part in parts) or _is_bound(whole):
        return [whole]
    if len(parts[0]) > 1 and parts[0][0].low.endswith("ing") and not all(part[0].low.endswith("ing") for part in parts):
        # "wearing jeans and leggings": the nouns hang on the verb.
        return [whole]
    if len(parts) == 2 and not _commas(whole) and _is_pair(*parts):
        return [whole]
    return parts


_MOST_IN_ITEM = 5
_PREDICATES = listed("verbs.predicates")


def _listed(whole: Sequence[Token]) -> tuple[Token, ...]:
    """Up to where the list goes on: a comma begins another item only in a list of three, or where "and" ends it."""
    segments: list[list[Token]] = [[]]
    for token in whole:
        if token.low == ",":
            segments.append([])
        else:
            segments[-1].append(token)
    kept = 1
    while kept < len(segments) and segments[kept] and _PREDICATES.isdisjoint(token.low for token in segments[kept]):
        kept += 1
    is_list = kept > 2 or (kept == 2 and segments[1][0].low in {"and", "or"})
    is_list = is_list or (
        kept == 2 and len(segments[1]) > 2 and segments[1][1].low in {"and", "or"} and len(segments[0]) <= 2
    )
    end = sum(len(segment) + 1 for segment in segments[: kept if is_list else 1]) - 1
    return trimmed(whole[:end])


def _is_bound(whole: Sequence[Token]) -> bool:
    """ "hiking with my dog and my son": the last words hang on the first."""
    return not _commas(whole) and any(
        token.low in {"with", "to", "when", "between", "on", "for", "in"} for token in whole[1:]
    )


def _commas(tokens: Sequence[Token]) -> int:
    return sum(token.low == "," for token in tokens)


_BEFORE_AN_ITEM = listed("grammar.before_an_item")


def _parts(tokens: Sequence[Token]) -> list[tuple[Token, ...]]:
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.low in {",", "and", "&", "or", "plus"}:
            parts.append([])
        elif parts[-1] or token.low not in _BEFORE_AN_ITEM:
            parts[-1].append(token)
    return [trimmed(part) for part in parts if part]


_PAIRS = frozenset(phrases_listed("tastes.pairs"))


def _is_pair(first: Sequence[Token], second: Sequence[Token]) -> bool:
    if (first[-1].low, second[0].low) in _PAIRS or (first[-1].low, second[-1].low) in _PAIRS:
        return True
    if len(first) == 1 and len(second) > 1:
        # "cheese and ham sandwiches" are one thing, and nothing tells it from "chess and old films".
        return True
    return len(first) == 1 and len(second) == 1 and first[0].is_capital and second[0].is_capital


def is_number(token: Token) -> bool:
    return token.low.isdecimal() or token.low in NUMBERS or ("-" in token.low and token.low.split("-")[0] in NUMBERS)


def names(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The capitalised words at the front: a name, as long as it goes on."""
    found: list[Token] = []
    for token in tokens:
        is_joint = bool(found) and token.low in {"van", "de", "von", "da", "del", "la", "of"}
        if not (token.is_capital and token.text[0].isalpha() and token.low != "i") and not is_joint:
            break
        found.append(token)
    while found and not found[-1].is_capital:
        found.pop()
    return tuple(found)
