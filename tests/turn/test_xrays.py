"""The prompt that you can see through: of a turn that was, of one that would be, and of a template (P12, P14)."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from everlore.compose.budget import budget_of
from everlore.compose.builtins import built_in, find_built_in
from everlore.compose.inherit import resolve
from everlore.compose.prompt import compose
from everlore.compose.talk import FRAME_TOKENS
from everlore.domain.campaign import Campaign
from everlore.domain.config import config_of
from everlore.domain.conversation import Conversation, MessageState
from everlore.domain.memory import MemoryType
from everlore.domain.person import PersonKind
from everlore.domain.xray import XRay, unpack
from everlore.errors import BadAsk, ModelMisbehaved, NotFound
from everlore.models.bytes_tokenizer import BytesTokenizer
from everlore.services.preview import PreviewRequest, preview, sample
from everlore.store.port import Amend, Put
from everlore.turn.xrays import Seen
from tests.turn.world import World, hours, on_sqlite, world
from tests.waiting import until

PEANUTS = "Anna is allergic to peanuts"
SLOTLESS: dict[str, Any] = {"name": "Slotless", "sections": {"identity": {"content": "You are ${system.fullName}."}}}


async def _knowing(mind: World, **config: Any) -> Conversation:
    """A conversation with somebody who knows of the peanuts."""
    talk = await mind.sits_down("Mira", **config)
    await mind.lore.remember(PEANUTS, person="mira", importance=8)
    return talk


def _section(seen: Seen, name: str) -> dict[str, Any]:
    (found,) = [each for each in seen.account["sections"] if each["name"] == name]
    return dict(found)


async def _kept(mind: World) -> list[XRay]:
    return list((await mind.store.find(mind.scope, XRay, limit=100)).items)


# ── of a turn that was ───────────────────────────────────────────────────────────────────────────


async def test_the_x_ray_of_a_turn_says_what_the_model_was_told_and_why() -> None:
    """P12: sections with tokens, memories with score and reason, the share of the window used."""
    mind = world()
    talk = await _knowing(mind)

    reply = await mind.says(talk, "Are there peanuts in this?")

    seen = await mind.lore.x_rays.of(talk.id)
    account = seen.account
    (memory,) = account["memories"]
    assert (seen.message_id, seen.at) == (reply.id, mind.clock())
    assert (account["template"], account["window"], account["reserve"]) == ("Assistant", 8192, 1024)
    assert account["used"] == sum(
        mind.resources.tokenizer.count(said.content) + FRAME_TOKENS for said in mind.model.asks[-1].messages
    )
    assert (memory["content"], memory["section"], memory["left_out"]) == (PEANUTS, "memory", "")
    assert memory["score"] > 0
    assert "of keywords match" in memory["why"]
    assert _section(seen, "identity")["text"] == "You are Mira."
    assert _section(seen, "memory")["text"] == f"- {PEANUTS}"
    assert all(each["tokens"] > 0 for each in account["sections"])
    assert [each["text"] for each in account["messages"]] == ["Are there peanuts in this?"]


async def test_a_memory_that_had_no_room_is_named_with_the_reason() -> None:
    """P12, P14: what was recalled is in the prompt or in the account."""
    mind = world()
    talk = await mind.sits_down("Mira", memory_budget=120)
    for number in range(9):
        await mind.lore.remember(f"Peanuts were served at the {number}th feast of the harbour", person="mira")

    await mind.says(talk, "When were peanuts served?")

    seen = await mind.lore.x_rays.of(talk.id)
    left_out = [each for each in seen.account["memories"] if each["left_out"]]
    printed = [each for each in seen.account["memories"] if not each["left_out"]]
    assert left_out
    assert printed
    assert all("no room" in each["left_out"] and not each["section"] for each in left_out)
    assert all(each["content"] in mind.model.prompt for each in printed)
    assert not any(each["content"] in mind.model.prompt for each in left_out)
    assert f"{len(left_out)} recalled memories had no room" in "".join(seen.account["warnings"])


async def test_a_stopped_and_a_failed_turn_have_theirs() -> None:
    """P12, V12."""
    mind = world()
    talk = await _knowing(mind)
    gate = mind.model.waits("Well, ")
    await mind.begins(talk, "Peanuts?")
    await gate.reached.wait()
    stopped = await mind.stops(talk)
    mind.model.answers(ModelMisbehaved("The server hung up."))
    failed = await mind.says(talk, "Peanuts, again?")

    states = {each.id: each.state for each in (stopped, failed)}

    assert set(states.values()) == {MessageState.STOPPED, MessageState.FAILED}
    for id in states:
        seen = await mind.lore.x_rays.of(talk.id, id)
        assert [each["content"] for each in seen.account["memories"]] == [PEANUTS]


async def test_a_reply_that_is_being_written_has_one_as_soon_as_it_is_saved() -> None:
    """P12, V12: a process that dies leaves it behind."""
    mind = world(save_every_s=0.001)
    talk = await _knowing(mind)
    gate = mind.model.waits("Well, ")
    writing = await mind.begins(talk, "Peanuts?")
    await gate.reached.wait()

    async def is_saved() -> bool:
        return (await mind.stored(talk))[-1].content == "Well, "

    await until(is_saved)
    seen = await mind.lore.x_rays.of(talk.id, writing.begun.id)

    assert [each["content"] for each in seen.account["memories"]] == [PEANUTS]
    gate.open()
    await writing.reply()


async def test_a_reply_written_anew_has_the_x_ray_of_its_latest_version() -> None:
    """P12."""
    mind = world()
    talk = await mind.sits_down("Mira")
    reply = await mind.says(talk, "Are there peanuts in this?")
    before = await mind.lore.x_rays.of(talk.id)
    await mind.lore.remember(PEANUTS, person="mira")
    mind.clock.pass_time(60)

    await mind.again(talk, reply)

    after = await mind.lore.x_rays.of(talk.id)
    assert (before.account["memories"], [each["content"] for each in after.account["memories"]]) == ([], [PEANUTS])
    assert (after.message_id, after.at) == (reply.id, mind.clock())
    assert len(await _kept(mind)) == 1


async def test_each_reply_has_its_own_and_the_latest_is_shown_first() -> None:
    """P12."""
    mind = world()
    talk = await mind.sits_down("Mira")
    first = await mind.says(talk, "One.")
    mind.clock.pass_time(60)
    second = await mind.says(talk, "Two.")

    latest = await mind.lore.x_rays.of(talk.id)
    earlier = await mind.lore.x_rays.of(talk.id, first.id)

    assert (latest.message_id, earlier.message_id) == (second.id, first.id)
    assert [each["text"] for each in earlier.account["messages"]] == ["One."]
    assert [each["text"] for each in latest.account["messages"]] == ["One.", "Fine.", "Two."]


async def test_where_no_model_was_asked_there_is_none() -> None:
    """P12."""
    mind = world()
    talk = await mind.sits_down("Mira")
    other = await mind.sits_down("Mira")
    foreign = await mind.says(other, "Hello!")

    for wanted in ("", foreign.id):
        with pytest.raises(NotFound, match="No model has been asked for"):
            await mind.lore.x_rays.of(talk.id, wanted)
    with pytest.raises(NotFound):
        await mind.lore.x_rays.of("nowhere")
    with pytest.raises(NotFound):
        await mind.lore.within("elsewhere").x_rays.of(other.id)


# ── what was deleted is gone ─────────────────────────────────────────────────────────────────────


async def test_the_words_of_a_deleted_memory_are_gone_from_a_past_x_ray() -> None:
    """M9."""
    mind = world()
    talk = await _knowing(mind)
    await mind.says(talk, "Are there peanuts in this?")
    (memory,) = (await mind.lore.x_rays.of(talk.id)).account["memories"]

    await mind.lore.forget(memory["id"])

    seen = await mind.lore.x_rays.of(talk.id)
    assert "allergic" not in str(seen.account)
    assert [each["id"] for each in seen.account["memories"]] == [memory["id"]]
    assert _section(seen, "memory")["text"] == ""


async def test_the_words_of_a_deleted_message_are_gone_from_a_past_x_ray() -> None:
    """M9."""
    mind = world()
    talk = await mind.sits_down("Mira")
    await mind.says(talk, "The treasure is under the oak.")
    mind.clock.pass_time(hours(30))
    await mind.says(talk, "What did I say?")
    assert "treasure" in str((await mind.lore.x_rays.of(talk.id)).account)
    [secret, *_] = await mind.log(talk)

    await mind.lore.messages.remove(talk.id, secret.id)

    assert "treasure" not in str((await mind.lore.x_rays.of(talk.id)).account)


async def test_what_is_kept_repeats_no_word_of_memories_messages_and_campaigns() -> None:
    """M9: also where a note quotes somebody, or a campaign has its say."""
    mind = world()
    talk = await _knowing(mind, message_trim=2)
    await _joins_campaign(mind, talk)
    for text in ("The treasure is under the oak.", "I promise to marry you in May.", "Let us sail in June!"):
        await mind.says(talk, text)
    mind.clock.pass_time(hours(24 * 9))

    await mind.says(talk, "Are there peanuts on board?")

    secrets = ("treasure", "marry", "sail", "peanuts", "allergic", "lights")
    assert [word for word in secrets if word not in mind.model.prompt] == []
    for each in await _kept(mind):
        assert not [word for word in secrets if word in str(unpack(each.account))]


async def _joins_campaign(mind: World, talk: Conversation) -> None:
    now = mind.clock()
    campaign = Campaign(workspace=mind.scope.workspace, id="coast", name="Coast", created_at=now, updated_at=now)
    tied = Amend(Conversation, talk.id, {"campaign_id": "coast"})
    await mind.store.apply(mind.scope, [Put(campaign), tied])
    await mind.lore.remember(
        "The lights are going out", person="mira", type=MemoryType.PREMISE, campaign_id="coast", importance=9
    )


async def test_an_x_ray_goes_with_its_reply() -> None:
    """M9."""
    mind = world()
    talk = await mind.sits_down("Mira")
    first = await mind.says(talk, "One.")
    await mind.says(talk, "Two.")

    await mind.lore.messages.remove(talk.id, first.id)
    left = len(await _kept(mind))
    await mind.lore.conversations.delete(talk.id)

    assert (left, await _kept(mind)) == (1, [])


# ── of a turn that would be ──────────────────────────────────────────────────────────────────────


async def test_a_turn_is_told_exactly_what_its_dry_run_said() -> None:
    """P12."""
    mind = world()
    talk = await _knowing(mind, episodes=[{"name": "One", "guidance": "Bring them together."}], remind_every=2)
    for text in ("Hello!", "How are you?", "I promise to come on Friday."):
        await mind.says(talk, text)
        mind.clock.pass_time(hours(3))

    seen = await mind.lore.x_rays.would_be(talk.id, "Are there peanuts in this?")
    await mind.says(talk, "Are there peanuts in this?")

    was = await mind.lore.x_rays.of(talk.id)
    assert seen.messages == mind.model.asks[-1].messages
    assert (seen.account["used"], [*seen.account["parts"]]) == (was.account["used"], was.account["parts"])


async def test_a_dry_run_writes_nothing_and_asks_no_model(tmp_path: Path) -> None:
    """P12."""
    mind = await on_sqlite(tmp_path / "lore.db")
    talk = await _knowing(mind)
    await mind.says(talk, "Are there peanuts in this?")
    asked = len(mind.model.asks)
    letters = await mind.lore.templates.resolved("agent")
    before = _everything(tmp_path / "lore.db")

    await mind.lore.x_rays.would_be(talk.id, "And now?")
    await preview(mind.resources, mind.scope, letters, PreviewRequest(conversation_id=talk.id, content="And now?"))
    await preview(mind.resources, mind.scope, letters, PreviewRequest(character_id="mira"))

    assert _everything(tmp_path / "lore.db") == before
    assert {name for name, rows in before.items() if rows} >= {"messages", "memories", "xrays", "persons"}
    assert len(mind.model.asks) == asked
    await mind.store.close()


def _everything(path: Path) -> dict[str, list[Any]]:
    """Every row of every table."""
    with closing(sqlite3.connect(path)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: database.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}


async def test_a_dry_run_can_try_another_speaker_another_template_and_another_config() -> None:
    """P12."""
    mind = world()
    talk = await mind.sits_down("Mira", "Rex")
    await mind.lore.templates.create(SLOTLESS)

    seen = await mind.lore.x_rays.would_be(
        talk.id,
        "Hello!",
        speaker_id="rex",
        template=await mind.lore.templates.resolved("Slotless"),
        config=config_of({"context_window": 2048}),
    )

    assert seen.messages[0].content == "You are Rex."
    assert (seen.account["template"], seen.account["window"]) == ("Slotless", 2048)


async def test_without_a_message_the_character_would_speak_first() -> None:
    """P12."""
    mind = world()
    talk = await mind.sits_down("Mira")

    seen = await mind.lore.x_rays.would_be(talk.id)

    assert "Speak first" in seen.messages[-1].content


# ── the slot of memory ───────────────────────────────────────────────────────────────────────────


async def test_a_template_without_a_slot_still_gets_memory_and_the_x_ray_shows_it() -> None:
    """P14."""
    mind = world()
    await mind.lore.templates.create(SLOTLESS)
    talk = await _knowing(mind, template="Slotless")

    await mind.says(talk, "Are there peanuts in this?")

    seen = await mind.lore.x_rays.of(talk.id)
    assert PEANUTS in mind.model.prompt
    assert _section(seen, "memory")["appended"] is True
    assert seen.account["memories"][0]["section"] == "memory"
    assert "no place for memory (${memory.context}); it was added" in seen.account["warnings"][0]


async def test_with_memory_switched_off_nothing_is_added() -> None:
    """P14."""
    mind = world()
    await mind.lore.templates.create(SLOTLESS)
    talk = await _knowing(mind, template="Slotless", memory_budget=0)

    await mind.says(talk, "Are there peanuts in this?")

    seen = await mind.lore.x_rays.of(talk.id)
    assert "allergic" not in mind.model.prompt
    assert [each["name"] for each in seen.account["sections"]] == ["identity"]


# ── of a template ────────────────────────────────────────────────────────────────────────────────


async def _previewed(mind: World, name: str, **wanted: Any) -> Seen:
    return await preview(mind.resources, mind.scope, await mind.lore.templates.resolved(name), PreviewRequest(**wanted))


@pytest.mark.parametrize("id", sorted(built_in()))
async def test_every_template_that_comes_with_everlore_makes_something_of_the_sample(id: str) -> None:
    """P1, P7: a preview without a conversation."""
    mind = world()

    seen = await _previewed(mind, id)

    assert seen.messages[0].role == "system"
    assert seen.messages[-1].content.endswith("Do you remember how we met?")
    assert len(seen.account["memories"]) == 7
    assert {each["type"] for each in seen.account["memories"]} >= {"FACT", "RELATIONSHIP", "DECISION", "EVENT"}
    assert (seen.account["faults"], seen.account["warnings"]) == ((), ())
    assert (seen.message_id, seen.at) == ("", None)


@pytest.mark.parametrize(
    ("config", "section"),
    [
        ({"episodes": [{"guidance": "Bring them together."}]}, "episode"),
        ({"include_scene": True}, "scene"),
        ({"image_tokens": True}, "media"),
        ({"use_nlp": True, "nlp_command": "Be brief."}, "nlp"),
        ({"message_trim": 2}, "summary"),
    ],
)
async def test_the_config_switches_sections_of_the_sample_on(config: dict[str, Any], section: str) -> None:
    """P2."""
    mind = world()

    off = await _previewed(mind, "base-roleplay")
    on = await _previewed(mind, "base-roleplay", config=config)

    names = [{each["name"] for each in seen.account["sections"]} for seen in (off, on)]
    assert section not in names[0]
    assert names[1] - names[0] == {section}


async def test_a_preview_speaks_of_whom_and_what_it_is_told_to() -> None:
    """P1."""
    mind = world()
    await mind.meets("Rex", personality="gruff")

    seen = await _previewed(mind, "base-roleplay", character_id="rex", content="Who are you?")

    assert "You are Rex." in seen.messages[0].content
    assert "Mira" not in seen.messages[0].content
    assert seen.messages[-1].content.endswith("Who are you?")


async def test_a_preview_of_a_conversation_is_its_dry_run_with_the_config_laid_over() -> None:
    """P1, P12."""
    mind = world()
    talk = await _knowing(mind, setting="a foggy harbour")

    seen = await _previewed(
        mind, "base-roleplay", conversation_id=talk.id, content="Peanuts?", config={"include_scene": True}
    )
    dry = await mind.lore.x_rays.would_be(talk.id, "Peanuts?")

    assert "a foggy harbour" in _section(seen, "scene")["text"]
    assert seen.messages[1:] == dry.messages[1:]
    assert seen.account["memories"] == dry.account["memories"]


@pytest.mark.parametrize(
    ("wanted", "error", "says"),
    [
        ({"config": {"colour": "red"}}, BadAsk, "no chat setting 'colour'"),
        ({"character_id": "nobody"}, NotFound, "nobody"),
        ({"character_id": "anna"}, BadAsk, "Anna is a user, not a character"),
        ({"conversation_id": "nowhere"}, NotFound, "nowhere"),
    ],
)
async def test_what_cannot_be_previewed_is_explained(wanted: dict[str, Any], error: type[Exception], says: str) -> None:
    mind = world()
    await mind.meets("Anna", kind=PersonKind.USER)

    with pytest.raises(error, match=says):
        await _previewed(mind, "agent", **wanted)


def test_the_sample_is_the_same_every_time_and_fits_any_window() -> None:
    """P9."""
    config = config_of({"context_window": 1024, "response_reserve": 512})

    assert sample(config) == sample(config)
    for template in built_in().values():
        resolved = resolve(template, find_built_in)
        prompt = compose(resolved, sample(config), budget_of(config), BytesTokenizer())
        assert prompt.account.used <= 512


async def test_a_past_x_ray_says_what_has_changed_since() -> None:
    """P12: words are looked up, and another version may have been chosen."""
    mind = world()
    talk = await mind.sits_down("Mira")
    await mind.says(talk, "Hello!")
    reply = await mind.says(talk, "Are there peanuts in this?")
    await mind.again(talk, reply)
    mind.clock.pass_time(hours(1))
    assert (await mind.lore.x_rays.of(talk.id)).account["warnings"] == []

    await mind.lore.messages.edit(talk.id, (await mind.log(talk))[0].id, content="Good morning!")
    await mind.lore.messages.choose(talk.id, reply.id, 0)
    seen = await mind.lore.x_rays.of(talk.id)

    assert seen.account["warnings"] == [
        "1 of the messages were changed since; their present words are shown.",
        "This is of the version that was written last; another one is chosen.",
    ]


async def test_a_past_x_ray_shows_the_short_form_that_was_told() -> None:
    """P12, M1."""
    mind = world()
    talk = await mind.sits_down("Mira", memory_budget=4_000)
    night = "The storm took the peanuts of the whole harbour. " * 10
    await mind.lore.remember(night, person="mira", summary="A storm took all peanuts.")

    await mind.says(talk, "What became of the peanuts in the storm?")

    (memory,) = (await mind.lore.x_rays.of(talk.id)).account["memories"]
    assert (memory["content"], memory["in_short"]) == ("A storm took all peanuts.", True)
    assert "A storm took all peanuts." in mind.model.prompt
    assert night not in mind.model.prompt
