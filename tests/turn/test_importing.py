"""A long chat is imported in batches: others go on meanwhile, and it is there as a whole or not at all (V9)."""

import asyncio
import json
from dataclasses import replace

import pytest

from everlore.domain.conversation import Conversation, Message
from everlore.domain.setting import Setting
from everlore.errors import Conflict
from everlore.store.port import Put
from everlore.turn.holder import Holder
from everlore.turn.import_lock import refuse_unfinished, take_back_unfinished
from tests.turn.world import HERE, World, world
from tests.waiting import until

LINES = 1_700


def _chat(lines: int = LINES) -> bytes:
    said = [
        {"name": "You" if number % 2 else "Mira", "is_user": bool(number % 2), "mes": f"Line {number}."}
        for number in range(lines)
    ]
    return "\n".join(map(json.dumps, [{"user_name": "You", "character_name": "Mira"}, *said])).encode()


async def _talks(mind: World) -> list[Conversation]:
    return list((await mind.store.find(mind.scope, Conversation, limit=100)).items)


async def _marks(mind: World) -> list[str]:
    return [each.id for each in (await mind.store.find(mind.scope, Setting)).items if "importing" in each.id]


async def _is_marked(mind: World) -> bool:
    return bool(await _marks(mind))


async def test_others_write_while_a_long_chat_is_imported() -> None:
    mind = world()
    talk = await mind.sits_down("Mira")
    importing = asyncio.create_task(mind.lore.conversations.read_file(_chat(), character=talk.system_ids[0]))

    said = 0
    while not importing.done():
        await mind.turns.note(mind.scope, talk.id, "I am still here.")
        said += len(await _marks(mind))
        await asyncio.sleep(0)
    imported, _ = await importing

    assert said, "nobody was let in between"
    page = await mind.store.find(mind.scope, Message, {"conversation_id": imported.id}, limit=LINES + 1)
    assert [each.content for each in page.items] == [f"Line {number}." for number in range(LINES)]
    assert [each.seq for each in page.items] == list(range(1, LINES + 1))
    assert imported.message_count == LINES
    refuse_unfinished(imported)
    assert not await _marks(mind)


async def test_an_import_that_is_broken_off_leaves_nothing() -> None:
    mind = world()
    talk = await mind.sits_down("Mira")
    importing = asyncio.create_task(mind.lore.conversations.read_file(_chat(), character=talk.system_ids[0]))
    await until(lambda: _is_marked(mind))
    (unfinished,) = [each for each in await _talks(mind) if each.id != talk.id]

    with pytest.raises(Conflict, match="still being imported"):
        await mind.turns.note(mind.scope, unfinished.id, "Hello?")
    importing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await importing

    assert [each.id for each in await _talks(mind)] == [talk.id]
    assert not await _marks(mind)


@pytest.mark.parametrize(("pid", "left"), [(2**22 + 1, 0), (None, 1)], ids=["a process that died", "one that lives"])
async def test_the_next_start_takes_back_what_a_dead_process_left(pid: int | None, left: int) -> None:
    mind = world()
    talk = await mind.sits_down("Mira")
    me = mind.resources.holder
    holder = str(me if pid is None else Holder(me.host, pid, "another"))
    unfinished = replace(talk, id="unfinished", message_count=0, metadata={"importing": holder})
    value: dict[str, object] = {"holder": holder, "conversation_id": "unfinished"}
    mark = Setting(workspace=HERE, id="importing:unfinished", value=value, updated_at=talk.updated_at)
    await mind.store.apply(mind.scope, [Put(unfinished), Put(mark)])

    await take_back_unfinished(mind.store, [HERE], me)

    assert len(await _talks(mind)) == 1 + left
    assert len(await _marks(mind)) == left
