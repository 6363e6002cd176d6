"""A small world to look at, that comes along: people, talks, what was learnt of them, gossip, and a campaign.

It is a file as any workspace is exported, brought in the way of all of them, and taken out again in one go. Only the
owner may. `scripts/demo.py` plays it and writes the file. Start at `Demo`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from everlore.campaign.campaigns import Campaigns
from everlore.converse.characters import Characters
from everlore.converse.conversations import Conversations
from everlore.converse.desk import Desk
from everlore.domain.campaign import Campaign
from everlore.domain.conversation import Conversation
from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.domain.policy import Act, may
from everlore.domain.scope import Scope
from everlore.errors import Forbidden
from everlore.interchange.carrying import Arrival, Carrying
from everlore.interchange.wholefile import batches
from everlore.store.port import Delete


class Demo:
    def __init__(
        self,
        scope: Scope,
        desk: Desk,
        workspace: Carrying,
        campaigns: Campaigns,
        conversations: Conversations,
        characters: Characters,
    ) -> None:
        self._scope = scope
        self._desk = desk
        self._workspace = workspace
        self._campaigns = campaigns
        self._conversations = conversations
        self._characters = characters

    async def is_here(self) -> bool:
        """Whether anybody of it is here."""
        self._refuse_others()
        return bool(await self._here(Person))

    async def open(self) -> Arrival:
        """Bring it in. What is here of it already stays as it is."""
        self._refuse_others()
        with _file() as path:
            return await self._workspace.import_file(path)

    async def remove(self) -> None:
        """All of it, for good, with what was learnt of it since. Talks of one's own with its people stay."""
        self._refuse_others()
        for campaign in await self._here(Campaign):
            await self._campaigns.delete(campaign.id)
        for conversation in await self._here(Conversation):
            await self._conversations.delete(conversation.id)
        changes = [Delete(Memory, memory.id) for memory in await self._here(Memory)]
        results = await self._desk.store.apply(self._scope, changes)
        self._desk.live.applied(self._scope, changes, results)
        for person in await self._here(Person):
            await self._characters.delete(person.id)

    async def _here(self, kind: type[Any]) -> list[Any]:
        """Those of the file that are here."""
        with _file() as path:
            brings = [bring for batch in batches(path, self._scope) for bring in batch.brings]
        ids = [bring.record.id for bring in brings if isinstance(bring.record, kind)]
        return await self._desk.store.get_many(self._scope, kind, ids)

    def _refuse_others(self) -> None:
        if not may(self._scope.role, Act.RUN):
            raise Forbidden("Only the owner may open or remove the demo world. Ask with a token of the owner.")


@contextmanager
def _file() -> Iterator[Path]:
    with resources.as_file(resources.files("everlore.interchange") / "demo.jsonl") as path:
        yield path
