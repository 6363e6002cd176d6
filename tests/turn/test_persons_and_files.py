"""Characters made, changed and deleted, and what comes in and goes out as a file (V9)."""

import json
from typing import Any

import pytest

from everlore.domain.conversation import Author
from everlore.domain.media import Media
from everlore.domain.person import PersonKind
from everlore.errors import BadAsk, Conflict, NotFound, StoreUnavailable
from everlore.interchange.pngfile import avatar
from everlore.services.characters import slug_of
from everlore.services.files import MOST_SPEAKERS
from tests.turn.world import world

PNG = avatar("Mira")


def _card(**data: Any) -> bytes:
    known = {"name": "Mira", "description": "{{char}} keeps a lighthouse.", "first_mes": "Come in!"}
    return json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": known | data}).encode()


# ── persons ──────────────────────────────────────────────────────────────────────────────────────


async def test_a_character_is_changed_in_what_is_named_alone() -> None:
    """V9."""
    mind = world()
    mira = await mind.meets("Mira", personality="Warm.", statistics={"charisma": 12})

    changed = await mind.lore.characters.change(mira.id, age=30)

    assert (changed.age, changed.personality, changed.statistics) == (30, "Warm.", {"charisma": 12})
    for wrong in ("colour", "workspace", "created_at"):
        with pytest.raises(BadAsk, match=f"A person has no field {wrong}"):
            await mind.lore.characters.change(mira.id, **{wrong: "x"})


async def test_a_new_person_does_not_take_the_place_of_another() -> None:
    """V9."""
    mind = world()
    await mind.meets("Mira", personality="Warm.")
    user = await mind.lore.user()

    for taken in ("mira", user.id):
        with pytest.raises(Conflict, match=rf"a person '{taken}' already"):
            await mind.lore.characters.create(name="Somebody", id=taken)

    assert (await mind.lore.characters.get("mira")).personality == "Warm."
    assert (await mind.lore.user()) == user


async def test_a_deleted_character_leaves_its_talks_and_takes_its_pictures() -> None:
    """V9."""
    mind = world()
    talk = await mind.sits_down("Mira")
    await mind.says(talk, "Hello!")
    await mind.lore.characters.picture("mira", PNG)

    await mind.lore.characters.delete("mira")

    assert await mind.said(talk) == ["Hello!", "Fine."]
    assert await mind.store.count(mind.scope, Media) == 0
    with pytest.raises(NotFound):
        await mind.lore.characters.get("mira")
    with pytest.raises(BadAsk, match="The user cannot be deleted"):
        await mind.lore.characters.delete("user")


async def test_a_fresh_workspace_has_somebody_to_talk_to_and_only_once() -> None:
    """V9: deleted, the starter does not come back."""
    mind = world()

    nova = await mind.lore.characters.welcome()
    assert nova is not None
    assert await mind.lore.characters.welcome() is None
    await mind.lore.characters.delete(nova.id)
    assert await mind.lore.characters.welcome() is None

    other = mind.lore.within("other")
    await other.characters.create(name="Mira")
    assert await other.characters.welcome() is None


async def test_characters_have_names_that_fit_into_an_address() -> None:
    """V9."""
    mind = world()
    await mind.meets("Zoë the 2nd!", id="a")
    await mind.meets("Zoe The 2nd", id="b")
    await mind.meets("山田", id="c")
    await mind.meets("Teller", id="d", kind=PersonKind.NARRATOR)

    assert {slug: person.id for slug, person in (await mind.lore.characters.slugs()).items()} == {
        "zoe-the-2nd": "a",
        "zoe-the-2nd-b": "b",
        "c": "c",
    }
    assert slug_of("--") == ""


async def test_a_picture_is_a_picture_and_keeps_its_address_with_its_bytes() -> None:
    """V9."""
    mind = world()
    await mind.meets("Mira")

    first = await mind.lore.characters.picture("mira", PNG)
    again = await mind.lore.characters.picture("mira", PNG)

    assert first.avatar == again.avatar
    assert (await mind.lore.characters.media(first.avatar)).content == PNG
    assert await mind.store.count(mind.scope, Media) == 1
    with pytest.raises(BadAsk, match=r"Browsers can.t show this file as a picture\. Use a PNG"):
        await mind.lore.characters.picture("mira", b"<svg onload=alert(1)>")


# ── cards ────────────────────────────────────────────────────────────────────────────────────────


async def test_a_card_becomes_a_character_to_talk_to() -> None:
    """V9."""
    mind = world()
    imported = await mind.lore.characters.read_file(
        _card(alternate_greetings=["Hm?"], system_prompt="{{original}} Be brief."), "mira.json"
    )

    talk = await mind.lore.conversations.start(imported.person)
    await mind.says(talk, "Hello!")

    assert (await mind.log(talk))[0].alternatives == ("Come in!", "Hm?")
    assert "You are Mira.\nMira keeps a lighthouse. Be brief.\n\n" in mind.model.prompt


@pytest.mark.parametrize("format", ["json", "png", "charx"])
async def test_a_character_goes_out_and_comes_in_again_as_it_was(format: Any) -> None:
    """V9: with its picture where the format has one."""
    mind = world()
    mira = (await mind.lore.characters.read_file(_card(personality="Warm."), "mira.json")).person
    mira = await mind.lore.characters.picture(mira.id, PNG)

    data = await mind.lore.characters.write_file(mira.id, format=format)
    back = (await mind.lore.characters.read_file(data, f"mira.{format}")).person

    same = ("name", "description", "personality", "greetings", "scenario", "example_dialogue", "tags")
    assert [getattr(back, name) for name in same] == [getattr(mira, name) for name in same]
    assert back.id != mira.id
    assert bool(back.avatar) is (format != "json")


async def test_what_is_no_card_is_refused_and_leaves_nothing() -> None:
    """V9."""
    mind = world()

    with pytest.raises(BadAsk):
        await mind.lore.characters.read_file(b"no card at all", "mira.json")

    assert (await mind.lore.characters.list()).items == ()


# ── chats ────────────────────────────────────────────────────────────────────────────────────────


async def test_a_chat_goes_out_and_comes_in_again_with_its_alternatives() -> None:
    """V9: SillyTavern's JSON Lines."""
    mind = world()
    talk = await mind.sits_down("Mira")
    mind.model.answers("One.")
    reply = await mind.says(talk, "Hello!")
    mind.model.answers("Two.")
    await mind.again(talk, reply)

    data = await mind.lore.conversations.write_file(talk.id)
    back, report = await mind.lore.conversations.read_file(data, character="mira", filename="A quiet talk.jsonl")

    [hello, answer] = await mind.log(back)
    assert (back.title, back.system_ids, back.user_id) == ("A quiet talk", ("mira",), "user")
    assert (hello.author, hello.content) == (Author.USER, "Hello!")
    assert (answer.content, answer.alternatives, answer.chosen) == ("Two.", ("One.", "Two."), 1)
    assert report is not None
    assert (await mind.says(back, "And then?")).content == "Fine."
    assert "[assistant] Two." in mind.model.prompt


def _chat(*lines: tuple[str, str], header: str = "unused", **more: Any) -> bytes:
    rows: list[dict[str, Any]] = [{"user_name": "unused", "character_name": header, "chat_metadata": {}}]
    rows += [{"name": name, "is_user": name == "Ann", "mes": text, **more} for name, text in lines]
    return "\n".join(map(json.dumps, rows)).encode()


async def test_those_who_speak_in_a_group_chat_are_characters_of_their_own() -> None:
    """V9, V13: who is here already, or else is made."""
    mind = world()
    await mind.meets("Mira")
    rex = await mind.meets("Rex")
    data = _chat(("Ann", "Hi!"), ("Rex", "Woof."), ("Mira", "Oh."), ("Bob", "Ha."), ("Bob", "Ho."), ("User", "I?"))

    talk, report = await mind.lore.conversations.read_file(data, character="mira")

    bob = await mind.lore.characters.named("Bob")
    assert (bob.kind, bob.tags) == (PersonKind.CHARACTER, ("imported",))
    assert set(talk.system_ids[1:]) == {rex.id, bob.id}
    assert talk.system_ids[0] == "mira"
    log = await mind.log(talk)
    assert [each.person_id for each in log] == ["user", rex.id, "mira", bob.id, bob.id, "user"]
    assert report.changed == (
        "Bob was made as a character: 2 lines are theirs.",
        "Rex is a character already: 1 line is theirs.",
    )
    assert await mind.lore.conversations.write_file(talk.id)


async def test_whoever_speaks_alone_or_is_in_the_header_is_the_character_under_another_name() -> None:
    """V9."""
    mind = world()
    await mind.meets("Mira")

    alone, _ = await mind.lore.conversations.read_file(_chat(("Ann", "Hi!"), ("Miranda", "Hm.")), character="mira")
    two, _ = await mind.lore.conversations.read_file(
        _chat(("Bob", "Ha."), ("Miranda", "Hm."), header="Miranda"), character="mira"
    )

    assert [each.person_id for each in await mind.log(alone)] == ["user", "mira"]
    bob = await mind.lore.characters.named("Bob")
    assert [each.person_id for each in await mind.log(two)] == [bob.id, "mira"]


async def test_narration_is_nobodys_and_makes_nobody() -> None:
    """V9."""
    mind = world()
    await mind.meets("Mira")
    data = _chat(("Fate", "Night falls."), extra={"type": "narrator"})

    talk, report = await mind.lore.conversations.read_file(data, character="mira")

    assert [(each.author, each.person_id) for each in await mind.log(talk)] == [(Author.NARRATOR, None)]
    assert (talk.system_ids, report.changed) == (("mira",), ())


async def test_only_so_many_speakers_become_characters() -> None:
    """V9, S-5: the lines of the others are the main character's, and the report says so."""
    mind = world()
    await mind.meets("Mira")
    strangers = [(f"Guest {number}", "Hello.") for number in range(30)]
    data = _chat(("Mira", "Welcome!"), ("x" * 301, "Hello."), *strangers)

    talk, report = await mind.lore.conversations.read_file(data, character="mira")

    assert len(talk.system_ids) == MOST_SPEAKERS
    assert [each.person_id for each in await mind.log(talk)].count("mira") == 1 + 1 + 11
    assert report.changed[-1] == "More than 20 speak, or under no name: 12 lines are Mira's instead."


async def test_a_chat_that_cannot_be_kept_makes_nobody() -> None:
    """V9: all in one transaction."""
    mind = world()
    await mind.meets("Mira")
    mind.store.fails_if = lambda _: True

    with pytest.raises(StoreUnavailable):
        await mind.lore.conversations.read_file(_chat(("Mira", "Oh."), ("Bob", "Ha.")), character="mira")

    assert [each.name for each in (await mind.lore.characters.list()).items] == ["Mira"]


async def test_what_is_no_chat_is_refused_and_leaves_nothing() -> None:
    """V9."""
    mind = world()
    await mind.meets("Mira")

    with pytest.raises(BadAsk):
        await mind.lore.conversations.read_file(b"\x89PNG", character="mira")
    with pytest.raises(NotFound, match="'nobody'"):
        await mind.lore.conversations.read_file(b"", character="nobody")

    assert (await mind.lore.conversations.list()).items == ()
