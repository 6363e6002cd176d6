"""A scripted model that misbehaves in every way that real ones do, and is right now and then (F4, F5).

It sees what a model would see, the question and nothing else; what it answers is drawn from a hash of the message, so
that every run is the same. `bad_facts.py` has what it says; here is how it says it: as asked, in a fence, cut off,
in prose, with the wrong types, with absurd confidences, the same thing thirty times.

Start at `BadModel`.
"""

import hashlib
import json
import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, TypeVar

from benchmarks.extract.bad_facts import Seen, sentences
from everlore.errors import ModelMisbehaved
from everlore.models.chat import Ask

T = TypeVar("T")

_CATEGORIES = ("personal_info", "preference", "experience", "relationship", "goal", "skill")
_BAD_CATEGORIES = ("hobby", "PERSONAL_INFO", "", None, "fact", 3, ["skill"], "personal_info|preference")
_BAD_CONFIDENCES: tuple[Any, ...] = (95, "high", 1.5, -1, "0.9", None, True, [], 0.99, 1, 1e308)
_REASONS = ("The user said so.", "It is clearly implied.", '"I live with two dogs"', "", "Inferred from the tone.")
_REPEATS = 30


class BadModel:
    """An `Asker`, for the benchmark and for tests."""

    name = "bad-model"
    address = ""

    def ask(self, ask: Ask, parse: Callable[[str], T | None]) -> Awaitable[T]:
        return self._ask(ask, parse)

    async def _ask(self, ask: Ask, parse: Callable[[str], T | None]) -> T:
        found = parse(answer(ask))
        if found is None:
            raise ModelMisbehaved(f"{self.name} did not answer in the required format.")
        return found


def answer(ask: Ask) -> str:
    """The same for the same message, whatever was asked before."""
    seen = seen_in(ask)
    digest = hashlib.sha256(seen.message.encode(errors="replace")).digest()
    chance = random.Random(int.from_bytes(digest[:8]))
    said = sentences(seen, chance)
    manner = chance.choices([each for _, each in _MANNERS], [weight for weight, _ in _MANNERS])[0]
    return manner(_entries(said, chance), chance)


def seen_in(ask: Ask) -> Seen:
    """What a reader finds in the question: data stands in it as JSON, or else all of it is the message."""
    instructions = "\n".join(said.content for said in ask.messages if said.role == "system")
    asked = [said.content for said in ask.messages if said.role != "system"]
    last = asked[-1] if asked else instructions
    texts: list[str] = []
    assistants: list[str] = []
    for value in _objects(last):
        texts += _under(value, ("text", "content", "message"))
        assistants += _under(value, ("assistants", "assistant", "name"))
    return Seen(
        message=texts[-1] if texts else last,
        before=tuple(texts[:-1]),
        assistant=assistants[0] if assistants else "Assistant",
        instructions=instructions,
    )


def _objects(text: str) -> Iterator[Any]:
    for line in text.splitlines():
        try:
            yield json.loads(line)
        except (ValueError, RecursionError):
            continue


def _under(value: Any, keys: Sequence[str]) -> list[str]:
    """The texts under any of these keys, wherever they stand."""
    found: list[str] = []
    items = value.items() if isinstance(value, dict) else ((None, each) for each in value if isinstance(value, list))
    for key, inner in items:
        wanted = inner if isinstance(inner, list) else [inner]
        found += [each for each in wanted if key in keys and isinstance(each, str) and each]
        found += _under(inner, keys) if isinstance(inner, dict | list) else []
    return found


# ── entries ──────────────────────────────────────────────────────────────────────────────────────


def _entries(said: Sequence[str], chance: random.Random) -> list[Any]:
    """Mostly of the shape that was asked for: a filter that only looks at shapes would let them pass."""
    sloppy = chance.random() < 0.3
    entries: list[Any] = [_entry(each, chance, sloppy=sloppy) for each in said]
    if chance.random() < 0.1 and entries:
        entries.append(chance.choice((None, 7, "User likes strings", [], {}, {"content": None}, {"fact": "User"})))
    return entries


def _entry(content: str, chance: random.Random, *, sloppy: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "content": content,
        "category": chance.choice(_CATEGORIES),
        "confidence": chance.choice((0.99, 0.99, 0.95, 0.9, 0.8)),
        "reasoning": chance.choice(_REASONS),
    }
    if sloppy and chance.random() < 0.3:
        entry["category"] = chance.choice(_BAD_CATEGORIES)
    if sloppy and chance.random() < 0.3:
        entry["confidence"] = chance.choice(_BAD_CONFIDENCES)
    if sloppy and chance.random() < 0.2:
        del entry[chance.choice(("category", "confidence", "reasoning"))]
    if sloppy and chance.random() < 0.1:
        entry["content"] = [entry["content"]]
    return entry


# ── manners of answering ─────────────────────────────────────────────────────────────────────────


def _as_asked(entries: list[Any], _: random.Random) -> str:
    return json.dumps({"facts": entries})


def _fenced(entries: list[Any], chance: random.Random) -> str:
    language = chance.choice(("json", "", "JSON"))
    return f"```{language}\n{json.dumps({'facts': entries}, indent=2)}\n```"


def _bare_list(entries: list[Any], _: random.Random) -> str:
    return json.dumps(entries)


def _thinking(entries: list[Any], _: random.Random) -> str:
    return f'<think>The user is called Max. {{"facts": []}}</think>\n{json.dumps({"facts": entries})}'


def _over_and_over(entries: list[Any], chance: random.Random) -> str:
    """Stuck: one of them thirty times, in other letters now and then."""
    if not entries:
        return json.dumps({"facts": []})
    one = chance.choice([each for each in entries if isinstance(each, dict) and each.get("content")] or [{}])
    again = [dict(one) for _ in range(_REPEATS)]
    for each in again[::3]:
        each["content"] = f"{each.get('content', '')}."
    return json.dumps({"facts": entries + again})


def _in_prose(entries: list[Any], _: random.Random) -> str:
    said = "; ".join(str(each.get("content")) for each in entries if isinstance(each, dict))
    return f"Sure! Here is what I learnt about the user: {said}. Let me know if you need anything else!"


def _introduced(entries: list[Any], _: random.Random) -> str:
    return f"Here are the facts:\n\n```json\n{json.dumps({'facts': entries})}\n```\nI hope this helps!"


def _cut_off(entries: list[Any], chance: random.Random) -> str:
    whole = json.dumps({"facts": entries})
    return whole[: chance.randint(1, max(1, len(whole) - 1))]


def _with_a_tail(entries: list[Any], _: random.Random) -> str:
    return f"{json.dumps({'facts': entries})}\n\nNote: these facts were extracted carefully."


def _twice(entries: list[Any], _: random.Random) -> str:
    return f"{json.dumps({'facts': entries})}\n{json.dumps({'facts': entries})}"


def _other_shape(entries: list[Any], chance: random.Random) -> str:
    said = [each.get("content") for each in entries if isinstance(each, dict)]
    shapes: tuple[Any, ...] = (
        {"facts": said},
        {"facts": {"0": entries}},
        {"memories": entries},
        {"facts": "none"},
        {"facts": None},
        {"user": {"name": "Unknown", "facts": said}},
        "User likes long walks",
        12,
        [[entries]],
    )
    return json.dumps(chance.choice(shapes))


def _loose(entries: list[Any], _: random.Random) -> str:
    """Nearly JSON: single quotes, trailing commas, comments."""
    return f"{{'facts': {entries!r},}} // done"


def _nothing(_: list[Any], chance: random.Random) -> str:
    return chance.choice(("", " ", "null", "{}", "I'm sorry, but I can't help with that.", "```json\n```"))


_MANNERS: tuple[tuple[int, Callable[[list[Any], random.Random], str]], ...] = (
    (46, _as_asked),
    (14, _fenced),
    (6, _bare_list),
    (5, _thinking),
    (6, _over_and_over),
    (3, _in_prose),
    (3, _introduced),
    (4, _cut_off),
    (3, _with_a_tail),
    (2, _twice),
    (4, _other_shape),
    (2, _loose),
    (2, _nothing),
)
