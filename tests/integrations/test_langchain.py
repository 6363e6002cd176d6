"""LangChain's own classes over a real library."""

import asyncio

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from everlore.app import Everlore
from everlore.domain.person import PersonKind
from everlore.integrations.langchain import EverloreChatHistory, EverloreRetriever
from everlore.sync import Synchronous

# ── history ──────────────────────────────────────────────────────────────────────────────────────


def test_messages_are_read_back_as_they_were_added(lore: Synchronous) -> None:
    call = {"name": "weather", "args": {"city": "Oslo"}, "id": "call-1", "type": "tool_call"}
    said: list[BaseMessage] = [
        SystemMessage("Be brief."),
        HumanMessage("What is the weather?", name="anna"),
        AIMessage("", tool_calls=[call]),
        ToolMessage("Rain", tool_call_id="call-1"),
        HumanMessage([{"type": "text", "text": "And here?"}, {"type": "image_url", "image_url": {"url": "data:,"}}]),
        AIMessage("Rain, too."),
    ]
    history = EverloreChatHistory(lore, "thread-1")

    history.add_messages(said[:2])
    history.add_messages(said[2:])

    assert EverloreChatHistory(lore, "thread-1").messages == said
    assert EverloreChatHistory(lore, "thread-2").messages == []


def test_what_the_user_says_is_learned_and_nothing_else(lore: Synchronous) -> None:
    """F1: the words of the assistant and of tools are not the user's."""
    history = EverloreChatHistory(lore, "thread-1")

    history.add_messages(
        [HumanMessage("I live in Seattle."), AIMessage("I live in Boston."), SystemMessage("I am ill.")]
    )
    lore.settle()

    assert [each.content for each in lore.memories.list().items] == ["User lives in Seattle"]


def test_clearing_deletes_the_messages_and_what_they_taught(lore: Synchronous) -> None:
    """M9."""
    history, other = EverloreChatHistory(lore, "thread-1"), EverloreChatHistory(lore, "thread-2")
    history.add_messages([HumanMessage("I live in Seattle.")])
    other.add_messages([HumanMessage("I like tea.")])
    lore.settle()

    history.clear()
    history.clear()

    assert (history.messages, [each.text for each in other.messages]) == ([], ["I like tea."])
    assert [each.content for each in lore.memories.list().items] == ["User likes tea"]


def test_an_edited_and_a_withdrawn_message_are_read_as_they_are_now(lore: Synchronous) -> None:
    history = EverloreChatHistory(lore, "thread-1")
    history.add_messages([HumanMessage("I live in Seattle."), AIMessage("Nice!"), HumanMessage("Bye.")])
    home, _, bye = lore.messages.all("thread-1")

    lore.messages.edit("thread-1", home.id, content="I live in Portland.")
    lore.messages.withdraw("thread-1", [bye.id])

    assert [each.text for each in history.messages] == ["I live in Portland.", "Nice!"]


def test_users_have_histories_of_their_own_under_one_name(lore: Synchronous) -> None:
    """V11."""
    anna, ben = (lore.characters.create(name=name, kind=PersonKind.USER) for name in ("Anna", "Ben"))

    EverloreChatHistory(lore, "main", user=anna).add_messages([HumanMessage("I live in Seattle.")])
    EverloreChatHistory(lore, "main", user=ben).add_messages([HumanMessage("I live in Oslo.")])
    lore.settle()

    assert [each.text for each in EverloreChatHistory(lore, "main", user=ben).messages] == ["I live in Oslo."]
    [learned] = lore.recall("live", person=ben).hits
    assert learned.record.content.endswith("lives in Oslo")


async def test_a_history_is_awaited_or_used_from_another_thread(async_lore: Everlore) -> None:
    history = EverloreChatHistory(async_lore, "thread-1")

    await history.aadd_messages([HumanMessage("Hello")])
    await asyncio.to_thread(history.add_ai_message, "Good morning!")

    assert [each.text for each in await history.aget_messages()] == ["Hello", "Good morning!"]
    await history.aclear()
    assert await asyncio.to_thread(lambda: history.messages) == []


# ── retriever ────────────────────────────────────────────────────────────────────────────────────


def test_memories_are_documents_best_first(lore: Synchronous) -> None:
    boat = lore.remember("The boat needs new ropes")
    lore.remember("The harbour closes at dusk")
    retriever = EverloreRetriever(lore=lore, search={"limit": 1})

    [found] = retriever.invoke("Which ropes does the boat need?")

    assert (found.id, found.page_content, found.metadata["kind"]) == (boat.id, "The boat needs new ropes", "memory")
    assert found.metadata["score"] > 0
    assert found.metadata["why"]


async def test_a_retriever_finds_only_what_its_person_knows(async_lore: Everlore) -> None:
    """R11: awaited, or from another thread."""
    mike, don = await async_lore.characters.create(name="Mike"), await async_lore.characters.create(name="Don")
    await async_lore.remember("Mike hides a boat", person=mike)
    his, other = (EverloreRetriever(lore=async_lore, search={"person": each}) for each in (mike, don))

    assert [each.page_content for each in await his.ainvoke("boat")] == ["Mike hides a boat"]
    assert await asyncio.to_thread(other.invoke, "boat") == []
