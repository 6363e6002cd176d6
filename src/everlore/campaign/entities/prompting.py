"""Asks a model which entities a piece of a transcript names and how they are related, and reads its answer (G4, G6).

In: messages and known names. Out: an `Ask`, and an `EntityReading` of its answer. Names and quotes must occur in the
messages, kinds must be on our list, and relationships must be between named or known entities. Invalid items are
dropped one by one, and nothing raises.

Start at `entities_ask` and `read_entities`; `pieces_of` cuts a long log into pieces.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from everlore.campaign.entities.forms import form_of
from everlore.campaign.entities.matching import Directory, KnownEntity, match
from everlore.campaign.entities.mentions import MentionIndex
from everlore.campaign.entities.names import Sighting, SpokenMessage
from everlore.domain.blocks import resource
from everlore.domain.bounds import Json
from everlore.domain.campaign import EntityKind
from everlore.domain.display import display
from everlore.learning.answers import line_in, list_in, share_in
from everlore.learning.asking import NUMBER, TEXT, instructions, list_of, object_of, one_of
from everlore.models.chat import Ask, Said

KINDS = (
    EntityKind.NPC,
    EntityKind.LOCATION,
    EntityKind.ITEM,
    EntityKind.FACTION,
    EntityKind.CREATURE,
    EntityKind.EVENT,
)
TEMPERATURE = 0.1
_ROOM = "everlore.campaign.entities"
# Size of a piece: a few pages, so that the answer stays short and accurate.
MOST_PIECE_CHARS = 12_000
_MOST_TOKENS = 6_000
_MOST_ENTITIES = 60
_MOST_TIES = 60
_MOST_ALIASES = 12
_MOST_KNOWN = 200
_MOST_NAME = 100
_MOST_QUOTE = 600
_MOST_TYPE = 60
_LEAST_QUOTE = 3
# Confidence of a relationship whose quote is a question.
_DOUBTED = 0.6
_UNSURE = 0.5

SCHEMA: Json = object_of(
    entities=list_of(
        object_of(
            name=TEXT, kind=one_of(each.value for each in KINDS), aliases=list_of(TEXT), quote=TEXT, confidence=NUMBER
        )
    ),
    ties=list_of(object_of(source=TEXT, type=TEXT, target=TEXT, quote=TEXT, confidence=NUMBER)),
)


@dataclass(frozen=True, slots=True)
class FoundRelationship:
    """`source` `type` `target`, as in "Ilka" "sister of" "Tam", and the message that says so."""

    source: str
    type: str
    target: str
    evidence: str
    message_id: str
    confidence: float


@dataclass(frozen=True, slots=True)
class EntityReading:
    sightings: tuple[Sighting, ...] = ()
    ties: tuple[FoundRelationship, ...] = ()


def pieces_of(messages: Sequence[SpokenMessage], most_chars: int = MOST_PIECE_CHARS) -> list[tuple[SpokenMessage, ...]]:
    """Groups whole messages into pieces of the maximum size; a longer message is a piece of its own."""
    pieces: list[list[SpokenMessage]] = []
    room = 0
    for message in messages:
        size = len(message.text) + len(message.speaker)
        if not pieces or size > room:
            pieces.append([])
            room = most_chars
        pieces[-1].append(message)
        room -= size
    return [tuple(piece) for piece in pieces]


def entities_ask(messages: Sequence[SpokenMessage], known: Sequence[KnownEntity] = ()) -> Ask:
    return Ask(
        messages=(Said("system", instructions("entities", room=_ROOM)), Said("user", _blocks(messages, known))),
        temperature=TEMPERATURE,
        max_tokens=_MOST_TOKENS,
        most_tokens=_MOST_TOKENS,
        schema=SCHEMA,
    )


def read_entities(
    value: object, messages: Sequence[SpokenMessage], known: Sequence[KnownEntity] = ()
) -> EntityReading | None:
    """Reads the parsed answer; None if it is not of the requested shape."""
    if not isinstance(value, dict):
        return None
    entities, ties = list_in(value.get("entities"), "entities"), list_in(value.get("ties", []), "ties")
    if entities is None:
        return None
    text = _Text(messages)
    directory = Directory(known)
    found = list(_distinct(_sightings(entities[:_MOST_ENTITIES], text, directory)))
    return EntityReading(tuple(found), tuple(_ties((ties or [])[:_MOST_TIES], text, found, known)))


# ── prompt ───────────────────────────────────────────────────────────────────────────────────────


def _blocks(messages: Sequence[SpokenMessage], known: Sequence[KnownEntity]) -> str:
    blocks = []
    if known:
        listed = [
            {"name": each.name[:_MOST_NAME], "kind": (each.kind or EntityKind.OTHER).value, "aliases": _aliases(each)}
            for each in known[:_MOST_KNOWN]
        ]
        blocks.append(resource("known", "known", {"entities": listed}))
    lines = [{"from": each.speaker[:_MOST_NAME], "text": _shown(each.text)} for each in messages]
    blocks.append(resource("transcript", "transcript", {"messages": lines}))
    return "\n".join(blocks)


def _aliases(known: KnownEntity) -> list[str]:
    return [alias[:_MOST_NAME] for alias in known.aliases[:_MOST_ALIASES]]


def _shown(text: str) -> str:
    return display(text).text[:MOST_PIECE_CHARS]


# ── answer ───────────────────────────────────────────────────────────────────────────────────────


class _Text:
    """The messages for looking up quotes and names: ignores case, quote style and white space."""

    def __init__(self, messages: Sequence[SpokenMessage]) -> None:
        self.messages = messages
        self.folded = [_folded(each.text) for each in messages]

    def has_name(self, name: str) -> bool:
        wanted = re.compile(rf"(?<!\w){re.escape(_folded(name))}(?!\w)")
        return any(wanted.search(text) for text in self.folded)

    def quoted(self, quote: str) -> SpokenMessage | None:
        """The message that contains the quote; None if there is none."""
        wanted = _folded(quote).strip(" .,;:!?\"'…")
        if len(wanted) < _LEAST_QUOTE:
            return None
        return next((message for message, text in zip(self.messages, self.folded, strict=True) if wanted in text), None)


def _folded(text: str) -> str:
    return " ".join(text[: 4 * MOST_PIECE_CHARS].casefold().translate(_STRAIGHT).split())


_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-"})


def _sightings(items: Sequence[object], text: _Text, directory: Directory) -> Iterator[Sighting]:
    for item in items:
        found = _sighting(item, text, directory) if isinstance(item, dict) else None
        if found is not None:
            yield found


def _sighting(item: dict[str, object], text: _Text, directory: Directory) -> Sighting | None:
    name = line_in(item.get("name"), _MOST_NAME)
    quote = line_in(item.get("quote"), _MOST_QUOTE)
    kind = _kind(item.get("kind"))
    if not name or not quote or kind is None or not form_of(name).words:
        return None
    aliases = _written(item.get("aliases"), name, text)
    known = match(name, directory)
    # The message may use another name for a known entity, so the given one need not occur in it.
    is_there = text.has_name(name) or (aliases and known is not None and known.confidence == 1)
    message = text.quoted(quote)
    if not is_there or message is None or not _is_named(name, aliases, message):
        return None
    index = MentionIndex((KnownEntity("it", name, aliases, kind),))
    places = tuple(each.id for each in text.messages if each is message or index.find(each.text))
    sure = share_in(item.get("confidence"))
    return Sighting(
        name=name,
        kind=kind,
        confidence=_UNSURE if sure is None else sure,
        kind_confidence=_UNSURE if sure is None else sure,
        aliases=aliases,
        messages=places,
        evidence=quote,
        evidence_id=message.id,
        match=known,
    )


def _kind(value: object) -> EntityKind | None:
    return next((kind for kind in KINDS if kind.value == value), None)


def _written(value: object, name: str, text: _Text) -> tuple[str, ...]:
    """The aliases that occur in the text."""
    given = [line_in(each, _MOST_NAME) for each in value[:_MOST_ALIASES]] if isinstance(value, list) else []
    kept = [each for each in given if each and form_of(each).words and text.has_name(each)]
    return tuple(dict.fromkeys(each for each in kept if each != name))


def _is_named(name: str, aliases: Sequence[str], message: SpokenMessage) -> bool:
    """Whether the quote names the entity; otherwise it is no evidence."""
    there = _Text((message,))
    return any(there.has_name(each) for each in (name, *aliases))


def _distinct(found: Iterator[Sighting]) -> Iterator[Sighting]:
    seen: set[tuple[str, ...]] = set()
    for each in found:
        words = form_of(each.name).words
        if words not in seen:
            seen.add(words)
            yield each


def _ties(
    items: Sequence[object], text: _Text, found: Sequence[Sighting], known: Sequence[KnownEntity]
) -> Iterator[FoundRelationship]:
    ends = {form_of(name).words: each.name for each in reversed(known) for name in each.names}
    for sighting in found:
        for name in (*sighting.aliases, sighting.name):
            ends.setdefault(form_of(name).words, sighting.name)
    seen: set[tuple[str, str, str]] = set()
    for item in items:
        tie = _tie(item, text, ends) if isinstance(item, dict) else None
        if tie is not None and (key := (tie.source, tie.type, tie.target)) not in seen:
            seen.add(key)
            yield tie


def _tie(item: dict[str, object], text: _Text, ends: dict[tuple[str, ...], str]) -> FoundRelationship | None:
    source, target = (ends.get(_words(item.get(key))) for key in ("source", "target"))
    type = (line_in(item.get("type"), _MOST_TYPE) or "").lower().replace("_", " ").strip(" .")
    quote = line_in(item.get("quote"), _MOST_QUOTE)
    if source is None or target is None or source == target or not quote or not re.search(r"[a-z]", type):
        return None
    message = text.quoted(quote)
    if message is None:
        return None
    given = share_in(item.get("confidence"))
    sure = _UNSURE if given is None else given
    if quote.rstrip(" \"”'*)").endswith("?"):
        sure *= _DOUBTED
    return FoundRelationship(source, type, target, quote, message.id, round(sure, 3))


def _words(value: object) -> tuple[str, ...]:
    return form_of(line_in(value, _MOST_NAME) or "").words
