"""Answers outside of any conversation: a program asks for them, in a scene or without one, and nothing is saved.

A scene is composed of what the caller sends, with what the character remembers; without one, the model gets the
caller's messages unchanged. The answer can be streamed and stopped like a reply.

Start at `in_scene` and `outside`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

import structlog

from everlore.domain.config import DEFAULTS
from everlore.domain.conversation import Author, Conversation, Message, MessageState
from everlore.domain.person import Person, preferring
from everlore.domain.scope import Scope
from everlore.errors import EverloreError
from everlore.models.chat import Ask, Said
from everlore.turn import replies
from everlore.turn.backends import ChosenModel, told_window
from everlore.turn.compose import prompt_of
from everlore.turn.cuts import told_in_header
from everlore.turn.gather import gather
from everlore.turn.ownership import shown_to
from everlore.turn.plan import Plan, Sampling
from everlore.turn.reply_writer import Writing
from everlore.turn.resources import Resources
from everlore.turn.stage import Stage, with_room_for
from everlore.turn.write import listen

log = structlog.get_logger(__name__)
_UNEXPECTED = "Something unexpected happened while this was answered. This is a bug; the log says more."
# Resolves the model to ask, and the request to send to it.
Asking = Callable[[Writing], Awaitable[tuple[ChosenModel, Ask]]]


@dataclass(frozen=True, slots=True)
class Aside:
    writing: Writing
    _task: "asyncio.Task[None]"

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


def in_scene(
    resources: Resources,
    scope: Scope,
    character: Person,
    user: Person,
    lines: Sequence[tuple[bool, str]],
    sampling: Sampling,
) -> Aside:
    """The character answers in a conversation of these lines, each with whether the user wrote it."""

    async def asking(writing: Writing) -> tuple[ChosenModel, Ask]:
        plan = _plan(resources, scope, character, user, lines, sampling)
        chosen = await resources.backends.model_for(scope, config=preferring(character, DEFAULTS))
        window = await told_window(chosen.model)
        gathered = await gather(resources, plan, built_in=chosen.endpoint.built_in)
        asked = prompt_of(plan, gathered, resources.tokenizer, window)
        writing.cut = told_in_header(asked.cuts)
        return chosen, asked.ask

    return _begun(resources, scope, asking)


def outside(
    resources: Resources, scope: Scope, character: Person, messages: Sequence[Said], sampling: Sampling
) -> Aside:
    """The character's model answers these messages alone."""

    async def asking(_writing: Writing) -> tuple[ChosenModel, Ask]:
        chosen = await resources.backends.model_for(scope, config=preferring(character, DEFAULTS))
        ask = Ask(
            messages=tuple(messages),
            max_tokens=sampling.max_tokens,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            stop=sampling.stop,
            extra=sampling.extra,
            waits_for_rate=False,
        )
        return chosen, ask

    return _begun(resources, scope, asking)


def _begun(resources: Resources, scope: Scope, asking: Asking) -> Aside:
    now = resources.clock()
    reply = Message(
        workspace=scope.workspace,
        id=resources.new_id(),
        conversation_id=resources.new_id(),
        author=Author.ASSISTANT,
        content="",
        state=MessageState.STREAMING,
        created_at=now,
        updated_at=now,
    )
    writing = Writing(reply)
    return Aside(writing, asyncio.create_task(_write(resources, asking, writing)))


async def _write(resources: Resources, asking: Asking, writing: Writing) -> None:
    """Every failure ends in a reply that says so."""
    reply = replies.stopped(writing.begun, "", resources.clock())
    try:
        with resources.slots.turn():
            chosen, ask = await asking(writing)
            async with resources.slots.replying(chosen.model.backend):
                end = await listen(chosen.model.stream(ask), writing, lambda _: None)
        source = replies.ReplySource(chosen.model.name, chosen.endpoint.built_in, end)
        tokens = end.reply_tokens or resources.tokenizer.count(writing.content)
        reply = replies.complete(writing.begun, writing.content, source, tokens, resources.clock())
    except asyncio.CancelledError:
        reply = replies.stopped(writing.begun, writing.content, resources.clock())
        raise
    except EverloreError as error:
        writing.failure = error
        reply = replies.failed(writing.begun, writing.content, str(error), resources.clock())
    except Exception:
        log.exception("aside.failed")
        reply = replies.failed(writing.begun, writing.content, _UNEXPECTED, resources.clock())
    finally:
        writing.end()
        writing.finish(reply)


def _plan(
    resources: Resources,
    scope: Scope,
    character: Person,
    user: Person,
    lines: Sequence[tuple[bool, str]],
    sampling: Sampling,
) -> Plan:
    now = resources.clock()
    character = shown_to(scope, character)
    conversation = Conversation(
        workspace=scope.workspace,
        id=resources.new_id(),
        system_ids=(character.id,),
        user_id=user.id,
        message_count=len(lines),
        private=True,
        created_at=now,
        updated_at=now,
    )
    said = Message(
        workspace=scope.workspace, id="", conversation_id=conversation.id, content="", created_at=now, updated_at=now
    )
    history = tuple(
        replace(
            said,
            id=resources.new_id(),
            seq=seq,
            author=Author.USER if is_user else Author.ASSISTANT,
            person_id=user.id if is_user else character.id,
            content=text,
        )
        for seq, (is_user, text) in enumerate(lines, start=1)
    )
    stage = Stage(
        conversation=conversation,
        config=with_room_for(DEFAULTS, len(lines)),
        persons={each.id: each for each in (character, user)},
        history=history,
    )
    reply = replace(said, id=resources.new_id(), seq=len(lines) + 1, author=Author.ASSISTANT, person_id=character.id)
    return Plan(scope=scope, stage=stage, speaker=character, history=history, reply=reply, sampling=sampling)
