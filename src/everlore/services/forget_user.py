"""Forgetting a user of an app: all that they said and all that was learned from it. Start at `forget_user`.

Shared records of a campaign stay, without the user's name.
"""

from dataclasses import dataclass, replace

from everlore.domain.conversation import Conversation, Message
from everlore.domain.memory import Memory
from everlore.domain.person import USER_ID, Person, PersonKind
from everlore.domain.scope import Scope
from everlore.domain.token import Token
from everlore.errors import BadAsk, Forbidden, NotFound
from everlore.services.characters import Characters
from everlore.services.conversations import Conversations
from everlore.services.messages import Messages
from everlore.services.scoped_turns import ScopedTurns
from everlore.services.tokens import Tokens
from everlore.store.all_pages import all_of, each_of
from everlore.store.port import Store
from everlore.turn.resources import Resources


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenUser:
    """What was deleted, or would be. `messages`: of their conversations, and theirs in those of others. `memories`: in
    a dry run, all that they are part of; those shared with other users stay, without them. `campaign_messages`: what
    they said in campaigns, which stays."""

    conversations: int
    messages: int
    memories: int
    tokens: int
    campaign_messages: int


async def forget_user(
    resources: Resources, scope: Scope, turns: ScopedTurns, person: Person | str, *, dry_run: bool
) -> ForgottenUser:
    """Tokens first, so that nothing is added meanwhile, and the person last, so that it can be repeated if it was
    interrupted."""
    if scope.confined_to is not None:
        raise Forbidden("Only the owner of a workspace can forget a user.")
    store, characters = resources.store, Characters(scope, resources)
    user = await characters.get(person if isinstance(person, str) else person.id)
    if user.id == USER_ID:
        raise BadAsk("The workspace's own user cannot be forgotten. Delete the workspace, or what is known about you.")
    if user.kind is not PersonKind.USER:
        raise NotFound(f"There is no user {user.id!r} in this workspace: {user.name} is a character.")
    tokens = await all_of(store, scope, Token, {"user_id": user.id})
    started = await all_of(store, scope, Conversation, {"user_id": user.id, "inner_of_id": None})
    chats = [each for each in started if each.campaign_id is None]
    elsewhere, in_campaigns = await _said_elsewhere(store, scope, user.id, {each.id for each in chats})
    memories = [each.id async for each in each_of(store, scope, Memory, {"persons": user.id})]
    found = ForgottenUser(
        conversations=len(chats),
        messages=len(elsewhere) + sum(each.message_count for each in chats),
        memories=len(memories),
        tokens=len(tokens),
        campaign_messages=in_campaigns,
    )
    if dry_run:
        return found
    for token in tokens:
        if token.revoked_at is None:
            await Tokens(scope, resources).revoke(token.id)
    messages = Messages(scope, resources, turns)
    for chat in chats:
        await Conversations(scope, resources, turns, characters, messages).delete(chat.id)
    for message in elsewhere:
        await messages.remove(message.conversation_id, message.id)
    await characters.delete(user.id)
    kept = await store.get_many(scope, Memory, memories)
    return replace(found, memories=len(memories) - len(kept))


async def _said_elsewhere(store: Store, scope: Scope, user_id: str, own: set[str]) -> tuple[list[Message], int]:
    """Their messages in conversations of others, and how many are in campaigns."""
    said = await all_of(store, scope, Message, {"person_id": user_id})
    talks = await store.get_many(scope, Conversation, {each.conversation_id for each in said} - own)
    in_campaigns = {each.id: each.campaign_id is not None for each in talks}
    elsewhere = [each for each in said if in_campaigns.get(each.conversation_id) is False]
    return elsewhere, sum(in_campaigns.get(each.conversation_id, False) for each in said)
