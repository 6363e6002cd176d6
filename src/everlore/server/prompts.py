"""Routes for x-rays of prompts: of a past turn, and of one that would be made (P12)."""

from datetime import datetime

from pydantic import BaseModel, Field

from everlore.app import Everlore
from everlore.compose.account import (
    LayerAccount,
    LoreAccount,
    MemoryAccount,
    PartAccount,
    SectionAccount,
    SectionState,
)
from everlore.compose.fidelity import Fidelity
from everlore.domain.memory import Memory
from everlore.domain.template import Framing, RoleName
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire import Given, RecordModel, Text
from everlore.server.wire_memories import address, reader_of
from everlore.turn.xrays import Seen


class NewPrompt(Given):
    content: Text = Field("", description="The message to answer; empty: the character speaks first.")
    speaker_id: str | None = Field(
        None, description="The character that replies; null: the mentioned one, or the next."
    )
    template: str | None = Field(None, description="Use this template, by name or id, instead of the conversation's.")


class PromptPart(RecordModel, record=PartAccount):
    """A part of the budget: `share` is its guaranteed size, `used` what it took."""


class PromptLayer(RecordModel, record=LayerAccount):
    """How much of the memory budget a layer of recall used, in tokens. `share`: guaranteed; `wanted`: needed for all
    its results; `borrowed`: taken from other layers; `passed_on`: left to other layers."""


class PromptLore(RecordModel, record=LoreAccount):
    """A lorebook entry that fired: what triggered it (`why`) and its place; `left_out` says why it has none."""


class PromptSection(RecordModel, record=SectionAccount):
    """`place`: at the start, before the last message, or at the end. `why`: the reason why it was cut or left out.
    `appended`: the template has no place for it. For a past turn, `text` contains memories that still exist, but no
    quotes of messages or of a campaign."""

    role: RoleName


class PromptTalk(BaseModel):
    """The part of the prompt for the messages `first` to `last`, and how much of it is verbatim."""

    first: int
    last: int
    role: RoleName
    fidelity: Fidelity
    tokens: int
    message_ids: tuple[str, ...]
    text: str
    state: SectionState


class PromptMemory(RecordModel, record=MemoryAccount):
    """Why the memory was found, and its section; `left_out` is why it has none, and `limited_by` what to raise to
    include it: `memory_budget`, `context_window`, or `depth`, which mode and role set. `in_short`: `content` is its
    summary, as in the prompt; it is empty for deleted memories. `kind` is memory, message, summary or event; `layer` is
    where it was found: pair, character, semantic or cross. `shown` is `content` addressed to the caller ("You live in
    Porto")."""

    id: str
    kind: str
    content: str
    left_out: str
    shown: str = ""
    limited_by: tuple[str, ...] = ()
    in_short: bool = False


class PromptMessage(BaseModel):
    role: RoleName
    content: str


class XRayOut(BaseModel):
    """The prompt of a reply, sent or previewed: each section, message and memory with its tokens and reason. `share` is
    the used part of the context window. `messages` are those that would be sent, empty for a past turn. `message_id`
    and `at` are null in a preview."""

    message_id: str | None
    at: datetime | None
    template: str
    version: int
    lineage: tuple[str, ...]
    framing: Framing
    tokenizer: str
    window: int
    reserve: int
    used: int
    share: float
    parts: list[PromptPart]
    layers: list[PromptLayer] = []
    lore: list[PromptLore] = []
    sections: list[PromptSection]
    talk: list[PromptTalk]
    memories: list[PromptMemory]
    messages: list[PromptMessage]
    faults: tuple[str, ...]
    warnings: tuple[str, ...]


def x_ray_out(seen: Seen) -> XRayOut:
    account = seen.account
    return XRayOut.model_validate(
        {
            **account,
            "message_id": seen.message_id or None,
            "at": seen.at,
            "share": account["used"] / account["window"],
            "talk": account["messages"],
            "messages": [{"role": said.role, "content": said.content} for said in seen.messages],
        }
    )


router = Router(prefix="/api/conversations/{id}/prompt", tags=["prompts"])


@router.get("")
async def get_prompt(lore: Lore, id: str, message_id: str = "") -> XRayOut:
    """Returns the prompt of the last reply, or of a given one."""
    return await _addressed(lore, x_ray_out(await lore.x_rays.of(id, message_id)))


@router.post("")
async def try_prompt(lore: Lore, id: str, new: NewPrompt) -> XRayOut:
    """Returns the prompt that a message would produce. Nothing is written, and no model is called."""
    template = await lore.templates.resolved(new.template) if new.template else None
    seen = await lore.x_rays.would_be(id, new.content, speaker_id=new.speaker_id, template=template)
    return await _addressed(lore, x_ray_out(seen))


async def _addressed(lore: Everlore, seen: XRayOut) -> XRayOut:
    """Adds each memory's text in the second person, as the page shows it."""
    ids = [each.id for each in seen.memories if each.kind == "memory"]
    persons = {each.id: each.persons for each in await lore.store.get_many(lore.scope, Memory, ids)}
    reader = reader_of(lore.scope)
    for each in seen.memories:
        each.shown = address(each.content, persons.get(each.id, ()), reader)
    return seen
