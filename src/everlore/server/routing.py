"""What every route does before it reads the body: it refuses callers without permission, query parameters that it does
not know, and bodies that are too large (S-3, S-7).

The size limit of a body belongs to the route: `MOST_BODY_BYTES`, unless it sets another (`at_most`, `upload`).

Start at `Router`, which every part of the API uses.
"""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from fastapi import APIRouter, Request, Response, params
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

from everlore.server.etags import respond
from everlore.server.login import admit

MOST_BODY_BYTES = 16_000_000
_MOST = "x-most-bytes"


class Admitting(APIRoute):
    """Runs before FastAPI, which reads the body before it resolves any dependency."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        most: int = (self.openapi_extra or {}).get(_MOST, MOST_BODY_BYTES)
        known = [each.alias for each in get_flat_params(self.dependant) if isinstance(each.field_info, params.Query)]

        async def admitted(request: Request) -> Response:
            await admit(request)
            _refuse_unknown(request, known)
            return await respond(limited(request, most), self, handle)

        # For the tag of what an edit is about to change.
        self.answer = handle
        return admitted


class Router(APIRouter):
    def __init__(self, **given: Any) -> None:
        super().__init__(route_class=Admitting, generate_unique_id_function=lambda route: route.name, **given)


def _refuse_unknown(request: Request, known: Sequence[str]) -> None:
    """A misspelt filter would otherwise return everything. Clients of other APIs send `/v1` parameters of their own."""
    unknown = dict.fromkeys(name for name in request.query_params if name not in known)
    if unknown and not request.url.path.startswith("/v1/"):
        taken = f"This request takes {', '.join(known)}." if known else "This request takes none."
        errors = [{"loc": ("query", name), "msg": f"Unknown query parameter. {taken}"} for name in unknown]
        raise RequestValidationError(errors)


def at_most(most_bytes: int) -> dict[str, Any]:
    """For a route with a limit of its own, which is also in the OpenAPI document."""
    return {_MOST: most_bytes}


def upload(most_bytes: int) -> dict[str, Any]:
    """For a route that takes a file of at most so many bytes as its body."""
    binary = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    return {"requestBody": {"required": True, "content": binary}, **at_most(most_bytes)}


def limited(request: Request, most_bytes: int) -> Request:
    """The same request, whose body is refused as soon as it is too large, whatever its header says."""
    # The HTTP server refuses values that are not numbers; the body is counted in any case.
    if any(said.isdecimal() and int(said) > most_bytes for said in request.headers.getlist("content-length")):
        raise _too_large(most_bytes)
    return Request(request.scope, _counted(request.receive, most_bytes))


def _counted(receive: Receive, most_bytes: int) -> Receive:
    size = 0

    async def counted() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > most_bytes:
            raise _too_large(most_bytes)
        return message

    return counted


def _too_large(most_bytes: int) -> HTTPException:
    # Raised where the application reads the body, so that it gives the error its format.
    most = f"{most_bytes // 1_000_000} MB" if most_bytes >= 1_000_000 else f"{most_bytes:,} bytes"
    return HTTPException(413, f"The request is larger than {most}, which is the most here. Send less at once.")
