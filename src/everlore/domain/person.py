"""Anyone who can have memories: the user, or a character played by the model or by the user (V9)."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from everlore.domain.bounds import Between, Id, Json, Line, Name, Prose
from everlore.domain.config import BadConfig, ConversationConfig, config_of

# The id of the owner, in every workspace.
USER_ID = "user"
# The keys of a character's `models`, and the config fields they set.
_MODEL_FIELDS = {"chat": "model", "extraction": "extraction_model", "analysis": "analyze_model"}
# It may also set these, which have the same names in the config.
_SAMPLING = ("temperature", "top_p", "max_tokens")


class PersonKind(StrEnum):
    CHARACTER = "character"
    USER = "user"
    NARRATOR = "narrator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    workspace: Id
    id: Id
    kind: PersonKind = PersonKind.CHARACTER
    name: Name
    age: Annotated[int, Between(0, 1_000_000)] | None = None
    gender: Line = ""
    pronouns: Line = ""
    race: Line = ""
    description: Prose = ""
    description_light: Prose = ""
    description_public: Prose = ""
    personality: Prose = ""
    speech_pattern: Prose = ""
    emotional_tendency: Prose = ""
    scenario: Prose = ""
    greetings: tuple[Prose, ...] = ()
    example_dialogue: Prose = ""
    statistics: Json = field(default_factory=dict)
    memory_profile: Line = ""
    models: Json = field(default_factory=dict)
    avatar: Line = ""
    tags: tuple[str, ...] = ()
    extensions: Json = field(default_factory=dict)
    created_at: datetime
    updated_at: datetime


def preferring(character: Person, config: ConversationConfig) -> ConversationConfig:
    """The config with the character's own models and sampling parameters, where the conversation sets none (V9)."""
    wishes = {field: character.models.get(name) for name, field in _MODEL_FIELDS.items()}
    own: dict[str, object] = {
        field: wish for field, wish in wishes.items() if isinstance(wish, str) and not getattr(config, field)
    }
    own |= {
        name: value
        for name in _SAMPLING
        if getattr(config, name) is None and _is_valid(name, value := character.models.get(name))
    }
    return config.model_copy(update=own) if own else config


def _is_valid(name: str, value: object) -> bool:
    """Whether the config accepts the value. Cards are untrusted, and a wrong value must not prevent a reply."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        config_of({name: value})
    except BadConfig:
        return False
    return True


def public_side(person: Person) -> Person:
    """What everybody may see of them: name, picture, greetings, and public information."""
    return Person(
        workspace=person.workspace,
        id=person.id,
        kind=person.kind,
        name=person.name,
        pronouns=person.pronouns,
        description=person.description_public,
        description_public=person.description_public,
        greetings=person.greetings,
        avatar=person.avatar,
        created_at=person.created_at,
        updated_at=person.updated_at,
    )
