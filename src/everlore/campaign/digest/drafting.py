"""Turns a digest into memories of the session (G1, G3, G11). Pure; start at `drafted` and `replaced`.

A digest of the whole log is for the game master; a digest of what the players heard is for everyone. Session, kind and
text identify a memory, so that reading a session twice adds nothing.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from everlore.campaign.digest.digest import Digest, DigestItem
from everlore.campaign.digest.removal import DeletedItem
from everlore.campaign.entities.mentions import MentionIndex
from everlore.campaign.recap import ended
from everlore.domain.campaign import Session
from everlore.domain.memory import Memory, MemoryType, Origin, Status, is_persons, source_uri_of
from everlore.domain.revision import revise
from everlore.domain.visibility import is_marked
from everlore.store.port import Change, Delete, Put

_MOST_SOURCES = 1_000
_MOST_ENTITIES = 50
_SUMMARY_IMPORTANCE = 7
_LEAST, _MOST = 3, 8
_BY = "digest"
_LAST = 1_000
# Keys in `extra`: of a scene, its place among the scenes; of a thread, the session that closed it.
SCENE_INDEX = "scene_index"
CLOSED_IN = "closed_in"


@dataclass(frozen=True, slots=True)
class DigestSource:
    """The session, the conversation of each message, the known entities, and the time of reading."""

    session: Session
    conversation_of: dict[str, str]
    known: MentionIndex
    now: datetime


def drafted(digest: Digest, source: DigestSource, *, is_spoiler: bool) -> list[Memory]:
    """The memories of a digest: the summary first, then its items."""
    summary = DigestItem(MemoryType.SUMMARY, digest.summary, digest.sources, _SUMMARY_IMPORTANCE)
    own = [_memory(summary, source, is_spoiler=is_spoiler, line=digest.line)] if digest.summary else []
    scenes = {id(each): at for at, each in enumerate(digest.of(MemoryType.SCENE))}
    return [*own, *(_memory(each, source, is_spoiler=is_spoiler, scene=scenes.get(id(each))) for each in digest.items)]


def replaced(
    before: Sequence[Memory], after: Iterable[Memory], now: datetime, deleted: Collection[DeletedItem] = ()
) -> list[Change]:
    """The changes when a session is read again: outdated memories are deleted, unchanged ones stay. Memories that a
    person edited, approved or rejected stay as they are, and are not repeated, nor are those that they deleted
    (G11)."""
    without = {each.id for each in deleted}
    fresh = {each.id: each for each in after if each.id not in without}
    known = {each.id: each for each in before}
    theirs = [each for each in before if is_persons(each) or each.status is Status.REJECTED]
    own = [each for each in before if each not in theirs]
    gone = [each for each in own if each.id not in fresh and each.status is not Status.DELETED]
    again = [each for each in own if each.id in fresh and each.status is Status.DELETED]
    unknown = [
        each for each in fresh.values() if each.id not in known and not any(_is_told(each, one) for one in theirs)
    ]
    new = [each for each in unknown if not any(one.is_again(each) for one in deleted)]
    return [
        *(Delete(Memory, each.id) for each in gone),
        *(Put(revise(each, now, status=Status.ACTIVE), by=_BY) for each in again),
        *(Put(each, by=_BY) for each in new),
    ]


def closed(threads: Iterable[Memory], ids: Collection[str], session: Session, now: datetime) -> list[Change]:
    """The changes to threads of earlier sessions: this one closed those with these ids. One that it closed when it was
    read before, and no longer does, is open again."""
    changes: list[Change] = []
    for each in threads:
        if each.id in ids and each.valid_to is None:
            extra = {**each.extra, CLOSED_IN: session.id}
            changes.append(Put(revise(each, now, valid_to=ended(session), extra=extra), by=_BY))
        elif each.id not in ids and each.extra.get(CLOSED_IN) == session.id:
            extra = {name: value for name, value in each.extra.items() if name != CLOSED_IN}
            changes.append(Put(revise(each, now, valid_to=None, extra=extra), by=_BY))
    return changes


def in_story_order(memories: Iterable[Memory]) -> list[Memory]:
    """Scenes in story order, including hidden ones; all other memories in the given order."""
    found = list(memories)
    scenes = iter(sorted((each for each in found if each.type is MemoryType.SCENE), key=_scene_index))
    return [next(scenes) if each.type is MemoryType.SCENE else each for each in found]


def _scene_index(memory: Memory) -> tuple[str, int]:
    at = memory.extra.get(SCENE_INDEX)
    return memory.session_id or "", at if isinstance(at, int) else _LAST


def _is_told(memory: Memory, theirs: Memory) -> bool:
    """Whether a person's own text already covers it: a summary, or an item from the same messages."""
    if memory.type is not theirs.type or is_marked(memory) != is_marked(theirs):
        return False
    if memory.type is MemoryType.SUMMARY:
        return True
    return bool(memory.source_message_ids) and memory.source_message_ids == theirs.source_message_ids


def _memory(
    item: DigestItem, source: DigestSource, *, is_spoiler: bool, line: str = "", scene: int | None = None
) -> Memory:
    session = source.session
    sources = item.sources[:_MOST_SOURCES]
    place = source.conversation_of.get(sources[0]) if sources else None
    return Memory(
        workspace=session.workspace,
        id=_id(session, item, is_spoiler=is_spoiler),
        content=item.text,
        summary=line,
        type=item.kind,
        importance=max(_LEAST, min(item.weight, _MOST)),
        confidence=0.9,
        is_spoiler=is_spoiler,
        origin=Origin.DIGEST,
        campaign_id=session.campaign_id,
        chapter_id=session.chapter_id,
        session_id=session.id,
        source_uri=source_uri_of(place, sources),
        source_message_ids=sources,
        entity_ids=tuple(dict.fromkeys(each.id for each in source.known.find(item.text)))[:_MOST_ENTITIES],
        valid_from=session.started_at if item.is_over else ended(session),
        valid_to=ended(session) if item.is_over else None,
        created_at=source.now,
        updated_at=source.now,
        extra=({} if scene is None else {SCENE_INDEX: scene}) | ({CLOSED_IN: session.id} if item.is_over else {}),
    )


def _id(session: Session, item: DigestItem, *, is_spoiler: bool) -> str:
    kind = f"{item.kind} over" if item.is_over else item.kind
    told = f"{session.id}\n{kind}\n{is_spoiler}\n{' '.join(item.text.casefold().split())}"
    return f"digest-{hashlib.sha256(told.encode(errors='surrogatepass')).hexdigest()[:32]}"
