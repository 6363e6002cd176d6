"""The contents of a prompt, item by item (P12): the x-ray that is saved with each turn.

Start at `Account`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple


class SectionState(StrEnum):
    WHOLE = "whole"
    CUT = "cut"
    LEFT_OUT = "left_out"


class PromptPosition(StrEnum):
    """The place in a prompt: the system message at the start, the conversation, just before the latest message, or the
    end."""

    START = "start"
    TALK = "talk"
    LATE = "late"
    END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionAccount:
    """`why` says why it was cut or left out; `origin` is the template that defines it."""

    name: str
    role: str
    place: PromptPosition
    part: str
    tokens: int
    state: SectionState = SectionState.WHOLE
    why: str = ""
    text: str = ""
    origin: str = ""
    appended: bool = False


class MessageAccount(NamedTuple):
    """One message, or a run of old ones. A tuple, because there can be thousands and tuples are made fastest."""

    first: int
    last: int
    role: str
    fidelity: str
    tokens: int
    message_ids: tuple[str, ...] = ()
    text: str = ""
    state: SectionState = SectionState.WHOLE


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryAccount:
    """`section` is its section in the prompt; empty if it was left out, and `left_out` says why, `limited_by` which
    limit must be raised to include it. `in_short`: the prompt has its summary, as `content` does. `kind`: a memory, or
    a message, summary or event from the log, which has no importance."""

    id: str
    kind: str
    layer: str
    type: str
    content: str
    importance: int
    score: float
    parts: Mapping[str, float]
    why: str
    section: str = ""
    left_out: str = ""
    limited_by: tuple[str, ...] = ()
    in_short: bool = False


@dataclass(frozen=True, slots=True)
class PartAccount:
    """`share` is the guaranteed size of the part, `used` the actual one."""

    name: str
    share: int
    used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoreAccount:
    """An entry of a lorebook that fired: the reason (`why`), and its place; `left_out` says why it was left out."""

    book: str
    uid: str
    name: str
    position: str
    tokens: int
    why: str
    left_out: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerAccount:
    """The tokens of a layer of recall. `share`: its guaranteed budget; `wanted`: the cost of all of its results;
    `borrowed`: what it used of other layers' budgets; `passed_on`: what it left to others."""

    name: str
    share: int
    wanted: int
    used: int
    borrowed: int
    passed_on: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    template: str
    version: int
    lineage: tuple[str, ...]
    framing: str
    tokenizer: str
    window: int
    reserve: int
    used: int
    sections: tuple[SectionAccount, ...]
    messages: tuple[MessageAccount, ...]
    memories: tuple[MemoryAccount, ...]
    parts: tuple[PartAccount, ...]
    layers: tuple[LayerAccount, ...] = ()
    lore: tuple[LoreAccount, ...] = ()
    faults: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    @property
    def share(self) -> float:
        """The share of the window."""
        return self.used / self.window

    def as_json(self) -> dict[str, Any]:
        plain = _plain(self)
        for name in ("sections", "memories", "parts", "layers", "lore"):
            plain[name] = [_plain(each) for each in plain[name]]
        return plain | {"messages": [each._asdict() for each in self.messages]}


def _plain(record: Any) -> dict[str, Any]:
    """One level deep: takes a tenth of the time of `asdict`, which copies everything."""
    return {name: getattr(record, name) for name in record.__slots__}
