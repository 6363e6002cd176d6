"""Template variables, `${name}`, evaluated lazily (P5).

Each variable is a function of a `VariableView`, which provides the context and all other variables; so the order of
evaluation does not matter, and only used variables are evaluated. A value is data: text that looks like a variable in
it stays as it is. A cycle or an unknown name is a `Fault`.

Start at `Resolver`.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from everlore.compose.context import Context
from everlore.domain.blocks import inert
from everlore.domain.template import RoleName

# "$${name}" is the text "${name}". The tokens by which a model requests media are text as well.
_MARK = re.compile(r"\$\$\{|\$\{([^{}]*)\}|\$\{")
_MEDIA = ("image.", "audio.")
# The limits for texts of a template that use each other: more is a mistake or an attack.
_MOST_DEPTH = 50
_MOST_CHARS = 200_000
# Far more than any window holds.
_MOST_IN_PROMPT = 2_000_000


class Pace(IntEnum):
    """How often a value changes (P13): rarely, sometimes, or with every turn."""

    STEADY = 0
    SLOW = 1
    EACH_TURN = 2


@dataclass(frozen=True, slots=True)
class VariableView:
    """The input of a variable: the context, the role of the text it is in, and the other variables."""

    context: Context
    role: RoleName
    get: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Variable:
    """`part` is the part of the budget of a section with it (P9). `framed`: its own frame makes its text safe; any
    other value is untrusted data, in which no mark may have a meaning (P8)."""

    value: Callable[[VariableView], str]
    about: str
    pace: Pace = Pace.STEADY
    part: str = "system"
    framed: bool = False

    def of(self, view: VariableView) -> str:
        text = self.value(view)
        return text if self.framed else inert(text)


@dataclass(frozen=True, slots=True)
class Fault:
    """A variable without a value, and the reason as a sentence."""

    name: str
    message: str


@dataclass(frozen=True, slots=True)
class TextSegment:
    """A part of a line. Framed text is never cut, and contains the marks of its frame."""

    text: str
    framed: bool = False


Segments = tuple[TextSegment, ...]


def text_of(segments: Iterable[TextSegment]) -> str:
    return "".join(segment.text for segment in segments)


@dataclass(frozen=True, slots=True)
class Literal:
    text: str


@dataclass(frozen=True, slots=True)
class VariableUse:
    name: str


@lru_cache(maxsize=4_096)
def pieces_of(line: str) -> tuple[Literal | VariableUse, ...]:
    """Cached: the lines of templates are few, and read again with every turn."""
    return tuple(piece for piece in _pieces_of(line) if not isinstance(piece, Literal) or piece.text)


def _pieces_of(line: str) -> Iterator[Literal | VariableUse]:
    at = 0
    for mark in _MARK.finditer(line):
        yield Literal(line[at : mark.start()])
        if mark.group() == "$${":
            yield Literal("${")
        elif (mark.group(1) or "").startswith(_MEDIA):
            yield Literal(mark.group())
        else:
            # An opening that is never closed is a variable without a name, which is unknown.
            yield VariableUse((mark.group(1) or "").strip())
        at = mark.end()
    yield Literal(line[at:])


@lru_cache(maxsize=4_096)
def names_in(line: str) -> tuple[str, ...]:
    return tuple(piece.name for piece in pieces_of(line) if isinstance(piece, VariableUse))


class Resolver:
    """Values of variables, evaluated once for each role. `faults` are those without a value.

    Variables in `once` are printed at their first use only (P14).
    """

    def __init__(
        self,
        context: Context,
        known: Mapping[str, Variable],
        own: Mapping[str, str],
        once: Collection[str] = (),
        worked_out: "dict[tuple[RoleName, str], Segments] | None" = None,
    ) -> None:
        """`own` are the texts that the template defines; they override the `known` variables. `worked_out` is a cache
        of values for the same context, which is filled here."""
        self._context = context
        self._known = known
        self._own = own
        self._once = frozenset(once)
        self._printed: set[str] = set()
        self._values: dict[tuple[RoleName, str], Segments] = {}
        self._shared = {} if worked_out is None else worked_out
        self._path: list[str] = []
        self._room = _MOST_IN_PROMPT
        self.faults: dict[str, Fault] = {}

    def said(self, piece: Literal | VariableUse, role: RoleName) -> Segments:
        """A piece of a line, for the prompt; empty once the prompt exceeds every limit."""
        segments = (TextSegment(piece.text),) if isinstance(piece, Literal) else self.segments(piece.name, role)
        self._room -= sum(len(segment.text) for segment in segments)
        if self._room >= 0:
            return segments
        return self._fault("", f"The prompt grows beyond {_MOST_IN_PROMPT:,} characters; the rest is left out.")

    def value(self, name: str, role: RoleName) -> str:
        """Empty if there is no value; the reason is among the `faults`."""
        return text_of(self.segments(name, role))

    def segments(self, name: str, role: RoleName) -> Segments:
        key = (role, name)
        if key in self._values:
            return self._values[key]
        if key in self._shared and name not in self._own:
            return self._shared[key]
        if name in self._path:
            circle = [*self._path[self._path.index(name) :], name]
            return self._fault(name, f"The variables go in a circle: {' → '.join(circle)}. Break it at one of them.")
        if len(self._path) >= _MOST_DEPTH:
            return self._fault(name, f"${{{name}}} is more than {_MOST_DEPTH} variables deep. Make it simpler.")
        before = (len(self._printed), len(self.faults))
        self._path.append(name)
        try:
            found = self._worked_out(name, role)
        finally:
            self._path.pop()
        # A text with a variable that is printed once differs at its next use; and an error here, from a cycle or depth,
        # may not occur at another place.
        if (len(self._printed), len(self.faults)) == before:
            self._values[key] = found
            if name not in self._own and name in self._known and not self._known[name].framed:
                self._shared[key] = found
        return found

    def _worked_out(self, name: str, role: RoleName) -> Segments:
        if name in self._own:
            return self._of_text(name, role)
        if name not in self._known:
            return self._fault(name, unknown(name))
        if name in self._printed:
            return ()
        if name in self._once:
            self._printed.add(name)
        variable = self._known[name]
        text = variable.of(VariableView(self._context, role, lambda other: self.value(other, role)))
        return (TextSegment(text, variable.framed),) if text else ()

    def _of_text(self, name: str, role: RoleName) -> Segments:
        found: list[TextSegment] = []
        room = _MOST_CHARS
        for piece in pieces_of(self._own[name]):
            parts = (TextSegment(piece.text),) if isinstance(piece, Literal) else self.segments(piece.name, role)
            found += parts
            room -= sum(len(part.text) for part in parts)
            if room < 0:
                return self._fault(name, f"${{{name}}} grows beyond {_MOST_CHARS:,} characters. Make it simpler.")
        return tuple(found)

    def _fault(self, name: str, message: str) -> Segments:
        self.faults.setdefault(name, Fault(name, message))
        return ()


def unknown(name: str) -> str:
    if not name:
        return "A ${ is opened and does not name a variable. Close it, or write $${ to mean the text."
    return f"There is no variable ${{{name}}}. The page about templates lists them all."
