"""The two questions about a segment, and the reading of their answers (K1, K1b).

In: a block with the talk, and what the conversation's config asks for. Out: an `Ask`; of its answer, candidates, or
why an item is none. Own instructions take the place of ours; the rules for the answer always stay, and come last.

Start at `summary_ask` and `segment_ask`.
"""

from collections.abc import Sequence

from everlore.domain.blocks import inert
from everlore.domain.bounds import Json
from everlore.domain.config import ExtractionStyle
from everlore.domain.memory import MemoryType
from everlore.domain.reading import Filter, Refusal
from everlore.learning.answers import line_in, list_in
from everlore.learning.asking import instructions
from everlore.learning.candidate import Candidate
from everlore.models.chat import Ask, Said

TEMPERATURE = 0.2
_MOST_CONTENT = 1_000
_MOST_SHORT = 200
_MOST_SUMMARY = 2_000
# What is looked at of an answer that holds more than was asked for.
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


# ── the summary ──────────────────────────────────────────────────────────────────────────────────

_SUMMARY_SCHEMA: Json = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}


def summary_ask(block: str, max_tokens: int, context_window: int) -> Ask:
    return Ask(
        messages=(Said("system", instructions("segment_summary")), Said("user", block)),
        temperature=TEMPERATURE,
        max_tokens=max_tokens,
        schema=_SUMMARY_SCHEMA,
        context_window=context_window,
    )


def read_summary(value: object) -> str | None:
    """An empty text where nothing happened; None where it is not what was asked for."""
    return line_in(value.get("summary"), _MOST_SUMMARY) if isinstance(value, dict) else None


# ── the memories ─────────────────────────────────────────────────────────────────────────────────


def segment_ask(style: ExtractionStyle, types: Sequence[MemoryType], most: int, own: str, block: str) -> Ask:
    """`own`: instructions that take the place of ours, if there are any."""
    if style is ExtractionStyle.ASPECTS:
        ours, rules, schema = instructions("segment_aspects"), _aspect_rules(types), _aspects_schema(types)
    else:
        ours, rules, schema = instructions("segment_memory"), _memory_rules(types, most), _memories_schema(types, most)
    system = f"{inert(own).strip() or ours}\n\n{rules}"
    return Ask(messages=(Said("system", system), Said("user", block)), temperature=TEMPERATURE, schema=schema)


def read_memories(value: object) -> list[Candidate | Refusal] | None:
    """An array, bare or under "memories"; one memory alone is an array of one."""
    items = [value] if isinstance(value, dict) and "content" in value else list_in(value, "memories")
    return None if items is None else [_memory(item) for item in items[:_MOST_ITEMS]]


def read_aspects(value: object) -> list[Candidate | Refusal] | None:
    if not isinstance(value, dict) or not (_ASPECTS.keys() & value.keys() or not value):
        return None
    return [_aspect(name, value[name]) for name in _ASPECTS if value.get(name) is not None]


def _memory(item: object) -> Candidate | Refusal:
    if not isinstance(item, dict):
        return Refusal(repr(item)[:_MOST_SHORT], Filter.BAD_SHAPE, "not an object")
    content = line_in(item.get("content"), _MOST_CONTENT)
    if not content:
        return Refusal("", Filter.BAD_SHAPE, "it has no content")
    given = item.get("type", item.get("memoryType"))
    kind = _type_of(given)
    if kind is None:
        return Refusal(content, Filter.WRONG_TYPE, f"no type: {str(given)[:_MOST_SHORT]}")
    return _candidate(item, content, kind, "most significant of its segment")


def _aspect(name: str, item: object) -> Candidate | Refusal:
    given = {"content": item} if isinstance(item, str) else item
    if not isinstance(given, dict):
        return Refusal(repr(item)[:_MOST_SHORT], Filter.BAD_SHAPE, "not an object")
    content = line_in(given.get("content"), _MOST_CONTENT)
    if not content:
        return Refusal("", Filter.BAD_SHAPE, "it has no content")
    return _candidate(given, content, _ASPECTS[name], name.replace("_", " "))


def _candidate(item: dict[str, object], content: str, kind: MemoryType, why: str) -> Candidate:
    return Candidate(
        content=content,
        summary=line_in(item.get("summary"), _MOST_SHORT) or "",
        type=kind,
        importance=_importance(item.get("importance")),
        reasoning=why,
    )


def _type_of(value: object) -> MemoryType | None:
    name = value.strip().upper().replace(" ", "_") if isinstance(value, str) else ""
    return MemoryType(name) if name in MemoryType.__members__ else None


def _importance(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return round(max(_LEAST_IMPORTANCE, min(value, _MOST_IMPORTANCE)))


# ── what is asked for ────────────────────────────────────────────────────────────────────────────


def _memory_rules(types: Sequence[MemoryType], most: int) -> str:
    listed = "\n".join(f"  {each.value}: {_KINDS.get(each, each.value.lower().replace('_', ' '))}" for each in types)
    example = MemoryType.DISCOVERY if MemoryType.DISCOVERY in types else next(iter(types), MemoryType.FACT)
    return instructions("segment_memory_output", types=listed, most=str(most), example=example.value)


def _aspect_rules(types: Sequence[MemoryType]) -> str:
    names = _asked_aspects(types)
    shape = ", ".join(f'"{name}": …' for name in names)
    return instructions("segment_aspects_output", aspects=", ".join(names), shape=f"{{{shape}}}")


def _asked_aspects(types: Sequence[MemoryType]) -> list[str]:
    return [name for name, kind in _ASPECTS.items() if kind in types] or list(_ASPECTS)


def _memories_schema(types: Sequence[MemoryType], most: int) -> Json:
    item = _item_schema({"type": {"type": "string", "enum": [each.value for each in types] or ["FACT"]}})
    memories: Json = {"type": "array", "maxItems": most, "items": item}
    return _object_schema({"memories": memories})


def _aspects_schema(types: Sequence[MemoryType]) -> Json:
    return _object_schema({name: {"anyOf": [_item_schema({}), {"type": "null"}]} for name in _asked_aspects(types)})


def _item_schema(more: Json) -> Json:
    texts: Json = {"content": {"type": "string"}, "summary": {"type": "string"}}
    return _object_schema({**texts, **more, "importance": {"type": "integer"}})


def _object_schema(properties: Json) -> Json:
    """As providers want it that hold a model to a schema: all fields required, and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
