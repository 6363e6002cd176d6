"""The story so far of a campaign, from what is stored; no model is called.

Fetch, then render. What any player may not know yet is left out for every caller: a recap is read aloud (G9). Start at
`recap_of`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from everlore.app import Everlore
from everlore.domain.campaign import Campaign, Chapter, Entity, Session
from everlore.domain.event import Event
from everlore.domain.memory import Memory, Status
from everlore.domain.outline import one_line
from everlore.domain.visibility import table_of
from everlore.errors import BadAsk, NotFound
from everlore.server.mcp.person_names import PersonNames, names_of
from everlore.server.mcp.wire import RecapText
from everlore.turn.viewers import seen_among

_MOST_CHAPTERS = 50
_MOST_SESSIONS = 5
_MOST_EVENTS = 12
_MOST_MEMORIES = 15
_MOST_ENTITIES = 40
_NAMED = 10
_LINE = 300
_PREMISE = 1_500
R = TypeVar("R", Chapter, Session, Event, Memory, Entity)
S = TypeVar("S", Event, Memory, Entity)


@dataclass(frozen=True, slots=True)
class Story:
    """The parts of a campaign's recap; each list has the last entries, in the order of the story."""

    campaign: Campaign
    chapters: Sequence[Chapter]
    sessions: Sequence[Session]
    events: Sequence[Event]
    memories: Sequence[Memory]
    entities: Sequence[Entity]


async def recap_of(lore: Everlore, said: str) -> RecapText:
    campaign = await _campaign(lore, said)
    story = await _story(lore, campaign)
    names = await names_of(lore, (campaign.gm_id, *campaign.player_ids))
    return RecapText(campaign_id=campaign.id, name=campaign.name, text=told(story, names))


async def _campaign(lore: Everlore, said: str) -> Campaign:
    by_id = await lore.store.get_many(lore.scope, Campaign, [said]) if said else []
    found = by_id or (await lore.store.find(lore.scope, Campaign, {"name": said}, limit=2)).items
    if len(found) > 1:
        raise BadAsk(f"Several campaigns are called {said!r}. Use an id: {', '.join(each.id for each in found)} …")
    if not found:
        page = await lore.store.find(lore.scope, Campaign, limit=_NAMED)
        known = ", ".join(repr(each.name) for each in page.items) or "none yet"
        raise NotFound(f"There is no campaign {said!r} in this workspace. There are: {known}.")
    campaign: Campaign = found[0]
    return campaign


async def _story(lore: Everlore, campaign: Campaign) -> Story:
    async def last(kind: type[R], most: int, **more: str) -> list[R]:
        where = {"campaign_id": campaign.id} | more
        page = await lore.store.find(lore.scope, kind, where, limit=most, newest_first=True)
        return list(reversed(page.items))

    async def open_to_all(kind: type[S], most: int, **more: str) -> list[S]:
        # Fetches more than needed, because some are left out.
        found = await last(kind, 3 * most, **more)
        for player in table_of(campaign):
            found = await seen_among(lore.store, lore.scope, player, found)
        return found[-most:]

    return Story(
        campaign,
        chapters=await last(Chapter, _MOST_CHAPTERS),
        sessions=await last(Session, _MOST_SESSIONS),
        events=await open_to_all(Event, _MOST_EVENTS),
        memories=await open_to_all(Memory, _MOST_MEMORIES, status=Status.ACTIVE.value),
        entities=await open_to_all(Entity, _MOST_ENTITIES),
    )


# ── rendering ────────────────────────────────────────────────────────────────────────────────────


def told(story: Story, names: PersonNames) -> str:
    """As short Markdown; text from messages and files stays on one line each, so it cannot imitate the structure."""
    campaign = story.campaign
    head = [f"# {one_line(campaign.name, _LINE)}"]
    if campaign.premise:
        head.append(one_line(campaign.premise, _PREMISE))
    sections = [
        ("At the table", _table(campaign, names)),
        ("Chapters", map(_chapter, sorted(story.chapters, key=lambda each: each.number))),
        ("Last sessions", map(_session, sorted(story.sessions, key=lambda each: each.number))),
        ("What happened last", (f"- {_day(each.at)}: {one_line(each.content, _LINE)}" for each in story.events)),
        ("What is known", (f"- {one_line(each.content, _LINE)}" for each in story.memories)),
        ("Who and what is there", _world(story.entities)),
    ]
    written = ["\n".join([f"## {heading}", *lines]) for heading, each in sections if (lines := list(each))]
    if not written:
        written = ["Nothing has been kept of this campaign yet."]
    return "\n\n".join([*head, *written])


def _table(campaign: Campaign, names: PersonNames) -> Iterator[str]:
    if gm := names.one(campaign.gm_id, ""):
        yield f"- Game master: {one_line(gm, _LINE)}"
    if players := names.of(campaign.player_ids):
        yield f"- Players: {', '.join(one_line(each, _LINE) for each in players)}"


def _chapter(chapter: Chapter) -> str:
    goals = f" Goals: {one_line('; '.join(chapter.goals), _LINE)}." if chapter.goals else ""
    ended = f" (closed {_day(chapter.closed_at)})" if chapter.closed_at else ""
    return f"- {chapter.number}. {one_line(chapter.name, _LINE)}{ended}.{goals}"


def _session(session: Session) -> str:
    name = f": {one_line(session.name, _LINE)}" if session.name else ""
    return f"- Session {session.number}, {_day(session.started_at)}{name}"


def _world(entities: Iterable[Entity]) -> Iterator[str]:
    for each in sorted(entities, key=lambda each: (each.kind.value, each.name)):
        about = f": {one_line(each.description, _LINE)}" if each.description else ""
        yield f"- {one_line(each.name, _LINE)} ({each.kind.value}){about}"


def _day(at: datetime) -> str:
    return at.date().isoformat()
