"""What routes work with: the Everlore that serves the request, and the body of an uploaded file."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from tempfile import SpooledTemporaryFile
from typing import Annotated, BinaryIO, cast

from fastapi import Depends, Request
from fastapi.requests import HTTPConnection

from everlore.app import Everlore
from everlore.errors import BadAsk, StoreUnavailable

_IN_MEMORY_BYTES = 1_000_000


def lore_of(connection: HTTPConnection) -> Everlore:
    """The Everlore of the caller, as `login.admit` has stored it."""
    lore: Everlore = connection.state.lore
    return lore


Lore = Annotated[Everlore, Depends(lore_of)]


# Names the conversation, for clients that have ids of their own (V11).
SESSION = "X-Conversation-Session-Id"
# Reports what part of a request did not reach the model: `messages=22/61, instructions=4800/15011` (tokens).
CUT = "X-Everlore-Cut"


@asynccontextmanager
async def received(request: Request) -> AsyncIterator[BinaryIO]:
    """The body as a temporary file; a small one stays in memory. The route limits its size."""
    # Opened here and not at startup: the temporary folder may be full, or missing.
    with SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as file:
        size = 0
        try:
            async for part in request.stream():
                size += file.write(part)
        except OSError as error:
            raise StoreUnavailable(
                f"The upload cannot be stored ({error.strerror}). Free some space in the folder for temporary files "
                "(TMPDIR), then send it again."
            ) from error
        if not size:
            raise BadAsk("The request has no body. Send the file itself as the body, and its name as ?filename=….")
        file.seek(0)
        yield cast(BinaryIO, file)


async def read_upload(request: Request) -> bytes:
    """The whole body in memory."""
    async with received(request) as file:
        return await asyncio.to_thread(file.read)
