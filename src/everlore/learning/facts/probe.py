"""Measures how well a model reads messages, with test messages whose facts are known.

In: a model. Out: how many facts it found, and how many of its statements were wrong. It gets the real prompts and all
checks; only our own reading is left out, since the model is measured. The messages are in `probe.jsonl`, each with its
facts as words that must occur together in one statement.

Start at `probed`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from everlore.learning.candidate import Asker, EarlierMessage, Source
from everlore.learning.facts.flow import RULES, facts_in
from everlore.learning.facts.trust import Probed, Trust

_ASSISTANT = "Nova"
_SAID_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)

# A statement with all of these words states the fact; "|" separates alternatives.
Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProbeCase:
    """`optional`: further true facts that need not be found."""

    source: Source
    facts: tuple[Keys, ...]
    optional: tuple[Keys, ...]


@cache
def probe_cases() -> tuple[ProbeCase, ...]:
    text = files("everlore.learning.facts").joinpath("probe.jsonl").read_text(encoding="utf-8")
    return tuple(_case(json.loads(line)) for line in text.splitlines() if line)


async def probed(asker: Asker) -> Probed:
    """Raises `ModelUnavailable` if the model cannot be reached: probe it again later."""
    total = Probed()
    for case in probe_cases():
        found = await facts_in(case.source, asker, Trust.PLAIN, by_rules=False)
        is_usable = found.model != RULES
        total = _added(total, case, [each.content for each in found.candidates], is_usable=is_usable)
    return total


def _added(total: Probed, case: ProbeCase, stated: Sequence[str], *, is_usable: bool) -> Probed:
    true = (*case.facts, *case.optional)
    return Probed(
        messages=total.messages + 1,
        unusable=total.unusable + (not is_usable),
        wanted=total.wanted + len(case.facts),
        found=total.found + sum(any(says(each, keys) for each in stated) for keys in case.facts),
        stated=total.stated + len(stated),
        wrong=total.wrong + sum(not any(says(each, keys) for keys in true) for each in stated),
    )


def says(statement: str, keys: Keys) -> bool:
    low = statement.lower()
    return all(any(word in low for word in key.split("|")) for key in keys)


def _case(document: dict[str, Any]) -> ProbeCase:
    before = tuple(
        EarlierMessage(each["is_user"], "User" if each["is_user"] else _ASSISTANT, each["content"])
        for each in document.get("before", [])
    )
    source = Source(content=document["message"], at=_SAID_AT, assistants=(_ASSISTANT,), before=before)
    facts, optional = (tuple(map(tuple, document[name])) for name in ("facts", "optional"))
    return ProbeCase(source, facts, optional)
