"""Routes for campaigns: create, change, their chapters, sessions, canon and recaps (G1, G3, G10, G13).

`player` limits an answer to what that player may see: an id, or an empty text for what all of them may see.
"""

from typing import Annotated, Any

from fastapi import Query
from pydantic import AwareDatetime

from everlore.campaign.roles import speaker_names
from everlore.domain.memory import MemoryType, Status
from everlore.server.access import Lore
from everlore.server.conversations import shown
from everlore.server.routing import Router
from everlore.server.wire import ListOf
from everlore.server.wire_campaigns import (
    CampaignChanges,
    CampaignOut,
    ChapterChanges,
    ChapterOut,
    ClearedOut,
    Joining,
    LogOut,
    NewCampaign,
    NewCanon,
    NewChapter,
    NewPlayer,
    NewQuestion,
    NewRole,
    NewSession,
    NewTalk,
    PlayerOut,
    QueuedOut,
    RecapOut,
    RecordAnswer,
    SessionChanges,
    SessionOut,
    ShelvesOut,
    StoryOut,
    campaign_out,
    player_out,
    recap_out,
    record_answer_out,
    session_out,
    shelves_out,
)
from everlore.server.wire_conversations import ConversationOut, message_out
from everlore.server.wire_memories import MemoryList, MemorySaved, memory_out, reader_of, saved_out

router = Router(prefix="/api/campaigns", tags=["campaigns"])
chapters = Router(prefix="/api/chapters", tags=["campaigns"])
sessions = Router(prefix="/api/sessions", tags=["campaigns"])
Limit = Annotated[int, Query(ge=1, le=500)]
Player = Annotated[str | None, Query(max_length=128, description="As seen by this player; empty: by any player.")]


# ── campaigns ────────────────────────────────────────────────────────────────────────────────────


@router.get("")
async def list_campaigns(lore: Lore, limit: Limit = 50, cursor: str | None = None) -> ListOf[CampaignOut]:
    """Lists the campaigns that the caller runs or plays in."""
    page = await lore.campaigns.list(limit=limit, cursor=cursor)
    seats = [await lore.campaigns.get(each.id) for each in page.items]
    return ListOf[CampaignOut](items=[campaign_out(each) for each in seats], next=page.cursor)


@router.post("", status_code=201)
async def make_campaign(lore: Lore, new: NewCampaign) -> CampaignOut:
    made = await lore.campaigns.make(new.name, premise=new.premise, gm=new.gm_id, players=new.player_ids)
    for each in new.players:
        await lore.campaigns.players.add(made.id, each.name, person=each.person_id, character=each.character)
    return campaign_out(await lore.campaigns.get(made.id))


@router.get("/{id}")
async def get_campaign(lore: Lore, id: str, player: Player = None) -> CampaignOut:
    return campaign_out(await lore.campaigns.get(id, player=player))


@router.patch("/{id}")
async def change_campaign(lore: Lore, id: str, changes: CampaignChanges) -> CampaignOut:
    fields: dict[str, Any] = {"name": changes.name, "premise": changes.premise, "players": changes.player_ids}
    if "gm_id" in changes.model_fields_set:
        fields["gm"] = changes.gm_id
    changed = await lore.campaigns.change(id, **fields)
    return campaign_out(await lore.campaigns.get(changed.id))


@router.delete("/{id}", status_code=204)
async def delete_campaign(lore: Lore, id: str) -> None:
    """Deletes a campaign for good, with its chapters, sessions, world and memories. Its conversations stay."""
    await lore.campaigns.delete(id)


@router.get("/{id}/recap")
async def recap_campaign(
    lore: Lore,
    id: str,
    since: Annotated[AwareDatetime | None, Query(description="All sessions since; default: the last one.")] = None,
    player: Player = None,
) -> RecapOut:
    """Returns a recap (“Previously on …”) of what the caller may see."""
    return recap_out(await lore.campaigns.recap(id, since=since, player=player))


@router.get("/{id}/story")
async def tell_story(lore: Lore, id: str, player: Player = None) -> StoryOut:
    """Returns the whole story as Markdown, chapter by chapter, from what the caller may see."""
    return StoryOut(campaign_id=id, markdown=await lore.campaigns.story(id, player=player))


@router.post("/{id}/ask")
async def ask_campaign(lore: Lore, id: str, new: NewQuestion) -> RecordAnswer:
    """Answers a question from the campaign's record. Each statement names its session and message."""
    seat = await lore.campaigns.get(id)
    before = [(each.question, each.answer) for each in new.before]
    answer = await lore.asking.ask(
        seat.campaign.id,
        new.question,
        player=new.player,
        before=before,
        limit=new.limit,
        with_model=new.with_model,
    )
    return record_answer_out(answer)


@router.get("/{id}/shelves")
async def shelve_campaign(lore: Lore, id: str, player: Player = None) -> ShelvesOut:
    """Returns everything the campaign knows, by tier."""
    seat = await lore.campaigns.get(id, player=player)
    return shelves_out(await lore.campaigns.shelves(seat.campaign.id, player=player), runs=seat.runs)


@router.get("/{id}/memories")
async def list_canon(
    lore: Lore,
    id: str,
    type: Annotated[list[MemoryType] | None, Query()] = None,
    status: Annotated[list[Status] | None, Query(description="Default: active.")] = None,
    chapter_id: str | None = None,
    session_id: str | None = None,
    since: AwareDatetime | None = None,
    until: AwareDatetime | None = None,
    player: Player = None,
) -> MemoryList:
    """Lists the canon of the campaign, newest first."""
    found = await lore.campaigns.memories(
        id,
        types=type or (),
        chapter=chapter_id,
        session=session_id,
        since=since,
        until=until,
        statuses=status or (Status.ACTIVE,),
        player=player,
    )
    return MemoryList(items=[memory_out(each) for each in found], next=None)


@router.post("/{id}/memories", status_code=201)
async def add_canon(lore: Lore, id: str, new: NewCanon) -> MemorySaved:
    """Adds a statement to canon. It is never overwritten automatically."""
    kept = await lore.campaigns.remember(
        id,
        new.content,
        type=new.type,
        chapter=new.chapter_id,
        session=new.session_id,
        importance=new.importance,
        spoiler=new.is_spoiler,
        force=new.force,
    )
    return saved_out(kept, reader_of(lore.scope))


# ── players ──────────────────────────────────────────────────────────────────────────────────────


@router.get("/{id}/players")
async def list_players(lore: Lore, id: str, player: Player = None) -> ListOf[PlayerOut]:
    """Lists the players with their characters."""
    seat = await lore.campaigns.get(id, player=player)
    found = await lore.campaigns.players.list(seat.campaign.id, player=player)
    return ListOf[PlayerOut](items=[player_out(each) for each in found], next=None)


@router.post("/{id}/players", status_code=201)
async def add_player(lore: Lore, id: str, new: NewPlayer) -> PlayerOut:
    """Adds a player by name, without an account, or a known person."""
    return player_out(await lore.campaigns.players.add(id, new.name, person=new.person_id, character=new.character))


@router.post("/{id}/players/{player_id}/character")
async def recast_player(lore: Lore, id: str, player_id: str, new: NewRole) -> PlayerOut:
    """Gives a player a character, the first or a successor; `died` says that the one before it died."""
    return player_out(await lore.campaigns.players.play(id, player_id, new.name, died=new.died, at=new.at))


@router.delete("/{id}/players/{player_id}", status_code=204)
async def remove_player(lore: Lore, id: str, player_id: str) -> None:
    """Removes a player from the table. Characters and messages stay."""
    await lore.campaigns.players.remove(id, player_id)


# ── chapters ─────────────────────────────────────────────────────────────────────────────────────


@router.get("/{id}/chapters")
async def list_chapters(lore: Lore, id: str) -> ListOf[ChapterOut]:
    return ListOf[ChapterOut](items=[ChapterOut.of(each) for each in await lore.campaigns.chapters(id)], next=None)


@router.post("/{id}/chapters", status_code=201)
async def begin_chapter(lore: Lore, id: str, new: NewChapter) -> ChapterOut:
    """Starts the next chapter and ends the one before it."""
    return ChapterOut.of(await lore.campaigns.begin_chapter(id, new.name, goals=new.goals))


@chapters.patch("/{id}")
async def change_chapter(lore: Lore, id: str, changes: ChapterChanges) -> ChapterOut:
    fields = changes.model_dump(exclude_unset=True)
    return ChapterOut.of(await lore.campaigns.change_chapter(id, **fields))


@chapters.delete("/{id}", status_code=204)
async def delete_chapter(lore: Lore, id: str) -> None:
    """Deletes a chapter. Its sessions stay, without a chapter."""
    await lore.campaigns.delete_chapter(id)


# ── sessions ─────────────────────────────────────────────────────────────────────────────────────


@router.get("/{id}/sessions")
async def list_sessions(
    lore: Lore, id: str, chapter_id: str | None = None, player: Player = None
) -> ListOf[SessionOut]:
    """Lists the sessions of a campaign, in order."""
    seat = await lore.campaigns.get(id, player=player)
    found = await lore.sessions.list(seat.campaign.id, chapter=chapter_id, player=player)
    return ListOf[SessionOut](items=[session_out(each) for each in found], next=None)


@router.post("/{id}/sessions", status_code=201)
async def start_session(lore: Lore, id: str, new: NewSession) -> SessionOut:
    seat = await lore.campaigns.get(id)
    session = await lore.sessions.start(
        seat.campaign.id, name=new.name, chapter=new.chapter_id, conversation=new.conversation_id, open=new.open
    )
    return session_out(session)


@sessions.get("/{id}")
async def get_session(lore: Lore, id: str, player: Player = None) -> SessionOut:
    return session_out(await lore.sessions.get(id, player=player))


@sessions.patch("/{id}")
async def change_session(lore: Lore, id: str, changes: SessionChanges) -> SessionOut:
    changed = await lore.sessions.change(id, name=changes.name, chapter=changes.chapter_id, reopen=changes.reopen)
    return session_out(changed)


@sessions.delete("/{id}", status_code=204)
async def delete_session(lore: Lore, id: str) -> None:
    """Deletes a session and the memories formed from it. Its conversations stay."""
    await lore.sessions.delete(id)


@sessions.post("/{id}/join")
async def join_session(lore: Lore, id: str, joining: Joining) -> SessionOut:
    """Adds a conversation to the session. Only later messages belong to it."""
    return session_out(await lore.sessions.join(id, joining.conversation_id, open=joining.open, whole=joining.whole))


@sessions.post("/{id}/conversations", status_code=201)
async def talk_in_session(lore: Lore, id: str, new: NewTalk) -> ConversationOut:
    """Starts a conversation that is played in the session."""
    talk = await lore.sessions.talk(
        id, new.character_ids, user=new.user_id, open=new.open, title=new.title, config=new.config
    )
    return (await shown(lore, [talk]))[0]


@sessions.post("/{id}/end")
async def end_session(
    lore: Lore, id: str, digest: Annotated[bool, Query(description="Extract memories (in the background).")] = True
) -> SessionOut:
    return session_out(await lore.sessions.end(id, digest=digest))


@sessions.post("/{id}/digest", status_code=202)
async def digest_session(lore: Lore, id: str) -> QueuedOut:
    """Reads the session again from its log. Memories that a person edited stay."""
    return QueuedOut(job_id=(await lore.sessions.digest(id)).id)


@sessions.post("/{id}/clear")
async def clear_session(lore: Lore, id: str) -> ClearedOut:
    """Deletes what was formed from the session, including pending proposals. The log stays."""
    cleared = await lore.sessions.clear(id)
    return ClearedOut(memories=cleared.memories, proposals=cleared.proposals)


@sessions.get("/{id}/log")
async def read_log(lore: Lore, id: str, player: Player = None) -> LogOut:
    """Returns the messages of the session that the caller may read, in order."""
    messages = await lore.sessions.log(id, player=player)
    campaign = (await lore.campaigns.get((await lore.sessions.get(id, player=player)).campaign_id)).campaign
    names = await speaker_names(lore.store, lore.scope, campaign, messages)
    return LogOut(items=[message_out(each, names) for each in messages])


@sessions.get("/{id}/memories")
async def list_session_memories(lore: Lore, id: str, player: Player = None) -> MemoryList:
    """Lists the memories formed from the session, oldest first."""
    found = await lore.sessions.memories(id, player=player)
    return MemoryList(items=[memory_out(each) for each in found], next=None)
