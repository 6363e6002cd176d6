"""Analyses whole conversations in the background: on request, when closed, and after a number of tokens (W1–W3).

Every analysis is stored; without new messages none is made. Its memories count towards the limit for role-play (K2),
like those of segments. Start at `AnalyseConversations`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from everlore.domain.analysis import Analysis
from everlore.domain.config import ConversationConfig
from everlore.domain.conversation import Conversation, Message, MessageState
from everlore.domain.job import Job
from everlore.domain.memory import Origin
from everlore.domain.person import Person, PersonKind
from everlore.domain.reading import Extractor, Filter, Refusal
from everlore.domain.scope import Scope
from everlore.learning.analysis.answers import Profile, account_in, profile_of
from everlore.learning.analysis.whole import analysis_of
from everlore.learning.candidate import Candidate
from everlore.learning.extractors import is_analysed
from everlore.learning.jobs import Trigger
from everlore.learning.keyframe_jobs import formed_of
from everlore.learning.mind import LearningHandler, config_for
from everlore.learning.readings import reading_changes
from everlore.learning.saving.draft import Batch
from everlore.learning.saving.flow import batch_of
from everlore.learning.segments.keyframes import room_for
from everlore.learning.segments.sources import concerned, supporting, who_was_there
from everlore.learning.summaries.due import tokens_in
from everlore.models.chat import Purpose
from everlore.store.all_pages import pages_of
from everlore.store.port import Change, Put, Store

_PAGE = 500
# Unless the latest messages alone reach the limit, the store is asked once per this many messages.
_LOOKED_EVERY = 30
# Of a longer conversation only the end is read; earlier analyses have read the beginning.
_MOST_MESSAGES = 5_000


@dataclass(frozen=True, slots=True)
class _Whole:
    conversation: Conversation
    config: ConversationConfig
    messages: tuple[Message, ...]
    persons: dict[str, Person]

    @property
    def profile(self) -> Profile:
        first = self.persons.get(self.conversation.system_ids[0]) if self.conversation.system_ids else None
        return profile_of(self.config.memory_profile, first.memory_profile if first else "")

    @property
    def is_role_play(self) -> bool:
        user = self.persons.get(self.conversation.user_id or "")
        return user is None or user.kind is not PersonKind.USER


async def analysis_due(
    store: Store, scope: Scope, conversation: Conversation, config: ConversationConfig, said: Sequence[Message]
) -> bool:
    """Called with each turn: whether the token limit since the last analysis is reached (W1). `said`: the latest
    messages, as many as are loaded. Asks the store only if these alone suffice, or occasionally."""
    most = config.analyze_past_tokens
    if not most or not said or not is_analysed(conversation, config):
        return False
    if tokens_in(said) < most and said[-1].seq % _LOOKED_EVERY > 1:
        return False
    latest = await _latest(store, scope, conversation)
    read = latest.last_seq if latest else 0
    since = [each for each in said if each.seq > read]
    if tokens_in(since) < most and said[0].seq > read + 1:
        where = {"conversation_id": conversation.id}
        found = await store.find(scope, Message, where, limit=_PAGE, newest_first=True)
        since = [each for each in found.items if each.seq > read]
    return tokens_in(since) >= most


async def _latest(store: Store, scope: Scope, conversation: Conversation) -> Analysis | None:
    page = await store.find(scope, Analysis, {"conversation_id": conversation.id}, limit=1, newest_first=True)
    return page.items[0] if page.items else None


class AnalyseConversations(LearningHandler):
    async def _run(self, scope: Scope, job: Job, now: datetime) -> list[Change]:
        tools, whole = self._tools, await self._whole(scope, str(job.payload["conversation_id"]))
        if whole is None or not whole.messages:
            return []
        trigger = Trigger(str(job.payload["trigger"]))
        asker = await tools.asker(scope, Purpose.ANALYSIS, whole.config)
        found = await analysis_of(
            whole.messages,
            {id: person.name for id, person in whole.persons.items()},
            asker,
            whole.profile,
            setting=whole.config.setting,
            user_by_name=whole.is_role_play,
            earlier=None if job.payload.get("again") else await _latest(self._store, scope, whole.conversation),
            count=tools.count,
        )
        # The conversation may have become private while the model worked (F6).
        if found is None or await self._whole(scope, whole.conversation.id) is None:
            return []
        kept: Sequence[Candidate] = found.candidates
        over: list[Refusal] = []
        if whole.is_role_play:
            most = room_for(len(whole.messages), await formed_of(self._store, scope, whole.conversation))
            ranked = sorted(kept, key=lambda each: (-each.emotional_weight, -each.confidence))
            kept, over = ranked[:most], [Refusal(each.content, Filter.OVER_THE_CAP) for each in ranked[most:]]
        result = await tools.save(scope, [_batch(whole, each) for each in kept], now)
        reading = reading_changes(
            Extractor.ANALYSIS,
            whole.messages[-1],
            (whole.messages[0].seq, found.last_seq),
            now,
            digest=found.digest,
            model=found.model,
            formed=result.formed,
            refused=(*found.refused, *over, *result.refused),
        )
        analysis = Analysis(
            workspace=whole.conversation.workspace,
            id=tools.new_id(),
            conversation_id=whole.conversation.id,
            last_seq=found.last_seq,
            digest=found.digest,
            **account_in(found),
            memory_ids=tuple(dict.fromkeys(each.memory_id for each in result.outcomes if each.is_known)),
            profile=whole.profile.value,
            model=found.model,
            trigger=trigger.value,
            created_at=now,
        )
        return [*result.changes, Put(analysis), *reading]

    async def _whole(self, scope: Scope, id: str) -> _Whole | None:
        """None if it was deleted or is private."""
        found = await self._tools.conversation(scope, id)
        if found is None or found.private:
            return None
        config, persons = await config_for(self._store, scope, found), await self._tools.persons(scope, found)
        return _Whole(found, config, await self._messages(scope, id), persons)

    async def _messages(self, scope: Scope, id: str) -> tuple[Message, ...]:
        found: list[Message] = []
        where = {"conversation_id": id}
        async for page in pages_of(partial(self._store.find, scope, Message, where, limit=_PAGE, newest_first=True)):
            found += page.items
            if len(found) >= _MOST_MESSAGES:
                break
        return tuple(each for each in reversed(found) if each.state is not MessageState.STREAMING)


def _batch(whole: _Whole, candidate: Candidate) -> Batch:
    sources, review = supporting(candidate.content, whole.messages)[-6:], whole.config.review_memories
    persons = concerned(sources, whole.messages, who_was_there(sources, whole.conversation))
    return batch_of(whole.conversation, sources, (candidate,), persons, Origin.ANALYSIS, review=review)
