"""Determines what each part of a sentence does: states, asks, requests, supposes, quotes.

In: a sentence's parts. Out: one mood for each, and whether the rest of the message is only fiction or material to work
on ("pretend I'm a king. I live in a castle." states nothing).

Start at `moods_of`.
"""

from collections.abc import Sequence
from itertools import pairwise

from everlore.language.lists import listed, pattern
from everlore.learning.clauses.clause import Mood
from everlore.learning.clauses.splitting import ClausePart, Sentence
from everlore.learning.clauses.tokens import is_month, low_at, lows
from everlore.learning.clauses.words import ADVERBS, ASKING, ASKING_FOR, INVERTING, ORDERS, PRONOUNS, SELVES, WOULD

_NEAR = 7
_GREETINGS, _REPORTING = listed("talk.greetings"), listed("verbs.reporting")
_MADE_UP, _MATERIAL_ORDERS = listed("play.made_up"), listed("verbs.material_orders")
_PRETENDING = frozenset("imagine pretend suppose assume roleplay role-play picture".split())
_REQUESTING = frozenset(("can", "could", "would", "will"))
_BEFORE_ORDERS = frozenset("just now always never do kindly quickly".split())
_SO = frozenset("like love prefer rather say describe consider".split())
_KNOWING = listed("body.knowing")
_APART = frozenset({",", "and", "but", ";", "-", "–", "—", "because"})


def is_jest(text: str) -> bool:
    """A joke, irony, a played role, or a self-correction."""
    return pattern(__package__, "moods.jest").search(text) is not None


def is_sum(text: str) -> bool:
    return pattern(__package__, "moods.sum").search(text) is not None


def is_other_world(text: str) -> bool:
    """Role-play without an announcement: "I am Seraphine, I live beneath the lake. Speak, mortal."."""
    wonders = {each.lower() for each in pattern(__package__, "moods.wonders").findall(text)}
    is_told = len(wonders) > 1 or pattern(__package__, "moods.olden").search(text) is not None
    return is_told and pattern(__package__, "moods.about_wonders").search(text) is None


def moods_of(sentence: Sentence, parts: Sequence[ClausePart]) -> list[Mood]:
    moods: list[Mood] = []
    asks_from = _first_asking(sentence, parts)
    is_held = False
    for place, part in enumerate(parts):
        mood = _own_mood(part, parts[place - 1] if place else None)
        is_reason = not {"because", "since", "as"}.isdisjoint(part.lead)
        if mood is Mood.STATES and asks_from is not None and place >= asks_from and not is_reason:
            mood = Mood.ASKS
        if mood is Mood.STATES and is_held:
            mood = Mood.SUPPOSES
        is_held = mood is Mood.SUPPOSES and (is_held or "if" in part.lead)
        moods.append(mood)
    return moods


def opens_fiction(part: ClausePart, mood: Mood) -> Mood | None:
    """The mood of the rest of the message, if this part requests fiction or work on a text, or tells a dream."""
    words = lows(part.tokens)
    is_asked = mood in {Mood.REQUESTS, Mood.ASKS}
    if is_asked and not _MATERIAL_ORDERS.isdisjoint(words[:_NEAR]):
        return Mood.QUOTES
    is_pretended = not _PRETENDING.isdisjoint(words[:4]) and (is_asked or mood is Mood.SUPPOSES)
    # "Write a poem for my grandson, he's turning 5": the recipient is real.
    is_gift = any(pair in {("for", "my"), ("for", "our")} for pair in pairwise(words))
    is_made_up = is_asked and not is_gift and not _MADE_UP.isdisjoint(words)
    is_dreamt = mood is Mood.STATES and not {"dream", "nightmare", "dreamt", "dreamed"}.isdisjoint(words[:6])
    return Mood.SUPPOSES if is_pretended or is_made_up or (is_dreamt and "had" in words) else None


def _first_asking(sentence: Sentence, parts: Sequence[ClausePart]) -> int | None:
    """The first part of the question. Without any question word, "I live in Ohio?" asks as a whole; without a question
    mark, only what begins like "what is" asks."""
    begins = low_at(sentence.tokens, 0) in ASKING and low_at(sentence.tokens, 1) in INVERTING
    if not (sentence.asks or begins):
        return None
    begin = INVERTING | ASKING | ASKING_FOR
    later = (at for at, part in enumerate(parts) if at and part.tokens[0].low in begin and not _is_relative(part))
    return next(later, 0)


def _is_relative(part: ClausePart) -> bool:
    """ "… a friend who is a chef": a relative clause is no question."""
    words = lows(part.tokens[:3])
    is_led = words[0] in {"who", "which", "where", "when", "whose"}
    return is_led and (len(words) < 3 or words[2] not in PRONOUNS | {"your"})


def _own_mood(part: ClausePart, before: ClausePart | None) -> Mood:
    words = lows(part.tokens)
    if _is_reported(part, before):
        return Mood.QUOTES
    if words[0] in _REQUESTING and words[1:2] == ("you",):
        return Mood.REQUESTS
    if _is_supposed(part, words, before):
        return Mood.SUPPOSES
    if _is_request(part, words):
        return Mood.REQUESTS
    is_hailing = not _GREETINGS.isdisjoint(part.lead) and len(words) <= 2 and PRONOUNS.isdisjoint(words)
    is_short = words[0] == "good" and len(words) <= 2
    is_polite = words[0] in {"thanks", "thank", "bye", "goodbye", "goodnight"}
    return Mood.GREETS if is_hailing or is_short or is_polite else Mood.STATES


def _is_reported(part: ClausePart, before: ClausePart | None) -> bool:
    """Reported speech: "My friend says I'm lazy", "I never said I was one"."""
    if before is None or part.elides or not _APART.isdisjoint(part.lead):
        return False
    words = lows(before.tokens)
    is_own = words[0] in SELVES and {"not", "never", "tell", "ask", "asked"}.isdisjoint(words)
    return not is_own and not _REPORTING.isdisjoint(words[-3:]) and _KNOWING.isdisjoint(words[:4])


def _is_supposed(part: ClausePart, words: Sequence[str], before: ClausePart | None) -> bool:
    last = before.tokens[-1].low if before is not None else ""
    if not {"if", "unless", "whether", "maybe", "perhaps"}.isdisjoint(part.lead):
        return True
    if "wish" in words[:3] or last in _PRETENDING | {"hope", "hoping", "doubt", "like", "wish"}:
        return True
    near = [
        token.low
        for place, token in enumerate(part.tokens[:_NEAR])
        if token.low not in ADVERBS and not is_month(part.tokens, place)
    ]
    modal = next((place for place, word in enumerate(near) if word in WOULD), None)
    if modal is None or ("rather" in words[:4] and "than" in words):
        return False
    return not (near[modal] == "would" and not _SO.isdisjoint(near[modal + 1 : modal + 2]))


def _is_request(part: ClausePart, words: Sequence[str]) -> bool:
    if part.elides or words[0] in {"call", "name"} or words[:3] in {("do", "not", "like"), ("do", "not", "eat")}:
        return False
    if words[0] == "please" or words[:2] in {("let", "us"), ("let", "me"), ("lets", "go")}:
        return words[1:3] != ("call", "me")
    if words[0] in SELVES and not {"want", "need", "like", "ask", "asked", "expect"}.isdisjoint(words[1:4]):
        return "you" in words[2:6] and "to" in words[3:8]
    first = next((word for word in words if word not in _BEFORE_ORDERS | {"please", "not"}), "")
    return first in ORDERS and (words[0] in ORDERS or words[0] in _BEFORE_ORDERS)
