"""What goes over the wire: the shapes of requests and answers, and how records become them."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from inspect import get_annotations
from typing import Annotated, Any, Generic, Literal, Self, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from everlore.domain.config import Service
from everlore.domain.conversation import (
    Author,
    Conversation,
    ConversationState,
    Message,
    MessageState,
    is_pinned,
    said_by,
    withdrawal_of,
)
from everlore.domain.display import display
from everlore.domain.person import Person, PersonKind
from everlore.domain.roll import chance_of
from everlore.domain.tokens import told_with, unresolved_in
from everlore.interchange.report import Report
from everlore.learning.candidate import AnswerTally
from everlore.learning.facts.trust import Probed, Record, Trust, trust_of
from everlore.models.chat import Purpose
from everlore.models.choice import ChoiceOrigin, Endpoint
from everlore.models.complaints import public_address
from everlore.models.discovery import Offer
from everlore.models.probe import ModelProblem
from everlore.turn.replies import NOTICE
from everlore.turn.structured import Trouble

_SHORT = 120
Text = Annotated[str, Field(max_length=2_000_000)]

M = TypeVar("M", bound=BaseModel)


class Given(BaseModel):
    """A request: what it does not know is refused, so that a slip in a name is not lost in silence."""

    model_config = ConfigDict(extra="forbid")


class RecordModel(BaseModel):
    """An answer with the fields of a record, `without` some of them, beside the fields that the class itself declares.

    A field that a record gains is part of the answer unless `without` names it; the workspace never is.
    """

    model_config = ConfigDict(from_attributes=True)

    def __init_subclass__(cls, record: Any = None, without: tuple[str, ...] = (), **config: Any) -> None:
        super().__init_subclass__(**config)
        if record is None:
            return
        types = get_type_hints(record)
        unknown = {*without} - {*types}
        assert not unknown, f"{record.__name__} has no {unknown}"
        shown = {each.name: types[each.name] for each in fields(record) if each.name not in ("workspace", *without)}
        cls.__annotations__ = shown | get_annotations(cls)

    @classmethod
    def of(cls, record: object, **computed: Any) -> Self:
        """`computed`: the fields that the record does not have, or has in another form."""
        return cls(**{name: getattr(record, name) for name in cls.model_fields if name not in computed}, **computed)


class ListOf(BaseModel, Generic[M]):
    """A page of a list; `next` is the cursor of the page after it."""

    items: list[M]
    next: str | None


# ── characters ───────────────────────────────────────────────────────────────────────────────────


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
    gossip_slip_chance: float = Field(
        description="How likely gossip slips out when they are played and have something to tell, from 0 to 1."
    )
    avatar_url: str | None


class ImportReport(RecordModel, record=Report):
    """What an import made of a file, in sentences."""


class ImportedPersonas(BaseModel):
    items: list[Character]
    report: "ImportReport"


class ImportedCharacter(BaseModel):
    character: Character
    report: ImportReport


class CardTexts(Given):
    """The fields of a card as they are being written, by name."""

    texts: dict[str, Text] = Field(max_length=100)


class CardTokens(BaseModel):
    tokens: dict[str, int]


def character_out(person: Person) -> Character:
    made = {"avatar_url": avatar_url(person), "gossip_slip_chance": chance_of(person)}
    fields = {name: getattr(person, name) for name in Character.model_fields if name not in made}
    return Character(**fields, **made)


def avatar_url(person: Person) -> str | None:
    return f"/api/media/{person.avatar}" if person.avatar else None


# ── models ───────────────────────────────────────────────────────────────────────────────────────


class ModelChoice(BaseModel):
    """Who answers, and whose wish that is. `built_in`: no language model at all."""

    provider: Service
    model: str
    base_url: str
    has_key: bool
    origin: ChoiceOrigin
    built_in: bool


class ModelWish(Given):
    """A key is taken and never given back; an empty one keeps the key that is there."""

    provider: Service = Service.AUTO
    base_url: str = ""
    model: str = ""
    api_key: SecretStr | None = None


class ModelWishes(Given):
    """Only the purposes that are sent are changed; null goes back to what the operator chose."""

    chat: ModelWish | None = None
    analysis: ModelWish | None = None
    extraction: ModelWish | None = None


class ModelTrial(Given):
    """`wish`: test this model instead of the one that is chosen. Nothing is saved."""

    purpose: Purpose = Purpose.CHAT
    wish: ModelWish | None = None


class ModelTest(BaseModel):
    """Whether a model answered; if it did not, why, and what can be done. With a `wish`, `problem` names what is wrong,
    `models` are the chat models that the server lists, and `context_window` is what it reports, in tokens."""

    state: Literal["ok", "warning", "failed"]
    detail: str
    fix: str
    problem: ModelProblem = ModelProblem.NONE
    model: str = ""
    models: tuple[str, ...] = ()
    context_window: int | None = None


class ModelWindow(BaseModel):
    """How many tokens the chat model takes, as its server reports; null where it doesn't."""

    context_window: int | None


class FoundModels(BaseModel):
    provider: Service
    base_url: str
    models: tuple[str, ...]
    why: str


class ModelTrouble(RecordModel, record=Trouble):
    """A model that failed to answer in JSON several times in a row, with the beginning of its last answer."""


class ModelTrust(BaseModel):
    """How far a model that reads messages is believed, and by what: the probe (none yet: `probed` is null), and what
    came of its statements since."""

    model: str
    base_url: str
    trust: Trust
    is_fixed: bool
    probed: Probed | None
    since: AnswerTally
    withdrawn: int


class Models(BaseModel):
    chat: ModelChoice
    analysis: ModelChoice
    extraction: ModelChoice
    found: list[FoundModels]
    troubles: list[ModelTrouble]
    trust: list[ModelTrust]
    hint: str


def choice_out(endpoint: Endpoint) -> ModelChoice:
    return ModelChoice(
        provider=endpoint.provider,
        model=endpoint.model,
        base_url=public_address(endpoint.base_url),
        has_key=endpoint.api_key is not None,
        origin=endpoint.origin,
        built_in=endpoint.built_in,
    )


def found_out(offer: Offer) -> FoundModels:
    return FoundModels(
        provider=offer.provider, base_url=public_address(offer.base_url), models=offer.models, why=offer.why
    )


def trust_out(record: Record, fixed: Trust | None) -> ModelTrust:
    return ModelTrust(
        model=record.model,
        base_url=record.address,
        trust=trust_of(record, fixed),
        is_fixed=fixed is not None,
        probed=record.probed,
        since=record.since,
        withdrawn=record.withdrawn,
    )


# ── messages ─────────────────────────────────────────────────────────────────────────────────────


class MediaToken(BaseModel):
    kind: Literal["image", "audio"]
    text: str


class MessageOut(RecordModel, record=Message, without=("tokens", "weight", "private", "metadata")):
    """`display_content` is what a reader sees; `content` is everything, for editing. `notice`: what the reader should
    know of a reply, beside its words; `unresolved`: ids of `${memory.<id>}` in it that came to nothing."""

    name: str
    state: MessageState
    error: str
    display_content: str
    has_thoughts: bool
    has_metrics: bool
    has_keyframe: bool
    has_media: bool
    thoughts: str
    media: list[MediaToken]
    model: str
    built_in: bool
    notice: str
    unresolved: list[str]
    reply_tokens: int | None
    finish: str
    withdrawn: datetime | None = Field(
        None, description="When a client of `/v1` stopped sending it; it is hidden, and `…/restore` brings it back."
    )


class MessageList(BaseModel):
    """`summary` stands for the messages before the page; null where there is none, or the caller may not see it."""

    items: list[MessageOut]
    next: str | None
    summary: str | None = None


class NewMessage(Given):
    content: Text
    stream: bool | None = Field(
        None, description="Answer as server-sent events; null: as the conversation's config says."
    )
    speaker_id: str | None = Field(None, description="Which character answers; null: whoever is named, or next.")
    person_id: str | None = Field(None, description="Who says it, if not the user of the conversation.")
    as_narrator: bool = Field(False, description="The narrator says it.")
    reply: bool = Field(True, description="Whether anybody answers.")


class HowToAnswer(Given):
    stream: bool | None = None


class MessageChanges(Given):
    content: Text | None = None
    hidden: bool | None = None


class Choice(Given):
    index: int


class Turn(BaseModel):
    """`user_message` is null when a reply was written anew or continued; `reply` when none was asked for."""

    user_message: MessageOut | None
    reply: MessageOut | None


class Deleted(BaseModel):
    deleted: list[str]


class Restored(BaseModel):
    restored: list[str]


class Stopped(BaseModel):
    stopped: bool
    reply: MessageOut | None


class NewPin(Given):
    message_ids: list[str] = Field(min_length=1, max_length=20)
    what: str = Field(min_length=1, max_length=20_000)
    why: str = Field("", max_length=20_000)
    quote: str = Field("", max_length=20_000)
    force: bool = Field(False, description="Keep it beside what is known, whatever that says.")


def _unnamed(message: Message) -> str:
    """Who says it where that is no person that is known: a log that was brought in has names of its own."""
    speaker = message.metadata.get("speaker")
    return str(speaker) if speaker else "Narrator" if message.author is Author.NARRATOR else ""


def message_out(message: Message, names: Mapping[str, str], told_texts: Mapping[str, str] | None = None) -> MessageOut:
    """`told_texts`: what memories say, of which those are shown that are told in it."""
    told = message.metadata
    shown = display(message.content, {id: (told_texts or {})[id] for id in told_with(told) if id in (told_texts or {})})
    return MessageOut(
        id=message.id,
        conversation_id=message.conversation_id,
        seq=message.seq,
        author=message.author,
        person_id=message.person_id,
        name=said_by(message) or names.get(message.person_id or "", _unnamed(message)),
        content=message.content,
        display_content=shown.text,
        has_thoughts=shown.has_thoughts,
        has_metrics=shown.has_metrics,
        has_keyframe=shown.has_keyframe,
        has_media=shown.has_media,
        thoughts=shown.thoughts,
        media=[MediaToken(kind=each.kind.value, text=each.text) for each in shown.media],
        state=message.state,
        error=message.error,
        alternatives=[display(each).text for each in message.alternatives],
        chosen=message.chosen,
        present=message.present,
        model=str(told.get("model", "")),
        built_in=bool(told.get("built_in", False)),
        notice=str(told.get(NOTICE, "")),
        unresolved=[*unresolved_in(told)],
        reply_tokens=message.tokens,
        finish=str(told.get("finish", "")),
        hidden=message.hidden,
        withdrawn=withdrawal.at if (withdrawal := withdrawal_of(message)) else None,
        created_at=message.created_at,
        updated_at=message.updated_at,
    )


# ── conversations ────────────────────────────────────────────────────────────────────────────────


class Face(BaseModel):
    id: str
    name: str
    avatar_url: str | None


class LastMessage(BaseModel):
    display_content: str
    at: datetime


class NewConversation(Given):
    character_id: str | None = None
    character_ids: list[str] | None = None
    user_id: str | None = None
    id: str | None = None
    title: str = ""
    session_id: str | None = Field(None, description="The session of a campaign that it is played in.")
    config: dict[str, Any] = Field(default_factory=dict)


class ConversationChanges(Given):
    """`config` replaces those of its fields that are sent; `present` says who is in the scene now, null: all;
    `character_ids` who plays from now on."""

    title: str | None = None
    icon: str | None = None
    state: ConversationState | None = None
    config: dict[str, Any] | None = None
    present: list[str] | None = None
    character_ids: list[str] | None = None
    pinned: bool | None = None


class NewBranch(Given):
    message_id: str
    title: str | None = None


class RestingOut(BaseModel):
    """`by_hand`: those of the `memories` that a person made, edited or corrected."""

    memories: int
    by_hand: int


class ConversationOut(
    RecordModel, record=Conversation, without=("titled_from", "campaign_id", "session_id", "metadata")
):
    """`config` holds what was set; `writing`: a reply is being written just now; `present`: null for everybody;
    `inner_of_id`: the conversation whose inner dialogue this is; `pinned`: kept at the top of lists."""

    pinned: bool
    present: list[str] | None
    model: ModelChoice
    characters: list[Face]
    last_message: LastMessage | None
    writing: bool


class MessageHit(BaseModel):
    """A message that contains what was searched for. `excerpt`: the text around the first match, on one line."""

    conversation_id: str
    conversation_title: str
    conversation_icon: str
    conversation_state: ConversationState
    message_id: str
    seq: int
    author: Author
    name: str
    excerpt: str
    created_at: datetime


class MessageHits(ListOf[MessageHit]):
    """The messages that contain what was searched for."""


class ImportedConversation(BaseModel):
    conversation: ConversationOut
    report: ImportReport


def face_of(person: Person) -> Face:
    return Face(id=person.id, name=person.name, avatar_url=avatar_url(person))


def conversation_out(
    conversation: Conversation,
    persons: Mapping[str, Person],
    last: Message | None,
    endpoint: Endpoint,
    *,
    message_count: int,
    writing: bool,
) -> ConversationOut:
    made = {"model", "characters", "last_message", "writing", "present", "message_count", "pinned"}
    plain = set(ConversationOut.model_fields) - made
    here = conversation.metadata.get("present")
    return ConversationOut(
        **{name: getattr(conversation, name) for name in plain},
        present=here if isinstance(here, list) else None,
        pinned=is_pinned(conversation),
        model=choice_out(endpoint),
        characters=[face_of(persons[id]) for id in conversation.system_ids if id in persons],
        last_message=_last_out(last),
        message_count=message_count,
        writing=writing,
    )


def _last_out(last: Message | None) -> LastMessage | None:
    if last is None:
        return None
    text = " ".join(display(last.content).text.split())
    return LastMessage(display_content=text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…", at=last.created_at)


class Me(BaseModel):
    workspace: str
    role: str
    user: Character
