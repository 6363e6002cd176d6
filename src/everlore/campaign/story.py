"""The whole story of a campaign as Markdown, chapter by chapter (G13). Pure; start at `story_of`.

It says what the viewer may see: a player's story is made of what players know.
"""

from collections.abc import Iterator

from everlore.campaign.canon_sections import CanonSection, Shelves
from everlore.campaign.recap import best_summary, name_of, open_threads
from everlore.domain.campaign import Chapter, Session


def story_of(shelves: Shelves) -> str:
    return "\n\n".join(_parts(shelves)) + "\n"


def _parts(shelves: Shelves) -> Iterator[str]:
    yield f"# {shelves.campaign.name}"
    if premise := shelves.campaign.premise.strip():
        yield premise
    chapters = {each.of.id: each.of for each in shelves.chapters if isinstance(each.of, Chapter)}
    current: str | None = None
    for section in reversed(shelves.sessions):
        assert isinstance(section.of, Session)
        chapter = chapters.get(section.of.chapter_id or "")
        if chapter is not None and chapter.id != current:
            current = chapter.id
            yield f"## Chapter {chapter.number}: {chapter.name}"
        yield from _session(section, section.of)
    threads = open_threads([each for section in shelves.sessions for each in section.memories])
    if threads:
        yield "## Still open"
        yield "\n".join(f"- {each}" for each in threads)


def _session(section: CanonSection, session: Session) -> Iterator[str]:
    yield f"### {name_of(session)}"
    yield f"*{session.started_at:%d %B %Y}*".replace("*0", "*")
    summary = best_summary(section.memories)
    yield summary.content if summary else "No summary yet."
