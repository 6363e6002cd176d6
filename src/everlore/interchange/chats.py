"""SillyTavern chats: a file of lines, each one JSON object, the first about the chat (V9, S-5).

In: the bytes of a file. Out: a `Chat` of neutral lines, and from it messages. Fields that Everlore does not have are
kept in `Message.metadata["sillytavern"]` and in the chat's `header`, and exported unchanged. An unreadable line is
reported and skipped; the others are imported.

Start at `read_chat`, `messages_of` and `write_chat`.
"""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, BinaryIO, get_args

from everlore.domain.bounds import Json, Log
from everlore.domain.conversation import Author, Message
from everlore.domain.weight import weigh
from everlore.errors import BadAsk
from everlore.interchange import jsontext
from everlore.interchange.report import Notes, Report, counted, shown
from everlore.interchange.times import read_time

MOST_FILE_BYTES = 100_000_000
MOST_LINE_BYTES = 5_000_000
MOST_MESSAGES = 200_000
# The key in the `metadata` of messages and conversations for what only SillyTavern knows.
KEPT = "sillytavern"
_MOST_LINES = 1_000_000
_MOST_CHARS: int = get_args(Log)[1].most
_MOST_SWIPES = 10_000
_HEADER_KEYS = ("user_name", "character_name", "chat_metadata")
# Newer versions write this into a header instead of a name.
_NOBODY = "unused"
_TYPES = {"narrator": Author.NARRATOR, "system": Author.SYSTEM, "tool": Author.TOOL}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatLine:
    """`kept` is the original line, without the texts in `content` and `alternatives`."""

    author: Author
    name: str
    content: str
    alternatives: tuple[str, ...] = ()
    chosen: int = 0
    hidden: bool = False
    at: datetime | None = None
    kept: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    user_name: str
    character_name: str
    header: Json
    lines: tuple[ChatLine, ...]
    report: Report


def read_chat(data: bytes | BinaryIO) -> Chat:
    notes = Notes()
    header: Json = {}
    lines: list[ChatLine] = []
    zoneless = False
    for number, raw in _raw_lines(data):
        found = _object(raw, number, notes)
        if found is None:
            continue
        if not lines and not header and "mes" not in found and any(key in found for key in _HEADER_KEYS):
            header = found
            continue
        line = _line(found, number, notes)
        if line is None:
            continue
        if len(lines) == MOST_MESSAGES:
            raise BadAsk(f"The chat has more than {MOST_MESSAGES:,} messages. Split the file.")
        zoneless |= line.at is not None and line.at.tzinfo is None
        lines.append(line)
    if not header and not lines:
        told = " ".join(notes.dropped.told()[:1])
        raise BadAsk(f"This is no SillyTavern chat: none of its lines is a message. {told} Choose another file.")
    if zoneless:
        notes.changed.add("Times without a time zone are read as UTC.")
    notes.kept.add(f"{counted(len(lines), 'message')}.")
    return _chat(header, lines, notes)


def messages_of(
    chat: Chat,
    *,
    workspace: str,
    conversation_id: str,
    user_id: str | None,
    person_ids: Mapping[str, str],
    new_id: Callable[[], str],
    at: datetime,
) -> Iterator[Message]:
    """The messages of the chat, in order, made lazily. `person_ids` maps the names of the speakers to characters.

    A line without a time gets that of the line before it; the first ones get `at`.
    """
    speaking = dict.fromkeys([user_id, *(_person_id(line, person_ids) for line in chat.lines)])
    present = tuple(each for each in speaking if each)
    for line in chat.lines:
        at = line.at or at
        yield Message(
            workspace=workspace,
            id=new_id(),
            conversation_id=conversation_id,
            author=line.author,
            person_id=user_id if line.author is Author.USER else _person_id(line, person_ids),
            content=line.content,
            present=present,
            alternatives=line.alternatives,
            chosen=line.chosen,
            hidden=line.hidden,
            weight=weigh(line.content),
            metadata={KEPT: line.kept},
            created_at=at,
            updated_at=at,
        )


def write_chat(
    *,
    user_name: str,
    character_name: str,
    header: Json,
    messages: Sequence[Message],
    names: Mapping[str, str],
) -> bytes:
    """A file for SillyTavern. `header` is the one from `read_chat`, or empty; `names` are by person id."""
    top = {"user_name": user_name, "character_name": character_name, "chat_metadata": {}}
    if messages and not header:
        top["create_date"] = _written(messages[0].created_at)
    written = [jsontext.dump({**header, **{key: value for key, value in top.items() if key not in header}})]
    defaults = {Author.USER: user_name, Author.ASSISTANT: character_name}
    for message in messages:
        name = names.get(message.person_id or "") or defaults.get(message.author, "System")
        written.append(jsontext.dump(_line_of(message, name)))
    return b"\n".join(written) + b"\n"


def _person_id(line: ChatLine, person_ids: Mapping[str, str]) -> str | None:
    return person_ids.get(line.name) if line.author is Author.ASSISTANT else None


def _raw_lines(data: bytes | BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The non-empty lines, numbered from 1. A file is read line by line, never as a whole."""
    size = 0
    for number, line in enumerate(io.BytesIO(data) if isinstance(data, bytes) else data, 1):
        size += len(line)
        if size > MOST_FILE_BYTES:
            raise BadAsk(f"The chat is too large; the most is {MOST_FILE_BYTES:,} bytes. Split the file.")
        if number > _MOST_LINES:
            raise BadAsk(f"The chat has more than {_MOST_LINES:,} lines. Split the file.")
        raw = line.removeprefix(b"\xef\xbb\xbf").strip()
        if raw:
            yield number, raw


def _object(raw: bytes, number: int, notes: Notes) -> Json | None:
    what = f"line {number:,}"
    try:
        if len(raw) > MOST_LINE_BYTES:
            raise BadAsk(f"Line {number:,} has {len(raw):,} bytes; the most is {MOST_LINE_BYTES:,}.")
        found = jsontext.parse(raw, notes, what=what)
        if not isinstance(found, dict):
            raise BadAsk(f"Line {number:,} is a {type(found).__name__}, not an object.")
        # The exported line can be twice as long, but no longer.
        if len(raw) > MOST_LINE_BYTES // 2:
            jsontext.check_keepable(found, what=what)
    except BadAsk as error:
        notes.dropped.add(str(error))
        return None
    return found


def _line(found: Json, number: int, notes: Notes) -> ChatLine | None:
    content = found.get("mes")
    if not isinstance(content, str) or len(content) > _MOST_CHARS:
        fault = "no text in `mes`" if not isinstance(content, str) else f"more than {_MOST_CHARS:,} characters"
        notes.dropped.add(f"Line {number:,} has {fault}.")
        return None
    swipes = _alternatives(found, number, notes)
    alternatives, chosen = _with_content(swipes, _chosen(found, content, swipes), content)
    if (alternatives, chosen) != (swipes, _chosen(found, content, swipes)):
        notes.changed.add(f"The text of line {number:,} is not the swipe that it names; it is the chosen one now.")
    name = found.get("name")
    return ChatLine(
        author=_author(found),
        name=name if isinstance(name, str) else "",
        content=content,
        alternatives=alternatives,
        chosen=chosen,
        hidden=_is_true(found.get("is_system")),
        at=_time(found, number, notes),
        kept=_without_texts(found, alternatives),
    )


def _alternatives(found: Json, number: int, notes: Notes) -> tuple[str, ...]:
    swipes = found.get("swipes")
    if swipes is None:
        return ()
    if not isinstance(swipes, list) or len(swipes) > _MOST_SWIPES or not all(_is_log(each) for each in swipes):
        notes.warnings.add(f"The swipes of line {number:,} are not a list of texts; they are kept and not shown.")
        return ()
    return tuple(swipes)


def _is_log(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MOST_CHARS


def _chosen(found: Json, content: str, alternatives: tuple[str, ...]) -> int:
    chosen = found.get("swipe_id")
    if type(chosen) is int and 0 <= chosen < len(alternatives):
        return chosen
    return alternatives.index(content) if content in alternatives else 0


def _with_content(swipes: tuple[str, ...], chosen: int, content: str) -> tuple[tuple[str, ...], int]:
    """The swipes including the content, and its index: the shown text is always one of the choices."""
    if not swipes or swipes[chosen] == content:
        return swipes, chosen
    alternatives = swipes if content in swipes else (*swipes, content)
    return alternatives, alternatives.index(content)


def _author(found: Json) -> Author:
    if _is_true(found.get("is_user")):
        return Author.USER
    extra = found.get("extra")
    kind = extra.get("type") if isinstance(extra, dict) else None
    if isinstance(kind, str) and kind in _TYPES:
        return _TYPES[kind]
    # Its own notes and help pages have other types, and are never part of the story.
    return Author.SYSTEM if _is_true(found.get("is_system")) and kind else Author.ASSISTANT


def _is_true(value: object) -> bool:
    return value in (True, "true")


def _time(found: Json, number: int, notes: Notes) -> datetime | None:
    written = found.get("send_date")
    moment = read_time(written)
    if moment is None and written not in (None, ""):
        notes.warnings.add(f"The date of line {number:,}, {shown(written)}, could not be read; it is kept.")
    return moment


def _without_texts(found: Json, alternatives: tuple[str, ...]) -> Json:
    """The keys of the texts stay, to keep the order of the keys."""
    kept: Json = {**found, "mes": None}
    if alternatives:
        kept["swipes"] = None
    return kept


def _chat(header: Json, lines: list[ChatLine], notes: Notes) -> Chat:
    user = _named(header, "user_name") or _first_name(lines, Author.USER)
    character = _named(header, "character_name") or _first_name(lines, Author.ASSISTANT)
    return Chat(
        user_name=user,
        character_name=character,
        header=header,
        lines=tuple(_settled(line, user, character) for line in lines),
        report=notes.report("SillyTavern chat (JSONL)"),
    )


def _named(header: Json, key: str) -> str:
    name = header.get(key)
    return name if isinstance(name, str) and name != _NOBODY else ""


def _first_name(lines: list[ChatLine], author: Author) -> str:
    return next((line.name for line in lines if line.author is author and line.name), "")


def _settled(line: ChatLine, user: str, character: str) -> ChatLine:
    """Fills in a missing name, and converts the time to UTC."""
    at = line.at
    if at is not None:
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    name = line.name or {Author.USER: user, Author.ASSISTANT: character}.get(line.author, "")
    return replace(line, name=name, at=at)


def _line_of(message: Message, name: str) -> Json:
    kept = message.metadata.get(KEPT)
    if not isinstance(kept, dict):
        kept = _new_line(message, name)
    line: dict[str, Any] = {**kept, "mes": message.content}
    if message.alternatives:
        line["swipes"] = list(message.alternatives)
        if _chosen(line, message.content, message.alternatives) != message.chosen:
            line["swipe_id"] = message.chosen
    if _is_true(line.get("is_system")) is not message.hidden:
        line["is_system"] = message.hidden
    if _author(line) is not message.author:
        _set_author(line, message.author)
    return line


def _new_line(message: Message, name: str) -> Json:
    line: Json = {
        "name": name,
        "is_user": message.author is Author.USER,
        "is_system": message.hidden,
        "send_date": _written(message.created_at),
        "mes": None,
        "extra": {},
    }
    return {**line, "swipe_id": message.chosen} if message.alternatives else line


def _set_author(line: dict[str, Any], author: Author) -> None:
    line["is_user"] = author is Author.USER
    kind = next((kind for kind, known in _TYPES.items() if known is author), None)
    extra = line.get("extra")
    others = {key: value for key, value in extra.items() if key != "type"} if isinstance(extra, dict) else {}
    line["extra"] = {**others, "type": kind} if kind else others


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
