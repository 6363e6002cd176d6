"""The command `chat`."""

from typing import TYPE_CHECKING, Annotated

import typer

from everlore.cli.keyboard import Keyboard, with_keyboard
from everlore.cli.options import Db, Workspace, flag, optional
from everlore.cli.session import CommandOptions

if TYPE_CHECKING:
    from everlore.settings import Settings

# On exit, wait only this long for background jobs; the rest stays in the queue.
_DRAIN_S = 2.0


def chat(
    character: Annotated[
        str | None,
        typer.Argument(
            metavar="CHARACTER", help="Name or id.  [default: the only character, or a choice]", show_default=False
        ),
    ] = None,
    conversation: Annotated[str | None, optional("--conversation", "ID", "Continue this conversation.")] = None,
    go_on: Annotated[bool, flag("--continue", "Continue the latest conversation.")] = False,
    private: Annotated[bool, flag("--private", "Do not remember this conversation.")] = False,
    model: Annotated[str | None, optional("--model", "NAME", "Another model of the same server.")] = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: Annotated[bool, flag("--json", "Print one JSON object per turn, one per line.")] = False,
) -> None:
    """Chat with a character.

    In the terminal: replies are streamed, Ctrl-C stops one, /help lists the commands, Ctrl-D ends. In a pipe
    every line of standard input is a message, and only the replies are printed. In a new workspace a character is
    created for you.
    """

    async def talk(settings: "Settings", keyboard: Keyboard) -> int:
        from everlore.cli.chat_options import ChatOptions, open_conversation
        from everlore.cli.talk import ChatSession
        from everlore.wiring import opened

        wanted = ChatOptions(character=character, conversation=conversation, go_on=go_on, private=private, model=model)
        async with opened(_brisk(settings)) as lore:
            opening = await open_conversation(lore, keyboard, wanted)
            return await ChatSession(lore, keyboard, as_json=as_json).run(*opening) if opening else 0

    code = with_keyboard(CommandOptions(db, workspace, as_json), talk)
    if code:
        raise typer.Exit(code)


def _brisk(settings: "Settings") -> "Settings":
    queue = settings.queue.model_copy(update={"drain_s": min(settings.queue.drain_s, _DRAIN_S)})
    return settings.model_copy(update={"queue": queue})
