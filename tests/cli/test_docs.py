"""The pages that are made from the code say what the code says."""

from pathlib import Path

import pytest

from scripts.docs import imports_in, package_diagram, pages


@pytest.mark.parametrize("name", ["settings.md", "cli.md", "policy.md", "config.md", "templates.md", "architecture.md"])
def test_a_page_made_from_the_code_is_up_to_date(name: str) -> None:
    (path, text), *_ = [each for each in pages().items() if each[0].name == name]

    assert path.exists(), f"{path} is missing: run `.venv/bin/python scripts/docs.py`."
    assert path.read_text(encoding="utf-8") == text, f"{path} is stale: run `.venv/bin/python scripts/docs.py`."


def test_the_diagram_draws_direct_dependencies_only() -> None:
    imports = {
        "app": frozenset({"shop", "store", "rules"}),
        "shop": frozenset({"store"}),
        "store": frozenset({"rules"}),
        "rules": frozenset[str](),
    }

    assert package_diagram(imports).splitlines() == [
        "```mermaid",
        "flowchart TD",
        "    app --> shop",
        "    shop --> store",
        "    store --> rules",
        "```",
    ]


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
