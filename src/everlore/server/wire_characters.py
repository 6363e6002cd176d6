"""Requests and answers for characters and users."""

from typing import Any

from pydantic import BaseModel, Field

from everlore.domain.person import Person, PersonKind
from everlore.domain.roll import chance_of
from everlore.server.wire import Given, ImportReport, RecordModel, Text


class CharacterFields(Given):
    kind: PersonKind = PersonKind.CHARACTER
    age: int | None = None
    gender: str = ""
    pronouns: str = ""
    race: str = ""
    description: str = ""
    description_light: str = ""
    description_public: str = ""
    personality: str = ""
    speech_pattern: str = ""
    emotional_tendency: str = ""
    scenario: str = ""
    greetings: tuple[str, ...] = ()
    example_dialogue: str = ""
    statistics: dict[str, Any] = Field(default_factory=dict)
    memory_profile: str = ""
    models: dict[str, Any] = Field(default_factory=dict)
    tags: tuple[str, ...] = ()
    extensions: dict[str, Any] = Field(default_factory=dict)


class NewCharacter(CharacterFields):
    name: str


class CharacterChanges(CharacterFields):
    """Only the fields that are sent are changed."""

    name: str = ""


class Character(RecordModel, record=Person):
    gossip_slip_chance: float = Field(description="How likely the character lets gossip slip, from 0 to 1.")
    avatar_url: str | None


class ImportedPersonas(BaseModel):
    items: list[Character]
    report: ImportReport


class ImportedCharacter(BaseModel):
    character: Character
    report: ImportReport


class CardTexts(Given):
    """The texts of an unsaved card, by field name."""

    texts: dict[str, Text] = Field(max_length=100)


class CardTokens(BaseModel):
    tokens: dict[str, int]


def character_out(person: Person) -> Character:
    return Character.of(person, avatar_url=avatar_url(person), gossip_slip_chance=chance_of(person))


def avatar_url(person: Person) -> str | None:
    return f"/api/media/{person.avatar}" if person.avatar else None


class Me(BaseModel):
    workspace: str
    role: str
    user: Character
