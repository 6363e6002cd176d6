"""The verb for agents and desktop clients: mcp."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from everlore.cli.options import AsJson, Db, Workspace
from everlore.cli.output import note
from everlore.cli.session import Asked, stop_on_signals, with_settings
from everlore.errors import BadAsk

if TYPE_CHECKING:
    from everlore.settings import Settings


def mcp(
    mode: Annotated[
        str | None,
        typer.Option(
            "--mode",
            metavar="MODE",
            help="What is written: dual (all), agent, emulation (nothing) or environment; see docs/policy.md.  "
            "[default: dual]",
            show_default=False,
        ),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            metavar="TOKEN",
            help="Act as whoever this token belongs to, in its workspace; else as the owner.  [env: EVERLORE_TOKEN]",
            show_default=False,
        ),
    ] = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Serve memory as MCP tools to the program that starts this.

    Over standard input and output, for desktop clients and agents; `everlore serve` has the same at /mcp. Its workers
    run inside. It ends when its input is closed, or with SIGTERM or Ctrl-C. Logs go to standard error.
    """

    async def run(settings: "Settings") -> None:
        from everlore.server.mcp.loading import load_sdk
        from everlore.server.mcp.over_stdio import serve
        from everlore.wiring import opened

        load_sdk()
        _refuse_no_input()
        with stop_on_signals() as stop:
            async with opened(settings) as lore:
                await serve(lore, token=token or _kept(settings), mode=mode, stop=stop)

    with_settings(Asked(db, workspace, as_json), run)


def _refuse_no_input() -> None:
    if sys.stdin is None:
        raise BadAsk("There is no standard input to talk over. Let an MCP client start this; see docs/mcp.md.")
    if sys.stdin.isatty():
        note("Waiting for an MCP client on standard input; clients start this by themselves. Ctrl-C ends it.")


def _kept(settings: "Settings") -> str | None:
    return settings.token.get_secret_value() if settings.token else None
