"""What the user's character could tell the other about somebody else, and whether it can keep it to itself (R7, R9)."""

from dataclasses import dataclass
from hashlib import blake2b

from everlore.domain.config import config_of
from everlore.domain.conversation import Conversation
from everlore.domain.person import Person
from everlore.domain.recalled import Recalled
from everlore.domain.roll import Roll, difficulty_of, rolled_with, slips
from everlore.domain.scope import Scope
from everlore.domain.tokens import token_of
from everlore.domain.visibility import person_in
from everlore.errors import BadAsk
from everlore.recall.pipeline import recall
from everlore.recall.question import RecallQuery
from everlore.recall.recipes import GOSSIP
from everlore.store.answers import Page
from everlore.store.port import Put
from everlore.turn.ownership import conversation_of
from everlore.turn.resources import Resources, reading_of

LIMIT = 5
THRESHOLD = 0.65


@dataclass(frozen=True, slots=True)
class Suggested:
    """`roll`: whether something slips out; None if there is nothing to tell, or no character that would."""

    items: tuple[Recalled, ...] = ()
    roll: Roll | None = None

    @property
    def blurted(self) -> str:
        """The token to insert into the draft of the user, who can remove it again; empty if there is none."""
        return token_of(self.roll.memory_id) if self.roll is not None and self.roll.memory_id else ""


class Gossip:
    def __init__(self, scope: Scope, resources: Resources) -> None:
        self._scope = scope
        self._resources = resources

    async def search(
        self,
        person: Person | str,
        query: str,
        *,
        exclude: Person | str | None = None,
        limit: int = LIMIT,
        threshold: float = THRESHOLD,
    ) -> tuple[Recalled, ...]:
        """What a person knows from others that is relevant to the query and unknown to `exclude`, best first (R7)."""
        if not 0 <= threshold <= 1:
            raise BadAsk(f"The threshold is {threshold}; it must be between 0 and 1.")
        person_id, other_id = await self._id(person), await self._id(exclude) if exclude is not None else None
        if person_id == other_id:
            raise BadAsk("Nobody gossips with themselves: name another person to exclude.")
        if limit < 1:
            return ()
        asked = RecallQuery(
            text=query,
            # Without campaigns, even for a game master: what players must not know is not passed on.
            viewer=person_in(self._scope.workspace, person_id),
            recipe=GOSSIP,
            limit=limit,
            listener_id=other_id,
            gossip_threshold=threshold,
        )
        return (await recall(self._scope, asked, reading_of(self._resources))).answer().hits

    async def suggest(self, conversation_id: str, query: str, *, roll: bool = True) -> Suggested:
        """For what the user is about to say in a conversation. Without `roll` nothing slips out."""
        conversation = await conversation_of(self._resources.store, self._scope, conversation_id)
        config = config_of(conversation.config)
        if not config.gossip_enabled or conversation.user_id is None or not conversation.system_ids:
            return Suggested()
        items = await self.search(
            conversation.user_id,
            query,
            exclude=conversation.system_ids[0],
            limit=config.gossip_max_suggestions,
            threshold=config.gossip_threshold,
        )
        if not items or not roll:
            return Suggested(items)
        async with self._resources.dice.turn:
            return Suggested(items, await self._rolled(conversation, items[0]))

    async def rolls(self, conversation_id: str, *, limit: int = 50, cursor: str | None = None) -> Page:
        """Every roll of a conversation, in order."""
        where = {"conversation_id": conversation_id}
        return await self._resources.store.find(self._scope, Roll, where, limit=limit, cursor=cursor)

    async def _rolled(self, conversation: Conversation, best: Recalled) -> Roll | None:
        """One roll per message: typing more does not roll again."""
        person = await self._resources.store.get(self._scope, Person, conversation.user_id or "")
        difficulty = difficulty_of(person)
        if difficulty is None:
            return None
        seq = conversation.message_count + 1
        id = _roll_id(conversation.id, seq)
        if made := await self._resources.store.get_many(self._scope, Roll, [id]):
            return made[0]
        seed = self._resources.dice.seed_for(conversation.id, seq)
        rolled = rolled_with(seed)
        roll = Roll(
            workspace=self._scope.workspace,
            id=id,
            conversation_id=conversation.id,
            person_id=person.id,
            seq=seq,
            seed=seed,
            difficulty=difficulty,
            rolled=rolled,
            memory_id=best.record.id if slips(rolled, difficulty) else None,
            created_at=self._resources.clock(),
        )
        await self._resources.store.apply(self._scope, [Put(roll)])
        return roll

    async def _id(self, person: Person | str) -> str:
        return (
            person.id
            if isinstance(person, Person)
            else (await self._resources.store.get(self._scope, Person, person)).id
        )


def _roll_id(conversation_id: str, seq: int) -> str:
    return f"roll-{blake2b(f'{seq}/{conversation_id}'.encode(), digest_size=16).hexdigest()}"
