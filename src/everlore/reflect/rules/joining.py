"""Clauses that say something only beside another: what the next one adds, what the one before it left open.

In: a clause as it was read, and its neighbours. Out: the clause with what belongs to it, or that it says nothing.
"""

from collections.abc import Iterator
from dataclasses import replace

from everlore.language.clauses import Read, Token, Whose, lows
from everlore.language.lists import listed
from everlore.reflect.rules.people import Kin, kin_at
from everlore.reflect.rules.phrase import is_number, shown
from everlore.reflect.rules.said import USER, said_of


def unfolded(each: Read) -> Iterator[Read]:
    """ "… who is 7 and a son, Jack": after the words about the daughter, the user goes on with whom they have."""
    words = lows(each.predicate)
    for place in range(2, len(words)):
        if lows(each.subject) != ("who",) or words[place] not in {"a", "an"} or words[place - 1] not in {"and", ","}:
            continue
        if kin_at(each.predicate, place) is not None:
            have = Token("have", "have", 0, 0)
            clause = replace(each.clause, whose=Whose.SELF, subject="I")
            yield replace(each, predicate=each.predicate[: place - 1])
            yield replace(each, clause=clause, subject=(), front=(), predicate=(have, *each.predicate[place:]))
            return
    yield each


def with_span(each: Read) -> Read:
    """ "twenty years I mended clocks": for so long."""
    low = lows(each.front)
    is_span = len(low) in {2, 3} and low[1] in {"years", "months", "weeks", "decades"} and is_number(each.front[0])
    if not is_span or each.clause.whose is not Whose.SELF:
        return each
    for_ = Token("for", "for", 0, 0)
    first = replace(each.front[0], text=each.front[0].low)
    low = lows(each.predicate)
    end = next((place for place, word in enumerate(low) if word in {",", "and", "but"}), len(low))
    predicate = (*each.predicate[:end], for_, first, each.front[1], *each.predicate[end:])
    return replace(each, front=(), predicate=predicate)


def is_taken_back(after: Read | None) -> bool:
    """ "… at noon... scratch that, at one": neither of the two is sure."""
    near = lows((*after.front, *after.subject, *after.predicate)[:2]) if after is not None else ()
    return near in {("scratch", "that"), ("strike", "that"), ("make", "that")}


_DETERMINERS = listed("grammar.determiners")
_NO_OBJECT = listed("grammar.no_object")
_NEEDING_NONE = listed("verbs.needing_no_object")


def is_relative(each: Read, before: Read | None) -> bool:
    """ "The same one I bought in May", "a guy I've never met": "I" right behind a noun, and no object behind the verb,
    for the noun is the object."""
    if each.clause.whose is not Whose.SELF or not each.subject:
        return False
    if each.front:
        tail = lows(each.front)[-3:]
        return tail[-1] in {"one", "ones", "thing", "guy", "person", "place"} and _lacks_object(each)
    if before is None or before.sentence != each.sentence:
        return False
    if each.lead[-1:] not in {(), ("one",), ("ones",), ("thing",), ("person",), ("place",), ("that",)}:
        return False
    tail = lows((*before.front, *before.subject, *before.predicate))[-3:]
    return (bool(each.lead) or not _DETERMINERS.isdisjoint(tail[:-1])) and _lacks_object(each)


_BESIDE_VERBS = frozenset({"up", "out", "down", "off", "away", "myself", "ourselves"})


def _lacks_object(each: Read) -> bool:
    said = said_of(each, USER)
    if said is None or said.verb in _NEEDING_NONE:
        return False
    rest = tuple(token for token in said.rest if token.low not in _BESIDE_VERBS)
    return not rest or rest[0].low in _NO_OBJECT or not rest[0].is_word


def with_when(each: Read, after: Read | None) -> Read:
    """ "… when I was ten": the time that the next clause gives belongs to this one."""
    leads = [word for word in after.lead if word in {"when", "until", "till", "since"}] if after is not None else []
    if after is None or after.sentence != each.sentence or not leads:
        return each
    if lows(after.predicate)[:1] not in {("was",), ("were",), ("turned",)} or len(after.predicate) < 2:
        return each
    if leads[0] == "since":
        return _with_since(each, after)
    return replace(each, predicate=(*each.predicate, Token("when", "when", 0, 0), *after.subject, *after.predicate))


def _with_since(each: Read, after: Read) -> Read:
    """ "… since I was nine": in one piece, for it is no clause of its own any more."""
    words = lows(after.predicate)
    end = next((place for place, word in enumerate(words) if word in {"and", "but", ","}), len(words))
    if end > _NEAR:
        return each
    text = shown((*after.subject, *after.predicate[:end])).replace("they was", "they were")
    return replace(each, predicate=(*each.predicate, Token("since", "since", 0, 0), Token(text, text, 0, 0)))


_NEAR = 5
_BEHIND_HER = _NO_OBJECT | listed("grammar.behind_her")


def spelled_out(each: Read, last: Kin | None) -> Read:
    """ "I only see her at Christmas": whom, where it was just said and stands near the verb."""
    if last is None or last.is_many or each.clause.whose is not Whose.SELF:
        return each
    spelled = list(each.predicate)
    for place, token in enumerate(spelled[:_NEAR]):
        after = spelled[place + 1].low if place + 1 < len(spelled) else ","
        is_one = token.low == "him" or (token.low == "her" and after in _BEHIND_HER)
        if place and is_one and last.answers_to("he" if token.low == "him" else "she"):
            spelled[place] = Token(f"their {last.kind} {last.name}".strip(), last.noun, 0, 0)
    return replace(each, predicate=tuple(spelled))
