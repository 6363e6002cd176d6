"""The errors of this interface: mem0 raises `ValueError` for them, and programs that use mem0 catch that."""

from everlore.errors import BadAsk, NotFound


class InvalidRequest(BadAsk, ValueError):
    """An argument is missing or wrong."""


class MemoryNotFound(NotFound, ValueError):
    """No memory has that id."""
