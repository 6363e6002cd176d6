"""Personas of SillyTavern are read from its settings, or from a backup of them (V9)."""

import json
from typing import Any

import pytest

from everlore.errors import BadAsk
from everlore.interchange.personas import ImportedPersona, read_personas

HELD: dict[str, Any] = {
    "personas": {"a.png": "Sir  Hal", "b.png": "Kit", "c.png": " "},
    "persona_descriptions": {"a.png": {"description": " A knight. ", "position": 0}, "b.png": "Plain text."},
}


@pytest.mark.parametrize("document", [HELD, {"power_user": HELD, "main_api": "x"}], ids=["backup", "settings"])
def test_names_and_descriptions_are_read(document: dict[str, Any]) -> None:
    """V9: what has no name is left out, and the report says so."""
    found, report = read_personas(json.dumps(document).encode())

    assert found == (ImportedPersona("Sir Hal", "A knight."), ImportedPersona("Kit", "Plain text."))
    assert report.kept == ("2 personas.",)
    assert any("c.png" in line for line in report.dropped)
    assert any("no pictures" in line for line in report.warnings)


@pytest.mark.parametrize("data", [b"[]", b"{}", b'{"personas": []}', b"no json"])
def test_what_has_no_personas_is_refused(data: bytes) -> None:
    """V9."""
    with pytest.raises(BadAsk):
        read_personas(data)
