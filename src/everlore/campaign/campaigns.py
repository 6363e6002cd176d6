"""Managing campaigns: create, change, chapters and canon (G1, G10, G11).

Canon memories belong to the campaign and to no person; everyone in the campaign may know them, except spoilers. Start
at `Campaigns.make`."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from types import EllipsisType
from typing import Any

from everlore.campaign.canon.writing import write
from everlore.campaign.canon_sections import Shelves, shelved
from everlore.campaign.linking import mentioned_by
from everlore.campaign.players import MOST_PLAYERS, Players
from everlore.campaign.recap import Recap
from everlore.campaign.recapping import recap_of
from everlore.campaign.seats import Seat, refuse_player, seat_at, sits_at
from everlore.campaign.showing import shown, shown_sessions
from everlore.campaign.story import story_of
from everlore.domain.campaign import Campaign, Chapter, Session
from everlore.domain.memory import Memory, MemoryType, Origin, Status
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.errors import BadAsk, Conflict, NotFound
from everlore.services.lorebooks import without_campaign
from everlore.services.memory_writes import SavedMemory
from everlore.store.all_pages import all_of
from everlore.store.answers import Page
from everlore.store.port import Amend, Delete, Put
from everlore.turn.resources import Resources

_MOST_CHAPTERS = 1_000
_PAGE = 500


class Campaigns:
    def __init__(self, scope: Scope, resources: Resources) -> None:
        self._scope = scope
        self._resources = resources
        self._store = resources.store
        self.players = Players(scope, resources)

    # ── the campaign ─────────────────────────────────────────────────────────────────────────────

    async def make(
        self,
        name: str,
        *,
        premise: str = "",
        gm: Person | str | None = None,
        players: Iterable[Person | str] = (),
    ) -> Campaign:
        """Create a campaign. `gm` runs it: a person, or a character that a model plays; None: the owner does."""
        now = self._resources.clock()
        campaign = Campaign(
            workspace=self._scope.workspace,
            id=self._resources.new_id(),
            name=name,
            premise=premise,
            gm_id=await self._known(gm),
            player_ids=await self._players(players, gm),
            created_at=now,
            updated_at=now,
        )
        (stored,) = await self._store.apply(self._scope, [Put(campaign)])
        made: Campaign = stored
        return made

    async def get(self, campaign: str, *, player: str | None = None) -> Seat:
        """Find a campaign by id, or by name if the name is unique, with the caller's seat in it."""
        if await self._store.get_many(self._scope, Campaign, [campaign]):
            return await seat_at(self._store, self._scope, campaign, player=player)
        page = await self._store.find(self._scope, Campaign, {"name": campaign}, limit=_PAGE)
        named = [each for each in page.items if self._is_at_table(each)]
        if len(named) > 1:
            ids = ", ".join(each.id for each in named[:2])
            raise BadAsk(f"Several campaigns are called {campaign!r}. Use an id: {ids} …")
        return await seat_at(self._store, self._scope, named[0].id if named else campaign, player=player)

    async def list(self, *, limit: int = 50, cursor: str | None = None) -> Page:
        """The campaigns that the caller has a seat in, oldest first."""
        page = await self._store.find(self._scope, Campaign, limit=limit, cursor=cursor)
        return replace(page, items=tuple(each for each in page.items if self._is_at_table(each)))

    async def change(
        self,
        id: str,
        *,
        name: str | None = None,
        premise: str | None = None,
        gm: Person | str | EllipsisType | None = ...,
        players: Iterable[Person | str] | None = None,
    ) -> Campaign:
        """Change the given fields only; `gm` None: the owner runs it."""
        before = refuse_player(await self.get(id)).campaign
        fields: dict[str, Any] = {"updated_at": self._resources.clock()}
        fields |= {key: value for key, value in (("name", name), ("premise", premise)) if value is not None}
        runs = before.gm_id if isinstance(gm, EllipsisType) else await self._known(gm)
        fields["gm_id"] = runs
        fields["player_ids"] = await self._players(before.player_ids if players is None else players, runs)
        (stored,) = await self._store.apply(self._scope, [Amend(Campaign, before.id, fields)])
        changed: Campaign = stored
        return changed

    async def delete(self, id: str) -> None:
        """Delete it with its chapters, sessions, world and memories. Its conversations stay as ordinary chats."""
        campaign = refuse_player(await self.get(id)).campaign
        books = await without_campaign(self._store, self._scope, campaign.id)
        await self._store.apply(self._scope, [Delete(Campaign, campaign.id), *books])

    # ── its chapters ─────────────────────────────────────────────────────────────────────────────

    async def chapters(self, id: str, *, player: str | None = None) -> Sequence[Chapter]:
        seat = await self.get(id, player=player)
        page = await self._store.find(self._scope, Chapter, {"campaign_id": seat.campaign.id}, limit=_MOST_CHAPTERS)
        return tuple(page.items)

    async def begin_chapter(self, id: str, name: str, *, goals: Iterable[str] = ()) -> Chapter:
        """Begin the next chapter; the one before it ends."""
        seat = refuse_player(await self.get(id))
        before = await self.chapters(seat.campaign.id)
        ended, chapter = next_chapter(seat.campaign, before, self._resources, name=name, goals=_goals(goals))
        stored = await self._store.apply(self._scope, [*ended, Put(chapter)])
        begun: Chapter = stored[-1]
        return begun

    async def change_chapter(
        self, id: str, *, name: str | None = None, goals: Iterable[str] | None = None, closed: bool | None = None
    ) -> Chapter:
        chapter = await self._chapter(id)
        now = self._resources.clock()
        fields: dict[str, Any] = {"updated_at": now}
        if name is not None:
            fields["name"] = name
        if goals is not None:
            fields["goals"] = _goals(goals)
        if closed is not None:
            fields["closed_at"] = (chapter.closed_at or now) if closed else None
        (stored,) = await self._store.apply(self._scope, [Amend(Chapter, id, fields)])
        changed: Chapter = stored
        return changed

    async def delete_chapter(self, id: str) -> None:
        """Delete a chapter; its sessions stay, without a chapter."""
        chapter = await self._chapter(id)
        await self._store.apply(self._scope, [Delete(Chapter, chapter.id)])

    async def _chapter(self, id: str) -> Chapter:
        """The chapter, if the caller runs its campaign."""
        chapter = await self._store.get(self._scope, Chapter, id)
        refuse_player(await seat_at(self._store, self._scope, chapter.campaign_id))
        return chapter

    # ── canon ────────────────────────────────────────────────────────────────────────────────────

    async def remember(
        self,
        id: str,
        content: str,
        *,
        type: MemoryType = MemoryType.FACT,
        chapter: str | None = None,
        session: str | None = None,
        importance: int = 5,
        spoiler: bool = False,
        force: bool = False,
        by: str = "gm",
    ) -> SavedMemory:
        """Add a memory to canon: it belongs to no person, and everyone in the campaign may know it unless it is a
        spoiler. Models never overwrite it (G11). If it contradicts canon, it waits for a ruling (G7)."""
        seat = refuse_player(await self.get(id))
        now = self._resources.clock()
        memory = Memory(
            workspace=self._scope.workspace,
            id=self._resources.new_id(),
            content=content,
            type=type,
            importance=importance,
            is_spoiler=spoiler,
            origin=Origin.GM,
            campaign_id=seat.campaign.id,
            entity_ids=await mentioned_by(self._store, self._scope, seat.campaign.id, content),
            chapter_id=await self._own(Chapter, chapter, seat.campaign),
            session_id=await self._own(Session, session, seat.campaign),
            created_at=now,
            updated_at=now,
        )
        return await write(self._resources, self._scope, seat.campaign.id, memory, by=by, force=force)

    async def memories(
        self,
        id: str,
        *,
        types: Iterable[MemoryType] = (),
        chapter: str | None = None,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        statuses: Iterable[Status] = (Status.ACTIVE,),
        player: str | None = None,
    ) -> Sequence[Memory]:
        """The campaign's memories that the caller may see, newest first."""
        seat = await self.get(id, player=player)
        where: dict[str, Any] = {"campaign_id": seat.campaign.id, "status": [each.value for each in statuses]}
        kinds = [each.value for each in types]
        where |= {"type": kinds} if kinds else {}
        where |= {name: at for name, at in (("chapter_id", chapter), ("session_id", session)) if at is not None}
        found = await all_of(self._store, self._scope, Memory, where, newest_first=True)
        within = [each for each in found if _is_within(each, since, until)]
        return await shown(self._store, self._scope, seat, within, at_desk=True)

    async def shelves(self, id: str, *, player: str | None = None) -> Shelves:
        """The campaign's memories by tier: campaign, chapters, sessions (G1)."""
        seat = await self.get(id, player=player)
        chapters = await self.chapters(id, player=player)
        found = await all_of(self._store, self._scope, Session, {"campaign_id": seat.campaign.id})
        sessions = shown_sessions(seat, found)
        memories = await self.memories(id, player=player)
        return shelved(seat.campaign, chapters, sessions, memories)

    async def story(self, id: str, *, player: str | None = None) -> str:
        """The whole story as Markdown, chapter by chapter, from what the caller may see (G13)."""
        return story_of(await self.shelves(id, player=player))

    async def recap(self, id: str, *, since: datetime | None = None, player: str | None = None) -> Recap:
        """The story so far from what the caller may see: the last session, or all since a date (G13)."""
        seat = await self.get(id, player=player)
        return await recap_of(self._store, self._scope, seat, since=since)

    # ── checking ─────────────────────────────────────────────────────────────────────────────────

    def _is_at_table(self, campaign: Campaign) -> bool:
        own = self._scope.confined_to
        return own is None or sits_at(campaign, own)

    async def _known(self, person: Person | str | None) -> str | None:
        if person is None:
            return None
        id = person if isinstance(person, str) else person.id
        if not await self._store.get_many(self._scope, Person, [id]):
            raise NotFound(f"There is no person {id!r} in this workspace. Its id is in the list of characters.")
        return id

    async def _players(self, players: Iterable[Person | str], gm: Person | str | None) -> tuple[str, ...]:
        runs = gm.id if isinstance(gm, Person) else gm
        ids = tuple(dict.fromkeys(each if isinstance(each, str) else each.id for each in players))
        if len(ids) > MOST_PLAYERS:
            raise BadAsk(f"A campaign has at most {MOST_PLAYERS} players, and {len(ids)} were named.")
        if runs is not None and runs in ids:
            raise Conflict("The game master knows the secrets and can't be a player. Choose another player.")
        for id in ids:
            await self._known(id)
        return ids

    async def _own(self, kind: type[Chapter] | type[Session], id: str | None, campaign: Campaign) -> str | None:
        if id is None:
            return None
        found = await self._store.get_many(self._scope, kind, [id])
        if not found or found[0].campaign_id != campaign.id:
            raise NotFound(f"There is no {kind.__name__.lower()} {id!r} in {campaign.name}.")
        return id


def _goals(goals: Iterable[str]) -> tuple[str, ...]:
    return tuple(goal for goal in (" ".join(each.split()) for each in goals) if goal)


def next_chapter(
    campaign: Campaign, before: Iterable[Chapter], resources: Resources, *, name: str, goals: tuple[str, ...]
) -> tuple[list[Amend], Chapter]:
    """The changes that end the open chapters, and the next one."""
    now, known = resources.clock(), list(before)
    chapter = Chapter(
        workspace=campaign.workspace,
        id=resources.new_id(),
        campaign_id=campaign.id,
        number=max((each.number for each in known), default=0) + 1,
        name=name,
        goals=goals,
        created_at=now,
        updated_at=now,
    )
    ended = {"closed_at": now, "updated_at": now}
    return [Amend(Chapter, each.id, ended) for each in known if each.closed_at is None], chapter


def _is_within(memory: Memory, since: datetime | None, until: datetime | None) -> bool:
    at = memory.valid_from or memory.created_at
    return (since is None or at >= since) and (until is None or at < until)
