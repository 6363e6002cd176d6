"""Draws the diagrams of the docs as SVG: rows of boxes and arrows between them, with the fonts of the reader.

`diagrams.toml` describes them; the packages come from the imports. Start at `drawings`.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("diagrams.toml")
_CHARACTER, _LINE, _PADDING = 7.4, 18, 14
_GAP, _ROW_GAP, _MARGIN = 28, 44, 20
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1f2430;text-anchor:middle}.b{font-weight:600}"
    ".l{font-size:12px;fill:#4a5270}"
    "rect.step{fill:#eef0f7;stroke:#9aa3c0}rect.data{fill:#e3f1ea;stroke:#7fae97}path{fill:none;stroke:#6b7390}"
)


@dataclass(frozen=True)
class Diagram:
    title: str
    rows: Sequence[Sequence[str]]
    boxes: Mapping[str, str]
    arrows: Sequence[Sequence[str]]
    data: Sequence[str] = field(default=())


@dataclass(frozen=True)
class _Box:
    lines: Sequence[str]
    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def drawings() -> dict[str, str]:
    """The SVG of each diagram in the file, by its name."""
    return {name: drawn(diagram) for name, diagram in diagrams().items()}


def diagrams() -> dict[str, Diagram]:
    described: Mapping[str, Any] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {name: Diagram(**fields) for name, fields in described.items()}


def layered(title: str, arrows: Mapping[str, frozenset[str]]) -> Diagram:
    """A graph without cycles: each node is in the row below the lowest of those that lead to it."""
    depths: dict[str, int] = {}

    def depth(name: str) -> int:
        if name not in depths:
            depths[name] = 1 + max((depth(other) for other in arrows if name in arrows[other]), default=-1)
        return depths[name]

    rows: list[list[str]] = [[] for _ in range(1 + max(map(depth, arrows)))]
    for name in sorted(arrows):
        rows[depth(name)].append(name)
    return Diagram(
        title, rows, {name: name for name in arrows}, [(a, b) for a in sorted(arrows) for b in sorted(arrows[a])]
    )


def drawn(diagram: Diagram) -> str:
    boxes = _placed(diagram)
    width = max(each.x + each.width for each in boxes.values()) + _MARGIN
    height = max(each.y + each.height for each in boxes.values()) + _MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}">',
            f"<title>{escape(diagram.title)}</title>",
            f"<style>{_STYLE}</style>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
            '<path d="M1 1 7 4 1 7" /></marker></defs>',
            f'<rect width="{width:g}" height="{height:g}" rx="8" fill="#fff" />',
            *(_path(boxes[each[0]], boxes[each[1]]) for each in diagram.arrows),
            *(line for name, box in boxes.items() for line in _shape(box, "data" if name in diagram.data else "step")),
            *(_label(boxes[each[0]], boxes[each[1]], each[2]) for each in diagram.arrows if len(each) > 2),
            "</svg>\n",
        ]
    )


def _placed(diagram: Diagram) -> dict[str, _Box]:
    """Every row is centred, as wide as its boxes need."""
    texts = {name: diagram.boxes[name].split("|") for row in diagram.rows for name in row}
    widths = {name: max(map(len, lines)) * _CHARACTER + 2 * _PADDING for name, lines in texts.items()}
    spans = [sum(widths[name] for name in row) + _GAP * (len(row) - 1) for row in diagram.rows]
    boxes: dict[str, _Box] = {}
    y = float(_MARGIN)
    for row, span in zip(diagram.rows, spans, strict=True):
        x = _MARGIN + (max(spans) - span) / 2
        for name in row:
            boxes[name] = _Box(texts[name], x, y, widths[name], _LINE * len(texts[name]) + _PADDING)
            x += widths[name] + _GAP
        y += max(boxes[name].height for name in row) + _ROW_GAP
    return boxes


def _path(start: _Box, end: _Box) -> str:
    if start.y == end.y:
        y = start.y + start.height / 2
        return f'<path d="M{start.x + start.width:g} {y:g} {end.x:g} {y:g}" marker-end="url(#tip)" />'
    top, bottom = start.y + start.height, end.y
    bend = (bottom - top) / 2
    here, there = f"{start.middle:g}", f"{end.middle:g}"
    curve = f"M{here} {top:g}C{here} {top + bend:g} {there} {bottom - bend:g} {there} {bottom:g}"
    return f'<path d="{curve}" marker-end="url(#tip)" />'


def _shape(box: _Box, kind: str) -> Iterator[str]:
    yield f'<rect class="{kind}" x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}" rx="6" />'
    for number, line in enumerate(box.lines):
        bold = ' class="b"' if number == 0 else ""
        yield f'<text{bold} x="{box.middle:g}" y="{box.y + 20 + _LINE * number:g}">{escape(line)}</text>'


def _label(start: _Box, end: _Box, text: str) -> str:
    x, y = (start.middle + end.middle) / 2, (start.y + start.height + end.y) / 2 + 4
    return (
        f'<text class="l" x="{x:g}" y="{y:g}" stroke="#fff" stroke-width="4" paint-order="stroke">{escape(text)}</text>'
    )
