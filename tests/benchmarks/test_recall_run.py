"""`bench recall` over the library itself (R13): in through the front door, and asked for there."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import everlore
from benchmarks.recall.baselines import Kept
from benchmarks.recall.cases import Case, OffTopicQuestion, Query, Reading, Turn
from benchmarks.recall.files import built_in
from benchmarks.recall.library import Lore, apart, embedding_with, open_library
from benchmarks.recall.off_topic import off_topic_questions
from benchmarks.recall.report import OFF_TOPIC, Measured, document_of, lines_of
from benchmarks.recall.run import run
from benchmarks.recall.systems import (
    Bm25System,
    EverloreSystem,
    Ranked,
    RrfSystem,
    System,
    TurnSystem,
    assemble,
    tell,
)
from everlore.domain.person import PersonKind
from everlore.errors import BadAsk
from everlore.settings import EmbeddingSettings, QueueSettings, Settings
from tests.soak import IS_LONG, look

TURNS = (
    Turn(id="t1", text="I adopted a greyhound called Biscuit.", speaker="Mira", date="2024-05-01T10:00", session="1"),
    Turn(id="t2", text="How lovely, does he like the beach?", speaker="Jonas", date="2024-05-01T10:00", session="1"),
    Turn(id="t3", text="   ", speaker="Jonas", date="2024-05-01T10:00", session="1"),
    Turn(id="t4", text="My violin broke before the concert.", speaker="Jonas", date="2024-06-01T10:00", session="2"),
)
CASE = Case(
    "pets",
    TURNS,
    (
        Query(id="q1", text="What is the greyhound called?", category="one", gold=frozenset({"t1"})),
        Query(id="q2", text="Whose violin broke?", category="two", gold=frozenset({"t4"})),
        Query(id="q3", text="Who sold the violin?", category="apart", gold=frozenset({"t4"}), scored=False),
    ),
)

QUARK = OffTopicQuestion("physics", "What is a quark?")


def _first(reading: Reading, cases: int) -> Reading:
    return replace(reading, cases=reading.cases[:cases])


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return apart(
        Settings(embedding=EmbeddingSettings(provider="wordllama"), queue=QueueSettings(poll_s=0.01)), tmp_path
    )


@pytest.fixture
async def lore(settings: Settings) -> AsyncIterator[Lore]:
    # As the type of the library's own: this is where the two are held together.
    async with everlore.open(settings=settings) as opened:
        asked: Lore = opened
        yield asked


async def test_each_session_is_a_conversation_and_each_turn_a_message(lore: Lore) -> None:
    """R13: two speakers are two persons, and nothing else is in the workspace."""
    here = lore.within("pets")

    turns = [turn for turn in TURNS if turn.text.strip()]
    turn_of = await tell(here, await assemble(here, turns), turns)

    conversations = (await here.conversations.list()).items
    assert sorted(each.title for each in conversations) == ["1", "2"]
    messages = [message for each in conversations for message in await here.messages.all(each.id)]
    said = {turn_of[message.id]: message for message in messages}
    assert set(said) == {"t1", "t2", "t4"}, "there is nothing in an empty turn"
    assert said["t1"].content == TURNS[0].text
    assert said["t1"].created_at == TURNS[0].at
    assert said["t1"].person_id != said["t2"].person_id == said["t4"].person_id


@pytest.mark.parametrize(
    ("speakers", "user", "others"),
    [
        (("Mira", "Jonas"), "Jonas", ["Mira"]),
        (("user", "assistant"), "User", ["Assistant"]),
        (("Ada", "Ben", "Cleo"), "Ben", ["Ada", "Cleo"]),
        (("Ada",), "User", ["Ada"]),
        (("user",), "User", ["Assistant"]),
        (("",), "User", ["Assistant"]),
    ],
)
async def test_whoever_speaks_takes_part(
    lore: Lore, speakers: tuple[str, ...], user: str, others: Sequence[str]
) -> None:
    turns = [Turn(id=name, text="Hello.", speaker=name) for name in speakers]

    cast = await assemble(lore, turns)

    assert cast.user.name == user
    assert [person.name for person in cast.of(turns)] == others
    assert all(person.kind is PersonKind.CHARACTER for person in cast.of(turns))


async def test_the_whole_way_from_turns_to_figures(settings: Settings) -> None:
    """R13: everlore beside BM25, by category, with what is apart left out of the whole."""
    told: list[int] = []
    async with open_library(settings) as lore:
        systems: list[System] = [EverloreSystem(lore), Bm25System()]
        rows = await run([CASE], systems, embedder=lore.embedder, off_topic=[QUARK], told=lambda: told.append(1))

    document = document_of(Measured("turns", "f", "wordllama"), Reading((CASE,)), rows)

    assert document["overall"]["n"] == 2
    assert document["overall"]["recall@1"] == 1.0
    assert document["overall"]["recall@20"] == 1.0
    assert document["by_category"]["apart"]["n"] == 1
    assert document["apart"] == ["apart"]
    assert document["beside"]["bm25"]["overall"]["recall@1"] == 1.0
    assert document["beside"]["bm25"]["everlore_gains"]["recall@5"] == {"mean": 0.0, "low": 0.0, "high": 0.0}
    assert document["intervals"]["recall@10"] == [1.0, 1.0]
    assert document["latency_ms"]["p95"] >= document["latency_ms"]["p50"] > 0
    assert document["off_topic"]["n"] == 1
    assert len(told) == 3
    text = "\n".join(lines_of(document))
    assert "turns, embedder wordllama: 1 cases, 4 turns, 2 questions" in text
    assert "apart (apart)" in text
    assert document["empty"] == {"n": 2, "empty": 0, "of_somebody": 0, "of_somebody_empty": 0}
    assert "empty: 0 of 2 questions (0.0 %) brought nothing back" in text
    assert "questions about somebody there that brought nothing back" in text
    assert "off topic: share of the questions that brought anything back" in text


@pytest.mark.soak
async def test_of_the_talks_that_come_along_far_more_is_found_than_in_plain_ways(settings: Settings) -> None:
    """R13, Q1: in questions asked in other words, at least 15 points over RRF at 10, as on any set."""
    reading = _first(built_in(), look(1, 3))
    async with open_library(settings) as lore:
        systems: list[System] = [EverloreSystem(lore), RrfSystem()]
        rows = await run(reading.cases, systems, embedder=lore.embedder)

    document = document_of(Measured("turns", "talks", "wordllama"), reading, rows)

    assert not document["dropped"]
    assert set(document["by_category"]) == {"multi-hop", "open-domain", "single-hop", "temporal"}
    assert document["beside"]["rrf"]["everlore_gains"]["recall@10"]["low" if IS_LONG else "mean"] > 0.15
    assert document["empty"]["empty"] == 0, "R2b"
    assert document["empty"]["of_somebody"] > 0


@pytest.mark.soak
async def test_of_the_memories_that_come_along_those_to_the_point_come_first(settings: Settings) -> None:
    """R13, R2: asked in other words than they are written in, and with little brought by what is off the topic."""
    reading = _first(built_in(memories=True), look(1, 3))
    questions = off_topic_questions()
    async with open_library(settings) as lore:
        systems: list[System] = [EverloreSystem(lore, memories=True), Bm25System(), RrfSystem()]
        rows = await run(reading.cases, systems, embedder=lore.embedder, off_topic=questions)

    document = document_of(Measured("turns", "memories", "wordllama"), reading, rows)

    assert not document["dropped"]
    assert set(document["by_category"]) == {"named", "question", "statement"}
    assert document["beside"]["bm25"]["everlore_gains"]["recall@5"]["low" if IS_LONG else "mean"] > 0
    assert document["overall"]["recall@1"] > document["beside"]["rrf"]["overall"]["recall@1"]
    assert document["by_category"]["named"]["recall@5"] > 0.9
    usual = {each.text for each in questions}
    brought = [each.hits > 0 for each in rows.off_topic if each.question in usual]
    assert sum(brought) / len(brought) < OFF_TOPIC


async def test_a_turn_is_measured_by_what_reaches_its_prompt(settings: Settings) -> None:
    """R13: the question is said to whom the user talked with; what is off the topic brings no line."""
    async with open_library(settings) as lore:
        rows = await run([CASE], [TurnSystem(lore)], embedder=lore.embedder, off_topic=[QUARK])

    document = document_of(Measured("turns", "f", "wordllama"), Reading((CASE,)), rows)

    assert document["overall"]["n"] == 2
    assert document["overall"]["recall@5"] == 1.0
    assert [each.hits for each in rows.off_topic] == [0]
    assert document["latency_ms"]["p50"] > 0


async def test_memories_are_measured_in_a_recall_and_in_a_turn(settings: Settings) -> None:
    """R13: each turn is a memory of whom it is said of; what a case has of its own is asked off the topic too."""
    case = replace(CASE, off_topic=(OffTopicQuestion("small talk", "lol"),))
    async with open_library(settings) as lore:
        recalled = await run([case], [EverloreSystem(lore, memories=True)], embedder=lore.embedder, off_topic=[QUARK])
        again = replace(case, id="again")
        told = await run([again], [TurnSystem(lore, memories=True)], embedder=lore.embedder)

    for rows in (recalled, told):
        document = document_of(Measured("turns", "f", "wordllama"), Reading((case,)), rows)
        assert document["overall"]["n"] == 2
        assert document["overall"]["recall@5"] == 1.0
    assert [(each.kind, each.hits) for each in recalled.off_topic] == [("physics", 0), ("small talk", 0)]
    assert not told.off_topic


class Silent:
    """A system that finds nothing."""

    name = "everlore"

    async def add(self, case: Case, kept: Kept) -> None:
        pass

    async def search(self, question: str) -> Ranked:
        return Ranked((), 0.001)


async def test_questions_with_gold_sessions_alone_have_no_figures_of_turns() -> None:
    """R13: what was not measured is null, not zero."""
    query = Query(id="q", text="?", category="one", gold_sessions=frozenset({"1"}))
    case = Case("haystack", TURNS, (query,))

    rows = await run([case], [Silent()], embedder=None)
    document = document_of(Measured("longmemeval", "f", "none"), Reading((case,)), rows)

    assert document["overall"]["n"] == 0
    assert document["overall"]["recall@10"] is None
    assert document["overall"]["session_n"] == 1
    assert document["overall"]["session_recall_any@5"] == 0.0
    assert "any@5" in "\n".join(lines_of(document))


async def test_nothing_back_is_what_is_wanted_off_the_topic() -> None:
    rows = await run([CASE], [Silent()], embedder=None, off_topic=[QUARK, QUARK])
    document = document_of(Measured("turns", "f", "none"), Reading((CASE,)), rows)

    assert document["off_topic"] == {"n": 2, "answered": 0, "rate": 0.0, "by_kind": {"physics": 0.0}, "questions": []}
    assert "PASS" in "\n".join(lines_of(document))


def test_an_embedder_is_chosen_by_name() -> None:
    given = EmbeddingSettings(provider="openai", base_url="http://localhost:1/v1")

    assert embedding_with(given, None) is given
    assert embedding_with(given, "none").base_url == "http://localhost:1/v1"
    with pytest.raises(BadAsk, match=r"There is no embedder 'word2vec'\. Known: wordllama, "):
        embedding_with(given, "word2vec")


def test_no_question_off_the_topic_comes_twice() -> None:
    """R13: a set of its own comes with the bench."""
    questions = off_topic_questions()

    assert len(questions) >= 200
    assert len({each.text.casefold() for each in questions}) == len(questions)
