"""The “Previously on …” recap: the story so far, of the last session or since a date (G13). Pure; start at `recapped`.

It is built from what the caller may see: a player's recap uses only what players know, and is never derived from the
game master's.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from everlore.domain.campaign import Campaign, Chapter, Session
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.visibility import is_marked

MOST_THREADS = 8


@dataclass(frozen=True, slots=True)
class RecapSession:
    """One session in a recap: in full, or in one line."""

    session: Session
    line: str
    summary: str


@dataclass(frozen=True, slots=True)
class Recap:
    """`text`: the whole recap, to be read aloud."""

    campaign: Campaign
    chapter: Chapter | None
    sessions: tuple[RecapSession, ...]
    threads: tuple[str, ...]
    text: str


def recapped(
    campaign: Campaign,
    chapters: Sequence[Chapter],
    sessions: Sequence[Session],
    memories: Iterable[Memory],
    *,
    since: datetime | None = None,
) -> Recap:
    """The last session that has a summary; with `since`, all sessions from then on, the last one in full."""
    known = list(memories)
    told = [each for each in (_told(session, known) for session in _in_order(sessions)) if each is not None]
    shown = told[-1:] if since is None else [each for each in told if ended(each.session) >= since]
    chapter = next((each for each in reversed(chapters) if each.closed_at is None), None)
    threads = open_threads(known)
    return Recap(campaign, chapter, tuple(shown), threads, _text(campaign, chapter, shown, threads))


def name_of(session: Session) -> str:
    named = f": {session.name}" if session.name.strip() else ""
    return f"Session {session.number}{named}"


def _told(session: Session, memories: Sequence[Memory]) -> RecapSession | None:
    best = best_summary(each for each in memories if each.session_id == session.id)
    return RecapSession(session, line_of(best), best.content) if best else None


def best_summary(memories: Iterable[Memory]) -> Memory | None:
    """The game master has two summaries of a session; the hidden one says more."""
    own = [each for each in memories if each.type is MemoryType.SUMMARY]
    return max(own, key=lambda each: (is_marked(each), each.created_at, each.id), default=None)


def line_of(summary: Memory) -> str:
    return summary.summary or summary.content.split("\n")[0]


def open_threads(memories: Sequence[Memory]) -> tuple[str, ...]:
    open_ = [each for each in memories if each.type is MemoryType.PLOT_THREAD and each.valid_to is None]
    latest = sorted(open_, key=lambda each: (each.valid_from or each.created_at, each.id), reverse=True)
    return tuple(dict.fromkeys(each.content for each in latest))[:MOST_THREADS]


def _text(campaign: Campaign, chapter: Chapter | None, sessions: Sequence[RecapSession], threads: Sequence[str]) -> str:
    if not sessions:
        return "\n\n".join(each for each in (_title(campaign, chapter), campaign.premise.strip()) if each)
    parts = [_title(campaign, chapter)]
    parts += [f"{name_of(each.session)}. {each.line}" for each in sessions[:-1]]
    parts.append(f"{name_of(sessions[-1].session)}\n{sessions[-1].summary}")
    if threads:
        parts.append("Still open:\n" + "\n".join(f"- {each}" for each in threads))
    return "\n\n".join(parts)


def _title(campaign: Campaign, chapter: Chapter | None) -> str:
    return f"Previously on {campaign.name}" + (f" (chapter {chapter.number}: {chapter.name})" if chapter else "")


def _in_order(sessions: Sequence[Session]) -> list[Session]:
    return sorted(sessions, key=lambda each: each.number)


def ended(session: Session) -> datetime:
    return session.ended_at or session.started_at
