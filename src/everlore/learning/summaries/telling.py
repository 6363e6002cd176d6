"""Writes a summary: by a model, as far as the text supports it, or else as a quotation (C7).

In: a stretch of messages, or a row of summaries, and a model or none. Out: the text, and whether it is only quoted.
Sentences with names or numbers that nobody said are dropped (F5); if no sentence is left, the model fails, or there is
none, the most important sentences are quoted. Nothing here writes, and errors of a model do not raise.

Start at `told_of_messages` and `told_of_parts`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import structlog

from everlore.domain.blocks import resource
from everlore.domain.conversation import Message, Summary
from everlore.domain.weight import weigh
from everlore.errors import ModelUnavailable
from everlore.learning.asking import asked
from everlore.learning.candidate import Asker
from everlore.learning.segments.answers import read_summary, summary_ask
from everlore.learning.segments.keyframes import ANSWER_TOKENS
from everlore.learning.segments.transcript import (
    ESTIMATE,
    Count,
    TranscriptLine,
    as_block,
    clip,
    fitted,
    lines_of,
    room_in,
    speakers,
)
from everlore.learning.segments.vetting import SaidWords, borne_out, sentences_of, told_in

log = structlog.get_logger(__name__)

_WINDOW_TOKENS = 8_192
_INSTRUCTION_TOKENS = 600
_MOST_PART_CHARS = 2_000
UNTOLD = "Nothing was said here that may be told."
MOST_SENTENCES = 5
_MOST_CHARS = 200
# A longer message is a document, whose first pages hold the essentials.
_MOST_READ = 20_000
_MOST_NAMED = 4
_QUOTED = re.compile(r"[^“”.!?…]*“[^”]*”|[^“”.!?…]+[.!?…]*")
_MARKS = str.maketrans({"*": None, "_": None, "`": None, '"': "'", "“": "'", "”": "'", "„": "'", "«": "'", "»": "'"})


@dataclass(frozen=True, slots=True)
class Summed:
    """`extractive`: quoted, although a model could do better."""

    content: str
    extractive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """The context of the text. `names`: of the people, by id. `with_private`: for an inner dialogue, whose summaries
    are private as well."""

    names: Mapping[str, str]
    setting: str = ""
    context_window: int | None = None
    with_private: bool = False
    count: Count = ESTIMATE

    @property
    def known(self) -> tuple[str, ...]:
        """Names and setting, which may be used without having been said."""
        return (*self.names.values(), self.setting)

    @property
    def window(self) -> int:
        return self.context_window or _WINDOW_TOKENS


async def told_of_messages(messages: Sequence[Message], around: Circumstances, asker: Asker | None) -> Summed:
    readable = [replace(each, private=False) for each in messages] if around.with_private else messages
    lines = lines_of(readable, around.names)
    room = room_in(around.window, _INSTRUCTION_TOKENS + ANSWER_TOKENS)
    block = as_block(fitted(lines, room, around.count), setting=around.setting)
    told = told_in((line.text for line in lines), (*around.known, *(line.name for line in lines)))
    return await _told("summary", block, told, around, asker if lines else None, quoted_lines(lines))


async def told_of_parts(parts: Sequence[Summary], around: Circumstances, asker: Asker | None) -> Summed:
    telling = [each for each in parts if each.content != UNTOLD]
    summaries = [
        {"messages": f"{each.first_seq}–{each.last_seq}", "text": clip(each.content, _MOST_PART_CHARS)}
        for each in telling
    ]
    block = resource("conversation", "summaries", {"summaries": summaries})
    told = told_in((each.content for each in telling), around.known)
    asked_of = asker if telling else None
    return await _told("summary_of_summaries", block, told, around, asked_of, quoted_parts(telling))


async def _told(
    prompt: str, block: str, told: SaidWords, around: Circumstances, asker: Asker | None, quoted: str
) -> Summed:
    """The supported part of the model's answer; a quotation if nothing is supported."""
    content = ""
    if asker is not None:
        ask = summary_ask(block, ANSWER_TOKENS, around.window, prompt=prompt)
        try:
            answer = await asked(asker, ask, read_summary, what="summary of a talk")
            kept, _ = borne_out(answer or "", told)
            content = " ".join(sentences_of(kept)[:MOST_SENTENCES])
        except ModelUnavailable as error:
            # The next turn's prompt cannot wait; the quotation is replaced when the model is reachable again.
            log.warning("learning.quoted_instead", model=asker.name, error=str(error))
    # If there is nothing to summarize, another model would find nothing either.
    return Summed(content, extractive=False) if content else Summed(quoted, extractive=quoted != UNTOLD)


# ── without a model ──────────────────────────────────────────────────────────────────────────────


def quoted_lines(lines: Sequence[TranscriptLine]) -> str:
    """The speakers, and up to five sentences, in order."""
    if not lines:
        return UNTOLD
    names = speakers(lines)
    shown = [*names[:_MOST_NAMED], *(["others"] if len(names) > _MOST_NAMED else [])]
    who = f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]
    said = [(line.name, _clean(each)) for line in lines for each in sentences_of(line.text[:_MOST_READ])]
    return " ".join([f"{who} talked.", *_weightiest(f"{name} said: “{each}”" for name, each in said if each)])


def quoted_parts(parts: Sequence[Summary]) -> str:
    """Up to five sentences of the summaries, in order; quotations stay whole, with their speaker."""
    told = [each.content for each in parts if each.content != UNTOLD]
    found = [each.strip() for text in told for each in (_QUOTED.findall(text) if "“" in text else sentences_of(text))]
    is_lead = [each.endswith(" talked.") and "“" not in each for each in found]
    kept = (clip(each, 2 * _MOST_CHARS) for each, leads in zip(found, is_lead, strict=True) if not leads)
    return " ".join(_weightiest(kept)) or UNTOLD


def _weightiest(texts: Iterable[str]) -> list[str]:
    """The first, the last, and the most important between them; of equals the latest."""
    every = list(dict.fromkeys(texts))
    between = sorted(range(1, len(every) - 1), key=lambda at: (weigh(every[at]), at), reverse=True)
    kept = {0, len(every) - 1, *between[: MOST_SENTENCES - 2]}
    return [text for at, text in enumerate(every) if at in kept]


def _clean(sentence: str) -> str:
    return clip(" ".join(sentence.translate(_MARKS).split()), _MOST_CHARS)
