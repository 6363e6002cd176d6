"""Groups a campaign's memories by tier: campaign, chapters, sessions (G1). Pure; start at `shelved`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from everlore.campaign.digest.drafting import in_story_order
from everlore.campaign.recap import best_summary, line_of
from everlore.domain.campaign import Campaign, Chapter, Session
from everlore.domain.memory import Memory


@dataclass(frozen=True, slots=True)
class CanonSection:
    """One chapter or session with its memories. `summary`: for a chapter, one line per session."""

    of: Chapter | Session
    memories: tuple[Memory, ...]
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Shelves:
    """The campaign's own memories, and those of each chapter and session; the latest session first."""

    campaign: Campaign
    memories: tuple[Memory, ...]
    chapters: tuple[CanonSection, ...]
    sessions: tuple[CanonSection, ...]


def shelved(
    campaign: Campaign, chapters: Iterable[Chapter], sessions: Iterable[Session], memories: Sequence[Memory]
) -> Shelves:
    """Puts each memory in one place: its session, else its chapter, else the campaign."""
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
        chapters=tuple(
            CanonSection(each, tuple(placed.get(each.id, ())), _told(each, known_sessions, placed))
            for each in known_chapters
        ),
        sessions=tuple(CanonSection(each, tuple(in_story_order(placed.get(each.id, ())))) for each in known_sessions),
    )


def _told(chapter: Chapter, sessions: Iterable[Session], placed: Mapping[str, Sequence[Memory]]) -> str:
    """One line per session, from what the caller may see."""
    told: list[str] = []
    for session in sorted(sessions, key=lambda each: each.number):
        best = best_summary(placed.get(session.id, ()))
        if session.chapter_id == chapter.id and best:
            told.append(line_of(best))
    return "\n".join(told)
