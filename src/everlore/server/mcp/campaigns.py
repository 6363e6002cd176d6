"""The tools of a game master and of players (G1, G4 to G7, G9, G13). A campaign is named by its id or its name; only
the game master gets what players must not know.

Start at `CAMPAIGN_TOOLS`.
"""

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, Field

from everlore.app import Everlore
from everlore.campaign.log_import import LogFile, bring_log
from everlore.domain.campaign import Entity, EntityKind
from everlore.domain.memory import MemoryType
from everlore.domain.proposal import Decision, ProposalKind
from everlore.errors import BadAsk
from everlore.server.mcp.wire import RecapText
from everlore.server.wire import RecordModel

InCampaign = Annotated[str, Field(max_length=1_000, description="The id or the name of a campaign.")]
ForPlayers = Annotated[bool, Field(description="Only what all players may know, for reading aloud.")]
Spoiler = Annotated[bool, Field(description="Hide it from players.")]
Named = Annotated[str, Field(max_length=300)]
Id = Annotated[str, Field(max_length=128)]
_MOST_LISTED = 200


class CampaignBrief(RecordModel):
    id: str
    name: str
    premise: str
    runs: bool


class CampaignBriefs(BaseModel):
    """`runs`: the caller runs the game, and is shown everything."""

    items: list[CampaignBrief]


class Cited(RecordModel):
    """A passage of the record: who said it, in which session and message."""

    number: int
    text: str
    speaker: str
    session: str
    message_id: str | None


class CampaignAnswer(BaseModel):
    text: str
    passages: list[Cited]


class Canonised(BaseModel):
    memory_id: str
    outcome: str


class Thing(RecordModel):
    id: str
    kind: str
    name: str
    aliases: list[str]
    description: str


class RelationshipOut(BaseModel):
    """For example “Ilka” “sister of” “Tam”."""

    id: str
    source: str
    type: str
    target: str


class WorldBrief(BaseModel):
    entities: list[Thing]
    ties: list[RelationshipOut]


class Waiting(RecordModel):
    """What the game master has to decide, and the words behind it."""

    id: str
    kind: str
    title: str
    evidence: str
    match_id: str | None
    status: str


class WaitingList(BaseModel):
    items: list[Waiting]


class Ruled(BaseModel):
    memory_id: str
    ruling: str


class SessionBrief(RecordModel):
    id: str
    number: int
    name: str
    ended: bool


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


async def list_campaigns(lore: Everlore) -> CampaignBriefs:
    """List the tabletop campaigns that you run or play in."""
    seats = [await lore.campaigns.get(each.id) for each in (await lore.campaigns.list(limit=_MOST_LISTED)).items]
    return CampaignBriefs(items=[CampaignBrief.of(each.campaign, runs=each.runs) for each in seats])


async def previously_on(
    lore: Everlore,
    campaign: InCampaign,
    since: Annotated[
        AwareDatetime | None, Field(description="All sessions since then; null: only the last one.")
    ] = None,
    for_players: ForPlayers = True,
) -> RecapText:
    """Recap the last session of a campaign, or all since a date, with what is still open (“Previously on …”)."""
    seat = await lore.campaigns.get(campaign)
    told = await lore.campaigns.recap(seat.campaign.id, since=since, player="" if for_players else None)
    return RecapText(campaign_id=seat.campaign.id, name=seat.campaign.name, text=told.text)


async def ask_campaign(
    lore: Everlore,
    campaign: InCampaign,
    question: Annotated[str, Field(max_length=4_000, description="The question, in plain words.")],
    for_players: ForPlayers = False,
) -> CampaignAnswer:
    """Ask the record of a campaign: its log, canon and world. Returns passages, each with its session and message."""
    seat = await lore.campaigns.get(campaign)
    answer = await lore.asking.ask(seat.campaign.id, question, player="" if for_players else None, with_model=False)
    return CampaignAnswer(text=answer.text, passages=[Cited.of(each, session=each.place) for each in answer.passages])


async def campaign_world(
    lore: Everlore,
    campaign: InCampaign,
    named: Annotated[str, Field(max_length=1_000, description="Only entities that this name or alias matches.")] = "",
    for_players: ForPlayers = False,
) -> WorldBrief:
    """List the entities of a campaign and how they are related."""
    seat = await lore.campaigns.get(campaign)
    player = "" if for_players else None
    things = await lore.world.entities(seat.campaign.id, named=named, player=player)
    graph = await lore.world.graph(seat.campaign.id, player=player)
    shown = {each.id for each in things}
    names = {each.id: each.name for each in graph.entities}
    ties = [each for each in graph.ties if {each.source_id, each.target_id} & shown]
    return WorldBrief(
        entities=[Thing.of(each) for each in things[:_MOST_LISTED]],
        ties=[
            RelationshipOut(id=each.id, source=names[each.source_id], type=each.type, target=names[each.target_id])
            for each in ties[:_MOST_LISTED]
        ],
    )


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


async def remember_canon(
    lore: Everlore,
    campaign: InCampaign,
    content: Annotated[str, Field(min_length=1, max_length=20_000, description="One clear statement.")],
    type: Annotated[MemoryType, Field(description="FACT, PREMISE, SETTING, FACTION, PLOT_THREAD, …")] = MemoryType.FACT,
    spoiler: Spoiler = False,
) -> Canonised:
    """Add a statement to the canon of a campaign that you run. A contradiction of canon waits for a ruling."""
    seat = await lore.campaigns.get(campaign)
    kept = await lore.campaigns.remember(seat.campaign.id, content, type=type, spoiler=spoiler)
    return Canonised(memory_id=kept.memory.id, outcome=kept.outcome.value)


async def add_entity(
    lore: Everlore,
    campaign: InCampaign,
    name: Named,
    kind: EntityKind = EntityKind.OTHER,
    description: Annotated[str, Field(max_length=20_000)] = "",
    aliases: Annotated[tuple[Named, ...], Field(max_length=100)] = (),
    spoiler: Spoiler = False,
) -> Thing:
    """Add an entity to the world of a campaign that you run."""
    seat = await lore.campaigns.get(campaign)
    made = await lore.world.add(
        seat.campaign.id, name, kind=kind, aliases=aliases, description=description, spoiler=spoiler
    )
    return Thing.of(made)


async def tie_entities(
    lore: Everlore,
    source_id: Id,
    type: Annotated[str, Field(min_length=1, max_length=1_000, description="For example “sister of”.")],
    target_id: Id,
    evidence: Annotated[str, Field(max_length=20_000)] = "",
) -> RelationshipOut:
    """Add a directed relationship between two entities of a campaign that you run."""
    tie = await lore.world.tie(source_id, type, target_id, evidence=evidence)
    ends = {each.id: each.name for each in await lore.store.get_many(lore.scope, Entity, [source_id, target_id])}
    return RelationshipOut(id=tie.id, source=ends[source_id], type=tie.type, target=ends[target_id])


async def campaign_review(
    lore: Everlore,
    campaign: InCampaign,
    kind: Annotated[ProposalKind | None, Field(description="Null: all kinds.")] = None,
) -> WaitingList:
    """List what waits for the game master: names, ties, contradictions, chapters that could end."""
    seat = await lore.campaigns.get(campaign)
    page = await lore.review.list(seat.campaign.id, kind=kind, limit=_MOST_LISTED)
    return WaitingList(items=[Waiting.of(each) for each in page.items])


async def decide_proposal(
    lore: Everlore,
    proposal_id: Id,
    decision: Annotated[Decision, Field(description="`pending` undoes a decision.")],
    into: Annotated[str, Field(max_length=128, description="For merging: the entity; empty: the suggested one.")] = "",
) -> Waiting:
    """Approve, reject or merge a proposal that waits for the game master, or undo the decision."""
    (decided,) = await lore.review.decide_many([proposal_id], decision, into=into or None)
    if decided.proposal is None:
        raise BadAsk(decided.error)
    return Waiting.of(decided.proposal)


async def rule_conflict(
    lore: Everlore,
    proposal_id: Id,
    ruling: Annotated[
        Literal["old", "new", "both", "none"],
        Field(description="Which one holds; `none`: no conflict."),
    ],
    note: Annotated[str, Field(max_length=1_000)] = "",
) -> Ruled:
    """Rule on a contradiction of canon. The ruling becomes a memory that takes precedence from now on."""
    made = await lore.canon.rule(proposal_id, ruling, note)
    return Ruled(memory_id=made.id, ruling=made.content)


async def start_session(
    lore: Everlore,
    campaign: InCampaign,
    name: Annotated[str, Field(max_length=1_000)] = "",
    conversation_id: Annotated[
        str, Field(max_length=128, description="The conversation that is played; empty: none yet.")
    ] = "",
) -> SessionBrief:
    """Start the next session of a campaign that you run."""
    seat = await lore.campaigns.get(campaign)
    made = await lore.sessions.start(seat.campaign.id, name=name, conversation=conversation_id or None)
    return SessionBrief.of(made, ended=False)


async def end_session(lore: Everlore, session_id: Id) -> SessionBrief:
    """End a session. Memories are extracted from it in the background."""
    ended = await lore.sessions.end(session_id)
    return SessionBrief.of(ended, ended=True)


async def bring_session_log(
    lore: Everlore,
    campaign: InCampaign,
    text: Annotated[
        str, Field(min_length=1, max_length=2_000_000, description="“Name: words”, one per line; or notes.")
    ],
    name: Annotated[str, Field(max_length=1_000)] = "",
    gm_only: Annotated[bool, Field(description="The log is the game master's private notes.")] = False,
) -> SessionBrief:
    """Import the log of a session that was played elsewhere. It is read in the background."""
    seat = await lore.campaigns.get(campaign)
    brought = await bring_log(lore.resources, lore.scope, seat.campaign.id, text, LogFile(name=name, gm_only=gm_only))
    return SessionBrief.of(brought.session, ended=brought.session.ended_at is not None)


CAMPAIGN_READING = (list_campaigns, previously_on, ask_campaign, campaign_world, campaign_review)
CAMPAIGN_TOOLS = (
    *CAMPAIGN_READING,
    remember_canon,
    add_entity,
    tie_entities,
    decide_proposal,
    rule_conflict,
    start_session,
    end_session,
    bring_session_log,
)
