"""The die of involuntary gossip: one for all who roll in this process, repeatable where a seed is set (R9)."""

import asyncio
import secrets


class Dice:
    """`turn` is held while a roll is looked up and kept: two who ask at once get the same one."""

    def __init__(self, seed: str | None) -> None:
        self._seed = seed or secrets.token_hex(8)
        self.turn = asyncio.Lock()

    def seed_for(self, conversation_id: str, seq: int) -> str:
        return f"{self._seed}/{conversation_id}/{seq}"
