"""The two prompts about a segment, and the readers of their answers (K1, K1b).

In: a block with the chat, and the conversation's settings. Out: an `Ask`; of its answer, candidates, or refusals of
items. A conversation may replace our instructions; the rules for the answer always stay, and come last.

Start at `summary_ask` and `segment_ask`.
"""

from collections.abc import Sequence

from everlore.domain.blocks import inert
from everlore.domain.bounds import Json
from everlore.domain.config_choices import ExtractionStyle
from everlore.domain.memory import MemoryType
from everlore.domain.reading import Filter, Refusal
from everlore.learning.answers import line_in, list_in, member_in, number_in
from everlore.learning.asking import INTEGER, TEXT, instructions, list_of, object_of, one_of
from everlore.learning.candidate import Candidate
from everlore.models.chat import Ask, Said

TEMPERATURE = 0.2
_MOST_CONTENT = 1_000
_MOST_SHORT = 200
_MOST_SUMMARY = 2_000
# Maximum number of items that are read of an oversized answer.
_MOST_ITEMS = 20
_LEAST_IMPORTANCE, _MOST_IMPORTANCE = 1, 10

_KINDS = {
    MemoryType.FACT: "something that is so, and was told",
    MemoryType.RELATIONSHIP: "a change in how the persons stand to each other",
    MemoryType.DISCOVERY: "something that was found out or revealed",
    MemoryType.DECISION: "what somebody decided, promised or agreed to",
    MemoryType.INSIGHT: "what somebody understood about themselves, another or the matter",
    MemoryType.EVENT: "something that happened",
    MemoryType.EMOTION: "what somebody felt, if it will last",
    MemoryType.BEHAVIOR: "what somebody does again and again",
    MemoryType.PERSONALITY: "what somebody is like",
    MemoryType.PREFERENCE: "what somebody likes or dislikes",
    MemoryType.RULE: "what is to be so from now on",
    MemoryType.GOAL: "what somebody wants to reach",
    MemoryType.SKILL: "what somebody can do",
    MemoryType.ERROR_LESSON: "a mistake, and what was learnt of it",
    MemoryType.PLOT_THREAD: "something that was begun and is still open",
}
_ASPECTS = {
    "new_fact": MemoryType.FACT,
    "decision": MemoryType.DECISION,
    "unresolved_tension": MemoryType.INSIGHT,
    "relationship_change": MemoryType.RELATIONSHIP,
}
MOST_ASPECTS = len(_ASPECTS)


def summary_ask(block: str, max_tokens: int, context_window: int, *, prompt: str = "segment_summary") -> Ask:
    return Ask(
        messages=(Said("system", instructions(prompt)), Said("user", block)),
        temperature=TEMPERATURE,
        max_tokens=max_tokens,
        schema=object_of(summary=TEXT),
        context_window=context_window,
    )


def read_summary(value: object) -> str | None:
    """The summary, empty if nothing happened; None if the answer has another form."""
    return line_in(value.get("summary"), _MOST_SUMMARY) if isinstance(value, dict) else None


def segment_ask(style: ExtractionStyle, types: Sequence[MemoryType], most: int, own: str, block: str) -> Ask:
    """`own`: the conversation's own instructions, which replace ours."""
    fields = {"content": TEXT, "summary": TEXT, "importance": INTEGER}
    if style is ExtractionStyle.ASPECTS:
        names = [name for name, kind in _ASPECTS.items() if kind in types] or list(_ASPECTS)
        shape = ", ".join(f'"{name}": …' for name in names)
        ours = instructions("segment_aspects")
        rules = instructions("segment_aspects_output", aspects=", ".join(names), shape=f"{{{shape}}}")
        aspect: Json = {"anyOf": [object_of(**fields), {"type": "null"}]}
        schema = object_of(**dict.fromkeys(names, aspect))
    else:
        listed = "\n".join(f"  {each}: {_KINDS.get(each, each.lower().replace('_', ' '))}" for each in types)
        example = MemoryType.DISCOVERY if MemoryType.DISCOVERY in types else next(iter(types), MemoryType.FACT)
        ours = instructions("segment_memory")
        rules = instructions("segment_memory_output", types=listed, most=str(most), example=example.value)
        kind = one_of(types or [MemoryType.FACT])
        schema = object_of(memories=list_of(object_of(**fields, type=kind), most))
    system = f"{inert(own).strip() or ours}\n\n{rules}"
    return Ask(messages=(Said("system", system), Said("user", block)), temperature=TEMPERATURE, schema=schema)


def read_memories(value: object) -> list[Candidate | Refusal] | None:
    """The items of an array, bare or under "memories"; a single memory counts as an array of one."""
    items = [value] if isinstance(value, dict) and "content" in value else list_in(value, "memories")
    return None if items is None else [_memory(item) for item in items[:_MOST_ITEMS]]


def read_aspects(value: object) -> list[Candidate | Refusal] | None:
    if not isinstance(value, dict) or not (_ASPECTS.keys() & value.keys() or not value):
        return None
    found = {name: value[name] for name in _ASPECTS if value.get(name) is not None}
    return [_memory({"content": item} if isinstance(item, str) else item, name) for name, item in found.items()]


def statement_in(item: object, kind: MemoryType | None = None) -> tuple[dict[str, object], str, MemoryType] | Refusal:
    """A memory's fields from a model, with its content and type; `kind`: the type that was requested."""
    given = item if isinstance(item, dict) else {}
    content = line_in(given.get("content"), _MOST_CONTENT)
    if not content:
        return Refusal("", Filter.BAD_SHAPE, "it has no content")
    kind = kind or member_in(MemoryType, given.get("type", given.get("memoryType")))
    if kind is None:
        return Refusal(content, Filter.WRONG_TYPE, f"no type: {str(given.get('type'))[:_MOST_SHORT]}")
    return given, content, kind


def _memory(item: object, aspect: str = "") -> Candidate | Refusal:
    read = statement_in(item, _ASPECTS.get(aspect))
    if isinstance(read, Refusal):
        return read
    given, content, kind = read
    importance = number_in(given.get("importance"))
    return Candidate(
        content=content,
        summary=line_in(given.get("summary"), _MOST_SHORT) or "",
        type=kind,
        importance=None if importance is None else round(max(_LEAST_IMPORTANCE, min(importance, _MOST_IMPORTANCE))),
        reasoning=aspect.replace("_", " ") or "most significant of its segment",
    )
