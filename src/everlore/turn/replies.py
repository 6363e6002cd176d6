"""The states of a reply, as pure steps: begun, written so far, complete, stopped, failed, broken off.

Alternatives: while there is one version, `alternatives` is empty; from the second on it holds all of them,
and `alternatives[chosen]` is the content. While a new version is written, `alternatives` holds the others,
and `chosen` is the place that the new one will have. A version that ends without a word gives way to the
one that stood before it, in the state in which that was: nothing is lost.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from everlore.domain.conversation import WITHDRAWN, Message, MessageState, Withdrawal
from everlore.domain.display import with_opened_thoughts
from everlore.domain.weight import weigh
from everlore.learning.confirmation import ASKS
from everlore.models.chat import End
from everlore.store.port import Amend

BROKEN_OFF = "Everlore ended while this reply was being written. Continue it, or write it anew."

# Under this name a reply keeps what the reader should know of it, and no model is told.
NOTICE = "notice"
# What is kept with a reply only while it is being written: by whom, and what stood there before.
_PASSING = ("holder", "before")
# What is told of a version; it does not hold of another one.
_TOLD = ("model", "built_in", "finish", "prompt_tokens", "reply_tokens", NOTICE, ASKS)
_CHANGING = (
    "content",
    "state",
    "error",
    "alternatives",
    "chosen",
    "tokens",
    "weight",
    "hidden",
    "metadata",
    "updated_at",
)


@dataclass(frozen=True, slots=True)
class ReplySource:
    """Who wrote a version, and what it cost."""

    model: str
    built_in: bool
    end: End
    # The memory that the reply was to ask about.
    asks: str = ""


def begun_again(reply: Message, at: datetime, holder: str) -> Message:
    """Ready for another version of the same reply."""
    versions = reply.alternatives or ((reply.content,) if reply.content else ())
    return replace(
        _taken(reply, at, holder, {"chosen": reply.chosen, "state": reply.state.value}),
        content="",
        alternatives=versions,
        chosen=len(versions),
    )


def going_on(reply: Message, at: datetime, holder: str) -> Message:
    """Ready for more of the same version."""
    return replace(
        _taken(reply, at, holder, {}),
        alternatives=tuple(each for place, each in enumerate(reply.alternatives) if place != reply.chosen),
        # The version that goes on moves to the end, where the versions being written are.
        chosen=max(len(reply.alternatives) - 1, 0),
    )


def written_so_far(reply: Message, content: str, at: datetime) -> Message:
    return replace(reply, content=content, updated_at=at)


def complete(reply: Message, content: str, source: ReplySource, tokens: int, at: datetime) -> Message:
    ended = _ended(reply, content, MessageState.COMPLETE, "", at)
    return replace(ended, tokens=tokens, metadata=ended.metadata | _told(source))


def stopped(reply: Message, content: str, at: datetime, *, error: str = "") -> Message:
    return _ended(reply, content, MessageState.STOPPED, error, at)


def failed(reply: Message, content: str, error: str, at: datetime) -> Message:
    return _ended(reply, content, MessageState.FAILED, keepable(error)[:1_000], at)


def broken_off(reply: Message, at: datetime) -> Message:
    return _ended(reply, reply.content, MessageState.STOPPED, BROKEN_OFF, at)


def chosen(reply: Message, index: int, at: datetime) -> Message:
    content = reply.alternatives[index]
    return replace(reply, content=content, chosen=index, tokens=None, weight=weigh(content), updated_at=at)


def edited(message: Message, content: str, at: datetime) -> Message:
    versions = list(message.alternatives)
    if versions:
        versions[message.chosen] = content
    return replace(
        message, content=content, alternatives=tuple(versions), tokens=None, weight=weigh(content), updated_at=at
    )


def revised(message: Message, content: str, at: datetime) -> Message:
    """Edited, with the text that it had as an earlier version."""
    versions = (*(message.alternatives or (message.content,)), content)
    return replace(
        message,
        content=content,
        alternatives=versions,
        chosen=len(versions) - 1,
        tokens=None,
        weight=weigh(content),
        updated_at=at,
    )


def withdrawn(message: Message, withdrawal: Withdrawal) -> Message:
    """Out of the talk, but not out of the log."""
    metadata = message.metadata | {WITHDRAWN: withdrawal.as_json}
    return replace(message, hidden=True, metadata=metadata, updated_at=withdrawal.at)


def restored(message: Message, at: datetime) -> Message:
    metadata = {name: value for name, value in message.metadata.items() if name != WITHDRAWN}
    return replace(message, hidden=False, metadata=metadata, updated_at=at)


def keepable(text: str) -> str:
    """A text from outside as every store takes it: without NUL and without halves of characters."""
    return text.replace("\x00", "").encode(errors="replace").decode()


# ── how a step is kept ───────────────────────────────────────────────────────────────────────────


def instead_of(before: Message, after: Message) -> Amend:
    """The step as a change that is made only while nobody else has changed the message."""
    return kept_if(after, {name: getattr(before, name) for name in ("content", "state", "updated_at")})


def kept_if(after: Message, only_if: dict[str, Any]) -> Amend:
    return Amend(Message, after.id, {name: getattr(after, name) for name in _CHANGING}, only_if=only_if)


def held_by(reply: Message) -> dict[str, Any]:
    """What holds of a stored reply for as long as nobody has taken it over."""
    return {"metadata": reply.metadata}


def was_kept(after: Message, stored: Message) -> bool:
    return all(getattr(after, name) == getattr(stored, name) for name in _CHANGING)


def _taken(reply: Message, at: datetime, holder: str, before: dict[str, Any]) -> Message:
    passing: dict[str, Any] = {"holder": holder} | ({"before": before} if before else {})
    return replace(reply, state=MessageState.STREAMING, error="", metadata=_lasting(reply) | passing, updated_at=at)


def _ended(reply: Message, content: str, state: MessageState, error: str, at: datetime) -> Message:
    others = reply.alternatives
    ended = replace(reply, error=error, metadata=_lasting(reply), updated_at=at)
    if not content.strip():
        return _as_before(ended, state, reply.metadata.get("before"))
    content = with_opened_thoughts(content)
    told_anew = {name: value for name, value in ended.metadata.items() if name not in _TOLD}
    return replace(
        ended,
        content=content,
        state=state,
        alternatives=(*others, content) if others else (),
        chosen=len(others),
        tokens=None,
        weight=weigh(content),
        metadata=told_anew,
    )


def _as_before(ended: Message, state: MessageState, before: Any) -> Message:
    """Without a word: the version that stood before stands again; the error says what became of the new one."""
    others = ended.alternatives
    if not others:
        return replace(ended, content="", state=state, alternatives=(), chosen=0, tokens=None)
    # Only a version that went on has nothing before it, and an imported one may have been empty.
    known = before or {"chosen": len(others) - 1, "state": state.value}
    place, was = known["chosen"], MessageState(known["state"])
    kept = others if len(others) > 1 else ()
    content = others[place]
    return replace(
        ended, content=content, state=was, alternatives=kept, chosen=place if kept else 0, weight=weigh(content)
    )


def _lasting(reply: Message) -> dict[str, Any]:
    return {name: value for name, value in reply.metadata.items() if name not in _PASSING}


def _told(source: ReplySource) -> dict[str, Any]:
    end = source.end
    return {
        "model": source.model,
        "built_in": source.built_in,
        "finish": end.reason.value,
        "prompt_tokens": end.prompt_tokens,
        "reply_tokens": end.reply_tokens,
    } | {name: text for name, text in ((ASKS, source.asks), (NOTICE, end.notice)) if text}
