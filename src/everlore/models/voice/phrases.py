"""The words of the built-in voice, read from `phrases.toml` when they are first needed."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from everlore.domain.claim import Slot
from everlore.domain.words import stems_of


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of questions. `asks` finds it in a question; `says` in an answer, `says_of_self` in an answer about the
    user. `back` is asked in return if there is no answer. `is_many`: several answers may be true together."""

    slots: frozenset[Slot]
    asks: re.Pattern[str]
    says: re.Pattern[str]
    says_of_self: re.Pattern[str]
    back: str
    is_many: bool


@cache
def topics() -> tuple[Topic, ...]:
    return tuple(_topic(**each) for each in _data()["topics"])


def _topic(slots: Sequence[str], asks: str, says: str, back: str, *, many: bool = False) -> Topic:
    of_self = rf"(?:^|(?:i|we|you) (?:\w+ ){{0,3}}|(?:my|your) )(?:{says})"
    return Topic(frozenset(map(Slot, slots)), _whole_words(asks), _whole_words(says), _whole_words(of_self), back, many)


@cache
def pattern(name: str) -> re.Pattern[str]:
    return _whole_words("|".join(_data()["patterns"][name]))


def replies(name: str) -> tuple[str, ...]:
    return tuple(_data()["replies"][name])


def table(name: str) -> dict[str, str]:
    found: dict[str, str] = _data()["words"][name]
    return found


@cache
def words(name: str) -> frozenset[str]:
    return frozenset(_data()["words"][name].split())


@cache
def stems(name: str) -> frozenset[str]:
    return frozenset(stems_of(_data()["words"][name]))


@cache
def synonyms() -> dict[str, frozenset[str]]:
    """Synonyms of words in questions, by stem."""
    return {stems_of(word)[0]: frozenset(stems_of(f"{word} {others}")) for word, others in table("means").items()}


def _whole_words(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)")


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "phrases.toml").read_text(encoding="utf-8"))
