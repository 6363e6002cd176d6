"""The context for an external agent before it answers, as data and as text for its prompt (C6, C8). Pure.

In: the fetched records, and the caller's depth. Out: sections of whole lines, each within its character limit and all
of them within a token budget. Quoted text is data: each quotation stays on one line.

Start at `text_of`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from everlore.domain.memory import LONG_CHARS
from everlore.domain.outline import one_line, outline
from everlore.domain.policy import Mode, Role

LEAST_BUDGET, MOST_BUDGET, BUDGET = 50, 100_000, 1_500
_SHALLOW_CHARS = 600
_DEEP_CHARS = 1_800
_CHARS_PER_DEPTH = 150
_MOST_OUTPUTS = 3
_OUTPUT_CHARS = 50
_ERROR_CHARS = 120
_TOOLS = "Recent tool uses"
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3_600, 86_400


@dataclass(frozen=True, slots=True)
class PackagePersona:
    """Who the agent is: its full profile, or only its public information."""

    name: str
    description: str = ""
    personality: str = ""


@dataclass(frozen=True, slots=True)
class PackageMemory:
    """A memory, or another recalled record, and why. `id` is empty if the caller may not see ids; `summary` is the
    short form that the text uses if the whole is long."""

    id: str
    kind: str
    type: str
    content: str
    at: datetime
    importance: int | None
    score: float
    why: str
    summary: str = ""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call: `id` is the event's, empty if the caller may not see ids."""

    id: str
    name: str
    at: datetime
    success: bool
    inputs: Mapping[str, object] = field(default_factory=dict, hash=False)
    outputs: Mapping[str, object] = field(default_factory=dict, hash=False)
    error: str = ""
    execution_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPackage:
    """`fallback_used`: nothing was relevant to the question, and `memories` are the most important or latest instead.
    `index_status`: `available`, `partial` while some passages are not embedded yet, `missing` without any embeddings,
    or `error` if the embedder does not answer. `recent_tools` in the order of time; `text` is everything as a prompt.
    `depth`: the maximum number of memories for the caller."""

    query: str
    mode: Mode
    role: Role
    trust_level: str
    user_name: str
    depth: int
    memories: tuple[PackageMemory, ...] = ()
    persona: PackagePersona | None = None
    current_focus: str | None = None
    active_tasks: tuple[str, ...] = ()
    recent_topics: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    index_status: str = "available"
    fallback_used: bool = False
    recent_tools: tuple[ToolUse, ...] = ()
    conversation_summary: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Section:
    """`rank`: lower ones get their part of the budget first."""

    rank: int
    heading: str
    lines: tuple[str, ...]


def text_of(package: ContextPackage, *, now: datetime, budget_tokens: int, cost: Callable[[str], int]) -> str:
    """The text for a prompt. The most important sections get their budget first, but all are in reading order."""
    most = section_chars(package.depth)
    sections = [_within(section, most) for section in _sections(package, now) if section.lines]
    kept: dict[int, _Section] = {}
    left = budget_tokens
    for place, section in sorted(enumerate(sections), key=lambda each: each[1].rank):
        fitted, left = _fitted(section, left, cost)
        if fitted.lines:
            kept[place] = fitted
    return "\n\n".join(_written(kept[place]) for place in sorted(kept))


def section_chars(depth: int) -> int:
    """The maximum characters of one section; grows with the caller's depth."""
    return min(max(_CHARS_PER_DEPTH * depth, _SHALLOW_CHARS), _DEEP_CHARS)


def standing(mode: Mode, trust_level: str, role: Role, user_name: str) -> str:
    """Tells the model who is asking, and in which mode (C8)."""
    name = one_line(user_name, 100).replace('"', "'")
    who = f'{role.value} user "{name}"' if name else f"{role.value} user"
    return f"You are operating in {mode.value} mode with {one_line(trust_level, 50)} trust for {who}."


def time_ago(at: datetime, now: datetime) -> str:
    seconds = (now - at).total_seconds()
    if seconds < _MINUTE_S:
        return "just now"
    if seconds < _HOUR_S:
        return f"{int(seconds // _MINUTE_S)}m ago"
    if seconds < _DAY_S:
        return f"{int(seconds // _HOUR_S)}h ago"
    return f"{int(seconds // _DAY_S)}d ago"


def tool_line(tool: ToolUse, now: datetime) -> str:
    """Renders `✓ search (2m ago): results: [10 items]`."""
    told = outline(tool.outputs, most=_MOST_OUTPUTS, chars=_OUTPUT_CHARS)
    if not tool.success:
        told = f"error: {one_line(tool.error, _ERROR_CHARS)}" if tool.error else told
    line = f"{'✓' if tool.success else '✗'} {one_line(tool.name, 100)} ({time_ago(tool.at, now)})"
    return f"{line}: {told}" if told else line


def tool_lines(tools: Sequence[ToolUse], now: datetime, depth: int) -> tuple[str, ...]:
    """In the order of time; if not all fit, the latest."""
    lines: list[str] = []
    left = section_chars(depth) - len(f"## {_TOOLS}\n")
    for line in _bullets(tool_line(each, now) for each in reversed(tools)):
        left -= len(line) + 1
        if left < 0:
            break
        lines.append(line)
    return tuple(reversed(lines))


# ── sections ─────────────────────────────────────────────────────────────────────────────────────


def _sections(package: ContextPackage, now: datetime) -> Iterator[_Section]:
    """In reading order."""
    yield _Section(0, "", (standing(package.mode, package.trust_level, package.role, package.user_name),))
    yield _Section(3, "PackagePersona", tuple(_persona_lines(package.persona)))
    yield _Section(5, "Current focus", (package.current_focus,) if package.current_focus else ())
    yield _Section(4, "Conversation summary", (package.conversation_summary,) if package.conversation_summary else ())
    known = "What matters most (nothing bears on the question itself)" if package.fallback_used else "Relevant memories"
    yield _Section(1, known, _bullets(_in_words(each) for each in package.memories))
    yield _Section(6, "Active tasks", _bullets(package.active_tasks))
    yield _Section(7, "Recent topics", _bullets(package.recent_topics))
    yield _Section(8, "Patterns", _bullets(package.patterns))
    yield _Section(2, _TOOLS, tool_lines(package.recent_tools, now, package.depth))


def _in_words(remembered: PackageMemory) -> str:
    is_long = len(remembered.content) > LONG_CHARS
    return remembered.summary if is_long and remembered.summary else remembered.content


def _persona_lines(persona: PackagePersona | None) -> Iterator[str]:
    if persona is not None:
        yield f"You are {persona.name}."
        yield from filter(None, (persona.description, persona.personality))


def _bullets(texts: Iterator[str] | Sequence[str]) -> tuple[str, ...]:
    return tuple(f"- {text}" for text in texts)


def _within(section: _Section, most: int) -> _Section:
    """As many whole lines as fit; only a first line that is too long by itself is cut."""
    lines: list[str] = []
    left = most - len(section.heading) - len("## \n")
    for line in section.lines:
        # On one line, so that quoted text cannot begin a section of its own.
        line = one_line(line, left) if not lines else one_line(line, max(len(line), 1))
        if len(line) + 1 > left + (not lines):
            break
        lines.append(line)
        left -= len(line) + 1
    return _Section(section.rank, section.heading, tuple(lines))


def _fitted(section: _Section, budget: int, cost: Callable[[str], int]) -> tuple[_Section, int]:
    left = budget - (cost(f"## {section.heading}\n") if section.heading else 0)
    lines: list[str] = []
    for line in section.lines:
        left -= cost(f"{line}\n")
        if left < 0:
            break
        lines.append(line)
    if not lines:
        return _Section(section.rank, section.heading, ()), budget
    kept = _Section(section.rank, section.heading, tuple(lines))
    return kept, budget - cost(f"{_written(kept)}\n\n")


def _written(section: _Section) -> str:
    body = "\n".join(section.lines)
    return f"## {section.heading}\n{body}" if section.heading else body
