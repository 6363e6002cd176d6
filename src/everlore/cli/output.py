"""What the terminal shows: short lines for people, or one JSON document for programs.

Texts from outside are data: control characters in them never reach the terminal, where they could move the cursor,
change the title or hide text.
"""

import json
import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, TextIO

import typer

from everlore.errors import Misconfigured

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class Unwritable(Misconfigured):
    """Standard output is closed: nothing more can be printed."""


def emit(as_json: bool, document: Any, lines: Iterable[str]) -> None:
    """The result of a command, on standard output."""
    if as_json:
        _write(sys.stdout, to_json(document) + "\n")
    else:
        for line in lines:
            _write(sys.stdout, line + "\n")


def write(piece: str) -> None:
    """A piece of a streamed result, on standard output."""
    _write(sys.stdout, piece)


def write_bytes(data: bytes) -> None:
    """A file as the result, on standard output."""
    with _writing():
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def note(line: str) -> None:
    """A remark on standard error."""
    _write(sys.stderr, line + "\n")


def report(as_json: bool, type: str, message: str) -> None:
    """An error, on standard error: one sentence, or one JSON object."""
    if as_json:
        note(to_json({"error": {"type": type, "message": message}}))
    else:
        note(f"everlore: {shown(message)}")


def more_lines(cursor: str | None) -> Iterator[str]:
    """How to get the next page, if there is one."""
    if cursor is not None:
        yield f"(more: --cursor {cursor})"


def when(at: datetime) -> str:
    """A time in the zone of this machine."""
    return f"{at.astimezone():%Y-%m-%d %H:%M}"


def to_json(document: Any) -> str:
    """On one line, so that programs that read by line get the whole document with the first."""
    return json.dumps(plain(document), ensure_ascii=False)


def plain(value: Any) -> Any:
    """The value in JSON types."""
    match value:
        case Enum():
            return value.value
        case datetime():
            return value.isoformat()
        case Path():
            return str(value)
        case Mapping():
            return {str(plain(key)): plain(each) for key, each in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(each) for each in value]
        case _ if is_dataclass(value):
            return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return value


def shown(text: str) -> str:
    """The text on one line, without characters that control a terminal."""
    return "".join(_shown(character) for character in text)


def shown_text(text: str) -> str:
    """The text with its line breaks, but without other characters that control a terminal; works on pieces too."""
    return "".join(character if character in "\n\t" else _shown(character) for character in text.replace("\r", ""))


def _shown(character: str) -> str:
    if character in "\n\t":
        return " "
    # Cc: control, Cs: half of a surrogate pair; bidirectional overrides can disguise a text as another.
    if unicodedata.category(character) in {"Cc", "Cs"} or character in "\u202a\u202b\u202c\u202d\u202e":
        return _REPLACEMENT
    return character


def _write(stream: TextIO | None, text: str) -> None:
    # A process may be started without one of its streams.
    if stream is not None:
        with _writing():
            stream.write(text)
            stream.flush()


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        # The reader has closed the pipe, as `head` does.
        stop_writing()
        raise typer.Exit from None
    except OSError as error:
        stop_writing()
        raise Unwritable(f"The output cannot be written ({error.strerror}). The command itself was done.") from error


def stop_writing() -> None:
    """Discards the buffer; without this, Python prints another error at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def speak_utf8() -> None:
    """JSON is UTF-8, and so are our symbols, whatever the locale says."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
