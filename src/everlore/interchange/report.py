"""Reports of imports, as sentences for the user.

`Notes` collects them during the import; `Report` is the result.
"""

from dataclasses import dataclass, field

# A hostile file could cause endless complaints; the rest is only counted.
_MOST_LINES = 100
_MOST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Report:
    """`format` is the format of the file. `changed` and `warnings` list imported items, `dropped` those that were
    not."""

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
    """Formats "1 entry", "2 entries"; `many` is only needed if the plural is not `one` with an "s"."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def shown(value: object) -> str:
    """Quotes a value from the file: short, on one line, and printable."""
    text = repr(value if not isinstance(value, str) else value[:_MOST_SHOWN])
    return text if len(text) <= 2 * _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
