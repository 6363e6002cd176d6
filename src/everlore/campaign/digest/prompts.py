"""Digests a session with a model: two questions, and validation of the answers (G3).

The first extracts items from the log, in parts if it is long; the second writes the summary from those items. Names and
numbers that nobody said are dropped. Start at `told`."""

from collections.abc import Sequence

from everlore.campaign.digest.digest import MOST, Digest, DigestItem
from everlore.domain.blocks import resource
from everlore.domain.bounds import Json
from everlore.domain.memory import MemoryType
from everlore.learning.analysis.whole import parts_of
from everlore.learning.answers import line_in
from everlore.learning.asking import asked, instructions
from everlore.learning.candidate import Asker
from everlore.learning.segments.sources import supporting
from everlore.learning.segments.transcript import Count, TranscriptLine, as_block
from everlore.learning.segments.vetting import SaidWords, refusal_of, told_in
from everlore.models.chat import Ask, Said

_ROOM = "everlore.campaign"
_TEMPERATURE = 0.2
_ANSWER_TOKENS = 2_000
_INSTRUCTION_TOKENS = 1_000
_LEAST_TOKENS = 500
_MOST_ITEM_CHARS = 600
_MOST_PARAGRAPHS = 3
_MOST_PARAGRAPH = 1_500
_MOST_LINE = 200
_WEIGHT = 6
_KINDS: dict[str, MemoryType] = {
    "scenes": MemoryType.SCENE,
    "decisions": MemoryType.DECISION_POINT,
    "discoveries": MemoryType.DISCOVERY,
    "facts": MemoryType.FACT,
    "moments": MemoryType.MOMENT,
    "threads": MemoryType.PLOT_THREAD,
}
_TEXTS: Json = {"type": "array", "items": {"type": "string"}}


async def told(
    lines: Sequence[TranscriptLine], narrators: frozenset[str], asker: Asker, context_window: int, count: Count
) -> Digest | None:
    """None if the model gave no usable answer: then the log is quoted instead."""
    items = await _items(lines, narrators, asker, context_window, count)
    if not items:
        return None
    found = await asked(asker, _summary_ask(items, context_window), _read_summary, what="session summary")
    known = told_in((line.text for line in lines), {line.name for line in lines})
    summary, line = found or ("", "")
    kept = _vetted_paragraphs(summary, known)
    return Digest(
        summary=kept or _plain_summary(items),
        line=line if line and refusal_of(line, known) is None else _plain_line(items),
        items=items,
        sources=tuple(each.message.id for each in lines),
        model=asker.name,
    )


async def _items(
    lines: Sequence[TranscriptLine], narrators: frozenset[str], asker: Asker, context_window: int, count: Count
) -> tuple[DigestItem, ...]:
    room = max(context_window - _ANSWER_TOKENS - _INSTRUCTION_TOKENS, _LEAST_TOKENS)
    found: dict[tuple[MemoryType, str], DigestItem] = {}
    for part in parts_of(lines, room, count):
        ask = _items_ask(as_block(part), narrators, context_window)
        answer = await asked(asker, ask, _read_items, what="session digest")
        known = told_in((line.text for line in part.lines), {line.name for line in lines})
        for item in _vetted(answer or (), part.lines, known):
            found.setdefault((item.kind, item.text.casefold()), item)
    return tuple(item for kind in _KINDS.values() for item in _most(list(found.values()), kind))


def _most(items: Sequence[DigestItem], kind: MemoryType) -> list[DigestItem]:
    """The first items of a kind, up to its maximum; for threads the latest ones."""
    own = [each for each in items if each.kind is kind]
    return own[-MOST[kind] :] if kind is MemoryType.PLOT_THREAD else own[: MOST[kind]]


def _vetted(
    answer: Sequence[tuple[MemoryType, str]], lines: Sequence[TranscriptLine], known: SaidWords
) -> list[DigestItem]:
    messages = [line.message for line in lines]
    return [
        DigestItem(kind, text, tuple(each.id for each in supporting(text, messages)), _WEIGHT)
        for kind, text in answer
        if refusal_of(text, known) is None
    ]


def _vetted_paragraphs(summary: str, known: SaidWords) -> str:
    return "\n\n".join(each for each in summary.split("\n\n") if each and refusal_of(each, known) is None)


def _plain_summary(items: Sequence[DigestItem]) -> str:
    scenes = [each.text for each in items if each.kind is MemoryType.SCENE] or [each.text for each in items]
    return " ".join(scenes)[:_MOST_PARAGRAPH]


def _plain_line(items: Sequence[DigestItem]) -> str:
    order = (MemoryType.DECISION_POINT, MemoryType.DISCOVERY, MemoryType.SCENE)
    best = next((each for kind in order for each in reversed(items) if each.kind is kind), items[-1])
    return best.text[:_MOST_LINE]


# ── prompts ──────────────────────────────────────────────────────────────────────────────────────


def _items_ask(block: str, narrators: frozenset[str], context_window: int) -> Ask:
    told_by = f"The story is told by {', '.join(sorted(narrators))}." if len(narrators) == 1 else ""
    system = instructions(
        "digest",
        room=_ROOM,
        # Names are user input and must not inject instructions.
        narrators="" if any("\n" in each or len(each) > 80 for each in narrators) else told_by.replace("$", ""),
        scenes=str(MOST[MemoryType.SCENE]),
        most=str(MOST[MemoryType.DISCOVERY]),
    )
    return Ask(
        messages=(Said("system", system), Said("user", block)),
        temperature=_TEMPERATURE,
        max_tokens=_ANSWER_TOKENS,
        schema=_object(dict.fromkeys(_KINDS, _TEXTS)),
        context_window=context_window,
    )


def _summary_ask(items: Sequence[DigestItem], context_window: int) -> Ask:
    data: Json = {name: [each.text for each in items if each.kind is kind] for name, kind in _KINDS.items()}
    block = resource("session", "session", data)
    return Ask(
        messages=(Said("system", instructions("session_summary", room=_ROOM)), Said("user", block)),
        temperature=_TEMPERATURE,
        max_tokens=_ANSWER_TOKENS,
        schema=_object({"summary": {"type": "string"}, "line": {"type": "string"}}),
        context_window=context_window,
    )


def _read_items(value: object) -> tuple[tuple[MemoryType, str], ...] | None:
    if not isinstance(value, dict) or not _KINDS.keys() & value.keys():
        return None
    found: list[tuple[MemoryType, str]] = []
    for name, kind in _KINDS.items():
        listed = value.get(name)
        texts = (
            [line_in(each, _MOST_ITEM_CHARS) for each in listed[: 4 * MOST[kind]]] if isinstance(listed, list) else []
        )
        found += [(kind, text) for text in texts if text]
    return tuple(found)


def _read_summary(value: object) -> tuple[str, str] | None:
    if not isinstance(value, dict) or not isinstance(value.get("summary"), str):
        return None
    paragraphs = [line_in(each, _MOST_PARAGRAPH) for each in str(value["summary"]).split("\n") if each.strip()]
    return "\n\n".join(each for each in paragraphs[:_MOST_PARAGRAPHS] if each), line_in(
        value.get("line"), _MOST_LINE
    ) or ""


def _object(properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
