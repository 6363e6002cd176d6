"""Finds the character and the conversation that the options of `everlore chat` ask for.

Start at `open_conversation`.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from everlore.app import Everlore
from everlore.cli.keyboard import Keyboard
from everlore.cli.output import shown, write
from everlore.domain.conversation import Conversation, ConversationState
from everlore.domain.person import Person, PersonKind
from everlore.errors import BadAsk, NotFound
from everlore.store.all_pages import items_of

_MOST_LISTED = 20
_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """The options of `everlore chat`."""

    character: str | None = None
    conversation: str | None = None
    go_on: bool = False
    private: bool = False
    model: str | None = None

    @property
    def config(self) -> dict[str, Any]:
        private = {"private": True} if self.private else {}
        return private | ({"model": self.model} if self.model is not None else {})


class Opened(NamedTuple):
    conversation: Conversation
    is_new: bool


async def open_conversation(lore: Everlore, keyboard: Keyboard, wanted: ChatOptions) -> Opened | None:
    """None if the user was asked to choose a character, and chose none."""
    if wanted.conversation is not None:
        return Opened(await _gone_on(lore, await _with_id(lore, wanted, wanted.conversation), wanted), is_new=False)
    character = await _named(lore, wanted.character) if wanted.character is not None else None
    if wanted.go_on and (latest := await _latest(lore, character)):
        return Opened(await _gone_on(lore, latest, wanted), is_new=False)
    character = character or await _someone(lore, keyboard)
    if character is None:
        return None
    return Opened(await lore.conversations.start(character, config=wanted.config), is_new=True)


async def _with_id(lore: Everlore, wanted: ChatOptions, id: str) -> Conversation:
    if wanted.go_on:
        raise BadAsk("--continue and --conversation were both given. Leave one of them out.")
    conversation = await lore.conversations.get(id)
    if wanted.character is not None:
        person = await _named(lore, wanted.character)
        if person.id not in conversation.system_ids:
            raise BadAsk(f"{person.name!r} is not in conversation {id!r}. Leave the name out.")
    return conversation


async def _gone_on(lore: Everlore, conversation: Conversation, wanted: ChatOptions) -> Conversation:
    if not wanted.config:
        return conversation
    return await lore.conversations.change(conversation.id, config=wanted.config)


async def _latest(lore: Everlore, character: Person | None) -> Conversation | None:
    """The user's latest conversation with that character, or with anybody."""
    user = await lore.user()
    conversation: Conversation
    async for conversation in items_of(
        partial(lore.conversations.list, state=ConversationState.OPEN, user=user, limit=_PAGE)
    ):
        if character is None or character.id in conversation.system_ids:
            return conversation
    return None


async def _named(lore: Everlore, name: str) -> Person:
    try:
        return await lore.characters.named(name)
    except NotFound as error:
        raise NotFound(f"{error} `everlore characters` lists who is here.") from None


async def _someone(lore: Everlore, keyboard: Keyboard) -> Person | None:
    people = list((await lore.characters.list(kind=PersonKind.CHARACTER, limit=_PAGE)).items)
    if not people:
        starter = await lore.characters.welcome()
        if starter is None:
            raise BadAsk("There are no characters in this workspace. Import one: `everlore import CARD`.")
        return starter
    if len(people) == 1:
        only: Person = people[0]
        return only
    if not keyboard.is_terminal:
        raise BadAsk(f"There are {len(people)} characters. Choose one: `everlore chat NAME`.")
    return await _picked(keyboard, people)


async def _picked(keyboard: Keyboard, people: list[Person]) -> Person | None:
    for number, person in enumerate(people[:_MOST_LISTED], 1):
        write(f"{number:>3}  {shown(person.name)}\n")
    if len(people) > _MOST_LISTED:
        write(f"     … and {len(people) - _MOST_LISTED} more, by name\n")
    while (answer := await keyboard.line("Which character? ")) is not None:
        if found := person_meant(people, answer.strip()):
            return found
        write("No character has that number or name.\n")
    return None


def person_meant(people: list[Person], answer: str) -> Person | None:
    """By the number in the list, or by the name, ignoring case."""
    if answer.isascii() and answer.isdigit() and len(answer) < 5 and 1 <= int(answer) <= len(people):
        return people[int(answer) - 1]
    named = [person for person in people if person.name.casefold() == answer.casefold()]
    return named[0] if len(named) == 1 else None
