"""Full-text search in the messages of one chat, or of all chats that the caller may open.

Takes the words to look for; returns matches with a short excerpt, newest chats first. A match is always in the text as
the caller may read it: hidden thoughts, deleted messages and messages removed in another app never match. The messages
of private chats are only found in a search of that chat. Start at `search_messages`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from everlore.domain.conversation import Conversation, Message, MessageState
from everlore.domain.display import display
from everlore.domain.scope import Scope
from everlore.errors import BadAsk
from everlore.store.answers import Page
from everlore.store.port import Contains, Store
from everlore.turn.ownership import conversation_of

MOST_QUERY_CHARS = 200
# Per chat, if all chats are searched: the search of one chat lists the rest.
MOST_PER_CHAT = 10
_MOST_WORDS = 10
_CHATS_PER_PAGE = 100
_MESSAGES_PER_PAGE = 500
_MOST_PAGES = 20
_BEFORE_CHARS = 40
_EXCERPT_CHARS = 160


@dataclass(frozen=True, slots=True)
class MessageMatch:
    conversation: Conversation
    message: Message
    excerpt: str


Read = Callable[[Message], Message]


async def search_messages(
    store: Store,
    scope: Scope,
    read: Read,
    query: str,
    *,
    conversation_id: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> Page:
    """A page of `MessageMatch`. `read` returns a message as the caller may read it."""
    words = words_of(query)
    if conversation_id is not None:
        conversation = await conversation_of(store, scope, conversation_id)
        return await _search_one(store, scope, read, words, conversation, limit, cursor)
    return await _search_all(store, scope, read, words, limit, cursor)


def words_of(query: str) -> tuple[str, ...]:
    """The words that a message must contain, all of them, in any order; a phrase in quotation marks is one word."""
    if len(query) > MOST_QUERY_CHARS:
        raise BadAsk(f"The search has {len(query):,} characters; the most is {MOST_QUERY_CHARS}. Use fewer words.")
    words: list[str] = []
    for number, part in enumerate(query.replace("“", '"').replace("”", '"').split('"')):
        words += [" ".join(part.split())] if number % 2 else part.split()
    found = tuple(dict.fromkeys(word for word in words if word))
    if not found:
        raise BadAsk("The search is empty. Give at least one word to look for.")
    return found[:_MOST_WORDS]


def excerpt_of(text: str, words: Sequence[str]) -> str:
    """A line around the first match; empty if a word is missing."""
    line = " ".join(text.split())
    low = line.casefold()
    places = [low.find(word.casefold()) for word in words]
    if min(places) < 0:
        return ""
    start = max(min(places) - _BEFORE_CHARS, 0)
    if start:
        start = line.find(" ", start, start + _BEFORE_CHARS) + 1 or start
    end = min(start + _EXCERPT_CHARS, len(line))
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


async def _search_one(
    store: Store,
    scope: Scope,
    read: Read,
    words: Sequence[str],
    conversation: Conversation,
    limit: int,
    cursor: str | None,
) -> Page:
    where = _where(words, [conversation.id])
    page = await store.find(scope, Message, where, limit=limit, cursor=cursor, newest_first=True)
    return Page(tuple(_matches(page.items, {conversation.id: conversation}, read, words)), page.cursor)


async def _search_all(
    store: Store, scope: Scope, read: Read, words: Sequence[str], limit: int, cursor: str | None
) -> Page:
    where: dict[str, Any] = {"inner_of_id": None}
    if scope.confined_to is not None:
        where["user_id"] = scope.confined_to
    found: list[MessageMatch] = []
    for _ in range(_MOST_PAGES):
        page = await store.find(scope, Conversation, where, limit=_CHATS_PER_PAGE, cursor=cursor, newest_first=True)
        chats = {each.id: each for each in page.items if not each.private}
        if chats:
            found += await _in_chats(store, scope, read, words, chats)
        cursor = page.cursor
        if cursor is None or len(found) >= limit:
            break
    return Page(tuple(found), cursor)


async def _in_chats(
    store: Store, scope: Scope, read: Read, words: Sequence[str], chats: Mapping[str, Conversation]
) -> list[MessageMatch]:
    page = await store.find(scope, Message, _where(words, list(chats)), limit=_MESSAGES_PER_PAGE, newest_first=True)
    open_ones = [each for each in page.items if not each.private]
    by_chat: dict[str, list[MessageMatch]] = {id: [] for id in chats}
    for match in _matches(open_ones, chats, read, words):
        if len(by_chat[match.conversation.id]) < MOST_PER_CHAT:
            by_chat[match.conversation.id].append(match)
    return [match for matches in by_chat.values() for match in matches]


def _where(words: Sequence[str], ids: Sequence[str]) -> dict[str, Any]:
    return {"conversation_id": list(ids), "hidden": False, "content": Contains(tuple(words))}


def _matches(
    messages: Sequence[Message], chats: Mapping[str, Conversation], read: Read, words: Sequence[str]
) -> list[MessageMatch]:
    found: list[MessageMatch] = []
    for each in messages:
        if each.state is MessageState.STREAMING:
            continue
        message = read(each)
        excerpt = excerpt_of(display(message.content).text, words)
        if excerpt:
            found.append(MessageMatch(chats[each.conversation_id], message, excerpt))
    return found
