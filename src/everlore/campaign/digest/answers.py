"""Reads a model's answer about a part of a session, and keeps what the log supports (G3, F4).

In: the answer, and the lines that the model read, numbered from 1. Out: items with the messages they rest on, closed
threads, and where the chapter ends. Names and numbers that nobody said are dropped, and so is a fact that does not name
its subject. Start at `SCHEMA`, `read_answer` and `supported`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from everlore.campaign.boundaries import Boundary, Sign
from everlore.campaign.digest.digest import MOST, DigestItem
from everlore.domain.bounds import Json
from everlore.domain.memory import MemoryType
from everlore.domain.words import query_terms
from everlore.learning.answers import line_in
from everlore.learning.asking import BOOLEAN, INTEGER, TEXT, list_of, object_of
from everlore.learning.segments.sources import supporting
from everlore.learning.segments.transcript import TranscriptLine
from everlore.learning.segments.vetting import SaidWords, refusal_of

_MOST_CHARS = 600
_MOST_REASON = 200
_MOST_MESSAGES = 8
_WEIGHT = 6
_DEATH = 8
_SURE = 0.8
# A fact that begins like this cannot be understood by itself.
_PRONOUNS = frozenset("he she it they we you i his her its their this that these those there".split())

KINDS: dict[str, MemoryType] = {
    "scenes": MemoryType.SCENE,
    "decisions": MemoryType.DECISION_POINT,
    "discoveries": MemoryType.DISCOVERY,
    "facts": MemoryType.FACT,
    "deaths": MemoryType.FACT,
    "moments": MemoryType.MOMENT,
    "threads": MemoryType.PLOT_THREAD,
}
_MESSAGES: Json = list_of(INTEGER)
_ITEM: Json = object_of(text=TEXT, messages=_MESSAGES, importance=INTEGER)
_OWN: dict[str, Json] = {"facts": object_of(subject=TEXT, text=TEXT, messages=_MESSAGES, importance=INTEGER)}
SCHEMA: Json = object_of(
    **{name: list_of(_OWN.get(name, _ITEM)) for name in KINDS},
    closed_threads=list_of(object_of(n=INTEGER, messages=_MESSAGES)),
    chapter_ends=object_of(ends=BOOLEAN, why=TEXT, messages=_MESSAGES),
)


@dataclass(frozen=True, slots=True)
class AnsweredItem:
    kind: MemoryType
    text: str
    messages: tuple[int, ...]
    weight: int


@dataclass(frozen=True, slots=True)
class SessionAnswer:
    """`closed`: threads by number. `chapter`: whether it ends, the reason, and the messages; None: not answered."""

    items: tuple[AnsweredItem, ...]
    closed: tuple[tuple[int, tuple[int, ...]], ...] = ()
    chapter: tuple[bool, str, tuple[int, ...]] | None = None


def read_answer(value: object) -> SessionAnswer | None:
    """None if it is not of the requested shape. Items may be plain texts, as some models write them."""
    if not isinstance(value, dict) or not KINDS.keys() & value.keys():
        return None
    items = [
        item
        for name, kind in KINDS.items()
        for each in _listed(value, name)[: 4 * MOST[kind]]
        if (item := _item(name, kind, each)) is not None
    ]
    closed = [
        (each["n"], _numbers(each))
        for each in _listed(value, "closed_threads")
        if isinstance(each, dict) and isinstance(each.get("n"), int)
    ]
    return SessionAnswer(tuple(items), tuple(closed), _chapter(value.get("chapter_ends")))


def supported(
    items: Sequence[AnsweredItem],
    lines: Sequence[TranscriptLine],
    said: SaidWords,
    names: Collection[str],
    before: Sequence[str] = (),
) -> list[DigestItem]:
    """The items that the lines support. `names`: of the speakers, who need not be said to be quoted; `before`: what the
    model was told of earlier sessions, which is not to be repeated as if it had happened again."""
    found = []
    for each in items:
        sources = _sources(each, lines, names)
        if sources and refusal_of(each.text, said) is None and not _is_copied(each.text, lines, before):
            found.append(DigestItem(each.kind, each.text, sources, each.weight))
    return found


def boundary_of(answer: SessionAnswer, lines: Sequence[TranscriptLine]) -> Boundary | None:
    if answer.chapter is None or not answer.chapter[0]:
        return None
    _, why, numbers = answer.chapter
    signs = tuple(Sign(why, each.text[:_MOST_REASON], each.message.id, _SURE) for each in _cited(numbers, lines))
    return Boundary(signs, _SURE) if signs else None


def cites(numbers: Sequence[int], lines: Sequence[TranscriptLine]) -> bool:
    return bool(_cited(numbers, lines))


def _item(name: str, kind: MemoryType, value: object) -> AnsweredItem | None:
    given = value if isinstance(value, dict) else {"text": value}
    text = line_in(given.get("text"), _MOST_CHARS)
    subject = line_in(given.get("subject"), _MOST_CHARS)
    if not text or (kind is MemoryType.FACT and not _names_subject(text, subject)):
        return None
    weight = given.get("importance")
    usual = _DEATH if name == "deaths" else _WEIGHT
    return AnsweredItem(kind, text, _numbers(given), weight if isinstance(weight, int) else usual)


def _names_subject(text: str, subject: str | None) -> bool:
    first = text.split(maxsplit=1)[0].strip("\"'“”").casefold()
    return first not in _PRONOUNS and (not subject or bool(set(query_terms(subject)) & set(query_terms(text))))


def _sources(item: AnsweredItem, lines: Sequence[TranscriptLine], names: Collection[str]) -> tuple[str, ...]:
    """The cited messages. If none of them shares a word with the item, the number may be wrong: then also those that
    share the most words with it."""
    words = set(query_terms(item.text)) - {word for name in names for word in query_terms(name)}
    sharing = [each.message for each in lines if words & set(query_terms(each.text, most=2_000))]
    cited = {each.message.id for each in _cited(item.messages, lines)}
    if sharing and not any(each.id in cited for each in sharing):
        cited |= {each.id for each in supporting(item.text, sharing)}
    return tuple(each.message.id for each in lines if each.message.id in cited)[:_MOST_MESSAGES]


def _is_copied(text: str, lines: Sequence[TranscriptLine], before: Sequence[str]) -> bool:
    """All its words stand in one sentence of `before`, but not in the lines."""
    words = set(query_terms(text))
    if not any(words <= set(query_terms(each)) for each in before):
        return False
    return not words <= {word for line in lines for word in query_terms(line.text, most=2_000)}


def _cited(numbers: Sequence[int], lines: Sequence[TranscriptLine]) -> list[TranscriptLine]:
    return [lines[each - 1] for each in sorted(set(numbers)) if 0 < each <= len(lines)]


def _chapter(value: object) -> tuple[bool, str, tuple[int, ...]] | None:
    if not isinstance(value, dict) or not isinstance(value.get("ends"), bool):
        return None
    return value["ends"], line_in(value.get("why"), _MOST_REASON) or "", _numbers(value)


def _numbers(value: Json) -> tuple[int, ...]:
    return tuple(each for each in _listed(value, "messages") if isinstance(each, int))


def _listed(value: Json, name: str) -> list[object]:
    found = value.get(name)
    return found if isinstance(found, list) else []
