"""Renders words of a clause in the third person, and finds where a statement ends. Pure.

"my husband Tom" becomes "their husband Tom". Statements about "you", "it" or "that idea" refer to the chat and mean
nothing on their own.

Start at `held` and `shown`.
"""

import re
from collections.abc import Sequence

from everlore.language.lists import by_word, listed, phrases_listed
from everlore.language.words import NUMBERS, OF_THE_TALK
from everlore.learning.clauses import ClauseToken, lows
from everlore.learning.clauses.words import AUXILIARIES, PRONOUNS

_TURNED = by_word("grammar.turned")
_SPELLED_OUT = listed("typing.spelled_out")
_STOPS = listed("grammar.stops")
_FINITE = listed("verbs.finite")
_TAIL = listed("talk.tail")
_PHRASES = phrases_listed("talk.tail_phrases")
# "these days", "right now": time expressions.
_WHEN = frozenset({("these", "days"), ("right", "now"), ("at", "the", "moment"), ("for", "now"), ("so", "far")})
_POINTING = listed("grammar.pointing")
_DANGLING = listed("grammar.dangling")
_NOBODY = listed("grammar.nobody")
_ASKED = frozenset("you your yours yourself u ur".split())
_ALONE = frozenset("lots stuff things more most much some few none too is are was were and or 's of".split())
_MOST_WORDS = 16
_MOST_OF_ITEM = 4
_SPACE_BEFORE = re.compile(r" (?=[,.;:!?%)']|n't)")


def shown(tokens: Sequence[ClauseToken]) -> str:
    """The tokens as text in the third person."""
    words = (_TURNED.get(each.low, each.low if each.low in _SPELLED_OUT else each.text) for each in tokens)
    return _SPACE_BEFORE.sub("", " ".join(words)).strip(" ,-").replace(" / ", "/").replace("( ", "(")


def held(tokens: Sequence[ClauseToken]) -> tuple[ClauseToken, ...]:
    """The tokens of the statement after the verb: up to the next clause, or a comma that continues no list or place."""
    end = 0
    while end < len(tokens) and not _stops(tokens, end):
        end += 1
    return _trimmed(tokens[:end])


def _stops(tokens: Sequence[ClauseToken], place: int) -> bool:
    low, after = tokens[place].low, lows(tokens[place + 1 : place + 6])
    if low == ",":
        return not (_is_listed(tokens, place) or _is_wider_place(tokens, place))
    if low in {"so", "and"}:
        is_another = after[:1] in {("no",), ("zero",), ("not",)} or not _FINITE.isdisjoint(after[1:])
        return place > 0 and (low == "so" or not after or is_another)
    return low in _STOPS or (not tokens[place].is_word and low not in {"'s", "&", "'", "-", "%", "'d", "/"})


def _is_wider_place(tokens: Sequence[ClauseToken], place: int) -> bool:
    """ "Leeds, England": a wider place after a comma, which is not the subject of a verb."""
    wider = names(tokens[place + 1 :])
    behind = tokens[place + 1 + len(wider) :]
    is_end = not behind or behind[0].low in _STOPS | {"with", "and", "for", "since", "now"} or not behind[0].is_word
    return place > 0 and bool(wider) and tokens[place - 1].is_capital and is_end


def _is_listed(tokens: Sequence[ClauseToken], place: int) -> bool:
    """Whether a list of short items continues, up to its "and"."""
    ahead = lows(tokens[place + 1 : place + 2 * _MOST_OF_ITEM])
    end = next((at for at, low in enumerate(ahead) if low in {"and", "or", "&"}), 0)
    return end > 0 and (PRONOUNS | AUXILIARIES | _STOPS).isdisjoint(ahead[: end + 2])


def _trimmed(tokens: Sequence[ClauseToken]) -> tuple[ClauseToken, ...]:
    kept = list(tokens)
    while kept:
        phrase = next((each for each in _PHRASES if lows(kept[-len(each) :]) == each), ())
        is_tail = kept[-1].low in _TAIL and lows(kept[-2:-1]) != ("by",)
        if phrase and phrase not in _WHEN:
            del kept[-len(phrase) :]
        elif is_tail or not (kept[-1].is_word or kept[-1].low in {"'s", "%"}):
            kept.pop()
        else:
            break
    return tuple(kept)


def is_telling(tokens: Sequence[ClauseToken]) -> bool:
    """Whether the words name something on their own."""
    if not 0 < len(tokens) <= _MOST_WORDS:
        return False
    words = lows(tokens)
    first, last = words[0], words[-1]
    if first in (_POINTING - {"one"} if len(words) > 1 else _POINTING) | _NOBODY or not _ASKED.isdisjoint(words):
        return False
    if last in _DANGLING | (_POINTING - {"here", "there", "her"}) or (len(words) == 1 and first in NUMBERS | _ALONE):
        return False
    is_vague = first in {"the", "all", "some", "any", "both", "how"}
    return not is_vague or not any(each.low in OF_THE_TALK and not each.is_capital for each in tokens[1:])


def is_number(token: ClauseToken) -> bool:
    return token.low.isdecimal() or token.low in NUMBERS or ("-" in token.low and token.low.split("-")[0] in NUMBERS)


def names(tokens: Sequence[ClauseToken]) -> tuple[ClauseToken, ...]:
    """The capitalized words at the front that form a name."""
    found: list[ClauseToken] = []
    for token in tokens:
        is_joint = bool(found) and token.low in {"van", "de", "von", "da", "del", "la", "of"}
        if not (token.is_capital and token.text[0].isalpha() and token.low != "i") and not is_joint:
            break
        found.append(token)
    while found and not found[-1].is_capital:
        found.pop()
    return tuple(found)


def with_article(noun: str) -> str:
    is_an = noun[:1].lower() in "aeiou" and not noun.lower().startswith(("uni", "one", "eu"))
    return f"{'an' if is_an else 'a'} {noun}"
