"""What a campaign knows, tier by tier: the campaign, its chapters, its sessions (G1). Pure; start at `shelved`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from everlore.domain.campaign import Campaign, Chapter, Session
from everlore.domain.memory import Memory


@dataclass(frozen=True, slots=True)
class CanonSection:
    """One chapter or one session with what it knows."""

    of: Chapter | Session
    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class Shelves:
    """What is of the whole campaign, and each chapter and session with its own; the latest session first."""

    campaign: Campaign
    memories: tuple[Memory, ...]
    chapters: tuple[CanonSection, ...]
    sessions: tuple[CanonSection, ...]


def shelved(
    campaign: Campaign, chapters: Iterable[Chapter], sessions: Iterable[Session], memories: Sequence[Memory]
) -> Shelves:
    """Each memory stands on one shelf: with its session, else with its chapter, else with the campaign."""
    known_sessions = sorted(sessions, key=lambda each: -each.number)
    known_chapters = sorted(chapters, key=lambda each: each.number)
    ids = {each.id for each in known_sessions} | {each.id for each in known_chapters}
    placed: dict[str, list[Memory]] = {}
    for memory in memories:
        place = next((id for id in (memory.session_id, memory.chapter_id) if id in ids), None)
        placed.setdefault(place or "", []).append(memory)
    return Shelves(
        campaign=campaign,
        memories=tuple(placed.get("", ())),
        chapters=tuple(CanonSection(each, tuple(placed.get(each.id, ()))) for each in known_chapters),
        sessions=tuple(CanonSection(each, tuple(placed.get(each.id, ()))) for each in known_sessions),
    )
