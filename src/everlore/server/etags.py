"""Conditional requests: `ETag` and `If-None-Match` when something is read, `If-Match` when it is edited.

They hold for every path that can be read with GET and edited with PUT, PATCH or DELETE. The tag is made from the answer
to GET, as this caller gets it, so no route has anything to do. Its first half leaves out what changes without an edit,
such as counters: `If-Match` compares that half only. An edit with `If-Match` writes only if the records behind the
answer are unchanged in the same transaction.

Start at `respond`, which every route goes through.
"""

import json
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any, cast

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from everlore.app import Everlore
from everlore.errors import BadAsk, PreconditionFailed
from everlore.store.expecting import ExpectingStore
from everlore.store.port import Store
from everlore.store.tables import TABLES

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
EDITS = frozenset({"PUT", "PATCH", "DELETE"})
_CHARS = 16
_COUNTED = frozenset(name for table in TABLES.values() for name in table.counted)
_UNEDITED = _COUNTED | {"updated_at", "reinforcement_count", "last_message", "writing"}


def readers_of(routes: Iterable[BaseRoute]) -> dict[str, APIRoute]:
    """The GET route of each path that can be edited."""
    ours = [each for each in routes if isinstance(each, APIRoute)]
    edited = {each.path for each in ours if _methods(each) & EDITS}
    return {each.path: each for each in ours if "GET" in _methods(each) and each.path in edited}


def _methods(route: APIRoute) -> set[str]:
    return route.methods or set()


async def respond(request: Request, route: APIRoute, handle: Handler) -> Response:
    """The answer of the route, if the conditions of the request hold. `handle` calls the route."""
    readers: Mapping[str, APIRoute] = request.app.state.readers
    reader = readers.get(route.path)
    if request.method == "GET":
        return await handle(request) if reader is None else _read(request, await handle(request))
    required = request.headers.get("if-match")
    if required is None or not request.url.path.startswith("/api/"):
        answer = await handle(request)
    elif reader is None or request.method not in EDITS:
        raise BadAsk(
            f"{request.method} {request.url.path} takes no If-Match: that is for PUT, PATCH and DELETE of what GET "
            "reads at the same path. Leave it out."
        )
    else:
        answer = await _edit(request, reader, required, handle)
    if reader is not None and request.method in EDITS and _answers_alike(route, reader):
        _tag(answer)
    return answer


def _answers_alike(route: APIRoute, reader: APIRoute) -> bool:
    return route.response_model is not None and route.response_model == reader.response_model


def _read(request: Request, answer: Response) -> Response:
    tag = _tag(answer)
    known = request.headers.get("if-none-match")
    if tag and known is not None and (known.strip() == "*" or tag in _tags_in(known)):
        return Response(status_code=304, headers={"ETag": f'"{tag}"'})
    return answer


async def _edit(request: Request, reader: APIRoute, required: str, handle: Handler) -> Response:
    lore: Everlore = request.state.lore
    store = ExpectingStore(lore.store)
    # `__getattr__` forwards the other methods, which a type checker cannot see.
    resources = replace(lore.resources, store=cast(Store, store))
    request.state.lore = Everlore(lore.scope, resources, lore.staff)
    await _check(request, reader, required)
    store.seal()
    try:
        return await handle(request)
    except PreconditionFailed:
        request.state.lore = lore
        raise _outdated(request, await _current(request, reader)) from None


async def _check(request: Request, reader: APIRoute, required: str) -> None:
    tag = await _current(request, reader)
    edits = {each.partition("-")[0] for each in _tags_in(required)}
    if required.strip() != "*" and tag.partition("-")[0] not in edits:
        raise _outdated(request, tag)


def _outdated(request: Request, tag: str) -> PreconditionFailed:
    return PreconditionFailed(
        f'{request.url.path} has changed, or If-Match is not its ETag: that is "{tag}" now. Read it again, and repeat '
        "the change on what is there."
    )


async def _current(request: Request, reader: APIRoute) -> str:
    """The tag of what GET answers to this caller now."""

    async def nothing() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    handle: Handler = cast(Any, reader).answer
    return _tag(await handle(Request({**request.scope, "method": "GET"}, nothing)))


def _tag(answer: Response) -> str:
    """Gives the answer its tag, and returns it; an answer that is not JSON has none."""
    if answer.status_code != 200 or not answer.headers.get("content-type", "").startswith("application/json"):
        return ""
    body = bytes(answer.body)
    said = json.loads(body)
    edited = {name: each for name, each in said.items() if name not in _UNEDITED} if isinstance(said, dict) else said
    tag = f"{_digest(json.dumps(edited).encode())}-{_digest(body)}"
    answer.headers["ETag"] = f'"{tag}"'
    return tag


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:_CHARS]


def _tags_in(header: str) -> list[str]:
    """Proxies that compress answers mark their tags as weak (`W/`), which changes nothing here."""
    return [each.strip().removeprefix("W/").strip('"') for each in header.split(",")]
