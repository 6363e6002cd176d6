"""Who the user is: what they are called, how old and how tall they are."""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.language.clauses import Token, lows
from everlore.language.firstnames import FIRST_NAMES
from everlore.language.lists import listed
from everlore.language.words import (
    DAYS,
    KINDS,
    MONTHS,
    NATIONS,
    PLACES,
    STATES_OF,
    WORKS,
    words,
)
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.phrase import cut, is_number, names, shown
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import STATED, USER, Said, Tense

_MOST_NAME = 3
_NEAR = 4
_NO_NAME = listed("names.none")
_AFTER_NAME = listed("names.behind")
YOUNGEST, OLDEST = 4, 115
BABY = 1


@rule
def name(
    text: str, reason: str, *, label: str = USER, kind: str = "name", confidence: float = STATED
) -> list[Candidate]:
    return [
        Candidate(
            content=f"{label}'s {kind} is {text}",
            category=Category.PERSONAL_INFO,
            confidence=confidence,
            reasoning=reason,
        )
    ]


def name_in(tokens: Sequence[Token]) -> str:
    """A name at the front of the tokens; one typed in small letters gets its capitals."""
    found = [token for token in names(tokens) if token.low not in _NO_NAME][:_MOST_NAME]
    if found and tokens[0] is found[0]:
        return shown(found)
    short: list[Token] = []
    for token in tokens[:_MOST_NAME]:
        if (
            not token.low.isalpha()
            or token.low in _NO_NAME | _AFTER_NAME
            or (short and token.low not in FIRST_NAMES and len(tokens) > _MOST_NAME)
        ):
            break
        short.append(token)
    return " ".join(token.text[:1].upper() + token.text[1:] for token in short[:2])


def is_name_word(token: Token) -> bool:
    """May be somebody's name where nothing else says so: capitalised, and no word that "I am" takes anyway."""
    low = token.low
    if low in FIRST_NAMES:
        return True
    is_known = low in NATIONS | STATES_OF | KINDS | WORKS | MONTHS | DAYS | PLACES | _NO_NAME or low.endswith(
        ("ing", "ed")
    )
    return token.is_capital and low.isalpha() and len(low) > 1 and not token.text.isupper() and not is_known


# ── name ─────────────────────────────────────────────────────────────────────────────────────────


def named(said: Said) -> list[Candidate]:
    """ "I'm Sarah", "I'm called Sam", "I go by Sam"; and of somebody of theirs, "my boss is Martin"."""
    if said.is_denied or said.tense is not Tense.PRESENT or not said.rest:
        return []
    if not said.is_user:
        return _is_named(said)
    low = lows(said.rest[:2])
    if said.verb == "be" and low[0] not in {"called", "known"}:
        return _am_name(said.rest) if _introduces(said) else []
    if said.verb == "go" and low[0] == "by" and "/" in said.rest[-1].low:
        return said.tells(said.rest, Category.PERSONAL_INFO, "Says their pronouns.")
    if said.verb == "be" or (said.verb == "go" and low[0] == "by" and low[1:] != ("the",)):
        found = name_in(said.rest[2 if low == ("known", "as") else 1 :])
        return name(found, "Says what they are called.", confidence=0.9) if found else []
    return []


@rule
def _is_named(said: Said) -> list[Candidate]:
    """A name, and nothing more."""
    is_name = said.verb == "be" and said.rest[0].is_capital and is_name_word(said.rest[0])
    is_alone = len(said.rest) == 1 or not (said.rest[1].is_word or said.rest[1].low == "'s")
    if not is_name or not is_alone or said.next in _FAMOUS or len(said.label.split()) > _NEAR:
        return []
    return said.tells(f"named {said.rest[0].text}", Category.RELATIONSHIP, "Says what they are called.")


_OPENING = listed("talk.greetings") | words("ok okay well so oh")


def _introduces(said: Said) -> bool:
    """A word that is no known name is one only where people introduce themselves: first of all, or with more of it.
    "My dad's the Arsenal fan, I'm Spurs" names nobody."""
    if said.next in FIRST_NAMES or len(names(said.rest)) > 1:
        return True
    is_first = said.read.sentence <= _FIRST_SENTENCES and (not said.read.lead or said.read.lead[0] in _OPENING)
    is_more = lows(said.rest[1:2]) in {(",",), ("from",)} and len(said.rest) > _FIRST_SENTENCES
    if said.next.endswith("s"):
        # Many a name ends so, and every team does: it is one where nothing but a greeting stands before it.
        return is_first and bool(said.read.subject) and said.read.subject[0].start <= _GREETING
    return is_first or is_more


_FIRST_SENTENCES = 2
_GREETING = len("Good morning! ")
_AFTER_OWN_NAME = listed("names.behind_own") | {""}


@rule
def _am_name(rest: Sequence[Token]) -> list[Candidate]:
    """ "I'm Sarah": a name, and then the end, a comma or where they are from."""
    found = names(rest)
    if not found and rest[0].low in FIRST_NAMES - _AMBIGUOUS:
        found = (rest[0],)
    if not 0 < len(found) <= _MOST_NAME or not all(map(is_name_word, found)):
        return []
    after = rest[len(found)].low if len(rest) > len(found) else ""
    if after not in _AFTER_OWN_NAME or rest[0].low in _FAMOUS or not _TITLES.isdisjoint(lows(rest[1:8])):
        return []
    return name(" ".join(token.text[:1].upper() + token.text[1:] for token in found), "Introduces themselves.")


_AMBIGUOUS = listed("names.words")
_TITLES = listed("names.played")
_FAMOUS = listed("names.famous")


# ── age and height ───────────────────────────────────────────────────────────────────────────────

_MOST_OF_TURN = 6


@rule
def aged(said: Said) -> list[Candidate]:
    """ "I'm 34", "I'm 34 years old", "I turned 30 last week", "I'm in my thirties"."""
    if said.is_denied or not said.rest:
        return []
    if said.verb == "be" and said.tense is Tense.PRESENT:
        return _being_old(said)
    if said.verb != "turn" or not _is_age(said.rest[0]):
        return []
    end = next((place for place, token in enumerate(said.rest) if token.low == "and"), len(said.rest))
    found = cut(said.rest[:end], keep_when=True)
    is_short = len(found) <= _MOST_OF_TURN
    return said.tells(found, Category.PERSONAL_INFO, "Says how old they turn.") if is_short else []


@rule
def _being_old(said: Said) -> list[Candidate]:
    rest = said.rest[1:] if said.next in {"almost", "nearly", "about", "around"} else said.rest
    text = (_decade(rest) or _height(rest) or _age(rest)) if rest else ""
    near = "nearly " if not {"almost", "nearly"}.isdisjoint(lows(said.read.predicate[:_NEAR])) else ""
    return said.tells(near + text, Category.PERSONAL_INFO, "Says their age or height.") if text else []


def _decade(rest: Sequence[Token]) -> str:
    """ "in my thirties", "in my late 40s"."""
    if len(rest) < 3 or rest[0].low != "in" or rest[1].low not in {"my", "his", "her", "their"}:
        return ""
    at = 3 if rest[2].low in {"early", "mid", "late"} and len(rest) > 3 else 2
    decade = rest[at].low.removeprefix("mid-").rstrip("s'")
    return shown(rest[: at + 1]) if decade.isdecimal() or rest[at].low.endswith(("ties", "teens")) else ""


def _age(rest: Sequence[Token]) -> str:
    """ "34", "34 years old", "34f". "34 minutes" is no age."""
    after = rest[1].low if len(rest) > 1 else ""
    third = rest[2].low if len(rest) > 2 else ""
    if not _is_age(rest[0], BABY if third == "old" else YOUNGEST):
        return ""
    if after in {"months", "weeks"} and third == "old":
        return f"{rest[0].text} {after} old"
    is_alone = after in _AFTER_AGE or (after == "and" and not third.isdecimal())
    if not is_alone and not (after in {"years", "year"} and third in {"", "old", "of", "-", "young", ","}):
        return ""
    number = rest[0].low.rstrip("abcdefghijklmnopqrstuvwxyz/") if rest[0].low[0].isdecimal() else rest[0].text
    return f"{number} years old"


_AFTER_AGE = listed("time.behind_an_age") | {""}


def _height(rest: Sequence[Token]) -> str:
    """ "5'10", "6 feet tall", "180 cm tall"."""
    low = lows(rest[:6])
    if len(low) > 2 and low[0] in {"4", "5", "6", "7"} and low[1] == "'" and low[2].isdecimal():
        return f"{low[0]}'{low[2]} tall"
    return " ".join(low[: low.index("tall") + 1]) if "tall" in low[1:5] and is_number(rest[0]) else ""


def _is_age(token: Token, youngest: int = YOUNGEST) -> bool:
    if token.low.isdecimal():
        return youngest <= int(token.low[:4]) <= OLDEST
    return is_number(token) and token.low not in {"one"}
