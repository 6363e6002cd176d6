"""The background job that digests a session: reads its log, and saves memories and proposals (G3, G9, G11).

What the players heard is read separately, and only that digest is for them; hidden messages go into a second digest for
the game master alone. All results are saved together with the end of the job, so that running it again adds nothing.

Start at `DigestSessions`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import structlog

from everlore.campaign.boundaries import boundary_in
from everlore.campaign.canon.weighing import weighed
from everlore.campaign.digest.digest import Digest
from everlore.campaign.digest.drafting import DigestSource, closed, drafted, replaced
from everlore.campaign.digest.played import Played, played_of, spoken
from everlore.campaign.digest.prompts import SessionReader, told
from everlore.campaign.digest.quoting import notes, quoted
from everlore.campaign.digest.removal import deleted_in
from everlore.campaign.digest.spellings import with_spellings
from everlore.campaign.naming import index_of, known_of
from everlore.campaign.proposing import (
    ProposalSource,
    grouped,
    now_public,
    proposed_chapter,
    proposed_entities,
    proposed_reveals,
    proposed_ties,
    tie_key,
    unknown_among,
)
from everlore.campaign.sighting import Sighted, as_known, sighted
from everlore.domain.campaign import Relationship, Session
from everlore.domain.config import ConversationConfig
from everlore.domain.job import Job
from everlore.domain.memory import Memory, Origin
from everlore.domain.proposal import Decision, Proposal, ProposalKind
from everlore.domain.scope import Scope
from everlore.learning.candidate import Asker
from everlore.learning.mind import Mind
from everlore.learning.segments.transcript import Count, TranscriptLine
from everlore.models.chat import Purpose
from everlore.store.all_pages import all_of
from everlore.store.port import Amend, Change, Put, Store

log = structlog.get_logger(__name__)

# The smallest context window expected of local models.
_WINDOW_TOKENS = 8_192


class DigestSessions:
    def __init__(
        self,
        store: Store,
        mind: Mind,
        count: Count,
        new_id: Callable[[], str],
    ) -> None:
        self._store = store
        self._mind = mind
        self._count = count
        self._new_id = new_id

    async def __call__(self, scope: Scope, jobs: Sequence[Job], now: datetime) -> list[Change]:
        changes: list[Change] = []
        for job in jobs:
            changes += await self._read(scope, str(job.payload["session_id"]), now)
        return changes

    async def _read(self, scope: Scope, session_id: str, now: datetime) -> list[Change]:
        played = await played_of(self._store, scope, session_id)
        if played is None:
            return []
        asker = await self._mind.asker(scope, Purpose.ANALYSIS, ConversationConfig())
        shared, hidden = await self._digests(played, asker)
        memories = _memories(played, shared, hidden, now)
        seen = await self._sighted(played, asker)
        proposals = await self._proposals(scope, played, seen, shared, now)
        sessions = await self._store.get_many(scope, Session, [session_id])
        # The session was deleted while the model worked.
        if not sessions:
            return []
        where = {"session_id": session_id, "origin": Origin.DIGEST.value}
        before = await all_of(self._store, scope, Memory, where)
        # Read again, a session does not bring back a spelling that the game master removed.
        entities = [each for each in played.entities if not (before and each.gm_edited)]
        spellings = with_spellings(entities, seen.names, played.hidden, now)
        log.info("campaign.digested", session=session_id, formed=len(memories), model=asker.name if asker else "")
        kept = replaced(before, memories, now, deleted_in(sessions[0]))
        changes: list[Change] = [*kept, *proposals, *spellings]
        campaign_id = played.campaign.id
        allowed = await weighed(self._store, scope, campaign_id, changes, now=now, new_id=self._new_id, asker=asker)
        ids = {id for each in (shared, hidden) if each is not None for id in each.closed}
        return [*allowed, *closed(played.threads, ids, played.session, now)]

    async def _proposals(
        self, scope: Scope, played: Played, seen: Sighted, digest: Digest | None, now: datetime
    ) -> list[Change]:
        """Proposals for new names, relationships and a chapter end. Earlier proposals are not repeated, and another
        spelling of a waiting name joins that proposal."""
        session = played.session
        source = ProposalSource(session.workspace, session.campaign_id, session.id, now, played.hidden)
        if digest is not None and digest.is_chapter_read:
            boundary = digest.boundary
        else:
            boundary = boundary_in(played.heard, played.chapter, played.narrators, played.names)
        where = {"campaign_id": played.campaign.id, "kind": ProposalKind.ENTITY.value, "status": Decision.PENDING.value}
        waiting = await all_of(self._store, scope, Proposal, where)
        proposed = proposed_entities(seen.names, source)
        said = spoken((*played.heard, *played.spoilt))
        public = {each.id: each for each in now_public((*proposed, *waiting), said, source)}
        waiting = [public.get(each.id, each) for each in waiting]
        names, spelled = grouped([public.get(each.id, each) for each in proposed], waiting)
        made = [
            *names,
            *proposed_ties(seen.ties, source, await self._tied(scope, played)),
            *proposed_chapter(boundary, played.chapter, source),
            *proposed_reveals(
                [(each, line.message.id, line.text) for line in played.spoilt for each in played.given_away(line)],
                source,
            ),
        ]
        there = await self._store.get_many(scope, Proposal, [each.id for each in made])
        fresh = unknown_among(made, {each.id for each in there})
        more: list[Change] = [Amend(Proposal, each.id, {"detail": each.detail, "updated_at": now}) for each in spelled]
        again = [public[each.id] for each in waiting if each.id in public]
        return [*map(Put, (*fresh, *again)), *more]

    async def _sighted(self, played: Played, asker: Asker | None) -> Sighted:
        """Reads what the players heard separately, so that no name or alias of theirs comes from hidden messages. Names
        that only hidden messages mention are proposed as hidden."""
        known = known_of(played.entities)
        table = {"players": played.seated, "narrators": played.narrators}
        heard = await sighted(spoken(played.heard), known, asker, **table)
        hidden = [each for each in played.lines if each.message.id in played.hidden]
        if not hidden:
            return heard
        behind = await sighted(spoken(hidden), [*known, *map(as_known, heard.names)], asker, **table)
        ids = {each.id for each in known}
        # A hidden name may match a new name, but that is no entity yet, so it cannot be merged into it.
        hidden_names = (
            each if each.match is None or each.is_known or each.match.id in ids else replace(each, match=None)
            for each in behind.names
        )
        return Sighted((*heard.names, *hidden_names), (*heard.ties, *behind.ties))

    async def _tied(self, scope: Scope, played: Played) -> set[tuple[str, str, str]]:
        """The existing relationships, by the names of both entities."""
        names = {each.id: each.name for each in played.entities}
        found = await all_of(self._store, scope, Relationship, {"campaign_id": played.campaign.id})
        return {
            tie_key(names[each.source_id], each.type, names[each.target_id])
            for each in found
            if each.source_id in names and each.target_id in names
        }

    async def _digests(self, played: Played, asker: Asker | None) -> tuple[Digest | None, Digest | None]:
        """For everyone, from what the players heard; and the hidden part for the game master."""
        shared = await self._told(played.heard, played, asker, whole=False)
        if not played.hidden:
            return shared, None
        whole = await self._told(played.lines, played, asker, whole=True)
        return shared, _of_hidden(whole, played) if whole else None

    async def _told(
        self, lines: Sequence[TranscriptLine], played: Played, asker: Asker | None, *, whole: bool
    ) -> Digest | None:
        if asker is not None and lines:
            background = played.background(whole=whole)
            index = index_of(background.entities)
            reader = SessionReader(asker, _WINDOW_TOKENS, self._count, played.narrators, background, index)
            found = await told(lines, reader)
            if found is not None:
                return found
        return quoted(lines, played.narrators)


def _memories(played: Played, shared: Digest | None, hidden: Digest | None, now: datetime) -> list[Memory]:
    places = {each.message.id: each.message.conversation_id for each in played.lines}
    source = DigestSource(played.session, places, index_of(played.entities), now)
    found = drafted(shared, source, is_spoiler=False) if shared else []
    return [*found, *(drafted(hidden, source, is_spoiler=True) if hidden else [])]


def _of_hidden(digest: Digest, played: Played) -> Digest:
    """The part of a digest that hidden messages contribute to; the players' digest has the rest."""
    hidden = played.hidden
    items = tuple(each for each in digest.items if hidden.intersection(each.sources))
    if not digest.model:
        known = {each.text for each in items}
        noted = notes([each for each in played.lines if each.message.id in hidden])
        items += tuple(each for each in noted if each.text not in known)
    return replace(digest, items=items)
