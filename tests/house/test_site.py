"""The documentation site has every page, and its links lead to pages of the site."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from scripts.site_hooks import (
    heading_anchor,
    linked_outside,
    loaded_from_elsewhere,
    repository_path,
    site_path,
    with_site_links,
)
from tests.house.tree import ROOT, kept_files


def _pages_in(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        yield from (page for below in nav.values() for page in _pages_in(below))
    else:
        yield from (page for below in nav for page in _pages_in(below))


def test_every_page_is_in_the_navigation_once() -> None:
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    shown = Counter(_pages_in(config["nav"]))
    pages = {
        path.relative_to(ROOT / "docs").as_posix()
        for path in kept_files()
        if path.suffix == ".md" and path.is_relative_to(ROOT / "docs")
    }

    assert len(pages) > 30
    assert {page for page in shown if page.startswith("repository/")} == {"repository/deploy/README.md"}
    assert shown - Counter(["repository/deploy/README.md"]) == Counter(pages)


def test_a_broken_link_fails_the_build() -> None:
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))

    assert config["strict"] is True
    assert re.findall(r"mkdocs build.*", (ROOT / "Makefile").read_text(encoding="utf-8")) == ["mkdocs build"]
    assert set(config["validation"]["links"].values()) == {"warn"}


@pytest.mark.parametrize(
    ("page", "link", "on_the_site"),
    [
        ("docs/recall.md", "search.md#scores", "search.md#scores"),
        ("docs/tutorials/character.md", "../recall.md", "../recall.md"),
        ("docs/index.md", "../deploy/README.md", "repository/deploy/README.md"),
        ("docs/campaigns.md", "../examples/a_campaign.py", "repository/examples/a_campaign.py.md"),
        (
            "docs/howto/sillytavern.md",
            "../../examples/sillytavern/README.md",
            "../repository/examples/sillytavern/README.md",
        ),
        ("deploy/README.md", "../docs/export.md#backup", "../../export.md#backup"),
        ("docs/web.md", "images/chat.png", "images/chat.png"),
        ("docs/web.md", "https://example.org/x.md", "https://example.org/x.md"),
        ("docs/web.md", "#tokens", "#tokens"),
    ],
)
def test_a_link_leads_to_a_page_of_the_site(page: str, link: str, on_the_site: str) -> None:
    assert with_site_links(f"See [it]({link}).", page) == f"See [it]({on_the_site})."


def test_files_outside_the_docs_are_found_through_other_pages() -> None:
    texts = {
        "docs/index.md": "[1](recall.md) [2](../deploy/README.md)",
        "deploy/README.md": "[1](nginx.conf) [2](../docs/recall.md)",
    }

    assert set(linked_outside(["docs/index.md"], texts.__getitem__)) == {"deploy/README.md", "deploy/nginx.conf"}


@pytest.mark.parametrize("path", ["docs/web.md", "docs/tutorials/app.md", "deploy/README.md"])
def test_a_page_of_the_site_is_found_in_the_repository(path: str) -> None:
    assert repository_path(site_path(path)) == path


def test_anchors_are_those_of_github() -> None:
    assert heading_anchor("Plain, doubtful, none", "-") == "plain-doubtful-none"
    assert heading_anchor("A `--json` answer", "-") == "a---json-answer"


def test_a_script_of_another_site_is_noticed_and_a_link_is_not() -> None:
    script = '<script defer src="https://cdn.example.org/a.js">'
    html = f'<a href="https://example.org">more</a><img src="images/chat.png"><script src="a.js"></script>{script}'

    assert loaded_from_elsewhere(html) == [script]
