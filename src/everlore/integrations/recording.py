"""The conversation in which the messages of another framework are kept."""

from dataclasses import dataclass

from everlore.app import Everlore
from everlore.domain.conversation import Conversation
from everlore.domain.person import Person, PersonKind
from everlore.errors import NotFound


@dataclass(frozen=True, slots=True)
class Recording:
    """`id`: the name of the conversation, which is created when it is first needed. `person`: who answers in it;
    without one, an assistant without a card, whose id is `assistant_id`."""

    lore: Everlore
    id: str
    assistant_id: str
    person: Person | str | None = None
    user: Person | str | None = None

    async def find(self) -> Conversation | None:
        return await self.lore.conversations.known(self.id, user=self.user)

    async def start(self) -> Conversation:
        known = await self.find()
        if known is not None:
            return known
        person = self.person or await self._assistant()
        return await self.lore.conversations.start(person, user=self.user, id=self.id, greet=False)

    async def _assistant(self) -> Person:
        try:
            return await self.lore.characters.get(self.assistant_id)
        except NotFound:
            return await self.lore.characters.create(id=self.assistant_id, name="Assistant", kind=PersonKind.CHARACTER)
