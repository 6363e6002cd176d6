"""Turns sections and the conversation into the messages for a model, in reading order (P4, P13).

Start at `assemble`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from everlore.compose.account import SectionState
from everlore.compose.drawing import SUMMARY
from everlore.compose.fitting import FittedSection
from everlore.compose.sections import Drawn
from everlore.compose.talk import PromptHistory
from everlore.compose.variables import Pace
from everlore.domain.blocks import BLOCK_END
from everlore.domain.template import RoleName
from everlore.models.chat import Said

# Many servers refuse a conversation without a user message.
_BEGIN = "[The conversation begins. Speak first.]"


def assemble(
    fitted: Sequence[FittedSection],
    talk: PromptHistory,
    *,
    notes: Sequence[Drawn],
    last: Sequence[Drawn],
    deep: Mapping[Drawn, int] | None = None,
) -> tuple[Said, ...]:
    """`notes` go before the latest message, `last` words after everything, and `deep` texts that many messages before
    the end."""
    there = [each.drawn for each in fitted if each.state is not SectionState.LEFT_OUT]
    system, user, assistant, late = (_joined(each.text() for each in group) for group in _in_reading_order(there))
    heads = [Said("system", system), Said("user", user), Said("assistant", assistant)]
    late = _joined([late, *(note.text() for note in notes)])
    said = [line.said for line in talk.lines]
    for depth in sorted(set((deep or {}).values())):
        text = _joined(each.text() for each, at in (deep or {}).items() if at == depth)
        said, late = _at_depth(said, text, depth, late)
    said = _with_late(said, late)
    return (
        *_introduced([head for head in heads if head.content], said),
        *(Said("system", each.text()) for each in last),
    )


def _introduced(heads: list[Said], talk: list[Said]) -> list[Said]:
    """An introduction and the first message become one if they have the same role."""
    if heads and heads[-1].role == talk[0].role != "system":
        first = Said(talk[0].role, _joined([heads[-1].content, talk[0].content]))
        return [*heads[:-1], first, *talk[1:]]
    return [*heads, *talk]


def _in_reading_order(drawn: Sequence[Drawn]) -> list[list[Drawn]]:
    """The summary of the old messages comes last among the steady sections, because it changes most often."""
    steady = [each for each in drawn if each.pace is not Pace.EACH_TURN]
    by_role = [[each for each in steady if each.role is role] for role in RoleName]
    by_role[0].sort(key=lambda each: each.part == SUMMARY)
    return [*by_role, [each for each in drawn if each.pace is Pace.EACH_TURN]]


def numbered_through(fitted: Sequence[FittedSection]) -> list[FittedSection]:
    """Numbers rules consecutively through all sections (P4)."""
    there = [each.drawn for each in fitted if each.state is not SectionState.LEFT_OUT]
    numbers: dict[int, int] = {}
    number = 1
    for group in _in_reading_order(there):
        for each in group:
            numbers[id(each)] = number
            number += len(each.lines) if each.numbered else 0
    return [
        replace(each, drawn=replace(each.drawn, number=numbers[id(each.drawn)])) if id(each.drawn) in numbers else each
        for each in fitted
    ]


def _at_depth(talk: list[Said], text: str, depth: int, late: str) -> tuple[list[Said], str]:
    """Inserts before the message at this distance from the end, or the next user message after it: some servers accept
    system text only at the start. Without such a message, the text goes to `late`."""
    for at in range(max(len(talk) - max(depth, 1), 0), len(talk)):
        if talk[at].role == "user":
            if not any(said.role == "user" for said in talk[at + 1 :]):
                break
            return [*talk[:at], Said("user", _before(text, talk[at].content)), *talk[at + 1 :]], late
    return talk, _joined([late, text])


def _with_late(talk: list[Said], late: str) -> list[Said]:
    """Text for this turn only goes before the user's latest words, in the same message: some servers accept system text
    only at the start."""
    if not talk:
        return [Said("user", _before(late, _BEGIN))]
    if not late:
        return talk
    for at in reversed(range(len(talk))):
        if talk[at].role == "user":
            return [*talk[:at], Said("user", _before(late, talk[at].content)), *talk[at + 1 :]]
    return [Said("user", late), *talk]


def _before(late: str, words: str) -> str:
    """A block marks its own end; after other text a rule follows, so that it is not mistaken for the user's."""
    return _joined([late, words] if late.endswith(BLOCK_END) else [late, "---" if late else "", words])


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)
