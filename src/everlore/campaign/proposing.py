"""Turns what was noticed in a session into proposals for its game master (G4, G6, G8). Pure.

A proposal's id depends on the campaign and its content, so that a known name is not proposed again, and a rejected one
stays rejected. Start at `proposed_entities`.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from everlore.campaign.boundaries import Boundary
from everlore.campaign.entities.matching import SURE, Directory, KnownEntity, match
from everlore.campaign.entities.mentions import MentionIndex
from everlore.campaign.entities.names import Sighting, SpokenMessage, sightings
from everlore.campaign.entities.prompting import FoundRelationship
from everlore.campaign.spoilers import Spoiler, SpoilerKind
from everlore.domain.bounds import Json
from everlore.domain.campaign import Chapter, EntityKind
from everlore.domain.proposal import Proposal, ProposalKind
from everlore.domain.visibility import is_marked

_MOST_MESSAGES = 50
_MOST_ALIASES = 24
_MOST_EVIDENCE = 1_000
_MOST_TITLE = 200
# A name is said or it is not; whether a line says the same as a secret is a guess by its words.
_SAID_SO = 0.6


@dataclass(frozen=True, slots=True)
class ProposalSource:
    """Where proposals come from: a session, or no session for notes. `hidden`: the messages that no player heard."""

    workspace: str
    campaign_id: str
    session_id: str | None
    now: datetime
    hidden: frozenset[str] = frozenset()

    def hides(self, message_ids: Collection[str]) -> bool:
        """Whether only hidden messages support it."""
        return bool(message_ids) and self.hidden.issuperset(message_ids)


def proposed_entities(sightings: Iterable[Sighting], source: ProposalSource) -> list[Proposal]:
    """Proposals for all named entities that are not known yet."""
    return [_entity(each, source) for each in sightings if not each.is_known]


def proposed_in_notes(notes: Mapping[str, str], known: Sequence[KnownEntity], source: ProposalSource) -> list[Proposal]:
    """Hidden proposals for the names in a game master's notes, by id, which are no messages."""
    seen = sightings([SpokenMessage(id, "", text) for id, text in notes.items()], known)
    made = proposed_entities(seen, replace(source, hidden=frozenset(notes)))
    return [replace(each, message_id=None, detail={**each.detail, "messages": []}) for each in made]


def grouped(made: Iterable[Proposal], waiting: Iterable[Proposal]) -> tuple[list[Proposal], list[Proposal]]:
    """New names, and waiting proposals extended by the names that mean the same entity. Hidden names are kept apart
    from those that the players heard."""
    known = {each.id: each for each in waiting}
    directories = {
        hides: Directory(_as_known(each) for each in known.values() if is_marked(each) is hides)
        for hides in (False, True)
    }
    fresh: list[Proposal] = []
    spelled: dict[str, Proposal] = {}
    for each in made:
        found = None if each.id in known else match(each.title, directories[is_marked(each)])
        if found is None or found.confidence < SURE:
            fresh.append(each)
        else:
            spelled[found.id] = _with_names(spelled.get(found.id, known[found.id]), each)
    return fresh, list(spelled.values())


def now_public(waiting: Iterable[Proposal], lines: Iterable[SpokenMessage], source: ProposalSource) -> list[Proposal]:
    """Waiting hidden names that these lines, said at the table, contain: approved, they are shown to players. Their
    other names stay hidden."""
    hidden = {each.id: each for each in waiting if is_marked(each)}
    names = [(each, name) for each in hidden.values() for name in (each.title, *_listed(each, "aliases"))]
    index = MentionIndex([KnownEntity(str(at), name) for at, (_, name) in enumerate(names)])
    said: dict[str, dict[str, SpokenMessage]] = {}
    for line in lines if names else ():
        for found in index.find(line.text):
            proposal, name = names[int(found.id)]
            # A part of a name does not give away all of it.
            if _plain(found.text).removeprefix("the ") == _plain(name).removeprefix("the "):
                said.setdefault(proposal.id, {}).setdefault(name, line)
    return [_made_public(hidden[id], found, source) for id, found in said.items()]


def _made_public(hidden: Proposal, said: Mapping[str, SpokenMessage], source: ProposalSource) -> Proposal:
    names = (hidden.title, *_listed(hidden, "aliases"))
    title, *aliases = (each for each in names if each in said)
    first = said[title]
    detail: Json = {"kind": hidden.detail.get("kind"), "aliases": aliases, "messages": [first.id]}
    return replace(
        hidden,
        title=title,
        session_id=source.session_id,
        evidence=first.text[:_MOST_EVIDENCE],
        message_id=first.id,
        detail=detail | {"hidden_aliases": [each for each in names if each not in said]},
        is_spoiler=False,
        updated_at=source.now,
    )


def _as_known(proposal: Proposal) -> KnownEntity:
    kind = next((each for each in EntityKind if each.value == proposal.detail.get("kind")), None)
    return KnownEntity(proposal.id, proposal.title, _listed(proposal, "aliases"), kind)


def _with_names(proposal: Proposal, other: Proposal) -> Proposal:
    names = dict.fromkeys((*_listed(proposal, "aliases"), other.title, *_listed(other, "aliases")))
    messages = dict.fromkeys((*_listed(proposal, "messages"), *_listed(other, "messages")))
    aliases = [each for each in names if _plain(each) != _plain(proposal.title)][:_MOST_ALIASES]
    detail = {**proposal.detail, "aliases": aliases, "messages": list(messages)[:_MOST_MESSAGES]}
    return replace(proposal, detail=detail)


def _listed(proposal: Proposal, key: str) -> tuple[str, ...]:
    found = proposal.detail.get(key)
    return tuple(str(each) for each in found) if isinstance(found, list | tuple) else ()


def proposed_ties(
    ties: Iterable[FoundRelationship], source: ProposalSource, known: Collection[tuple[str, str, str]]
) -> list[Proposal]:
    """`known`: the existing relationships, by the names of their ends and their type."""
    found = {tie_key(each.source, each.type, each.target): each for each in ties}
    return [_tie(each, source) for key, each in found.items() if key not in known]


def proposed_chapter(boundary: Boundary | None, chapter: Chapter | None, source: ProposalSource) -> list[Proposal]:
    if boundary is None:
        return []
    detail: Json = {
        "chapter_id": chapter.id if chapter else None,
        "reasons": [
            {"reason": each.reason, "text": each.text, "message_id": each.message_id} for each in boundary.signs
        ],
    }
    title = f"“{chapter.name}” could end here" if chapter else "A chapter could end here"
    evidence = "\n".join(each.text for each in boundary.signs)
    ids = [each.message_id for each in boundary.signs]
    made = _proposal(
        ProposalKind.CHAPTER,
        source.session_id or "",
        source,
        title=title,
        evidence=evidence,
        message_id=boundary.message_id,
        confidence=boundary.confidence,
        detail=detail,
        is_spoiler=bool(source.hidden.intersection(ids)),
    )
    return [made]


def proposed_reveals(given_away: Iterable[tuple[Spoiler, str, str]], source: ProposalSource) -> list[Proposal]:
    """Proposals for spoilers said at the table: the spoiler, the message that gives it away, and its words. They stay
    hidden until the game master reveals them."""
    return [_reveal(spoiler, message_id, words, source) for spoiler, message_id, words in given_away]


def _reveal(spoiler: Spoiler, message_id: str, words: str, source: ProposalSource) -> Proposal:
    return _proposal(
        ProposalKind.REVEAL,
        f"{spoiler.kind.value} {spoiler.id} {spoiler.text}",
        source,
        title=spoiler.text[:_MOST_TITLE],
        evidence=words,
        message_id=message_id,
        confidence=_SAID_SO if spoiler.kind is SpoilerKind.MEMORY else 1.0,
        detail={"what": spoiler.kind.value, "id": spoiler.id, "text": spoiler.text},
        is_spoiler=True,
    )


def _entity(sighting: Sighting, source: ProposalSource) -> Proposal:
    detail: Json = {
        "kind": sighting.kind.value,
        "aliases": list(sighting.aliases),
        "messages": list(sighting.messages[:_MOST_MESSAGES]),
    }
    if sighting.match is not None:
        detail["match"] = {"confidence": sighting.match.confidence, "reason": sighting.match.reason}
    return _proposal(
        ProposalKind.ENTITY,
        sighting.name,
        source,
        title=sighting.name,
        evidence=sighting.evidence,
        message_id=sighting.evidence_id or None,
        match_id=sighting.match.id if sighting.match else None,
        confidence=sighting.confidence,
        detail=detail,
        is_spoiler=source.hides(sighting.messages),
    )


def _tie(tie: FoundRelationship, source: ProposalSource) -> Proposal:
    detail: Json = {"source": tie.source, "type": tie.type, "target": tie.target}
    return _proposal(
        ProposalKind.RELATIONSHIP,
        "\n".join(tie_key(tie.source, tie.type, tie.target)),
        source,
        title=f"{tie.source} – {tie.type} – {tie.target}",
        evidence=tie.evidence,
        message_id=tie.message_id or None,
        confidence=tie.confidence,
        detail=detail,
        is_spoiler=source.hides([tie.message_id] if tie.message_id else ()),
    )


def _proposal(kind: ProposalKind, what: str, source: ProposalSource, *, evidence: str, **fields: Any) -> Proposal:
    """`what` identifies it among the proposals of its kind."""
    told = f"{source.campaign_id}\n{kind.value}\n{_plain(what)}"
    return Proposal(
        workspace=source.workspace,
        id=f"proposal-{hashlib.sha256(told.encode(errors='surrogatepass')).hexdigest()[:32]}",
        campaign_id=source.campaign_id,
        session_id=source.session_id,
        kind=kind,
        evidence=evidence[:_MOST_EVIDENCE],
        created_at=source.now,
        updated_at=source.now,
        **fields,
    )


def tie_key(source: str, type: str, target: str) -> tuple[str, str, str]:
    return (_plain(source), _plain(type), _plain(target))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def unknown_among(proposals: Sequence[Proposal], known: Collection[str]) -> list[Proposal]:
    """The proposals never made before, without duplicates."""
    return list({each.id: each for each in proposals if each.id not in known}.values())
