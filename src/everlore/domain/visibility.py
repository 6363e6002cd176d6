"""Who may see what: one rule for every way on which something can come out (R11, V13, G9).

From the first line that applies:

1. another workspace: nobody;
2. what is not there yet, or not active: only where such records are looked after, by whoever may look after them;
3. of a private conversation: only there, and where records are looked after;
4. a spoiler: whoever runs the game, and the owner where no player is speaking; the built-in voice, which quotes what it
   is given, only where nobody else listens (`aloud`);
5. a secret: those who share it; the thoughts in a message: who thinks them, and the owner;
6. canon of a campaign: everybody in it; whoever runs the game sees the rest of it too;
7. otherwise: who witnessed it, was told, or wrote it.

What is made of others inherits: a tie between two entities is as hidden as either of them.
`store/visibility_filters.py` applies the same rule as search filters, and a test compares the two.

Start at `may_see` (whether) and `as_read_by` (how much of it); `caller_in` and `speaker_in` say who looks.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import TypeVar, cast

from everlore.domain.campaign import Campaign, Entity, Relationship
from everlore.domain.conversation import Conversation, Message, Summary, spoken
from everlore.domain.event import Event
from everlore.domain.memory import Memory, MemoryType, Status, Visible, is_shared_with
from everlore.domain.proposal import Proposal
from everlore.domain.scope import Scope

Seen = Memory | Entity | Relationship | Event | Message | Summary | Proposal
S = TypeVar("S", bound=Seen)


# ── who looks, from where, and what they were told ───────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Somebody who looks: a person, or the owner as themselves, who sees the whole workspace.

    `runs` are the campaigns whose game they run. `plays` are those that they are in without running them: their canon
    is open to them, and its spoilers are not, be they the owner.
    """

    workspace: str
    person_id: str | None = None
    sees_all: bool = False
    runs: frozenset[str] = frozenset()
    plays: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where somebody looks: in a conversation, and its campaign, or in none.

    `user_id`: whose conversation it is; what they keep for everybody is open there. `is_desk`: records are looked after
    here, those that wait or are over too. `looks_back`: what was is asked for.
    """

    conversation_id: str | None = None
    campaign_id: str | None = None
    user_id: str | None = None
    is_desk: bool = False
    looks_back: bool = False

    def is_open_to(self, campaign_id: str | None) -> bool:
        """In a conversation only its own campaign is spoken of."""
        return self.conversation_id is None or self.campaign_id == campaign_id


NOWHERE = Place()
DESK = Place(is_desk=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibilityContext:
    """What must be known beside a record: the memories that the viewer was told (by `at`), and what others were made
    of, by its id. An end of a tie that is not among them counts as hidden."""

    told: frozenset[str] = frozenset()
    sources: Mapping[str, Entity | Message] = field(default_factory=lambda: MappingProxyType({}), hash=False)


NOTHING = VisibilityContext()


def caller_in(
    scope: Scope, campaigns: Iterable[Campaign] = (), *, as_person: str | None = None, speaking_id: str | None = None
) -> Viewer:
    """Whoever asks. The owner sees all, or looks as a person would. `speaking_id`: the user of the conversation that is
    looked at; where that is a player, nothing that players must not know is shown, be it to the owner."""
    among = tuple(campaigns)
    person_id = scope.confined_to or as_person
    if person_id is not None:
        return person_in(scope.workspace, person_id, among)
    personas = frozenset(id for id in (scope.person_id, speaking_id) if id is not None)
    return Viewer(
        workspace=scope.workspace,
        person_id=scope.person_id,
        sees_all=True,
        runs=frozenset(each.id for each in among if each.gm_id in personas),
        plays=frozenset(each.id for each in among if _has_player(each, personas)),
    )


def person_in(workspace: str, person_id: str, campaigns: Iterable[Campaign] = ()) -> Viewer:
    """Somebody with what they run, and what they play."""
    among = tuple(campaigns)
    return Viewer(
        workspace=workspace,
        person_id=person_id,
        runs=frozenset(each.id for each in among if each.gm_id == person_id),
        plays=frozenset(each.id for each in among if _has_player(each, {person_id})),
    )


def speaker_in(conversation: Conversation, character_id: str, campaign: Campaign | None) -> Viewer:
    """A character that answers in a conversation: it is in the campaign that is played there, and runs the game if it
    is the game master. Who speaks to it does not matter."""
    of = frozenset({campaign.id}) if campaign is not None else frozenset[str]()
    runs = of if campaign is not None and campaign.gm_id == character_id else frozenset[str]()
    return Viewer(workspace=conversation.workspace, person_id=character_id, runs=runs, plays=of - runs)


def aloud(speaker: Viewer, conversation: Conversation, listener: Viewer) -> Viewer:
    """A speaker whose reply quotes what it is given, as the built-in voice does: it gets no spoiler where anybody else
    listens than who runs the game. `listener`: the caller, as the user of the conversation."""
    is_alone = set(conversation.system_ids) <= {speaker.person_id}
    is_among_masters = is_alone and all(runs_the_game(listener, each) for each in speaker.runs)
    return speaker if is_among_masters else as_player(speaker)


def table_of(campaign: Campaign) -> tuple[Viewer, ...]:
    """Those at the table: what is read aloud there is for each of them. Without players, whoever may come to play."""
    if not campaign.player_ids:
        return (Viewer(workspace=campaign.workspace, plays=frozenset({campaign.id})),)
    return tuple(as_player(person_in(campaign.workspace, each, [campaign])) for each in campaign.player_ids)


def as_player(viewer: Viewer) -> Viewer:
    """The same, as if they only played: what is read aloud, or kept where players look, is made of what players may
    see, whoever asks for it."""
    return replace(viewer, runs=frozenset(), plays=viewer.plays | viewer.runs)


def place_of(conversation: Conversation | None) -> Place:
    """Where a character answers, or somebody looks into what it was told."""
    if conversation is None:
        return NOWHERE
    return Place(conversation_id=conversation.id, campaign_id=conversation.campaign_id, user_id=conversation.user_id)


def _has_player(campaign: Campaign, personas: Iterable[str]) -> bool:
    return any(each in campaign.player_ids and each != campaign.gm_id for each in personas)


# ── the rule ─────────────────────────────────────────────────────────────────────────────────────


class VisibilityRule(StrEnum):
    """The lines of the rule, by what they close."""

    ELSEWHERE = "it is of another workspace"
    INACTIVE = "it was not there, or is not active"
    PRIVATE = "it is private to another conversation"
    SPOILER = "it is a spoiler"
    SECRET = "it is a secret of others"
    UNKNOWN = "they were not there, and nobody has told them"


def may_see(
    viewer: Viewer,
    record: Seen,
    place: Place = NOWHERE,
    at: datetime | None = None,
    *,
    beside: VisibilityContext = NOTHING,
) -> bool:
    """As of `at`, where it is given. `beside`: what the viewer was told by then, and what the record was made of."""
    return hidden_by(viewer, record, place, at, beside=beside) is None


def hidden_by(
    viewer: Viewer,
    record: Seen,
    place: Place = NOWHERE,
    at: datetime | None = None,
    *,
    beside: VisibilityContext = NOTHING,
) -> VisibilityRule | None:
    """The line that keeps it from them; None where they may see it."""
    if record.workspace != viewer.workspace:
        return VisibilityRule.ELSEWHERE
    if not _is_there(viewer, record, place, at):
        return VisibilityRule.INACTIVE
    if not _is_of_here(record, place, beside):
        return VisibilityRule.PRIVATE
    if is_spoiler(record, beside):
        return VisibilityRule.SPOILER if is_spoilt_for(viewer, record, place, beside=beside) else None
    if viewer.sees_all or _knows(viewer, record, place, beside):
        return None
    if is_secret(record):
        return VisibilityRule.SECRET
    if place.is_desk and _looks_after(viewer, record):
        return None
    if not (_is_canon(viewer, record, place) or _is_of_their_game(viewer, record, place)):
        return VisibilityRule.UNKNOWN
    return _hidden_end(viewer, record, place, at, beside)


def _hidden_end(
    viewer: Viewer, record: Seen, place: Place, at: datetime | None, beside: VisibilityContext
) -> VisibilityRule | None:
    """What keeps either end of a tie from them keeps the tie."""
    ends = (record.source_id, record.target_id) if isinstance(record, Relationship) else ()
    lines = (hidden_by(viewer, beside.sources[id], place, at, beside=beside) for id in ends)
    return next((each for each in lines if each is not None), None)


def runs_the_game(viewer: Viewer, campaign_id: str | None, place: Place = NOWHERE) -> bool:
    """Whether they may know what players must not: the game master, a person or a character, and the owner where no
    player is speaking."""
    if campaign_id is not None and campaign_id in viewer.runs:
        return viewer.sees_all or place.is_open_to(campaign_id)
    is_player = bool(viewer.plays) if campaign_id is None else campaign_id in viewer.plays
    return viewer.sees_all and not is_player


def as_read_by(viewer: Viewer, record: S, place: Place = NOWHERE) -> S:
    """A record that they may see, as they may read it: without what only others may know of it. Thoughts are for who
    thinks them, and for the owner; hidden names of an entity for who runs the game."""
    if isinstance(record, Entity) and record.hidden_aliases:
        is_theirs = runs_the_game(viewer, record.campaign_id, place)
        return cast(S, record if is_theirs else replace(record, hidden_aliases=()))
    if isinstance(record, Message):
        is_thinker = viewer.person_id is not None and viewer.person_id == record.person_id
        return cast(S, record if viewer.sees_all or is_thinker else spoken(record))
    return record


def is_spoilt_for(viewer: Viewer, record: Seen, place: Place = NOWHERE, *, beside: VisibilityContext = NOTHING) -> bool:
    """Whether it is a spoiler, and they do not run the game; whatever else keeps it from them."""
    return is_spoiler(record, beside) and not runs_the_game(viewer, _campaign_of(record), place)


def may_keep(viewer: Viewer, record: Seen) -> bool:
    """Whether they may look after it, change it and delete it: it is theirs, or of a game that they run."""
    if not may_see(viewer, record, DESK):
        return False
    return _looks_after(viewer, record)


# ── line by line ─────────────────────────────────────────────────────────────────────────────────


def _is_there(viewer: Viewer, record: Seen, place: Place, at: datetime | None) -> bool:
    began = record.at if isinstance(record, Event) else record.created_at
    if at is not None and began > at:
        return False
    if isinstance(record, Proposal):
        return runs_the_game(viewer, record.campaign_id, place)
    if not isinstance(record, Memory) or record.status is Status.ACTIVE:
        return True
    if record.status is Status.SUPERSEDED and place.looks_back:
        return True
    return place.is_desk and _looks_after(viewer, record)


def _looks_after(viewer: Viewer, record: Seen) -> bool:
    if viewer.sees_all or _campaign_of(record) in viewer.runs:
        return True
    by = (record.user_id,) if isinstance(record, Event) else ()
    return viewer.person_id is not None and viewer.person_id in (*persons_in(record), *by)


def _is_of_here(record: Seen, place: Place, beside: VisibilityContext) -> bool:
    if isinstance(record, Relationship | Proposal):
        # What a tie or a proposal quotes is as private as the message that it quotes.
        source = beside.sources.get(record.message_id or "")
        return not isinstance(source, Message) or _is_of_here(source, place, beside)
    if not _is_private(record) or place.is_desk:
        return True
    return getattr(record, "conversation_id", None) == place.conversation_id is not None


def _is_private(record: Seen) -> bool:
    match record:
        case Memory():
            return record.visibility is Visible.PRIVATE
        case Message() | Summary():
            return record.private
    return False


def is_spoiler(record: Seen, beside: VisibilityContext = NOTHING) -> bool:
    """Whether it rests on what players must not know (G9)."""
    match record:
        case Memory() | Entity() | Event() | Proposal():
            return record.is_spoiler
        case Relationship():
            ends = (beside.sources.get(record.source_id), beside.sources.get(record.target_id))
            return record.is_spoiler or any(not isinstance(each, Entity) or each.is_spoiler for each in ends)
    return False


def present_at(message: Message, everybody: Iterable[str] = ()) -> frozenset[str]:
    """Who was there when it was said. Of old talks nobody wrote that down; then `everybody` who is in them was."""
    return frozenset(message.present or everybody)


def is_hidden_here(memory: Memory, here: Conversation, hidden: Collection[str | None]) -> bool:
    """Whether it was formed in one of the `hidden` conversations, and this one does not share it (M15)."""
    return memory.conversation_id in hidden and not is_shared_with(memory, here.id)


def is_of_their_game(viewer: Viewer, record: object) -> bool:
    """Canon, and what happened in the game that the viewer runs, to whichever of the players; no secret that they share
    with one of them, unless that is a part of the plot."""
    if not isinstance(record, Memory) or (is_secret(record) and not is_spoiler(record)):
        return False
    return is_canon(record) or runs_the_game(viewer, record.campaign_id)


def is_marked(record: Memory | Entity | Event | Proposal | Relationship) -> bool:
    """Whether whoever wrote it down marked it as hidden from players. To show that mark, or to hand it on; who may see
    it is another question."""
    return record.is_spoiler


def is_secret(record: Seen) -> bool:
    """Whether it is for those alone who share it."""
    return isinstance(record, Memory) and record.visibility is Visible.SECRET


def is_canon(record: Seen) -> bool:
    """Whether it holds for everybody in its campaign: what is nobody's in particular, and what was ruled."""
    if _campaign_of(record) is None:
        return False
    is_ruled = isinstance(record, Memory) and record.type is MemoryType.CANON_RULING
    return is_ruled or isinstance(record, Entity | Relationship) or not persons_in(record)


def _is_canon(viewer: Viewer, record: Seen, place: Place) -> bool:
    campaign_id = _campaign_of(record)
    if campaign_id is None:
        # The world as such, which every conversation outside of campaigns is set in; a tie is open with its ends.
        is_of_the_world = isinstance(record, Entity) and not record.person_id
        is_set_in_it = place.conversation_id is not None and place.campaign_id is None
        return isinstance(record, Relationship) or (is_of_the_world and is_set_in_it)
    is_theirs = campaign_id in viewer.plays or campaign_id in viewer.runs
    return is_theirs and place.is_open_to(campaign_id) and is_canon(record)


def _is_of_their_game(viewer: Viewer, record: Seen, place: Place) -> bool:
    campaign_id = _campaign_of(record)
    return campaign_id is not None and campaign_id in viewer.runs and place.is_open_to(campaign_id)


def _knows(viewer: Viewer, record: Seen, place: Place, beside: VisibilityContext) -> bool:
    persons = persons_in(record)
    if viewer.person_id is not None and viewer.person_id in persons:
        return True
    match record:
        case Memory():
            return record.id in beside.told or _is_kept_for_everybody(record, place)
        case Message():
            # Of old talks nobody wrote down who was there: whoever is in them now was.
            return not persons and record.conversation_id == place.conversation_id
    return False


def _is_kept_for_everybody(memory: Memory, place: Place) -> bool:
    """What a user says of themselves and of nobody else is for whoever they talk to."""
    return memory.visibility is Visible.NORMAL and set(memory.persons) == {place.user_id}


# ── what a record says of itself ─────────────────────────────────────────────────────────────────


def _campaign_of(record: Seen) -> str | None:
    return None if isinstance(record, Message | Summary) else record.campaign_id


def persons_in(record: Seen) -> tuple[str, ...]:
    """Who had a part in it."""
    match record:
        case Memory() | Summary():
            return record.persons
        case Message():
            return record.present
        case Event():
            return (*record.actors, *record.participants)
        case Entity():
            return (record.person_id,) if record.person_id else ()
    return ()


# ── what may be passed on ────────────────────────────────────────────────────────────────────────


def why_untold(memory: Memory) -> str:
    """Why a memory is not to be passed on to somebody who does not know it, whoever tells it; or nothing (R10, R11)."""
    if memory.status is not Status.ACTIVE:
        return f"it is {memory.status.value}"
    if memory.visibility is not Visible.NORMAL:
        return f"it is {memory.visibility.value}"
    return "it is a spoiler" if memory.is_spoiler else ""
