"""What names are worth on labelled sets: how they are read, counted, and how good they must be."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from rapidfuzz.distance import OSA

from benchmarks.entities.mistyping import mistyped
from benchmarks.entities.scoring import measure
from benchmarks.entities.sets import Sets, built_in, read_folder
from everlore.errors import BadAsk

TALK: dict[str, Any] = {
    "known": [{"name": "Captain Ysolde Marr", "kind": "npc", "aliases": ["the Gull"]}],
    "messages": [
        {"speaker": "GM", "text": "You see Grothmar in Karth Keep."},
        {"speaker": "Annika", "text": "I ask Grothmmar about the Gull. Then we leave Karth Keep for Zubrovka."},
        {"speaker": "GM", "text": "Rain. Nothing else."},
    ],
    "entities": [
        {"name": "Captain Ysolde Marr", "kind": "npc", "aliases": ["the Gull"], "misspellings": [], "messages": [1]},
        {"name": "Grothmar", "kind": "npc", "aliases": [], "misspellings": ["Grothmmar"], "messages": [0, 1]},
        {"name": "Karth Keep", "kind": "location", "aliases": [], "misspellings": [], "messages": [0]},
        {"name": "the lost bell", "kind": "item", "aliases": [], "misspellings": [], "messages": [2]},
    ],
    "not_entities": ["Rain", "Zubrovka"],
}


def folder(at: Path, *, talk: object = TALK, names: tuple[object, ...] = ()) -> Path:
    at.mkdir(exist_ok=True)
    if talk is not None:
        (at / "talk.json").write_text(json.dumps(talk), encoding="utf-8")
    if names:
        (at / "names.jsonl").write_text("".join(json.dumps(row) + "\n" for row in names), encoding="utf-8")
    return at


def test_names_are_counted_by_entity_and_by_mention(tmp_path: Path) -> None:
    """G4: three of four found, one word taken for a name, one mention more than labelled."""
    document = measure(read_folder(folder(tmp_path)))

    assert document["entities"] == {"precision": 0.75, "recall": 0.75, "right": 3, "wrong": 1, "missed": 1}
    assert document["mentions"] == {"precision": 0.6667, "recall": 0.8, "right": 4, "wrong": 2, "missed": 1}
    assert document["kinds_right"]["part"] == 3
    assert document["words_taken_for_names"] == {"share": 0.5, "part": 1, "of": 2}
    assert document["misspellings_matched"] == {"share": 1.0, "part": 1, "of": 1}
    assert [each["text"] for each in document["wrong"]] == ["Zubrovka"]
    assert [each["text"] for each in document["missed"]] == ["the lost bell"]


def test_names_are_mistyped_in_every_way() -> None:
    """G4: single edits, the same ones each time."""
    found = list(mistyped("Lord Karthen", random.Random(1)))

    assert found == list(mistyped("Lord Karthen", random.Random(1)))
    assert len(found) >= 4
    for name in found:
        assert name.startswith("Lord K")
        assert OSA.distance(name, "Lord Karthen") == 1


def test_pairs_are_counted_whichever_was_known_first(tmp_path: Path) -> None:
    """G4: misspellings, other forms of a name, and distinct names each have a figure."""
    rows = (
        {"a": "Grothmar", "b": "Grothmarr", "same": True, "why": "misspelling"},
        {"a": "Grothmar", "b": "Vell", "same": True, "why": "misspelling"},
        {"a": "Ysolde", "b": "Captain Ysolde Marr", "same": True, "why": "first name"},
        {"a": "Grothmar", "b": "Orrin", "same": False},
        {"a": "the Orrin", "b": "Orrin", "same": False},
    )

    document = measure(read_folder(folder(tmp_path, talk=None, names=rows)))

    assert document["misspellings_matched"]["share"] == 0.5
    assert document["same_names_matched"]["share"] == 1.0
    assert document["distinct_names_merged"]["share"] == 0.5


@pytest.mark.parametrize(
    ("talk", "says"),
    [
        ([], "holds no object"),
        ({"entities": []}, "messages is missing"),
        ({"messages": [{"speaker": "GM"}], "entities": []}, "text is missing"),
        (TALK | {"entities": [{"name": "X", "kind": "god", "messages": []}]}, "the kind 'god'"),
        (TALK | {"entities": [{"name": "X", "kind": "npc", "messages": [7]}]}, "there are 0 to 2"),
        (TALK | {"not_entities": [3]}, "not_entities is 3, not a text"),
    ],
)
def test_a_talk_that_is_none_is_refused_with_what_is_wrong(tmp_path: Path, talk: object, says: str) -> None:
    """G4: a bad file names itself."""
    with pytest.raises(BadAsk, match=r"talk\.json.*Correct the file") as error:
        read_folder(folder(tmp_path, talk=talk))

    assert says in str(error.value)


def test_a_bad_line_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    """G4: with the line, or with what to put there."""
    with pytest.raises(BadAsk, match=r"Line 1 of .*names\.jsonl.*same is missing"):
        read_folder(folder(tmp_path / "a", talk=None, names=({"a": "x", "b": "y"},)))
    with pytest.raises(BadAsk, match="nothing to measure"):
        read_folder(folder(tmp_path / "c", talk=None))
    with pytest.raises(BadAsk, match="is no folder"):
        read_folder(tmp_path / "d")


@pytest.fixture(scope="module")
def all_sets() -> dict[str, Any]:
    both: Sets = built_in("all")
    return measure(both)


def test_misspellings_are_matched_and_distinct_names_are_not_merged(all_sets: dict[str, Any]) -> None:
    """G4: at least nine in ten single-edit misspellings, and fewer than one in fifty distinct names."""
    assert all_sets["misspellings_matched"]["of"] >= 50
    assert all_sets["misspellings_matched"]["share"] >= 0.9
    assert all_sets["mistyped_suggested"]["share"] >= 0.9
    assert all_sets["distinct_names_merged"]["of"] >= 50
    assert all_sets["distinct_names_merged"]["share"] < 0.02
    assert all_sets["distinct_names_merged_in_talks"]["share"] < 0.02


def test_names_are_found_as_well_as_the_documentation_says(all_sets: dict[str, Any]) -> None:
    """G4: without a model."""
    assert all_sets["entities"]["precision"] >= 0.8
    assert all_sets["entities"]["recall"] >= 0.85
    assert all_sets["mentions"]["recall"] >= 0.85
