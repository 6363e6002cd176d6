"""Every operation shows an example of what is sent and of what comes back, and each is valid (9-surfaces)."""

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from everlore.server.openapi import document

DOCUMENT = document()


def _bodies() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every JSON body of the document."""
    for path, operations in DOCUMENT["paths"].items():
        for method, operation in operations.items():
            parts = {"request": operation.get("requestBody", {}), **operation["responses"]}
            for name, part in parts.items():
                for media_type, body in part.get("content", {}).items():
                    if media_type in ("application/json", "application/problem+json"):
                        yield f"{method.upper()} {path} {name}", body


BODIES = dict(_bodies())


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_body_has_an_example_that_is_valid(body: dict[str, Any]) -> None:
    """9-surfaces: REST: examples."""
    schema = {**body["schema"], "components": DOCUMENT["components"]}

    jsonschema.validate(body["example"], schema, cls=jsonschema.Draft202012Validator)


def test_an_example_shows_what_a_field_is_for() -> None:
    created = BODIES["POST /api/memories request"]["example"]
    saved = BODIES["POST /api/memories 201"]["example"]

    assert created == {"content": "The user lives in Porto"}
    assert (saved["content"], saved["type"], saved["outcome"]) == ("The user lives in Porto", "FACT", "formed")
