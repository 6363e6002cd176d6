"""mem0's `Memory`, over Everlore: a program that uses mem0 changes one import.

    from everlore.compat.mem0 import Memory  # instead of: from mem0 import Memory

Start at `Memory`, or at `AsyncMemory`.
"""

from everlore.compat.mem0.async_memory import AsyncMemory
from everlore.compat.mem0.errors import InvalidRequest, MemoryNotFound
from everlore.compat.mem0.memory import Memory

__all__ = ["AsyncMemory", "InvalidRequest", "Memory", "MemoryNotFound"]
