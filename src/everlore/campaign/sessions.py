"""Sessions: start, join conversations, end, read, digest, clear (G1, G3, G10). Start at `Sessions.start`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from everlore.campaign.digest.drafting import in_story_order
from everlore.campaign.digest.jobs import digest_job
from everlore.campaign.live_events import announce
from everlore.campaign.logs import heard, is_open_by_default, lines_in, log_of
from everlore.campaign.roles import speaker_names
from everlore.campaign.seats import Seat, refuse_player, seat_at
from everlore.campaign.showing import shown, shown_sessions
from everlore.campaign.spoilers import spoilers_of
from everlore.domain.campaign import Chapter, Session
from everlore.domain.conversation import Conversation, Message
from everlore.domain.job import Job
from everlore.domain.memory import Memory, Origin, Status
from everlore.domain.person import Person
from everlore.domain.proposal import Decision, Proposal
from everlore.domain.scope import Scope
from everlore.domain.sessions import SessionPart, parts_of, with_parts
from everlore.domain.visibility import as_read_by
from everlore.errors import BadAsk, Conflict, NotFound
from everlore.learning.segments.transcript import TranscriptLine
from everlore.services.conversations import Conversations
from everlore.store.all_pages import all_of
from everlore.store.port import Amend, Change, Delete, Enqueue, Put
from everlore.turn.resources import Resources


@dataclass(frozen=True, slots=True)
class Cleared:
    """The numbers of deleted records; memories that a person wrote or edited are kept."""

    memories: int
    proposals: int


class Sessions:
    def __init__(self, scope: Scope, resources: Resources, conversations: Conversations) -> None:
        self._scope = scope
        self._resources = resources
        self._store = resources.store
        self._conversations = conversations

    # ── playing ──────────────────────────────────────────────────────────────────────────────────

    async def start(
        self,
        campaign: str,
        *,
        name: str = "",
        chapter: str | None = None,
        conversation: str | None = None,
        open: bool | None = None,
    ) -> Session:
        """Start the next session, in the current chapter unless another is given. With a conversation: messages in it
        from now on belong to the session."""
        seat = refuse_player(await seat_at(self._store, self._scope, campaign))
        now = self._resources.clock()
        session = Session(
            workspace=self._scope.workspace,
            id=self._resources.new_id(),
            campaign_id=seat.campaign.id,
            chapter_id=await self._chapter(seat, chapter),
            number=max((each.number for each in await self.list(campaign)), default=0) + 1,
            name=name,
            started_at=now,
            created_at=now,
            updated_at=now,
        )
        await self._apply([Put(session)])
        if conversation is not None:
            return await self.join(session.id, conversation, open=open)
        return session

    async def talk(
        self,
        id: str,
        characters: Person | str | Sequence[Person | str],
        *,
        user: Person | str | None = None,
        open: bool | None = None,
        title: str = "",
        config: Mapping[str, Any] | None = None,
    ) -> Conversation:
        """Start a new conversation in this session."""
        session = await self._running(id)
        made = await self._conversations.start(characters, user=user, title=title, config=config, session=session)
        await self.join(id, made.id, open=open, whole=True)
        return await self._conversations.get(made.id)

    async def join(self, id: str, conversation: str, *, open: bool | None = None, whole: bool = False) -> Session:
        """Add the conversation's messages from now on to the session; `whole`: earlier ones too."""
        session = await self._running(id)
        talk = await self._conversations.get(conversation)
        if talk.private:
            raise BadAsk("A private chat can't be part of a session. Turn off “Private” first.")
        if any(each.conversation_id == talk.id and each.last_seq is None for each in parts_of(session)):
            return session
        campaign = (await seat_at(self._store, self._scope, session.campaign_id)).campaign
        at_table = is_open_by_default(campaign, talk) if open is None else open
        part = SessionPart(talk.id, first_seq=1 if whole else talk.message_count + 1, open=at_table)
        extra = with_parts(session, (*parts_of(session), part))
        fields = {"extra": extra, "updated_at": self._resources.clock()}
        played = {"campaign_id": session.campaign_id, "session_id": session.id}
        return await self._apply([Amend(Session, id, fields), Amend(Conversation, talk.id, played)])

    async def end(self, id: str, *, digest: bool = True) -> Session:
        """End the session: later messages are no longer part of it, and it is digested in the background. An ended
        session stays as it is."""
        session = await self._own(id)
        if session.ended_at is not None:
            return session
        now = self._resources.clock()
        ids = [each.conversation_id for each in parts_of(session)]
        talks = {each.id: each for each in await self._store.get_many(self._scope, Conversation, ids)}
        parts = [_ended(each, talks) for each in parts_of(session) if each.conversation_id in talks]
        fields = {"ended_at": now, "updated_at": now, "extra": with_parts(session, parts)}
        changes: list[Change] = [Amend(Session, id, fields)]
        current = [each for each in talks.values() if each.session_id == id]
        changes += [Amend(Conversation, each.id, {"session_id": None}) for each in current]
        if digest:
            changes.append(Enqueue(self._job(session)))
        return await self._apply(changes)

    async def change(
        self, id: str, *, name: str | None = None, chapter: str | None = None, reopen: bool = False
    ) -> Session:
        session = await self._own(id)
        fields: dict[str, Any] = {"updated_at": self._resources.clock()}
        if name is not None:
            fields["name"] = name
        if chapter is not None:
            seat = await seat_at(self._store, self._scope, session.campaign_id)
            fields["chapter_id"] = await self._chapter(seat, chapter)
        if reopen:
            fields["ended_at"] = None
        return await self._apply([Amend(Session, id, fields)])

    async def delete(self, id: str) -> None:
        """Delete the session and the memories made from it. Its messages stay as ordinary chats, and what a game master
        wrote stays with the campaign."""
        session = await self._own(id)
        lost = await self._formed(session)
        ended = await self._proposed(session, tuple(Decision))
        await self._store.apply(
            self._scope,
            [
                *(Delete(Memory, each.id) for each in lost),
                *(Delete(Proposal, each.id) for each in ended),
                Delete(Session, id),
            ],
        )

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    async def list(self, campaign: str, *, chapter: str | None = None, player: str | None = None) -> Sequence[Session]:
        """The sessions in order. Only the game master sees parts that are hidden from players."""
        seat = await seat_at(self._store, self._scope, campaign, player=player)
        where = {"campaign_id": seat.campaign.id} | ({"chapter_id": chapter} if chapter else {})
        return shown_sessions(seat, await all_of(self._store, self._scope, Session, where))

    async def get(self, id: str, *, player: str | None = None) -> Session:
        return (await self._shown(id, player))[1]

    async def log(self, id: str, *, player: str | None = None) -> Sequence[Message]:
        """The session's messages that the caller may read, in order."""
        seat, session = await self._shown(id, player)
        messages = await log_of(self._store, self._scope, session)
        if seat.runs:
            return tuple(as_read_by(seat.viewer, each) for each in messages)
        spoilers = await spoilers_of(self._store, self._scope, seat.campaign)
        theirs = heard(seat.campaign, session, messages)
        return tuple(as_read_by(seat.viewer, each) for each in theirs if not spoilers.hide(seat.viewer, session, each))

    async def lines(self, id: str, *, player: str | None = None) -> Sequence[TranscriptLine]:
        """The log with the name of each speaker."""
        seat, _ = await self._shown(id, player)
        messages = await self.log(id, player=player)
        return lines_in(messages, await speaker_names(self._store, self._scope, seat.campaign, messages))

    async def memories(self, id: str, *, player: str | None = None) -> Sequence[Memory]:
        """The session's memories, oldest first, scenes in story order."""
        seat, _ = await self._shown(id, player)
        where = {"session_id": id, "status": Status.ACTIVE.value}
        found = await all_of(self._store, self._scope, Memory, where)
        return await shown(self._store, self._scope, seat, in_story_order(found))

    # ── digesting ────────────────────────────────────────────────────────────────────────────────

    async def digest(self, id: str) -> Job:
        """Digest the session again from its log (G10). Memories that a person edited stay as they are (G11)."""
        session = await self._own(id)
        job = self._job(session)
        await self._store.apply(self._scope, [Enqueue(job)])
        return job

    async def clear(self, id: str) -> Cleared:
        """Delete the session's memories and pending proposals. The log stays."""
        session = await self._own(id)
        lost = [each for each in await self._formed(session) if not each.edited_by_person]
        waiting = await self._proposed(session, (Decision.PENDING,))
        changes: list[Change] = [Delete(Memory, each.id) for each in lost]
        changes += [Delete(Proposal, each.id) for each in waiting]
        results = await self._store.apply(self._scope, changes)
        self._resources.live.applied(self._scope, changes, results)
        return Cleared(len(lost), len(waiting))

    def _job(self, session: Session) -> Job:
        return digest_job(session, self._resources.clock(), self._resources.new_id)

    async def _formed(self, session: Session) -> Sequence[Memory]:
        where = {"session_id": session.id, "origin": Origin.DIGEST.value}
        return tuple(await all_of(self._store, self._scope, Memory, where))

    async def _proposed(self, session: Session, statuses: Iterable[Decision]) -> Sequence[Proposal]:
        where = {"session_id": session.id, "status": [each.value for each in statuses]}
        return tuple(await all_of(self._store, self._scope, Proposal, where))

    # ── checking ─────────────────────────────────────────────────────────────────────────────────

    async def _shown(self, id: str, player: str | None) -> tuple[Seat, Session]:
        """The session; NotFound for players if it is hidden from them."""
        session = await self._store.get(self._scope, Session, id)
        seat = await seat_at(self._store, self._scope, session.campaign_id, player=player)
        seen = shown_sessions(seat, [session])
        if not seen:
            raise NotFound(f"There is no Session {id!r} in this workspace.")
        return seat, seen[0]

    async def _own(self, id: str) -> Session:
        """The session, if the caller runs its campaign."""
        session = await self._store.get(self._scope, Session, id)
        refuse_player(await seat_at(self._store, self._scope, session.campaign_id))
        return session

    async def _running(self, id: str) -> Session:
        session = await self._own(id)
        if session.ended_at is not None:
            raise Conflict(f"Session {session.number} has ended. Start the next one, or reopen this one.")
        return session

    async def _chapter(self, seat: Seat, id: str | None) -> str | None:
        found = await all_of(self._store, self._scope, Chapter, {"campaign_id": seat.campaign.id})
        if id is None:
            return next((each.id for each in reversed(found) if each.closed_at is None), None)
        if id not in {each.id for each in found}:
            raise BadAsk(f"There is no chapter {id!r} in {seat.campaign.name}. Its chapters are listed with it.")
        return id

    async def _apply(self, changes: Sequence[Change]) -> Session:
        results = await self._store.apply(self._scope, changes)
        announce(self._resources, self._scope, changes, results)
        changed: Session = results[0]
        return changed


def _ended(part: SessionPart, talks: Mapping[str, Conversation]) -> SessionPart:
    return replace(part, last_seq=talks[part.conversation_id].message_count) if part.last_seq is None else part
