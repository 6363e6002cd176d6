"""Renders a campaign as the pages of a vault: one per entity, session and chapter, one for itself, one for canon (G10,
G12). Pure.

The caller passes only what the reader may see: a players' page is made from public data, never derived from the game
master's (G9). Start at `pages_of`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from everlore.campaign.entities.matching import KnownEntity
from everlore.campaign.entities.mentions import MentionIndex
from everlore.domain.bounds import Json
from everlore.domain.campaign import Campaign, Chapter, Entity, EntityKind, Relationship, Session
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.visibility import is_marked
from everlore.interchange.vault import VaultItem, VaultPage, item_lines, link_to, stem_of, unlinked

FOLDERS: Mapping[EntityKind, str] = {
    EntityKind.NPC: "NPCs",
    EntityKind.LOCATION: "Locations",
    EntityKind.ITEM: "Items",
    EntityKind.FACTION: "Factions",
    EntityKind.CREATURE: "Creatures",
    EntityKind.EVENT: "Events",
    EntityKind.PERSON: "People",
    EntityKind.OTHER: "Lore",
}
SESSIONS, CHAPTERS = "Sessions", "Chapters"
# The export writes everything below these markers; an import reads the relationships only.
TIES = "%% everlore: ties, one to a line %%"
MADE = "%% everlore: made by the export, not read %%"
# Properties that belong to us; all others are the user's own.
OURS = frozenset({"id", "everlore", "name", "kind", "type", "aliases", "tags", "spoiler"})
# Keys in an entity's `attributes` for properties added by hand, and for its tags.
VAULT, TAGS = "vault", "tags"
_TITLES: Mapping[MemoryType, str] = {
    MemoryType.SUMMARY: "Summary",
    MemoryType.SCENE: "Scenes",
    MemoryType.DECISION_POINT: "Decisions",
    MemoryType.DISCOVERY: "Discoveries",
    MemoryType.MOMENT: "Moments",
    MemoryType.PLOT_THREAD: "Threads",
    MemoryType.CANON_RULING: "Rulings",
}
TITLES: Mapping[MemoryType, str] = {
    each: _TITLES.get(each, each.value.replace("_", " ").capitalize()) for each in (*_TITLES, *MemoryType)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultWorld:
    """The content of a vault: everything that its reader may see. `whole`: the reader is the game master."""

    campaign: Campaign
    chapters: Sequence[Chapter] = ()
    sessions: Sequence[Session] = ()
    entities: Sequence[Entity] = ()
    ties: Sequence[Relationship] = ()
    memories: Sequence[Memory] = ()
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Stems:
    """Page names by record id; `folded`: all lower-case names that a link may use, or None if any may."""

    of: Mapping[str, str]
    folded: frozenset[str] | None = None


def stems_of(world: VaultWorld) -> Stems:
    taken = {"canon"}
    stems = {world.campaign.id: stem_of(world.campaign.name, taken)}
    for chapter in world.chapters:
        stems[chapter.id] = stem_of(f"Chapter {chapter.number} {chapter.name}", taken)
    for session in world.sessions:
        stems[session.id] = stem_of(f"Session {session.number:02} {session.name}", taken)
    for entity in sorted(world.entities, key=lambda each: (each.name.casefold(), each.created_at, each.id)):
        stems[entity.id] = stem_of(entity.name, taken)
    if world.whole:
        return Stems(stems)
    names = {name.casefold() for each in world.entities for name in (each.name, *each.aliases)}
    return Stems(stems, frozenset(names | {each.casefold() for each in stems.values()} | {"canon"}))


def pages_of(world: VaultWorld, exported: datetime) -> list[VaultPage]:
    stems = stems_of(world)
    mentioned = _mentioned(world)
    pages = [_campaign_page(world, stems, exported), _canon_page(world, stems)]
    pages += [_chapter_page(world, each, stems) for each in world.chapters]
    pages += [_session_page(world, each, stems, mentioned) for each in world.sessions]
    pages += [_entity_page(world, each, stems, mentioned) for each in world.entities]
    return pages


# ── page by page ─────────────────────────────────────────────────────────────────────────────────


def _campaign_page(world: VaultWorld, stems: Stems, exported: datetime) -> VaultPage:
    campaign = world.campaign
    front: Json = {"id": campaign.id, "everlore": "campaign", "name": campaign.name}
    front |= {"exported": exported.isoformat()} | ({} if world.whole else {"view": "players"})
    listed = [*(each.id for each in world.chapters), *(each.id for each in world.sessions)]
    made = ["## Contents", f"- {link_to('Canon')}\n{_links(listed, stems)}"]
    return VaultPage(f"{stems.of[campaign.id]}.md", front, _joined(_shown(campaign.premise, stems), MADE, *made))


def _canon_page(world: VaultWorld, stems: Stems) -> VaultPage:
    own = [each for each in world.memories if each.session_id is None and each.chapter_id is None]
    return VaultPage("Canon.md", {"everlore": "canon"}, _joined(*_sections(own, stems)))


def _chapter_page(world: VaultWorld, chapter: Chapter, stems: Stems) -> VaultPage:
    front: Json = {"id": chapter.id, "everlore": "chapter", "number": chapter.number, "name": chapter.name}
    front["goals"] = list(chapter.goals)
    own = [each for each in world.memories if each.session_id is None and each.chapter_id == chapter.id]
    played = [f"- {link_to(stems.of[each.id])}" for each in world.sessions if each.chapter_id == chapter.id]
    made = (MADE, "## Sessions", "\n".join(played)) if played else ()
    return VaultPage(f"{CHAPTERS}/{stems.of[chapter.id]}.md", front, _joined(*_sections(own, stems), *made))


def _session_page(world: VaultWorld, session: Session, stems: Stems, mentioned: Mapping[str, set[str]]) -> VaultPage:
    front: Json = {"id": session.id, "everlore": "session", "number": session.number, "name": session.name}
    if session.chapter_id is not None and session.chapter_id in stems.of:
        front["chapter"] = link_to(stems.of[session.chapter_id])
    front["started"] = session.started_at.isoformat()
    front |= {"ended": session.ended_at.isoformat()} if session.ended_at else {}
    own = [each for each in world.memories if each.session_id == session.id]
    named = [each.id for each in world.entities if session.id in mentioned.get(each.id, ())]
    made = (MADE, "## Mentions", _links(named, stems)) if named else ()
    return VaultPage(f"{SESSIONS}/{stems.of[session.id]}.md", front, _joined(*_sections(own, stems), *made))


def _entity_page(world: VaultWorld, entity: Entity, stems: Stems, mentioned: Mapping[str, set[str]]) -> VaultPage:
    front: Json = {"id": entity.id, "everlore": "entity", "name": entity.name, "kind": entity.kind.value}
    front |= {"aliases": list(entity.aliases), "tags": tags_of(entity)}
    if world.whole:
        front |= {"spoiler": True} if is_marked(entity) else {}
        own = entity.attributes.get(VAULT)
        front |= {name: value for name, value in own.items() if name not in OURS} if isinstance(own, dict) else {}
    ties = [_tie_line(each, stems) for each in world.ties if each.source_id == entity.id]
    told = [TIES, "## Relationships", "\n".join(ties)] if ties else []
    played = [each.id for each in world.sessions if each.id in mentioned.get(entity.id, ())]
    made = [MADE, "## Mentioned in", _links(played, stems)] if played else []
    path = f"{FOLDERS[entity.kind]}/{stems.of[entity.id]}.md"
    return VaultPage(path, front, _joined(_shown(entity.description, stems), *told, *made))


def tags_of(entity: Entity) -> list[str]:
    kept = entity.attributes.get(TAGS)
    return [each for each in kept if isinstance(each, str)] if isinstance(kept, list) else []


def _tie_line(tie: Relationship, stems: Stems) -> str:
    evidence = one_line(tie.evidence)
    words = f"{one_line(tie.type)} {link_to(stems.of[tie.target_id])}" + (f": {evidence}" if evidence else "")
    return item_lines(VaultItem("", words, tie.id, is_marked(tie)))


def _sections(memories: Iterable[Memory], stems: Stems) -> list[str]:
    """A heading for each memory type, followed by its memories as list items."""
    by_type: dict[MemoryType, list[Memory]] = {}
    for memory in sorted(memories, key=lambda each: (each.created_at, each.id)):
        by_type.setdefault(memory.type, []).append(memory)
    parts: list[str] = []
    for kind in TITLES:
        if kind in by_type:
            items = [VaultItem("", _shown(each.content, stems), each.id, is_marked(each)) for each in by_type[kind]]
            parts += [f"## {TITLES[kind]}", "\n".join(item_lines(each) for each in items)]
    return parts


def _links(ids: Iterable[str], stems: Stems) -> str:
    return "\n".join(f"- {link_to(stems.of[id])}" for id in ids)


def _shown(text: str, stems: Stems) -> str:
    """For players: the text without links to pages that they do not have, which would reveal them."""
    known = stems.folded
    return text if known is None else unlinked(text, lambda target: target.casefold() in known)


def one_line(text: str) -> str:
    return " ".join(text.split())


def _joined(*parts: str) -> str:
    return "\n\n".join(each for each in (part.strip() for part in parts) if each)


def _mentioned(world: VaultWorld) -> dict[str, set[str]]:
    """The sessions whose memories mention an entity, by the entity's id."""
    index = MentionIndex([KnownEntity(each.id, each.name, each.aliases, each.kind) for each in world.entities])
    found: dict[str, set[str]] = {}
    for memory in world.memories:
        if memory.session_id is not None:
            for id in {*memory.entity_ids, *(each.id for each in index.find(memory.content))}:
                found.setdefault(id, set()).add(memory.session_id)
    return found
