"""Reads a whole conversation for what stays of it: memories, a summary, themes, tone and topics (W1–W3).

In: its messages, a model, and the profile that says which kinds of memory are wanted. Out: candidates, what was
refused and why, and the account. Nothing here writes. A long conversation is read in parts that fit the model's
window, one after the other, and the parts are merged. Where an earlier analysis has read the beginning, and nobody
has changed it since, only the rest is read (W3). There is no analysis without a model: `NO_MODEL` says so.

Start at `analysis_of`; `unread` says beforehand whether there is anything to read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from everlore.domain.analysis import Analysis
from everlore.domain.conversation import Message
from everlore.domain.reading import Filter, Refusal, digest_of
from everlore.errors import ModelMisbehaved
from everlore.learning.analysis.answers import Part, analysis_ask, answer_tokens, read_part
from everlore.learning.analysis.judging import Ears, borne_out, ears_of, judged
from everlore.learning.analysis.merging import distinct, merged
from everlore.learning.analysis.profiles import Profile, types_of
from everlore.learning.asking import asked
from everlore.learning.candidate import Asker, Candidate
from everlore.learning.segments.transcript import (
    ESTIMATE,
    Count,
    Fitted,
    Line,
    as_block,
    fitted,
    is_read,
    lines_of,
    tokens_of,
)

NO_MODEL = "A conversation can only be analysed by a model, and none is connected. Connect one in the settings."
_WINDOW_TOKENS = 8_192
_INSTRUCTION_TOKENS = 1_500
_LEAST_TOKENS = 500
# However long it is: nobody reads more of one conversation, and a model that finds so much finds anything.
_MOST_KEPT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysed:
    """`digest` and `last_seq` say what was read, as `Analysis` keeps it; no digest where a part had no usable answer,
    so that it is read again the next time. `parts`: how many questions it took."""

    candidates: tuple[Candidate, ...] = ()
    refused: tuple[Refusal, ...] = ()
    summary: str = ""
    themes: tuple[str, ...] = ()
    tone: str = ""
    emotional_arc: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    key_topics: tuple[str, ...] = ()
    digest: str = ""
    last_seq: int = 0
    model: str = ""
    parts: int = 0
    source_message_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Wanted:
    profile: Profile
    setting: str
    user_by_name: bool
    context_window: int


@dataclass(frozen=True, slots=True)
class _Read:
    """What may be believed of one answer."""

    candidates: tuple[Candidate, ...]
    refused: tuple[Refusal, ...]
    account: Part


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
    latest analysis of this conversation. A model without a usable answer to any of its parts is `ModelMisbehaved`.
    """
    new = unread(messages, profile, earlier)
    lines = lines_of(new, names)
    if asker is None or not lines:
        return None
    wanted = _Wanted(profile, setting, user_by_name, context_window)
    parts = [await _read(part, names, asker, wanted) for part in parts_of(lines, _talk_tokens(context_window), count)]
    usable = [part for part in parts if part is not None]
    if not usable:
        raise ModelMisbehaved(f"{asker.name} gave no usable answer about this conversation. Try another model.")
    before = [_account(earlier)] if earlier is not None and len(new) < len(messages) else []
    return replace(
        _put_together(usable, before),
        digest=talk_digest(messages, profile) if len(usable) == len(parts) else "",
        last_seq=max(each.seq for each in messages),
        model=asker.name,
        parts=len(parts),
        source_message_ids=tuple(line.message.id for line in lines),
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
    """What was read, and for what: under another profile the same talk is read anew."""
    texts = (text for each in messages if is_read(each) for text in (each.id, each.content))
    return digest_of(profile.value, *texts)


def parts_of(lines: Sequence[Line], room_tokens: int, count: Count) -> list[Fitted]:
    """Runs of messages that fit, in order. A message that alone is too long keeps its beginning and its end."""
    parts: list[Fitted] = []
    run: list[Line] = []
    left = room_tokens
    for line in lines:
        cost = tokens_of(line, count)
        if run and cost > left:
            parts.append(fitted(run, room_tokens, count))
            run, left = [], room_tokens
        run.append(line)
        left -= cost
    return [*parts, fitted(run, room_tokens, count)] if run else parts


def _put_together(parts: Sequence[_Read], before: Sequence[Part]) -> Analysed:
    """`before`: the account of what was read earlier, without its memories."""
    candidates = distinct(each for part in parts for each in part.candidates)
    over = [Refusal(each.content, Filter.OVER_THE_CAP, f"at most {_MOST_KEPT}") for each in candidates[_MOST_KEPT:]]
    account = merged([*before, *(part.account for part in parts)])
    return Analysed(
        candidates=tuple(candidates[:_MOST_KEPT]),
        refused=(*(each for part in parts for each in part.refused), *over),
        summary=account.summary,
        themes=account.themes,
        tone=account.tone,
        emotional_arc=account.emotional_arc,
        participants=account.participants,
        key_topics=account.key_topics,
    )


async def _read(talk: Fitted, names: Mapping[str, str], asker: Asker, wanted: _Wanted) -> _Read | None:
    users = list(dict.fromkeys(line.name for line in talk.lines if line.is_user))
    block = as_block(talk, setting=wanted.setting, user=users)
    ask = analysis_ask(block, wanted.profile, wanted.context_window, user_by_name=wanted.user_by_name)
    answer = await asked(asker, ask, read_part, what="analysis")
    # Held against this part alone, for no other was the model given; and judging thousands at once would take long.
    return None if answer is None else _believed(answer, ears_of(talk.lines, names, wanted.setting), wanted.profile)


def _believed(answer: Part, ears: Ears, profile: Profile) -> _Read:
    candidates, refused = judged(answer.found, ears, types_of(profile))
    present = tuple(name for name in answer.participants if ears.all.knows(name))
    summary, unheard = borne_out(answer.summary, ears.all)
    account = replace(answer, found=(), summary=summary, participants=present)
    return _Read(tuple(candidates), (*refused, *unheard), account)


def _account(earlier: Analysis) -> Part:
    return Part(
        summary=earlier.summary,
        themes=earlier.themes,
        tone=earlier.tone,
        emotional_arc=earlier.emotional_arc,
        participants=earlier.participants,
        key_topics=earlier.key_topics,
    )


def _talk_tokens(window: int) -> int:
    return max(window - _INSTRUCTION_TOKENS - answer_tokens(window), min(_LEAST_TOKENS, window // 2))
