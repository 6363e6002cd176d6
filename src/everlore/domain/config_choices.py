"""What the fields of a conversation's config can be set to."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Rating(StrEnum):
    """Who a story is for, as on games: everyone, teens, the mature, adults only, refused classification."""

    E = "E"
    T = "T"
    M = "M"
    AO = "AO"
    RC = "RC"


class Service(StrEnum):
    """Who answers. `auto`: what the workspace or the operator chose, or else what was found."""

    AUTO = "auto"
    OPENAI = "openai"
    OLLAMA = "ollama"
    LOCAL = "local"
    VOICE = "voice"


class StartMode(StrEnum):
    USER = "user"
    SYSTEM = "system"
    NONE = "none"


class ExtractionStyle(StrEnum):
    """What is looked for in a segment: the one most significant thing, or one of each aspect (K1, K1b)."""

    SINGLE = "single"
    ASPECTS = "aspects"


class RecipeName(StrEnum):
    """How recall is done: what is looked through, and what counts (R1)."""

    COMPANION = "companion"
    ASSISTANT = "assistant"
    ROLEPLAY = "roleplay"
    AGENT = "agent"
    CAMPAIGN = "campaign"


class Rewriting(StrEnum):
    """What becomes of lines that a client of `/v1` changed or left out: they are changed and withdrawn here too, and
    can be restored; or they stay, and the talk goes on in a branch."""

    FOLLOW = "follow"
    BRANCH = "branch"


class Episode(BaseModel):
    """One stage of a story: where it stands, and where it is to go."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field("", max_length=300, title="Name", description="A name for this stage.")
    guidance: str = Field(
        max_length=20_000, title="Guidance", description="What the character should work toward in this stage."
    )
