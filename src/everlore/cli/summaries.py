"""The commands for summaries: summarize, summaries (C7)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from everlore.cli.commands import Answer
from everlore.cli.learning import Conversation, Wait
from everlore.cli.options import Cursor, Limit, optional
from everlore.cli.output import more_lines, note, shown
from everlore.cli.session import CommandOptions
from everlore.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from everlore.app import Everlore
    from everlore.domain.conversation import Summary
    from everlore.domain.job import Job
    from everlore.store.answers import Page


async def summarize(lore: "Everlore", asked: CommandOptions, conversation: Conversation, wait: Wait = True) -> Answer:
    """Summarize the older half of the messages without a summary.

    Works for short conversations too. With a model, extracts that were only quoted so far are summarized too.
    """

    async def sum_up() -> "tuple[list[Job], list[Summary]]":
        # The model servers of this machine have not been detected yet.
        await lore.backends.look()
        try:
            jobs = await lore.learning.summarize(conversation)
        except NotFound as error:
            raise NotFound(f"{error} `everlore conversations` lists them.") from None
        if not wait:
            return jobs, []
        if not asked.as_json:
            note("Summarizing … (Ctrl-C leaves it in the queue)")
        return jobs, await lore.learning.summed_up(conversation, jobs, lore.finished)

    jobs, made = await sum_up()
    return Answer({"jobs": [job.id for job in jobs], "made": made}, _made_lines(made, wait=wait))


async def summaries(
    lore: "Everlore",
    conversation: Conversation,
    level: Annotated[
        int | None, optional("--level", "N", "0: summaries of messages; higher: summaries of summaries.", min=0)
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Answer:
    """Show the summaries of a conversation, oldest first."""
    page = await lore.learning.summaries(conversation, level=level, limit=limit, cursor=cursor)
    return Answer({"items": page.items, "next": page.cursor}, _page_lines(page))


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
    yield from more_lines(page.cursor)


def _lines(summaries: "Sequence[Summary]") -> Iterator[str]:
    for each in summaries:
        how = "  quoted" if each.extractive else ""
        yield f"messages {each.first_seq}–{each.last_seq}  level {each.level}{how}"
        yield f"  {shown(each.content)}"
