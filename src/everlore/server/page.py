"""The first page: that it runs, what it holds, and how to use it. Plain HTML; nothing is loaded from anywhere."""

import base64
import hashlib
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from string import Template

import everlore
from everlore.app import Stats


@dataclass(frozen=True, slots=True)
class Page:
    """The page's parts, read once. `policy` allows the style of the page by its hash, and nothing else."""

    html: Template
    style: str

    @property
    def policy(self) -> str:
        digest = base64.b64encode(hashlib.sha256(self.style.encode()).digest()).decode()
        return (
            f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"
        )

    def render(self, stats: Stats) -> str:
        values = {name: escape(str(value)) for name, value in _values(stats).items()}
        return self.html.substitute(values, style=self.style)


def read_page() -> Page:
    folder = files("everlore.server")
    html = folder.joinpath("page.html").read_text(encoding="utf-8")
    return Page(Template(html), folder.joinpath("page.css").read_text(encoding="utf-8"))


def _values(stats: Stats) -> dict[str, object]:
    return {
        "version": everlore.__version__,
        "workspace": stats.workspace,
        "memories": f"{stats.counts['memory']:,}",
        "persons": f"{stats.counts['person']:,}",
        "conversations": f"{stats.counts['conversation']:,}",
        "index": _index(stats),
        "queue": "paused" if stats.queue.paused else f"{stats.queue.pending:,} waiting",
    }


def _index(stats: Stats) -> str:
    if stats.coverage is None:
        return "full text only"
    # Down, not to the nearest: 100 % is said only when nothing is missing.
    return f"{int(stats.coverage.share * 100)} % by meaning"
