"""LlamaIndex's own memory over a real library."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import Memory
from sqlalchemy.ext.asyncio import create_async_engine

from everlore.app import Everlore
from everlore.domain.person import PersonKind
from everlore.integrations.llamaindex import EverloreMemoryBlock
from everlore.sync import Synchronous


def _said(*texts: str) -> list[ChatMessage]:
    """By the user and the assistant in turn."""
    roles = (MessageRole.USER, MessageRole.ASSISTANT)
    return [ChatMessage(role=roles[at % 2], content=text) for at, text in enumerate(texts)]


@asynccontextmanager
async def _memory(block: EverloreMemoryBlock, session: str) -> AsyncIterator[Memory]:
    """Its short-term memory has room for a message or two; a token is a word."""
    engine = create_async_engine("sqlite+aiosqlite:///:memory:")
    try:
        yield Memory.from_defaults(
            session_id=session,
            memory_blocks=[block],
            tokenizer_fn=str.split,
            async_engine=engine,
            token_limit=60,
            token_flush_size=10,
            chat_history_token_ratio=0.2,
        )
    finally:
        # LlamaIndex leaves it open.
        await engine.dispose()


async def test_what_leaves_the_short_term_memory_is_learned_and_comes_back(async_lore: Everlore) -> None:
    """F1, R1: with LlamaIndex's own memory, in a later session too."""
    async with _memory(EverloreMemoryBlock(lore=async_lore), "thread-1") as memory:
        await memory.aput_messages(_said("I live in Seattle.", "Nice.", "The weather is grey today, as it often is."))
        await memory.aput_messages(_said("It is what it is.", "So it is, and so it will be for a while."))
    await async_lore.settle()

    async with _memory(EverloreMemoryBlock(lore=async_lore), "thread-2") as later:
        await later.aput(ChatMessage(role=MessageRole.USER, content="Where do I live?"))
        prompt = await later.aget()

    assert prompt[0].role is MessageRole.SYSTEM
    assert "User lives in Seattle" in (prompt[0].content or "")
    assert prompt[-1].content == "Where do I live?"


async def test_the_messages_are_kept_as_the_conversation_of_their_session(async_lore: Everlore) -> None:
    block = EverloreMemoryBlock(lore=async_lore)

    await block.aput(_said("I live in Seattle.", "Nice."), from_short_term_memory=True, session_id="thread-1")
    await block.aput(_said("I like tea."), from_short_term_memory=True, session_id="thread-2")

    [first, second] = [await async_lore.messages.all(each) for each in ("thread-1", "thread-2")]
    assert [each.content for each in first] == ["I live in Seattle.", "Nice."]
    assert [each.content for each in second] == ["I like tea."]


async def test_what_tools_and_the_system_say_is_not_kept(async_lore: Everlore) -> None:
    """F1: it is not the user's."""
    block = EverloreMemoryBlock(lore=async_lore)
    said = [ChatMessage(role=role, content="I am ill.") for role in (MessageRole.SYSTEM, MessageRole.TOOL)]

    await block.aput([*said, *_said("Hello")], session_id="thread-1")

    assert [each.content for each in await async_lore.messages.all("thread-1")] == ["Hello"]


async def test_a_block_finds_only_what_its_person_knows(async_lore: Everlore) -> None:
    """R11."""
    anna, ben = [await async_lore.characters.create(name=name, kind=PersonKind.USER) for name in ("Anna", "Ben")]
    await async_lore.remember("Anna hides a boat", person=anna)
    hers, his = (EverloreMemoryBlock(lore=async_lore, user=each, search={"person": each}) for each in (anna, ben))

    assert await hers.aget(_said("Who hides a boat?")) == "Anna hides a boat"
    assert await his.aget(_said("Who hides a boat?")) == ""


async def test_what_matches_least_is_left_out_where_there_is_no_room(async_lore: Everlore) -> None:
    block = EverloreMemoryBlock(lore=async_lore)

    left = await block.atruncate("The boat needs new ropes\nThe harbour closes at dusk", 3)

    assert left == "The boat needs new ropes"
    assert await block.atruncate("The boat needs new ropes", 10_000) is None


async def test_without_a_message_of_the_user_nothing_is_recalled(async_lore: Everlore) -> None:
    await async_lore.remember("The boat needs new ropes")
    block = EverloreMemoryBlock(lore=async_lore)

    assert (await block.aget(), await block.aget([])) == ("", "")


def test_a_block_is_used_from_another_event_loop(lore: Synchronous) -> None:
    lore.remember("The boat needs new ropes")
    block = EverloreMemoryBlock(lore=lore)

    async def talk() -> str:
        await block.aput(_said("I live in Seattle."), session_id="thread-1")
        return await block.aget(_said("Which ropes does the boat need?"))

    assert asyncio.run(talk()).splitlines()[0] == "The boat needs new ropes"
    assert [each.content for each in lore.messages.all("thread-1")] == ["I live in Seattle."]
