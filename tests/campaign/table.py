"""A table to play at: a campaign, who sits there, and sessions that are played line by line."""

import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

from everlore.app import Everlore
from everlore.domain.bounds import Json
from everlore.domain.campaign import Campaign, Session
from everlore.domain.conversation import Author, Conversation, Message
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.person import Person, PersonKind
from everlore.domain.policy import Role
from everlore.models.chat import Ask, End, Piece
from everlore.store.port import Put
from tests.turn.world import Cast, Scripted, World, settings_of

PREMISE = "The lamps of Orne go out one by one."


def without_model() -> Any:
    from everlore.settings import ChatSettings

    return settings_of(chat=ChatSettings(provider="voice"))


class Scribe(Scripted):
    """Answers what it is asked for by the shape of the answer: these `facts` where they were said, of which each
    contradicts every other one, these names and ties, and nothing else."""

    def __init__(self, *facts: str, names: Sequence[Json] = (), ties: Sequence[Json] = ()) -> None:
        super().__init__()
        self._facts = facts
        self._named: Json = {"entities": [*names], "ties": [*ties]}

    async def stream(self, ask: Ask) -> AsyncIterator[Piece | End]:
        shape: Any = ask.schema or {}
        fields = set(shape.get("properties", ()))
        if fields:
            self.answers(json.dumps(self._answered(fields, ask.messages[-1].content)))
        async for part in super().stream(ask):
            yield part

    def _answered(self, fields: set[str], told: str) -> dict[str, Any]:
        if "contradicted" in fields:
            known = re.findall(r'"number": (\d+), "text": "([^"]*)"', told)
            return {"contradicted": [_against(number, text) for number, text in known if text in self._facts]}
        if "facts" in fields:
            return {"scenes": ["The tide was out."], "facts": [each for each in self._facts if each in told]}
        if "line" in fields:
            said = " ".join(["The tide was out.", *(each for each in self._facts if each in told)])
            return {"summary": said, "line": said}
        return {**self._named, "statements": []}


def _against(number: str, text: str) -> dict[str, Any]:
    return {"number": int(number), "reason": f"against “{text}”"}


def with_scribe(*facts: str, names: Sequence[Json] = (), ties: Sequence[Json] = ()) -> Cast:
    cast = Cast()
    cast.first = Scribe(*facts, names=names, ties=ties)
    return cast


async def seated(world: World, *, gm: str | None = "Vesna", players: Sequence[str] = ("Pia", "Jon")) -> Campaign:
    """A campaign that `gm` runs, a person; None: the owner does."""
    for name in (*([gm] if gm else []), *players):
        await world.lore.characters.create(name=name, id=name.lower(), kind=PersonKind.USER)
    return await world.lore.campaigns.make(
        "The Lamps of Orne",
        premise=PREMISE,
        gm=gm.lower() if gm else None,
        players=[each.lower() for each in players],
    )


def at_seat(world: World, person: str, role: Role = Role.MEMBER) -> Everlore:
    """The same house for somebody who comes with a token of their own."""
    scope = replace(world.scope, role=role, person_id=person, actor=f"token-{person}")
    return Everlore(scope, world.resources, world.lore.staff)


async def plays(
    world: World,
    session: Session,
    *lines: tuple[str, str],
    behind_the_screen: bool = False,
    present: tuple[str, ...] = (),
) -> Conversation:
    """A conversation of the session in which these lines are said, each by the person of that name, or told."""
    if not await world.store.get_many(world.scope, Person, ["teller"]):
        await world.meets("Teller", kind=PersonKind.NARRATOR)
    talk = await world.lore.sessions.talk(session.id, "teller", user="pia", open=not behind_the_screen)
    await says(world, talk, *lines, present=present)
    return talk


async def says(
    world: World, talk: Conversation, *lines: tuple[str, str], present: tuple[str, ...] = ()
) -> list[Message]:
    messages = [
        Message(
            workspace=talk.workspace,
            id=world.resources.new_id(),
            conversation_id=talk.id,
            author=Author.NARRATOR if who == "GM" else Author.USER,
            person_id=None if who == "GM" else who.lower(),
            content=text,
            present=present,
            created_at=world.clock(),
            updated_at=world.clock(),
        )
        for who, text in lines
    ]
    stored = await world.store.apply(world.scope, [Put(each) for each in messages])
    return list(stored)


def of_kind(memories: Sequence[Memory], kind: MemoryType) -> list[str]:
    return [each.content for each in memories if each.type is kind]
