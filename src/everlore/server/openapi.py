"""The OpenAPI document: FastAPI's description of the routes, with the actual errors and how callers authenticate.

`python -m everlore.server.openapi` prints it, for clients that are generated from it.
"""

import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from fastapi import FastAPI

from everlore.server.etags import EDITS
from everlore.server.openapi_examples import add_examples

_PROBLEM = {
    "type": "object",
    "description": "An error (RFC 9457); `detail` says what to do.",
    "examples": [
        {
            "type": "urn:everlore:problem:not-found",
            "title": "Not Found",
            "status": 404,
            "detail": "There is no Memory '01m7x2k9q4tafb8w5d3c6n0rgz' in this workspace.",
        }
    ],
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}
_OPENAI_ERROR = {
    "type": "object",
    "description": "An error in OpenAI's shape.",
    "examples": [
        {
            "error": {
                "message": "There is no model 'everlore/vesna'. Ask /v1/models for the list.",
                "type": "invalid_request_error",
                "param": None,
                "code": "model_not_found",
            }
        }
    ],
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"type": ["string", "null"]},
                "code": {"type": ["string", "null"]},
            },
        }
    },
}
_PROBLEMS = {
    "description": "What went wrong, and what to do.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_OPENAI_ERRORS = {
    "description": "What went wrong, and what to do.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/OpenAIError"}}},
}
_TOKEN = {
    "type": "http",
    "scheme": "bearer",
    "description": "A token of Everlore; the owner makes one with `everlore token create`.",
}
_ETAG = {"ETag": {"schema": {"type": "string"}, "description": "Names this state, for If-Match and If-None-Match."}}
_CONDITIONS = {
    "If-None-Match": "An ETag. If the answer is still the same, it is not sent again: 304.",
    "If-Match": "An ETag. If this was edited since, nothing is changed: 412.",
}
_FASTAPIS = ("HTTPValidationError", "ValidationError")


def describe(app: FastAPI) -> None:
    """Add errors and authentication to the document of the application."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = add_examples(_with_conditions(_with_errors(_with_list_names(plain()))))
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]  # as FastAPI's documentation has it


def _with_list_names(schema: dict[str, Any]) -> dict[str, Any]:
    """Renames `ListOf[MemoryOut]` to `MemoryList`."""
    named: dict[str, Any] = json.loads(re.sub(r'ListOf[_[](\w+?)(Out)?[_\]]"', r'\1List"', json.dumps(schema)))
    return named


def _with_errors(schema: dict[str, Any]) -> dict[str, Any]:
    shapes = schema.setdefault("components", {}).setdefault("schemas", {})
    for name in _FASTAPIS:
        shapes.pop(name, None)
    shapes |= {"Problem": _PROBLEM, "OpenAIError": _OPENAI_ERROR}
    schema["components"]["securitySchemes"] = {"token": _TOKEN}
    # A server that only this machine can reach may require none.
    schema["security"] = [{"token": []}, {}]
    for path, operations in schema["paths"].items():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            operation["responses"]["default"] = _OPENAI_ERRORS if path.startswith("/v1/") else _PROBLEMS
    return schema


def _with_conditions(schema: dict[str, Any]) -> dict[str, Any]:
    """Adds ETag, If-Match and If-None-Match (`etags.py`)."""
    for operations in schema["paths"].values():
        edits = [operations[each.lower()] for each in EDITS if each.lower() in operations]
        if "get" in operations and edits:
            operations["get"]["responses"]["200"]["headers"] = _ETAG
            operations["get"]["responses"]["304"] = {"description": "It has not changed.", "headers": _ETAG}
            _add_condition(operations["get"], "If-None-Match")
            for each in edits:
                _add_condition(each, "If-Match")
    return schema


def _add_condition(operation: dict[str, Any], name: str) -> None:
    header = {"name": name, "in": "header", "required": False, "schema": {"type": "string"}}
    operation.setdefault("parameters", []).append({**header, "description": _CONDITIONS[name]})


@cache
def document() -> dict[str, Any]:
    """The same for every server of this version; do not modify it."""
    from everlore.server.app import build_app

    @asynccontextmanager
    async def nothing() -> AsyncIterator[Any]:
        yield None

    return build_app(nothing).openapi()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(document(), indent=1, sort_keys=True) + "\n")
