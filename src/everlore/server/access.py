"""What a route is given: the Everlore that serves the request, and the body of an uploaded file."""

from typing import Annotated

from fastapi import Depends, Request
from fastapi.requests import HTTPConnection

from everlore.app import Everlore
from everlore.errors import BadAsk


def lore_of(connection: HTTPConnection) -> Everlore:
    """The caller's own, as `login.admit` has left it."""
    lore: Everlore = connection.state.lore
    return lore


Lore = Annotated[Everlore, Depends(lore_of)]


# Names the conversation, for clients that keep an id of their own (V11).
SESSION = "X-Conversation-Session-Id"
# What a client is told of a route that takes a file.
UPLOAD = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


async def read_upload(request: Request, most_bytes: int) -> bytes:
    """The raw body, refused as soon as it is too large, whatever its header says."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most_bytes:
            raise BadAsk(f"The file is larger than {most_bytes // 1_000_000} MB, which is the most. Make it smaller.")
        parts.append(part)
    if not size:
        raise BadAsk("The request has no body. Send the file itself as the body, and its name as ?filename=….")
    return b"".join(parts)
