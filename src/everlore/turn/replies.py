"""The states of a reply, as pure steps: begun, written so far, complete, stopped, failed, broken off.

While there is one version, `alternatives` is empty; from the second on it holds all of them, and `alternatives[chosen]`
is the content. While a new version is written, `alternatives` holds the others, and `chosen` is the index of the new
one. A version that ends without any text is replaced by the one before it, in the state that it had: nothing is lost.
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

BROKEN_OFF = "Everlore stopped while this reply was being written. Continue or regenerate it."

# The metadata field for what the reader should know about the reply; it is not sent to a model.
NOTICE = "notice"
# Stored only while the reply is being written: the process that writes it, and the version before.
_PASSING = ("holder", "before")
# Metadata of one version; it does not apply to another one.
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
    """Ready to continue the same version."""
    return replace(
        _taken(reply, at, holder, {}),
        alternatives=tuple(each for place, each in enumerate(reply.alternatives) if place != reply.chosen),
        # The version to continue moves to the end, where versions are written.
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
    """The edited message, with its previous text as an earlier version."""
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
    """The message hidden from the conversation but not removed from the log."""
    metadata = message.metadata | {WITHDRAWN: withdrawal.as_json}
    return replace(message, hidden=True, metadata=metadata, updated_at=withdrawal.at)


def restored(message: Message, at: datetime) -> Message:
    metadata = {name: value for name, value in message.metadata.items() if name != WITHDRAWN}
    return replace(message, hidden=False, metadata=metadata, updated_at=at)


def keepable(text: str) -> str:
    """A text from outside as every store accepts it: without NUL and without lone surrogates."""
    return text.replace("\x00", "").encode(errors="replace").decode()


# ── how a step is saved ──────────────────────────────────────────────────────────────────────────


def instead_of(before: Message, after: Message) -> Amend:
    """The step as a change that is applied only if nobody else has changed the message."""
    return kept_if(after, {name: getattr(before, name) for name in ("content", "state", "updated_at")})


def kept_if(after: Message, only_if: dict[str, Any]) -> Amend:
    return Amend(Message, after.id, {name: getattr(after, name) for name in _CHANGING}, only_if=only_if)


def held_by(reply: Message) -> dict[str, Any]:
    """What is true of a stored reply for as long as nobody has taken it over."""
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
    """For a version without text: restores the version before; the error says what happened to the new one."""
    others = ended.alternatives
    if not others:
        return replace(ended, content="", state=state, alternatives=(), chosen=0, tokens=None)
    # Nothing came before a version that was continued, and an imported one may have been empty.
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
