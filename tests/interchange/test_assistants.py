"""Exports of ChatGPT and Claude are read as chats (U18, S-5)."""

import json

import pytest

from everlore.domain.conversation import Author
from everlore.errors import BadAsk
from everlore.interchange.assistants import is_export_zip, read_export
from tests.interchange.exports import chatgpt, claude, zipped


def test_a_chatgpt_export_keeps_the_path_that_was_seen_and_regenerated_replies() -> None:
    """U18: what is left out is counted."""
    export = read_export(json.dumps([chatgpt()]).encode())
    (chat,) = export.chats
    lines = chat.chat.lines

    assert (export.source, chat.title) == ("ChatGPT", "Ferry times")
    assert [(line.author, line.content) for line in lines] == [
        (Author.USER, "When does the ferry leave?"),
        (Author.ASSISTANT, "At dawn."),
        (Author.USER, "See this.\n[picture or file]"),
        (Author.ASSISTANT, "A harbor."),
    ]
    assert (lines[1].alternatives, lines[1].chosen) == (("At noon.", "At dawn."), 1)
    assert lines[0].at is not None
    assert export.report.dropped == (
        "1 note that the model made for itself.",
        "1 picture or file.",
        "1 message of another branch.",
    )


def test_a_claude_export_keeps_texts_that_were_attached() -> None:
    """U18."""
    (chat,) = read_export(zipped([claude()], users="[]", projects="[]")).chats

    assert [line.content for line in chat.chat.lines] == [
        "How long does it rise?\n\n[Attached: list.txt]\nflour, salt",
        "Two hours.",
    ]


def test_the_zip_is_known_by_what_is_in_it() -> None:
    """U18."""
    assert is_export_zip(zipped([chatgpt()]))
    assert not is_export_zip(b"{}")
    with pytest.raises(BadAsk, match="broken zip"):
        is_export_zip(b"PK\x03\x04 conversations.json, but no zip")


@pytest.mark.parametrize(
    "wrong",
    [
        b"[]",
        b"{}",
        b"[1, 2]",
        b'[{"title": "x"}]',
        zipped([]),
    ],
)
def test_what_is_no_export_is_refused(wrong: bytes) -> None:
    """U18."""
    with pytest.raises(BadAsk, match="no export of ChatGPT or Claude"):
        read_export(wrong)


def test_a_tree_that_bites_its_tail_is_read_once() -> None:
    """S-5."""
    document = chatgpt()
    document["mapping"]["root"]["parent"] = "a3"

    (chat,) = read_export(json.dumps([document]).encode()).chats

    assert len(chat.chat.lines) == 4
