"""Who may see what: one rule for every kind of output (R11, V13, G9).

The first line that applies decides:

1. another workspace: nobody;
2. future or inactive records: only in the management of records, by those who may manage them;
3. private conversations: only there, and in the management of records;
4. spoilers: the game master, and the owner if no player is speaking; the built-in voice, which quotes its input, only
   if nobody else listens (`aloud`);
5. secrets: the persons who share them; thoughts in a message: their author, and the owner;
6. canon of a campaign: everybody in it; the game master also sees everything else of it;
7. otherwise: those who witnessed it, were told, or wrote it.

Derived records inherit: a relationship of two entities is as hidden as either of them. `store/visibility_filters.py`
implements the same rule as search filters, and a test compares the two.

Start at `may_see` (whether) and `as_read_by` (how much of it); `caller_in` and `speaker_in` make the viewer.
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


# ── viewers, places, and what viewers were told ──────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """A person, or the owner as themselves, who sees the whole workspace.

    `runs` are the campaigns in which they are the game master. `plays` are their other campaigns: they see the canon
    but no spoilers, even if they are the owner.
    """

    workspace: str
    person_id: str | None = None
    sees_all: bool = False
    runs: frozenset[str] = frozenset()
    plays: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The conversation in which the viewer looks, and its campaign; both may be empty.

    `user_id`: the user of the conversation, who shares some records with everybody there. `is_desk`: the management of
    records, including pending and closed ones. `looks_back`: past records are included.
    """

    conversation_id: str | None = None
    campaign_id: str | None = None
    user_id: str | None = None
    is_desk: bool = False
    looks_back: bool = False

    def is_open_to(self, campaign_id: str | None) -> bool:
        """A conversation shows only its own campaign."""
        return self.conversation_id is None or self.campaign_id == campaign_id


NOWHERE = Place()
DESK = Place(is_desk=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibilityContext:
    """What the rule needs besides a record: the memories that the viewer was told (by `at`), and the sources of derived
    records, by id. A missing end of a relationship counts as hidden."""

    told: frozenset[str] = frozenset()
    sources: Mapping[str, Entity | Message] = field(default_factory=lambda: MappingProxyType({}), hash=False)


NOTHING = VisibilityContext()


def caller_in(
    scope: Scope, campaigns: Iterable[Campaign] = (), *, as_person: str | None = None, speaking_id: str | None = None
) -> Viewer:
    """The viewer for a caller. The owner sees everything, or what a person would see. `speaking_id`: the user of the
    viewed conversation; if that is a player, spoilers stay hidden, even from the owner."""
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
    """A person with the campaigns that they run or play in."""
    among = tuple(campaigns)
    return Viewer(
        workspace=workspace,
        person_id=person_id,
        runs=frozenset(each.id for each in among if each.gm_id == person_id),
        plays=frozenset(each.id for each in among if _has_player(each, {person_id})),
    )


def speaker_in(conversation: Conversation, character_id: str, campaign: Campaign | None) -> Viewer:
    """The viewer for a character that answers: it takes part in the campaign of the conversation, and runs the game if
    it is the game master. The person who speaks to it does not matter."""
    of = frozenset({campaign.id}) if campaign is not None else frozenset[str]()
    runs = of if campaign is not None and campaign.gm_id == character_id else frozenset[str]()
    return Viewer(workspace=conversation.workspace, person_id=character_id, runs=runs, plays=of - runs)


def aloud(speaker: Viewer, conversation: Conversation, listener: Viewer) -> Viewer:
    """The viewer for a reply that quotes its input, as the built-in voice does: it gets no spoiler if anybody but the
    game master listens. `listener`: the caller, as the user of the conversation."""
    is_alone = set(conversation.system_ids) <= {speaker.person_id}
    is_among_masters = is_alone and all(runs_the_game(listener, each) for each in speaker.runs)
    return speaker if is_among_masters else as_player(speaker)


def table_of(campaign: Campaign) -> tuple[Viewer, ...]:
    """Everybody at the table, for texts that are read aloud there. Without players, any future player."""
    if not campaign.player_ids:
        return (Viewer(workspace=campaign.workspace, plays=frozenset({campaign.id})),)
    return tuple(as_player(person_in(campaign.workspace, each, [campaign])) for each in campaign.player_ids)


def as_player(viewer: Viewer) -> Viewer:
    """The same viewer as a mere player: texts that are read aloud, or that players can see, contain only what players
    may see, whoever requests them."""
    return replace(viewer, runs=frozenset(), plays=viewer.plays | viewer.runs)


def place_of(conversation: Conversation | None) -> Place:
    """The place where a character answers, or where its prompt is inspected."""
    if conversation is None:
        return NOWHERE
    return Place(conversation_id=conversation.id, campaign_id=conversation.campaign_id, user_id=conversation.user_id)


def _has_player(campaign: Campaign, personas: Iterable[str]) -> bool:
    return any(each in campaign.player_ids and each != campaign.gm_id for each in personas)


# ── the rule ─────────────────────────────────────────────────────────────────────────────────────


class VisibilityRule(StrEnum):
    """The lines of the rule, by what they protect."""

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
    """As of `at`, if given. `beside`: what the viewer was told by then, and the sources of the record."""
    return hidden_by(viewer, record, place, at, beside=beside) is None


def hidden_by(
    viewer: Viewer,
    record: Seen,
    place: Place = NOWHERE,
    at: datetime | None = None,
    *,
    beside: VisibilityContext = NOTHING,
) -> VisibilityRule | None:
    """The line that hides it from them; None if they may see it."""
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
    """A relationship is hidden if either of its ends is."""
    ends = (record.source_id, record.target_id) if isinstance(record, Relationship) else ()
    lines = (hidden_by(viewer, beside.sources[id], place, at, beside=beside) for id in ends)
    return next((each for each in lines if each is not None), None)


def runs_the_game(viewer: Viewer, campaign_id: str | None, place: Place = NOWHERE) -> bool:
    """Whether they may see spoilers: the game master, a person or a character, and the owner if no player is
    speaking."""
    if campaign_id is not None and campaign_id in viewer.runs:
        return viewer.sees_all or place.is_open_to(campaign_id)
    is_player = bool(viewer.plays) if campaign_id is None else campaign_id in viewer.plays
    return viewer.sees_all and not is_player


def as_read_by(viewer: Viewer, record: S, place: Place = NOWHERE) -> S:
    """A visible record as they may read it: thoughts only for their author and the owner; hidden names of an entity
    only for the game master."""
    if isinstance(record, Entity) and record.hidden_aliases:
        is_theirs = runs_the_game(viewer, record.campaign_id, place)
        return cast(S, record if is_theirs else replace(record, hidden_aliases=()))
    if isinstance(record, Message):
        is_thinker = viewer.person_id is not None and viewer.person_id == record.person_id
        return cast(S, record if viewer.sees_all or is_thinker else spoken(record))
    return record


def is_spoilt_for(viewer: Viewer, record: Seen, place: Place = NOWHERE, *, beside: VisibilityContext = NOTHING) -> bool:
    """Whether it is a spoiler and they do not run the game, regardless of other lines of the rule."""
    return is_spoiler(record, beside) and not runs_the_game(viewer, _campaign_of(record), place)


def may_keep(viewer: Viewer, record: Seen) -> bool:
    """Whether they may edit and delete it: it is theirs, or belongs to a game that they run."""
    if not may_see(viewer, record, DESK):
        return False
    return _looks_after(viewer, record)


# ── the lines of the rule ────────────────────────────────────────────────────────────────────────


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
        # A relationship or a proposal is as private as the message that it quotes.
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
    """Whether it is based on something that players must not know (G9)."""
    match record:
        case Memory() | Entity() | Event() | Proposal():
            return record.is_spoiler
        case Relationship():
            ends = (beside.sources.get(record.source_id), beside.sources.get(record.target_id))
            return record.is_spoiler or any(not isinstance(each, Entity) or each.is_spoiler for each in ends)
    return False


def present_at(message: Message, everybody: Iterable[str] = ()) -> frozenset[str]:
    """The persons present at a message. Old conversations have no list of them: then `everybody` in them counts."""
    return frozenset(message.present or everybody)


def is_hidden_here(memory: Memory, here: Conversation, hidden: Collection[str | None]) -> bool:
    """Whether it was formed in one of the `hidden` conversations, and this one does not share it (M15)."""
    return memory.conversation_id in hidden and not is_shared_with(memory, here.id)


def is_of_their_game(viewer: Viewer, record: object) -> bool:
    """Canon, and what happened to any player in the game that the viewer runs; without secrets that they share with a
    player, unless these are part of the plot."""
    if not isinstance(record, Memory) or (is_secret(record) and not is_spoiler(record)):
        return False
    return is_canon(record) or runs_the_game(viewer, record.campaign_id)


def is_marked(record: Memory | Entity | Event | Proposal | Relationship) -> bool:
    """Whether its author marked it as hidden from players. For showing or copying that mark, not for deciding who may
    see it."""
    return record.is_spoiler


def is_secret(record: Seen) -> bool:
    """Whether only the persons who share it may see it."""
    return isinstance(record, Memory) and record.visibility is Visible.SECRET


def is_canon(record: Seen) -> bool:
    """Whether it holds for everybody in its campaign: records of nobody in particular, and rulings."""
    if _campaign_of(record) is None:
        return False
    is_ruled = isinstance(record, Memory) and record.type is MemoryType.CANON_RULING
    return is_ruled or isinstance(record, Entity | Relationship) or not persons_in(record)


def _is_canon(viewer: Viewer, record: Seen, place: Place) -> bool:
    campaign_id = _campaign_of(record)
    if campaign_id is None:
        # The general world, the setting of every conversation outside of campaigns; relationships follow their ends.
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
            # Old conversations have no list of who was present; their participants count as present.
            return not persons and record.conversation_id == place.conversation_id
    return False


def _is_kept_for_everybody(memory: Memory, place: Place) -> bool:
    """A user's statements about themselves alone are for everybody they talk to."""
    return memory.visibility is Visible.NORMAL and set(memory.persons) == {place.user_id}


# ── properties of records ────────────────────────────────────────────────────────────────────────


def _campaign_of(record: Seen) -> str | None:
    return None if isinstance(record, Message | Summary) else record.campaign_id


def persons_in(record: Seen) -> tuple[str, ...]:
    """The persons who had a part in it."""
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


# ── gossip ───────────────────────────────────────────────────────────────────────────────────────


def why_untold(memory: Memory) -> str:
    """Why nobody may tell a memory to a person who does not know it; empty if it may be told (R10, R11)."""
    if memory.status is not Status.ACTIVE:
        return f"it is {memory.status.value}"
    if memory.visibility is not Visible.NORMAL:
        return f"it is {memory.visibility.value}"
    return "it is a spoiler" if memory.is_spoiler else ""
