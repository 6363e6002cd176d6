"""Turns a resolved template into the sections of one prompt: those in use, with their lines filled in.

A section whose condition is false leaves no trace, and neither does one that becomes empty: no blank heading, no number
(P2, P4). Sections that change with every turn are separated from steady ones, which come first (P13).

Start at `draw`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from everlore.compose.inherit import ResolvedTemplate, Section, TemplateRole
from everlore.compose.variables import (
    Literal,
    Pace,
    Resolver,
    Segments,
    TextSegment,
    Variable,
    VariableUse,
    names_in,
    pieces_of,
    text_of,
)
from everlore.domain.blocks import inert
from everlore.domain.condition import holds
from everlore.domain.template import RoleName

INTRODUCTION = "introduction"
# The parts that are made to fit their budget, and so are never left out.
FRAMED_PARTS = ("recall", "summary")
_CONSENT = "I agree to a story rated ${rating} (${ratingMpa})."


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One section of a prompt. `lines` may contain line breaks; each rule is a single line."""

    name: str
    role: RoleName
    lines: tuple[Segments, ...]
    part: str = "system"
    pace: Pace = Pace.STEADY
    required: bool = False
    numbered: bool = False
    origin: str = ""
    # Added because the template had no place for it (P14).
    appended: bool = False
    # The number of its first rule.
    number: int = 1
    # The variables that it uses.
    used: frozenset[str] = frozenset()

    def text(self) -> str:
        lines = [text_of(line) for line in self.lines]
        if not self.numbered:
            return "\n".join(lines)
        return "\n".join(f"{place}. {line}" for place, line in enumerate(lines, start=self.number))


class Uses:
    """The variables a text uses, directly or through the template's own variables."""

    def __init__(self, known: Mapping[str, Variable], own: Mapping[str, str]) -> None:
        self._known = known
        self._own = own

    def of(self, lines: Iterable[str]) -> frozenset[str]:
        found: set[str] = set()
        waiting = [name for line in lines for name in names_in(line)]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += names_in(self._own[name]) if name in self._own else ()
        return frozenset(found)

    def pace(self, names: Collection[str]) -> Pace:
        return max((self._known[name].pace for name in self._built_in(names)), default=Pace.STEADY)

    def part(self, names: Collection[str]) -> str:
        """A section's part of the budget: that of memories or of the summary of old messages, if it has either."""
        parts = {self._known[name].part for name in self._built_in(names)} - {"system"}
        return next((part for part in FRAMED_PARTS if part in parts), min(parts, default="system"))

    def _built_in(self, names: Collection[str]) -> list[str]:
        return [name for name in names if name not in self._own and name in self._known]


def in_use(
    template: ResolvedTemplate, circumstances: Collection[str], *, with_assistant: bool
) -> dict[RoleName, TemplateRole]:
    """The roles with the sections that are in use now."""
    return {
        name: TemplateRole(
            tuple(each for each in role.sections if holds(each.condition, circumstances)), role.content, role.consent
        )
        for name, role in template.roles.items()
        if with_assistant or name is not RoleName.ASSISTANT
    }


def lines_in_use(roles: Mapping[RoleName, TemplateRole]) -> Iterator[str]:
    for role in roles.values():
        for section in role.sections:
            yield from section.content
        yield from role.content


def draw(roles: Mapping[RoleName, TemplateRole], resolver: Resolver, uses: Uses, *, consented: bool) -> list[Drawn]:
    """The non-empty sections. `consented`: the story's rating requires consent."""
    drawn: list[Drawn] = []
    for name, role in roles.items():
        drawn += [_section(section, name, resolver, uses) for section in role.sections]
        content = (*role.content, _CONSENT) if role.consent and consented else role.content
        if content:
            drawn.append(_introduction(content, name, resolver, uses))
    return [each for each in drawn if each.lines]


def _section(section: Section, role: RoleName, resolver: Resolver, uses: Uses) -> Drawn:
    names = uses.of(section.content)
    return Drawn(
        name=section.name,
        role=role,
        lines=_lines(section.content, role, resolver, numbered=section.numbered),
        part=uses.part(names),
        pace=uses.pace(names),
        required=section.required,
        numbered=section.numbered,
        origin=section.origin,
        used=names,
    )


def _introduction(content: tuple[str, ...], role: RoleName, resolver: Resolver, uses: Uses) -> Drawn:
    names = uses.of(content)
    lines = _lines(content, role, resolver, numbered=False)
    return Drawn(name=INTRODUCTION, role=role, lines=lines, part=uses.part(names), pace=uses.pace(names), used=names)


def _lines(content: Iterable[str], role: RoleName, resolver: Resolver, *, numbered: bool) -> tuple[Segments, ...]:
    filled = [line for line in (_line(each, role, resolver) for each in content) if line is not None]
    if numbered:
        # One line each, so that nothing in a rule can imitate the next one.
        filled = [_on_one_line(line) for line in filled]
        return tuple(line for line in filled if line)
    return tuple(_without_gaps(filled))


def _on_one_line(line: Segments) -> Segments:
    text = [
        TextSegment(each.text.replace("\n", " ") if each.framed else _spaced(each.text), each.framed) for each in line
    ]
    return tuple(each for each in text if each.text) if text_of(text).strip() else ()


def _spaced(text: str) -> str:
    """Collapses each run of white space to one space, also at the ends: the text may be between others."""
    words = " ".join(text.split())
    return f"{' ' * text[:1].isspace()}{words}{' ' * (bool(words) and text[-1:].isspace())}"


def _without_gaps(lines: Iterable[Segments]) -> Iterator[Segments]:
    """A removed line leaves at most one blank line, and none at the ends."""
    waiting: Segments | None = None
    begun = False
    for line in lines:
        if not text_of(line).strip():
            waiting = line
            continue
        if begun and waiting is not None:
            yield ()
        yield line
        begun, waiting = True, None


def _line(line: str, role: RoleName, resolver: Resolver) -> Segments | None:
    """None if all variables of the line are empty: a heading without anything under it."""
    pieces = pieces_of(line)
    said = [resolver.said(each, role) for each in pieces]
    used = [
        text_of(segments).strip()
        for segments, piece in zip(said, pieces, strict=True)
        if isinstance(piece, VariableUse)
    ]
    if used and not any(used):
        return None
    if not all(used):
        said = _without_holes(pieces, said)
    return inert_line(segment for segments in said for segment in segments)


def inert_line(segments: Iterable[TextSegment]) -> Segments:
    """A line in which only the marks of frames have a meaning, including marks that two adjacent values would form."""
    merged: list[TextSegment] = []
    for segment in segments:
        if merged and not merged[-1].framed and not segment.framed:
            merged[-1] = TextSegment(merged[-1].text + segment.text)
        elif segment.text:
            merged.append(segment)
    return tuple(segment if segment.framed else TextSegment(inert(segment.text)) for segment in merged)


def _without_holes(pieces: Sequence[Literal | VariableUse], said: list[Segments]) -> list[Segments]:
    """Removes brackets around empty values, and the spaces on both sides. Only text of the template is changed, never a
    value."""
    mended: list[Segments] = []
    for place, (piece, segments) in enumerate(zip(pieces, said, strict=True)):
        text = text_of(segments)
        if isinstance(piece, Literal) and text and _is_hole(pieces, said, place - 1):
            before = text_of(mended[-2]) if len(mended) > 1 and isinstance(pieces[place - 2], Literal) else None
            if before is not None and before.endswith("(") and text.startswith(")"):
                mended[-2], text = (TextSegment(before[:-1].rstrip()),), text[1:]
            elif before is None or not before or before.endswith(" "):
                text = text.lstrip(" ")
            segments = (TextSegment(text),)
        mended.append(segments)
    return _stripped(pieces, mended)


def _is_hole(pieces: Sequence[Literal | VariableUse], said: list[Segments], place: int) -> bool:
    return place >= 0 and isinstance(pieces[place], VariableUse) and not text_of(said[place])


def _stripped(pieces: Sequence[Literal | VariableUse], said: list[Segments]) -> list[Segments]:
    """Removes the template's spaces at the ends of the line."""
    for places, strip in ((range(len(said)), str.lstrip), (reversed(range(len(said))), str.rstrip)):
        for place in places:
            if not isinstance(pieces[place], Literal):
                if text_of(said[place]):
                    break
                continue
            said[place] = (TextSegment(strip(text_of(said[place]), " ")),)
            if text_of(said[place]):
                break
    return said
