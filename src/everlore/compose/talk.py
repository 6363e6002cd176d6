"""The latest messages for a model, verbatim (P10, P13, V13).

The first message changes in steps: between them, each prompt extends the previous one byte for byte, so that the prompt
cache of a provider works. The message to answer is always included, cut if necessary. A character sees only messages at
which it was present, and nothing hidden.

Start at `fit`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from everlore.compose.account import SectionState
from everlore.compose.context import Context
from everlore.compose.fidelity import RUN
from everlore.domain.blocks import inert, resource
from everlore.domain.config import ConversationConfig
from everlore.domain.conversation import Author, Message, is_users_own, said_by, spoken
from everlore.domain.tokens import TOLD, told_with, with_told
from everlore.domain.visibility import present_at
from everlore.models.chat import Said
from everlore.models.tokenizer import Tokenizer

# The overhead of a chat format for each message.
FRAME_TOKENS = 6
_GAP = " […] "
# With fewer tokens, the placeholder for a gap would cost too much.
_WORTH_A_GAP = 32
# Hardly any token is longer: text further from the end need not be counted.
_LONGEST_TOKEN = 32
# The step by which the start advances without pruning, and the messages read without it: far more than most prompts
# hold.
_STEP = 20
_UNPRUNED = 2_000
# The number of messages before the verbatim part that get extracts; older ones are only listed.
TOLD_IN_SHORT = 40


class HistoryLine(NamedTuple):
    """A message as it appears in the prompt. A tuple, because there can be thousands and tuples are made fastest."""

    message: Message
    said: Said
    cost: int
    state: SectionState = SectionState.WHOLE


@dataclass(frozen=True, slots=True)
class PromptHistory:
    """`first` is the number of its first message: all earlier ones are old."""

    lines: tuple[HistoryLine, ...] = ()
    first: int = 1
    cost: int = 0


def seen_by(history: Sequence[Message], character_id: str) -> tuple[Message, ...]:
    """The messages at which the character was present (V13), without hidden and empty ones, and without the thoughts of
    others."""
    read = (each if each.person_id == character_id else spoken(each) for each in history)
    return tuple(message for message in read if _is_seen(message, character_id))


def whole(context: Context, limit: int, count: Callable[[str], int]) -> PromptHistory:
    """All messages that should be verbatim, if there is room. Messages that certainly do not fit, because those after
    them exceed `limit` already, are not counted."""
    first = _first_recent(context)
    lines: list[HistoryLine] = []
    cost = 0
    for message in reversed(context.history):
        if message.seq < first or cost > limit:
            break
        lines.append(_line(message, context, count))
        cost += lines[-1].cost
    return PromptHistory(tuple(reversed(lines)), first, cost)


def messages_read(config: ConversationConfig) -> int:
    """How many of the latest messages a prompt can need: the verbatim ones, and those before them that get extracts."""
    # Extracts are made of runs, the first of which may begin a little earlier.
    return config.message_trim + step_of(config) + TOLD_IN_SHORT + RUN if config.prune else _UNPRUNED


def step_of(config: ConversationConfig) -> int:
    return config.message_trim if config.prune else _STEP


def fit(talk: PromptHistory, room: int, step: int, tokenizer: Tokenizer) -> PromptHistory:
    """The latest messages that fit, or fewer, so that the start stays the same for a while."""
    if talk.cost <= room or not talk.lines:
        return talk
    kept = _latest(talk.lines, room)
    if not kept:
        last = _cut(talk.lines[-1], tokenizer, room - FRAME_TOKENS)
        return PromptHistory((last,), last.message.seq, last.cost)
    least, most = kept[0].message.seq - 1, kept[len(kept) // 2].message.seq - 1
    at_step = _up_to_step(least, step)
    first = (at_step if at_step <= most else _roundest(least, most)) + 1
    lines = tuple(line for line in kept if line.message.seq >= first)
    return PromptHistory(lines, first, sum(line.cost for line in lines))


def _first_recent(context: Context) -> int:
    """Advances in steps, so that the start of the conversation stays the same for some turns."""
    step = step_of(context.config)
    first = _up_to_step(context.recent_from - 1, step) + 1
    if not context.history or not context.config.prune:
        return first
    return max((context.history[-1].seq - context.config.message_trim) // step * step + 1, first)


def _roundest(least: int, most: int) -> int:
    """The number in the range that is divisible by the highest power of two: as the range grows, it rarely changes."""
    step = 1
    while _up_to_step(least, step * 2) <= most:
        step *= 2
        if step > most:
            break
    return _up_to_step(least, step)


def _up_to_step(seq: int, step: int) -> int:
    return -(-seq // step) * step


def _latest(lines: Sequence[HistoryLine], room: int) -> list[HistoryLine]:
    kept: list[HistoryLine] = []
    for line in reversed(lines):
        if line.cost > room:
            break
        kept.append(line)
        room -= line.cost
    return kept[::-1]


def _line(message: Message, context: Context, count: Callable[[str], int]) -> HistoryLine:
    said = _said(message, context)
    return HistoryLine(message, said, count(said.content) + FRAME_TOKENS)


def _is_seen(message: Message, character_id: str) -> bool:
    if message.hidden or not message.content.strip():
        return False
    return character_id in present_at(message, [character_id])


def _said(message: Message, context: Context) -> Said:
    content = _with_told(message, context)
    if message.person_id == context.character.id and message.author in (Author.ASSISTANT, Author.NARRATOR):
        return Said("assistant", content)
    if message.author is Author.SYSTEM:
        return Said("system", content)
    if is_users_own(message) and (context.user is None or message.person_id in (None, context.user.id)):
        return Said("user", content)
    # Group chats already write the name before a line.
    if (other := said_by(message)) and content.startswith(f"{other}: "):
        return Said("user", content)
    # Another speaker in the scene: models know only two roles, so the name goes before the words.
    return Said("user", f"{speaker_of(message, context)}: {content}")


def _with_told(message: Message, context: Context) -> str:
    """The words of a message, with a block in place of each memory that it tells (R10)."""
    content = inert(message.content)
    if TOLD not in message.metadata:
        return content
    told = {id: context.told[id] for id in told_with(message.metadata) if id in context.told}

    def block(id: str) -> str:
        if id not in told:
            return ""
        data = {"from": speaker_of(message, context), "content": told[id].content}
        return f"\n{resource(f'memory/{id}', 'gossip', data)}\n"

    return with_told(content, block)


def speaker_of(message: Message, context: Context) -> str:
    known = "Narrator" if message.author is Author.NARRATOR else context.names.get(message.person_id or "", "Somebody")
    name = said_by(message) or known
    return inert(" ".join(name.split()))


# ── messages that are too long ───────────────────────────────────────────────────────────────────


def _cut(line: HistoryLine, tokenizer: Tokenizer, tokens: int) -> HistoryLine:
    """The end of a reply, which is to be continued; both ends of any other message."""
    said = line.said
    cut = _tail if said.role == "assistant" or tokens < _WORTH_A_GAP else _both_ends
    content = cut(said.content, tokenizer, max(tokens, 1))
    return HistoryLine(
        line.message, Said(said.role, content), tokenizer.count(content) + FRAME_TOKENS, SectionState.CUT
    )


def _both_ends(text: str, tokenizer: Tokenizer, tokens: int) -> str:
    """The beginning gives the subject; the question is mostly at the end."""
    tail = _GAP + _tail(text, tokenizer, tokens // 2)
    head = tokenizer.cut(text, tokens - tokenizer.count(tail))
    # A text can cost a little more than its parts.
    while head and tokenizer.count(head + tail) > tokens:
        head = head[: -(len(head) // 8 + 1)]
    return head + tail


def _tail(text: str, tokenizer: Tokenizer, tokens: int) -> str:
    text = text[-max(tokens, 1) * _LONGEST_TOKEN :]
    while text and tokenizer.count(text) > tokens:
        text = text[len(text) // 8 + 1 :]
    return text
