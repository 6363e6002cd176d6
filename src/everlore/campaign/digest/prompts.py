"""Digests a session with a model: two questions, and validation of the answers (G3).

The first extracts items from the log, in parts if it is long; each part knows the campaign so far and what the parts
before it told. The second writes the summary from those items. Start at `told`."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from everlore.campaign.boundaries import Boundary
from everlore.campaign.digest.answers import SCHEMA, SessionAnswer, boundary_of, cites, read_answer, supported
from everlore.campaign.digest.background import Background
from everlore.campaign.digest.digest import MOST, Digest, DigestItem
from everlore.campaign.entities.mentions import MentionIndex
from everlore.domain.blocks import as_json, resource
from everlore.domain.bounds import Json
from everlore.domain.memory import MemoryType
from everlore.learning.analysis.whole import parts_of
from everlore.learning.answers import line_in
from everlore.learning.asking import TEXT, asked, instructions, object_of
from everlore.learning.candidate import Asker
from everlore.learning.segments.transcript import Count, FittedTranscript, TranscriptLine, as_block
from everlore.learning.segments.vetting import SaidWords, refusal_of, sentences_of, told_in
from everlore.models.chat import Ask, Said

_ROOM = "everlore.campaign"
_TEMPERATURE = 0.2
_ANSWER_TOKENS = 2_200
_INSTRUCTION_TOKENS = 1_000
_BACKGROUND_TOKENS = 1_400
_LEAST_TOKENS = 500
# The number that each message has in the prompt.
_NUMBER_TOKENS = 5
_MOST_PARAGRAPHS = 3
_MOST_PARAGRAPH = 1_500
_MOST_LINE = 200
_EARLIER_SCENES = 4
_SUMMARISED = {
    "scenes": MemoryType.SCENE,
    "decisions": MemoryType.DECISION_POINT,
    "discoveries": MemoryType.DISCOVERY,
    "facts": MemoryType.FACT,
    "moments": MemoryType.MOMENT,
    "threads": MemoryType.PLOT_THREAD,
}


@dataclass(frozen=True, slots=True)
class SessionReader:
    """How a session is read. `window`: the tokens of the model's context."""

    asker: Asker
    window: int
    count: Count
    narrators: frozenset[str]
    background: Background
    index: MentionIndex

    def line_tokens(self, text: str) -> int:
        return self.count(text) + _NUMBER_TOKENS


async def told(lines: Sequence[TranscriptLine], reader: SessionReader) -> Digest | None:
    """None if the model gave no usable answer: then the log is quoted instead."""
    notes = await _read(lines, reader)
    items = notes.kept()
    if not items:
        return None
    found = await asked(reader.asker, _summary_ask(items, reader.window), _read_summary, what="session summary")
    said = told_in((line.text for line in lines), _allowed_names(lines, reader))
    summary, line = found or ("", "")
    return Digest(
        summary=_supported_paragraphs(summary, said) or _plain_summary(items),
        line=line if line and refusal_of(line, said) is None else _plain_line(items),
        items=items,
        sources=tuple(each.message.id for each in lines),
        model=reader.asker.name,
        closed=frozenset(notes.closed),
        boundary=notes.boundary,
        is_chapter_read=notes.is_chapter_read,
    )


@dataclass
class _Notes:
    """What the parts of a session told so far."""

    items: dict[tuple[MemoryType, str], DigestItem] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)
    boundary: Boundary | None = None
    is_chapter_read: bool = False

    def of(self, kind: MemoryType) -> list[DigestItem]:
        return [each for each in self.items.values() if each.kind is kind]

    @property
    def open(self) -> list[DigestItem]:
        return [each for each in self.of(MemoryType.PLOT_THREAD) if not each.is_over]

    def add(self, answer: SessionAnswer, part: FittedTranscript, reader: SessionReader) -> None:
        said = told_in((line.text for line in part.lines), _allowed_names(part.lines, reader))
        self._close(answer, part, reader.background)
        before = sentences_of(reader.background.before)
        for each in supported(answer.items, part.lines, said, {line.name for line in part.lines}, before):
            self.items.setdefault((each.kind, each.text.casefold()), each)
        self.is_chapter_read = self.is_chapter_read or answer.chapter is not None
        self.boundary = boundary_of(answer, part.lines) or self.boundary

    def _close(self, answer: SessionAnswer, part: FittedTranscript, background: Background) -> None:
        known, opened = background.open_threads, self.open
        for number, messages in answer.closed:
            if number < 1 or not cites(messages, part.lines):
                continue
            if number <= len(known):
                self.closed.add(known[number - 1].id)
            elif number - len(known) <= len(opened):
                over = opened[number - len(known) - 1]
                self.items[over.kind, over.text.casefold()] = replace(over, is_over=True)

    def kept(self) -> tuple[DigestItem, ...]:
        """The first items of each kind, up to its maximum; for threads the latest ones."""
        found: list[DigestItem] = []
        for kind, most in MOST.items():
            own = self.of(kind)
            found += own[-most:] if kind is MemoryType.PLOT_THREAD else own[:most]
        return tuple(found)


async def _read(lines: Sequence[TranscriptLine], reader: SessionReader) -> _Notes:
    room = max(reader.window - _ANSWER_TOKENS - _INSTRUCTION_TOKENS - _BACKGROUND_TOKENS, _LEAST_TOKENS)
    notes = _Notes()
    for part in parts_of(lines, room, reader.line_tokens):
        answer = await asked(reader.asker, _items_ask(part, notes, reader), read_answer, what="session digest")
        if answer is not None:
            notes.add(answer, part, reader)
    return notes


def _allowed_names(lines: Sequence[TranscriptLine], reader: SessionReader) -> list[str]:
    """Names that a statement may use without being said: of the speakers, and those that the campaign knows."""
    known = reader.background
    names = [name for each in known.entities for name in (each.name, *each.aliases)]
    return [*dict.fromkeys(each.name for each in lines), *known.cast, *names]


def _supported_paragraphs(summary: str, said: SaidWords) -> str:
    return "\n\n".join(each for each in summary.split("\n\n") if each and refusal_of(each, said) is None)


def _plain_summary(items: Sequence[DigestItem]) -> str:
    scenes = [each.text for each in items if each.kind is MemoryType.SCENE] or [each.text for each in items]
    return " ".join(scenes)[:_MOST_PARAGRAPH]


def _plain_line(items: Sequence[DigestItem]) -> str:
    order = (MemoryType.DECISION_POINT, MemoryType.DISCOVERY, MemoryType.SCENE)
    best = next((each for kind in order for each in reversed(items) if each.kind is kind), items[-1])
    return best.text[:_MOST_LINE]


# ── prompts ──────────────────────────────────────────────────────────────────────────────────────


def _items_ask(part: FittedTranscript, notes: _Notes, reader: SessionReader) -> Ask:
    narrators = reader.narrators
    told_by = f"The story is told by {', '.join(sorted(narrators))}." if len(narrators) == 1 else ""
    system = instructions(
        "digest",
        room=_ROOM,
        # Names are user input and must not inject instructions.
        narrators="" if any("\n" in each or len(each) > 80 for each in narrators) else told_by.replace("$", ""),
        scenes=str(MOST[MemoryType.SCENE]),
        most=str(MOST[MemoryType.DISCOVERY]),
    )
    known = resource("campaign", "campaign", _background(part, notes, reader))
    return Ask(
        messages=(Said("system", system), Said("user", f"{known}\n{as_block(part, numbered=True)}")),
        temperature=_TEMPERATURE,
        max_tokens=_ANSWER_TOKENS,
        schema=SCHEMA,
        context_window=reader.window,
    )


def _background(part: FittedTranscript, notes: _Notes, reader: SessionReader) -> Json:
    """What fits of it: first without the rarest names, then without the earlier scenes."""
    background = reader.background
    named = background.named_in((each.text for each in part.lines), reader.index)
    earlier = [each.text for each in notes.of(MemoryType.SCENE)[-_EARLIER_SCENES:]]
    threads = [*(each.content for each in background.open_threads), *(each.text for each in notes.open)]
    while True:
        data = background.data(named, earlier, threads)
        if reader.count(as_json(data)) <= _BACKGROUND_TOKENS or not (named or earlier):
            return data
        named, earlier = (named[: len(named) // 2], earlier) if named else (named, earlier[1:])


def _summary_ask(items: Sequence[DigestItem], window: int) -> Ask:
    data: Json = {
        name: [each.text for each in items if each.kind is kind and not each.is_over]
        for name, kind in _SUMMARISED.items()
    }
    block = resource("session", "session", data)
    return Ask(
        messages=(Said("system", instructions("session_summary", room=_ROOM)), Said("user", block)),
        temperature=_TEMPERATURE,
        max_tokens=_ANSWER_TOKENS,
        schema=object_of(summary=TEXT, line=TEXT),
        context_window=window,
    )


def _read_summary(value: object) -> tuple[str, str] | None:
    if not isinstance(value, dict) or not isinstance(value.get("summary"), str):
        return None
    paragraphs = [line_in(each, _MOST_PARAGRAPH) for each in str(value["summary"]).split("\n") if each.strip()]
    text = "\n\n".join(each for each in paragraphs[:_MOST_PARAGRAPHS] if each)
    return text, line_in(value.get("line"), _MOST_LINE) or ""
