"""The pages that are made from the code say what the code says."""

from pathlib import Path

import pytest

from scripts.diagrams import diagrams, drawn, layered
from scripts.docs import ROOT, direct_imports, imports_in, pages

_DRAWN = ["learning.svg", "recall.svg", "knowing.svg", "prompt.svg", "packages.svg"]


@pytest.mark.parametrize("name", ["settings.md", "cli.md", "policy.md", "config.md", "templates.md", *_DRAWN])
def test_a_page_made_from_the_code_is_up_to_date(name: str) -> None:
    (path, text), *_ = [each for each in pages().items() if each[0].name == name]

    assert path.exists(), f"{path} is missing: run `.venv/bin/python scripts/docs.py`."
    assert path.read_text(encoding="utf-8") == text, f"{path} is stale: run `.venv/bin/python scripts/docs.py`."


def test_the_diagram_of_packages_has_direct_imports_only_and_the_lowest_layer_last() -> None:
    imports = {
        "app": frozenset({"shop", "store", "rules"}),
        "shop": frozenset({"store"}),
        "store": frozenset({"rules"}),
        "rules": frozenset[str](),
    }

    diagram = layered("Packages", direct_imports(imports))

    assert diagram.rows == [["app"], ["shop"], ["store"], ["rules"]]
    assert diagram.arrows == [("app", "shop"), ("shop", "store"), ("store", "rules")]


@pytest.mark.parametrize("name", list(diagrams()))
def test_a_diagram_draws_each_box_and_arrow_and_is_on_a_page(name: str) -> None:
    diagram = diagrams()[name]
    placed = [box for row in diagram.rows for box in row]
    svg = drawn(diagram)

    assert sorted(placed) == sorted(diagram.boxes)
    assert {end for each in diagram.arrows for end in each[:2]} <= set(placed)
    assert svg.count("<rect class=") == len(placed)
    assert svg.count("marker-end=") == len(diagram.arrows)
    assert any(f"](images/{name}.svg)" in page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))


def test_imports_are_read_from_the_code(tmp_path: Path) -> None:
    package = tmp_path / "everlore"
    (package / "store").mkdir(parents=True)
    (package / "store" / "port.py").write_text("import json\nimport everlore.domain\n", encoding="utf-8")
    (package / "domain.py").write_text("", encoding="utf-8")
    (package / "app.py").write_text(
        "from everlore import domain\ndef load():\n    from everlore.store.port import Store\n", encoding="utf-8"
    )

    assert imports_in(package) == {
        "app": frozenset({"domain", "store"}),
        "domain": frozenset(),
        "store": frozenset({"domain"}),
    }
