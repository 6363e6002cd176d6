"""Lorebooks of other programs: in with everything they hold, and out as they came (G12, V9, S-5)."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.domain.campaign import EntityKind
from everlore.errors import BadAsk
from everlore.interchange.lorebooks import (
    Lorebook,
    LorebookFileEntry,
    LoreEntry,
    WrittenForm,
    is_pattern,
    read_lorebook,
    write_lorebook,
)

WORLD_INFO: dict[str, Any] = {
    "name": "Orne",
    "extensions": {"theirs": 1},
    "entries": {
        "0": {
            "uid": 0, "key": ["Ilka", "Sister Ilka", "/ilk[ae]/i"], "keysecondary": ["lamp"], "comment": "NPC: Ilka",
            "content": "The last keeper.", "constant": False, "selective": True, "selectiveLogic": 3, "order": 40,
            "position": 4, "depth": 2, "disable": False, "probability": 80, "useProbability": True, "sticky": 3,
            "characterFilter": {"names": ["Mira"], "isExclude": False}, "unheardOf": {"deep": [1, 2.5, None]},
        },
        "7": {"uid": 7, "key": [], "comment": "The drowned tower", "content": "It rings by itself.", "constant": True},
        "9": {"uid": 9, "key": ["zephyrine"], "comment": "", "content": "A lamp oil.", "disable": True},
    },
}  # fmt: skip
BOOK: dict[str, Any] = {
    "spec": "lorebook_v3",
    "data": {
        "name": "Orne", "scan_depth": 5, "extensions": {"x": True},
        "entries": [
            {"keys": ["Guild", "Lamp Guild"], "content": "They sell light.", "enabled": False, "insertion_order": 3,
             "case_sensitive": True, "priority": 9, "id": 4, "comment": "", "name": "Lamp Guild",
             "position": "after_char", "extensions": {"depth": 7, "other": "kept"}, "use_regex": False},
        ],
    },
}  # fmt: skip
NOVELAI: dict[str, Any] = {
    "lorebookVersion": 5,
    "settings": {"orderByKeyLocations": True},
    "categories": [{"id": "c1", "name": "Places"}],
    "entries": [
        {"id": "n1", "text": "A quay.", "displayName": "The Long Quay", "keys": ["quay"], "category": "c1",
         "enabled": True, "forceActivation": True, "contextConfig": {"budgetPriority": 400}},
    ],
}  # fmt: skip


def read(document: Any) -> Lorebook:
    return read_lorebook(json.dumps(document).encode())


def told(book: Lorebook) -> list[LorebookFileEntry]:
    return [
        LorebookFileEntry(
            id=f"e{at}", name=each.name, keys=each.keys, content=each.content, kind=each.kind,
            form=book.form, uid=each.uid, entry=each.entry,
        )
        for at, each in enumerate(book.entries)
    ]  # fmt: skip


def without_own(entry: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in entry.get("extensions", {}).items() if key != "everlore"}
    rest = {key: value for key, value in entry.items() if key != "extensions"}
    return {**rest, "extensions": kept} if kept else rest


def said(entries: tuple[LoreEntry, ...]) -> list[tuple[str, tuple[str, ...], str, EntityKind]]:
    return [(each.name, each.keys, each.content, each.kind) for each in entries]


def test_world_info_has_names_keys_and_kinds() -> None:
    """G12: a comment or the first key is the name; a pattern is no name; the kind is as it is labelled."""
    book = read(WORLD_INFO)

    assert said(book.entries) == [
        ("Ilka", ("Sister Ilka",), "The last keeper.", EntityKind.NPC),
        ("The drowned tower", (), "It rings by itself.", EntityKind.LOCATION),
        ("zephyrine", (), "A lamp oil.", EntityKind.OTHER),
    ]
    assert (book.form, book.name) == ("world_info", "Orne")


def test_what_nobody_touched_goes_out_as_it_came() -> None:
    """G12: every field, known or not, and the book's own; only our mark is added."""
    written = write_lorebook(told(read(WORLD_INFO)), form="world_info", name="x", head=read(WORLD_INFO).head)

    assert {uid: without_own(each) for uid, each in written["entries"].items()} == WORLD_INFO["entries"]  # type: ignore[attr-defined]
    assert {key: value for key, value in written.items() if key != "entries"} == {
        "name": "Orne",
        "extensions": {"theirs": 1},
    }

    again = write_lorebook(told(read(BOOK)), form="character_book", name="x", head=read(BOOK).head)
    entries: Any = again["data"]["entries"]  # type: ignore[index]
    assert [without_own(each) for each in entries] == BOOK["data"]["entries"]


@pytest.mark.parametrize("document", [WORLD_INFO, BOOK, NOVELAI])
@pytest.mark.parametrize("form", ["world_info", "character_book"])
def test_import_export_import_is_the_same(document: Any, form: WrittenForm) -> None:
    """G12: in either form, whatever it came as; and so is the next export."""
    first = read(document)
    written = write_lorebook(told(first), form=form, name="x")
    second = read(written)

    assert said(second.entries) == said(first.entries)
    assert [each.own["id"] for each in second.entries] == [f"e{at}" for at in range(len(first.entries))]
    assert write_lorebook(told(second), form=form, name="x") == written


@pytest.mark.parametrize("document", [WORLD_INFO, BOOK])
def test_there_and_back_through_the_other_form_loses_no_field(document: Any) -> None:
    """G12: what the other form has no field for travels with it."""
    first = read(document)
    home: WrittenForm = "world_info" if first.form == "world_info" else "character_book"
    other: WrittenForm = "character_book" if home == "world_info" else "world_info"
    away = read(write_lorebook(told(first), form=other, name="x"))
    back = read(write_lorebook(told(away), form=home, name="x"))

    for one, two in zip(first.entries, back.entries, strict=True):
        # An empty comment says no more than none; World Info has its name there.
        kept = {key: value for key, value in one.entry.items() if key != "extensions" and value != ""}
        assert {key: two.entry.get(key) for key in kept} == kept


def test_edits_are_all_that_differs() -> None:
    """G12: a new name and a new key are written, a pattern stays, and the rest is as it was."""
    book = read(WORLD_INFO)
    first = told(book)[0]
    edited = LorebookFileEntry(
        id="e0", name="Mother Ilka", keys=("Ilka",), content="Dead.", kind=first.kind, form=first.form, uid=first.uid,
        entry=first.entry,
    )  # fmt: skip
    entry: Any = write_lorebook([edited], form="world_info", name="x")["entries"]["0"]  # type: ignore[index]

    assert (entry["comment"], entry["key"], entry["content"]) == (
        "Mother Ilka",
        ["Mother Ilka", "Ilka", "/ilk[ae]/i"],
        "Dead.",
    )
    assert entry["unheardOf"] == {"deep": [1, 2.5, None]}


def test_a_novelai_book_has_its_categories_and_its_fields() -> None:
    """G12."""
    book = read(NOVELAI)
    entry: Any = write_lorebook(told(book), form="world_info", name="x")["entries"]["n1"]  # type: ignore[index]

    assert said(book.entries) == [("The Long Quay", ("quay",), "A quay.", EntityKind.LOCATION)]
    assert entry["constant"] is True
    assert entry["extensions"]["everlore"]["rest"]["novelai"]["contextConfig"] == {"budgetPriority": 400}


def test_a_lorebook_inside_of_a_card_is_read() -> None:
    """G12, V9."""
    card = {"spec": "chara_card_v2", "data": {"name": "Mira", "character_book": BOOK["data"]}}

    assert said(read(card).entries) == said(read(BOOK).entries)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"nonsense", "not JSON"),
        (b"[]", "a lorebook is a JSON object"),
        (b"{}", "no `entries`"),
        (b'{"data": {"name": "Mira"}}', "no lorebook inside"),
    ],
)
def test_what_is_no_lorebook_is_refused(data: bytes, message: str) -> None:
    """S-5."""
    with pytest.raises(BadAsk, match=f"(?i){message}"):
        read_lorebook(data)


def test_entries_that_are_none_are_named_and_passed_over() -> None:
    """S-5: the others are still a lorebook."""
    book = read({"entries": {"0": "oops", "1": {"key": ["a"]}, "2": {}}})

    assert [each.name for each in book.entries] == ["a", "Entry 2"]
    assert "Entry '0'" in book.report.dropped[0]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_FIELDS = st.sampled_from(
    "uid id key keys comment name content text extensions position enabled disable order constant category".split()
)


_KEYS = st.lists(st.text(max_size=6), max_size=3)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.dictionaries(_FIELDS | st.text(max_size=5), _JSON | st.lists(st.text(max_size=6), max_size=3)), max_size=4
    ),
    st.sampled_from(["world_info", "character_book"]),
    st.sampled_from(["world_info", "character_book", "novelai"]),
)
def test_any_book_comes_back_the_same(entries: list[dict[str, Any]], form: WrittenForm, origin: str) -> None:
    """G12, S-5: whatever its fields hold."""
    document: dict[str, Any] = {"entries": entries}
    if origin == "world_info":
        document = {"entries": {str(at): each for at, each in enumerate(entries)}}
    elif origin == "novelai":
        document["lorebookVersion"] = 5
    first = read(document)
    written = write_lorebook(told(first), form=form, name="x")
    second = read(written)

    assert said(second.entries) == said(first.entries)
    assert write_lorebook(told(second), form=form, name="x") == written


def test_patterns_are_known() -> None:
    assert is_pattern("/a/i")
    assert not is_pattern("/")
    assert not is_pattern("and/or")
