"""Requests and answers for campaigns, and how records become answers."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, Field

from everlore.campaign.canon_sections import CanonSection, Shelves
from everlore.campaign.players import Player
from everlore.campaign.questions import AnswerStatement, AnswerWithSources, CitedPassage
from everlore.campaign.recap import Recap
from everlore.campaign.seats import Seat
from everlore.domain.campaign import Campaign, Chapter, Session
from everlore.domain.memory import MemoryType
from everlore.domain.sessions import parts_of
from everlore.server.wire import Given, RecordModel
from everlore.server.wire_conversations import MessageOut
from everlore.server.wire_memories import Id, Importance, Line, MemoryOut, Statement, memory_out

Name = Annotated[str, Field(min_length=1, max_length=300)]
Prose = Annotated[str, Field(max_length=200_000)]
Names = Annotated[tuple[Annotated[str, Field(max_length=300)], ...], Field(max_length=100)]
Ids = Annotated[tuple[Id, ...], Field(max_length=500)]

# ── campaigns and chapters ───────────────────────────────────────────────────────────────────────


class CampaignOut(RecordModel, record=Campaign, without=("extra",)):
    """`runs`: the caller runs the game and sees everything; otherwise only what players may see."""

    runs: bool


class NewPlayer(Given):
    """A player, by name or as a known person, and the name of their character."""

    name: Line = ""
    person_id: Id | None = None
    character: Line = ""


class NewRole(Given):
    """`name`: of the character; empty if the one before died and there is no successor yet."""

    name: Line = ""
    died: bool = Field(False, description="The character before it died.")
    at: AwareDatetime | None = Field(None, description="Since when it is played; default: now.")


class RoleOut(RecordModel):
    entity_id: str
    name: str
    since: datetime | None
    died: bool


class PlayerOut(RecordModel):
    """`roles`: the characters, the current one last."""

    id: str
    name: str
    character: str
    roles: list[RoleOut]


class NewCampaign(Given):
    name: Name
    premise: Prose = ""
    gm_id: Id | None = Field(None, description="Who runs it, a person or a character; default: the owner.")
    player_ids: Annotated[tuple[Id, ...], Field(max_length=50)] = ()
    players: Annotated[tuple[NewPlayer, ...], Field(max_length=50)] = Field((), description="Further players.")


class CampaignChanges(Given):
    """Only what is sent is changed. Null means the owner for `gm_id`."""

    name: Name | None = None
    premise: Prose | None = None
    gm_id: Id | None = None
    player_ids: Annotated[tuple[Id, ...], Field(max_length=50)] | None = None


class ChapterOut(RecordModel, record=Chapter, without=("extra",)):
    """A part of a campaign, from the session that starts it to the one that ends it."""


class NewChapter(Given):
    name: Name
    goals: Annotated[tuple[Line, ...], Field(max_length=100)] = ()


class ChapterChanges(Given):
    """Only what is sent is changed."""

    name: Name | None = None
    goals: Annotated[tuple[Line, ...], Field(max_length=100)] | None = None
    closed: bool | None = None


def player_out(player: Player) -> PlayerOut:
    roles = [RoleOut.of(each, entity_id=each.entity.id, name=each.entity.name) for each in player.roles]
    return PlayerOut.of(player, roles=roles)


def campaign_out(seat: Seat) -> CampaignOut:
    return CampaignOut.of(seat.campaign, runs=seat.runs)


# ── sessions ─────────────────────────────────────────────────────────────────────────────────────


class PartOut(RecordModel):
    """A part of a conversation that was played. `open`: the players took part."""

    conversation_id: str
    first_seq: int
    last_seq: int | None
    open: bool


class SessionOut(RecordModel, record=Session, without=("extra",)):
    parts: list[PartOut]


class NewSession(Given):
    name: Line = ""
    chapter_id: Id | None = Field(None, description="Default: the current chapter.")
    conversation_id: Id | None = Field(None, description="Later messages of this conversation belong to the session.")
    open: bool | None = Field(None, description="Whether the players take part; default: unless only the GM does.")


class SessionChanges(Given):
    name: Line | None = None
    chapter_id: Id | None = None
    reopen: bool = False


class Joining(Given):
    conversation_id: Id
    open: bool | None = None
    whole: bool = Field(False, description="Include earlier messages.")


class NewTalk(Given):
    """A conversation that is played in the session."""

    character_ids: Annotated[tuple[Id, ...], Field(min_length=1, max_length=20)]
    user_id: Id | None = None
    open: bool | None = None
    title: Line = ""
    config: dict[str, Any] = Field(default_factory=dict)


class LogOut(BaseModel):
    """The messages of a session that the caller may read, in order."""

    items: list[MessageOut]


class ClearedOut(BaseModel):
    memories: int
    proposals: int


class QueuedOut(BaseModel):
    job_id: str


def session_out(session: Session) -> SessionOut:
    return SessionOut.of(session, parts=parts_of(session))


# ── canon ────────────────────────────────────────────────────────────────────────────────────────


class NewCanon(Given):
    """A statement that a game master adds to canon."""

    content: Statement
    type: MemoryType = MemoryType.FACT
    chapter_id: Id | None = None
    session_id: Id | None = None
    importance: Importance = 5
    is_spoiler: bool = False
    force: bool = Field(False, description="Save it even if it contradicts what is known.")


class ShelfOut(RecordModel):
    """A chapter or a session with its memories. The `summary` of a chapter has one line for each session."""

    id: str
    number: int
    name: str
    summary: str
    memories: list[MemoryOut]


class ShelvesOut(BaseModel):
    """Everything the campaign knows: overall, by chapter, and by session, newest first."""

    campaign: CampaignOut
    memories: list[MemoryOut]
    chapters: list[ShelfOut]
    sessions: list[ShelfOut]


class ToldOut(RecordModel):
    session_id: str
    number: int
    name: str
    line: str
    summary: str
    ended_at: datetime | None


class RecapOut(RecordModel):
    """A recap; `text` is the complete text, to be read aloud."""

    campaign_id: str
    chapter: str | None
    sessions: list[ToldOut]
    threads: list[str]
    text: str


class StoryOut(BaseModel):
    campaign_id: str
    markdown: str


def shelves_out(shelves: Shelves, *, runs: bool) -> ShelvesOut:
    return ShelvesOut(
        campaign=CampaignOut.of(shelves.campaign, runs=runs),
        memories=[memory_out(each) for each in shelves.memories],
        chapters=[_shelf(each) for each in shelves.chapters],
        sessions=[_shelf(each) for each in shelves.sessions],
    )


def _shelf(shelf: CanonSection) -> ShelfOut:
    return ShelfOut.of(shelf.of, summary=shelf.summary, memories=[memory_out(each) for each in shelf.memories])


def recap_out(recap: Recap) -> RecapOut:
    told = [
        ToldOut.of(each.session, session_id=each.session.id, line=each.line, summary=each.summary)
        for each in recap.sessions
    ]
    chapter = recap.chapter.name if recap.chapter else None
    return RecapOut.of(recap, campaign_id=recap.campaign.id, chapter=chapter, sessions=told)


# ── questions about the record ──────────────────────────────────────────────────────────────────


class Earlier(Given):
    question: Annotated[str, Field(max_length=4_000)]
    answer: Annotated[str, Field(max_length=20_000)] = ""


class NewQuestion(Given):
    question: Annotated[str, Field(min_length=1, max_length=4_000)]
    before: Annotated[tuple[Earlier, ...], Field(max_length=20)] = ()
    player: Annotated[str, Field(max_length=128)] | None = Field(
        None, description="As seen by this player; empty: by any player."
    )
    limit: Annotated[int, Field(ge=1, le=50)] = 12
    with_model: bool = Field(True, description="`false` returns only the passages, without an answer.")


class PassageOut(RecordModel, record=CitedPassage, without=("session",)):
    """A passage of the record; `session_id` and `message_id` say where it was said."""

    session_id: str | None
    place: str


class StatementOut(RecordModel, record=AnswerStatement):
    """A sentence of the answer, and the numbers of the passages that support it."""


class RecordAnswer(RecordModel, record=AnswerWithSources):
    """`statements` is empty if no model answered; then read the passages. `text` is the complete answer."""

    statements: list[StatementOut]
    passages: list[PassageOut]
    text: str


def record_answer_out(answer: AnswerWithSources) -> RecordAnswer:
    passages = [PassageOut.of(each, session_id=each.session.id if each.session else None) for each in answer.passages]
    return RecordAnswer.of(answer, passages=passages)
