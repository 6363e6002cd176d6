"""A memory block for LlamaIndex: what it needs to remember beyond the messages of the current context.

    memory = Memory.from_defaults(session_id="thread-1", memory_blocks=[EverloreMemoryBlock(lore=lore)])

Messages that leave LlamaIndex's short-term memory come in, are kept as a conversation, and are learned from. Out goes
what is remembered about the last message of the user. Start at `EverloreMemoryBlock`.
"""

from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemoryBlock
from pydantic import Field, PrivateAttr

from everlore.app import Everlore
from everlore.domain.person import Person
from everlore.integrations.event_loop import LoreLoop
from everlore.integrations.recording import Recording
from everlore.services.messages import RecordedLine
from everlore.sync import Synchronous

_ASSISTANT = "llamaindex-assistant"
# The conversation of a memory without a session.
_CONVERSATION = "llamaindex"
# Where LlamaIndex names the session of a message.
_SESSION = "session_id"


class EverloreMemoryBlock(BaseMemoryBlock[str]):
    """`person` is the character who answers, an assistant without a card unless you name one; `user` is the owner of
    the workspace. `search` takes the options of `recall`: `limit`, `types`, `person` …; without a `person` there, the
    whole workspace is searched."""

    name: str = "everlore"
    lore: Everlore | Synchronous = Field(exclude=True)
    person: Person | str | None = None
    user: Person | str | None = None
    learn: bool = True
    search: dict[str, Any] = Field(default_factory=dict)
    _loop: LoreLoop = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:  # noqa: ARG002  # pydantic gives it
        self._loop = LoreLoop(self.lore)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:  # noqa: ARG002
        said = [each.content for each in messages or () if each.role is MessageRole.USER and each.content]
        return await self._loop.run(self._recall(said[-1])) if said else ""

    async def _aput(self, messages: list[ChatMessage]) -> None:
        await self._loop.run(self._record(messages))

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Leave out the memories that match least: they come last."""
        lines, removed = content.splitlines(), 0
        while lines and removed < tokens_to_truncate:
            removed += self._loop.lore.tokenizer.count(lines.pop())
        return "\n".join(lines) or None

    async def _recall(self, query: str) -> str:
        found = await self._loop.lore.recall(query, **self.search)
        texts = [getattr(each.record, "content", "") for each in found.hits if not each.is_doubtful]
        return "\n".join(" ".join(each.split()) for each in texts if each)

    async def _record(self, messages: list[ChatMessage]) -> None:
        by_session: dict[str, list[ChatMessage]] = {}
        for each in messages:
            if each.content and each.role in (MessageRole.USER, MessageRole.ASSISTANT):
                by_session.setdefault(str(each.additional_kwargs.get(_SESSION, _CONVERSATION)), []).append(each)
        for id, said in by_session.items():
            recording = Recording(self._loop.lore, id, _ASSISTANT, self.person, self.user)
            talk = await recording.start()
            author = {MessageRole.USER: talk.user_id, MessageRole.ASSISTANT: talk.system_ids[0]}
            lines = [RecordedLine(each.content or "", author[each.role]) for each in said]
            await self._loop.lore.messages.record(talk.id, lines, learn=self.learn)
