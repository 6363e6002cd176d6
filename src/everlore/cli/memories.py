"""The commands for memories: remember, recall, forget."""

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from everlore.cli.commands import Answer
from everlore.cli.explanations import answer_document, answer_lines
from everlore.cli.options import (
    AsOf,
    Include,
    Knower,
    Limit,
    OfRecipe,
    OfType,
    Partner,
    Someone,
    argument,
    flag,
    option,
    optional,
)
from everlore.cli.outcomes import kept_document, kept_lines
from everlore.cli.output import emit
from everlore.cli.session import CommandOptions
from everlore.errors import BadAsk, NotFound

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.passage import PassageKind
    from everlore.domain.person import Person


async def remember(
    lore: "Everlore",
    text: Annotated[str | None, argument("TEXT", "The statement; - reads it from standard input.")] = None,
    person: Someone = None,
    partner: Partner = None,
    type: Annotated[str, option("--type", "TYPE", "What kind of memory it is.")] = "FACT",
    importance: Annotated[int, option("--importance", "1…10", "Importance.")] = 5,
    tag: Annotated[list[str] | None, optional("--tag", "TAG", "A tag; may be repeated.")] = None,
    lines: Annotated[bool, flag("--lines", "Read standard input, one memory per line; all are saved or none.")] = False,
    force: Annotated[bool, flag("--force", "Save it even if it repeats or contradicts a memory.")] = False,
    create_person: Annotated[bool, flag("--create-person", "Create characters that do not exist yet.")] = False,
) -> Answer:
    """Save a memory and print its id.

    It belongs to a person, a pair, or you if no person is named. Keyword search finds it at once, vector search once a
    server or worker has indexed it. A repeated memory is reinforced under its old id. A contradicted memory is
    superseded, or both wait for your decision if it is unclear which is newer. Standard error shows the result.
    """
    contents = read_contents(text, lines=lines)
    if partner is not None and person is None:
        raise BadAsk("--with was given without --person. Name both, or only --person.")
    kept = await lore.keep(
        contents,
        person=await _person(lore, person, create=create_person),
        partner=await _person(lore, partner, create=create_person),
        type=type.upper(),
        importance=importance,
        tags=tuple(tag or ()),
        force=force,
    )
    items = [kept_document(each) for each in kept]
    return Answer({"items": items} if lines else items[0], (each.memory.id for each in kept), notes=kept_lines(kept))


async def recall(
    lore: "Everlore",
    query: Annotated[str, argument("QUERY", "Your question.")],
    person: Knower = None,
    partner: Partner = None,
    type: OfType = None,
    include: Include = "memories,events",
    limit: Limit = 10,
    as_of: AsOf = None,
    recipe: OfRecipe = None,
    explain: Annotated[bool, flag("--explain", "Show why each was found and what was dropped.")] = False,
) -> Answer:
    """Search memories.

    Semantic and keyword search, best match first; weak matches come last and are marked. With --person, only what that
    person witnessed or was told. Put a query that starts with a dash after --.
    """
    at = read_time(as_of) if as_of is not None else None
    kinds = read_kinds(include)
    answer = await lore.recall(
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
    return Answer(answer_document(answer, explain=explain), answer_lines(answer, explain=explain))


async def forget(
    lore: "Everlore",
    asked: CommandOptions,
    ids: Annotated[list[str], argument("ID…", "The ids of the memories, as recall shows them.")],
) -> None:
    """Delete memories for good.

    Deletes their history too. Unknown ids are reported; the others are still deleted.
    """
    unknown = [id for id in dict.fromkeys(ids) if not await _forgotten(lore, id)]
    forgotten = [id for id in dict.fromkeys(ids) if id not in unknown]
    emit(asked.as_json, {"forgotten": forgotten, "unknown": unknown}, (f"Forgot {id}" for id in forgotten))
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
        raise NotFound(f"{error} To create that character, use `remember … --create-person`.") from None


def read_contents(text: str | None, *, lines: bool) -> list[str]:
    if lines:
        if text not in (None, "-"):
            raise BadAsk("--lines reads from standard input, and a TEXT was given as well. Leave one of them out.")
        contents = [line for line in _standard_input().splitlines() if line.strip()]
        if not contents:
            raise BadAsk("Standard input was empty. Write one memory per line.")
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
    """A time without a zone is in the zone of this machine."""
    try:
        at = datetime.fromisoformat(text)
        return at if at.tzinfo is not None else at.astimezone()
    except (ValueError, OverflowError):
        raise BadAsk(f"{text!r} is not a time. Write it like 2024-05-31 or 2024-05-31T20:00Z.") from None


def read_kinds(text: str) -> "list[PassageKind]":
    """`memories,messages` as kinds of passage; singular forms work too."""
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
