"""The official SDK is an extra: everything else runs without it, and what needs it says how to get it."""

import importlib
from types import ModuleType

from everlore.errors import Misconfigured


def load_sdk() -> ModuleType:
    """`build`, with the SDK behind it; this takes a second when it is done first."""
    try:
        return importlib.import_module("everlore.server.mcp.build")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"mcp", "mcp_types"}:
            raise
        raise Misconfigured(
            "MCP needs the package `mcp`, which is not installed. Run `pip install 'everlore[mcp]'`, then try again."
        ) from None
