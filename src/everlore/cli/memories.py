"""The verbs for memories: remember, recall, forget."""

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from everlore.cli.explaining import answer_document, answer_lines
from everlore.cli.options import AsJson, AsOf, Db, Include, Knower, OfRecipe, OfType, Partner, Someone, Workspace
from everlore.cli.outcomes import kept_document, kept_lines
from everlore.cli.output import emit, note
from everlore.cli.session import Asked, with_lore
from everlore.errors import BadAsk, NotFound

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.converse.saving import Kept
    from everlore.domain.passage import PassageKind
    from everlore.domain.person import Person
    from everlore.recall.answer import Answer


def remember(
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="The statement; - reads it from standard input.")
    ] = None,
    person: Someone = None,
    partner: Partner = None,
    type: Annotated[str, typer.Option("--type", metavar="TYPE", help="What kind of memory it is.")] = "FACT",
    importance: Annotated[int, typer.Option("--importance", metavar="1…10", help="How much it matters.")] = 5,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be repeated.", show_default=False)
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Read standard input, one memory a line: all are kept, or none.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Keep it beside what is known, whatever that says."),
    ] = False,
    create_person: Annotated[
        bool, typer.Option("--create-person", help="Make the characters that are named and not known yet.")
    ] = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Keep a statement, and print its id.

    It is kept for a person, for a pair, or for you when nobody is named. It can be recalled by its words at
    once, and by its meaning as soon as a server or a worker has seen it. What is known already counts more,
    under the id that it has; what it contradicts is closed, or waits for you to decide where neither is plainly
    newer. A line on standard error says so.
    """
    contents = read_contents(text, lines=lines)
    if partner is not None and person is None:
        raise BadAsk("--with was given without --person. Name both, or only --person.")

    async def keep(lore: "Everlore") -> "list[Kept]":
        return await lore.keep(
            contents,
            person=await _person(lore, person, create=create_person),
            partner=await _person(lore, partner, create=create_person),
            type=type.upper(),
            importance=importance,
            tags=tuple(tag or ()),
            force=force,
        )

    kept = with_lore(Asked(db, workspace, as_json), keep)
    items = [kept_document(each) for each in kept]
    emit(as_json, {"items": items} if lines else items[0], (each.memory.id for each in kept))
    if not as_json:
        for line in kept_lines(kept):
            note(line)


def recall(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What you want to know.")],
    person: Knower = None,
    partner: Partner = None,
    type: OfType = None,
    include: Include = "memories,events",
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Most results.")] = 10,
    as_of: AsOf = None,
    recipe: OfRecipe = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show why each came back, and what was dropped.")] = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Find what bears on a question.

    By meaning and by words, best first; what is perhaps not meant comes last, and is marked as doubtful. With --person:
    only what that person knows, having been there or been told. A query that starts with a dash goes after --.
    """
    at = read_time(as_of) if as_of is not None else None
    kinds = read_kinds(include)

    async def find(lore: "Everlore") -> "Answer":
        return await lore.recall(
            query,
            person=await _person(lore, person),
            partner=await _person(lore, partner),
            types=[each.upper() for each in type or ()],
            include=kinds,
            as_of=at,
            limit=limit,
            recipe=recipe,
            explain=explain,
        )

    answer = with_lore(Asked(db, workspace, as_json), find)
    emit(as_json, answer_document(answer, explain=explain), answer_lines(answer, explain=explain))


def forget(
    ids: Annotated[list[str], typer.Argument(metavar="ID…", help="The ids of the memories, as recall shows them.")],
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Delete memories for good.

    Their history and every trace of them goes too. What is known is deleted even if another id is not.
    """

    async def delete(lore: "Everlore") -> list[str]:
        return [id for id in dict.fromkeys(ids) if not await _forgotten(lore, id)]

    unknown = with_lore(Asked(db, workspace, as_json), delete)
    forgotten = [id for id in dict.fromkeys(ids) if id not in unknown]
    emit(as_json, {"forgotten": forgotten, "unknown": unknown}, (f"Forgot {id}" for id in forgotten))
    if unknown:
        names = ", ".join(map(repr, unknown))
        raise NotFound(f"No memory of this workspace has the id {names}. `everlore recall` shows the ids.")


async def _forgotten(lore: "Everlore", id: str) -> bool:
    try:
        await lore.forget(id)
    except NotFound:
        return False
    return True


async def _person(lore: "Everlore", name: str | None, *, create: bool = False) -> "Person | None":
    if name is None:
        return None
    try:
        return await lore.characters.named(name)
    except NotFound as error:
        if create:
            return await lore.characters.create(name=name)
        raise NotFound(f"{error} To make a character of that name, use `remember … --create-person`.") from None


def read_contents(text: str | None, *, lines: bool) -> list[str]:
    if lines:
        if text not in (None, "-"):
            raise BadAsk("--lines reads from standard input, and a TEXT was given as well. Leave one of them out.")
        contents = [line for line in _standard_input().splitlines() if line.strip()]
        if not contents:
            raise BadAsk("There was no line with a text on standard input. Give one memory a line.")
        return contents
    if text is None:
        raise BadAsk("There is nothing to remember. Give a TEXT, - for standard input, or --lines.")
    return [_standard_input().rstrip("\n") if text == "-" else text]


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadAsk(f"Standard input is not UTF-8 (byte {error.start}). Convert it first, with iconv say.") from None


def read_time(text: str) -> datetime:
    """A time without a zone is meant in the zone of this machine."""
    try:
        at = datetime.fromisoformat(text)
        return at if at.tzinfo is not None else at.astimezone()
    except (ValueError, OverflowError):
        raise BadAsk(f"{text!r} is not a time. Write it like 2024-05-31 or 2024-05-31T20:00Z.") from None


def read_kinds(text: str) -> "list[PassageKind]":
    """`memories,messages` as kinds of passage; the singular will do."""
    from everlore.domain.passage import PassageKind

    names = {kind.value: kind for kind in PassageKind} | {_plural(kind.value): kind for kind in PassageKind}
    words = [word.strip().lower() for word in text.split(",") if word.strip()]
    for word in words:
        if word not in names:
            known = ", ".join(_plural(kind.value) for kind in PassageKind)
            raise BadAsk(f"--include knows no {word!r}. Possible: {known}.")
    if not words:
        raise BadAsk("--include is empty. Name at least one kind, such as memories.")
    return [names[word] for word in words]


def _plural(word: str) -> str:
    return word[:-1] + "ies" if word.endswith("y") else word + "s"
