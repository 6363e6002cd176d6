"""The verbs of `everlore campaign`: campaigns, chapters, sessions, what is known, how it is told (G1, G3, G10, G13)."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlore.cli.memories import read_time
from everlore.cli.options import AsJson, Db, Workspace
from everlore.cli.output import emit, shown, shown_text
from everlore.cli.review import known
from everlore.cli.session import CommandOptions, with_lore
from everlore.errors import BadAsk

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.campaign.questions import AnswerWithSources
    from everlore.campaign.recap import Recap
    from everlore.campaign.seats import Seat
    from everlore.domain.campaign import Chapter, Session
    from everlore.domain.memory import Memory

campaign = typer.Typer(help="Tabletop campaigns: sessions, canon, world, recap.", rich_markup_mode=None)
chapter = typer.Typer(help="The chapters of a campaign.", rich_markup_mode=None)
session = typer.Typer(help="Sessions: start, end, read, digest, clear.", rich_markup_mode=None)
campaign.add_typer(chapter, name="chapter")
campaign.add_typer(session, name="session")

OfCampaign = Annotated[str, typer.Argument(metavar="CAMPAIGN", help="The name or the id of a campaign.")]
SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="The id of a session, as `session list` shows it.")]
AsPlayer = Annotated[
    str | None,
    typer.Option(
        "--player",
        metavar="NAME|ID",
        help="Show only what this player may see; `any`: what every player may see.",
        show_default=False,
    ),
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="From this date on: 2024-05-31.", show_default=False)
]
Spoiler = Annotated[bool, typer.Option("--spoiler", help="A spoiler: hidden from players.")]
_WHEN = "%Y-%m-%d %H:%M"
_ANY = "any"


# ── campaigns ────────────────────────────────────────────────────────────────────────────────────


@campaign.command("new")
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name.")],
    premise: Annotated[str, typer.Option("--premise", metavar="TEXT", help="The premise.")] = "",
    gm: Annotated[
        str | None,
        typer.Option("--gm", metavar="NAME|ID", help="The game master.  [default: you]", show_default=False),
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option("--player", metavar="NAME|ID", help="A player; may be repeated.", show_default=False),
    ] = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Create a campaign and print its id."""

    async def make(lore: "Everlore") -> Any:
        players = [await known(lore, each) for each in player or ()]
        return await lore.campaigns.make(
            name, premise=premise, gm=await known(lore, gm), players=[each for each in players if each is not None]
        )

    made = with_lore(CommandOptions(db, workspace, as_json), make)
    emit(as_json, made, [made.id])


@campaign.command("list")
def list_(db: Db = None, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """List the campaigns."""

    async def find(lore: "Everlore") -> Any:
        return (await lore.campaigns.list(limit=500)).items

    found = with_lore(CommandOptions(db, workspace, as_json), find)
    emit(as_json, {"items": found, "next": None}, [f"{each.id}  {shown(each.name)}" for each in found])


@campaign.command("show")
def show(
    name: OfCampaign, player: AsPlayer = None, db: Db = None, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """Show everything known in a campaign: overall, by chapter, by session."""

    async def find(lore: "Everlore") -> Any:
        seat = await seat_of(lore, name, player)
        return await lore.campaigns.shelves(seat.campaign.id, player=await eyes(lore, seat, player))

    shelves = with_lore(CommandOptions(db, workspace, as_json), find)

    def lines() -> Iterator[str]:
        yield shown(shelves.campaign.name)
        yield from (f"  {shown(shelves.campaign.premise)}",) if shelves.campaign.premise else ()
        yield from _memory_lines(shelves.memories)
        for shelf in (*shelves.chapters, *shelves.sessions):
            yield f"{type(shelf.of).__name__} {shelf.of.number}: {shown(shelf.of.name)}  ({shelf.of.id})"
            yield from _memory_lines(shelf.memories)

    emit(as_json, shelves, lines())


@campaign.command("delete")
def delete(
    name: OfCampaign,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Delete a campaign for good, with its chapters, sessions, world and memories.

    Its chats stay, as ordinary conversations.
    """
    if not yes:
        typer.confirm(f"Delete the campaign {name!r} for good?", abort=True)

    async def remove(lore: "Everlore") -> Any:
        seat = await seat_of(lore, name, None)
        await lore.campaigns.delete(seat.campaign.id)
        return seat.campaign

    gone = with_lore(CommandOptions(db, workspace, as_json), remove)
    emit(as_json, {"deleted": gone.id}, [f"Deleted {shown(gone.name)}."])


@campaign.command("remember")
def remember(
    name: OfCampaign,
    content: Annotated[str, typer.Argument(metavar="TEXT", help="The fact.")],
    type: Annotated[str, typer.Option("--type", metavar="TYPE", help="FACT, PREMISE, SETTING, FACTION, …")] = "FACT",
    importance: Annotated[int, typer.Option("--importance", metavar="1…10", min=1, max=10)] = 5,
    spoiler: Spoiler = False,
    force: Annotated[bool, typer.Option("--force", help="Save it even if it contradicts canon.")] = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Add a fact to canon; print its id and the result."""

    async def keep(lore: "Everlore") -> Any:
        from everlore.domain.memory import MemoryType

        kinds = [each.value for each in MemoryType]
        if type.upper() not in kinds:
            raise BadAsk(f"{type!r} is no type of memory. Known: {', '.join(kinds)}.")
        seat = await seat_of(lore, name, None)
        return await lore.campaigns.remember(
            seat.campaign.id,
            content,
            type=MemoryType(type.upper()),
            importance=importance,
            spoiler=spoiler,
            force=force,
        )

    kept = with_lore(CommandOptions(db, workspace, as_json), keep)
    document = {"id": kept.memory.id, "outcome": kept.outcome, "against": [each.id for each in kept.against]}
    emit(as_json, document, [f"{kept.memory.id}  {kept.outcome.value}"])


@campaign.command("recap")
def recap(
    name: OfCampaign,
    since: Since = None,
    player: AsPlayer = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Print the story so far: the last session, or everything since a date; for you or for players."""
    at = read_time(since) if since is not None else None

    async def find(lore: "Everlore") -> "Recap":
        seat = await seat_of(lore, name, player)
        return await lore.campaigns.recap(seat.campaign.id, since=at, player=await eyes(lore, seat, player))

    told = with_lore(CommandOptions(db, workspace, as_json), find)
    emit(as_json, told, [shown_text(told.text)])


@campaign.command("ask")
def ask(
    name: OfCampaign,
    question: Annotated[list[str], typer.Argument(metavar="QUESTION…", help="Your question.")],
    player: AsPlayer = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Maximum number of passages.", min=1, max=50)] = 12,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Ask a question about a campaign, as game master or as a player.

    Each statement cites its passages. Without a model, the passages are the answer.
    """

    async def find(lore: "Everlore") -> "AnswerWithSources":
        seat = await seat_of(lore, name, player)
        await lore.backends.look()
        return await lore.asking.ask(
            seat.campaign.id, " ".join(question), player=await eyes(lore, seat, player), limit=limit
        )

    answer = with_lore(CommandOptions(db, workspace, as_json), find)

    def lines() -> Iterator[str]:
        yield shown_text(answer.text)
        if answer.statements:
            yield from (f"[{each.number}] {shown(each.text)}  {shown(each.place)}" for each in answer.passages)

    emit(as_json, {**_fields(answer), "text": answer.text}, lines())


# ── chapters ─────────────────────────────────────────────────────────────────────────────────────


@chapter.command("list")
def chapters(name: OfCampaign, db: Db = None, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """List the chapters of a campaign."""

    async def find(lore: "Everlore") -> "Sequence[Chapter]":
        return await lore.campaigns.chapters((await seat_of(lore, name, None)).campaign.id)

    found = with_lore(CommandOptions(db, workspace, as_json), find)
    lines = [
        f"{each.number}. {shown(each.name)}{' (closed)' if each.closed_at else ''}  {each.id}"
        + "".join(f"\n     {shown(goal)}" for goal in each.goals)
        for each in found
    ]
    emit(as_json, {"items": found, "next": None}, lines)


@chapter.command("begin")
def begin(
    name: OfCampaign,
    title: Annotated[str, typer.Argument(metavar="NAME", help="The name of the chapter.")],
    goal: Annotated[
        list[str] | None, typer.Option("--goal", metavar="TEXT", help="A goal; may be repeated.", show_default=False)
    ] = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Start the next chapter and close the current one."""

    async def make(lore: "Everlore") -> "Chapter":
        seat = await seat_of(lore, name, None)
        return await lore.campaigns.begin_chapter(seat.campaign.id, title, goals=goal or ())

    made = with_lore(CommandOptions(db, workspace, as_json), make)
    emit(as_json, made, [made.id])


# ── sessions ─────────────────────────────────────────────────────────────────────────────────────


@session.command("list")
def sessions(
    name: OfCampaign, player: AsPlayer = None, db: Db = None, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """List the sessions of a campaign."""

    async def find(lore: "Everlore") -> "Sequence[Session]":
        seat = await seat_of(lore, name, player)
        return await lore.sessions.list(seat.campaign.id, player=await eyes(lore, seat, player))

    found = with_lore(CommandOptions(db, workspace, as_json), find)
    lines = [f"{each.number}. {shown(each.name)}  {_time(each)}  {each.id}" for each in found]
    emit(as_json, {"items": found, "next": None}, lines)


@session.command("start")
def start(
    name: OfCampaign,
    title: Annotated[str, typer.Option("--name", metavar="TEXT", help="Its name.")] = "",
    conversation: Annotated[
        str | None,
        typer.Option(
            "--conversation",
            metavar="ID",
            help="New messages in this conversation belong to the session.",
            show_default=False,
        ),
    ] = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Start the next session and print its id."""

    async def make(lore: "Everlore") -> "Session":
        seat = await seat_of(lore, name, None)
        return await lore.sessions.start(seat.campaign.id, name=title, conversation=conversation)

    made = with_lore(CommandOptions(db, workspace, as_json), make)
    emit(as_json, made, [made.id])


@session.command("end")
def end(id: SessionId, db: Db = None, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """End a session. The server or `everlore worker` digests it in the background."""
    ended = with_lore(CommandOptions(db, workspace, as_json), lambda lore: lore.sessions.end(id))
    emit(as_json, ended, [f"Session {ended.number} has ended and is waiting to be digested."])


@session.command("digest")
def digest(id: SessionId, db: Db = None, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """Digest a session again from its log. Manual edits stay."""

    async def again(lore: "Everlore") -> "Sequence[Memory]":
        await lore.backends.look()
        await lore.finished([await lore.sessions.digest(id)])
        return await lore.sessions.memories(id)

    found = with_lore(CommandOptions(db, workspace, as_json), again)
    emit(as_json, {"items": found, "next": None}, _memory_lines(found))


@session.command("show")
def show_session(
    id: SessionId, player: AsPlayer = None, db: Db = None, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """Show the digest of a session."""

    async def find(lore: "Everlore") -> "Sequence[Memory]":
        return await lore.sessions.memories(id, player=await _eyes_of(lore, id, player))

    found = with_lore(CommandOptions(db, workspace, as_json), find)
    emit(as_json, {"items": found, "next": None}, _memory_lines(found))


@session.command("log")
def log(
    id: SessionId, player: AsPlayer = None, db: Db = None, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """Print the log of a session."""

    async def find(lore: "Everlore") -> Any:
        from everlore.campaign.logs import lines_in, names_in

        messages = await lore.sessions.log(id, player=await _eyes_of(lore, id, player))
        return lines_in(messages, await names_in(lore.store, lore.scope, messages))

    found = with_lore(CommandOptions(db, workspace, as_json), find)
    items = [{"id": each.message.id, "name": each.name, "content": each.message.content} for each in found]
    emit(as_json, {"items": items, "next": None}, [f"{shown(each.name)}: {shown(each.text)}" for each in found])


@session.command("clear")
def clear(id: SessionId, db: Db = None, workspace: Workspace = None, as_json: AsJson = False) -> None:
    """Delete the digest of a session and its open proposals. The log stays."""
    cleared = with_lore(CommandOptions(db, workspace, as_json), lambda lore: lore.sessions.clear(id))
    emit(as_json, cleared, [f"{cleared.memories} memories and {cleared.proposals} proposals deleted."])


# ── what several verbs need ──────────────────────────────────────────────────────────────────────


async def seat_of(lore: "Everlore", name: str, player: str | None) -> "Seat":
    """By name or id; a player that is named is looked for among its players."""
    seat = await lore.campaigns.get(name)
    return await lore.campaigns.get(seat.campaign.id, player=await eyes(lore, seat, player))


async def eyes(lore: "Everlore", seat: "Seat", player: str | None) -> str | None:
    """The id of a player by name; empty for any of them."""
    if player is None or player in (_ANY, *seat.campaign.player_ids):
        return "" if player == _ANY else player
    return (await lore.characters.named(player)).id


async def _eyes_of(lore: "Everlore", session_id: str, player: str | None) -> str | None:
    found = await lore.sessions.get(session_id)
    return await eyes(lore, await lore.campaigns.get(found.campaign_id), player)


def _memory_lines(memories: "Sequence[Memory]") -> Iterator[str]:
    from everlore.domain.visibility import is_marked

    for each in memories:
        mark = " [spoiler]" if is_marked(each) else ""
        yield f"  {each.type.value.lower().replace('_', ' ')}{mark}: {shown(each.content)}  ({each.id})"


def _time(each: "Session") -> str:
    ended = f" to {each.ended_at:{_WHEN}}" if each.ended_at else " (in progress)"
    return f"{each.started_at:{_WHEN}}{ended}"


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}
