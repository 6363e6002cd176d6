"""The pages that are made from the code say what the code says."""

import pytest

from scripts.docs import pages


@pytest.mark.parametrize("name", ["settings.md", "cli.md", "policy.md", "config.md", "templates.md"])
def test_a_page_made_from_the_code_is_up_to_date(name: str) -> None:
    (path, text), *_ = [each for each in pages().items() if each[0].name == name]

    assert path.exists(), f"{path} is missing: run `.venv/bin/python scripts/docs.py`."
    assert path.read_text(encoding="utf-8") == text, f"{path} is stale: run `.venv/bin/python scripts/docs.py`."
