"""The choices for fields of a conversation's config."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Rating(StrEnum):
    """The audience of a story, as for games: everyone, teens, mature, adults only, refused classification."""

    E = "E"
    T = "T"
    M = "M"
    AO = "AO"
    RC = "RC"


class Service(StrEnum):
    """The model's provider. `auto`: the choice of the workspace or the operator, or else a server that was found."""

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
    """What is extracted from a segment: the single most significant thing, or one of each aspect (K1, K1b)."""

    SINGLE = "single"
    ASPECTS = "aspects"


class RecipeName(StrEnum):
    """The recipe for recall: what is searched, and how results are weighted (R1)."""

    COMPANION = "companion"
    ASSISTANT = "assistant"
    ROLEPLAY = "roleplay"
    AGENT = "agent"
    CAMPAIGN = "campaign"


class Rewriting(StrEnum):
    """What to do with lines that a client of `/v1` changed or left out: change and withdraw them here too (they can be
    restored), or keep them and continue the conversation in a branch."""

    FOLLOW = "follow"
    BRANCH = "branch"


class Episode(BaseModel):
    """One stage of a story: its situation and its goal."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field("", max_length=300, title="Name", description="A name for this stage.")
    guidance: str = Field(
        max_length=20_000, title="Guidance", description="What the character should work toward in this stage."
    )
