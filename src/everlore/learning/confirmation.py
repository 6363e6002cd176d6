"""Asks the user in the chat about facts that were only implied, before they count (M10).

The character gets one pending fact as a question to ask; the reply that asks it records which, and a clear yes or no
from the user settles the fact. Otherwise it keeps waiting for review.

Start at `question_of` and `confirmed`.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from everlore.domain.conversation import Author, Message
from everlore.domain.memory import LinkKind, Memory, MemoryLink, Status
from everlore.domain.scope import Scope
from everlore.language.lists import listed
from everlore.learning.saving.review import approved, rejected
from everlore.store.port import Change, Store

ASKS = "asks"
# Marks memories that wait for the user's own answer, not for a review.
_UNCONFIRMED = "unconfirmed"

_MOST_LINKS = 200
_FIRST_WORDS = 4
_WORD = re.compile(r"[a-z']{1,20}")
_YES = listed("talk.yes")
_NO = frozenset("no nope nah wrong incorrect false never".split())
_NOT = frozenset("not n't isn't aren't don't".split())


def question_of(memory: Memory) -> str:
    """The prompt text for the character, for one turn."""
    return (
        "You gathered this about the user, and are not certain of it. If it fits the talk, ask in passing whether "
        f"it is so; until they say yes, do not take it for granted: {memory.content}"
    )


def to_ask(waiting: Sequence[Memory], history: Sequence[Message]) -> Memory | None:
    """The oldest waiting fact that was not asked about in this chat yet."""
    asked = {each.metadata.get(ASKS) for each in history}
    unsure = [each for each in waiting if each.extra.get(_UNCONFIRMED) is True and each.id not in asked]
    return min(unsure, key=lambda each: (each.created_at, each.id), default=None)


def answer_in(text: str) -> bool | None:
    """Yes, no, or None if the text begins with neither or both."""
    first = _WORD.findall(text[:200].lower().replace("’", "'"))[:_FIRST_WORDS]
    says_yes, says_no = not _YES.isdisjoint(first), not _NO.isdisjoint(first) or not _NOT.isdisjoint(first)
    return says_yes if says_yes != says_no else None


async def confirmed(store: Store, scope: Scope, message: Message, now: datetime) -> list[Change]:
    """The changes if this user message answers the question in the reply before it."""
    answer = answer_in(message.content)
    if answer is None or message.seq <= 1:
        return []
    where = {"conversation_id": message.conversation_id, "seq": message.seq - 1}
    before = (await store.find(scope, Message, where, limit=1)).items
    if not before or before[0].author is not Author.ASSISTANT:
        return []
    found = await store.get_many(scope, Memory, [str(before[0].metadata.get(ASKS, ""))])
    by = message.person_id or "user"
    changes: list[Change] = []
    for memory in found:
        if memory.status is Status.PENDING and answer:
            changes += approved(memory, now, by=by, contradicted=await contradicted_by(store, scope, memory))
        elif memory.status is Status.PENDING:
            changes += rejected(memory, now, by=by)
    return changes


async def contradicted_by(store: Store, scope: Scope, memory: Memory) -> list[Memory]:
    """The memories that a pending one contradicts: confirming it ends them."""
    where = {"memory_id": memory.id, "kind": LinkKind.CONTRADICTS.value}
    page = await store.find(scope, MemoryLink, where, limit=_MOST_LINKS)
    return await store.get_many(scope, Memory, [link.other_id for link in page.items])
