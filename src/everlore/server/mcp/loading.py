"""Loads the official SDK, an optional extra: commands that need it say how to install it."""

import importlib
from types import ModuleType

from everlore.errors import Misconfigured


def load_sdk() -> ModuleType:
    """The module `build` with the SDK, which takes a second to import."""
    try:
        return importlib.import_module("everlore.server.mcp.build")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"mcp", "mcp_types"}:
            raise
        raise Misconfigured(
            "MCP needs the package `mcp`, which is not installed. Run `pip install 'everlore[mcp]'`, then try again."
        ) from None
