"""The config of a conversation (V6): one typed definition for validation, REST, the form and the docs.

A conversation keeps only what was set; `config_of` fills in the rest, so that a better default reaches
old conversations too.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from everlore.domain.layer import Layer
from everlore.domain.memory import MemoryType
from everlore.domain.policy import USUAL_BUDGET

_EXTRACTED = "FACT,RELATIONSHIP,DISCOVERY,DECISION,INSIGHT"


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

    name: str = Field("", max_length=300, description="What the stage is called.")
    guidance: str = Field(max_length=20_000, description="What the character should bring about in it.")


# What belongs together in a form, in its order; each field stands in one of them.
GROUPS: Mapping[str, str] = {
    "The talk": "rating start_mode auto_title private stream rewriting",
    "The model": "service_type model analyze_model extraction_model context_window response_reserve",
    "The prompt": "template assist prune message_trim remind_every use_nlp nlp_command image_tokens image_tags "
    "audio_tokens",
    "The scene": "include_scene setting command episodes",
    "What is remembered": "extract_memories extract_facts extract_segments extraction_style review_memories "
    "confirm_facts keyframe_every keyframes_kept memory_extraction_every memory_extraction_max_per_segment "
    "memory_extraction_types memory_extraction_prompt",
    "What comes back": "memory_budget memory_shares recall_recipe memory_profile",
    "Gossip": "gossip_enabled gossip_threshold gossip_max_suggestions",
    "Summaries and analyses": "analyze_on_close analyze_past_tokens summarize_past_messages summarize_past_tokens",
}


class ConversationConfig(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={"groups": [{"title": title, "fields": [*names.split()]} for title, names in GROUPS.items()]},
    )

    rating: Rating = Field(Rating.E, description="Content rating.")
    service_type: Service = Field(Service.AUTO, description="Provider of the chat model.")
    model: str = Field("", max_length=300, description="Chat model; empty: the one of the workspace.")
    analyze_model: str = Field("", max_length=300, description="Model for analyses, titles and summaries.")
    extraction_model: str = Field("", max_length=300, description="Model that forms memories.")
    stream: bool = Field(False, description="Stream replies where the caller does not say.")
    template: str = Field(
        "", max_length=300, description="Prompt template, by name or id; empty: the one that fits the character."
    )
    assist: bool = Field(False, description="Open the prompt with the template's introduction by the assistant.")
    prune: bool = Field(True, description="Keep only the latest messages word for word in a prompt.")
    message_trim: int = Field(
        20,
        ge=2,
        le=10_000,
        description="Latest messages that stay word for word; up to twice as many do, so that prompts begin alike.",
    )
    keyframe_every: int = Field(30, ge=0, le=10_000, description="Messages between keyframes; 0: none.")
    keyframes_kept: int = Field(2, ge=0, le=100, description="Keyframes that stay in the prompt.")
    remind_every: int = Field(6, ge=0, le=10_000, description="Messages between reminders; 0: none.")
    extract_memories: bool = Field(True, description="Form memories in the background.")
    extract_facts: bool | None = Field(
        None, description="Read the user's messages for facts; empty: where the plain user talks, not in role-play."
    )
    extract_segments: bool | None = Field(
        None, description="Form keyframes, segment memories and interactions; empty: yes."
    )
    extraction_style: ExtractionStyle = Field(
        ExtractionStyle.SINGLE,
        description="What a segment may leave: `single`, the one most significant thing; or `aspects`, a new fact, a "
        "decision, an unresolved tension and a change between the persons, each or none.",
    )
    analyze_on_close: bool = Field(True, description="Analyse the whole conversation when it is closed.")
    analyze_past_tokens: int = Field(
        20_000, ge=0, le=10_000_000, description="Analyse anew whenever so many tokens have been said; 0: never."
    )
    summarize_past_messages: int = Field(
        20,
        ge=0,
        le=10_000,
        description="Past so many messages that no summary covers, the older half is summed up; 0: however many.",
    )
    summarize_past_tokens: int = Field(
        8_000, ge=0, le=10_000_000, description="The same, past so many tokens; with both 0 there are no summaries."
    )
    memory_extraction_every: int = Field(1, ge=1, le=1_000, description="Segments between extractions.")
    memory_extraction_max_per_segment: int = Field(1, ge=1, le=5, description="Most memories of one segment.")
    memory_extraction_types: str = Field(
        _EXTRACTED, max_length=1_000, description="Types of memory that may be formed, with commas between them."
    )
    memory_extraction_prompt: str = Field("", max_length=20_000, description="Replaces the built-in prompt.")
    memory_budget: int = Field(
        USUAL_BUDGET, ge=0, le=100_000, description="Most tokens of memories in a prompt, with the frame around them."
    )
    memory_shares: str = Field(
        "",
        max_length=200,
        description="How the budget is divided, in percent: `pair 50, character 30, semantic 20, cross 0`; empty: as "
        "the recipe says. What one does not use flows on to the others; a layer with 0 is not told at all.",
    )
    recall_recipe: RecipeName | None = Field(
        None, description="How recall is done; empty: as fits who plays in the conversation."
    )
    memory_profile: str = Field("", max_length=300, description="Profile; empty: the character's.")
    review_memories: bool = Field(False, description="New memories wait for approval.")
    confirm_facts: bool = Field(
        False, description="Facts that were only implied wait, and the character asks the user about them."
    )
    use_nlp: bool = Field(False, description="Add the command below to reminders.")
    nlp_command: str = Field("", max_length=20_000, description="Guidance on style that is repeated.")
    include_scene: bool = Field(False, description="Put the scene into the prompt.")
    setting: str = Field("", max_length=20_000, description="Where and when it takes place.")
    command: str = Field("", max_length=20_000, description="What a director is to bring about: ${command}.")
    image_tags: tuple[Annotated[str, Field(max_length=300)], ...] = Field(
        (), max_length=1_000, description="Images that the model may ask for: ${imageTags}."
    )
    start_mode: StartMode = Field(StartMode.USER, description="Who speaks first.")
    episodes: tuple[Episode, ...] = Field((), max_length=100, description="Stages of the story, in order.")
    gossip_enabled: bool = Field(False, description="Let memories of others come up.")
    gossip_threshold: float = Field(0.65, ge=0, le=1, description="Least likeness for gossip.")
    gossip_max_suggestions: int = Field(5, ge=0, le=50, description="Most pieces of gossip at a time.")
    rewriting: Rewriting = Field(
        Rewriting.FOLLOW,
        description="Lines that a client of `/v1` changed or left out: `follow`, they are changed and withdrawn here "
        "too, and can be restored; or `branch`, they stay, and the talk goes on in a branch.",
    )
    auto_title: bool = Field(True, description="Name the conversation after its first exchange.")
    private: bool = Field(False, description="Recall, but never form memories of this conversation.")
    image_tokens: bool = Field(False, description="Let the model ask for images: ${image.TAG}.")
    audio_tokens: bool = Field(False, description="Let the model ask for speech: ${audio.TEXT}.")
    context_window: Annotated[int, Field(ge=1_024, le=10_000_000)] | None = Field(
        None, description="Tokens that the model can take; empty: what it says itself, or 8,192."
    )
    response_reserve: Annotated[int, Field(ge=16, le=1_000_000)] | None = Field(
        None, description="Tokens kept free for the reply; empty: an eighth of the window, and at most 4,096."
    )

    def extraction_types(self) -> tuple[MemoryType, ...]:
        names = (name.strip().upper() for name in self.memory_extraction_types.split(","))
        return tuple(MemoryType(name) for name in names if name)

    def shares(self) -> dict[Layer, float]:
        """How the budget for memories is divided, or nothing where the recipe is to say it (R1)."""
        found: dict[Layer, float] = {}
        for part in filter(str.strip, self.memory_shares.split(",")):
            name, _, percent = part.strip().partition(" ")
            found[Layer(name)] = float(percent.strip().removesuffix("%")) / 100
        if any(not 0 <= share <= 1 for share in found.values()) or sum(found.values()) > 1 + 1e-9:
            raise ValueError("each share must be between 0 and 100, and all of them at most 100 together")
        return found


DEFAULTS = ConversationConfig()


class BadConfig(ValueError):
    """A config that cannot be; the message names the field and what it must be."""


def config_of(given: Mapping[str, Any]) -> ConversationConfig:
    """The whole config of a conversation that set only some of it, or `BadConfig`."""
    try:
        config = ConversationConfig.model_validate(dict(given))
    except ValidationError as error:
        raise BadConfig(_sentence(error)) from None
    try:
        config.extraction_types()
    except ValueError as error:
        known = ", ".join(each.value for each in MemoryType)
        raise BadConfig(f"memory_extraction_types: {error}. Known: {known}.") from None
    try:
        config.shares()
    except ValueError as error:
        raise BadConfig(f"memory_shares: {error}. It reads like `pair 50, character 30, semantic 20`.") from None
    return config


def set_fields(config: ConversationConfig) -> dict[str, Any]:
    """What differs from the defaults: all that a conversation needs to keep."""
    plain: dict[str, Any] = config.model_dump(mode="json", exclude_defaults=True)
    return plain


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"A conversation has no config {name!r}. Known: {', '.join(ConversationConfig.model_fields)}."
    return f"{name}: {first['msg']}; it was {first['input']!r}."[:1_000]
