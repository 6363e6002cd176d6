"""Every error as an RFC 9457 problem document, with a sentence that says what to do."""

import re
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from everlore.compose.inherit import BadTemplate
from everlore.domain.policy import Act, may
from everlore.domain.scope import Scope
from everlore.errors import (
    EverloreError,
    Misconfigured,
    NotFound,
    StoreUnavailable,
)
from everlore.server.openai.wire import openai_error
from everlore.server.templates import problems_out

log = structlog.get_logger(__name__)

OUT_OF_ORDER = (
    "The server cannot do this at the moment. Nothing that it has confirmed is lost. Try again later; its operator "
    "finds the reason in its log."
)


def problem(status: int, detail: str, *, type: str = "about:blank", **more: Any) -> JSONResponse:
    document = {"type": type, "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}
    return JSONResponse(document, status_code=status, media_type="application/problem+json")


def answer_with_problems(app: FastAPI) -> None:
    app.add_exception_handler(EverloreError, _ours)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(RequestValidationError, _of_fields)
    app.add_exception_handler(Exception, _unexpected)


async def _ours(request: Request, error: Exception) -> JSONResponse:
    status = error.http_status if isinstance(error, EverloreError) else 500
    if status >= 500:
        log.warning("request.failed", error=str(error))
    lore = getattr(request.state, "lore", None)
    detail = detail_for(error, lore.scope if lore is not None else None)
    if _is_openai(request):
        return openai_error(status, detail, code="model_not_found" if isinstance(error, NotFound) else None)
    return problem(status, detail, type=_urn(type(error).__name__), **_named_fields(error))


def detail_for(error: Exception, scope: Scope | None) -> str:
    """The details for this caller. Only the owner gets errors of the database and settings, which name files."""
    is_owner = scope is not None and may(scope.role, Act.OWN)
    return str(error) if is_owner or not isinstance(error, StoreUnavailable | Misconfigured) else OUT_OF_ORDER


def _named_fields(error: Exception) -> dict[str, Any]:
    """Which fields of a template are wrong, as for any other request."""
    if not isinstance(error, BadTemplate):
        return {}
    return {"errors": [each.model_dump() for each in problems_out(error.problems)]}


def _is_openai(request: Request) -> bool:
    """Clients of `/v1` expect errors in OpenAI's format."""
    return request.url.path.startswith("/v1/")


async def _of_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    detail = str(error.detail)
    if error.status_code == 404:
        detail = f"There is nothing at {request.url.path}. The paths are listed in /openapi.json."
    elif error.status_code == 405:
        detail = f"{request.url.path} does not take {request.method}. What it takes is listed in /openapi.json."
    if _is_openai(request):
        answer = openai_error(
            error.status_code, detail, code="unknown_url" if error.status_code in (404, 405) else None
        )
    else:
        answer = problem(error.status_code, detail)
    answer.headers.update(error.headers or {})
    return answer


async def _of_fields(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    if _is_openai(request):
        first = error.errors()[0]
        param = ".".join(str(part) for part in first["loc"][1:])
        return openai_error(400, f"{param or 'The request'}: {first['msg']}.", param=param or None)
    errors = [{"field": ".".join(map(str, each["loc"])), "message": each["msg"]} for each in error.errors()]
    detail = "Some fields of the request are wrong; `errors` says which."
    return problem(422, detail, type=_urn("BadAsk"), errors=jsonable_encoder(errors))


async def _unexpected(request: Request, _: Exception) -> JSONResponse:
    # The server logs the error itself; callers must not see internal details.
    detail = "Something unexpected happened. This is a bug; the log of the server says more."
    return openai_error(500, detail) if _is_openai(request) else problem(500, detail)


def _urn(name: str) -> str:
    return "urn:everlore:problem:" + re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()
