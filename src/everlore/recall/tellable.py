"""What may be told in one conversation, of all that was found (R11, M15, V13).

The store returns only what the character knows. Beyond that, what it knows from one human user is never told to
another, what was formed on another branch has not happened here, and what is in the prompt is not repeated.

Start at `TellableFilter.allowed`.
"""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from everlore.domain.conversation import Conversation, Message
from everlore.domain.knowledge import Telling
from everlore.domain.memory import Memory
from everlore.domain.passage import passage_of
from everlore.domain.person import Person, PersonKind
from everlore.domain.scope import Scope
from everlore.domain.visibility import Viewer, is_hidden_here, is_of_their_game
from everlore.recall.past import denied_here, hidden_from
from everlore.store.answers import Hit
from everlore.store.port import Store

# Most users at one table that are told apart.
_MOST_STRANGERS = 1_000
_MOST_TOLD = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TellableFilter:
    """`viewer`: the character that answers; `on_screen` are the messages that are in the prompt anyway."""

    scope: Scope
    store: Store
    conversation: Conversation
    viewer: Viewer
    on_screen: frozenset[str]

    async def allowed(self, hits: Sequence[Hit]) -> list[Hit]:
        """Without what was formed on another branch, is another user's, or is on screen."""
        persons = {(hit.kind, hit.record.id): _persons_of(hit) for hit in hits}
        hidden, open_here, strangers = await asyncio.gather(
            hidden_from(self.scope, self.store, self.conversation, {_conversation_of(hit) for hit in hits}),
            self._open(hits),
            strangers_among(self.scope, self.store, self._user_id, persons.values()),
        )
        here = self.conversation
        memories = [hit.record for hit in hits if isinstance(hit.record, Memory)]
        denied = await denied_here(self.scope, self.store, memories, here)
        return [
            hit
            for hit in hits
            if not _is_hidden(hit, here, hidden)
            and hit.record.id not in denied
            and (strangers.isdisjoint(persons[hit.kind, hit.record.id]) or is_of_their_game(self.viewer, hit.record))
            and (isinstance(hit.record, Memory) or self._is_told(hit, open_here))
        ]

    async def tellers(self, hits: Sequence[Hit]) -> dict[str, str]:
        """Who told the character what it has not witnessed."""
        pair = {self.character_id, self._user_id}
        heard = [hit.record.id for hit in hits if isinstance(hit.record, Memory) and not pair & set(hit.memory.persons)]
        if not heard:
            return {}
        where = {"memory_id": tuple(heard), "listener_id": self.character_id}
        page = await self.store.find(self.scope, Telling, where, limit=_MOST_TOLD)
        # Sorted by time of telling, and reversed so that the first teller remains.
        return {each.memory_id: each.teller_id for each in reversed(page.items)}

    @property
    def character_id(self) -> str | None:
        return self.viewer.person_id

    @property
    def _user_id(self) -> str | None:
        return self.conversation.user_id

    async def _open(self, hits: Sequence[Hit]) -> frozenset[str]:
        """The conversations of the same user, without those that are private now."""
        ids = {_conversation_of(hit) for hit in hits if not isinstance(hit.record, Memory)} - {None}
        found = await self.store.get_many(self.scope, Conversation, sorted(map(str, ids))) if ids else []
        return frozenset(each.id for each in found if each.user_id == self._user_id and not each.private)

    def _is_told(self, hit: Hit, open_here: Collection[str]) -> bool:
        """Whether a line is from a conversation between the two, and not in the prompt anyway."""
        record, conversation_id = hit.record, _conversation_of(hit)
        if isinstance(record, Message) and (record.hidden or record.id in self.on_screen):
            return False
        if conversation_id is None:
            return set(_persons_of(hit)) <= {self.character_id, self._user_id}
        return conversation_id in open_here


async def other_users(scope: Scope, store: Store, user_id: str | None) -> frozenset[str]:
    """The users of the workspace other than this one: what they told a character is theirs. If there are more than a
    page, the rest are filtered when they are found."""
    page = await store.find(scope, Person, {"kind": PersonKind.USER.value}, limit=_MOST_STRANGERS)
    return frozenset(each.id for each in page.items) - {user_id or ""}


async def strangers_among(
    scope: Scope, store: Store, user_id: str | None, groups: Iterable[tuple[str, ...]]
) -> frozenset[str]:
    """The final check: which of these persons are users other than this one."""
    ids = dict.fromkeys(id for persons in groups for id in persons if id != user_id)
    found = await store.get_many(scope, Person, ids) if ids else []
    return frozenset(each.id for each in found if each.kind is PersonKind.USER)


def _conversation_of(hit: Hit) -> str | None:
    id = getattr(hit.record, "conversation_id", None)
    return id if isinstance(id, str) else None


def _is_hidden(hit: Hit, here: Conversation, hidden: Collection[str | None]) -> bool:
    if isinstance(hit.record, Memory):
        return is_hidden_here(hit.record, here, hidden)
    return _conversation_of(hit) in hidden


def _persons_of(hit: Hit) -> tuple[str, ...]:
    passage = passage_of(hit.record)
    return passage.persons if passage is not None else ()
