"""The commands for the world of a campaign: entities, relationships, and proposals to review (G4 to G8)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlore.cli.campaign import AsPlayer, OfCampaign, Spoiler, eyes, seat_of
from everlore.cli.commands import Answer, Commands
from everlore.cli.options import Cursor, argument, flag, option, optional
from everlore.cli.output import shown
from everlore.errors import BadAsk

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.campaign import Entity
    from everlore.domain.proposal import Proposal

entity = Commands(help="The entities of a campaign: characters, places, items, factions.")
review = Commands(help="Proposals waiting for the game master.")

EntityId = Annotated[str, argument("ENTITY", "The id of an entity, as `entity list` shows it.")]
Proposals = Annotated[list[str], argument("ID…", "Ids, as `review list` shows them.")]


# ── entities and relationships ────────────────────────────────────────────────────────────────────


@entity.command("list")
async def entities(
    lore: "Everlore",
    name: OfCampaign,
    named: Annotated[str, option("--named", "TEXT", "Only names that match this text.")] = "",
    player: AsPlayer = None,
) -> Answer:
    """List the entities of a campaign by name."""
    seat = await seat_of(lore, name, player)
    found = await lore.world.entities(seat.campaign.id, named=named, player=await eyes(lore, seat, player))
    return Answer({"items": found, "next": None}, [_entity_line(each) for each in found])


@entity.command("add")
async def add(
    lore: "Everlore",
    name: OfCampaign,
    called: Annotated[str, argument("NAME", "Its name.")],
    kind: Annotated[str, option("--kind", "KIND", "npc, location, item, faction, …")] = "other",
    alias: Annotated[list[str] | None, optional("--alias", "NAME", "Another name; may be repeated.")] = None,
    description: Annotated[str, typer.Option("--description", metavar="TEXT")] = "",
    spoiler: Spoiler = False,
) -> Answer:
    """Add an entity and print its id."""
    from everlore.domain.campaign import EntityKind

    kinds = [each.value for each in EntityKind]
    if kind not in kinds:
        raise BadAsk(f"{kind!r} is not a kind of entity. Known: {', '.join(kinds)}.")
    seat = await seat_of(lore, name, None)
    made = await lore.world.add(
        seat.campaign.id, called, kind=EntityKind(kind), aliases=alias or (), description=description, spoiler=spoiler
    )
    return Answer(made, [made.id])


@entity.command("merge")
async def merge(
    lore: "Everlore", id: EntityId, into: Annotated[str, argument("INTO", "The id of the entity to keep.")]
) -> Answer:
    """Merge two entities: names, relationships and mentions move to the second."""
    merged = await lore.world.merge(id, into)
    return Answer(merged, [_entity_line(merged)])


@entity.command("delete")
async def delete(lore: "Everlore", id: EntityId) -> Answer:
    """Delete an entity and its relationships; messages about it stay."""
    await lore.world.delete(id)
    return Answer({"deleted": id}, [f"Deleted {id}."])


@entity.command("mentions")
async def mentions(lore: "Everlore", id: EntityId, player: AsPlayer = None) -> Answer:
    """List mentions of an entity, newest first."""
    seat = await lore.campaigns.get(str((await lore.world.entity(id)).campaign_id))
    found = await lore.world.mentions(id, player=await eyes(lore, seat, player))

    def lines() -> Iterator[str]:
        yield from (f"{each.type.value.lower()}: {shown(each.content)}" for each in found.memories)
        yield from (f"said: {shown(each.content)}" for each in found.messages)

    return Answer(found, lines())


async def ties(lore: "Everlore", name: OfCampaign, player: AsPlayer = None) -> Answer:
    """List the relationships between entities."""
    seat = await seat_of(lore, name, player)
    graph = await lore.world.graph(seat.campaign.id, player=await eyes(lore, seat, player))
    names = {each.id: each.name for each in graph.entities}
    lines = [
        f"{shown(names[each.source_id])} – {shown(each.type)} – {shown(names[each.target_id])}  ({each.id})"
        for each in graph.ties
    ]
    return Answer(graph, lines)


async def tie(
    lore: "Everlore",
    source: EntityId,
    type: Annotated[str, argument("TYPE", "As in “sister of”.")],
    target: Annotated[str, argument("ENTITY", "The id of the other entity.")],
    evidence: Annotated[str, option("--evidence", "TEXT", "The evidence.")] = "",
    spoiler: Spoiler = False,
) -> Answer:
    """Add a relationship between two entities and print its id."""
    made = await lore.world.tie(source, type, target, evidence=evidence, spoiler=spoiler)
    return Answer(made, [made.id])


async def untie(
    lore: "Everlore", id: Annotated[str, argument("TIE", "The id of a relationship, as `ties` shows it.")]
) -> Answer:
    """Delete a relationship."""
    await lore.world.untie(id)
    return Answer({"deleted": id}, [f"Deleted {id}."])


# ── review ───────────────────────────────────────────────────────────────────────────────────────


@review.command("list")
async def waiting(
    lore: "Everlore",
    name: OfCampaign,
    status: Annotated[str, option("--status", "STATUS", "Or approved, rejected, merged.")] = "pending",
    kind: Annotated[str | None, optional("--kind", "KIND", "entity, relationship, conflict or chapter.")] = None,
    limit: Annotated[int, option("--limit", "N", "Maximum number of results.", min=1, max=500)] = 50,
    cursor: Cursor = None,
) -> Answer:
    """List proposals waiting for a decision, with their evidence."""
    from everlore.domain.proposal import Decision, ProposalKind

    wanted = _one_of(ProposalKind, kind, "--kind") if kind is not None else None
    seat = await seat_of(lore, name, None)
    page = await lore.review.list(
        seat.campaign.id, status=_one_of(Decision, status, "--status"), kind=wanted, limit=limit, cursor=cursor
    )
    return Answer({"items": page.items, "next": page.cursor}, _proposal_lines(page.items))


@review.command("approve")
async def approve(
    lore: "Everlore",
    ids: Proposals,
    called: Annotated[str | None, optional("--name", "NAME", "Another name for it.")] = None,
) -> Answer:
    """Approve proposals and add them to the world."""
    if called is None:
        return await _decide(lore, ids, "approved")
    if len(ids) != 1:
        raise BadAsk("--name works with one proposal. Approve the others separately.")
    decided = await lore.review.approve(ids[0], name=called)
    return Answer({"items": [decided]}, _proposal_lines([decided]))


@review.command("reject")
async def reject(lore: "Everlore", ids: Proposals) -> Answer:
    """Reject proposals; they are not suggested again."""
    return await _decide(lore, ids, "rejected")


@review.command("merge")
async def merge_proposal(
    lore: "Everlore",
    ids: Proposals,
    into: Annotated[str | None, optional("--into", "ENTITY", "The entity.  [default: the suggested one]")] = None,
) -> Answer:
    """Save proposed names as aliases of an entity."""
    return await _decide(lore, ids, "merged", into)


@review.command("undo")
async def undo(lore: "Everlore", ids: Proposals) -> Answer:
    """Undo decisions: their results are removed and they wait for review again."""
    return await _decide(lore, ids, "pending")


# ── canon ────────────────────────────────────────────────────────────────────────────────────────


async def conflicts(
    lore: "Everlore", name: OfCampaign, ruled: Annotated[bool, flag("--ruled", "Only resolved conflicts.")] = False
) -> Answer:
    """List what contradicts canon, with both texts and where they come from."""
    found = await lore.canon.conflicts((await seat_of(lore, name, None)).campaign.id, open=not ruled)

    def lines() -> Iterator[str]:
        for each in found:
            told = f"  resolved: {each.ruling.value}" if each.ruling else ""
            yield f"{each.proposal.id}  {shown(each.reason)}{told}"
            yield f"    old: {shown(each.old.text)}  {shown(each.old.session)}"
            yield f"    new: {shown(each.new.text)}  {shown(each.new.session)}"

    return Answer({"items": found}, lines())


async def rule(
    lore: "Everlore",
    id: Annotated[str, argument("CONFLICT", "The id of a conflict, as `conflicts` shows it.")],
    ruling: Annotated[str, argument("old|new|both|none", "Which one is true; none: no conflict.")],
    note: Annotated[str, option("--note", "TEXT", "The reason; saved with the ruling.")] = "",
) -> Answer:
    """Resolve a conflict. The decision is saved as a memory and applies from now on."""
    made = await lore.canon.rule(id, ruling, note)
    return Answer(made, [shown(made.content)])


async def _decide(lore: "Everlore", ids: list[str], decision: str, into: str | None = None) -> Answer:
    from everlore.domain.proposal import Decision

    decided = await lore.review.decide_many(ids, Decision(decision), into=into)
    lines = [f"{each.id}  {each.error or (each.proposal.status.value if each.proposal else '')}" for each in decided]
    return Answer({"items": decided}, lines, exit_code=1 if any(each.error for each in decided) else 0)


def _one_of(kind: Any, value: str, name: str) -> Any:
    known = [each.value for each in kind]
    if value not in known:
        raise BadAsk(f"{name} is {value!r}; it must be one of {', '.join(known)}.")
    return kind(value)


def _entity_line(each: "Entity") -> str:
    from everlore.domain.visibility import is_marked

    others = f" ({', '.join(map(shown, each.aliases))})" if each.aliases else ""
    mark = " [spoiler]" if is_marked(each) else ""
    return f"{each.id}  {each.kind.value}{mark}: {shown(each.name)}{others}"


def _proposal_lines(proposals: "tuple[Proposal, ...] | list[Proposal]") -> Iterator[str]:
    for each in proposals:
        yield f"{each.id}  {each.kind.value}: {shown(each.title)}  {each.confidence:.2f}"
        if each.evidence:
            yield f"    “{shown(each.evidence)}”"
