"""The OpenAPI document tells the truth: a server that really runs answers as it says, and nothing breaks it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from everlore.server.openapi import document
from tests.cli.process import Command
from tests.soak import IS_LONG, look

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]
# Every bound of every field is for the long run: seven thousand requests, made up when the tests are collected.
schema = schemathesis.openapi.from_dict(
    document(), config=SchemathesisConfig.from_dict({"phases": {"coverage": {"enabled": IS_LONG}}})
)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("openapi")
    with Command(folder).started("serve", "--port", "0") as server:
        yield server.line()


@schema.parametrize()
@settings(max_examples=look(8, 30), deadline=None, suppress_health_check=list(HealthCheck), database=None)
def test_whatever_the_document_allows_is_answered_as_it_says(url: str, case: Any) -> None:
    """9-surfaces: no server error, and only the statuses, types and shapes that are written down."""
    case.call_and_validate(base_url=url, checks=CHECKS)
