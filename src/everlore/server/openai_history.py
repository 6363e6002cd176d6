"""Which conversation a client of `/v1` means, and what of its messages is new.

Clients send the whole talk each time, or only its last message. Our log is the truth: a message that is in
it is not kept twice. Without a session, the talk itself tells: what came before the last message is the end
of some conversation of ours, or the beginning of a new one. Start at `begin`.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from everlore.app import Everlore
from everlore.converse.turns import Sampling
from everlore.converse.writing import Writing
from everlore.domain.conversation import Author, Conversation, Message
from everlore.domain.display import display
from everlore.domain.person import Person
from everlore.errors import BadAsk, Conflict
from everlore.server.openai_wire import ChatMessage, ChatRequest
from everlore.store.port import Put

# How far back a conversation is looked for that goes on without naming itself.
_LOOK_BACK = 200
_MOST_LOG = 1_000
_MOST_ID = 128


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
    conversation, log = await _conversation(lore, character, asked, session, lines)
    sampling = _sampling(asked)
    if is_another_try(lines, _lines(log)):
        return conversation, await lore.turns.regenerate(lore.scope, conversation.id, log[-1].id, sampling=sampling)
    if not log:
        await _seed(lore, conversation, character, talk[:-1])
    writing = await lore.turns.say(
        lore.scope, conversation.id, lines[-1].text, speaker_id=character.id, sampling=sampling
    )
    return conversation, writing


def is_another_try(talk: Sequence[Line], log: Sequence[Line]) -> bool:
    """The client sends what we have, without our last reply: it wants another one."""
    return len(talk) > 1 and len(log) == len(talk) + 1 and _same(talk, log[:-1]) and not log[-1].is_user


def goes_on(talk: Sequence[Line], log: Sequence[Line]) -> bool:
    """All but the last message of the talk is our log, whole."""
    return len(talk) > 1 and len(talk) == len(log) + 1 and _same(talk[:-1], log)


def _same(one: Sequence[Line], other: Sequence[Line]) -> bool:
    # Clients trim, and change line ends.
    return all(a.is_user == b.is_user and a.text.split() == b.text.split() for a, b in zip(one, other, strict=True))


async def _conversation(
    lore: Everlore, character: Person, asked: ChatRequest, session: str | None, lines: list[Line]
) -> tuple[Conversation, list[Message]]:
    id = _named(character, asked, session)
    if id is None:
        found = await _by_history(lore, character, lines)
        return found or (await _new(lore, character, None), [])
    known = await lore.store.get_many(lore.scope, Conversation, [id])
    if not known:
        return await _new(lore, character, id), []
    if character.id not in known[0].system_ids:
        raise Conflict(f"Conversation {id!r} is with somebody else than {character.name}. Choose another session id.")
    return known[0], await _log(lore, known[0])


def _named(character: Person, asked: ChatRequest, session: str | None) -> str | None:
    """The id of the conversation, where the client names it (V11)."""
    id = session or (asked.metadata or {}).get("conversation_id")
    if id is not None:
        if not id.strip() or len(id) > _MOST_ID or not id.isprintable():
            raise BadAsk(f"The session id must be a plain text of 1 to {_MOST_ID} characters.")
        return id
    if asked.user:
        # One conversation for each user and character: `user` names a person, not a talk.
        return hashlib.sha256(f"{asked.user}\n{character.id}".encode()).hexdigest()[:26]
    return None


async def _by_history(
    lore: Everlore, character: Person, lines: list[Line]
) -> tuple[Conversation, list[Message]] | None:
    if len(lines) == 1:
        return None
    page = await lore.conversations.list(limit=_LOOK_BACK)
    for conversation in page.items:
        # The count never goes down, so a conversation of which something was deleted may have a higher one.
        if conversation.system_ids != (character.id,) or conversation.message_count < len(lines) - 1:
            continue
        log = await _log(lore, conversation)
        if goes_on(lines, _lines(log)) or is_another_try(lines, _lines(log)):
            return conversation, log
    return None


async def _new(lore: Everlore, character: Person, id: str | None) -> Conversation:
    return await lore.conversations.start(character, id=id, greet=False)


async def _log(lore: Everlore, conversation: Conversation) -> list[Message]:
    page = await lore.messages.list(conversation.id, limit=_MOST_LOG)
    return [each for each in page.items if each.content.strip()]


def _lines(log: Sequence[Message]) -> list[Line]:
    return [Line(each.author is Author.USER, display(each.content).text) for each in log]


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
