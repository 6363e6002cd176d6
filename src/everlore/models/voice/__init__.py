"""The built-in voice: a character that answers without any model, from its card, the conversation and its memories.

It finds out what a message asks (`question.py`), which memory or message answers it (`answers.py`), and makes the reply
(`reply.py`). All of it is pure, and the same scene gives the same reply. The words are data: `phrases.toml`.
"""

import asyncio
import re
from collections.abc import AsyncIterator

from everlore.errors import ModelMisbehaved
from everlore.models.beyond_text import refuse, wants
from everlore.models.chat import Ask, End, Piece
from everlore.models.voice.phrases import replies
from everlore.models.voice.reply import notice_of, reply_to

_WORD = re.compile(r"\s*\S+|\s+")
_CONNECT = "It answers from memory alone: connect a language model for that (docs/models.md)."


class Voice:
    name = "everlore/voice"
    backend = "voice"

    async def stream(self, ask: Ask) -> AsyncIterator[Piece | End]:
        refuse("The built-in voice", wants(ask), _CONNECT)
        if ask.scene is None or ask.schema is not None:
            raise ModelMisbehaved(replies("cannot_analyse")[0])
        last = ask.scene.history[-1:]
        # If the last message is its own, the reply continues it.
        begin = " " if last and last[0].person_id == ask.scene.character.id else ""
        for word in _WORD.findall(begin + reply_to(ask.scene)):
            yield Piece(word)
            # Let concurrent replies take turns, word by word.
            await asyncio.sleep(0)
        yield End(notice=notice_of(ask.scene))

    async def close(self) -> None:
        """There is nothing to release."""
