"""Checks templates for errors and likely mistakes (P1, P3, P5, P14).

`problems` make a template unusable, and it cannot be saved. `faults` are variables without a value: a preview refuses
them, a live turn leaves them out. `warnings` point to likely mistakes of the author.

Start at `check`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from everlore.compose.drawing import SUMMARY
from everlore.compose.inherit import BadTemplate, Find, ResolvedTemplate, resolve
from everlore.compose.memories import ABOUT, CONTEXT, PREFIX
from everlore.compose.sections import Uses
from everlore.compose.values import VARIABLES
from everlore.compose.variables import names_in, unknown
from everlore.domain.template import Problem, TemplateDocument

_SLOTS = frozenset(ABOUT) - {"memory.count"}


@dataclass(frozen=True, slots=True)
class Checked:
    resolved: ResolvedTemplate | None
    problems: tuple[Problem, ...] = ()
    faults: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()

    @property
    def errors(self) -> tuple[Problem, ...]:
        return (*self.problems, *self.faults)


def check(document: TemplateDocument, find: Find) -> Checked:
    try:
        resolved = resolve(document, find)
    except BadTemplate as error:
        return Checked(None, error.problems)
    return Checked(resolved, (), tuple(_faults(resolved)), tuple(_warnings(resolved)))


def _faults(resolved: ResolvedTemplate) -> Iterator[Problem]:
    for where, lines in _texts(resolved):
        for name in dict.fromkeys(name for line in lines for name in names_in(line)):
            if not _is_known(name, resolved.variables):
                yield Problem(where, "content", unknown(name))
    for name, text in resolved.variables.items():
        for used in names_in(text):
            if not _is_known(used, resolved.variables):
                yield Problem(f"variables.{name}", "", unknown(used))
        if circle := _circle(name, resolved.variables):
            told = f"The variables go in a circle: {' → '.join(circle)}. Break it at one of them."
            yield Problem(f"variables.{name}", "", told)


def _texts(resolved: ResolvedTemplate) -> Iterator[tuple[str, tuple[str, ...]]]:
    for section in resolved.sections:
        yield f"sections.{section.name}", section.content
    for name, role in resolved.roles.items():
        yield f"roles.{name.value}", role.content


def _is_known(name: str, own: Mapping[str, str]) -> bool:
    return name in own or name in VARIABLES or name == SUMMARY or (name.startswith(PREFIX) and name != PREFIX)


def _circle(name: str, own: Mapping[str, str]) -> list[str]:
    """The path from a variable back to itself, if there is one."""
    ways = [[name]]
    seen: set[str] = set()
    while ways:
        way = ways.pop()
        for used in names_in(own.get(way[-1], "")):
            if used == name:
                return [*way, name]
            if used in own and used not in seen:
                seen.add(used)
                ways.append([*way, used])
    return []


def _warnings(resolved: ResolvedTemplate) -> Iterator[Problem]:
    for name in resolved.missed:
        yield Problem(f"sections.{name}", "exclude", "A parent requires this section, and it is left out.")
    used = Uses({}, resolved.variables).of(line for _, lines in _texts(resolved) for line in lines)
    used -= resolved.variables.keys()
    if not used & _SLOTS:
        told = "There is no place for memory. Write ${memory.context} where it belongs; until then it is added last."
        yield Problem("sections", "", told)
    elif CONTEXT not in used:
        told = "What the slots for memory do not take is added last: there is no ${memory.context}."
        yield Problem("sections", "", told)
