"""Turns a template, a context and a budget into the prompt for a model, and its account. Pure.

Stable content comes first, as one system message: the template's steady sections, then the summary of the old part of
the conversation. Then come the latest messages, verbatim. Content that changes with every turn, above all memories, is
right before the message to answer, so that the beginning of the prompt stays the same (P13). The prompt always fits
(P9); required sections are included, cut if necessary.

Start at `compose`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from everlore.compose.account import Account, SectionState
from everlore.compose.accounting import account_of
from everlore.compose.assembly import assemble, numbered_through
from everlore.compose.budget import Budget, divide, grant, level
from everlore.compose.card import card_text
from everlore.compose.context import Context, Note
from everlore.compose.drawing import WorkedOut, bare, drawn, said_by_system, sections_in_use
from everlore.compose.earlier import EarlierLines, tell
from everlore.compose.fitting import JOINT, FittedSection, fit_sections, section_cost
from everlore.compose.inherit import ResolvedTemplate
from everlore.compose.loresections import Lore, ToldLore
from everlore.compose.memories import MemorySelection, MemorySlot, choose
from everlore.compose.memories import within as memories_within
from everlore.compose.sections import Drawn
from everlore.compose.talk import FRAME_TOKENS, PromptHistory, fit, step_of, whole
from everlore.compose.values.people import filler, one_line
from everlore.compose.variables import Pace, TextSegment
from everlore.domain.blocks import block
from everlore.domain.conversation import Message
from everlore.domain.passage import PassageKind
from everlore.domain.recalled import Recalled
from everlore.domain.template import RoleName
from everlore.models.chat import Said
from everlore.models.tokenizer import Tokenizer

_GO_ON = "[Go on with your last message from exactly where it ends. Do not repeat any of it.]"
_SQUEEZED = "The system's words were cut at their end, whatever the sections say: nothing else could give way."
# The limits for notes, last words, and memories requested by id: a quarter of a prompt, an eighth …
_NOTES_SHARE = 4
_LAST_SHARE = 8
_FREE_FOR_NOTES = 20
# Enough for a reminder or a welcome; more is rare.
_USUAL_NOTES = 160
# The frame of a note alone costs nearly as much.
_LEAST_NOTE = 80
_NAMED_SHARE = 4
# In a small window at most an eighth is reserved for memories, so that the character is not cut for them.
_KEPT_FOR_RECALL = 8
# The system message and the two introductions.
_MOST_HEADS = 3
_TRIES = 12
# The conversation gets at least an eighth of a prompt, if it needs it.
_LEAST_TALK = 8
_TIERS = frozenset({"campaign", "chapter", "session"})
# The maximum for the summary of old messages, unless the window's share for it is larger.
_MOST_TOLD = 4_000


@dataclass(frozen=True, slots=True)
class Prompt:
    messages: tuple[Said, ...]
    account: Account


@dataclass(frozen=True, slots=True)
class _Fixed:
    """Texts for this turn only that must be included: notes before the latest message, last words after it."""

    notes: tuple[Drawn, ...]
    last: tuple[Drawn, ...]
    cost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    sections: tuple[FittedSection, ...]
    talk: PromptHistory
    earlier: EarlierLines
    chosen: MemorySelection
    slots: Mapping[str, MemorySlot]
    lore: ToldLore
    faults: tuple[str, ...]
    messages: tuple[Said, ...]
    cost: int


def compose(template: ResolvedTemplate, context: Context, budget: Budget, tokenizer: Tokenizer) -> Prompt:
    context = _prepared(context, budget, tokenizer)
    fixed = _fixed(context, budget.prompt, tokenizer)
    limit = max(budget.prompt - fixed.cost - _MOST_HEADS * FRAME_TOKENS, 0)
    talk = whole(context, limit, tokenizer.count)
    worked_out: WorkedOut = {}
    sections = bare(template, context, worked_out, may_tell=talk.first > 1)
    lore = Lore.of(context, tokenizer)
    granted = grant(_needs(sections, context, talk, limit, tokenizer) | {"lore": lore.need(limit)}, limit)
    # Unused tokens go to memories: they come last, so nothing before them changes.
    granted["recall"] += min(limit - sum(granted.values()), context.config.memory_budget)
    in_tiers = _told_in_tiers(context, fit_sections(sections, granted, tokenizer))
    context = replace(context, memories=tuple(each for each in context.memories if each.record.id not in in_tiers))
    beside = sum(section_cost(each, tokenizer) for each in sections if each.part == "recall")

    def drafted() -> _Draft:
        return _drafted(template, context, fixed, talk, granted, beside, lore, worked_out, tokenizer)

    draft = drafted()
    least_talk = min(granted["conversation"], budget.prompt // _LEAST_TALK)
    for _ in range(_TRIES):
        if draft.cost <= budget.prompt:
            break
        _give_way(granted, draft.cost - budget.prompt, least_talk)
        draft = drafted()
    messages, used = draft.messages, draft.cost
    if used > budget.prompt:
        messages = _squeezed(messages, used - budget.prompt, tokenizer)
        used = _cost(messages, tokenizer)
    account = account_of(
        lore=draft.lore.account,
        template=template,
        budget=budget,
        tokenizer=tokenizer,
        used=used,
        sections=draft.sections,
        notes=(*fixed.notes, *draft.lore.deep, *fixed.last),
        talk=draft.talk,
        earlier=draft.earlier,
        chosen=draft.chosen,
        slots=draft.slots,
        in_tiers=in_tiers,
        faults=draft.faults,
    )
    if messages is not draft.messages:
        account = replace(account, warnings=(_SQUEEZED, *account.warnings))
    return Prompt(messages, account)


def _give_way(granted: dict[str, int], over: int, least_talk: int) -> None:
    """A text can cost a little more than its parts. The conversation is reduced first, but the question stays; then
    optional content; then whatever can be cut."""
    if granted["conversation"] > least_talk:
        granted["conversation"] = max(granted["conversation"] - over - FRAME_TOKENS, least_talk)
    elif granted["recall"] + granted["summary"] + granted["lore"] > 0:
        granted["recall"] = granted["summary"] = granted["lore"] = 0
    else:
        granted["system"] = max(granted["system"] - over - FRAME_TOKENS, 0)


def _prepared(context: Context, budget: Budget, tokenizer: Tokenizer) -> Context:
    """Numbers all messages, and removes duplicate memories."""
    named = memories_within(context.named, budget.prompt // _NAMED_SHARE, tokenizer.cut)
    once: dict[str, Recalled] = {}
    for each in context.memories:
        once.setdefault(each.record.id, each)
    return replace(context, history=_numbered(context.history), memories=tuple(once.values()), named=named)


def _told_in_tiers(context: Context, sections: Sequence[FittedSection]) -> dict[str, tuple[Recalled, str]]:
    """Recalled memories that a tier of the campaign already includes, by id, with their section (G2): a tier is the
    same in every turn. A tier may have been cut, so the text is searched for the words."""
    if context.canon is None:
        return {}
    canon = {each.id: one_line(each.content) for each in context.canon.memories}
    tiers = [(each.drawn.name, each.drawn.text()) for each in sections if _is_told_tier(each)]
    found: dict[str, tuple[Recalled, str]] = {}
    for recalled in context.memories:
        line = canon.get(recalled.record.id)
        where = next((name for name, text in tiers if line and line in text), None)
        if where is not None:
            found[recalled.record.id] = (recalled, where)
    return found


def _is_told_tier(section: FittedSection) -> bool:
    return section.drawn.part in _TIERS and section.state is not SectionState.LEFT_OUT


# ── measuring ────────────────────────────────────────────────────────────────────────────────────


def _needs(
    sections: Sequence[Drawn], context: Context, talk: PromptHistory, limit: int, tokenizer: Tokenizer
) -> dict[str, int]:
    """The full size of each part. Memories and the summary of old messages are measured later: they are made to fit
    their budget."""
    needs: dict[str, int] = {}
    for each in sections:
        needs[each.part] = needs.get(each.part, 0) + section_cost(each, tokenizer)
    # Also in a turn without recalled memories: the room for the conversation must not change with every turn.
    needs["recall"] = needs.get("recall", 0) + min(context.config.memory_budget, limit // _KEPT_FOR_RECALL) + JOINT
    needs["conversation"] = talk.cost
    sure = divide(limit)["conversation"]
    fits = talk.first == 1 and sum(needs.values()) <= limit
    if talk.first > 1 or (talk.cost > sure and len(talk.lines) > 1 and not fits):
        # Its full share, whatever it needs now: the summary of old messages must not change with every turn.
        needs["conversation"] = max(talk.cost, sure)
        needs["summary"] = needs.get("summary", 0) + min(limit // 4, max(divide(limit)["summary"], _MOST_TOLD))
    return needs


def _fixed(context: Context, most: int, tokenizer: Tokenizer) -> _Fixed:
    noted = context.notes[: most // _NOTES_SHARE // _LEAST_NOTE]
    room = level([tokenizer.count(block(note.kind, note.text)) + JOINT for note in noted], most // _NOTES_SHARE)
    notes = tuple(_note(note, room - JOINT, tokenizer) for note in noted)
    last = tuple(_last_words(context, most // _LAST_SHARE, tokenizer))
    # Reserved for notes also in a turn without any: the room for the conversation must not change with every turn.
    cost = max(_cost_of(notes, tokenizer), min(most // _FREE_FOR_NOTES, _USUAL_NOTES)) + _cost_of(last, tokenizer)
    return _Fixed(notes, last, cost)


def _cost_of(drawn: Sequence[Drawn], tokenizer: Tokenizer) -> int:
    return sum(tokenizer.count(each.text()) + JOINT + FRAME_TOKENS for each in drawn)


def _note(note: Note, room: int, tokenizer: Tokenizer) -> Drawn:
    text = note.text
    while tokenizer.count(block(note.kind, text)) > room and text:
        text = text[: len(text) * 3 // 4]
    line = (TextSegment(block(note.kind, text), framed=True),)
    return Drawn(name=note.kind, role=RoleName.SYSTEM, lines=(line,), pace=Pace.EACH_TURN, required=True)


def _last_words(context: Context, room: int, tokenizer: Tokenizer) -> Iterator[Drawn]:
    words = filler(context.character, context.user)(card_text(context.character, "post_history_instructions"))
    if cut := tokenizer.cut(words, room):
        yield said_by_system("last_words", cut)
    if context.continuing:
        yield said_by_system("go_on", _GO_ON)


# ── a draft ──────────────────────────────────────────────────────────────────────────────────────


def _drafted(
    template: ResolvedTemplate,
    context: Context,
    fixed: _Fixed,
    talk: PromptHistory,
    granted: Mapping[str, int],
    beside: int,
    lore: Lore,
    worked_out: WorkedOut,
    tokenizer: Tokenizer,
) -> _Draft:
    """`beside` is the cost of the sections with memories without these memories."""
    talk = fit(talk, granted["conversation"], step_of(context.config), tokenizer)
    earlier = tell(context, talk.first, template.framing, granted["summary"] - JOINT, tokenizer)
    room = min(context.config.memory_budget, max(granted["recall"] - beside - JOINT, 0))
    _, used = sections_in_use(template, context, may_recall=True, may_tell=bool(earlier.entries))
    context = replace(context, memories=_unquoted(context.memories, talk, earlier))
    chosen = choose(context, template.framing, room, tokenizer.count, used - template.variables.keys())
    sections, slots, faults = drawn(template, context, worked_out, chosen, earlier.text)
    told = lore.within(granted["lore"])
    fitted = tuple(numbered_through(fit_sections(told.among(sections), granted, tokenizer)))
    messages = assemble(fitted, talk, notes=fixed.notes, last=fixed.last, deep=told.deep)
    return _Draft(
        sections=fitted,
        talk=talk,
        earlier=earlier,
        chosen=chosen,
        slots=slots,
        lore=told,
        faults=faults,
        messages=messages,
        cost=_cost(messages, tokenizer),
    )


def _unquoted(recalled: Sequence[Recalled], talk: PromptHistory, earlier: EarlierLines) -> tuple[Recalled, ...]:
    """Removes lines that are in the prompt verbatim anyway."""
    there = {line.message.id for line in talk.lines} | {id for entry in earlier.entries for id in entry.message_ids}
    return tuple(each for each in recalled if each.kind is PassageKind.MEMORY or each.record.id not in there)


# ── the last resort ──────────────────────────────────────────────────────────────────────────────


def _squeezed(messages: tuple[Said, ...], over: int, tokenizer: Tokenizer) -> tuple[Said, ...]:
    """Cuts the head of a prompt that otherwise consists of uncuttable text only."""
    if messages[0].role != "system":
        return messages
    head = tokenizer.cut(messages[0].content, max(tokenizer.count(messages[0].content) - over, 0))
    return (Said("system", head), *messages[1:])


def _cost(messages: Sequence[Said], tokenizer: Tokenizer) -> int:
    return sum(tokenizer.count(said.content) + FRAME_TOKENS for said in messages)


def _numbered(history: Sequence[Message]) -> list[Message]:
    """Unsaved messages have no number yet: they get the next ones."""
    numbered: list[Message] = []
    last = 0
    for message in history:
        last = message.seq if message.seq > last else last + 1
        numbered.append(message if message.seq == last else replace(message, seq=last))
    return numbered
