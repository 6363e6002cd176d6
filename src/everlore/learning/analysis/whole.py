"""Reads a whole conversation for what stays of it: memories, a summary, themes, tone and topics (W1–W3).

In: its messages, a model, and the profile that says which kinds of memory are wanted. Out: candidates, what was
refused and why, and the account. Nothing here writes. A long conversation is read in parts that fit the model's
window, one after the other, and the parts are merged. Where an earlier analysis has read the beginning, and nobody
has changed it since, only the rest is read (W3).

Start at `analysis_of`; `unread` says beforehand whether there is anything to read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from everlore.domain.analysis import Analysis
from everlore.domain.conversation import Message
from everlore.domain.reading import Filter, Refusal, digest_of
from everlore.learning.analysis.answers import (
    AnalysisAccount,
    AnalysisPart,
    account_in,
    analysis_ask,
    answer_tokens,
    read_part,
)
from everlore.learning.analysis.judging import Heard, heard_in, judged
from everlore.learning.analysis.merging import merged
from everlore.learning.analysis.profiles import Profile, types_of
from everlore.learning.asking import asked
from everlore.learning.candidate import Asker, Candidate
from everlore.learning.segments.transcript import (
    ESTIMATE,
    Count,
    FittedTranscript,
    TranscriptLine,
    as_block,
    fitted,
    is_read,
    lines_of,
    room_in,
    tokens_of,
)
from everlore.learning.segments.vetting import borne_out

_WINDOW_TOKENS = 8_192
_INSTRUCTION_TOKENS = 1_500
# However long it is: nobody reads more of one conversation, and a model that finds so much finds anything.
_MOST_KEPT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysed(AnalysisAccount):
    """`digest` and `last_seq` say what was read, as `Analysis` keeps it; no digest where a part had no usable answer,
    so that it is read again the next time. `parts`: how many questions it took."""

    candidates: tuple[Candidate, ...] = ()
    refused: tuple[Refusal, ...] = ()
    digest: str = ""
    last_seq: int = 0
    model: str = ""
    parts: int = 0


async def analysis_of(
    messages: Sequence[Message],
    names: Mapping[str, str],
    asker: Asker | None,
    profile: Profile,
    *,
    setting: str = "",
    user_by_name: bool = False,
    earlier: Analysis | None = None,
    context_window: int = _WINDOW_TOKENS,
    count: Count = ESTIMATE,
) -> Analysed | None:
    """None without a model, and where there is nothing to read that was not read before.

    `user_by_name`: in role-play the user's character is called by its name, and "User" otherwise. `earlier`: the
    latest analysis of this conversation. None also where a model gives no usable answer to any of its parts: asking it
    again would cost the same for the same.
    """
    new = unread(messages, profile, earlier)
    lines = lines_of(new, names)
    if asker is None or not lines:
        return None
    room = room_in(context_window, _INSTRUCTION_TOKENS + answer_tokens(context_window))
    runs = parts_of(lines, room, count)
    answers = [await _answered(run, asker, profile, setting, context_window, user_by_name) for run in runs]
    usable = [(run, answer) for run, answer in zip(runs, answers, strict=True) if answer is not None]
    if not usable:
        return None
    before = [AnalysisPart(**account_in(earlier))] if earlier is not None and len(new) < len(messages) else []
    # Held against its own part alone, for no other was the model given; and judging thousands at once would take long.
    read = [_believed(answer, heard_in(run.lines, names, setting), profile) for run, answer in usable]
    candidates = list({(each.type, each.content): each for part in read for each in part.candidates}.values())
    over = [Refusal(each.content, Filter.OVER_THE_CAP, f"at most {_MOST_KEPT}") for each in candidates[_MOST_KEPT:]]
    return Analysed(
        **account_in(merged([*before, *(AnalysisPart(**account_in(part)) for part in read)])),
        candidates=tuple(candidates[:_MOST_KEPT]),
        refused=(*(each for part in read for each in part.refused), *over),
        digest=talk_digest(messages, profile) if len(usable) == len(runs) else "",
        last_seq=max(each.seq for each in messages),
        model=asker.name,
        parts=len(runs),
    )


def unread(messages: Sequence[Message], profile: Profile, earlier: Analysis | None) -> Sequence[Message]:
    """What an analysis has to read: all of it, unless an earlier one has read the beginning as it is now."""
    if earlier is None:
        return messages
    read = [each for each in messages if each.seq <= earlier.last_seq]
    if talk_digest(read, profile) != earlier.digest:
        return messages
    return [each for each in messages if each.seq > earlier.last_seq]


def talk_digest(messages: Sequence[Message], profile: Profile) -> str:
    """What was read, and for what: under another profile the same talk is read again."""
    texts = (text for each in messages if is_read(each) for text in (each.id, each.content))
    return digest_of(profile.value, *texts)


def parts_of(lines: Sequence[TranscriptLine], room_tokens: int, count: Count) -> list[FittedTranscript]:
    """Runs of messages that fit, in order. A message that alone is too long keeps its beginning and its end."""
    parts: list[FittedTranscript] = []
    run: list[TranscriptLine] = []
    left = room_tokens
    for line in lines:
        cost = tokens_of(line, count)
        if run and cost > left:
            parts.append(fitted(run, room_tokens, count))
            run, left = [], room_tokens
        run.append(line)
        left -= cost
    return [*parts, fitted(run, room_tokens, count)] if run else parts


async def _answered(
    talk: FittedTranscript, asker: Asker, profile: Profile, setting: str, context_window: int, user_by_name: bool
) -> AnalysisPart | None:
    users = list(dict.fromkeys(line.name for line in talk.lines if line.is_user))
    block = as_block(talk, setting=setting, user=users)
    return await asked(
        asker, analysis_ask(block, profile, context_window, user_by_name=user_by_name), read_part, what="analysis"
    )


def _believed(answer: AnalysisPart, heard: Heard, profile: Profile) -> Analysed:
    """What may be believed of one answer."""
    candidates, refused = judged(answer.found, heard, types_of(profile))
    summary, unheard = borne_out(answer.summary, heard.all)
    present = tuple(name for name in answer.participants if heard.all.knows(name))
    account = account_in(answer) | {"summary": summary, "participants": present}
    return Analysed(**account, candidates=tuple(candidates), refused=(*refused, *unheard))
