"""Contradictions are settled across all that a user said, whomever they said it to and wherever (M8)."""

from dataclasses import replace
from typing import Any

import pytest

from everlore.domain.conversation import Conversation
from everlore.domain.memory import Memory, Origin, Status, Visible
from everlore.domain.person import Person, PersonKind
from everlore.learning.saving.flow import Saved, written
from everlore.store.port import Put
from tests.learning.saving.mind import SCOPE, START, Mind, day
from tests.learning.saving.mind import mind as furnished


async def mind() -> Mind:
    """The user talks with Nova and with Lyra; Anna is another user."""
    made = await furnished()
    times: dict[str, Any] = {"workspace": "home", "created_at": START, "updated_at": START}
    user = await made.store.get(SCOPE, Person, "user")
    await made.store.apply(SCOPE, [Put(replace(user, kind=PersonKind.USER))])
    lyra = Person(id="lyra", name="Lyra", **times)
    anna = Person(id="anna", name="Anna", kind=PersonKind.USER, **times)
    await made.store.apply(SCOPE, [Put(lyra), Put(anna), Put(Conversation(id="private", **times))])
    return made


async def writes(mind: Mind, on: str, content: str, persons: tuple[str, ...] = ("user",), **fields: Any) -> Saved:
    """As REST, the library and MCP do."""
    mind.now = day(on)
    memory = Memory(
        workspace="home",
        id=mind.new_id(),
        content=content,
        persons=persons,
        origin=Origin.USER,
        created_at=mind.now,
        updated_at=mind.now,
        **fields,
    )
    result = await written(mind.store, SCOPE, [memory], mind.now, mind.new_id, by="user")
    await mind.apply(result.changes)
    return result


async def test_a_correction_by_hand_reaches_what_was_learnt_in_a_talk() -> None:
    told = await mind()
    await told.hears("2026-01-02", "User lives in Seattle")

    result = await writes(told, "2026-02-01", "User moved to Warsaw")

    assert await told.current() == ["User moved to Warsaw"]
    (seattle,) = await told.memories(Status.SUPERSEDED)
    assert seattle.superseded_by == result.memory_ids[0]
    assert result.outcomes[0].against == (seattle.id,)


async def test_what_is_told_to_one_ends_what_was_told_to_another() -> None:
    told = await mind()
    await told.hears("2026-01-02", "User lives in Seattle", "User has a dog named Rex")

    await told.hears("2026-02-01", "User lives in Warsaw", persons=("lyra", "user"), conversation_id="other")

    assert await told.current() == ["User has a dog named Rex", "User lives in Warsaw"]


async def test_among_many_memories_too() -> None:
    """Where not all of them are read."""
    told = await mind()
    await told.hears("2026-01-02", "User lives in Seattle", "User likes olives")
    await told.hears("2026-01-03", *(f"User owns a clock number {number}" for number in range(150)))

    await writes(told, "2026-02-01", "User lives in Warsaw")
    await writes(told, "2026-02-02", "User hates olives")

    current = await told.current()
    assert "User lives in Seattle" not in current
    assert "User likes olives" not in current


async def test_the_same_told_to_two_is_known_to_both() -> None:
    told = await mind()
    await told.hears("2026-01-02", "User lives in Seattle")

    await told.hears("2026-02-01", "User lives in Seattle", persons=("lyra", "user"), conversation_id="other")

    assert await told.current() == ["User lives in Seattle", "User lives in Seattle"]


async def test_said_again_it_still_ends_the_other() -> None:
    told = await mind()
    await told.hears("2026-01-02", "User lives in Warsaw", persons=("lyra", "user"), conversation_id="other")
    await told.hears("2026-01-03", "User lives in Seattle")

    await told.hears("2026-02-01", "User lives in Seattle")

    assert await told.current() == ["User lives in Seattle"]


async def test_what_a_person_wrote_is_not_overruled_by_a_talk() -> None:
    """M11: it waits."""
    told = await mind()
    await writes(told, "2026-01-02", "User lives in Warsaw")

    await told.hears("2026-02-01", "User lives in Seattle")

    assert await told.current() == ["User lives in Warsaw"]
    assert await told.waiting() == ["User lives in Seattle"]


async def test_an_older_message_that_is_read_later_is_the_past() -> None:
    told = await mind()
    await told.hears("2026-02-01", "User lives in Warsaw", persons=("lyra", "user"), conversation_id="other")

    await told.hears("2026-01-02", "User lives in Seattle")

    assert (await told.current(), await told.past()) == (["User lives in Warsaw"], ["User lives in Seattle"])


@pytest.mark.parametrize(
    "persons", [("anna",), ("anna", "nova"), ("anna", "nova", "user"), ("nova",), ("lyra", "nova")]
)
async def test_another_users_life_is_their_own(persons: tuple[str, ...]) -> None:
    told = await mind()
    await told.hears("2026-01-02", "User lives in Seattle", persons=persons, conversation_id="other")

    await writes(told, "2026-02-01", "User moved to Warsaw")

    assert await told.current() == ["User lives in Seattle", "User moved to Warsaw"]


async def test_who_speaks_among_several_users_ends_nothing_elsewhere() -> None:
    told = await mind()
    await told.hears("2026-01-02", "User lives in Seattle")

    await told.hears("2026-02-01", "User lives in Warsaw", persons=("anna", "nova", "user"), conversation_id="other")

    assert await told.current() == ["User lives in Seattle", "User lives in Warsaw"]


@pytest.mark.parametrize(
    "fields",
    [
        {"visibility": Visible.SECRET},
        {"visibility": Visible.PRIVATE, "conversation_id": "private"},
        {"is_spoiler": True},
    ],
)
async def test_what_not_everybody_may_know_shows_nowhere_else(fields: dict[str, Any]) -> None:
    told = await mind()
    await told.hears("2026-01-02", "User lives in Seattle")

    await writes(told, "2026-02-01", "User moved to Warsaw", **fields)

    assert await told.current() == ["User lives in Seattle", "User moved to Warsaw"]


async def test_what_is_private_stays_as_it_is() -> None:
    told = await mind()
    await writes(told, "2026-01-02", "User lives in Seattle", visibility=Visible.PRIVATE, conversation_id="private")

    await writes(told, "2026-02-01", "User moved to Warsaw")

    assert await told.current() == ["User lives in Seattle", "User moved to Warsaw"]


async def test_a_fork_ends_nothing_outside_and_is_reached_by_hand() -> None:
    """M15."""
    told = await mind()
    await told.hears("2026-01-02", "User lives in Seattle", persons=("lyra", "user"), conversation_id="other")

    await told.hears("2026-01-03", "User lives in Oslo", conversation_id="fork", branched_from_id="other")
    in_fork = await told.current()
    await writes(told, "2026-02-01", "User moved to Warsaw")

    assert in_fork == ["User lives in Oslo", "User lives in Seattle"]
    assert await told.current() == ["User moved to Warsaw"]
