"""Predicates that say several things, and subjects of two: "a nurse, 34, with two kids", "Dan and I". Pure.

Start at `pieces_of`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from everlore.language.lists import listed
from everlore.language.verbs import base_of_gerund
from everlore.language.words import KEPT, KINDS, NATIONS, PERSONS, SOME, STATES_OF, WORKS
from everlore.learning.clauses import ClauseToken, ParsedClause, lows
from everlore.learning.phrasebooks.predicates import Predicate, VerbForm
from everlore.learning.phrasebooks.wording import held, is_number, with_article

_MOST_TOPIC = 4
_LEADING_LISTS = frozenset("from allergic into afraid scared".split())
_BEFORE_FROM = frozenset("from originally born not recovering retired".split())
_BETWEEN = frozenset({",", "and", "but"})
_NEXT_PIECE = listed("traits.next_piece") | STATES_OF | NATIONS


def pieces_of(predicate: Predicate) -> Iterator[Predicate]:
    """A chain: "Tom, 34, a nurse from Leeds with two kids" is five, "two kids, a dog named Rex and a cat" three."""
    rest, start = predicate.rest, 0
    begins = _begins if predicate.verb == "be" else _begins_thing
    if predicate.verb == "live" and predicate.next in {"in", "near", "at"} and "with" in lows(rest):
        # With whom is another fact: "in Seattle with my husband Tom".
        at = lows(rest).index("with")
        yield predicate.turned(rest=rest[:at])
        is_somebody = not KEPT.isdisjoint(lows(rest[at : at + 5]))
        yield from (predicate.turned(rest=rest[at:]),) if is_somebody else ()
        return
    if predicate.verb not in {"be", "have", "own", "get", "adopt", "raise"}:
        yield predicate
        return
    for place in range(1, len(rest) + 1):
        if place == len(rest) or begins(rest, start, place):
            yield _piece(predicate, rest[start:place], is_first=start == 0)
            start = place


def items_of(predicate: Predicate) -> list[Predicate]:
    """ "likes hiking, chess and old films": each by itself."""
    whole = held(predicate.rest)
    ends = [at for at, token in enumerate(whole) if token.low in {",", "and", "&", "or"}]
    items = [whole[first + 1 : end] for first, end in zip([-1, *ends], [*ends, len(whole)], strict=True)]
    is_list = "," in lows(whole) and all(len(each) <= _MOST_TOPIC for each in items)
    return [predicate.turned(rest=each) for each in items if each] if is_list else [predicate]


def _begins_thing(rest: Sequence[ClauseToken], start: int, place: int) -> bool:
    """Another thing that somebody has begins with its number or article."""
    low, ahead = rest[place].low, lows(rest[place : place + 4])
    is_one = low in SOME | {"my", "our", "any"} or is_number(rest[place]) or not KEPT.isdisjoint(ahead[:2])
    return rest[place - 1].low in {"and", ","} and is_one and not KEPT.isdisjoint((*lows(rest[start:place]), *ahead))


def _begins(rest: Sequence[ClauseToken], start: int, place: int) -> bool:
    first, before, low = rest[start].low, rest[place - 1].low, rest[place].low
    after = rest[place + 1] if place + 1 < len(rest) else None
    if before in {",", "and", "but"}:
        is_list = low == first == "in" or (before == "and" and first in _LEADING_LISTS)
        is_count = is_number(rest[place]) and (not is_number(rest[start]) or (after is not None and after.low in KEPT))
        is_work = before == "," and not WORKS.isdisjoint(lows(rest[place : place + 3]))
        is_aged = before == "," and start == 0 and is_number(rest[0])
        return is_aged or ((low in _NEXT_PIECE or is_count or is_work) and not is_list)
    if after is None:
        return False
    if low == "from":
        return first not in _BEFORE_FROM and after.is_capital
    if low == "with":
        return (is_number(after) or after.low in {"a", "an", "no"}) and first in {
            "a",
            "an",
            "married",
            "single",
            "from",
        }
    return low in {"living", "working", "based"} and after.low in {"in", "at", "as", "for", "near"}


def _piece(predicate: Predicate, tokens: Sequence[ClauseToken], *, is_first: bool) -> Predicate:
    first = next((at for at, token in enumerate(tokens) if token.low not in _BETWEEN), len(tokens))
    last = next((at for at in range(len(tokens), first, -1) if tokens[at - 1].low not in _BETWEEN), first)
    rest = tuple(tokens[first:last])
    if is_first or not rest or predicate.verb != "be":
        return predicate.turned(rest=rest)
    has_kin = len(rest) > 1 and is_number(rest[0]) and rest[1].low in KEPT
    if rest[0].low == "with" or has_kin:
        return predicate.turned(rest=rest[not has_kin :], verb="have", inflected="have")
    gerund = base_of_gerund(rest[0].low)
    if gerund in {"live", "work", "study"}:
        return predicate.turned(rest=rest[1:], verb=gerund, inflected=rest[0].low, form=VerbForm.GOING)
    if rest[0].low not in {"a", "an", "the"} and not (WORKS | KINDS).isdisjoint(lows(rest[:3])):
        article = with_article(rest[0].low).split()[0]
        rest = (ClauseToken(article, article, 0, 0), *rest)
    return predicate.turned(rest=rest)


def with_another(each: ParsedClause, predicate: Predicate) -> Predicate:
    """ "Me and Dan broke up", "my ex-wife and I share a dog": the user did so with somebody."""
    low = lows(each.subject)
    is_bond = predicate.verb == "be" and predicate.next in {"together", "married", "engaged"}
    if "and" not in low or (predicate.verb in listed("verbs.alone") and not is_bond):
        return predicate
    at = low.index("and")
    other = each.subject[at + 1 :] if low[0] == "me" else each.subject[:at] if low[-1] in {"i", "me"} else ()
    if not 0 < len(other) <= _MOST_TOPIC:
        return predicate
    if other[0].low in PERSONS:
        other = (ClauseToken("my", "my", 0, 0), *(replace(token, text=token.low) for token in other))
    if other[0].low == "a":
        other = (replace(other[0], text="a"), *other[1:])
    if is_bond:
        link = "with" if predicate.next == "together" else "to"
        return predicate.turned(rest=(predicate.rest[0], ClauseToken(link, link, 0, 0), *other, *predicate.rest[1:]))
    end = next((place for place, token in enumerate(predicate.rest) if not token.is_word), len(predicate.rest))
    rest = (*predicate.rest[:end], ClauseToken("with", "with", 0, 0), *other, *predicate.rest[end:])
    return predicate.turned(rest=rest)
