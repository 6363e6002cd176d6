"""Short answers: what the assistant asked last is needed to know what "Sarah" or "mine is blue" says.

In: the message, and the turns before it. Out: what it says in full, for the other rules to read. The assistant's words
are never evidence: they only say which question the user's words answer. `asked.py` knows the questions.

Start at `answered`.
"""

import re
from collections.abc import Sequence

from everlore.language.clauses import Mood, Read, Token, lows, tokens_of
from everlore.language.clauses.moods import is_other_world
from everlore.language.lists import listed
from everlore.reflect.candidate import Turn
from everlore.reflect.rules.asked import AGREEING, Answer, in_full
from everlore.reflect.rules.phrase import shown
from everlore.reflect.rules.referring import brought_up

_MOST_QUESTION = 400
_MOST_WORDS = 12
_ASKED_FAVORITE = re.compile(
    r"\b(?:what|which|who)(?:'s|’s|s| is| are)? your fav(?:ou?rite|e)? ([a-z][a-z ]{1,24}?)\s?(?:\?|,|\bmine\b)",
    re.IGNORECASE,
)
_LEADS = listed("talk.before_an_answer")
_NO_ANSWER = listed("talk.no_answer")
_PLAYED = listed("play.played")


def answered(message: str, reads: Sequence[Read], before: Sequence[Turn]) -> str:
    return _asked_here(message, reads) or _asked_before(message, reads, before)


def _asked_here(message: str, reads: Sequence[Read]) -> str:
    """ "What's your favorite food? Mine is donuts"."""
    asked = _ASKED_FAVORITE.search(message[:_MOST_QUESTION])
    mine = next(
        (each for each in reads if each.clause.mood is Mood.STATES and lows(each.subject)[:1] == ("mine",)), None
    )
    if not asked or not mine or lows(mine.predicate)[:1] not in {("is",), ("are",)}:
        return ""
    return f"My favorite {asked[1].lower()} is {shown(mine.predicate[1:])}."


def _asked_before(message: str, reads: Sequence[Read], before: Sequence[Turn]) -> str:
    if not before or before[-1].is_user or len(message) > _MOST_QUESTION or not reads:
        return ""
    question = before[-1].content[-_MOST_QUESTION:].replace("’", "'")
    is_hedged = message.lower().startswith("probably") and reads[0].clause.mood is Mood.ASKS
    is_told = reads[0].clause.mood in {Mood.STATES, Mood.GREETS} or is_hedged
    # "What is your name, traveler?" asks a part that is played.
    is_played = is_other_world(question) or not _PLAYED.isdisjoint(lows(tokens_of(question)))
    if question.count("?") != 1 or not is_told or is_played:
        return ""
    tokens = tokens_of(message.replace("’", "'"))
    answer = _bare(tokens) or tuple(token for token in tokens[:1] if token.low in AGREEING)
    asked = tokens_of(re.split(r"[.!\n:]", question.rpartition("?")[0])[-1])
    return in_full(asked, Answer(answer, lows(tokens), brought_up(before))) if answer else ""


def _bare(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The answer's own words: up to the end of its first sentence, without "it's" and the like."""
    start = 0
    while start < len(tokens) and (tokens[start].low in _LEADS or _is_no(tokens[start:])):
        start += 1
    end = start
    while end < len(tokens) and tokens[end].low not in _LAUGHS and _goes_on(tokens[end]):
        end += 1
    found = _first_of(_without_ok(tuple(tokens[start:end])))
    is_short = 0 < len(found) <= _MOST_WORDS and found[0].low not in _NO_ANSWER
    is_asked_back = end < len(tokens) and tokens[end].low == "?" and len(found) > _FEW
    # Whoever answers in a whole sentence needs no question to be understood.
    since = lows(found).index("since") if "since" in lows(found) else len(found)
    is_whole = bool(found) and (found[0].low in _VERBS or not _WHOLE.isdisjoint(lows(found[:since])))
    return found if is_short and not is_whole and not is_asked_back else ()


_FEW = 3
_LAUGHS = frozenset({"lol", "haha", "hahaha", "lmao", "hehe", "xd"})
_WHOLE = frozenset({"i", "you", "we", "is", "are", "was", "it", "am"})
_VERBS = frozenset({"have", "has", "got", "do", "live", "work", "did", "had"})


def _is_no(tokens: Sequence[Token]) -> bool:
    """ "Nope, not since …": what follows says more."""
    return lows(tokens[:2]) in {("nope", ","), ("no", ","), ("nah", ",")} and len(tokens) > _FEW


def _goes_on(token: Token) -> bool:
    return token.is_word or token.low in {",", "/", "'s"}


def _without_ok(found: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "Dmitri is fine"."""
    is_ok = len(found) > 2 and found[-2].low == "is" and found[-1].low in {"fine", "ok", "okay", "good", "great"}
    return found[:-2] if is_ok else found


def _first_of(found: tuple[Token, ...]) -> tuple[Token, ...]:
    """Up to where another clause begins: "a village near Turin, you won't have heard of it", "Riga till I was ten"."""
    for place, token in enumerate(found):
        after = lows(found[place + 1 : place + 3])
        is_clause = token.low == "," and not _BEGINNING.isdisjoint(after)
        if place and (is_clause or token.low in {"till", "until", "when", "but", "because"}):
            return found[:place]
    return found


_BEGINNING = frozenset({"i", "you", "it", "that", "he", "she", "we", "but", "my", "then"})
