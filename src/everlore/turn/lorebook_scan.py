"""The lorebooks that may fire in a turn, and the lines in which their keys are searched (V18).

Start at `books_for`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from everlore.compose.lore import LorebookRules
from everlore.domain.bounds import Json
from everlore.domain.conversation import Message
from everlore.domain.display import display
from everlore.domain.person import Person
from everlore.domain.policy import is_guest
from everlore.domain.scope import Scope
from everlore.domain.setting import LOREBOOKS, Setting
from everlore.domain.tokens import without_told
from everlore.interchange.cards import KEPT
from everlore.interchange.lorebooks import is_lorebook
from everlore.interchange.lorefields import book_of
from everlore.store.port import Store

# The name of the lorebook inside a character's card.
CARD = "card"


async def books_for(
    store: Store,
    scope: Scope,
    speaker: Person,
    user: Person | None,
    *,
    campaign_id: str | None,
    for_game_master: bool,
) -> tuple[LorebookRules, ...]:
    """The books that may fire when this character answers this user. Guests get the character's public side only, and
    none of the workspace's books."""
    persons = [speaker, *([user] if user else [])]
    found = {f"{person.id}/{id}": kept for person in persons for id, kept in books_of(person).items()}
    if not is_guest(scope.role):
        for_all = await books_of_workspace(store, scope)
        found |= {id: kept for id, kept in for_all.items() if kept.campaign_id in (None, campaign_id)}
    books = [
        book_of(kept.document, id=id, name=kept.name, speaker=speaker, for_game_master=for_game_master)
        for id, kept in found.items()
        if kept.enabled
    ]
    return tuple(book for book in books if book is not None and book.entries)


def scanned_lines(messages: Sequence[Message], names: Mapping[str, str]) -> list[str]:
    """The messages as text for the key search: the speaker's name, and the readable part of the message."""
    return [f"{names.get(each.person_id or '', '')}: {display(without_told(each.content)).text}" for each in messages]


@dataclass(frozen=True, slots=True)
class StoredBook:
    """A book as it is stored: its document is unchanged."""

    name: str
    document: Json
    enabled: bool = True
    campaign_id: str | None = None

    def as_json(self) -> Json:
        made: Json = {"name": self.name, "document": self.document, "enabled": self.enabled}
        return {**made, "campaign_id": self.campaign_id} if self.campaign_id is not None else made


Books = dict[str, StoredBook]


def books_of(person: Person) -> Books:
    """The book in the person's card, and those attached to the person."""
    card = person.extensions.get(KEPT)
    data = card.get("data") if isinstance(card, dict) else None
    inside = data.get("character_book") if isinstance(data, dict) else None
    if not isinstance(inside, dict) or not isinstance(inside.get("entries"), list | dict):
        return attached_to(person)
    name = inside.get("name")
    return {CARD: StoredBook(name if isinstance(name, str) and name else person.name, inside)} | attached_to(person)


def attached_to(person: Person) -> Books:
    return books_in(person.extensions.get(LOREBOOKS))


async def books_of_workspace(store: Store, scope: Scope) -> Books:
    found = await store.get_many(scope, Setting, [LOREBOOKS])
    return books_in(found[0].value) if found else {}


def books_in(value: object) -> Books:
    """Skips everything that is not a book."""
    books: Books = {}
    for id, each in value.items() if isinstance(value, dict) else ():
        document = each.get("document") if isinstance(each, dict) else None
        if isinstance(document, dict) and is_lorebook(document):
            campaign = each.get("campaign_id")
            books[id] = StoredBook(
                str(each.get("name") or "Lorebook"),
                document,
                each.get("enabled", True) is True,
                campaign if isinstance(campaign, str) else None,
            )
    return books
