"""Thoughts belong to the character that thinks them, and to the owner: nobody else reads or finds them (R11)."""

import json

from everlore.domain.conversation import Conversation, Message
from everlore.domain.knowledge import Telling
from everlore.domain.passage import PassageKind
from everlore.domain.person import PersonKind
from everlore.domain.policy import Role
from everlore.domain.scope import Scope
from everlore.recall.answer import RecallAnswer
from tests.turn.world import HERE, World, world

THOUGHT = "the vault code is saffron"
REPLY = f"<think>I must not say that {THOUGHT}.</think>Good evening, the harbour lamps are lit."


async def scene(mind: World, user: str | None = None) -> Conversation:
    """Ada, Bo and Cy at one table; Ada thinks before she speaks."""
    for name in ("Ada", "Bo", "Cy"):
        await mind.meets(name)
    config = {"auto_title": False, "extract_memories": False}
    talk = await mind.lore.conversations.start(["ada", "bo", "cy"], user=user, config=config)
    mind.model.answers(REPLY)
    await mind.says(talk, "Hello, all of you.", speaker_id="ada")
    return talk


async def test_another_character_is_told_what_was_said_and_not_what_was_thought() -> None:
    mind = world()
    talk = await scene(mind)

    await mind.says(talk, "And you, Bo?", speaker_id="bo")

    assert "harbour lamps" in mind.model.prompt
    assert "saffron" not in mind.model.prompt


async def test_the_thinker_keeps_its_own_thoughts_in_its_own_prompt() -> None:
    mind = world()
    talk = await scene(mind)

    await mind.says(talk, "Go on, Ada.", speaker_id="ada")

    assert "saffron" in mind.model.prompt


async def test_thoughts_do_not_come_back_in_a_later_talk_of_anybody() -> None:
    mind = world()
    await scene(mind)
    await mind.works()

    for name in ("Bo", "Ada"):
        later = await mind.sits_down(name, template="base-roleplay")
        mind.model.answers("Hm.")
        await mind.says(later, "What about the vault code, the saffron and the harbour lamps?", speaker_id=name.lower())
        assert "harbour lamps are lit" in mind.model.prompt, name
        assert THOUGHT not in mind.model.prompt, name


def _words(answer: RecallAnswer) -> str:
    return " ".join(str(getattr(each.record, "content", "")) for each in answer)


async def test_search_never_finds_a_line_by_what_was_thought() -> None:
    mind = world()
    await scene(mind)
    await mind.works()

    for person in (None, "ada", "bo"):
        found = _words(await mind.lore.recall("vault code saffron", person=person, include=[PassageKind.MESSAGE]))
        assert "saffron" not in found, person
        said = _words(await mind.lore.recall("harbour lamps", person=person, include=[PassageKind.MESSAGE]))
        assert "lamps are lit" in said, person


async def test_what_a_character_only_thinks_of_is_told_to_nobody() -> None:
    mind = world()
    await mind.meets("Ada")
    await mind.meets("Bo")
    kept = await mind.lore.remember("Ada hid the copper lantern under the mill.", persons=("ada",))
    talk = await mind.lore.conversations.start(["ada", "bo"], config={"auto_title": False, "extract_memories": False})
    await mind.works()
    mind.model.answers("<think>Ada hid the copper lantern under the mill.</think>I know nothing of it.")

    await mind.says(talk, "Where is the copper lantern?", speaker_id="ada")

    page = await mind.store.find(mind.scope, Telling, {"memory_id": kept.id}, limit=10)
    assert not page.items


async def test_the_owner_reads_thoughts_and_a_member_does_not() -> None:
    """In the log, in a file of it, and in what a prompt is made of."""
    mind = world()
    await mind.meets("Uma", kind=PersonKind.USER)
    talk = await scene(mind, user="uma")
    member = mind.lore.seen_by(Scope(HERE, role=Role.MEMBER, person_id="uma"))

    owner_reads = [each.content for each in await mind.lore.messages.all(talk.id)]
    member_reads = [each.content for each in await member.messages.all(talk.id)]
    reply = (await mind.log(talk))[-1]
    one = await member.messages.get(talk.id, reply.id)
    file = (await member.conversations.write_file(talk.id)).decode()
    x_ray = await member.x_rays.would_be(talk.id, "And now?", speaker_id="ada")

    assert any("saffron" in each for each in owner_reads)
    assert "saffron" in (await mind.lore.conversations.write_file(talk.id)).decode()
    assert not any("saffron" in each for each in member_reads)
    assert any("harbour lamps" in each for each in member_reads)
    assert "saffron" not in one.content
    assert "saffron" not in file
    assert "saffron" not in json.dumps([each.content for each in x_ray.messages])


async def test_a_member_who_hides_a_reply_or_branches_keeps_the_thoughts_of_it() -> None:
    """What they do not see is not lost by what they do."""
    mind = world()
    await mind.meets("Uma", kind=PersonKind.USER)
    talk = await scene(mind, user="uma")
    member = mind.lore.seen_by(Scope(HERE, role=Role.MEMBER, person_id="uma"))
    reply = (await mind.log(talk))[-1]

    await member.messages.edit(talk.id, reply.id, hidden=True)
    await member.messages.edit(talk.id, reply.id, hidden=False)
    branch = await member.conversations.branch(talk.id, reply.id)

    assert "saffron" in (await mind.store.get(mind.scope, Message, reply.id)).content
    assert "saffron" in (await mind.log(branch))[-1].content


async def test_what_a_user_writes_between_such_tags_is_read() -> None:
    """They wrote it to the character."""
    mind = world()
    talk = await mind.sits_down("Bo")

    await mind.says(talk, "What does <think>hm, lemons</think> mean in your replies?")

    assert "lemons" in mind.model.prompt


async def test_a_reply_that_only_closes_its_thoughts_is_kept_with_them_opened() -> None:
    """Some servers open them in the prompt, and send only the end."""
    mind = world()
    await mind.meets("Ada")
    await mind.meets("Bo")
    talk = await mind.lore.conversations.start(["ada", "bo"], config={"auto_title": False})
    mind.model.answers(f"I see, {THOUGHT}.\n</think>\n\nGood evening.")
    await mind.says(talk, "Hello.", speaker_id="ada")

    await mind.says(talk, "And you, Bo?", speaker_id="bo")

    assert "saffron" not in mind.model.prompt
    assert "Good evening." in mind.model.prompt
