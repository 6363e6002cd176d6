"""The commands of `everlore campaign`: campaigns, chapters, sessions, canon, recaps (G1, G3, G10, G13)."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlore.cli.commands import Answer, Commands
from everlore.cli.memories import read_time
from everlore.cli.options import Since, argument, flag, option, optional
from everlore.cli.output import shown, shown_text
from everlore.cli.review import known
from everlore.errors import BadAsk, NotFound

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.campaign.seats import Seat
    from everlore.domain.campaign import Session
    from everlore.domain.memory import Memory
    from everlore.domain.person import Person

campaign = Commands(name="campaign", help="Tabletop campaigns: sessions, canon, world, recap.")
chapter = Commands(help="The chapters of a campaign.")
session = Commands(help="Sessions: start, end, read, digest, clear.")
campaign.add_typer(chapter, name="chapter")
campaign.add_typer(session, name="session")

OfCampaign = Annotated[str, argument("CAMPAIGN", "The name or the id of a campaign.")]
SessionId = Annotated[str, argument("SESSION", "The id of a session, as `session list` shows it.")]
AsPlayer = Annotated[
    str | None, optional("--player", "NAME|ID", "Show only what this player may see; `any`: what every player may see.")
]
Spoiler = Annotated[bool, flag("--spoiler", "A spoiler: hidden from players.")]
_WHEN = "%Y-%m-%d %H:%M"
_ANY = "any"


# ── campaigns ────────────────────────────────────────────────────────────────────────────────────


@campaign.command("new")
async def new(
    lore: "Everlore",
    name: Annotated[str, argument("NAME", "Its name.")],
    premise: Annotated[str, option("--premise", "TEXT", "The premise.")] = "",
    gm: Annotated[str | None, optional("--gm", "NAME|ID", "The game master.  [default: you]")] = None,
    player: Annotated[list[str] | None, optional("--player", "NAME|ID", "A known or new player; repeatable.")] = None,
) -> Answer:
    """Create a campaign and print its id."""
    players = {each: await _find_person(lore, each) for each in player or ()}
    there = [each for each in players.values() if each is not None]
    made = await lore.campaigns.make(name, premise=premise, gm=await known(lore, gm), players=there)
    for each in (name for name, person in players.items() if person is None):
        await lore.campaigns.players.add(made.id, each)
    return Answer((await lore.campaigns.get(made.id)).campaign, [made.id])


async def _find_person(lore: "Everlore", name: str) -> "Person | None":
    try:
        return await lore.characters.named(name)
    except NotFound:
        return None


@campaign.command("list")
async def list_(lore: "Everlore") -> Answer:
    """List the campaigns."""
    found = (await lore.campaigns.list(limit=500)).items
    return Answer({"items": found, "next": None}, [f"{each.id}  {shown(each.name)}" for each in found])


@campaign.command("show")
async def show(lore: "Everlore", name: OfCampaign, player: AsPlayer = None) -> Answer:
    """Show everything known in a campaign: overall, by chapter, by session."""
    seat = await seat_of(lore, name, player)
    shelves = await lore.campaigns.shelves(seat.campaign.id, player=await eyes(lore, seat, player))

    def lines() -> Iterator[str]:
        yield shown(shelves.campaign.name)
        yield from (f"  {shown(shelves.campaign.premise)}",) if shelves.campaign.premise else ()
        yield from _memory_lines(shelves.memories)
        for shelf in (*shelves.chapters, *shelves.sessions):
            yield f"{type(shelf.of).__name__} {shelf.of.number}: {shown(shelf.of.name)}  ({shelf.of.id})"
            yield from (f"  {shown(line)}" for line in shelf.summary.splitlines())
            yield from _memory_lines(shelf.memories)

    return Answer(shelves, lines())


@campaign.command("delete")
async def delete(
    lore: "Everlore", name: OfCampaign, yes: Annotated[bool, flag("--yes", "Do not ask for confirmation.")] = False
) -> Answer:
    """Delete a campaign for good, with its chapters, sessions, world and memories.

    Its chats stay, as ordinary conversations.
    """
    if not yes:
        typer.confirm(f"Delete the campaign {name!r} for good?", abort=True)

    gone = (await seat_of(lore, name, None)).campaign
    await lore.campaigns.delete(gone.id)
    return Answer({"deleted": gone.id}, [f"Deleted {shown(gone.name)}."])


@campaign.command("remember")
async def remember(
    lore: "Everlore",
    name: OfCampaign,
    content: Annotated[str, argument("TEXT", "The fact.")],
    type: Annotated[str, option("--type", "TYPE", "FACT, PREMISE, SETTING, FACTION, …")] = "FACT",
    importance: Annotated[int, typer.Option("--importance", metavar="1…10", min=1, max=10)] = 5,
    spoiler: Spoiler = False,
    force: Annotated[bool, flag("--force", "Save it even if it contradicts canon.")] = False,
) -> Answer:
    """Add a fact to canon; print its id and the result."""
    from everlore.domain.memory import MemoryType

    kinds = [each.value for each in MemoryType]
    if type.upper() not in kinds:
        raise BadAsk(f"{type!r} is no type of memory. Known: {', '.join(kinds)}.")
    seat = await seat_of(lore, name, None)
    kept = await lore.campaigns.remember(
        seat.campaign.id, content, type=MemoryType(type.upper()), importance=importance, spoiler=spoiler, force=force
    )
    document = {"id": kept.memory.id, "outcome": kept.outcome, "against": [each.id for each in kept.against]}
    return Answer(document, [f"{kept.memory.id}  {kept.outcome.value}"])


@campaign.command("recap")
async def recap(lore: "Everlore", name: OfCampaign, since: Since = None, player: AsPlayer = None) -> Answer:
    """Print the story so far: the last session, or everything since a date; for you or for players."""
    at = read_time(since) if since is not None else None
    seat = await seat_of(lore, name, player)
    told = await lore.campaigns.recap(seat.campaign.id, since=at, player=await eyes(lore, seat, player))
    return Answer(told, [shown_text(told.text)])


@campaign.command("story")
async def story(lore: "Everlore", name: OfCampaign, player: AsPlayer = None) -> Answer:
    """Print the whole story as Markdown, chapter by chapter; for you or for players."""
    seat = await seat_of(lore, name, player)
    told = await lore.campaigns.story(seat.campaign.id, player=await eyes(lore, seat, player))
    return Answer({"campaign_id": seat.campaign.id, "markdown": told}, [shown_text(told.rstrip())])


@campaign.command("ask")
async def ask(
    lore: "Everlore",
    name: OfCampaign,
    question: Annotated[list[str], argument("QUESTION…", "Your question.")],
    player: AsPlayer = None,
    limit: Annotated[int, option("--limit", "N", "Maximum number of passages.", min=1, max=50)] = 12,
) -> Answer:
    """Ask a question about a campaign, as game master or as a player.

    Each statement cites its passages. Without a model, the passages are the answer.
    """
    seat = await seat_of(lore, name, player)
    await lore.backends.look()
    answer = await lore.asking.ask(
        seat.campaign.id, " ".join(question), player=await eyes(lore, seat, player), limit=limit
    )

    def lines() -> Iterator[str]:
        yield shown_text(answer.text)
        if answer.statements:
            yield from (f"[{each.number}] {shown(each.text)}  {shown(each.place)}" for each in answer.passages)

    return Answer({**_fields(answer), "text": answer.text}, lines())


# ── chapters ─────────────────────────────────────────────────────────────────────────────────────


@chapter.command("list")
async def chapters(lore: "Everlore", name: OfCampaign) -> Answer:
    """List the chapters of a campaign."""
    found = await lore.campaigns.chapters((await seat_of(lore, name, None)).campaign.id)
    lines = [
        f"{each.number}. {shown(each.name)}{' (closed)' if each.closed_at else ''}  {each.id}"
        + "".join(f"\n     {shown(goal)}" for goal in each.goals)
        for each in found
    ]
    return Answer({"items": found, "next": None}, lines)


@chapter.command("begin")
async def begin(
    lore: "Everlore",
    name: OfCampaign,
    title: Annotated[str, argument("NAME", "The name of the chapter.")],
    goal: Annotated[list[str] | None, optional("--goal", "TEXT", "A goal; may be repeated.")] = None,
) -> Answer:
    """Start the next chapter and close the current one."""
    seat = await seat_of(lore, name, None)
    made = await lore.campaigns.begin_chapter(seat.campaign.id, title, goals=goal or ())
    return Answer(made, [made.id])


# ── sessions ─────────────────────────────────────────────────────────────────────────────────────


@session.command("list")
async def sessions(lore: "Everlore", name: OfCampaign, player: AsPlayer = None) -> Answer:
    """List the sessions of a campaign."""
    seat = await seat_of(lore, name, player)
    found = await lore.sessions.list(seat.campaign.id, player=await eyes(lore, seat, player))
    lines = [f"{each.number}. {shown(each.name)}  {_time(each)}  {each.id}" for each in found]
    return Answer({"items": found, "next": None}, lines)


@session.command("start")
async def start(
    lore: "Everlore",
    name: OfCampaign,
    title: Annotated[str, option("--name", "TEXT", "Its name.")] = "",
    conversation: Annotated[
        str | None, optional("--conversation", "ID", "New messages in this conversation belong to the session.")
    ] = None,
) -> Answer:
    """Start the next session and print its id."""
    seat = await seat_of(lore, name, None)
    made = await lore.sessions.start(seat.campaign.id, name=title, conversation=conversation)
    return Answer(made, [made.id])


@session.command("end")
async def end(lore: "Everlore", id: SessionId) -> Answer:
    """End a session. The server or `everlore worker` digests it in the background."""
    ended = await lore.sessions.end(id)
    return Answer(ended, [f"Session {ended.number} has ended and is waiting to be digested."])


@session.command("digest")
async def digest(lore: "Everlore", id: SessionId) -> Answer:
    """Digest a session again from its log. Manual edits stay."""
    await lore.backends.look()
    await lore.finished([await lore.sessions.digest(id)])
    found = await lore.sessions.memories(id)
    return Answer({"items": found, "next": None}, _memory_lines(found))


@session.command("show")
async def show_session(lore: "Everlore", id: SessionId, player: AsPlayer = None) -> Answer:
    """Show the digest of a session."""
    found = await lore.sessions.memories(id, player=await _eyes_of(lore, id, player))
    return Answer({"items": found, "next": None}, _memory_lines(found))


@session.command("log")
async def log(lore: "Everlore", id: SessionId, player: AsPlayer = None) -> Answer:
    """Print the log of a session."""
    found = await lore.sessions.lines(id, player=await _eyes_of(lore, id, player))
    items = [{"id": each.message.id, "name": each.name, "content": each.message.content} for each in found]
    return Answer({"items": items, "next": None}, [f"{shown(each.name)}: {shown(each.text)}" for each in found])


@session.command("clear")
async def clear(lore: "Everlore", id: SessionId) -> Answer:
    """Delete the digest of a session and its open proposals. The log stays."""
    cleared = await lore.sessions.clear(id)
    return Answer(cleared, [f"{cleared.memories} memories and {cleared.proposals} proposals deleted."])


# ── helpers ──────────────────────────────────────────────────────────────────────────────────────


async def seat_of(lore: "Everlore", name: str, player: str | None) -> "Seat":
    """A campaign by name or id, and the player of that name, if one is given."""
    seat = await lore.campaigns.get(name)
    return await lore.campaigns.get(seat.campaign.id, player=await eyes(lore, seat, player))


async def eyes(lore: "Everlore", seat: "Seat", player: str | None) -> str | None:
    """The id of a player by name; empty for any player."""
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
