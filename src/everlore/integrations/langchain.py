"""A chat history and a retriever for LangChain.

    history = EverloreChatHistory(lore, "thread-1")
    retriever = EverloreRetriever(lore=lore)

Start at `EverloreChatHistory`, and at `EverloreRetriever`.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field, PrivateAttr

from everlore.app import Everlore
from everlore.domain.conversation import Author, Message
from everlore.domain.person import Person
from everlore.integrations.event_loop import LoreLoop
from everlore.integrations.recording import Recording
from everlore.services.messages import RecordedLine
from everlore.sync import Synchronous

# The key in the metadata of a message for those parts of LangChain's message that Everlore has no field for.
_KEPT = "langchain"
_ASSISTANT = "langchain-assistant"


class EverloreChatHistory(BaseChatMessageHistory):
    """The messages of one conversation, oldest first. What the user says is learned in the background. `person` is the
    character who answers, an assistant without a card unless you name one; `user` is the owner of the workspace."""

    def __init__(
        self,
        lore: Everlore | Synchronous,
        conversation_id: str,
        *,
        person: Person | str | None = None,
        user: Person | str | None = None,
        learn: bool = True,
    ) -> None:
        self._loop = LoreLoop(lore)
        self._lore = self._loop.lore
        self._recording = Recording(self._lore, conversation_id, _ASSISTANT, person, user)
        self._learn = learn

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # declared as an attribute there
        return self._loop.wait(self._read())

    async def aget_messages(self) -> list[BaseMessage]:
        return await self._loop.run(self._read())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        self._loop.wait(self._add(messages))

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        await self._loop.run(self._add(messages))

    def clear(self) -> None:
        """Delete the conversation, and what was learned from it alone."""
        self._loop.wait(self._clear())

    async def aclear(self) -> None:
        await self._loop.run(self._clear())

    async def _read(self) -> list[BaseMessage]:
        talk = await self._recording.find()
        stored = await self._lore.messages.all(talk.id) if talk is not None else ()
        return [_message_of(each) for each in stored if not each.hidden]

    async def _add(self, messages: Sequence[BaseMessage]) -> None:
        talk = await self._recording.start()
        said = [
            RecordedLine(
                each.text or f"({each.type})",
                talk.user_id if each.type == "human" else talk.system_ids[0],
                metadata={_KEPT: message_to_dict(each)},
            )
            for each in messages
        ]
        await self._lore.messages.record(talk.id, said, learn=self._learn)

    async def _clear(self) -> None:
        talk = await self._recording.find()
        if talk is not None:
            await self._lore.conversations.delete(talk.id)


class EverloreRetriever(BaseRetriever):
    """The memories that answer a query, as documents, best first. `search` takes the options of `recall`: `person`,
    `limit`, `types`, `include` …"""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    lore: Everlore | Synchronous
    search: dict[str, Any] = Field(default_factory=dict)
    _loop: LoreLoop = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:  # noqa: ARG002  # pydantic gives it
        self._loop = LoreLoop(self.lore)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002  # LangChain gives it by name
    ) -> list[Document]:
        return self._loop.wait(self._recall(query))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002  # LangChain gives it by name
    ) -> list[Document]:
        return await self._loop.run(self._recall(query))

    async def _recall(self, query: str) -> list[Document]:
        found = await self._loop.lore.recall(query, **self.search)
        return [
            Document(
                id=each.record.id,
                page_content=getattr(each.record, "content", ""),
                metadata={"kind": each.kind.value, "score": each.score, "why": each.why, "doubtful": each.is_doubtful},
            )
            for each in found.hits
        ]


def _message_of(message: Message) -> BaseMessage:
    """As it was added, with the text that the message has now: it may have been edited since."""
    kept = message.metadata.get(_KEPT)
    if isinstance(kept, dict):
        [read] = messages_from_dict([kept])
        return read if read.text in ("", message.content) else read.model_copy(update={"content": message.content})
    kind = "human" if message.author is Author.USER else "ai"
    [read] = messages_from_dict([{"type": kind, "data": {"content": message.content, "id": message.id}}])
    return read
