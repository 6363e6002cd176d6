"""What mem0's documentation says of its verbs holds for ours (mem0ai 2.2.1)."""

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everlore.compat.mem0 import AsyncMemory, InvalidRequest, Memory
from everlore.compat.mem0.config import settings_of
from everlore.errors import ModelMisbehaved
from everlore.settings import ChatSettings, EmbeddingSettings, Settings
from tests.models.chat_server import ChatServer
from tests.sqlite import migrated

SETTINGS = Settings(chat=ChatSettings(provider="voice"), embedding=EmbeddingSettings(provider="hashing"))
ALICE, BOB = {"user_id": "alice"}, {"user_id": "bob"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(migrated(tmp_path / "lore.db"), settings=SETTINGS) as memory:
        yield memory


def _texts(found: dict[str, Any]) -> list[str]:
    return [each["memory"] for each in found["results"]]


def _saved(memory: Memory, text: str, **given: Any) -> str:
    [added] = memory.add(text, infer=False, **given)["results"]
    id: str = added["id"]
    return id


# ── add ──────────────────────────────────────────────────────────────────────────────────────────


def test_add_learns_facts_and_returns_them(memory: Memory) -> None:
    messages = [
        {"role": "system", "content": "You are a travel agent. I live in Paris."},
        {"role": "user", "content": "Hi, I live in Seattle and I am allergic to nuts."},
        {"role": "assistant", "content": "I live in Boston. Noted!"},
    ]

    added = memory.add(messages, user_id="alice", metadata={"source": "chat"})

    assert _texts(added) == ["User lives in Seattle", "User is allergic to nuts"]
    assert {each["event"] for each in added["results"]} == {"ADD"}
    home = memory.get(added["results"][0]["id"])
    assert home is not None
    assert (home["user_id"], home["metadata"]) == ("alice", {"source": "chat"})


def test_add_learns_nothing_twice_and_follows_a_move(memory: Memory) -> None:
    memory.add("I live in Seattle.", user_id="alice")

    again = memory.add("As I said, I live in Seattle.", user_id="alice")
    moved = memory.add("I live in Portland now.", user_id="alice")

    assert (_texts(again), _texts(moved)) == ([], ["User lives in Portland"])
    assert _texts(memory.get_all(filters=ALICE)) == ["User lives in Portland"]


def test_add_without_infer_saves_each_message_as_it_is(memory: Memory) -> None:
    messages = [
        {"role": "system", "content": "You are kind."},
        {"role": "user", "content": "Good morning!", "name": "Al"},
        {"role": "assistant", "content": "Good morning!"},
        {"role": "user", "content": [{"type": "text", "text": "Look at this."}, {"type": "image_url"}]},
        {"role": "user"},
    ]

    added = memory.add(messages, user_id="alice", infer=False)["results"]

    assert [(each["memory"], each["role"], each["actor_id"], each["event"]) for each in added] == [
        ("Good morning!", "user", "Al", "ADD"),
        ("Good morning!", "assistant", None, "ADD"),
        ("Look at this.", "user", None, "ADD"),
    ]
    assert len(memory.get_all(filters=ALICE)["results"]) == 3


def test_add_takes_a_text_a_message_or_a_list(memory: Memory) -> None:
    several: list[Any] = ["I like tea.", {"role": "user", "content": "I like jazz."}, []]
    for messages in several:
        memory.add(messages, user_id="alice")

    assert _texts(memory.get_all(filters=ALICE)) == ["User likes jazz", "User likes tea"]
    with pytest.raises(InvalidRequest, match="messages is a int"):
        memory.add(7, user_id="alice")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "at least one of user_id, agent_id and run_id"),
        ({"user_id": " "}, "without spaces"),
        ({"user_id": "two words"}, "without spaces"),
        ({"user_id": "x" * 200}, "200 characters"),
        ({"user_id": "alice", "memory_type": "procedural_memory"}, "not supported"),
        ({"user_id": "alice", "expiration_date": "soon"}, "expiration_date"),
    ],
)
def test_add_refuses_what_it_cannot_keep(memory: Memory, given: dict[str, Any], message: str) -> None:
    """mem0 raises ValueError, and so do we."""
    with pytest.raises(ValueError, match=message):
        memory.add("I like tea.", **given)


def test_a_model_that_fails_is_an_error_and_its_message_is_learned_later(tmp_path: Path) -> None:
    with ChatServer() as server:
        server.scenario = "500"
        chat = ChatSettings(provider="openai", base_url=server.url, model="m", retries=0)
        settings = SETTINGS.model_copy(update={"chat": chat})

        with Memory(migrated(tmp_path / "lore.db"), settings=settings) as memory:
            with pytest.raises(ModelMisbehaved):
                memory.add("I live in Seattle.", user_id="alice")

            assert server.asked
            # The rules read it, and the queue asks the model again.
            assert _texts(memory.get_all(filters=ALICE)) == ["User lives in Seattle"]


# ── whose it is ──────────────────────────────────────────────────────────────────────────────────


def test_users_never_see_each_others_memories(memory: Memory) -> None:
    """C4: learned, saved, listed, searched and deleted."""
    memory.add("I live in Seattle, and my cat is called Miso.", user_id="alice", agent_id="helper")
    memory.add("I live in Oslo.", user_id="bob", agent_id="helper")
    _saved(memory, "Seattle is rainy", user_id="alice")

    assert _texts(memory.get_all(filters=BOB)) == ["User lives in Oslo"]
    assert _texts(memory.search("Seattle cat Miso rainy", filters=BOB, threshold=0)) == ["User lives in Oslo"]
    memory.delete_all(user_id="bob")
    assert memory.get_all(filters=BOB) == {"results": []}
    assert "User lives in Seattle" in _texts(memory.get_all(filters=ALICE))
    assert memory.search("Seattle", filters={"user_id": "nobody"}) == {"results": []}


def test_the_same_statement_belongs_to_each_who_makes_it(memory: Memory) -> None:
    for given in (ALICE, BOB, {**ALICE, "run_id": "r1"}, {"agent_id": "helper"}, {"run_id": "r1"}):
        assert _texts(memory.add("I live in Seattle.", **given)) == ["User lives in Seattle"], given


def test_ids_narrow_each_other(memory: Memory) -> None:
    both = _saved(memory, "Prefers aisle seats", user_id="alice", agent_id="travel", run_id=7)
    _saved(memory, "Prefers mornings", user_id="alice", agent_id="health")
    _saved(memory, "Tickets are refundable", agent_id="travel")

    assert len(memory.get_all(filters=ALICE)["results"]) == 2
    assert len(memory.get_all(filters={"agent_id": "travel"})["results"]) == 2
    [found] = memory.get_all(filters={"agent_id": "travel", **ALICE})["results"]
    assert (found["id"], found["user_id"], found["agent_id"], found["run_id"]) == (both, "alice", "travel", "7")
    assert _texts(memory.get_all(filters={"run_id": 7})) == ["Prefers aisle seats"]
    assert _texts(memory.search("prefers", filters={"AND": [ALICE, {"agent_id": "health"}]})) == ["Prefers mornings"]


def test_ids_in_metadata_move_nothing_to_another_user(memory: Memory) -> None:
    id = _saved(memory, "Likes tea", user_id="alice", metadata={"user_id": "bob", "topic": "drinks"})

    memory.update(id, metadata={"user_id": "bob"})

    found = memory.get(id)
    assert found is not None
    assert (found["user_id"], found["metadata"]) == ("alice", {"topic": "drinks"})
    assert memory.get_all(filters=BOB) == {"results": []}


# ── search, get, get_all ─────────────────────────────────────────────────────────────────────────


def test_search_returns_the_best_first_with_scores(memory: Memory) -> None:
    for text in ("Alice plays the violin", "Alice's boat is blue", "Alice's boat needs ropes and a sail"):
        _saved(memory, text, user_id="alice", metadata={"topic": text.split()[-1]})

    found = memory.search("which ropes does the boat need?", filters=ALICE, top_k=2)["results"]

    assert found[0]["memory"] == "Alice's boat needs ropes and a sail"
    assert found[0]["score"] >= found[1]["score"] >= 0.1
    assert (found[0]["metadata"], found[0]["role"]) == ({"topic": "sail"}, "user")
    assert found[0]["hash"] == hashlib.md5(found[0]["memory"].encode()).hexdigest()
    assert found[0].keys() >= {"id", "memory", "hash", "metadata", "score", "created_at", "updated_at", "user_id"}


def test_search_leaves_out_scores_below_the_threshold(memory: Memory) -> None:
    _saved(memory, "The boat needs ropes", user_id="alice")

    assert _texts(memory.search("boat", filters=ALICE)) == ["The boat needs ropes"]
    assert memory.search("boat", filters=ALICE, threshold=1) == {"results": []}


def test_search_and_get_all_take_ids_as_arguments_as_earlier_versions_did(memory: Memory) -> None:
    _saved(memory, "Likes tea", user_id="alice")

    assert _texts(memory.search("tea", user_id="alice", limit=5)) == ["Likes tea"]
    assert _texts(memory.get_all(user_id="alice", limit=5)) == ["Likes tea"]
    with pytest.raises(TypeError, match="colour"):
        memory.search("tea", user_id="alice", colour="red")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"filters": None}, "at least one of user_id"),
        ({"filters": {"topic": "tea"}}, "at least one of user_id"),
        ({"filters": ALICE, "top_k": -1}, "top_k"),
        ({"filters": ALICE, "top_k": True}, "top_k"),
        ({"filters": {**ALICE, "OR": []}}, "OR needs a list"),
        ({"filters": {**ALICE, "age": {"about": 5}}}, "operator 'about'"),
    ],
)
def test_a_wrong_filter_or_number_is_refused(memory: Memory, given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        memory.search("tea", **given)
    with pytest.raises(ValueError, match=message):
        memory.get_all(**given)


@pytest.mark.parametrize("given", [{"query": "  "}, {"query": "tea", "threshold": 1.5}])
def test_a_search_without_a_query_or_with_a_wrong_threshold_is_refused(memory: Memory, given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"empty|from 0 to 1"):
        memory.search(**given, filters=ALICE)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"topic": "tea"}, "a"),
        ({"topic": {"eq": "tea"}}, "a"),
        ({"topic": {"ne": "tea"}}, "bc"),
        ({"topic": {"in": ["tea", "jazz"]}}, "ab"),
        ({"topic": {"nin": ["tea", "jazz"]}}, "c"),
        ({"stars": {"gt": 3}}, "b"),
        ({"stars": {"gte": 3, "lt": 5}}, "a"),
        ({"stars": {"lte": 3}}, "a"),
        ({"topic": {"contains": "az"}}, "b"),
        ({"topic": {"icontains": "TEA"}}, "a"),
        ({"topic": "*"}, "ab"),
        ({"AND": [{"topic": "*"}, {"stars": {"gt": 3}}]}, "b"),
        ({"OR": [{"topic": "tea"}, {"stars": 5}]}, "ab"),
        ({"NOT": [{"topic": "tea"}, {"stars": 5}]}, "c"),
    ],
)
def test_filters_compare_metadata(memory: Memory, wanted: dict[str, Any], found: str) -> None:
    for text, metadata in (("a", {"topic": "tea", "stars": 3}), ("b", {"topic": "jazz", "stars": 5}), ("c", None)):
        _saved(memory, f"note {text}", user_id="alice", metadata=metadata)

    assert sorted(_texts(memory.get_all(filters=ALICE | wanted))) == [f"note {each}" for each in found]
    assert sorted(_texts(memory.search("note", filters=ALICE | wanted, threshold=0))) == [f"note {x}" for x in found]


def test_get_returns_none_for_an_unknown_id(memory: Memory) -> None:
    assert memory.get("nothing") is None
    assert memory.history("nothing") == []


def test_get_all_returns_at_most_top_k_latest_first(memory: Memory) -> None:
    for number in range(25):
        _saved(memory, f"note {number}", user_id="alice")

    assert len(memory.get_all(filters=ALICE)["results"]) == 20
    assert _texts(memory.get_all(filters=ALICE, top_k=2)) == ["note 24", "note 23"]


def test_an_expired_memory_is_hidden_unless_it_is_asked_for(memory: Memory) -> None:
    id = _saved(memory, "The code is 1234", user_id="alice", expiration_date="2020-01-31")

    assert memory.get_all(filters=ALICE) == memory.search("code", filters=ALICE) == {"results": []}
    [hidden] = memory.get_all(filters=ALICE, show_expired=True)["results"]
    assert hidden["expiration_date"] == "2020-01-31"
    memory.update(id, expiration_date=None)
    assert _texts(memory.get_all(filters=ALICE)) == ["The code is 1234"]


# ── update, delete, delete_all, history, reset ───────────────────────────────────────────────────


def test_update_changes_text_and_metadata_and_history_tells_it(memory: Memory) -> None:
    id = _saved(memory, "Likes tea", user_id="alice", metadata={"topic": "drinks"})

    assert memory.update(id, text="Likes coffee", metadata={"sure": True}) == {
        "message": "Memory updated successfully!"
    }
    memory.update(id, data="Likes cocoa")

    found = memory.get(id)
    assert found is not None
    assert (found["memory"], found["metadata"]) == ("Likes cocoa", {"topic": "drinks", "sure": True})
    assert [(each["event"], each["old_memory"], each["new_memory"]) for each in memory.history(id)] == [
        ("ADD", None, "Likes tea"),
        ("UPDATE", "Likes tea", "Likes coffee"),
        ("UPDATE", "Likes coffee", "Likes cocoa"),
    ]
    assert _texts(memory.search("cocoa", filters=ALICE)) == ["Likes cocoa"]


def test_update_and_delete_refuse_what_is_not_there(memory: Memory) -> None:
    id = _saved(memory, "Likes tea", user_id="alice")

    with pytest.raises(ValueError, match="no memory 'nothing'"):
        memory.update("nothing", "text")
    with pytest.raises(ValueError, match="no memory 'nothing'"):
        memory.delete("nothing")
    with pytest.raises(ValueError, match="at least one of text"):
        memory.update(id)


def test_delete_removes_one_memory_for_good(memory: Memory) -> None:
    """M9: with its history."""
    id, other = _saved(memory, "Likes tea", user_id="alice"), _saved(memory, "Likes jazz", user_id="alice")

    assert memory.delete(id) == {"message": "Memory deleted successfully!"}

    assert (memory.get(id), memory.history(id)) == (None, [])
    assert [each["id"] for each in memory.get_all(filters=ALICE)["results"]] == [other]


def test_delete_all_deletes_what_has_all_of_the_ids_and_its_messages(memory: Memory, tmp_path: Path) -> None:
    """M9."""
    memory.add("My password is xyzzy-plugh, and I live in Seattle.", user_id="alice", agent_id="travel")
    _saved(memory, "Prefers mornings", user_id="alice", agent_id="health")

    assert memory.delete_all(user_id="alice", agent_id="travel") == {"message": "Memories deleted successfully!"}

    assert _texts(memory.get_all(filters=ALICE)) == ["Prefers mornings"]
    memory.close()
    assert b"plugh" not in (tmp_path / "lore.db").read_bytes()


def test_delete_all_needs_an_id(memory: Memory) -> None:
    with pytest.raises(ValueError, match=r"reset\(\)"):
        memory.delete_all()


def test_reset_deletes_everything_of_this_memory_and_nothing_else(memory: Memory, tmp_path: Path) -> None:
    with Memory(tmp_path / "lore.db", workspace="other", settings=SETTINGS) as other:
        _saved(other, "Likes jazz", user_id="alice")
        _saved(memory, "Likes tea", user_id="alice")

        memory.reset()

        assert memory.get_all(filters=ALICE) == {"results": []}
        assert _texts(other.get_all(filters=ALICE)) == ["Likes jazz"]
    assert _texts(memory.add("I like tea.", user_id="alice")) == ["User likes tea"]


# ── life ─────────────────────────────────────────────────────────────────────────────────────────


async def test_the_verbs_can_be_awaited(tmp_path: Path) -> None:
    async with AsyncMemory(migrated(tmp_path / "lore.db"), settings=SETTINGS) as memory:
        await memory.add("I live in Seattle.", user_id="alice")

        assert _texts(await memory.search("Where do I live?", filters=ALICE)) == ["User lives in Seattle"]


def test_a_program_may_end_without_closing_it(tmp_path: Path) -> None:
    """Like one that uses mem0; what it saved is there afterwards."""
    path = migrated(tmp_path / "lore.db")
    program = (
        "import sys; from everlore.compat.mem0 import Memory; "
        "memory = Memory(sys.argv[1]); memory.add('Likes tea', user_id='alice', infer=False)"
    )

    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, str(path)], capture_output=True, text=True, timeout=60
    )

    assert (done.returncode, done.stderr) == (0, "")
    with Memory(path, settings=SETTINGS) as memory:
        assert _texts(memory.get_all(filters=ALICE)) == ["Likes tea"]


def test_the_models_of_a_configuration_are_used() -> None:
    settings = settings_of(
        {
            "llm": {"provider": "ollama", "config": {"model": "qwen3", "ollama_base_url": "http://localhost:1"}},
            "embedder": {"provider": "openai", "config": {"model": "small", "api_key": "k", "embedding_dims": 256}},
            "vector_store": {"provider": "qdrant"},
        }
    )

    assert (settings.chat.provider, settings.chat.model, settings.chat.base_url) == (
        "ollama",
        "qwen3",
        "http://localhost:1",
    )
    assert (settings.embedding.provider, settings.embedding.model, settings.embedding.dims) == ("openai", "small", 256)
    with pytest.raises(ValueError, match="'horoscope' is not known"):
        settings_of({"llm": {"provider": "horoscope"}})
