"""The work left when a conversation ends: temporary memories expire, memories of its participants are rescored, the
rest becomes a segment and a summary, and the whole is analysed if configured (M17, I1, K3, C7, W1).

Start at `CloseConversations`.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from everlore.domain.conversation import Conversation, ConversationState
from everlore.domain.job import Job
from everlore.domain.memory import Durability, LinkKind, Memory, MemoryLink, Status
from everlore.domain.revision import Why, revise
from everlore.domain.scope import Scope
from everlore.learning.extractors import forms_keyframes, is_analysed
from everlore.learning.jobs import Trigger, analysis_job, keyframe_job, summary_job
from everlore.learning.mind import LearningHandler, config_for
from everlore.learning.saving.importance import rescored
from everlore.learning.summaries.due import limits_of
from everlore.learning.summaries.kept import is_summarised
from everlore.models.chat import Purpose
from everlore.store.port import Change, Delete, Enqueue, Put

_MOST_WEIGHED = 500
_MOST_LINKS = 5_000
# A shorter chat needs no summary: its last words show it.
_LEAST_SUMMED_UP = 4


class CloseConversations(LearningHandler):
    async def _run(self, scope: Scope, job: Job, now: datetime) -> list[Change]:
        conversation = await self._tools.conversation(scope, str(job.payload["conversation_id"]))
        # It was reopened meanwhile.
        if conversation is None or conversation.state is ConversationState.OPEN or conversation.private:
            return []
        config = await config_for(self._store, scope, conversation)
        passing = await self._passing(scope, conversation)
        weighed = await self._weighed(scope, conversation, {each.id for each in passing}, now)
        new_id, jobs = self._tools.new_id, list[Job]()
        # The messages since the last keyframe are a segment too, however short, so that none is lost (K3).
        if forms_keyframes(conversation, config) and await self._tools.asker(scope, Purpose.EXTRACTION, config):
            jobs.append(keyframe_job(conversation, now, new_id))
        # Messages without a summary get one: the next chat begins with how this one ended (C7, V16).
        count, limits = conversation.message_count, limits_of(config)
        if is_summarised(scope, conversation) and (limits.messages or limits.tokens) and count >= _LEAST_SUMMED_UP:
            key = f"{conversation.id}:closed:{count}"
            jobs.append(summary_job(conversation, now, new_id, key=key, up_to=count))
        is_wanted = is_analysed(conversation, config) and config.analyze_on_close
        if is_wanted and await self._tools.asker(scope, Purpose.ANALYSIS, config):
            jobs.append(analysis_job(conversation, now, new_id, trigger=Trigger.CLOSED))
        return [*(Delete(Memory, each.id) for each in passing), *weighed, *map(Enqueue, jobs)]

    async def _passing(self, scope: Scope, conversation: Conversation) -> list[Memory]:
        where = {"conversation_id": conversation.id, "durability": Durability.EPHEMERAL.value}
        page = await self._store.find(scope, Memory, where, limit=_MOST_WEIGHED)
        return [each for each in page.items if not each.edited_by_person]

    async def _weighed(self, scope: Scope, conversation: Conversation, gone: set[str], now: datetime) -> list[Change]:
        """Rescores the latest memories of the user: the end of a chat is the time to see what still matters."""
        if conversation.user_id is None:
            return []
        where = {"persons": conversation.user_id, "status": Status.ACTIVE.value}
        page = await self._store.find(scope, Memory, where, limit=_MOST_WEIGHED, newest_first=True)
        here = [each for each in page.items if each.id not in gone and not each.edited_by_person]
        pointed_at = await self._pointed_at(scope, [each.id for each in here])
        return [
            Put(revise(each, now, importance=weight), by="system", why=Why.RESCORING)
            for each in here
            if (weight := rescored(each, now, references=pointed_at[each.id])) != each.importance
        ]

    async def _pointed_at(self, scope: Scope, ids: Sequence[str]) -> Counter[str]:
        """The number of memories that point to each of them: what others refer to matters more (I1)."""
        if not ids:
            return Counter()
        where = {"other_id": tuple(ids), "kind": LinkKind.RELATED.value}
        page = await self._store.find(scope, MemoryLink, where, limit=_MOST_LINKS)
        return Counter(link.other_id for link in page.items)
