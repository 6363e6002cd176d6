"""The dice of involuntary gossip: shared by all callers of a process, repeatable if a seed is set (R9)."""

import asyncio
import secrets


class Dice:
    """`turn` is held while a roll is looked up and stored: two requests at once get the same roll."""

    def __init__(self, seed: str | None) -> None:
        self._seed = seed or secrets.token_hex(8)
        self.turn = asyncio.Lock()

    def seed_for(self, conversation_id: str, seq: int) -> str:
        return f"{self._seed}/{conversation_id}/{seq}"
