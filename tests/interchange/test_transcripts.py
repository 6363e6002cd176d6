"""Finished logs as people bring them: names, times, secrets, and not a word lost (G1, G9, G12)."""

import json
import re
from contextlib import suppress
from datetime import UTC, date, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from everlore.errors import BadAsk
from everlore.interchange.transcripts import MOST_BYTES, Transcript, read_transcript
from tests.growth import outgrows_its_text

PLAIN = """Session of the lamps

GM: The lamps of Orne go out one by one.
Pia: I light a torch
and hold it high.

Jon (whispering): Listen.
Guard Captain: Halt!
GM: He draws a sword.
Pia: So do I.
"""

DISCORD = """Pia — 11/17/2026 8:31 PM
I knock on the door.

Twice.
vesna_gm — 11/17/2026 8:33 PM
Nobody answers.
[GM] The keeper hides in the cellar.
Jon — Today at 8:40 PM
I kick it in.
"""

NOTES = """---
title: The third evening
secret_of: the keeper
---
# The lighthouse

The party reached the lighthouse at dusk. Loot: forty silver.

- Oil for the lamp
- A rusty key

## GM notes

The keeper is a ghost.

### His grave

Behind the chapel.

## The storm

They sailed. %% the ship is doomed %% The wind rose.

> [!secret] Below deck
> A stowaway listens.

All was quiet.
"""


def told(found: Transcript) -> list[tuple[str, str]]:
    return [(each.speaker, each.text) for each in found.lines]


def hidden(found: Transcript) -> str:
    return "\n".join(each.text for each in found.lines if each.gm_only)


def shown(found: Transcript) -> str:
    return "\n".join(f"{each.mark} {each.text}" for each in found.lines if not each.gm_only)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def all_words(found: Transcript) -> list[str]:
    return [word for each in found.lines for word in words(f"{each.mark} {each.text}")]


def test_a_plain_transcript_has_its_speakers_and_goes_on_over_lines() -> None:
    """G12: who says what; what nobody says is told."""
    found = read_transcript(PLAIN)

    assert told(found) == [
        ("", "Session of the lamps"),
        ("GM", "The lamps of Orne go out one by one."),
        ("Pia", "I light a torch\nand hold it high."),
        ("Jon", "Listen."),
        ("Guard Captain", "Halt!"),
        ("GM", "He draws a sword."),
        ("Pia", "So do I."),
    ]
    assert found.report.format == "transcript"
    assert any("'Pia' (2)" in each for each in found.report.kept)


def test_speakers_in_small_letters_keep_their_lines() -> None:
    """G12: as players type in a chat. A word before a colon now and then is no speaker."""
    rows = (
        "GM: Who goes first?",
        "bex: me",
        "gaz: no",
        "bex: hm: i was here",
        "[19:02] gaz: fine",
        "bex: so",
        "gaz: go on",
    )
    found = read_transcript("\n".join((*rows, "hm: well")))

    assert [each.speaker for each in found.lines] == ["GM", "bex", "gaz", "bex", "gaz", "bex", "gaz"]
    assert found.lines[3].text == "hm: i was here"
    assert found.lines[6].text == "go on\nhm: well"
    assert read_transcript("gaz: hello\nPia: hello", known=["Gaz", "Pia"]).speakers == ("gaz", "Pia")


def test_a_copy_of_a_chat_has_its_times_and_its_blank_lines() -> None:
    """G12, G9: the name and the time stand above; a mark hides what follows it in the same message."""
    found = read_transcript(DISCORD)

    assert told(found) == [
        ("Pia", "I knock on the door.\n\nTwice."),
        ("vesna_gm", "Nobody answers."),
        ("vesna_gm", "The keeper hides in the cellar."),
        ("Jon", "I kick it in."),
    ]
    assert found.lines[0].at == datetime(2026, 11, 17, 20, 31, tzinfo=UTC)
    assert [each.gm_only for each in found.lines] == [False, False, True, False]
    assert found.lines[3].at is None
    assert "1 time could not be read" in found.report.warnings[0]


def test_notes_have_scenes_and_nobody_who_speaks() -> None:
    """G12, G9: headings begin scenes; sections, comments and callouts of the game master are theirs alone."""
    found = read_transcript(NOTES)

    assert {each.speaker for each in found.lines} == {""}
    assert found.report.format == "notes"
    assert "# The lighthouse\nThe party reached the lighthouse at dusk. Loot: forty silver." in [
        each.text for each in found.lines
    ]
    for secret in ("the keeper", "The keeper is a ghost.", "Behind the chapel.", "the ship is doomed", "A stowaway"):
        assert secret in hidden(found)
    for secret in ("ghost", "chapel", "doomed", "stowaway", "Below deck", "secret_of"):
        assert secret not in shown(found)
    for open_text in ("They sailed.", "The wind rose.", "All was quiet.", "A rusty key"):
        assert open_text in shown(found)


@pytest.mark.parametrize(
    ("text", "speaker", "said"),
    [
        ("<Pia> I run.\n<Jon> Me too.", "Pia", "I run."),
        ("**Pia:** I run.\n**Jon:** Me too.", "Pia", "I run."),
        ("**Pia**: I run.\n\n**Jon**: Me too.", "Pia", "I run."),
        ("[20:31] Pia: I run.\n[20:32] Jon: Me too.", "Pia", "I run."),
        ("17/11/2026, 20:31 - Pia: I run.\n17/11/2026, 20:32 - Jon: Me too.", "Pia", "I run."),
        ("[2026-11-17 20:31:05] <Pia> I run.\n* Pia stumbles.", "Pia", "I run."),
        ("Pia of the Lamps: I run.\nJon: Me too.", "Pia of the Lamps", "I run."),
    ],
)
def test_names_are_marked_in_many_ways(text: str, speaker: str, said: str) -> None:
    """G12: chats of several programs."""
    found = read_transcript(text)

    assert (found.lines[0].speaker, found.lines[0].text) == (speaker, said)
    assert len(found.lines) == 2


def test_an_action_is_of_who_is_known_to_speak() -> None:
    found = read_transcript("<Pia> I run.\n* Pia stumbles.\n* oil for the lamp")

    assert told(found)[1] == ("Pia", "stumbles.\n* oil for the lamp")


@pytest.mark.parametrize(
    "line",
    [
        "[GM] The vault is empty.",
        "(GM only) The vault is empty.",
        "GM only: The vault is empty.",
        "Pia: I look. [GM: The vault is empty (and was before).] I go on.",
        "Pia: I look. (secret: The vault is empty",
        "Pia: I look. %% The vault is empty %%",
        "Pia: I look. <!-- The vault is empty --> I go on.",
        "Pia (to GM): The vault is empty, isn't it?",
        "Pia (whispers to the GM): The vault is empty, isn't it?",
        "> [!gm-only]\n> The vault is empty.",
        "%%\nThe vault\n\nPia: is empty\n%%",
        "# Secrets\nThe vault is empty.\nGM: It is empty.",
    ],
)
def test_what_is_marked_as_the_game_masters_is_theirs_alone(line: str) -> None:
    """G9: whatever the mark, and also within what somebody says."""
    found = read_transcript(f"GM: Hello.\nPia: Hello there.\n\n{line}\n\n# Later\n\nPia: I leave.\nGM: Bye.")

    assert "empty" not in shown(found)
    assert "empty" in hidden(found)
    assert "I leave." in shown(found)


def test_times_go_on_over_midnight_and_take_the_day_that_was_given() -> None:
    """G12: a clock without a date is of the day of the line before it."""
    found = read_transcript("[23:50] Pia: Late.\n[00:10] Jon: Later.", day=date(2026, 11, 17))

    assert [each.at for each in found.lines] == [
        datetime(2026, 11, 17, 23, 50, tzinfo=UTC),
        datetime(2026, 11, 18, 0, 10, tzinfo=UTC),
    ]
    assert read_transcript("[23:50] Pia: Late.\n[00:10] Jon: Later.").lines[0].at is None


def test_day_and_month_are_told_by_the_rest_of_the_file() -> None:
    found = read_transcript("[4/5/2026 10:00] Pia: One.\n[13/5/2026 10:00] Jon: Two.")

    assert found.lines[0].at == datetime(2026, 5, 4, 10, tzinfo=UTC)


def test_a_sillytavern_chat_is_a_log_too() -> None:
    """G12, V9: the reader of chats is asked."""
    rows = [
        {"user_name": "Pia", "character_name": "Keeper"},
        {"name": "Pia", "is_user": True, "mes": "Hello?", "send_date": "June 19, 2023 2:20pm"},
        {"name": "Keeper", "is_user": False, "mes": "Go away."},
        {"name": "System", "is_system": True, "mes": "The keeper is a ghost."},
    ]
    found = read_transcript("\n".join(json.dumps(row) for row in rows))

    assert told(found)[:2] == [("Pia", "Hello?"), ("Keeper", "Go away.")]
    assert [each.gm_only for each in found.lines] == [False, False, True]
    assert found.report.format == "SillyTavern chat (JSONL)"


def test_known_names_speak_also_in_notes() -> None:
    text = "# One\n\nA long evening.\nIt rained.\nIt rained more.\n\nPia: I hate rain.\n\nIt went on.\nAnd on.\nAnd on."

    assert ("Pia", "I hate rain.") in told(read_transcript(text, known=["Pia"]))
    assert read_transcript(text).speakers == ()


@pytest.mark.parametrize("text", ["", "  \n\n\t\n"])
def test_nothing_is_refused(text: str) -> None:
    with pytest.raises(BadAsk, match="nothing in the log"):
        read_transcript(text)


def test_a_log_of_another_encoding_is_read_and_said_so() -> None:
    found = read_transcript("Pia: Grüße.\nJon: Ja.".encode("cp1252"))

    assert found.lines[0].text == "Grüße."
    assert "Windows-1252" in found.report.changed[0]


_PARTS = st.sampled_from(
    [
        "Pia: ", "GM: ", "**Jon:** ", "<Vesna> ", "[GM] ", "(GM only) ", "%%", "<!--", "-->", "> [!secret] ", "> ",
        "# ", "## Secrets", "---", "\n", "\n\n", "[20:31] ", "Pia — 11/17/2026 8:31 PM\n", "* Pia ", "one two",
        "it's trapped", "[GM: ", "]", ")", "http://x.test/a:b", "4/5/2026", "  ", "\t", "…", "Ω", "- ", "(to GM): ",
        ":", "\r\n",
    ]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@example("Ω%%%%Pia: ")
@given(st.lists(_PARTS | st.text(max_size=12), min_size=1, max_size=30).map("".join))
def test_no_word_of_a_log_is_lost(text: str) -> None:
    """G12: every word of the file is in a line or in its mark, in order, whatever the file is."""
    try:
        found = read_transcript(text)
    except BadAsk:
        assert not text.replace("\x00", "x").strip()
        return

    assert all_words(found) == words(text.replace("\x00", " "))


HOSTILE = [
    "Pia: " + "hello there " * 9 + "\n\n",
    "[GM: (",
    "%% a ",
    "<!--",
    "**a",
    "> [!secret]\n",
    "# x",
    "Pia — 1",
    "[20:31] ",
    "\n",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_logs_are_read_in_linear_time_or_refused(unit: str) -> None:
    """S-8."""

    def read(text: str) -> None:
        with suppress(BadAsk):
            read_transcript("Hello. " + text)

    assert not outgrows_its_text(read, unit, 400_000)


def test_a_log_that_is_too_large_is_refused() -> None:
    with pytest.raises(BadAsk, match="Split it into sessions"):
        read_transcript(b"a" * (MOST_BYTES + 1))
