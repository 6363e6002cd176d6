"""Who answers next if several characters play (V10).

The character that was asked for; else the one that the message names; else the next in turn. A narrator speaks only on
request. Start at `next_speaker`.
"""

import re
from collections import Counter
from collections.abc import Sequence

from everlore.compose.card import card_text
from everlore.domain.person import Person, PersonKind
from everlore.errors import BadAsk

_PART = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_LEAST_PART = 3
_NO_NAMES = frozenset("the and von van der den del mrs miss sir lady lord".split())
# Names that are also everyday words count only if they are capitalised.
_WORDS_TOO = frozenset(
    "will mark rose may grace hope art bill drew faith joy pat sue rob jack max dawn hunter bob chase gene grant "
    "guy hazel heather iris ivy jade lance lily misty olive pearl penny ray rich robin ruby rusty sage sandy skip "
    "summer autumn april june august sky star sunny violet willow one king queen captain doctor".split()
)


def next_speaker(cast: Sequence[Person], text: str, last_id: str | None, *, explicit: str | None = None) -> Person:
    """`cast`: those whom the model plays, at least one. `last_id`: which of them spoke last."""
    if explicit is not None:
        return _asked_for(cast, explicit)
    players = [person for person in cast if person.kind is not PersonKind.NARRATOR] or list(cast)
    return _named(players, text) or _next_in_turn(players, last_id)


def _asked_for(cast: Sequence[Person], id: str) -> Person:
    for person in cast:
        if person.id == id:
            return person
    playing = ", ".join(f"{person.name} ({person.id})" for person in cast)
    raise BadAsk(f"{id!r} does not play in this conversation. Choose one of: {playing}.")


def _next_in_turn(players: Sequence[Person], last_id: str | None) -> Person:
    ids = [person.id for person in players]
    return players[(ids.index(last_id) + 1) % len(players)] if last_id in ids else players[0]


def _named(players: Sequence[Person], text: str) -> Person | None:
    """The character whose name comes first in the text; the longest name if several begin at the same place."""
    calls = _calls(players)
    # Case-sensitive first: "Will, will you?" speaks to one person.
    for exactly in (True, False):
        known = {call if exactly else call.casefold(): who for call, who in calls.items()}
        words = [call for call in known if exactly or call not in _WORDS_TOO]
        found = _first_of(words, text if exactly else text.casefold())
        if found is not None:
            return known[found]
    return None


def _first_of(words: Sequence[str], text: str) -> str | None:
    if not words:
        return None
    either = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    # "don't" does not call Don.
    found = re.search(rf"(?<!\w)(?:{either})(?!\w|['’]t(?!\w))", text)
    return found.group() if found else None


def _calls(players: Sequence[Person]) -> dict[str, Person]:
    """The names each can be called by: name, nickname, and the parts of the name that nobody else shares."""
    owners = Counter(part.casefold() for person in players for part in set(_parts(person)))
    calls = {part: person for person in players for part in _parts(person) if owners[part.casefold()] == 1}
    for person in players:
        whole = (person.name, card_text(person, "nickname"))
        calls |= {call.strip(): person for call in whole if call.strip()}
    return calls


def _parts(person: Person) -> list[str]:
    parts = _PART.findall(person.name)
    return [part for part in parts if len(part) >= _LEAST_PART and part.casefold() not in _NO_NAMES]
