"""Tells about messages that are not in the prompt verbatim (P10), framed as data (P8, P15).

Start at `tell`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from everlore.compose.context import Context
from everlore.compose.fidelity import HistoryEntry, OlderMessages, recall_older
from everlore.compose.talk import TOLD_IN_SHORT
from everlore.domain.blocks import as_json, inert, resource
from everlore.domain.template import Framing
from everlore.models.tokenizer import Tokenizer

_HEADING = "## Earlier in this conversation"


@dataclass(frozen=True, slots=True)
class EarlierLines:
    text: str = ""
    entries: tuple[HistoryEntry, ...] = ()


def tell(context: Context, before: int, framing: Framing, room: int, tokenizer: Tokenizer) -> EarlierLines:
    """The old part of the conversation, up to the message before number `before`, in at most `room` tokens."""
    older = OlderMessages(
        messages=[message for message in context.history if message.seq < before],
        first=1,
        last=before - 1,
        summaries=context.summaries,
        learnt=context.learnt,
        names=context.names,
        recent=TOLD_IN_SHORT,
    )
    frame = tokenizer.count(_framed((), context, framing)) + 4

    def cost(line: str) -> int:
        return tokenizer.count(_line(line, framing)) + 2

    entries = recall_older(older, budget=max(room - frame, 0), cost=cost)
    return EarlierLines(_framed(entries, context, framing), entries) if entries else EarlierLines()


def _framed(entries: Sequence[HistoryEntry], context: Context, framing: Framing) -> str:
    if framing is Framing.MARKDOWN:
        return "\n".join([_HEADING, *(_line(entry.line, framing) for entry in entries)])
    data = {"earlier": [entry.line for entry in entries]}
    return resource(f"conversation/{context.conversation_id or 'this'}", "history", data)


def _line(line: str, framing: Framing) -> str:
    if framing is Framing.BLOCK:
        return as_json(line)
    # Indented, so that no line of it can imitate one of the prompt's own.
    return "- " + "\n  ".join(inert(line).splitlines())
