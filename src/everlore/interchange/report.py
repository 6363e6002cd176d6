"""What an import did, in sentences for the person who asked for it.

`Notes` collects them on the way; `Report` is what they come to.
"""

from dataclasses import dataclass, field

# A hostile file could fill a page with complaints; the rest is counted.
_MOST_LINES = 100
_MOST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Report:
    """`format` names what was read. Nothing in `changed` or `warnings` is lost; what is in `dropped` is."""

    format: str
    kept: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class Sentences:
    lines: list[str] = field(default_factory=list)
    beyond: int = 0

    def add(self, sentence: str) -> None:
        if len(self.lines) < _MOST_LINES:
            self.lines.append(sentence)
        else:
            self.beyond += 1

    def told(self) -> tuple[str, ...]:
        more = (f"And {self.beyond:,} more like this.",) if self.beyond else ()
        return (*self.lines, *more)


@dataclass(slots=True)
class Notes:
    kept: Sentences = field(default_factory=Sentences)
    changed: Sentences = field(default_factory=Sentences)
    dropped: Sentences = field(default_factory=Sentences)
    warnings: Sentences = field(default_factory=Sentences)

    def report(self, format: str) -> Report:
        return Report(
            format=format,
            kept=self.kept.told(),
            changed=self.changed.told(),
            dropped=self.dropped.told(),
            warnings=self.warnings.told(),
        )


def counted(number: int, one: str, many: str = "") -> str:
    """ "1 entry", "2 entries"; `many` is only needed where it is not `one` with an "s"."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def shown(value: object) -> str:
    """A value of the file inside a sentence of ours: short, on one line, and nothing but characters."""
    text = repr(value if not isinstance(value, str) else value[:_MOST_SHOWN])
    return text if len(text) <= 2 * _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
