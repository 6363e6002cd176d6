"""Sessions: played, ended, read by whoever sits there, digested with a model and without any (G1, G3, G9, G10, G11)."""

import json

import pytest

from everlore.domain.conversation import Conversation
from everlore.domain.memory import MemoryType, Origin, Status
from everlore.domain.sessions import parts_of
from everlore.errors import BadAsk, Conflict, Forbidden
from tests.campaign.table import at_seat, of_kind, plays, says, seated, without_model
from tests.turn.world import World, world

HARBOUR = (
    ("GM", "You arrive at the harbour of Orne, where every lamp is dark."),
    ("Pia", "I look into the lamp house."),
    ("GM", "You find a silver funnel, still warm, and a glove of the guild."),
    ("Jon", "Let's take the funnel to Sister Ilka."),
    ("Pia", "Agreed, she will know it."),
    ("GM", "Sister Ilka is the last keeper of the old lamps. She weeps when she sees it."),
    ("Jon", "We promise to bring the light back before midwinter."),
    ("Pia", "nat 20!"),
    ("GM", "The bell of the drowned tower rings by itself, and the whole quay kneels."),
)
SECRET = ("GM", "Behind the screen: the guild master Oswin drinks the light and calls it zephyrine.")


@pytest.fixture
def house() -> World:
    return world(settings=without_model())


# ── playing ──────────────────────────────────────────────────────────────────────────────────────


async def test_what_is_said_from_the_start_of_a_session_to_its_end_is_its_log(house: World) -> None:
    """G1: also where one conversation goes on for years."""
    made = await seated(house)
    await house.meets("Ilka")
    talk = await house.lore.conversations.start("ilka", user="pia", config={"auto_title": False})
    await says(house, talk, ("Pia", "Before the game."))

    session = await house.lore.sessions.start(made.id, name="The dark quay", conversation=talk.id)
    await says(house, talk, ("Pia", "We go to the quay."), ("Jon", "Quietly."))
    ended = await house.lore.sessions.end(session.id)
    await says(house, talk, ("Pia", "After the game."))

    assert (session.number, ended.ended_at is not None) == (1, True)
    assert [each.content for each in await house.lore.sessions.log(session.id)] == ["We go to the quay.", "Quietly."]
    assert (await house.talk(talk)).session_id is None
    assert (await house.lore.sessions.end(session.id)) == ended


async def test_a_conversation_of_a_session_belongs_to_it_and_to_its_campaign(house: World) -> None:
    """G1."""
    made = await seated(house)
    chapter = await house.lore.campaigns.begin_chapter(made.id, "Dusk")
    session = await house.lore.sessions.start(made.id)

    talk = await plays(house, session, *HARBOUR[:2])

    kept = await house.talk(talk)
    assert (kept.campaign_id, kept.session_id, session.chapter_id) == (made.id, session.id, chapter.id)
    assert [each.number for each in await house.lore.sessions.list(made.id)] == [1]


async def test_a_session_that_has_ended_takes_no_more(house: World) -> None:
    """G1: until it is opened again."""
    made = await seated(house)
    session = await house.lore.sessions.start(made.id)
    await house.lore.sessions.end(session.id)
    await house.meets("Ilka")

    with pytest.raises(Conflict, match="has ended"):
        await house.lore.sessions.talk(session.id, "ilka")
    await house.lore.sessions.change(session.id, reopen=True)
    assert (await house.lore.sessions.talk(session.id, "ilka")).session_id == session.id


async def test_what_is_private_is_part_of_no_session(house: World) -> None:
    """G1, F6."""
    made = await seated(house)
    session = await house.lore.sessions.start(made.id)
    talk = await house.sits_down("Ilka", private=True)

    with pytest.raises(BadAsk, match="private chat"):
        await house.lore.sessions.join(session.id, talk.id)


async def test_what_the_game_master_says_alone_is_not_said_at_the_table(house: World) -> None:
    """G9: a conversation of theirs is behind the screen unless they say otherwise."""
    made = await seated(house)
    session = await house.lore.sessions.start(made.id)
    await house.meets("Ilka")

    for open, expected in ((None, False), (True, True)):
        talk = await house.lore.sessions.talk(session.id, "ilka", user="vesna", open=open)
        part = next(
            each for each in parts_of(await house.lore.sessions.get(session.id)) if each.conversation_id == talk.id
        )
        assert part.open is expected


async def test_a_player_reads_what_was_said_at_the_table(house: World) -> None:
    """G9."""
    made = await seated(house)
    session = await house.lore.sessions.start(made.id)
    await plays(house, session, *HARBOUR[:1])
    await plays(house, session, SECRET, behind_the_screen=True)

    pia = at_seat(house, "pia").sessions
    assert [each.content for each in await pia.log(session.id)] == [HARBOUR[0][1]]
    assert len(await house.lore.sessions.log(session.id)) == 2
    assert len(parts_of(await pia.get(session.id))) == 1
    with pytest.raises(Forbidden):
        await pia.end(session.id)


# ── digesting ────────────────────────────────────────────────────────────────────────────────────


async def test_without_a_model_a_session_is_told_in_its_own_words(house: World) -> None:
    """G3: what was narrated, a summary and a line for the timeline; and no talk about dice."""
    made = await seated(house)
    session = await house.lore.sessions.start(made.id)
    await plays(house, session, *HARBOUR)

    await house.lore.sessions.end(session.id)
    await house.works()

    memories = await house.lore.sessions.memories(session.id)
    (scene,) = of_kind(memories, MemoryType.SCENE)
    assert scene == " ".join(text for who, text in HARBOUR if who == "GM")
    (summary,) = [each for each in memories if each.type is MemoryType.SUMMARY]
    assert summary.content == scene
    assert {each.type for each in memories} == {MemoryType.SCENE, MemoryType.SUMMARY}
    assert summary.summary
    assert "\n" not in summary.summary
    assert all(each.campaign_id == made.id and each.persons == () and each.source_message_ids for each in memories)
    assert all(each.origin is Origin.DIGEST for each in memories)


async def test_scenes_are_told_in_the_order_of_the_story() -> None:
    """G3: also where they were all formed at one time."""
    scenes = [f"The {each} lamp of Orne went out." for each in ("first", "second", "third", "fourth", "fifth", "sixth")]
    house = world()
    made = await seated(house)
    session = await house.lore.sessions.start(made.id)
    await plays(house, session, *(("GM", each) for each in scenes))
    house.model.answers(json.dumps({"scenes": scenes, "facts": []}))
    house.model.answers(json.dumps({"summary": scenes[0], "line": scenes[0]}))
    await house.lore.sessions.end(session.id)
    await house.works()

    assert of_kind(await house.lore.sessions.memories(session.id), MemoryType.SCENE) == scenes
    shelves = await house.lore.campaigns.shelves(made.id)
    assert [each.content for each in shelves.sessions[0].memories if each.type is MemoryType.SCENE] == scenes


async def test_a_chapter_is_told_by_the_lines_of_its_sessions(house: World) -> None:
    """G1, G9: also when it is closed; to players by what they may see."""
    made = await seated(house)
    chapter = await house.lore.campaigns.begin_chapter(made.id, "Dusk")
    session = await house.lore.sessions.start(made.id)
    await plays(house, session, *HARBOUR)
    await plays(house, session, SECRET, behind_the_screen=True)
    await house.lore.sessions.end(session.id)
    await house.works()
    await house.lore.campaigns.change_chapter(chapter.id, closed=True)

    (told,) = (await at_seat(house, "pia").campaigns.shelves(made.id)).chapters

    assert told.summary == f"{HARBOUR[0][1]} {HARBOUR[2][1]}"


async def test_what_was_said_behind_the_screen_reaches_no_player(house: World) -> None:
    """G9: what is made of it is a spoiler, and the players' own telling is made without it."""
    made = await seated(house)
    session = await house.lore.sessions.start(made.id)
    await plays(house, session, *HARBOUR)
    await plays(house, session, SECRET, behind_the_screen=True)
    await house.lore.sessions.end(session.id)
    await house.works()

    seen = await at_seat(house, "pia").sessions.memories(session.id)
    assert of_kind(seen, MemoryType.SUMMARY)
    assert "zephyrine" not in "\n".join(f"{each.content} {each.summary}" for each in seen)
    assert "zephyrine" in "\n".join(each.content for each in await house.lore.sessions.memories(session.id))


async def test_reading_a_session_again_adds_nothing_and_leaves_a_persons_words(house: World) -> None:
    """G10, G11."""
    made = await seated(house)
    session = await house.lore.sessions.start(made.id)
    await plays(house, session, *HARBOUR)
    await house.lore.sessions.end(session.id)
    await house.works()
    before = await house.lore.sessions.memories(session.id)
    (summary,) = [each for each in before if each.type is MemoryType.SUMMARY]
    wrong = next(each for each in before if each.type is MemoryType.SCENE)
    await house.lore.edit(summary.id, content="The night the bell rang.")
    await house.lore.memories.reject(wrong.id, by="gm")

    await house.lore.sessions.digest(session.id)
    await house.works()

    after = await house.lore.sessions.memories(session.id)
    assert of_kind(after, MemoryType.SUMMARY) == ["The night the bell rang."]
    assert of_kind(after, MemoryType.SCENE) == []
    assert {each.id for each in after} == {each.id for each in before} - {wrong.id}


async def test_a_session_can_be_cleared_of_what_was_formed_of_it(house: World) -> None:
    """G10: the log stays, and so does what a person wrote."""
    made = await seated(house)
    session = await house.lore.sessions.start(made.id)
    await plays(house, session, *HARBOUR)
    await house.lore.sessions.end(session.id)
    await house.works()
    await house.lore.campaigns.remember(made.id, "Pia owes Ilka a funnel.", session=session.id)

    cleared = await house.lore.sessions.clear(session.id)

    assert cleared.memories == 2
    assert [each.content for each in await house.lore.sessions.memories(session.id)] == ["Pia owes Ilka a funnel."]
    assert len(await house.lore.sessions.log(session.id)) == len(HARBOUR)


async def test_what_rests_on_a_message_goes_with_it(house: World) -> None:
    """M9, M15: a digest is no place where deleted words live on."""
    made = await seated(house)
    session = await house.lore.sessions.start(made.id)
    talk = await plays(house, session, *HARBOUR)
    await house.lore.sessions.end(session.id)
    await house.works()
    found = next(each for each in await house.log(talk) if "funnel, still warm" in each.content)

    await house.lore.messages.remove(talk.id, found.id)
    await house.works()

    told = await house.lore.campaigns.memories(made.id, statuses=tuple(Status))
    assert told
    assert not [each for each in told if "still warm" in f"{each.content} {each.summary}"]


async def test_a_model_tells_a_session_and_is_believed_where_the_log_bears_it_out() -> None:
    """G3: what names somebody whom nobody named is left out."""
    house = world()
    made = await seated(house)
    session = await house.lore.sessions.start(made.id)
    await plays(house, session, *HARBOUR)
    items = {
        "scenes": ["At the harbour of Orne every lamp was dark."],
        "decisions": ["Pia and Jon promised to bring the light back before midwinter."],
        "discoveries": ["They found a silver funnel in the lamp house.", "They found the crown of King Aldebert."],
        "facts": ["Sister Ilka is the last keeper of the old lamps."],
        "moments": [],
        "threads": ["The light must be back before midwinter."],
    }
    told = {"summary": "The lamps of Orne were dark.\n\nIlka wept.", "line": "The bell of the drowned tower rang."}
    house.model.answers(json.dumps(items))
    house.model.answers(json.dumps(told))
    await house.lore.sessions.end(session.id)
    await house.works()

    memories = await house.lore.sessions.memories(session.id)
    assert of_kind(memories, MemoryType.DISCOVERY) == ["They found a silver funnel in the lamp house."]
    assert of_kind(memories, MemoryType.FACT) == ["Sister Ilka is the last keeper of the old lamps."]
    (summary,) = [each for each in memories if each.type is MemoryType.SUMMARY]
    assert (summary.content, summary.summary) == (told["summary"], told["line"])
    (promise,) = [each for each in memories if each.type is MemoryType.DECISION_POINT]
    assert [each.content for each in await house.lore.memories.source(promise.id)] == [HARBOUR[6][1]]


async def test_a_model_that_talks_rubbish_leaves_the_log_to_speak_for_itself() -> None:
    """G3, O1."""
    house = world()
    made = await seated(house)
    session = await house.lore.sessions.start(made.id)
    await plays(house, session, *HARBOUR)
    for _ in range(9):
        house.model.answers("I am only a bard.")
    await house.lore.sessions.end(session.id)
    await house.works()

    (scene,) = of_kind(await house.lore.sessions.memories(session.id), MemoryType.SCENE)
    assert HARBOUR[2][1] in scene


async def test_what_is_played_is_learnt_for_the_campaign(house: World) -> None:
    """G1, G5: what keyframes, analyses and the reading of facts form in a session belongs to it, and says of whom and
    of what it speaks."""
    made = await seated(house)
    session = await house.lore.sessions.start(made.id)
    await house.meets("Ilka")
    talk = await house.lore.sessions.talk(
        session.id, "ilka", user="pia", config={"auto_title": False, "extract_memories": True, "extract_facts": True}
    )
    orne = await house.lore.world.add(made.id, "Orne")
    await house.says(talk, "I live in Orne and I am a lamplighter.")
    await house.works()

    page = await house.lore.memories.list(conversation_id=talk.id)
    assert page.items
    assert [each.entity_ids for each in page.items if "Orne" in each.content] == [(orne.id,)]
    assert {(each.campaign_id, each.session_id) for each in page.items} == {(made.id, session.id)}
    assert isinstance(talk, Conversation)


async def test_what_was_deleted_from_a_digest_stays_away_when_the_session_is_read_again(house: World) -> None:
    """G10, G11: what else was read stays, and nothing of the words is kept."""
    made = await seated(house)
    session = await house.lore.sessions.start(made.id)
    await plays(house, session, *HARBOUR)
    await house.lore.sessions.end(session.id)
    await house.works()
    before = {each.id: each for each in await house.lore.sessions.memories(session.id)}
    kinds = (MemoryType.SCENE, MemoryType.SUMMARY)
    scene, summary = (next(each for each in before.values() if each.type is kind) for kind in kinds)

    for each in (scene, summary):
        await house.lore.forget(each)
    kept = (await house.lore.sessions.get(session.id)).extra
    await house.lore.sessions.digest(session.id)
    await house.works()
    await house.lore.sessions.clear(session.id)
    await house.lore.sessions.digest(session.id)
    await house.works()

    after = {each.id for each in await house.lore.sessions.memories(session.id)}
    assert after == before.keys() - {scene.id}
    assert scene.content not in str(kept)
