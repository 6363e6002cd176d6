"""Lorebooks are edited in one set of fields, whatever their file is, and lose nothing else (V18)."""

from dataclasses import replace
from typing import Any

import pytest

from everlore.errors import BadAsk
from everlore.interchange.loreedit import BookContent, EditedEntry, content_of, exported, with_content

WORLD: dict[str, Any] = {
    "name": "Coast",
    "originalData": {"kept": True},
    "entries": {
        "3": {
            "uid": 3,
            "key": ["ferry"],
            "keysecondary": ["dawn"],
            "selective": True,
            "selectiveLogic": 3,
            "comment": "Ferry",
            "content": "@@depth 2\nIt sails at dawn.",
            "order": 7,
            "position": 4,
            "depth": 2,
            "probability": 40,
            "vectorized": True,
        },
        "9": {"uid": 9, "key": ["tower"], "comment": "Tower", "content": "It leans.", "disable": True, "sticky": 2},
    },
}
BOOK: dict[str, Any] = {
    "name": "Card",
    "extensions": {"x": 1},
    "entries": [
        {"id": 1, "keys": ["lamp"], "content": "It is lit.", "enabled": True, "insertion_order": 5, "name": "Lamp"},
        {
            "id": 1,
            "keys": ["key"],
            "content": "It is lost.",
            "enabled": True,
            "insertion_order": 5,
            "case_sensitive": True,
        },
    ],
}
CARD: dict[str, Any] = {"spec": "chara_card_v2", "data": {"name": "Mira", "character_book": BOOK}}


def test_the_fields_of_world_info_are_read() -> None:
    """V18."""
    ferry, tower = content_of(WORLD).entries

    assert ferry == EditedEntry(
        uid="3",
        name="Ferry",
        content="@@depth 2\nIt sails at dawn.",
        keys=("ferry",),
        secondary_keys=("dawn",),
        logic="all",
        position="at_depth",
        depth=2,
        order=7,
        probability=40,
    )
    assert (tower.enabled, tower.constant, tower.position) == (False, False, "before_char")


@pytest.mark.parametrize("document", [WORLD, BOOK, CARD])
def test_what_is_not_edited_stays_as_it_was(document: dict[str, Any]) -> None:
    """V18: saving without a change changes nothing, in any form."""
    assert with_content(document, content_of(document)) == document


@pytest.mark.parametrize("document", [WORLD, BOOK, CARD])
def test_every_field_can_be_edited(document: dict[str, Any]) -> None:
    """V18: what was written is read again, the other entry is untouched, and a new one gets a place."""
    content = content_of(document)
    edited = replace(
        content.entries[0],
        name="Other",
        content="Other text.",
        keys=("a", "b"),
        secondary_keys=("c",),
        logic="not_any",
        enabled=False,
        constant=True,
        position="after_char",
        depth=9,
        order=-3,
        probability=12,
        scan_depth=6,
        case_sensitive=True,
        whole_words=True,
        exclude_recursion=True,
        prevent_recursion=True,
        hidden=True,
    )
    new = EditedEntry(name="New", keys=("n.w",), content="New text.")
    wanted = BookContent(entries=(edited, content.entries[1], new), scan_depth=5, token_budget=300, recursive=True)

    saved = content_of(with_content(document, wanted))

    assert saved.entries[:2] == wanted.entries[:2]
    assert replace(saved.entries[2], uid="") == new
    assert len({each.uid for each in saved.entries}) == 3
    assert (saved.scan_depth, saved.token_budget, saved.recursive) == (5, 300, True)


def test_fields_that_are_not_shown_survive_an_edit() -> None:
    """V18."""
    content = content_of(WORLD)
    entries = (replace(content.entries[0], order=8), replace(content.entries[1], enabled=True))

    saved: Any = with_content(WORLD, replace(content, entries=entries))

    assert saved["originalData"] == {"kept": True}
    assert saved["entries"]["3"]["vectorized"] is True
    assert saved["entries"]["9"]["sticky"] == 2
    shown_again = with_content(
        saved, replace(content_of(saved), entries=(replace(entries[0], hidden=True), entries[1]))
    )
    hidden = content_of(shown_again).entries[0]
    assert hidden.hidden
    assert (
        not content_of(with_content(shown_again, BookContent(entries=(replace(hidden, hidden=False),))))
        .entries[0]
        .hidden
    )


def test_entries_are_deleted_and_none_is_there_twice() -> None:
    """V18."""
    content = content_of(BOOK)

    assert with_content(BOOK, replace(content, entries=content.entries[1:]))["entries"] == BOOK["entries"][1:]
    with pytest.raises(BadAsk, match="same uid"):
        with_content(BOOK, replace(content, entries=(content.entries[0], content.entries[0])))
    with pytest.raises(BadAsk, match="not a lorebook"):
        content_of({"entries": 3})


@pytest.mark.parametrize("document", [WORLD, BOOK, CARD])
def test_a_lorebook_goes_out_as_world_info_and_comes_back(document: dict[str, Any]) -> None:
    """V18: each entry of SillyTavern has a number, and its key is that number."""
    world: Any = exported(document, "world_info", "Coast")
    book = exported(document, "character_book", "Coast")

    assert [str(each["uid"]) for each in world["entries"].values()] == list(world["entries"])
    for other in (world, book):
        told = [replace(each, uid="") for each in content_of(other).entries]
        assert told == [replace(each, uid="") for each in content_of(document).entries]
