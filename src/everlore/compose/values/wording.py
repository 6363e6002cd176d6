"""Formats values: shortened texts, lists, headings."""

import re
from collections.abc import Iterable

from everlore.compose.values.people import one_line

# Neither a title nor an initial ends a sentence.
_SENTENCE_END = re.compile(r"[。！？]|(?<!\bDr|\bMr|\bMs|\bSt)(?<!\bMrs)(?<!\b[A-Z])[.!?…]+[\"'”’)\]]*(?=\s|$)")


def clip(text: str, most: int) -> str:
    """On one line of at most `most` characters, cut between words."""
    line = one_line(text)
    if len(line) <= most:
        return line
    words, space, _ = line[:most].rpartition(" ")
    return f"{words if space else line[: most - 1]}…"


def opening(text: str, *, sentences: int, most: int) -> str:
    """As many of the first sentences as fit, on one line of at most `most` characters."""
    line = one_line(text)
    # One character more than allowed, to see whether a full stop at the end ends a sentence.
    ends = [end.end() for end in _SENTENCE_END.finditer(line[: most + 1]) if end.end() <= most]
    return line[: ends[:sentences][-1]] if ends else clip(line, most)


def bullets(statements: Iterable[str]) -> str:
    """One line each: a statement cannot imitate two."""
    return "\n".join(f"- {line}" for line in map(one_line, statements) if line)


def under(heading: str, statements: Iterable[str]) -> str:
    """A heading with a list, or nothing at all."""
    listed = bullets(statements)
    return f"{heading}:\n{listed}" if listed else ""


def labelled(label: str, text: str) -> str:
    return f"{label}: {text}" if text else ""


def joined(parts: Iterable[str], between: str = "\n") -> str:
    return between.join(part for part in parts if part)
