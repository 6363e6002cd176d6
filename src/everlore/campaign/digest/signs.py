"""Patterns that classify a sentence of play; they are in `signs.txt`."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files


@lru_cache(maxsize=64)
def sign(name: str, *, after: str = r"\b") -> re.Pattern[str]:
    """Matches any pattern under a heading, from the beginning of a word up to `after`."""
    return re.compile(rf"\b(?:{'|'.join(_signs()[name])}){after}", re.IGNORECASE)


@cache
def _signs() -> dict[str, tuple[str, ...]]:
    """Read on first use, so that importing the module reads no file."""
    found: dict[str, list[str]] = {}
    for line in _lines():
        if line.startswith("[") and line.endswith("]"):
            found[line[1:-1]] = []
        else:
            found[list(found)[-1]].append(line)
    return {name: tuple(patterns) for name, patterns in found.items()}


def _lines() -> Iterator[str]:
    text = files("everlore.campaign.digest").joinpath("signs.txt").read_text(encoding="utf-8")
    return (line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))
