"""SillyTavern chats in and out, with nothing lost on the way (V9)."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.conversation import Author, Message
from everlore.errors import BadAsk
from everlore.interchange.chats import Chat, messages_of, read_chat, write_chat
from everlore.store.checks import check_record
from tests.interchange.builders import AT, OBJECTS, TEXTS, VALUES, case, same

HEADER = {
    "user_name": "Bob",
    "character_name": "Mira",
    "create_date": "2024-05-03 @16h 08m 31s 123ms",
    "chat_metadata": {"note_depth": 4},
}
FIRST = {
    "name": "Mira",
    "is_user": False,
    "is_system": False,
    "send_date": "May 3, 2024 4:08pm",
    "mes": "Hello.",
    "extra": {"token_count": 3, "reasoning": ""},
    "swipes": ["Hi.", "Hello.", "Ho."],
    "swipe_id": 1,
    "swipe_info": [{"send_date": "x"}, {}, {}],
    "force_avatar": None,
}
SECOND = {"name": "Bob", "is_user": True, "is_system": False, "send_date": 1_714_752_600_000, "mes": "Hey you."}
WHOLE = [HEADER, FIRST, SECOND]


def jsonl(*lines: object) -> bytes:
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


def rows(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.splitlines()]


def ids() -> Iterator[str]:
    return (f"m{at}" for at in count(1))


def messages(chat: Chat, **persons: str) -> list[Message]:
    made = ids()
    return list(
        messages_of(
            chat,
            workspace="home",
            conversation_id="c1",
            user_id="bob",
            person_ids=persons or {"Mira": "mira"},
            new_id=lambda: next(made),
            at=AT,
        )
    )


def written(chat: Chat, said: list[Message]) -> bytes:
    return write_chat(
        user_name=chat.user_name,
        character_name=chat.character_name,
        header=chat.header,
        messages=said,
        names={"mira": "Mira", "bob": "Bob"},
    )


def test_a_chat_becomes_messages() -> None:
    """V9."""
    chat = read_chat(jsonl(*WHOLE))

    first, second = messages(chat)
    assert (chat.user_name, chat.character_name, chat.header) == ("Bob", "Mira", HEADER)
    assert (first.author, first.person_id, first.content) == (Author.ASSISTANT, "mira", "Hello.")
    assert (first.alternatives, first.chosen) == (("Hi.", "Hello.", "Ho."), 1)
    assert first.created_at == datetime(2024, 5, 3, 16, 8, tzinfo=UTC)
    assert first.present == second.present == ("bob", "mira")
    assert (second.author, second.person_id, second.content) == (Author.USER, "bob", "Hey you.")
    assert second.created_at == datetime(2024, 5, 3, 16, 10, tzinfo=UTC)
    assert chat.report.kept == ("2 messages.",)
    assert chat.report.changed == ("Times without a time zone are read as UTC.",)
    for message in (first, second):
        check_record(message)


def test_a_chat_leaves_as_it_came() -> None:
    """V9."""
    chat = read_chat(jsonl(*WHOLE))

    assert same(rows(written(chat, messages(chat))), WHOLE)


def test_texts_are_kept_once() -> None:
    first, _ = messages(read_chat(jsonl(*WHOLE)))

    assert "Hello." not in json.dumps(first.metadata)


def test_what_changed_here_is_written() -> None:
    """V9."""
    chat = read_chat(jsonl(*WHOLE))
    first, second = messages(chat)
    edited = replace(
        first, content="Welcome!", alternatives=("Hi.", "Hello.", "Ho.", "Welcome!"), chosen=3, hidden=True
    )

    out = rows(written(chat, [edited, replace(second, author=Author.NARRATOR)]))

    assert same(
        out[1],
        {**FIRST, "mes": "Welcome!", "swipes": ["Hi.", "Hello.", "Ho.", "Welcome!"], "swipe_id": 3, "is_system": True},
    )
    assert same(out[2], {**SECOND, "is_user": False, "extra": {"type": "narrator"}})


def test_messages_made_here_are_written_and_come_back() -> None:
    """V9."""
    said = [
        Message(
            workspace="home",
            id=f"m{at}",
            conversation_id="c1",
            author=author,
            person_id=person,
            content=f"text {at}",
            alternatives=("text 0", "other") if at == 0 else (),
            hidden=author is Author.SYSTEM,
            created_at=AT + timedelta(seconds=at),
            updated_at=AT,
        )
        for at, (author, person) in enumerate(
            [
                (Author.ASSISTANT, "mira"),
                (Author.USER, "bob"),
                (Author.NARRATOR, None),
                (Author.SYSTEM, None),
                (Author.TOOL, None),
                (Author.ASSISTANT, None),
            ]
        )
    ]

    data = write_chat(user_name="Bob", character_name="Mira", header={}, messages=said, names={"mira": "Mira T."})

    chat = read_chat(data)
    assert chat.header["create_date"] == "2025-03-01T12:00:00.000Z"
    assert [line.name for line in chat.lines] == ["Mira T.", "Bob", "System", "System", "System", "Mira"]
    again = messages(chat, **{"Mira T.": "mira"})
    for one, other in zip(said, again, strict=True):
        assert (one.author, one.person_id, one.content, one.created_at, one.hidden) == (
            other.author,
            other.person_id,
            other.content,
            other.created_at,
            other.hidden,
        )
        assert (one.alternatives, one.chosen) == (other.alternatives, other.chosen)
    assert same(rows(written(chat, again)), rows(data))


@pytest.mark.parametrize(
    ("line", "author", "hidden"),
    [
        ({"is_user": True}, Author.USER, False),
        ({"is_user": True, "is_system": True}, Author.USER, True),
        ({}, Author.ASSISTANT, False),
        ({"is_system": True}, Author.ASSISTANT, True),
        ({"is_system": True, "extra": {"type": "comment"}}, Author.SYSTEM, True),
        ({"extra": {"type": "narrator"}}, Author.NARRATOR, False),
        ({"is_system": True, "extra": {"type": "narrator"}}, Author.NARRATOR, True),
        ({"extra": {"type": "assistant_note"}}, Author.ASSISTANT, False),
        ({"extra": {"type": ["narrator"]}}, Author.ASSISTANT, False),
        ({"extra": [], "is_user": "false", "is_system": None}, Author.ASSISTANT, False),
    ],
)
def test_the_author_and_who_sees_it(line: dict[str, object], author: Author, hidden: bool) -> None:
    """V9."""
    document = [HEADER, {"name": "Mira", "mes": "x", **line}]
    chat = read_chat(jsonl(*document))

    assert (chat.lines[0].author, chat.lines[0].hidden) == (author, hidden)
    assert same(rows(written(chat, messages(chat))), document)


@pytest.mark.parametrize(
    ("line", "alternatives", "chosen"),
    [
        ({"swipes": ["a", "x"]}, ("a", "x"), 1),
        ({"swipes": ["a", "x"], "swipe_id": 7}, ("a", "x"), 1),
        ({"swipes": ["a", "x"], "swipe_id": "1"}, ("a", "x"), 1),
        ({"swipes": ["x", "x"], "swipe_id": 1}, ("x", "x"), 1),
        ({"swipes": []}, (), 0),
        ({"swipes": None, "swipe_id": 3}, (), 0),
        ({"swipes": ["a", 5]}, (), 0),
        ({"swipes": "a"}, (), 0),
    ],
)
def test_swipes_are_alternatives(line: dict[str, object], alternatives: tuple[str, ...], chosen: int) -> None:
    """V9."""
    document = [HEADER, {"name": "Mira", "mes": "x", **line}]
    chat = read_chat(jsonl(*document))

    assert (chat.lines[0].alternatives, chat.lines[0].chosen) == (alternatives, chosen)
    assert same(rows(written(chat, messages(chat))), document)


@pytest.mark.parametrize(
    ("line", "swipes", "chosen"),
    [
        ({"swipes": ["a", "b"], "swipe_id": 1}, ["a", "b", "x"], 2),
        ({"swipes": ["a", "b"], "swipe_id": 2}, ["a", "b", "x"], 2),
        ({"swipes": ["a", "b"]}, ["a", "b", "x"], 2),
        ({"swipes": ["a", "x"], "swipe_id": 0}, ["a", "x"], 1),
    ],
)
def test_a_text_that_is_not_the_swipe_it_names_is_put_among_them(
    line: dict[str, object], swipes: list[str], chosen: int
) -> None:
    """V9: what is shown can always be chosen, and nothing is lost."""
    chat = read_chat(jsonl(HEADER, {"name": "Mira", "mes": "x", **line}))

    [said] = messages(chat)
    [_, out] = rows(written(chat, [said]))

    assert (said.content, list(said.alternatives), said.chosen) == ("x", swipes, chosen)
    assert (out["mes"], out["swipes"], out.get("swipe_id", chosen)) == ("x", swipes, chosen)
    assert chat.report.changed == ("The text of line 2 is not the swipe that it names; it is the chosen one now.",)
    again = read_chat(jsonl(HEADER, out))
    assert (again.lines[0].alternatives, again.lines[0].chosen) == (said.alternatives, chosen)
    assert again.report.changed == ()


def test_a_group_chat_knows_who_spoke_and_who_was_there() -> None:
    """V9, V13."""
    chat = read_chat(jsonl(HEADER, FIRST, {"name": "Olaf", "mes": "Aye."}, {"name": "Stranger", "mes": "?"}, SECOND))

    said = messages(chat, Mira="mira", Olaf="olaf", Absent="absent")

    assert [message.person_id for message in said] == ["mira", "olaf", None, "bob"]
    assert {message.present for message in said} == {("bob", "mira", "olaf")}


def test_a_message_without_a_date_has_that_of_the_one_before() -> None:
    chat = read_chat(jsonl(HEADER, {"mes": "a"}, SECOND, {"mes": "b", "send_date": "whenever"}))

    said = messages(chat)

    assert [message.created_at for message in said] == [AT, said[1].created_at, said[1].created_at]
    assert chat.report.warnings == ("The date of line 4, 'whenever', could not be read; it is kept.",)
    assert said[0].person_id == "mira"


def test_newer_headers_that_name_nobody_are_filled_from_the_lines() -> None:
    header = {"user_name": "unused", "character_name": "unused", "chat_metadata": {}}
    chat = read_chat(jsonl(header, FIRST, SECOND))

    assert (chat.user_name, chat.character_name) == ("Bob", "Mira")
    assert same(rows(written(chat, messages(chat))), [header, FIRST, SECOND])


def test_a_chat_without_a_header_is_read_and_given_one() -> None:
    chat = read_chat(jsonl(FIRST, SECOND))

    assert (chat.user_name, chat.character_name, chat.header) == ("Bob", "Mira", {})
    assert same(rows(written(chat, messages(chat)))[1:], [FIRST, SECOND])


def test_a_header_alone_is_an_empty_chat() -> None:
    assert read_chat(b"\xef\xbb\xbf" + jsonl(HEADER)).lines == ()


def test_bad_lines_are_named_and_passed_over() -> None:
    """V9."""
    data = b"\r\n".join(
        [
            json.dumps(HEADER).encode(),
            b"",
            b"not json",
            b"[1]",
            b'{"name": "Mira"}',
            b'{"mes": 5}',
            b'{"mes": NaN}',
            b'{"mes": "\xff"}',
            b'{"mes": "' + b"x" * 2_000_001 + b'"}',
            b'{"mes": "' + b"x" * 5_000_001 + b'"}',
            b'{"mes": "x", "y": ' + b"[" * 500 + b"]" * 500 + b"}",
            b'{"mes": "x", "y": [' + b"1," * 1_800_000 + b"1]}",
            json.dumps(SECOND).encode(),
        ]
    )

    chat = read_chat(data)

    assert [line.content for line in chat.lines] == ["Hey you."]
    assert [line.split(" ")[1].rstrip(",") for line in chat.report.dropped] == [str(at) for at in range(3, 13)]
    assert "nests more than 100" in chat.report.dropped[8]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "none of its lines is a message"),
        (b"hello\n", "Line 1 is not JSON"),
        (b'{"name": "Mira", "description": "a card"}', "Line 1 has no text in `mes`"),
        (b"\x89PNG\r\n\x1a\n", "none of its lines is a message"),
        (b" " * 100_000_001, "the most is 100,000,000"),
        (b"\n" * 1_000_001, "more than 1,000,000 lines"),
        (b'{"mes":""}\n' * 200_001, "more than 200,000 messages"),
    ],
    ids=case,
)
def test_what_is_no_chat_is_refused_with_the_reason(data: bytes, told: str) -> None:
    """S-5."""
    with pytest.raises(BadAsk, match=told):
        read_chat(data)


LINES = st.builds(
    lambda unknown, known: {**unknown, **known},
    OBJECTS,
    st.fixed_dictionaries(
        {"mes": TEXTS},
        optional={
            "name": TEXTS | VALUES,
            "is_user": st.booleans() | VALUES,
            "is_system": st.booleans() | VALUES,
            "send_date": TEXTS | VALUES | st.integers(0, 2 * 10**12),
            "extra": st.fixed_dictionaries({}, optional={"type": st.sampled_from(["narrator", "comment"]) | VALUES}),
            "swipes": st.lists(TEXTS, max_size=3) | VALUES,
            "swipe_id": st.integers(-1, 3) | VALUES,
        },
    ),
)


@given(OBJECTS, st.lists(LINES, max_size=4))
def test_every_chat_comes_back_equal_in_every_value(header: dict[str, Any], lines: list[dict[str, Any]]) -> None:
    """V9: import → export → import."""
    document = [{**{key: value for key, value in header.items() if key != "mes"}, **HEADER}, *lines]
    chat = read_chat(jsonl(*document))

    said = messages(chat)

    for message in said:
        check_record(message)
        assert not message.alternatives or message.alternatives[message.chosen] == message.content
    data = written(chat, said)
    if not any("swipe" in told for told in chat.report.changed):
        assert same(rows(data), document)
        assert read_chat(data) == chat
    again = read_chat(data)
    assert same(rows(written(again, messages(again))), rows(data))
