"""Which conversation a client of `/v1` means, and what of its messages is new.

Clients send the whole talk each time, or only its last message. Our log is the truth: a message that is in
it is not kept twice. Without a session, the talk itself tells: what came before the last message is the end
of some conversation of ours, or the beginning of a new one. A talk that we have already, up to our last
reply, asks for another reply: clients send the same again when the model has failed. Start at `begin`.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from everlore.app import Everlore
from everlore.converse.conversations import is_plain
from everlore.converse.turns import Sampling
from everlore.converse.writing import Writing
from everlore.domain.conversation import Author, Conversation, Message, MessageState
from everlore.domain.display import display
from everlore.domain.person import Person
from everlore.domain.weight import weigh
from everlore.errors import BadAsk, Conflict
from everlore.server.openai_wire import ChatMessage, ChatRequest
from everlore.store.port import Put

# How far back a conversation is looked for that goes on without naming itself.
_LOOK_BACK = 200
# A first message that failed is sent again soon, if at all.
_LOOK_BACK_TO_FIRST = 20


@dataclass(frozen=True, slots=True)
class Line:
    is_user: bool
    text: str


async def begin(
    lore: Everlore, character: Person, asked: ChatRequest, session: str | None
) -> tuple[Conversation, Writing]:
    talk = asked.talk
    if not talk or talk[-1].role != "user":
        raise BadAsk("The last message must be the user's. Send what is to be answered as the last message.")
    lines = [Line(each.role == "user", each.text) for each in talk]
    id = _named(character, asked, session)
    conversation, log = await _conversation(lore, character, id, lines)
    sampling = _sampling(asked)
    if is_another_try(lines, log, named=id is not None):
        return conversation, await lore.turns.regenerate(lore.scope, conversation.id, log[-1].id, sampling=sampling)
    if not log:
        await _seed(lore, conversation, character, talk[:-1])
    writing = await lore.turns.say(
        lore.scope, conversation.id, lines[-1].text, speaker_id=character.id, sampling=sampling
    )
    return conversation, writing


def is_another_try(talk: Sequence[Line], log: Sequence[Message], *, named: bool) -> bool:
    """The client sends what we have, without our last reply: it wants another one."""
    if not log or log[-1].author not in (Author.ASSISTANT, Author.NARRATOR):
        return False
    before = shown(log[:-1])
    if named and is_unfinished(log[-1]):
        # Who names the conversation need not send all of it.
        return _same(talk, before[-len(talk) :])
    # Many a talk begins with the same word: without a name, only one that failed is taken up again.
    return (len(talk) > 1 or named or has_failed(log[-1])) and _same(talk, before)


def goes_on(talk: Sequence[Line], log: Sequence[Message]) -> bool:
    """All but the last message of the talk is our log, whole."""
    return len(talk) > 1 and _same(talk[:-1], shown(log))


def may_fit(talk: Sequence[Line], newest: Sequence[Message]) -> bool:
    """Whether a log that ends with these two messages can be the talk, going on or tried again."""
    if not newest:
        return False
    if len(newest) > 1 and not shown(newest[:1]):
        return True  # What the client saw last is further up.
    ends = shown(newest)
    return _same(talk[-2:-1], ends[-1:]) or _same(talk[-1:], shown(newest[:-1]))


def shown(log: Sequence[Message]) -> list[Line]:
    """What of a log a client knows: nothing of a reply that failed before its first word."""
    lines = [Line(each.author is Author.USER, display(each.content).text) for each in log]
    return [line for line in lines if line.text.strip()]


def is_unfinished(reply: Message) -> bool:
    return reply.state is not MessageState.COMPLETE or not shown([reply])


def has_failed(reply: Message) -> bool:
    """Not one that is still being written: that one is somebody else's, who began alike."""
    return reply.state is MessageState.FAILED or (reply.state is not MessageState.STREAMING and not shown([reply]))


def _same(one: Sequence[Line], other: Sequence[Line]) -> bool:
    # Clients trim, and change line ends.
    return len(one) == len(other) and all(
        a.is_user == b.is_user and a.text.split() == b.text.split() for a, b in zip(one, other, strict=True)
    )


async def _conversation(
    lore: Everlore, character: Person, id: str | None, lines: list[Line]
) -> tuple[Conversation, Sequence[Message]]:
    if id is None:
        found = await _by_history(lore, character, lines)
        return found or (await _new(lore, character, None), [])
    known = await lore.conversations.known(id)
    if known is None:
        return await _new(lore, character, id), []
    if character.id not in known.system_ids:
        raise Conflict(f"Conversation {id!r} is with somebody else than {character.name}. Choose another session id.")
    return known, await _log(lore, known, lines)


def _named(character: Person, asked: ChatRequest, session: str | None) -> str | None:
    """What the client calls the conversation, where it does (V11). The header is there for nothing else, and is
    refused where it can be no id; what a body says is any text."""
    if session:
        return session
    id = (asked.metadata or {}).get("conversation_id")
    if id:
        return id if is_plain(id) else _hashed(id)
    if asked.user:
        # One conversation for each user and character: `user` names a person, not a talk.
        return _hashed(f"{asked.user}\n{character.id}")
    return None


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:26]


async def _by_history(
    lore: Everlore, character: Person, lines: list[Line]
) -> tuple[Conversation, Sequence[Message]] | None:
    """Among those of the caller: the owner sees what others said too, and does not go on with it."""
    limit = _LOOK_BACK if len(lines) > 1 else _LOOK_BACK_TO_FIRST
    page = await lore.conversations.list(user=await lore.user(), limit=limit)
    for conversation in page.items:
        # The count never goes down, so a conversation of which something was deleted may have a higher one.
        if conversation.system_ids != (character.id,) or conversation.message_count < len(lines) - 1:
            continue
        log = await _log(lore, conversation, lines)
        if goes_on(lines, log) or is_another_try(lines, log, named=False):
            return conversation, log
    return None


async def _new(lore: Everlore, character: Person, id: str | None) -> Conversation:
    return await lore.conversations.start(character, id=id, greet=False)


async def _log(lore: Everlore, conversation: Conversation, lines: list[Line]) -> Sequence[Message]:
    """The whole log, or only its end, where that tells already that the talk is another one."""
    page = await lore.messages.list(conversation.id, limit=2, newest_first=True)
    newest = page.items[::-1]
    return await lore.messages.all(conversation.id) if may_fit(lines, newest) else newest


async def _seed(lore: Everlore, conversation: Conversation, character: Person, talk: Sequence[ChatMessage]) -> None:
    """What was said elsewhere before: kept, so that it can be read and found."""
    now = lore.desk.clock()
    messages = [
        Message(
            workspace=conversation.workspace,
            id=lore.desk.new_id(),
            conversation_id=conversation.id,
            author=Author.USER if each.role == "user" else Author.ASSISTANT,
            person_id=conversation.user_id if each.role == "user" else character.id,
            content=each.text,
            present=(*([conversation.user_id] if conversation.user_id else []), character.id),
            private=conversation.private,
            weight=weigh(each.text),
            created_at=now,
            updated_at=now,
        )
        for each in talk
    ]
    if messages:
        await lore.store.apply(lore.scope, [Put(message) for message in messages])


def _sampling(asked: ChatRequest) -> Sampling:
    return Sampling(
        temperature=asked.temperature,
        top_p=asked.top_p,
        max_tokens=asked.max_completion_tokens or asked.max_tokens,
        stop=asked.stops,
        instructions=asked.instructions,
    )
