"""The verbs for the world of a campaign: entities, ties, and what waits for a decision (G4 to G8)."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlore.cli.campaign import AsPlayer, OfCampaign, Spoiler, eyes, seat_of
from everlore.cli.options import AsJson, Cursor, Db, Workspace
from everlore.cli.output import emit, shown
from everlore.cli.session import CommandOptions, with_lore
from everlore.errors import BadAsk

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.campaign.canon.disputes import Dispute
    from everlore.campaign.world import Graph, Mentions
    from everlore.domain.campaign import Entity, Relationship
    from everlore.domain.memory import Memory
    from everlore.domain.proposal import Proposal
    from everlore.store.port import Page

entity = typer.Typer(help="The entities of a campaign: characters, places, items, factions.", rich_markup_mode=None)
review = typer.Typer(help="Proposals waiting for the game master.", rich_markup_mode=None)

EntityId = Annotated[str, typer.Argument(metavar="ENTITY", help="The id of an entity, as `entity list` shows it.")]
Proposals = Annotated[list[str], typer.Argument(metavar="ID…", help="Ids, as `review list` shows them.")]


# ── entities and ties ────────────────────────────────────────────────────────────────────────────


@entity.command("list")
def entities(
    name: OfCampaign,
    named: Annotated[str, typer.Option("--named", metavar="TEXT", help="Only names that match this text.")] = "",
    player: AsPlayer = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """List the entities of a campaign by name."""

    async def find(lore: "Everlore") -> Any:
        seat = await seat_of(lore, name, player)
        return await lore.world.entities(seat.campaign.id, named=named, player=await eyes(lore, seat, player))

    found = with_lore(CommandOptions(db, workspace, as_json), find)
    emit(as_json, {"items": found, "next": None}, [_entity_line(each) for each in found])


@entity.command("add")
def add(
    name: OfCampaign,
    called: Annotated[str, typer.Argument(metavar="NAME", help="Its name.")],
    kind: Annotated[str, typer.Option("--kind", metavar="KIND", help="npc, location, item, faction, …")] = "other",
    alias: Annotated[
        list[str] | None,
        typer.Option("--alias", metavar="NAME", help="Another name; may be repeated.", show_default=False),
    ] = None,
    description: Annotated[str, typer.Option("--description", metavar="TEXT")] = "",
    spoiler: Spoiler = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Add an entity and print its id."""

    async def make(lore: "Everlore") -> "Entity":
        from everlore.domain.campaign import EntityKind

        kinds = [each.value for each in EntityKind]
        if kind not in kinds:
            raise BadAsk(f"{kind!r} is no kind of entity. Known: {', '.join(kinds)}.")
        seat = await seat_of(lore, name, None)
        return await lore.world.add(
            seat.campaign.id,
            called,
            kind=EntityKind(kind),
            aliases=alias or (),
            description=description,
            spoiler=spoiler,
        )

    made = with_lore(CommandOptions(db, workspace, as_json), make)
    emit(as_json, made, [made.id])


@entity.command("merge")
def merge(
    id: EntityId,
    into: Annotated[str, typer.Argument(metavar="INTO", help="The id of the entity to keep.")],
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Merge two entities: names, relationships and mentions move to the second."""
    merged = with_lore(CommandOptions(db, workspace, as_json), lambda lore: lore.world.merge(id, into))
    emit(as_json, merged, [_entity_line(merged)])


@entity.command("delete")
def delete(id: EntityId, db: Db = None, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """Delete an entity and its relationships; messages about it stay."""
    with_lore(CommandOptions(db, workspace, as_json), lambda lore: lore.world.delete(id))
    emit(as_json, {"deleted": id}, [f"Deleted {id}."])


@entity.command("mentions")
def mentions(
    id: EntityId, player: AsPlayer = None, db: Db = None, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """List mentions of an entity, newest first."""

    async def find(lore: "Everlore") -> "Mentions":
        found = await lore.world.entity(id)
        seat = await lore.campaigns.get(str(found.campaign_id))
        return await lore.world.mentions(id, player=await eyes(lore, seat, player))

    found = with_lore(CommandOptions(db, workspace, as_json), find)

    def lines() -> Iterator[str]:
        yield from (f"{each.type.value.lower()}: {shown(each.content)}" for each in found.memories)
        yield from (f"said: {shown(each.content)}" for each in found.messages)

    emit(as_json, found, lines())


def ties(
    name: OfCampaign, player: AsPlayer = None, db: Db = None, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """List the relationships between entities."""

    async def find(lore: "Everlore") -> "Graph":
        seat = await seat_of(lore, name, player)
        return await lore.world.graph(seat.campaign.id, player=await eyes(lore, seat, player))

    graph = with_lore(CommandOptions(db, workspace, as_json), find)
    names = {each.id: each.name for each in graph.entities}
    lines = [
        f"{shown(names[each.source_id])} – {shown(each.type)} – {shown(names[each.target_id])}  ({each.id})"
        for each in graph.ties
    ]
    emit(as_json, graph, lines)


def tie(
    source: EntityId,
    type: Annotated[str, typer.Argument(metavar="TYPE", help="As in “sister of”.")],
    target: Annotated[str, typer.Argument(metavar="ENTITY", help="The id of the other entity.")],
    evidence: Annotated[str, typer.Option("--evidence", metavar="TEXT", help="The evidence.")] = "",
    spoiler: Spoiler = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Add a relationship between two entities and print its id."""

    async def make(lore: "Everlore") -> "Relationship":
        return await lore.world.tie(source, type, target, evidence=evidence, spoiler=spoiler)

    made = with_lore(CommandOptions(db, workspace, as_json), make)
    emit(as_json, made, [made.id])


def untie(
    id: Annotated[str, typer.Argument(metavar="TIE", help="The id of a relationship, as `ties` shows it.")],
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Delete a relationship."""
    with_lore(CommandOptions(db, workspace, as_json), lambda lore: lore.world.untie(id))
    emit(as_json, {"deleted": id}, [f"Deleted {id}."])


# ── what waits ───────────────────────────────────────────────────────────────────────────────────


@review.command("list")
def waiting(
    name: OfCampaign,
    status: Annotated[
        str, typer.Option("--status", metavar="STATUS", help="Or approved, rejected, merged.")
    ] = "pending",
    kind: Annotated[
        str | None,
        typer.Option("--kind", metavar="KIND", help="entity, relationship, conflict or chapter.", show_default=False),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Maximum number of results.", min=1, max=500)] = 50,
    cursor: Cursor = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """List proposals waiting for a decision, with their evidence."""

    async def find(lore: "Everlore") -> "Page":
        from everlore.domain.proposal import Decision, ProposalKind

        wanted = _one_of(ProposalKind, kind, "--kind") if kind is not None else None
        seat = await seat_of(lore, name, None)
        return await lore.review.list(
            seat.campaign.id, status=_one_of(Decision, status, "--status"), kind=wanted, limit=limit, cursor=cursor
        )

    page = with_lore(CommandOptions(db, workspace, as_json), find)
    emit(as_json, {"items": page.items, "next": page.cursor}, _proposal_lines(page.items))


@review.command("approve")
def approve(
    ids: Proposals,
    called: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Another name for it.", show_default=False)
    ] = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Approve proposals and add them to the world."""
    if called is not None and len(ids) != 1:
        raise BadAsk("--name works with one proposal. Approve the others separately.")
    if called is not None:
        decided = with_lore(
            CommandOptions(db, workspace, as_json), lambda lore: lore.review.approve(ids[0], name=called)
        )
        emit(as_json, {"items": [decided]}, _proposal_lines([decided]))
        return
    _decide(ids, "approved", None, db, workspace, as_json)


@review.command("reject")
def reject(ids: Proposals, db: Db = None, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """Reject proposals; they are not suggested again."""
    _decide(ids, "rejected", None, db, workspace, as_json)


@review.command("merge")
def merge_proposal(
    ids: Proposals,
    into: Annotated[
        str | None,
        typer.Option("--into", metavar="ENTITY", help="The entity.  [default: the suggested one]", show_default=False),
    ] = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Save proposed names as aliases of an entity."""
    _decide(ids, "merged", into, db, workspace, as_json)


@review.command("undo")
def undo(ids: Proposals, db: Db = None, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """Undo decisions: their results are removed and they wait for review again."""
    _decide(ids, "pending", None, db, workspace, as_json)


# ── canon ────────────────────────────────────────────────────────────────────────────────────────


def conflicts(
    name: OfCampaign,
    ruled: Annotated[bool, typer.Option("--ruled", help="Only resolved conflicts.")] = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """List what contradicts canon, with both texts and where they come from."""

    async def find(lore: "Everlore") -> "Sequence[Dispute]":
        return await lore.canon.conflicts((await seat_of(lore, name, None)).campaign.id, open=not ruled)

    found = with_lore(CommandOptions(db, workspace, as_json), find)

    def lines() -> Iterator[str]:
        for each in found:
            told = f"  resolved: {each.ruling.value}" if each.ruling else ""
            yield f"{each.proposal.id}  {shown(each.reason)}{told}"
            yield f"    old: {shown(each.old.text)}  {shown(each.old.session)}"
            yield f"    new: {shown(each.new.text)}  {shown(each.new.session)}"

    emit(as_json, {"items": found}, lines())


def rule(
    id: Annotated[str, typer.Argument(metavar="CONFLICT", help="The id of a conflict, as `conflicts` shows it.")],
    ruling: Annotated[str, typer.Argument(metavar="old|new|both|none", help="Which one is true; none: no conflict.")],
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="The reason; saved with the ruling.")] = "",
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Resolve a conflict. The decision is saved as a memory and applies from now on."""

    async def judge(lore: "Everlore") -> "Memory":
        return await lore.canon.rule(id, ruling, note)

    made = with_lore(CommandOptions(db, workspace, as_json), judge)
    emit(as_json, made, [shown(made.content)])


def _decide(
    ids: list[str], decision: str, into: str | None, db: str | None, workspace: str | None, as_json: bool
) -> None:
    async def decide(lore: "Everlore") -> Any:
        from everlore.domain.proposal import Decision

        return await lore.review.decide_many(ids, Decision(decision), into=into)

    decided = with_lore(CommandOptions(db, workspace, as_json), decide)
    lines = [f"{each.id}  {each.error or (each.proposal.status.value if each.proposal else '')}" for each in decided]
    emit(as_json, {"items": decided}, lines)
    if any(each.error for each in decided):
        raise typer.Exit(1)


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
