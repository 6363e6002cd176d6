"""Templates are kept in all their versions, refuse what would break them, and are what a turn is made with (P1, P3)."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from everlore.compose.inherit import BadTemplate
from everlore.domain.scope import Scope
from everlore.domain.template import TemplateVersion, write_document
from everlore.errors import BadAsk, Conflict, NotFound
from everlore.services.templates import variables
from everlore.store.port import Change
from tests.turn.world import Moody, World, on_sqlite, world
from tests.worker.crew import FakeClock

LETTERS: dict[str, Any] = {
    "name": "Letters",
    "sections": {
        "identity": {"order": 10, "required": True, "content": ["You write letters as ${system.fullName}."]},
        "memory": {"order": 70, "condition": "hasMemories", "content": ["${memory.context}"]},
    },
}
POSTCARDS: dict[str, Any] = {
    "name": "Postcards",
    "extends": "Letters",
    "sections": {"identity": {"override": True, "content": "You write postcards as ${system.firstName}."}},
}


def _letters(line: str) -> dict[str, Any]:
    return LETTERS | {"sections": LETTERS["sections"] | {"identity": {"content": [line]}}}


# ── kept ─────────────────────────────────────────────────────────────────────────────────────────


async def test_those_that_come_with_everlore_are_there_from_the_start() -> None:
    """P7."""
    mind = world()

    kept = await mind.lore.templates.all()

    assert {"base-roleplay", "sms-chat", "director", "companion", "agent", "game-master"} <= {each.id for each in kept}
    assert all(each.built_in and each.created_at is None for each in kept)
    assert (await mind.lore.templates.get("SMS Chat")).id == "sms-chat"


async def test_a_template_is_found_by_its_id_and_by_its_name() -> None:
    """P1."""
    mind = world()

    saved = await mind.lore.templates.create(LETTERS)

    assert (saved.warnings, saved.notes) == ((), ())
    assert await mind.lore.templates.get(saved.kept.id) == await mind.lore.templates.get("Letters") == saved.kept
    assert (saved.kept.document.version, saved.kept.built_in) == (1, False)
    with pytest.raises(NotFound, match=r"no template 'Notes'\. Known: .*'Base Roleplay'.*'Letters'"):
        await mind.lore.templates.get("Notes")


async def test_every_version_is_kept_and_can_be_compared(tmp_path: Path) -> None:
    """P1."""
    mind = await on_sqlite(tmp_path / "lore.db")
    id = (await mind.lore.templates.create(LETTERS)).kept.id
    for line in ("Write to ${user.firstName}.", "Write once more."):
        mind.clock.pass_time(60)
        await mind.lore.templates.edit(id, _letters(line))

    versions = await mind.lore.templates.versions(id)
    first = await mind.lore.templates.version(id, 1)

    assert [each.version for each in versions] == [3, 2, 1]
    assert [each.created_at for each in versions] == sorted((each.created_at for each in versions), reverse=True)
    assert first.document == LETTERS
    diff = (await mind.lore.templates.diff(id, 2, 3)).splitlines()
    assert '-        "Write to ${user.firstName}."' in diff
    assert '+        "Write once more."' in diff
    assert await mind.lore.templates.diff(id, 2, 2) == ""
    with pytest.raises(NotFound, match="has no version 4"):
        await mind.lore.templates.version(id, 4)
    await mind.store.close()


async def test_a_deleted_template_takes_its_versions_along() -> None:
    mind = world()
    id = (await mind.lore.templates.create(LETTERS)).kept.id
    await mind.lore.templates.edit(id, _letters("Write."))

    await mind.lore.templates.delete(id)

    assert await mind.store.count(mind.scope, TemplateVersion) == 0
    with pytest.raises(NotFound):
        await mind.lore.templates.get("Letters")


async def test_a_workspace_sees_only_its_own() -> None:
    mind = world()
    other = mind.lore.within("elsewhere")
    saved = await mind.lore.templates.create(LETTERS)

    await other.templates.create(_letters("Another one of that name."))

    assert len([each for each in await other.templates.all() if not each.built_in]) == 1
    with pytest.raises(NotFound):
        await other.templates.delete(saved.kept.id)


# ── refused ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("written", "places"),
    [
        ({"sections": {}}, ["name"]),
        ({"name": "A", "sections": {"one": {"order": "x"}, "two": {"colour": 1}}}, ["sections.one", "sections.two"]),
        ({"name": "A", "extends": "Nobody"}, ["extends"]),
        ({"name": "A", "extends": "A"}, ["extends"]),
        ({"name": "A", "sections": {"one": {"content": "x", "condition": "often"}}}, ["sections.one"]),
        ({"name": "A", "sections": {"one": {"override": True}}}, ["sections.one", "sections.one"]),
        ({"name": "A", "roles": {"user": {"sections": ["one"]}}}, ["roles.user"]),
        ({"system": [1]}, ["system.0", "system"]),
        ({"name": "A", "\ud800": "half of a character"}, [""]),
    ],
    ids=["no name", "shape", "parent", "circle", "condition", "override", "role", "flat", "half a character"],
)
async def test_what_cannot_be_used_is_refused_and_the_place_is_named(
    written: dict[str, Any], places: list[str]
) -> None:
    """P1, P3."""
    mind = world()

    with pytest.raises(BadTemplate) as refused:
        await mind.lore.templates.create(written)
    checked = await mind.lore.templates.validate(written)

    assert [each.where or each.field for each in refused.value.problems] == places
    assert checked.problems == refused.value.problems
    assert all(each.built_in for each in await mind.lore.templates.all())


@pytest.mark.parametrize("name", ["Letters", "Base Roleplay", "base-roleplay"])
async def test_a_name_that_is_taken_is_refused(name: str) -> None:
    mind = world()
    await mind.lore.templates.create(LETTERS)
    other = (await mind.lore.templates.create(LETTERS | {"name": "Other"})).kept.id

    with pytest.raises(Conflict, match=f"There is a template '{name}' already"):
        await mind.lore.templates.create(LETTERS | {"name": name})
    with pytest.raises(Conflict, match=f"There is a template '{name}' already"):
        await mind.lore.templates.edit(other, LETTERS | {"name": name})


async def test_of_two_new_ones_of_the_same_name_one_is_kept() -> None:
    mind = world()

    made = await asyncio.gather(*(mind.lore.templates.create(LETTERS) for _ in range(2)), return_exceptions=True)

    assert [type(each) for each in made if isinstance(each, Exception)] == [Conflict]
    assert len([each for each in await mind.lore.templates.all() if not each.built_in]) == 1


async def test_what_comes_with_everlore_stays_as_it_is() -> None:
    """P7."""
    mind = world()
    written = write_document((await mind.lore.templates.get("agent")).document)

    for change in (mind.lore.templates.edit("agent", written), mind.lore.templates.delete("agent")):
        with pytest.raises(BadAsk, match="'agent' comes with Everlore and stays as it is"):
            await change


async def test_unknown_variables_and_a_missing_slot_are_said_when_it_is_saved() -> None:
    """P5, P14."""
    mind = world()

    saved = await mind.lore.templates.create({"name": "A", "sections": {"one": {"content": "${nope}"}}})

    assert [(each.where, each.message.split(".")[0]) for each in saved.warnings] == [
        ("sections.one", "There is no variable ${nope}"),
        ("sections", "There is no place for memory"),
    ]


@pytest.mark.parametrize(
    ("variables", "says"),
    [({}, "There is no variable \\$\\{a\\}"), ({"a": "${b}", "b": "${a}"}, "go in a circle: a → b → a")],
)
async def test_what_a_live_turn_would_leave_out_is_an_error_in_a_preview(variables: dict[str, str], says: str) -> None:
    """P5."""
    mind = world()
    written = {"name": "A", "sections": {"one": {"content": "${a}"}}, "variables": variables}

    with pytest.raises(BadTemplate, match=says):
        await mind.lore.templates.resolved(written)


async def test_parents_that_are_not_saved_yet_can_stand_beside_a_template() -> None:
    """P3."""
    mind = world()

    alone = await mind.lore.templates.validate(POSTCARDS)
    beside = await mind.lore.templates.validate(POSTCARDS, beside=[{"broken": True}, LETTERS])

    assert [each.field for each in alone.errors] == ["extends"]
    assert beside.errors == ()
    assert beside.resolved is not None
    assert beside.resolved.lineage == ("Postcards", "Letters")


async def test_an_older_flat_config_becomes_a_template() -> None:
    """P7."""
    mind = world()

    saved = await mind.lore.templates.create({"name": "Old", "system": ["You are ${system.fullName}."], "races": ["x"]})

    assert saved.kept.document.sections["system"].content == ("You are ${system.fullName}.",)
    assert saved.notes == ("races is left out: a character tells its race itself, as ${system.race}.",)


# ── two at once ──────────────────────────────────────────────────────────────────────────────────


async def test_an_edit_of_a_version_that_is_not_the_newest_is_a_conflict() -> None:
    """P1."""
    mind = world()
    id = (await mind.lore.templates.create(LETTERS)).kept.id
    await mind.lore.templates.edit(id, _letters("First."), version=1)

    with pytest.raises(Conflict, match="is at version 2, not 1"):
        await mind.lore.templates.edit(id, _letters("Second."), version=1)


class Interrupted(Moody):
    """A store in which somebody else is faster, once."""

    faster: Callable[[], Awaitable[object]] | None = None

    async def apply(self, scope: Scope, changes: Sequence[Change]) -> list[Any]:
        faster, self.faster = self.faster, None
        if faster is not None:
            await faster()
        return await super().apply(scope, changes)


async def test_of_two_processes_that_edit_at_once_the_slower_is_told_so() -> None:
    """P1: and no version is lost."""
    clock = FakeClock()
    store = Interrupted(clock)
    mind = World(store, clock=clock)
    other = mind.reborn(mind.holder)
    id = (await mind.lore.templates.create(LETTERS)).kept.id
    store.faster = partial(other.lore.templates.edit, id, _letters("Theirs."))

    with pytest.raises(Conflict, match="'Letters' was just changed by someone else"):
        await mind.lore.templates.edit(id, _letters("Mine."))

    newest, first = await mind.lore.templates.versions(id)
    assert first.document == LETTERS
    assert newest.document["sections"] == _letters("Theirs.")["sections"]


# ── parents and children ─────────────────────────────────────────────────────────────────────────


async def test_a_child_follows_its_parent() -> None:
    """P3."""
    mind = world()
    parent = (await mind.lore.templates.create(LETTERS)).kept.id
    await mind.lore.templates.create(POSTCARDS)
    closing = {"closing": {"order": 90, "content": "End with a greeting."}}

    await mind.lore.templates.edit(parent, LETTERS | {"sections": LETTERS["sections"] | closing})

    resolved = await mind.lore.templates.resolved("Postcards")
    assert [(each.name, each.origin) for each in resolved.sections] == [
        ("identity", "Postcards"),
        ("memory", "Letters"),
        ("closing", "Letters"),
    ]


async def test_a_parent_can_be_neither_deleted_nor_changed_so_that_a_child_breaks() -> None:
    """P3."""
    mind = world()
    parent = (await mind.lore.templates.create(LETTERS)).kept.id
    child = (await mind.lore.templates.create(POSTCARDS)).kept.id

    for change, what in (
        (mind.lore.templates.delete(parent), "Deleting 'Letters'"),
        (mind.lore.templates.edit(parent, LETTERS | {"name": "Mail"}), "Changing 'Letters' like this"),
        (mind.lore.templates.edit(parent, LETTERS | {"sections": {}}), "Changing 'Letters' like this"),
    ):
        with pytest.raises(Conflict, match=f"{what} would break Postcards, which extends it. Change that one first"):
            await change

    assert (await mind.lore.templates.get("Letters")).document.version == 1
    await mind.lore.templates.delete(child)
    await mind.lore.templates.delete(parent)


async def test_a_circle_is_refused_when_a_parent_is_made_a_child() -> None:
    """P3."""
    mind = world()
    parent = (await mind.lore.templates.create(LETTERS)).kept.id
    await mind.lore.templates.create(POSTCARDS)

    with pytest.raises(BadTemplate, match="goes in a circle: Letters → Postcards → Letters"):
        await mind.lore.templates.edit(parent, LETTERS | {"extends": "Postcards"})


# ── in a turn ────────────────────────────────────────────────────────────────────────────────────


async def test_a_conversation_is_told_with_its_template_and_with_its_newest_version() -> None:
    """P1."""
    mind = world()
    id = (await mind.lore.templates.create(LETTERS)).kept.id
    talk = await mind.sits_down("Mira", template="Letters")

    await mind.says(talk, "Hello!")
    first = mind.model.prompt
    await mind.lore.templates.edit(id, _letters("You write in rhyme."))
    await mind.says(talk, "And now?")

    assert first.startswith("[system] You write letters as Mira.")
    assert mind.model.prompt.startswith("[system] You write in rhyme.")


async def test_a_turn_goes_on_when_its_template_is_gone_and_the_x_ray_says_so() -> None:
    """P1, P12."""
    mind = world()
    id = (await mind.lore.templates.create(LETTERS)).kept.id
    talk = await mind.sits_down("Mira", template="Letters")
    await mind.lore.templates.delete(id)

    reply = await mind.says(talk, "Hello!")

    seen = await mind.lore.x_rays.of(talk.id)
    assert reply.content == "Fine."
    assert seen.account["template"] == "Assistant"
    assert seen.account["warnings"][0] == "There is no template 'Letters'. 'Assistant' was used instead."


async def test_a_variable_without_a_value_is_left_out_of_a_live_turn_and_said() -> None:
    """P5, P12."""
    mind = world()
    lines = ["You are ${system.firstName}${nope}.", "${nope}"]
    await mind.lore.templates.create({"name": "A", "sections": {"one": {"content": lines}}})
    talk = await mind.sits_down("Mira", template="A")

    await mind.says(talk, "Hello!")

    assert mind.model.prompt == "[system] You are Mira.\n[user] Hello!"
    seen = await mind.lore.x_rays.of(talk.id)
    assert "There is no variable ${nope}" in seen.account["faults"][0]


# ── variables ────────────────────────────────────────────────────────────────────────────────────


async def test_every_variable_that_is_listed_can_be_used() -> None:
    """P5."""
    mind = world()
    names = [each.name for each in variables()]
    lines = [f"{name}: ${{{name}}}" for name in names]

    checked = await mind.lore.templates.validate({"name": "All", "sections": {"all": {"content": lines}}})

    assert len(names) == len(set(names)) > 60
    assert {"memory.context", "memory.count", "memory.<id>", "summary", "system.firstName"} <= set(names)
    assert all(each.about.endswith(".") for each in variables())
    assert (checked.errors, checked.warnings) == ((), ())
