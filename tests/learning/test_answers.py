"""The JSON that a model was asked for is read strictly: spec 4, first paragraph."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from everlore.learning.answers import json_in, line_in, list_in, log_unusable, share_in
from tests.growth import outgrows_its_text

# ── what is forgiven ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "answer",
    [
        '{"facts": []}',
        ' \n{"facts": []}\n ',
        '```json\n{"facts": []}\n```',
        '```\n{"facts": []}\n```',
        '```JSON\r\n{"facts": []}```',
        '```json {"facts": []}```',
        '<think>They said [nothing].</think>{"facts": []}',
        '<think>\nIs {"a": 1} a fact?\n</think>\n\n```json\n{"facts": []}\n```',
        'The prompt has opened the thoughts.</think>\n{"facts": []}',
        '<THINKING>Hm.</THINKING> {"facts": []}',
    ],
)
def test_a_code_fence_and_thoughts_are_forgiven(answer: str) -> None:
    assert json_in(answer) == {"facts": []}


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "   ",
        "Sorry, I can't extract anything.",
        'Here you are: {"facts": []}',
        '{"facts": []} I hope this helps!',
        '```json\n{"facts": []}',
        '```json\n{"facts": []}\n``` as you wished',
        '```json\n{"facts": []}\n```\n```json\n{"facts": []}\n```',
        '{"facts": [{"content": "User li',
        "{'facts': []}",
        '{"facts": [],}',
        '{"confidence": NaN}',
        '{"confidence": Infinity}',
        "[-Infinity]",
        "<think>I never come to an end",
        "```",
        "``````",
        "</think>",
    ],
)
def test_nothing_else_is_forgiven(answer: str) -> None:
    assert json_in(answer) is None


def test_marks_inside_a_text_stay_as_they_are() -> None:
    """What a user wrote about thoughts or pictures may be quoted: it is not for us to take out."""
    quoted = {"reasoning": "They wrote <think>hm</think> and ${image.cat} and ```code```."}

    assert json_in(json.dumps(quoted)) == quoted
    assert json_in(f"```json\n{json.dumps(quoted)}\n```") == quoted


# ── hostile answers ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("piece", ["[", '{"a":', "[]", "1", '"', "{"])
def test_bombs_come_to_nothing_and_take_no_more_than_their_length(piece: str) -> None:
    """S-8."""
    assert json_in(piece.ljust(2, "[") * 300_000) is None
    assert not outgrows_its_text(json_in, piece, 600_000)


def test_more_than_a_million_characters_are_not_even_read() -> None:
    long = json.dumps(["User likes tea." * 70_000])

    assert len(long) > 1_000_000
    assert json_in(long) is None
    assert json_in(json.dumps(["User likes tea." * 60_000])) is not None


@given(st.text(max_size=300))
def test_no_text_does_any_harm(text: str) -> None:
    json_in(text)
    json_in(f"```{text}```")
    json_in(f"<think>{text}</think>[]")


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(json_values)
def test_whatever_is_json_comes_through_unchanged(value: object) -> None:
    written = json.dumps(value)

    assert json_in(written) == value
    assert json_in(f"```json\n{written}\n```") == value


# ── the log ──────────────────────────────────────────────────────────────────────────────────────


def test_the_log_keeps_the_first_hundred_characters_of_an_unusable_answer() -> None:
    with capture_logs() as logs:
        log_unusable("x" * 5_000, what="facts")

    (line,) = logs
    assert line["begins"] == "x" * 100
    assert (line["what"], line["chars"], line["log_level"]) == ("facts", 5_000, "warning")


# ── shapes ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("value", [[1, 2], {"facts": [1, 2]}, {"facts": [1, 2], "note": "fine"}])
def test_a_list_stands_bare_or_under_its_key(value: object) -> None:
    assert list_in(value, "facts") == [1, 2]


@pytest.mark.parametrize("value", [None, 3, "facts", {}, {"facts": {}}, {"facts": "none"}, {"fact": []}, True])
def test_anything_else_is_no_list(value: object) -> None:
    assert list_in(value, "facts") is None


def test_a_line_is_one_line_that_a_store_can_keep() -> None:
    assert line_in("User\n likes\x00 tea\u2028 and\ud800 jazz\t", 100) == "User likes tea and jazz"
    assert line_in("x" * 50, 10) == "x" * 10
    assert line_in("word " * 50, 7) == "word wo"
    assert line_in(None, 10) is None
    assert line_in(["User"], 10) is None


@pytest.mark.parametrize(("value", "share"), [(0, 0.0), (1, 1.0), (0.85, 0.85)])
def test_a_share_is_a_number_from_nothing_to_one(value: object, share: float) -> None:
    assert share_in(value) == share


@pytest.mark.parametrize("value", [True, False, "0.9", None, -0.1, 1.01, 95, [], {}])
def test_anything_else_is_no_share(value: object) -> None:
    assert share_in(value) is None
