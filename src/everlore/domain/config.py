"""The config of a conversation (V6): one typed definition for validation, REST, the form and the docs.

A conversation stores only the fields that were set; `config_of` fills in the others, so that improved defaults apply to
old conversations too.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from everlore.domain.config_choices import Episode, ExtractionStyle, Rating, RecipeName, Rewriting, Service, StartMode
from everlore.domain.config_form import ADVANCED, API_ONLY, GROUPS, labels
from everlore.domain.layer import Layer
from everlore.domain.memory import MemoryType
from everlore.domain.policy import USUAL_BUDGET
from everlore.language.wrong_values import requirement

_EXTRACTED = "FACT,RELATIONSHIP,DISCOVERY,DECISION,INSIGHT"


class ConversationConfig(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={"groups": [{"title": title, "fields": [*names.split()]} for title, names in GROUPS.items()]},
    )

    rating: Rating = Field(
        Rating.E,
        title="Content rating",
        description="Who the story is for. Characters keep to it.",
        json_schema_extra=labels(
            {
                Rating.E: "Everyone",
                Rating.T: "Teen",
                Rating.M: "Mature",
                Rating.AO: "Adults only",
                Rating.RC: "Unrated",
            }
        ),
    )
    service_type: Service = Field(
        Service.AUTO,
        title="Provider",
        description="Which kind of model server answers in this chat.",
        json_schema_extra=labels(
            {
                Service.AUTO: "Automatic",
                Service.OPENAI: "OpenAI-compatible",
                Service.OLLAMA: "Ollama",
                Service.LOCAL: "Model file on this computer",
                Service.VOICE: "Built-in voice (no model)",
            },
            ADVANCED,
        ),
    )
    model: str = Field(
        "", max_length=300, title="Model", description="The model that replies. Leave empty to use the default model."
    )
    temperature: Annotated[float, Field(ge=0, le=2)] | None = Field(
        None,
        title="Temperature",
        description="Higher values make replies more varied, lower ones more focused. From 0 to 2.",
    )
    top_p: Annotated[float, Field(gt=0, le=1)] | None = Field(
        None,
        title="Top P",
        description="Choose only from the most likely words that add up to this probability. Above 0, up to 1.",
    )
    max_tokens: Annotated[int, Field(ge=16, le=1_000_000)] | None = Field(
        None, title="Maximum reply length (tokens)", description="Longer replies are cut off. You can continue them."
    )
    system_prompt: str = Field(
        "",
        max_length=20_000,
        title="System prompt",
        description="Extra instructions for every reply, after the character and the rules of the template. "
        "{{char}} and {{user}} stand for the names.",
    )
    analyze_model: str = Field(
        "",
        max_length=300,
        title="Model for titles and summaries",
        description="Writes titles, summaries and analyses. Leave empty to use the default.",
        json_schema_extra=ADVANCED,
    )
    extraction_model: str = Field(
        "",
        max_length=300,
        title="Model for memories",
        description="Reads messages and suggests memories. Leave empty to use the default.",
        json_schema_extra=ADVANCED,
    )
    stream: bool = Field(
        False,
        title="Stream replies",
        description="Stream replies when an API request doesn't say whether to.",
        json_schema_extra=API_ONLY,
    )
    template: str = Field(
        "",
        max_length=300,
        title="Template",
        description="Prompt template, by name or id. Leave empty to use the one that fits the character.",
    )
    assist: bool = Field(
        False,
        title="Assistant introduction",
        description="Start the prompt with the template's introduction, spoken by the assistant.",
        json_schema_extra=ADVANCED,
    )
    prune: bool = Field(
        True,
        title="Shorten long chats",
        description="Send only the latest messages in full. Summaries stand in for older ones.",
        json_schema_extra=ADVANCED,
    )
    message_trim: int = Field(
        20,
        ge=2,
        le=10_000,
        title="Keep last messages in full",
        description="How many of the latest messages the model sees word for word. It can be up to twice as many, "
        "which lets model servers reuse their cache.",
    )
    keyframe_every: int = Field(
        30,
        ge=0,
        le=10_000,
        title="Keyframe every (messages)",
        description="How often the story so far is noted down. 0 turns keyframes off.",
        json_schema_extra=ADVANCED,
    )
    keyframes_kept: int = Field(
        2,
        ge=0,
        le=100,
        title="Keyframes in the prompt",
        description="How many of the latest keyframes the model sees.",
        json_schema_extra=ADVANCED,
    )
    remind_every: int = Field(
        6,
        ge=0,
        le=10_000,
        title="Repeat reminders every (messages)",
        description="How often the model is reminded of the story stage and the writing style. 0 turns reminders off.",
        json_schema_extra=ADVANCED,
    )
    extract_memories: bool = Field(True, title="Create memories", description="Learn from this chat in the background.")
    extract_facts: bool | None = Field(
        None,
        title="Learn facts about you",
        description="Look for facts in your messages. Automatic: yes, unless you play a character.",
        json_schema_extra=ADVANCED,
    )
    extract_segments: bool | None = Field(
        None,
        title="Learn from the story",
        description="Create keyframes, memories of scenes, and interactions. Automatic: yes.",
        json_schema_extra=ADVANCED,
    )
    extraction_style: ExtractionStyle = Field(
        ExtractionStyle.SINGLE,
        title="What to learn from a scene",
        description="One memory of the most important thing, or up to four: a new fact, a decision, an unresolved "
        "tension and a change in the relationship.",
        json_schema_extra=labels(
            {
                ExtractionStyle.SINGLE: "The most important thing",
                ExtractionStyle.ASPECTS: "One memory per aspect",
            },
            ADVANCED,
        ),
    )
    analyze_on_close: bool = Field(
        True, title="Analyze when closed", description="Analyze the whole chat when you close it."
    )
    analyze_past_tokens: int = Field(
        20_000,
        ge=0,
        le=10_000_000,
        title="Analyze every (tokens)",
        description="Analyze again after this many new tokens. 0 turns this off.",
        json_schema_extra=ADVANCED,
    )
    summarize_past_messages: int = Field(
        20,
        ge=0,
        le=10_000,
        title="Summarize after (messages)",
        description="When this many messages have no summary yet, the older half is summarized. 0 means no limit.",
        json_schema_extra=ADVANCED,
    )
    summarize_past_tokens: int = Field(
        8_000,
        ge=0,
        le=10_000_000,
        title="Summarize after (tokens)",
        description="The same, counted in tokens. If both are 0, nothing is summarized.",
        json_schema_extra=ADVANCED,
    )
    memory_extraction_every: int = Field(
        1,
        ge=1,
        le=1_000,
        title="Learn from every (scenes)",
        description="1 learns from every scene, 2 from every other one, and so on.",
        json_schema_extra=ADVANCED,
    )
    memory_extraction_max_per_segment: int = Field(
        1,
        ge=1,
        le=5,
        title="Memories per scene",
        description="The most memories that one scene can create.",
        json_schema_extra=ADVANCED,
    )
    memory_extraction_types: str = Field(
        _EXTRACTED,
        max_length=1_000,
        title="Memory types",
        description="Types of memory that scenes can create, separated by commas.",
        json_schema_extra=ADVANCED,
    )
    memory_extraction_prompt: str = Field(
        "",
        max_length=20_000,
        title="Extraction prompt",
        description="Replaces the built-in prompt that creates memories. Leave empty for automatic.",
        json_schema_extra=ADVANCED,
    )
    memory_budget: int = Field(
        USUAL_BUDGET,
        ge=0,
        le=100_000,
        title="Memory budget (tokens)",
        description="The most tokens that memories can take up in a prompt.",
    )
    memory_shares: str = Field(
        "",
        max_length=200,
        title="Budget shares",
        description="How to divide the memory budget, in percent: `pair 50, character 30, semantic 20, cross 0`. "
        "Leave empty for automatic. An unused share is passed on; 0 leaves a layer out.",
        json_schema_extra=ADVANCED,
    )
    recall_recipe: RecipeName | None = Field(
        None,
        title="Recall style",
        description="What counts when memories are chosen for a reply. Automatic picks one that fits the chat.",
        json_schema_extra=labels(
            {
                RecipeName.COMPANION: "Companion",
                RecipeName.ASSISTANT: "Assistant",
                RecipeName.ROLEPLAY: "Role-play",
                RecipeName.AGENT: "Agent",
                RecipeName.CAMPAIGN: "Campaign",
            }
        ),
    )
    memory_profile: str = Field(
        "",
        max_length=300,
        title="Memory profile",
        description="Which kinds of themes an analysis looks for. Leave empty to use the character's profile.",
        json_schema_extra=ADVANCED,
    )
    review_memories: bool = Field(
        False, title="Review new memories", description="New memories wait in Review until you approve them."
    )
    confirm_facts: bool = Field(
        False,
        title="Ask before saving guesses",
        description="When you only implied a fact, the character asks you before it is saved.",
    )
    use_nlp: bool = Field(
        False,
        title="Repeat the writing style",
        description="Add the writing style below to the reminders.",
        json_schema_extra=ADVANCED,
    )
    nlp_command: str = Field(
        "",
        max_length=20_000,
        title="Writing style",
        description="For example: short sentences, present tense, no lists.",
        json_schema_extra=ADVANCED,
    )
    include_scene: bool = Field(
        False, title="Include the scene", description="Add the scene to the prompt: place, time and who is there."
    )
    setting: str = Field("", max_length=20_000, title="Setting", description="Where and when the story takes place.")
    command: str = Field(
        "",
        max_length=20_000,
        title="Director's task",
        description="What the Director and Agent templates work toward. Templates insert it as ${command}.",
        json_schema_extra=ADVANCED,
    )
    image_tags: tuple[Annotated[str, Field(max_length=300)], ...] = Field(
        (),
        max_length=1_000,
        title="Image tags",
        description="Images the model may ask for. Templates insert them as ${imageTags}.",
        json_schema_extra=API_ONLY,
    )
    start_mode: StartMode = Field(
        StartMode.USER,
        title="Who speaks first",
        description="A character that has a greeting opens the chat with it. If it has none, “Character” writes one.",
        json_schema_extra=labels(
            {
                StartMode.USER: "You",
                StartMode.SYSTEM: "Character",
                StartMode.NONE: "You, without a greeting",
            }
        ),
    )
    episodes: tuple[Episode, ...] = Field(
        (), max_length=100, title="Story stages", description="The stages of the story, in order."
    )
    gossip_enabled: bool = Field(
        False,
        title="Gossip",
        description="Characters can mention what they remember from other people and other chats.",
    )
    gossip_threshold: float = Field(
        0.65,
        ge=0,
        le=1,
        title="Gossip threshold",
        description="How closely a memory must match to be suggested to you, from 0 to 1.",
        json_schema_extra=ADVANCED,
    )
    gossip_max_suggestions: int = Field(
        5,
        ge=0,
        le=50,
        title="Gossip suggestions",
        description="The most suggestions at a time.",
        json_schema_extra=ADVANCED,
    )
    rewriting: Rewriting = Field(
        Rewriting.FOLLOW,
        title="Rewritten history",
        description="When a client of `/v1` changes or leaves out earlier messages: `follow` changes or removes them "
        "here too, and you can restore them; `branch` keeps them and continues in a branch.",
        json_schema_extra=API_ONLY,
    )
    auto_title: bool = Field(True, title="Automatic title", description="Name the chat after the first messages.")
    private: bool = Field(
        False, title="Private", description="Use memories in this chat, but never create any from it."
    )
    image_tokens: bool = Field(
        False,
        title="Image requests",
        description="Let the model ask for images with ${image.TAG}.",
        json_schema_extra=API_ONLY,
    )
    audio_tokens: bool = Field(
        False,
        title="Speech requests",
        description="Let the model ask for speech with ${audio.TEXT}.",
        json_schema_extra=API_ONLY,
    )
    context_window: Annotated[int, Field(ge=1_024, le=10_000_000)] | None = Field(
        None,
        title="Context window (tokens)",
        description="How many tokens the model can take. Leave empty to use what the server reports, or 8,192.",
        json_schema_extra=ADVANCED,
    )
    response_reserve: Annotated[int, Field(ge=16, le=1_000_000)] | None = Field(
        None,
        title="Reserved for the reply (tokens)",
        description="Leave empty for an eighth of the context window, at most 4,096.",
        json_schema_extra=ADVANCED,
    )

    def extraction_types(self) -> tuple[MemoryType, ...]:
        names = (name.strip().upper() for name in self.memory_extraction_types.split(","))
        return tuple(MemoryType(name) for name in names if name)

    def shares(self) -> dict[Layer, float]:
        """The shares of the memory budget, or an empty dict if the recipe decides (R1)."""
        found: dict[Layer, float] = {}
        for part in filter(str.strip, self.memory_shares.split(",")):
            name, _, percent = part.strip().partition(" ")
            found[Layer(name)] = float(percent.strip().removesuffix("%")) / 100
        if any(not 0 <= share <= 1 for share in found.values()) or sum(found.values()) > 1 + 1e-9:
            raise ValueError("each share must be between 0 and 100, and all of them at most 100 together")
        return found


DEFAULTS = ConversationConfig()


class BadConfig(ValueError):
    """An invalid config; the message names the field and its valid values."""


def config_of(given: Mapping[str, Any]) -> ConversationConfig:
    """The complete config for the given fields, or `BadConfig`."""
    try:
        config = ConversationConfig.model_validate(dict(given))
    except ValidationError as error:
        raise BadConfig(_sentence(error)) from None
    try:
        config.extraction_types()
    except ValueError as error:
        known = ", ".join(each.value for each in MemoryType)
        raise BadConfig(f"Memory types (memory_extraction_types): {error}. Known types: {known}.") from None
    try:
        config.shares()
    except ValueError as error:
        raise BadConfig(
            f"Budget shares (memory_shares): {error}. Write them like `pair 50, character 30, semantic 20`."
        ) from None
    return config


def set_fields(config: ConversationConfig) -> dict[str, Any]:
    """The fields that differ from the defaults: all that a conversation needs to store."""
    plain: dict[str, Any] = config.model_dump(mode="json", exclude_defaults=True)
    return plain


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"There is no chat setting {name!r}. Known settings: {', '.join(ConversationConfig.model_fields)}."
    field = ConversationConfig.model_fields.get(str(first["loc"][0])) if first["loc"] else None
    label = f"{field.title} ({name})" if field else name
    return f"{label} {requirement(first)}. You gave {first['input']!r}."[:1_000]
