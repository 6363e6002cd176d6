"""What a prompt is made of, told piece by piece (P12): the x-ray that is kept with each turn.

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
    """Where it stands: in the system's words at the start, among the talk, just before the latest message,
    or after everything."""

    START = "start"
    TALK = "talk"
    LATE = "late"
    END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionAccount:
    """`why` says why it was cut or left out; `origin` is the template that wrote it."""

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
    """One message, or a run of old ones. There can be thousands, and tuples are made fastest."""

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
    """`section` is where it stands in the prompt; empty where it was left out, and `left_out` says why, `limited_by`
    what must grow for it to come in. `in_short`: the prompt has its summary, as `content` does.
    `kind` is what it is: a memory, or a message, summary or event out of the log; then it has no importance."""

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
    """`share` is what the part was sure of, `used` what it took."""

    name: str
    share: int
    used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoreAccount:
    """An entry of a lorebook that fired: by what (`why`), and where it stands; `left_out` says why it does not."""

    book: str
    uid: str
    name: str
    position: str
    tokens: int
    why: str
    left_out: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerAccount:
    """How a layer of recall shared in the room for memories, in tokens. `share`: what it was sure of; `wanted`: what
    all that came back would take; `borrowed`: what it used of others' room; `passed_on`: what it left to others."""

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
        """Of the window."""
        return self.used / self.window

    def as_json(self) -> dict[str, Any]:
        plain = _plain(self)
        for name in ("sections", "memories", "parts", "layers", "lore"):
            plain[name] = [_plain(each) for each in plain[name]]
        return plain | {"messages": [each._asdict() for each in self.messages]}


def _plain(record: Any) -> dict[str, Any]:
    """One level deep: a tenth of what `asdict` takes, which copies whatever it meets."""
    return {name: getattr(record, name) for name in record.__slots__}
