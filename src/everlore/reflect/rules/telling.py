"""What one clause tells of its subject: every rule asked in turn, the first that knows something answers.

"I'm Tom, 34, a nurse from Leeds with two kids" is taken apart first, because each of its pieces is a fact.

Start at `told`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from everlore.domain.memory import Category
from everlore.language.clauses import Token, lows
from everlore.language.lists import listed
from everlore.language.verbs import base_of_gerund
from everlore.language.words import INSTRUMENTS, KEPT, KINDS, LANGUAGES, NATIONS, PERSONS, STATES_OF, WORKS, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules import (
    bonds,
    home,
    identity,
    open,
    openbeing,
    people,
    plans,
    skills,
    tastes,
    traits,
    wide,
    work,
)
from everlore.reflect.rules.anchored import anchored, has_time, lies_ahead
from everlore.reflect.rules.phrase import is_number, is_soon, value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import IMPLIED, Said, Tense

Rule = Callable[[Said], list[Candidate]]

_OF_BOTH = listed("talk.of_both")
_PLAYED = frozenset((each,) for each in INSTRUMENTS)
_NOT_NOW = frozenset({"when", "until", "before", "after", "once", "whenever", "if", "then"})


def told(said: Said) -> list[Candidate]:
    said = _on_the_way(said)
    if _is_we(said):
        if not _we_tell(said):
            return []
        said = _as_one(said)
    said = _there(_with_another(said))
    if said.tense is not Tense.PAST and not _NOT_NOW.isdisjoint((*said.read.lead, *lows(said.read.front[-1:]))):
        return []
    if said.verb != "be":
        return _dated(said, _first(said, _OF_DOING))
    if said.tense is Tense.PERFECT:
        return _first(said, (bonds.stated, home.stated, wide.stated, work.stated, anchored))
    return [each for piece in _pieces(said) for each in _first(piece, _OF_BEING if piece.verb == "be" else _OF_DOING)]


def _on_the_way(said: Said) -> Said:
    """ "We're off to Madeira in May" is going there."""
    if said.verb == "be" and said.tense is Tense.PRESENT and said.next == "on" and lows(said.rest[1:2]) in _PLAYED:
        # "I'm on cello".
        return said.turned(verb="play", form="play", rest=said.rest[1:2])
    is_off = said.verb == "be" and said.tense is Tense.PRESENT and lows(said.rest[:2]) == ("off", "to")
    return said.turned(verb="go", form="going", tense=Tense.GOING, rest=said.rest[1:]) if is_off else said


_MOST_BESIDE = 4
_BOUND = words("together married engaged")
_ALONE = listed("verbs.alone")


def _with_another(said: Said) -> Said:
    """ "Me and Dan broke up", "my ex-wife and I share a dog": the user did so with somebody."""
    subject = said.read.subject
    low = lows(subject)
    is_bond = said.verb == "be" and said.next in _BOUND
    if not said.is_user or (said.verb in _ALONE and not is_bond) or "and" not in low:
        return said
    at = low.index("and")
    other = subject[at + 1 :] if low[0] == "me" else subject[:at] if low[-1] in {"i", "me"} else ()
    if not other or len(other) > _MOST_BESIDE:
        return said
    if other[0].low in PERSONS:
        # "Wife and I".
        other = (Token("my", "my", 0, 0), *(Token(token.low, token.low, 0, 0) for token in other))
    if other[0].low in {"a", "an", "the", "some", "two"}:
        # The capital of the sentence.
        other = (replace(other[0], text=other[0].low), *other[1:])
    if said.verb == "meet":
        return said.turned(rest=(*other, *said.rest))
    if is_bond:
        link = "with" if said.next == "together" else "to"
        return said.turned(rest=(said.rest[0], Token(link, link, 0, 0), *other, *said.rest[1:]))
    end = next((place for place, token in enumerate(said.rest) if not token.is_word), len(said.rest))
    rest = (*said.rest[:end], Token("with", "with", 0, 0), *other, *said.rest[end:])
    return said.turned(rest=rest)


@rule
def _of_two_places(said: Said) -> list[Candidate]:
    """ "I live between Berlin and Lisbon", "I've lived in Lucca all my life": said whole or not at all."""
    low = lows(said.rest)
    is_whole = low[:1] == ("between",) or ("all", "my", "life") in {low[at : at + 3] for at in range(len(low))}
    found = value(said.rest, keep_when=True) if said.verb == "live" and is_whole else ()
    return said.tells(found, Category.PERSONAL_INFO, "Says where they live.") if found else []


_NO_PLANS = words("live work study like love hate")


def _dated(said: Said, found: list[Candidate]) -> list[Candidate]:
    """ "I have an interview on Monday" is what lies ahead, whatever rule knew it."""
    if not said.is_user or said.verb in _NO_PLANS or not lies_ahead(said):
        return found
    is_plain = {Category.PERSONAL_INFO, Category.SKILL}
    return [replace(each, category=Category.GOAL) if each.category in is_plain else each for each in found]


def _there(said: Said) -> Said:
    """ "I'm up in Aberdeen" is in Aberdeen."""
    is_off = said.verb == "be" and said.next in {"up", "down", "over", "out", "back"}
    return said.turned(rest=said.rest[1:]) if is_off and lows(said.rest[1:2]) in {("in",), ("at",)} else said


def _is_we(said: Said) -> bool:
    return said.read.clause.subject == "we" and bool(said.read.subject) and said.read.subject[0].low == "we"


def _we_tell(said: Said) -> bool:
    """ "We" may be the two who talk: what they could have done here is not the user's for sure."""
    if said.verb == "get":
        return said.next in {"a", "an", "two", "three", "married", "engaged", "divorced"} or is_owned(said.rest)
    if "together" in lows(said.rest) or (said.is_denied and said.verb in _MUTUAL):
        # Who the other one is was not said here.
        return False
    if said.verb == "speak" and any(token.low in LANGUAGES for token in said.rest[:2]):
        return True
    if said.verb == "be":
        return said.next in {"married", "engaged", "from", "expecting", "based"} or _is_kind(said) or _is_placed(said)
    return said.verb not in _OF_BOTH or (said.tense is not Tense.WOULD and has_time(said))


_MUTUAL = listed("verbs.mutual")


def _is_placed(said: Said) -> bool:
    """ "We're in Dunedin", "we're fully remote"."""
    is_named = len(said.rest) > 1 and said.rest[1].is_capital and said.rest[1].low not in WORKS | KINDS
    if "now" in lows(said.read.predicate[:4]):
        return False
    return said.tense is Tense.PRESENT and ((said.next == "in" and is_named) or "remote" in lows(said.rest[:2]))


def _is_kind(said: Said) -> bool:
    low = said.next
    return low in STATES_OF | NATIONS or (low.endswith("s") and low[:-1] in KINDS | WORKS)


def _as_one(said: Said) -> Said:
    """ "We're Quakers" is told of one of them: "a Quaker"."""
    low = said.next
    if said.verb != "be" or not low.endswith("s") or low[:-1] not in KINDS | WORKS:
        return said
    noun = Token(said.rest[0].text[:-1], low[:-1], said.rest[0].start, said.rest[0].end)
    article = "an" if low[0] in "aeiou" else "a"
    return said.turned(rest=(Token(article, article, 0, 0), noun, *said.rest[1:]))


def is_owned(rest: Sequence[Token]) -> bool:
    return bool(rest) and rest[0].low in {"our", "my"}


_PASSING = listed("verbs.passing")
_FOR_DAYS = listed("things.for_days")


@rule
def _of_others(said: Said) -> list[Candidate]:
    """ "My parents run a B&B", "he makes candles": what one's people do is what they do for long."""
    found = value(said.rest, keep_when=True)
    is_told = not said.is_user and said.tense is Tense.PRESENT and said.verb not in _PASSING and found
    if not is_told or is_soon(found) or found[0].low.endswith("ing") or not _FOR_DAYS.isdisjoint(lows(found)):
        return []
    return said.tells(found, Category.RELATIONSHIP, "Tells what one of theirs does.", confidence=IMPLIED)


_OF_BEING: tuple[Rule, ...] = (
    identity.aged,
    identity.named,
    traits.lasting,
    home.stated,
    tastes.stated,
    bonds.stated,
    work.stated,
    work.doing,
    wide.stated,
    anchored,
    openbeing.stated,
)
_OF_DOING: tuple[Rule, ...] = (
    _of_two_places,
    identity.aged,
    identity.named,
    bonds.stated,
    plans.stated,
    tastes.stated,
    people.having,
    skills.stated,
    home.stated,
    work.stated,
    wide.stated,
    anchored,
    open.stated,
    _of_others,
)


def _first(said: Said, rules: Sequence[Rule]) -> list[Candidate]:
    return next((found for each in rules if (found := each(said))), [])


def _pieces(said: Said) -> Iterator[Said]:
    """A chain after "I am": "Tom, 34, a nurse from Leeds with two kids" in five."""
    rest, start = said.rest, 0
    for place in range(1, len(rest)):
        if _begins(rest, start, place):
            yield _piece(said, _told(rest, start, place))
            start = place
    yield _piece(said, _told(rest, start, len(rest)))


def _told(rest: Sequence[Token], start: int, end: int) -> tuple[Token, ...]:
    """A piece of the chain, with the article that work has."""
    piece = _bare(rest[start:end])
    if not start or not piece or not _is_bare_work(rest, 0, start + list(rest[start:]).index(piece[0])):
        return piece
    article = "an" if piece[0].low[0] in "aeiou" else "a"
    return (Token(article, article, 0, 0), *piece)


def _piece(said: Said, tokens: tuple[Token, ...]) -> Said:
    if tokens and tokens[0].low == "with" and said.rest[:1] != tokens[:1]:
        return said.turned(rest=tokens[1:], verb="have", form="have")
    if tokens and said.rest[:1] != tokens[:1] and is_number(tokens[0]) and len(tokens) > 1 and tokens[1].low in KEPT:
        return said.turned(rest=tokens, verb="have", form="have")
    gerund = base_of_gerund(tokens[0].low) if tokens else None
    if gerund in {"live", "work", "study"}:
        return said.turned(rest=tokens[1:], verb=gerund, form=tokens[0].low, tense=Tense.GOING)
    return said.turned(rest=tokens)


def _bare(tokens: Sequence[Token]) -> tuple[Token, ...]:
    kept = list(tokens)
    while kept and kept[0].low in {",", "and", "but"}:
        kept.pop(0)
    while kept and kept[-1].low in {",", "and", "but"}:
        kept.pop()
    return tuple(kept)


_NEXT_PIECE = listed("traits.next_piece") | STATES_OF | NATIONS


_FROM_WHAT = words("from originally born not recovering retired")
_WITH_WHOM = words("a an married single divorced from")
_GRADES = words("rather quite very pretty also currently")


def _begins(rest: Sequence[Token], start: int, place: int) -> bool:
    first, before, low = rest[start].low, rest[place - 1].low, rest[place].low
    after = rest[place + 1] if place + 1 < len(rest) else None
    if first == "born" or after is None:
        return first != "born" and before in _JOINING and _is_piece(rest, start, place)
    if before in _JOINING:
        return _is_piece(rest, start, place)
    if low in {"living", "working", "based", "studying"}:
        return low == "studying" or after.low in {"in", "at", "as", "for", "near"}
    if low == "from":
        return first not in _FROM_WHAT and before != "away"
    is_had = is_number(after) or after.low in {"a", "an", "no", "my"}
    return low == "with" and first in _WITH_WHOM and is_had


_JOINING = words(", and kinda but")


def _is_bare_work(rest: Sequence[Token], start: int, place: int) -> bool:
    """ "Kim, 23, nursing student in Leeds": behind a name or an age, and without an article."""
    end = next((at for at in range(place, len(rest)) if rest[at].low in _BEHIND_WORK), len(rest))
    is_work = 0 < end - place <= _MOST_OF_WORK and rest[end - 1].low in WORKS
    is_introduced = rest[start].is_capital or is_number(rest[start])
    return is_work and is_introduced and rest[place].low not in STATES_OF | {"a", "an"}


_MOST_OF_WORK = 3
_BEHIND_WORK = words(", in at from with for and but")


def _is_piece(rest: Sequence[Token], start: int, place: int) -> bool:
    first, low = rest[start].low, rest[place].low
    after = rest[place + 1].low if place + 1 < len(rest) else ""
    is_said_of = low in _NEXT_PIECE or (low in _GRADES and after in _NEXT_PIECE)
    is_count = is_number(rest[place]) and (not is_number(rest[start]) or after in KEPT)
    is_work = rest[place - 1].low == "," and _is_bare_work(rest, start, place)
    is_list = low == first == "in" or (first in {"from", "allergic", "into"} and rest[place - 1].low == "and")
    return (is_said_of or is_count or is_work) and not is_list
