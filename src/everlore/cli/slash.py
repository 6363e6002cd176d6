"""Parses a typed line: a message, or a command with its arguments.

Pure: start at `read_line`.
"""

from dataclasses import dataclass

from everlore.errors import BadAsk

_MOST_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Words:
    """A message to send."""

    text: str


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    given: str


def read_line(text: str) -> Words | Command:
    """A slash begins a command, two slashes a message that begins with one."""
    if text.startswith("//"):
        return Words(text[1:])
    if not text.startswith("/"):
        return Words(text)
    name, *given = text[1:].split(maxsplit=1) or [""]
    return Command(name.lower(), given[0].strip() if given else "")


def goes_on(line: str) -> bool:
    """Whether the line ends with the mark that continues it on the next one."""
    return line.endswith("\\")


def read_number(given: str, *, usual: int | None = None, example: str) -> int:
    """A whole number from 1; `usual` if nothing was given."""
    if not given and usual is not None:
        return usual
    if not (given.isascii() and given.isdigit() and len(given) <= _MOST_DIGITS and int(given)):
        raise BadAsk(f"{given!r} is not a number from 1 to 9999. Write it like {example}.")
    return int(given)


def refuse_empty(given: str, example: str) -> str:
    if not given:
        raise BadAsk(f"Something is missing. Write it like {example}.")
    return given
