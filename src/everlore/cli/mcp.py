"""The command for agents and desktop clients: mcp."""

import sys
from typing import TYPE_CHECKING, Annotated

from everlore.cli.options import optional
from everlore.cli.output import note
from everlore.cli.session import CommandOptions, stop_on_signals, with_settings
from everlore.errors import BadAsk

if TYPE_CHECKING:
    from everlore.settings import Settings


def mcp(
    asked: CommandOptions,
    mode: Annotated[
        str | None,
        optional(
            "--mode",
            "MODE",
            "What is saved: dual (all), agent, emulation (nothing) or environment; see docs/policy.md.  "
            "[default: dual]",
        ),
    ] = None,
    token: Annotated[
        str | None,
        optional(
            "--token",
            "TOKEN",
            "Act as the user of this token, in its workspace; without it, as the owner.  [env: EVERLORE_TOKEN]",
        ),
    ] = None,
) -> None:
    """Run as an MCP server over standard input and output.

    For desktop clients and agents; `everlore serve` offers the same at /mcp. Background workers run inside it. It stops
    when its input is closed, or on SIGTERM or Ctrl-C. Logs go to standard error.
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

    with_settings(asked, run)


def _refuse_no_input() -> None:
    if sys.stdin is None:
        raise BadAsk("Standard input is closed. Start this command from an MCP client; see docs/mcp.md.")
    if sys.stdin.isatty():
        note("Waiting for an MCP client on standard input; clients start this by themselves. Ctrl-C ends it.")


def _kept(settings: "Settings") -> str | None:
    return settings.token.get_secret_value() if settings.token else None
