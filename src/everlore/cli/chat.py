"""The verb to talk: chat."""

from typing import TYPE_CHECKING, Annotated

import typer

from everlore.cli.keyboard import Keyboard, with_keyboard
from everlore.cli.options import Db, Workspace
from everlore.cli.session import Asked

if TYPE_CHECKING:
    from everlore.settings import Settings

# Whoever has said goodbye does not wait long for what runs in the background; it stays in the queue.
_DRAIN_S = 2.0


def chat(
    character: Annotated[
        str | None,
        typer.Argument(
            metavar="CHARACTER", help="Name or id; without it the only one there is, or a choice.", show_default=False
        ),
    ] = None,
    conversation: Annotated[
        str | None,
        typer.Option("--conversation", metavar="ID", help="Go on with this conversation.", show_default=False),
    ] = None,
    go_on: Annotated[bool, typer.Option("--continue", help="Go on with the latest conversation.")] = False,
    private: Annotated[bool, typer.Option("--private", help="Remember nothing of what is said.")] = False,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="Another model of the same server.", show_default=False),
    ] = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a turn, each on a line, instead of text.")
    ] = False,
) -> None:
    """Talk with a character.

    In the terminal: replies come word by word, Ctrl-C stops one, /help lists the commands, Ctrl-D ends. In a pipe
    every line of standard input is a message, and only the replies are printed. In a new workspace somebody is
    there to talk to.
    """

    async def talk(settings: "Settings", keyboard: Keyboard) -> int:
        from everlore.cli.opening import Wanted, open_conversation
        from everlore.cli.talk import Talk
        from everlore.wiring import opened

        wanted = Wanted(character=character, conversation=conversation, go_on=go_on, private=private, model=model)
        async with opened(_brisk(settings)) as lore:
            opening = await open_conversation(lore, keyboard, wanted)
            return await Talk(lore, keyboard, as_json=as_json).run(*opening) if opening else 0

    code = with_keyboard(Asked(db, workspace, as_json), talk)
    if code:
        raise typer.Exit(code)


def _brisk(settings: "Settings") -> "Settings":
    queue = settings.queue.model_copy(update={"drain_s": min(settings.queue.drain_s, _DRAIN_S)})
    return settings.model_copy(update={"queue": queue})
