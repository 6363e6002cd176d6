"""Cards come in from any program and leave with nothing lost (V9)."""

import base64
import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.bounds import Json
from everlore.errors import BadAsk
from everlore.interchange.cards import person_fields, read_card, write_card, write_file
from everlore.interchange.pngfile import avatar
from everlore.store.checks import check_record
from tests.interchange.builders import DATA, OBJECTS, TEXTS, as_bytes, book, case, person, person_of, same, v1, v2, v3

PICTURE = avatar("somebody")


@pytest.mark.parametrize(("document", "version"), [(v1(), 1), (v2(), 2), (v3(), 3)])
def test_a_card_of_any_version_becomes_a_person(document: Json, version: int) -> None:
    """V9."""
    card = read_card(as_bytes(document))

    made = person_of(card)
    assert (made.name, made.description, made.personality) == ("Mira", "A smith.", "dry")
    assert (made.scenario, made.example_dialogue) == ("The forge.", "<START>\n{{user}}: hi")
    assert made.greetings == (("Hello.",) if version == 1 else ("Hello.", "Good morning.", "Oh, you again."))
    assert made.tags == (() if version == 1 else ("smith", "dry"))
    assert made.extensions["card"] == document
    assert card.report.format == f"Character Card V{version} (JSON)"
    check_record(made)


def test_notes_of_the_creator_never_reach_the_description() -> None:
    """V9."""
    fields = person_fields(read_card(as_bytes(v3())))

    assert "Do not feed" not in str({key: value for key, value in fields.items() if key != "extensions"})


def test_a_nickname_is_kept() -> None:
    card = read_card(as_bytes(v3()))

    assert card.document["data"]["nickname"] == "Mi"  # type: ignore[index]


def test_a_file_with_old_fields_at_the_top_is_read_from_its_data_and_edited_in_both_places() -> None:
    """V9: SillyTavern writes V2 with V1 around it."""
    mixed = {**v1(description="old"), **v2(), "chat": "Mira - 2024", "avatar": "none", "talkativeness": "0.5"}
    card = read_card(as_bytes(mixed))
    assert card.description == "A smith."

    made = write_card(person_of(card, description="A retired smith."), version=2)

    expected: Any = copy.deepcopy(mixed)
    expected["description"] = expected["data"]["description"] = "A retired smith."
    assert same(made, expected)


def test_a_field_that_stands_only_at_the_top_is_found() -> None:
    mixed = {**v1(), "spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Mira"}}

    assert read_card(as_bytes(mixed)).description == "A smith."


def test_a_flat_card_with_the_name_of_a_newer_version_is_read_as_flat() -> None:
    assert read_card(as_bytes({**v1(), "spec": "chara_card_v2"})).description == "A smith."


def test_a_flat_card_leaves_as_a_whole_one_and_loses_nothing() -> None:
    """V9."""
    flat = v1(creatorcomment="Mind the fire.", unknown={"deep": [1, 1.0, None]}, tags=["smith"])
    card = read_card(as_bytes(flat))

    made: Any = write_card(person_of(card), version=2)

    assert {key: made[key] for key in flat} == flat
    assert made["data"]["creator_notes"] == "Mind the fire."
    assert made["data"]["tags"] == ["smith"]
    assert person_fields(read_card(as_bytes(made)))["greetings"] == card.greetings


@pytest.mark.parametrize("version", [2, 3])
def test_a_person_made_here_leaves_as_a_complete_card(version: Any) -> None:
    """V9."""
    made: Any = write_card(person(greetings=("Hi.", "Ho."), tags=("new",)), version=version)

    assert list(made) == ["spec", "spec_version", "data"]
    assert (made["spec"], made["spec_version"]) == (f"chara_card_v{version}", f"{version}.0")
    assert (made["data"]["first_mes"], made["data"]["alternate_greetings"]) == ("Hi.", ["Ho."])
    assert made["data"]["extensions"] == {}
    assert ("group_only_greetings" in made["data"]) is (version == 3)


def test_v2_becomes_v3_with_what_v3_requires() -> None:
    """V9."""
    card = read_card(as_bytes(v2(character_book=book("The forge is hot."))))

    made: Any = write_card(person_of(card), version=3)

    assert (made["spec"], made["spec_version"], made["data"]["group_only_greetings"]) == ("chara_card_v3", "3.0", [])
    assert made["data"]["character_book"]["entries"][0]["use_regex"] is False


def test_v3_becomes_v2_without_decorators() -> None:
    """V9."""
    content = "@@depth 4\n@@@role user\n@@activate\n\nThe forge is hot.\n@@ -1 +1 @@\nmira@@example"
    card = read_card(as_bytes(v3(character_book=book(content, "Plain.\n"))))

    made: Any = write_card(person_of(card), version=2)

    entries = made["data"]["character_book"]["entries"]
    assert [entry["content"] for entry in entries] == ["The forge is hot.\n@@ -1 +1 @@\nmira@@example", "Plain.\n"]
    assert made["data"]["nickname"] == "Mi"
    kept: Any = card.document
    assert kept["data"]["character_book"]["entries"][0]["content"] == content


def test_only_what_was_edited_changes() -> None:
    """V9."""
    document: Any = v3(tags="smith, dry", description=None, first_mes=5, x={"y": 1.0})
    card = read_card(as_bytes(document))

    made = write_card(person_of(card, personality="warm", greetings=("New.",)), version=3)

    document["data"] |= {"personality": "warm", "first_mes": "New.", "alternate_greetings": []}
    assert same(made, document)


def test_fields_that_only_everlore_has_travel_with_the_card() -> None:
    """V9."""
    own: Any = {
        "age": 41,
        "gender": "f",
        "pronouns": "she/her",
        "race": "human",
        "description_light": "light",
        "description_public": "public",
        "speech_pattern": "short",
        "emotional_tendency": "calm",
        "statistics": {"charisma": 12},
    }
    card = read_card(as_bytes(v2()))

    again = read_card(as_bytes(write_card(person_of(card, **own), version=2)))

    assert again.own == own
    extensions: Any = again.document["data"]
    assert extensions["extensions"]["talkativeness"] == "0.5"
    emptied = write_card(person_of(again, age=None, gender="", statistics={}), version=2)
    assert read_card(as_bytes(emptied)).own == {
        key: value for key, value in own.items() if key not in ("age", "gender", "statistics")
    }


@pytest.mark.parametrize(
    "odd",
    [
        {"age": "41"},
        {"age": -1},
        {"age": True},
        {"gender": 5},
        {"race": "x" * 1_001},
        {"statistics": {"charisma": 99}},
        {"statistics": []},
        {"speech_pattern": "x" * 200_001},
    ],
)
def test_odd_values_under_our_own_key_are_passed_over(odd: Json) -> None:
    """S-5."""
    card = read_card(as_bytes(v2(extensions={"everlore": {**odd, "workspace": "other", "models": {"chat": "dear"}}})))

    assert card.own == {}
    assert any(next(iter(odd)) in line for line in card.report.warnings)
    check_record(person_of(card))


@pytest.mark.parametrize(
    ("field", "value", "read"),
    [
        ("name", ["Mira", "the smith"], ("name", "Mira, the smith")),
        ("name", 7, ("name", "7")),
        ("description", None, ("description", "")),
        ("description", {"text": "x"}, ("description", "")),
        ("description", True, ("description", "")),
        ("personality", ["dry", "warm"], ("personality", "dry\nwarm")),
        ("scenario", 1.5, ("scenario", "1.5")),
        ("tags", "smith, dry,,", ("tags", ("smith", "dry"))),
        ("tags", {"smith": 1}, ("tags", ())),
        ("tags", ["smith", None, 7, {}, ""], ("tags", ("smith", "7"))),
        ("tags", ["x" * 400], ("tags", ("x" * 300,))),
        ("alternate_greetings", None, ("greetings", ("Hello.",))),
        ("alternate_greetings", "Ho.", ("greetings", ("Hello.", "Ho."))),
        ("alternate_greetings", ["Ho.", 3, [], ""], ("greetings", ("Hello.", "Ho.", "3"))),
        ("first_mes", None, ("greetings", ("Good morning.", "Oh, you again."))),
        ("extensions", "none", ("own", {})),
        ("extensions", {"everlore": []}, ("own", {})),
        ("character_book", "a book", ("name", "Mira")),
        ("character_book", {"entries": {"0": {}}}, ("name", "Mira")),
        ("assets", [5, {"type": "icon"}], ("image", None)),
    ],
)
def test_wrong_types_are_read_as_well_as_can_be_and_leave_as_they_came(
    field: str, value: object, read: tuple[str, object]
) -> None:
    """V9."""
    document = v2(**{field: value})
    card = read_card(as_bytes(document))

    assert getattr(card, read[0]) == read[1]
    assert same(write_card(person_of(card), version=2), document)
    check_record(person_of(card))


@pytest.mark.parametrize(
    ("name", "filename"), [("", "Mira.v2.png"), (None, "C:\\cards\\Mira.v2.json"), ("  ", "/a/Mira.v2.x")]
)
def test_a_card_without_a_name_is_called_after_its_file(name: object, filename: str) -> None:
    card = read_card(as_bytes(v2(name=name)), filename)

    assert card.name == "Mira.v2"
    assert any("no name" in line for line in card.report.changed)


@pytest.mark.parametrize("filename", ["", ".png", "\x00\ud800.png", "..."])
def test_a_card_without_any_name_still_becomes_a_person(filename: str) -> None:
    person = person_of(read_card(as_bytes(v2(name="")), filename))

    check_record(person)
    assert person.name.strip()


def test_a_long_name_is_cut_and_leaves_whole() -> None:
    document = v2(name="M" * 400)
    card = read_card(as_bytes(document))

    assert card.name == "M" * 300
    assert any("400 characters" in line for line in card.report.changed)
    assert same(write_card(person_of(card), version=2), document)


@pytest.mark.parametrize("field", ["description", "personality", "scenario", "first_mes", "mes_example"])
def test_prose_beyond_all_measure_is_refused(field: str) -> None:
    """S-5."""
    with pytest.raises(BadAsk, match=f"{field} has 200,001 characters; the most is 200,000"):
        read_card(as_bytes(v2(**{field: "x" * 200_001})))


def test_too_many_greetings_are_refused() -> None:
    """S-5."""
    with pytest.raises(BadAsk, match="alternate_greetings has 10,001 items"):
        read_card(as_bytes(v2(alternate_greetings=[""] * 10_001)))


@pytest.mark.parametrize(
    ("spec", "spec_version", "told"),
    [
        ("chara_card_v3", "3.1", "newer than V3"),
        ("chara_card_v3", 4, "newer than V3"),
        ("chara_card_v3", "three", "not a number"),
        ("chara_card_v3", None, "not a number"),
        ("chara_card_v9", "2.0", "unknown"),
        (None, "2.0", "unknown"),
    ],
)
def test_unknown_and_newer_versions_are_imported_with_a_warning(spec: object, spec_version: object, told: str) -> None:
    """V9."""
    card = read_card(as_bytes({**v3(), "spec": spec, "spec_version": spec_version}))

    assert card.name == "Mira"
    assert any(told in line for line in card.report.warnings)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "neither JSON, nor PNG, nor CHARX"),
        (b"hello", "neither JSON, nor PNG, nor CHARX"),
        (b"[1]", "A card is a JSON object, and the card is a list"),
        (b"{}", "not a character card"),
        (b'{"data": {"x": 1}}', "not a character card"),
        (b'{"spec": "lorebook_v3", "data": {"name": "World", "entries": []}}', "not a character card"),
        (b'{"name": "World", "entries": {"0": {}}}', "not a character card"),
        (b'{"name": "Mira"', "is not JSON"),
        (b'{"name": "Mira"} x', "is not JSON"),
        (b'{"name": "\xff"}', "is not UTF-8 text: byte 10"),
        (b"\xff\xd8\xff\xe0 a picture", "The JPEG is a picture without a card"),
        (b" " * 5_000_001, "a card as JSON has at most 5,000,000"),
        (b'{"name": "Mira", "x": [' + b"1," * 1_800_000 + b"1]}", "characters of JSON; the most is"),
    ],
    ids=case,
)
def test_what_is_no_card_is_refused_with_the_reason(data: bytes, told: str) -> None:
    """S-5."""
    with pytest.raises(BadAsk, match=told):
        read_card(data)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_every_encoding_of_json_is_read(encoding: str) -> None:
    assert read_card(as_bytes(v2(name="Ørsted")).decode().encode(encoding)).name == "Ørsted"


def test_addresses_in_a_card_are_kept_and_never_fetched() -> None:
    """S-5: there is nothing in this room that could fetch them."""
    assets = [{"type": "icon", "uri": "http://169.254.169.254/latest", "name": "main", "ext": "png"}]
    card = read_card(as_bytes(v3(assets=assets)))

    assert card.image is None
    assert any("Nothing was downloaded" in line for line in card.report.warnings)
    assert same(write_card(person_of(card), version=3), v3(assets=assets))


def test_an_icon_inside_the_json_is_the_image() -> None:
    uri = "data:image/png;base64," + base64.b64encode(PICTURE).decode()
    icon = {"type": "icon", "uri": uri, "name": "main", "ext": "png"}

    assert read_card(as_bytes(v3(assets=[icon]))).image == PICTURE
    assert read_card(as_bytes(v3(assets=[{**icon, "uri": "data:image/png;base64,%%%"}]))).image is None
    assert read_card(as_bytes(v3(assets=[{**icon, "uri": "data:text/html;base64,aGk="}]))).image is None


def test_a_png_prefers_v3_and_has_v2_for_others() -> None:
    """V9."""
    card = read_card(write_file(person_of(read_card(as_bytes(v3()))), format="png", version=3, image=PICTURE))

    assert card.report.format == "Character Card V3 (PNG)"
    assert card.image == PICTURE
    assert same(card.document, v3())


def test_a_png_for_v2_carries_no_v3() -> None:
    data = write_file(person_of(read_card(as_bytes(v2()))), format="png", version=2)

    assert same(read_card(data).document, v2())
    assert b"ccv3" not in data


def test_an_unknown_format_or_version_is_refused() -> None:
    odd: Any = "gif"
    with pytest.raises(BadAsk, match="json, png or charx"):
        write_file(person(), format=odd)
    odd = 1
    with pytest.raises(BadAsk, match="Choose 2 or 3"):
        write_card(person(), version=odd)
    with pytest.raises(BadAsk, match="holds a V3 card only"):
        write_file(person(), format="charx", version=2)


@given(DATA, OBJECTS, st.sampled_from(["json", "png"]))
def test_v2_comes_back_equal_in_every_value(data: Json, around: Json, format: Any) -> None:
    """V9: import → export → import."""
    document = {**around, "spec": "chara_card_v2", "spec_version": "2.0", "data": data}
    card = read_card(as_bytes(document))
    assert same(card.document, document)

    again = read_card(write_file(person_of(card), format=format, version=2))

    assert same(again.document, document)
    assert person_fields(again) == person_fields(card)


@given(DATA, OBJECTS, st.sampled_from(["json", "png", "charx"]))
def test_v3_comes_back_equal_in_every_value(data: Json, around: Json, format: Any) -> None:
    """V9: import → export → import."""
    document = {**around, "spec": "chara_card_v3", "spec_version": "3.0", "data": data}
    card = read_card(as_bytes(document))

    again = read_card(write_file(person_of(card), format=format, version=3))

    assert same(again.document, document)
    assert person_fields(again) == person_fields(card)


@given(DATA, st.sampled_from([2, 3]), st.sampled_from(["json", "png", "charx"]))
def test_whatever_is_read_can_be_stored(data: Json, version: int, format: Any) -> None:
    """V9: every person made from a card passes the door of the store."""
    card = read_card(as_bytes({"spec": f"chara_card_v{version}", "spec_version": f"{version}.0", "data": data}))

    check_record(person_of(card))
    check_record(person_of(read_card(write_file(person_of(card), format=format, version=3))))


@given(DATA, TEXTS, st.lists(TEXTS.filter(str.strip), max_size=3), st.lists(TEXTS.filter(str.strip), max_size=3))
def test_edits_arrive_and_nothing_else_changes(
    data: Json, description: str, greetings: list[str], tags: list[str]
) -> None:
    """V9."""
    card = read_card(as_bytes({"spec": "chara_card_v3", "spec_version": "3.0", "data": data}))
    edits = {"description": description, "greetings": tuple(greetings), "tags": tuple(tags)}

    again = read_card(write_file(person_of(card, **edits), format="json", version=3))

    assert {key: person_fields(again)[key] for key in edits} == edits
    ours = {"description", "first_mes", "alternate_greetings", "tags"}
    before: Any = card.document["data"]
    after: Any = again.document["data"]
    assert [key for key in after if key in before] == list(before)
    for key in set(before) - ours:
        assert same(after[key], before[key])
