"""What the other rules have no word for: the plain present of the user, by grammar and not by a list of verbs.

People tell of themselves with any verb there is: "I skipper a dredger", "I sign BSL", "I've got SMA", "my rating is
1740". So here everything is taken that is said in the plain present with something telling after the verb, unless a
word shows that it passes: what somebody thinks, says, feels or needs just now, what a player does in a game, what
belongs to the talk or to the task at hand. The lists are of what passes, for that is the smaller world.

In: a clause taken apart. Out: the same in the third person, a little less sure. Start at `stated`.
"""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.language import lasting as known
from everlore.language.clauses import Token, lows
from everlore.language.firstnames import FIRST_NAMES
from everlore.language.lists import listed
from everlore.language.verbs import base_of_past
from everlore.language.words import DAYS, MONTHS
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.lasting import is_of_the_moment
from everlore.reflect.rules.people import is_plural, list_of_names
from everlore.reflect.rules.phrase import cut, is_number, is_soon, is_telling, shown
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, Tense
from everlore.reflect.rules.times import head_of, is_idiom, says_now

_SURE = 0.8
_MOST = 12
_MOVES = listed("play.moves")
_TALK = listed("verbs.talk")
_NEVER = known.THINKING | _MOVES | _TALK
_OPEN_ENDS = listed("grammar.open_ends")


@rule
def stated(said: Said) -> list[Candidate]:
    """Nothing, unless it is plain and says enough by itself."""
    return _doing(said) or _having(said) or _many_times(said) or _took_up(said)


@rule
def _doing(said: Said) -> list[Candidate]:
    if not said.is_user or said.tense is not Tense.PRESENT or said.verb in _NEVER or not said.verb.isalpha():
        return []
    held = cut(said.rest, keep_when=True)
    if not _tells(held) or is_of_the_moment(said) or is_idiom(said.read.predicate):
        return []
    return said.tells(shown(held), Category.PERSONAL_INFO, "Tells what they do.", confidence=_SURE)


_NO_HAVING = known.PASSING_THINGS | known.MOODS | listed("grammar.no_having")


@rule
def _having(said: Said) -> list[Candidate]:
    """ "I've got SMA", "I have one kidney". Of other things most are had for an hour: "a splinter", "a bee in here"."""
    held = cut(said.rest, keep_when=True)
    is_plain = said.is_user and said.verb == "have" and said.tense is Tense.PRESENT and not said.is_denied
    is_plain = is_plain and not {"have", "got", "has"}.isdisjoint(lows(said.read.predicate[:4]))
    if not is_plain or not held or not _tells(held) or is_of_the_moment(said) or is_idiom(said.read.predicate):
        return []
    low = lows(held)
    if held[0].low in _NO_HAVING or not {"to", "left", "today", "tomorrow"}.isdisjoint(low):
        return []
    is_told = _is_ill(held) or (len(held) > 1 and low[0] == "one" and head_of(held) in known.BODY | _ORGANS)
    return said.tells(held, Category.PERSONAL_INFO, "Says what they have.", confidence=_SURE) if is_told else []


_ORGANS = listed("body.organs")
_ILL_ENDS = tuple(listed("body.ends"))
_ILL = listed("body.illness")


def _is_ill(held: Sequence[Token]) -> bool:
    """An illness has no article: letters ("SMA"), a learned word, or a "syndrome"."""
    first = held[0]
    is_letters = first.text.isupper() and 1 < len(first.text) <= _MOST_LETTERS and first.text.isalpha()
    is_alone = len(held) == 1 or held[1].low in {"and", "in", "since", "for", "type", "so", "too"}
    return (is_letters and is_alone) or head_of(held).endswith(_ILL_ENDS) or head_of(held) in _ILL


_MOST_LETTERS = 5


def _is_kept(held: Sequence[Token]) -> bool:
    """Nothing is asked or done with it in the same breath, and no word of it weighs it as of now."""
    return (known.PASSING_THINGS | known.MOODS | known.OF_THE_TASK | known.OF_CODE).isdisjoint(lows(held))


@rule
def _many_times(said: Said) -> list[Candidate]:
    """ "I've won two buckles since", "I've broken my arm twice": what has a count is of a life."""
    held = cut(said.rest, keep_when=True)
    if said.tense is not Tense.PERFECT or said.is_denied or not held or not _tells(held):
        return []
    is_counted = is_number(held[0]) and held[0].low != "one" and len(held) > 1
    is_many = is_counted or held[-1].low == "twice" or lows(held[-1:]) == ("times",)
    if not is_many or said.verb in (_TALK | known.THINKING) - {"win", "lose", "fail", "run"} or not _is_kept(held):
        return []
    return said.tells(held, Category.EXPERIENCE, "Tells how often.", confidence=_SURE)


@rule
def _took_up(said: Said) -> list[Candidate]:
    """ "I've taken up pottery", "took up the cello"."""
    held = cut(said.rest, keep_when=True)
    is_new = said.verb == "take" and said.next == "up" and said.tense in {Tense.PAST, Tense.PERFECT} and len(held) > 1
    if not is_new or said.is_denied or not _tells(held[1:]) or {"space", "time", "room"}.intersection(lows(held)):
        return []
    end = next((at for at, token in enumerate(held) if token.low == "of" and at > 1), len(held))
    return said.tells(held[:end], Category.PREFERENCE, "Tells what they have begun.", confidence=_SURE)


def _tells(held: Sequence[Token]) -> bool:
    if not held or len(held) > _MOST or held[0].low in _OPEN_ENDS or not is_telling(held):
        return False
    low = lows(held)
    if (
        low[0] in {"the", "my"}
        and not any(token.is_capital for token in held[1:])
        and {"for", "at"}.isdisjoint(low[2:])
    ):
        # "I study the inscription": this one thing, here and now.
        return False
    if not {"you", "your", "yours", "this", "that", "it"}.isdisjoint(low) or says_now(held) or is_soon(held):
        return False
    return head_of(held) not in known.PASSING_THINGS | known.OF_THE_TASK | known.OF_CODE


@rule
def valued(said: Said, subject: Sequence[Token]) -> list[Candidate]:
    """ "my rating is 1740", "my travel companion is Beatriz": whatever it is, it has a number or a name."""
    low = lows(subject)
    is_plain = said.verb == "be" and said.tense is Tense.PRESENT and not said.is_denied and 0 < len(low) <= _MOST_ROLE
    held = cut(said.rest, keep_when=True)
    if is_plain and lows(held[:1]) in {("called",), ("named",)} and held[1:] and _NO_ROLE.isdisjoint(low):
        return [_bond(shown(subject), shown(held[1:], capital=True))] if len(held) <= _MOST_ROLE else []
    if not is_plain or not held or len(held) > _MOST_ROLE or not all(word.replace("-", "").isalpha() for word in low):
        return []
    if not _NO_VALUE.isdisjoint(low) or is_soon(held) or says_now(held) or len(held) < len(said.rest) - _MOST_ROLE:
        return []
    if len(held) == 1 and _is_name(held[0], ()):
        is_person = held[0].low in FIRST_NAMES
        named = f"User's {shown(subject)} is {held[0].text}"
        return [_bond(shown(subject), held[0].text) if is_person else _fact(named, Category.RELATIONSHIP, "Names it.")]
    is_numbered = held[0].low[0].isdecimal() and held[0].low not in {"0", "1", "2"} and "%" not in "".join(lows(held))
    content = f"User's {shown(subject)} is {shown(held)}"
    return [_fact(content, Category.PERSONAL_INFO, "Says what it is.")] if is_numbered else []


_MOST_ROLE = 3
_NO_VALUE = known.OF_THE_TASK | listed("things.no_value")


def _fact(content: str, category: Category, reason: str) -> Candidate:
    return Candidate(content=content, category=category, confidence=_SURE, reasoning=reason)


_NO_ROLE = known.OF_THE_TASK | listed("things.no_role")


@rule
def introduced(tokens: Sequence[Token]) -> list[Candidate]:
    """ "my manager Denise", "our cofounder Anneke": whoever they are to the user, they have a name. Of several, all
    names: "our neighbours Ann and Bo"."""
    return [
        _bond(shown((role,)), list_of_names(tokens, at + 2)[0] if is_plural(role.low) else name.text)
        for at, (owner, role, name) in enumerate(zip(tokens, tokens[1:], tokens[2:], strict=False))
        if owner.low in {"my", "our"} and _is_role(role) and _is_name(name, tokens[at + 3 : at + 4])
    ]


def _is_name(token: Token, after: Sequence[Token]) -> bool:
    """ "my iPhone Pro Max" names no person, and "my grandfather flew Lancasters" neither."""
    is_day = token.low.removesuffix("s") in DAYS | MONTHS
    return token.is_capital and token.text[1:].islower() and not is_day and not (after and after[0].is_capital)


def _is_role(token: Token) -> bool:
    is_noun = token.text.islower() and token.low.isalpha() and token.low not in known.PASSING_THINGS | _NO_ROLE
    return is_noun and base_of_past(token.low) is None


def _bond(role: str, name: str) -> Candidate:
    what = role if is_plural(role) else f"{'an' if role[0] in 'aeiou' else 'a'} {role}"
    return Candidate(
        content=f"User has {what} named {name}",
        category=Category.RELATIONSHIP,
        confidence=_SURE + 0.05,
        reasoning="Names somebody of theirs.",
    )
