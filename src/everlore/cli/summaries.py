"""The verbs for summaries: summarize, summaries (C7)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from everlore.cli.learning import Conversation, Wait
from everlore.cli.options import AsJson, Cursor, Db, Workspace
from everlore.cli.output import emit, note, shown
from everlore.cli.session import CommandOptions, with_lore
from everlore.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlore.app import Everlore
    from everlore.domain.conversation import Summary
    from everlore.domain.job import Job
    from everlore.store.port import Page


def summarize(
    conversation: Conversation,
    wait: Wait = True,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Summarize the older half of the messages without a summary.

    Works for short conversations too. With a model, extracts that were only quoted so far are summarized too.
    """

    async def sum_up(lore: "Everlore") -> "tuple[list[Job], list[Summary]]":
        # Nobody has looked yet which model servers answer on this machine.
        await lore.backends.look()
        try:
            jobs = await lore.learning.summarize(conversation)
        except NotFound as error:
            raise NotFound(f"{error} `everlore conversations` lists them.") from None
        if not wait:
            return jobs, []
        if not as_json:
            note("Summarizing … (Ctrl-C leaves it in the queue)")
        return jobs, await lore.learning.summed_up(conversation, jobs, lore.finished)

    jobs, made = with_lore(CommandOptions(db, workspace, as_json), sum_up)
    emit(as_json, {"jobs": [job.id for job in jobs], "made": made}, _made_lines(made, wait=wait))


def summaries(
    conversation: Conversation,
    level: Annotated[
        int | None,
        typer.Option(
            "--level",
            metavar="N",
            min=0,
            help="0: summaries of messages; higher: summaries of summaries.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Maximum number of results.")] = 50,
    cursor: Cursor = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show the summaries of a conversation, in the order of their messages."""

    async def find(lore: "Everlore") -> "Page":
        return await lore.learning.summaries(conversation, level=level, limit=limit, cursor=cursor)

    page = with_lore(CommandOptions(db, workspace, as_json), find)
    emit(as_json, {"items": page.items, "next": page.cursor}, _page_lines(page))


def _made_lines(made: "Sequence[Summary]", *, wait: bool) -> Iterator[str]:
    if not wait:
        yield "Queued. A server or `everlore worker` will run it."
    elif not made:
        yield "No new summary: too few messages since the last one."
    yield from _lines(made)


def _page_lines(page: "Page") -> Iterator[str]:
    if not page.items:
        yield "No summaries. `everlore summarize CONVERSATION` makes one."
    yield from _lines(page.items)
    if page.cursor is not None:
        yield f"(more: --cursor {page.cursor})"


def _lines(summaries: "Sequence[Summary]") -> Iterator[str]:
    for each in summaries:
        how = "  quoted" if each.extractive else ""
        yield f"messages {each.first_seq}–{each.last_seq}  level {each.level}{how}"
        yield f"  {shown(each.content)}"
