"""What a reader sees of a message, whole or while it streams (V4, V8)."""

import itertools
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from everlore.domain.blocks import NEXT_EPISODE, block
from everlore.domain.display import (
    MOST_HELD,
    DisplayStream,
    MediaKind,
    MediaMark,
    display,
    shown_so_far,
    with_opened_thoughts,
    without_thoughts,
)
from tests.soak import look

LONG = 500_000

# ── what goes ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("content", "shown", "thoughts"),
    [
        ("<think>Is he well?</think>Hello.", "Hello.", "Is he well?"),
        ("<thought>hm</thought>\n\nHello.", "Hello.", "hm"),
        ("<thinking>hm</thinking> Hello.", "Hello.", "hm"),
        ("<THINK>hm</Think>Hello.", "Hello.", "hm"),
        ('<think effort="high">hm</think >Hello.', "Hello.", "hm"),
        ("Hello <think>hm</think> you.", "Hello you.", "hm"),
        ("One.\n\n<think>hm</think>\n\nTwo.", "One.\n\nTwo.", "hm"),
        ("One. <think>hm</think>\n\nTwo.", "One.\n\nTwo.", "hm"),
        ("Hello.\n<think>one</think>\n<think>two</think>", "Hello.", "one\n\ntwo"),
        ("<think>a <think>b</think> c</think>Hello.", "Hello.", "a b c"),
        ("<think>a <thought>b</thought> c</think>Hello.", "Hello.", "a b c"),
        ("<think></think>Hello.", "Hello.", ""),
        ("<think/>Hello <think />you.", "Hello you.", ""),
        ("Hello.<think>she has not fini", "Hello.", "she has not fini"),
        ("<think>no end", "", "no end"),
    ],
)
def test_thoughts_are_taken_out_and_kept_apart(content: str, shown: str, thoughts: str) -> None:
    """V4."""
    seen = display(content)

    assert (seen.text, seen.thoughts, seen.has_thoughts) == (shown, thoughts, True)


def test_a_closing_tag_alone_is_no_text() -> None:
    """V4: some servers keep the opening tag to themselves."""
    assert display("Hello.</think> You.").text == "Hello. You."


def test_a_model_that_speaks_of_a_tag_in_its_thoughts_does_not_lose_its_reply() -> None:
    """V4."""
    seen = display("<think>I should use <think> tags.</think>Good evening.")

    assert (seen.text, seen.thoughts) == ("Good evening.", "I should use  tags.")


@pytest.mark.parametrize(
    ("content", "flag"),
    [
        ("Hi (Metrics: happy (0.9), calm) there", "has_metrics"),
        ("Hi (metrics {'happy': 1}) there", "has_metrics"),
        ("Hi <metrics>happy</metrics> there", "has_metrics"),
        ("Hi (KeyFrame: they met (twice)) there", "has_keyframe"),
        ("Hi <keyframe>they met</keyframe> there", "has_keyframe"),
        ('Hi <mcp:context type="keyframe">they met</mcp:context> there', "has_keyframe"),
        (
            'Hi <mcp:context type="resource" uri="everlore://keyframe/1" ephemeral="true">{"a": 1}</mcp:context> there',
            "has_keyframe",
        ),
    ],
)
def test_metrics_and_keyframes_are_taken_out_and_flagged(content: str, flag: str) -> None:
    """V4."""
    seen = display(content)

    assert seen.text == "Hi there"
    assert getattr(seen, flag)
    assert not seen.has_thoughts


@pytest.mark.parametrize(
    "content",
    [
        "Hi (Reminder: stay in character) there",
        "Hi <reminder>stay</reminder> there",
        f"Hi\n{block('reminder', 'stay </mcp:context> <b>')}\nthere".replace("\n", " "),
        'Hi <mcp:context type="resource" uri="everlore://memory/a/b">{"data": {}}</mcp:context> there',
    ],
)
def test_reminders_and_context_are_taken_out(content: str) -> None:
    """V4."""
    seen = display(content)

    assert seen == type(seen)(text="Hi there")


@pytest.mark.parametrize("content", [f"Hi {NEXT_EPISODE} there", "Hi #next episode# there"])
def test_the_end_of_an_episode_is_noticed_and_not_shown(content: str) -> None:
    """V8."""
    seen = display(content)

    assert (seen.text, seen.ends_episode) == ("Hi there", True)


@pytest.mark.parametrize("content", [f"<think>No {NEXT_EPISODE} yet.</think>Hi", f"```\n{NEXT_EPISODE}\n```", "Hi"])
def test_an_episode_does_not_end_in_thoughts_or_code(content: str) -> None:
    """V8."""
    assert not display(content).ends_episode


def test_media_come_back_parsed() -> None:
    """V4: the same for every style of template."""
    seen = display("Look: ${image.smile, beach} and ${audio.Good night, {}love.}${audio.Good night.}")

    assert seen.media == (MediaMark(MediaKind.IMAGE, "smile, beach"), MediaMark(MediaKind.AUDIO, "Good night."))
    assert seen.media[0].tags == ("smile", "beach")
    assert seen.has_media
    assert seen.text == "Look: and ${audio.Good night, {}love.}"


def test_media_inside_thoughts_are_not_asked_for() -> None:
    assert display("<think>${image.x}</think>Hello").media == ()


# ── what stays ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "content",
    [
        "```xml\n<think>kept</think>\n```",
        "Look:\n   ~~~\n<think>\n``` \n<think>\n~~~",
        "````\n```\n<think>\n```\n````",
        "```never closed\n<think>kept</think>\n",
        "```<think>x</think>```",
        "Use `<think>` and `${image.TAG}` and `(Metrics: x)` and `#NEXT EPISODE#`.",
        "<thinker>, <b>, a < b > c, (metrics show), (Remind me), ${name}, ${image.}, #NEXT",
        "${image.two\nlines}",
        "  leading and trailing \n\n",
        "half a tag <thin",
        "half a token ${audio.she said",
    ],
)
def test_code_and_what_only_looks_like_a_mark_stay_as_they_are(content: str) -> None:
    """V4."""
    seen = display(content)

    assert seen.text == content
    assert not seen.has_thoughts
    assert seen.media == ()


def test_thoughts_after_a_code_fence_are_thoughts_again() -> None:
    seen = display("```\n<think>\n```\n<think>hm</think>\nHello")

    assert (seen.text, seen.thoughts) == ("```\n<think>\n```\nHello", "hm")


def test_a_line_of_inline_code_opens_no_fence() -> None:
    assert display("```a``` is code\n<think>x</think>Hello").text == "```a``` is code\nHello"


@pytest.mark.parametrize(
    "content",
    ["<th<think>x</think>ink>shown?</think>", "$<think>x</think>{image.x}", "#NEXT<think>x</think> EPISODE#"],
)
def test_two_halves_around_a_cut_do_not_come_together(content: str) -> None:
    """V4, S-6: what is displayed holds no mark, however it was hidden."""
    seen = display(content)

    assert display(seen.text) == type(seen)(text=seen.text)


# ── properties ───────────────────────────────────────────────────────────────────────────────────

_FRAGMENTS = [
    *("<think>", "</think>", "<thought a='<'>", "</THINKING>", "<th", "ink>", "<", ">", "</", "/>"),
    *("<mcp:context type='keyframe'>", "</mcp:context>", "<metrics>", "</metrics>", "<think "),
    *("(Metrics", ":", " {", "(", ")", "(Reminder: ", "(key", "frame ["),
    *("${image.", "${audio.", "$", "{", "}", "image.a}", "#NEXT EPISODE#", "#", "NEXT", " EPISODE#"),
    *(
        "```",
        "`",
        "``",
        "~~~",
        "~",
        "```py\n",
        "\n```\n",
        "\n",
        " ",
        "    ",
        "\t",
        "\r\n",
        "a",
        "Hello.",
        "ß",
        "🐉",
        "\0",
    ),
]
_messages = st.lists(st.sampled_from(_FRAGMENTS) | st.text(max_size=4), max_size=30).map("".join)
_plain = st.text(st.characters(exclude_characters="<($#"), max_size=200)


@given(_plain)
@example("   ")
@example("\n\n```\n")
def test_text_without_marks_is_shown_as_it_is(text: str) -> None:
    """V4."""
    assert display(text).text == text


@given(_messages)
@settings(max_examples=look(150, 1_000), deadline=None)
@example("``<think>x</think>`\n<think>")
@example("~~<think>x</think>~\n```\n~~~\n<think>")
@example("<think a<think>x</think>```>\n<think>y")
def test_showing_what_was_shown_changes_nothing(content: str) -> None:
    """V4."""
    once = display(content)

    assert display(once.text) == type(once)(text=once.text)


@given(_messages, st.lists(st.integers(0, 300), max_size=20))
@settings(max_examples=look(150, 1_000), deadline=None)
def test_a_stream_shows_nothing_that_it_has_to_take_back(content: str, cuts: list[int]) -> None:
    """V2, V4: the increments together are the beginning of what is displayed in the end."""
    stream = DisplayStream()
    edges = [0, *sorted(cut for cut in cuts if cut < len(content)), len(content)]

    shown = [stream.add(content[start:end]) for start, end in itertools.pairwise(edges)]

    assert "".join(shown) == shown_so_far(content)
    assert stream.end() == display(content)
    assert display(content).text.startswith("".join(shown))


@given(_messages)
@settings(max_examples=look(150, 1_000), deadline=None)
def test_a_longer_beginning_shows_at_least_as_much(content: str) -> None:
    """V2, V4."""
    shown = [shown_so_far(content[:end]) for end in range(len(content) + 1)]

    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(shown))


@given(st.text(max_size=300))
def test_no_more_than_a_bounded_tail_is_held_back(text: str) -> None:
    """V2: white space is held until something follows; it cannot be seen."""
    held = display(text).text.removeprefix(shown_so_far(text)).strip()

    assert len(held) <= MOST_HELD


@pytest.mark.parametrize(
    "half", ["<", "</thi", "<think a=1", "$", "${aud", "${audio.hello", "#NEXT E", "(met", "(metrics ", "``"]
)
def test_half_a_mark_is_not_shown_while_more_may_come(half: str) -> None:
    """V4."""
    assert shown_so_far("Hello" + half) == "Hello"
    assert display("Hello" + half).text == "Hello" + half


# ── hostile input ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "unit",
    [
        "<think>",
        "</think>",
        "<think></think>",
        "<think><think></think>",
        "<th<think></think>",
        "<think ",
        "${audio.",
        "${audio.a <think></think>",
        "(Metrics: ",
        "(Metrics: )",
        "(",
        "<",
        "$",
        "#NEXT EPISODE#",
        "#NEXT EPISODE",
        "`",
        "```\n",
        "\n",
        " ",
        "~~~ ",
        "<metrics><reminder><keyframe><think><mcp:context>",
    ],
)
def test_half_a_megabyte_of_anything_is_displayed(unit: str) -> None:
    """V4, S-8: each of these would take very long if the time grew with the square of the length."""
    content = unit * (LONG // len(unit))

    seen = display(content)

    assert len(seen.text) <= len(content) + content.count("<")
    assert seen.text.startswith(shown_so_far(content))


def test_a_block_holds_its_text_as_data() -> None:
    """V8, S-6: nothing in it can close it."""
    made = block('re"minder', 'a </mcp:context> & <b> "quote"')

    assert made.count("</mcp:context>") == 1
    assert json.loads(made.split("\n")[1])["data"] == {"text": 'a </mcp:context> & <b> "quote"'}
    assert display(made + "Hello").text == "Hello"


@pytest.mark.parametrize(
    ("content", "left"),
    [
        ("<think>hm</think>Hello ${image.smile} (metrics: 3)", "Hello ${image.smile} (metrics: 3)"),
        ("Hello <Thinking>a <think>b</think></Thinking> you.", "Hello you."),
        ("Hello.<think>she has not fini", "Hello."),
        ("In code: `<think>` opens it.", "In code: `<think>` opens it."),
        ("```\n<think>x</think>\n```", "```\n<think>x</think>\n```"),
        ("  Nothing  <b>of</b> it. \n", "  Nothing  <b>of</b> it. \n"),
    ],
)
def test_thoughts_alone_are_taken_out_and_all_else_stays(content: str, left: str) -> None:
    assert without_thoughts(content) == left


@given(st.lists(st.sampled_from(["<think>", "</think>", "hm", "`", "```\n", "\n", "<thinking>", "(metrics:", ")"])))
def test_what_is_left_has_no_thoughts_to_take_out(parts: list[str]) -> None:
    left = without_thoughts("".join(parts))

    assert display(left).thoughts == "" or "(metrics:" in left
    assert without_thoughts(left) == left


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        ("I see.\n</think>\nHello.", "<think>I see.\n</think>\nHello."),
        ("I see.</thought>Hello.", "<thought>I see.</thought>Hello."),
        ("<think>I see.</think>Hello.", "<think>I see.</think>Hello."),
        ("It ends with `</think>`.", "It ends with `</think>`."),
        ("```\n</think>\n```", "```\n</think>\n```"),
        ("Hello.", "Hello."),
    ],
)
def test_thoughts_of_which_only_the_end_was_sent_are_opened(content: str, kept: str) -> None:
    assert with_opened_thoughts(content) == kept
