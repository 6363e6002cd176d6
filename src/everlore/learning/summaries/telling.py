"""What a summary says: what a model makes of the words, as far as it is borne out by them, or else a quotation (C7).

In: a stretch of messages, or a row of summaries, and a model or none. Out: the text, and whether it only quotes.
A sentence with a name or a number that nobody said is dropped (F5); where no sentence is left, the model did not
answer, or there is none, the weightiest sentences are quoted. Nothing here writes, and nothing raises because of a
model.

Start at `told_of_messages` and `told_of_parts`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import structlog

from everlore.domain.blocks import resource
from everlore.domain.conversation import Message, Summary
from everlore.errors import ModelUnavailable
from everlore.learning.asking import asked
from everlore.learning.candidate import Asker
from everlore.learning.segments.answers import read_summary, summary_ask
from everlore.learning.segments.keyframes import ANSWER_TOKENS
from everlore.learning.segments.transcript import ESTIMATE, Count, Line, as_block, clip, fitted, lines_of
from everlore.learning.segments.vetting import Told, borne_out, sentences_of, told_in
from everlore.learning.summaries.quoting import MOST_SENTENCES, UNTOLD, quoted_lines, quoted_parts

log = structlog.get_logger(__name__)

_WINDOW_TOKENS = 8_192
_INSTRUCTION_TOKENS = 600
_LEAST_TOKENS = 500
_MOST_PART_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Summed:
    """`extractive`: quoted, while a model could have said it better."""

    content: str
    extractive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What there is to know besides the words. `names`: those of the persons, by id. `with_private`: of an inner
    dialogue, whose summaries are as private as it is."""

    names: Mapping[str, str]
    setting: str = ""
    context_window: int | None = None
    with_private: bool = False
    count: Count = ESTIMATE

    @property
    def known(self) -> tuple[str, ...]:
        """What need not be said to be true: who is there, and where."""
        return (*self.names.values(), self.setting)

    @property
    def window(self) -> int:
        return self.context_window or _WINDOW_TOKENS

    @property
    def room(self) -> int:
        taken = _INSTRUCTION_TOKENS + ANSWER_TOKENS
        return max(self.window - taken, min(_LEAST_TOKENS, self.window // 2))


async def told_of_messages(messages: Sequence[Message], around: Circumstances, asker: Asker | None) -> Summed:
    lines = _lines(messages, around)
    if not lines:
        # Not for want of a model: no other would find more in it.
        return Summed(UNTOLD, extractive=False)
    block = as_block(fitted(lines, around.room, around.count), setting=around.setting)
    told = told_in((line.text for line in lines), (*around.known, *(line.name for line in lines)))
    content = await _asked(asker, "summary", block, told, around)
    return Summed(content, extractive=False) if content else Summed(quoted_lines(lines), extractive=True)


async def told_of_parts(parts: Sequence[Summary], around: Circumstances, asker: Asker | None) -> Summed:
    telling = [each for each in parts if each.content != UNTOLD]
    if not telling:
        return Summed(UNTOLD, extractive=False)
    told = told_in((each.content for each in telling), around.known)
    content = await _asked(asker, "summary_of_summaries", _block(telling), told, around)
    return Summed(content, extractive=False) if content else Summed(quoted_parts(telling), extractive=True)


def _lines(messages: Sequence[Message], around: Circumstances) -> tuple[Line, ...]:
    open_to_us = [replace(each, private=False) for each in messages] if around.with_private else messages
    return lines_of(open_to_us, around.names)


def _block(parts: Sequence[Summary]) -> str:
    told = [
        {"messages": f"{each.first_seq}–{each.last_seq}", "text": clip(each.content, _MOST_PART_CHARS)}
        for each in parts
    ]
    return resource("conversation", "summaries", {"summaries": told})


async def _asked(asker: Asker | None, prompt: str, block: str, told: Told, around: Circumstances) -> str:
    """What the model says, as far as it may stand; empty where nothing does."""
    if asker is None:
        return ""
    ask = summary_ask(block, ANSWER_TOKENS, around.window, prompt=prompt)
    try:
        answer = await asked(asker, ask, read_summary, what="summary of a talk")
    except ModelUnavailable as error:
        # The prompt of the next turn cannot wait for it; what is quoted meanwhile is summed up when it is back.
        log.warning("learning.quoted_instead", model=asker.name, error=str(error))
        return ""
    kept, _ = borne_out(answer or "", told)
    return " ".join(sentences_of(kept)[:MOST_SENTENCES])
