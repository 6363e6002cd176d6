"""Short answers: what the assistant asked last is needed to know what "Sarah" or "mine is blue" says.

In: the message, and the turns before it. Out: candidates for what was asked. The assistant's words are never evidence:
they only say which question the user's words answer. `asked.py` knows the questions.

Start at `answered`.
"""

import re
from collections.abc import Sequence

from everlore.language.clauses import Mood, Read, Token, lows, tokens_of
from everlore.language.clauses.moods import is_other_world
from everlore.language.lists import listed
from everlore.reflect.candidate import Candidate, Turn
from everlore.reflect.rules.asked import Asked, favorite, fitting
from everlore.reflect.rules.referring import brought_up
from everlore.reflect.rules.rule import rule

_MOST_QUESTION = 400
_MOST_WORDS = 12
_ASKED_FAVORITE = re.compile(
    r"\b(?:what|which|who)(?:'s|’s|s| is| are)? your fav(?:ou?rite|e)? ([a-z][a-z ]{1,24}?)\s?(?:\?|,|\bmine\b)",
    re.IGNORECASE,
)
_LEADS = listed("talk.before_an_answer")
_NO_ANSWER = listed("talk.no_answer")


_PLAYED = listed("play.played")


@rule
def answered(message: str, reads: Sequence[Read], before: Sequence[Turn]) -> list[Candidate]:
    return _asked_here(message, reads) or _asked_before(message, reads, before)


@rule
def _asked_here(message: str, reads: Sequence[Read]) -> list[Candidate]:
    """ "What's your favorite food? Mine is donuts"."""
    asked = _ASKED_FAVORITE.search(message[:_MOST_QUESTION])
    mine = next(
        (each for each in reads if each.clause.mood is Mood.STATES and lows(each.subject)[:1] == ("mine",)), None
    )
    if not asked or not mine or lows(mine.predicate)[:1] not in {("is",), ("are",)}:
        return []
    return favorite(asked.group(1), mine.predicate[1:])


@rule
def _asked_before(message: str, reads: Sequence[Read], before: Sequence[Turn]) -> list[Candidate]:
    if not before or before[-1].is_user or len(message) > _MOST_QUESTION or not reads:
        return []
    question = before[-1].content[-_MOST_QUESTION:].replace("’", "'")
    is_hedged = message.lower().startswith("probably") and reads[0].clause.mood is Mood.ASKS
    is_told = reads[0].clause.mood in {Mood.STATES, Mood.GREETS} or is_hedged
    if question.count("?") != 1 or not is_told:
        return []
    tokens = tokens_of(message.replace("’", "'"))
    answer = _bare(tokens)
    if not answer:
        return []
    if is_other_world(question) or not _PLAYED.isdisjoint(lows(tokens_of(question))):
        # "What is your name, traveler?" asks a part that is played.
        return []
    asked = tokens_of(re.split(r"[.!\n]", question.rpartition("?")[0])[-1])
    return fitting(Asked(tuple(asked), answer, lows(tokens), reads[0], brought_up(before)))


def _bare(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The answer's own words: up to the end of its first sentence, without "it's" and the like."""
    start = 0
    while start < len(tokens) and tokens[start].low in _LEADS:
        start += 1
    end = start
    while end < len(tokens) and (tokens[end].is_word or tokens[end].low in {",", "/", "'s"}):
        end += 1
    found = _without_ok(tuple(tokens[start:end]))
    is_short = 0 < len(found) <= _MOST_WORDS and found[0].low not in _NO_ANSWER
    is_asked_back = end < len(tokens) and tokens[end].low == "?" and len(found) > _FEW
    # Whoever answers in a whole sentence needs no question to be understood.
    is_whole = not {"i", "you", "we", "is", "are", "was", "it", "am"}.isdisjoint(lows(_first_of(found)))
    return _first_of(found) if is_short and not is_whole and not is_asked_back else ()


_FEW = 3


def _without_ok(found: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "Dmitri is fine"."""
    is_ok = len(found) > 2 and found[-2].low == "is" and found[-1].low in {"fine", "ok", "okay", "good", "great"}
    return found[:-2] if is_ok else found


def _first_of(found: tuple[Token, ...]) -> tuple[Token, ...]:
    """Up to the comma behind which another clause begins: "a village near Turin, you won't have heard of it"."""
    for place, token in enumerate(found):
        if token.low == "," and not {"i", "you", "it", "that", "he", "she", "we"}.isdisjoint(
            lows(found[place + 1 : place + 3])
        ):
            return found[:place]
    return found
