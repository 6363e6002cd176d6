"""Fits sections into their part of the budget (P9).

If not all of them fit, required ones stay and are cut, the longest first; others are kept whole or left out. Framed
lines are never cut: memories were already selected to fit.

Start at `fit_sections`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from everlore.compose.account import SectionState
from everlore.compose.budget import level
from everlore.compose.sections import FRAMED_PARTS, Drawn
from everlore.compose.variables import Segments, TextSegment, text_of
from everlore.models.tokenizer import Tokenizer

# The extra cost of joining a text to others.
JOINT = 3


@dataclass(frozen=True, slots=True)
class FittedSection:
    drawn: Drawn
    state: SectionState = SectionState.WHOLE
    why: str = ""


def section_cost(drawn: Drawn, tokenizer: Tokenizer) -> int:
    return tokenizer.count(drawn.text()) + JOINT


def fit_sections(drawn: Sequence[Drawn], granted: Mapping[str, int], tokenizer: Tokenizer) -> list[FittedSection]:
    """In the original order, including those that were left out, with the reason."""
    fitted: dict[int, FittedSection] = {}
    for parts in dict.fromkeys(_paid_from(each) for each in drawn):
        places = [place for place, each in enumerate(drawn) if each.part in parts]
        room = sum(granted.get(part, 0) for part in parts)
        fitted |= zip(places, _within([drawn[place] for place in places], room, tokenizer), strict=True)
    return [fitted[place] for place in sorted(fitted)]


def _paid_from(drawn: Drawn) -> tuple[str, ...]:
    """A section may have memories and the summary of old messages: both share one budget."""
    return FRAMED_PARTS if drawn.part in FRAMED_PARTS else (drawn.part,)


def _within(sections: Sequence[Drawn], room: int, tokenizer: Tokenizer) -> list[FittedSection]:
    costs = [section_cost(each, tokenizer) for each in sections]
    if sum(costs) <= room:
        return [FittedSection(each) for each in sections]
    stays = [each.required or each.part in FRAMED_PARTS for each in sections]
    needed = [cost for cost, must in zip(costs, stays, strict=True) if must]
    most = level(needed, room)
    left = room - sum(min(cost, most) for cost in needed)
    fitted: list[FittedSection] = []
    for each, cost, must in zip(sections, costs, stays, strict=True):
        if must:
            fitted.append(FittedSection(each) if cost <= most else _cut(each, cost, most, tokenizer))
        elif cost <= left:
            left -= cost
            fitted.append(FittedSection(each))
        else:
            why = f"no room: it costs {cost} tokens, and {max(left, 0)} of the {room} for {each.part} were left"
            fitted.append(FittedSection(each, SectionState.LEFT_OUT, why))
    return fitted


def _cut(drawn: Drawn, cost: int, most: int, tokenizer: Tokenizer) -> FittedSection:
    """Keeps framed text and cuts the rest, longest parts first."""
    framed = sum(tokenizer.count(each.text) for line in drawn.lines for each in line if each.framed)
    loose = [tokenizer.count(each.text) for line in drawn.lines for each in line if not each.framed]
    # A rule has a number before it, a line has a line break after it.
    beside = len(drawn.lines) * (JOINT + 1 if drawn.numbered else 1)
    fair = level(loose, max(most - JOINT - framed - beside, 0))
    lines = [
        tuple(each if each.framed else TextSegment(tokenizer.cut(each.text, max(fair, 1))) for each in line)
        for line in drawn.lines
    ]
    kept = tuple(
        _ended(line) for line, before in zip(lines, drawn.lines, strict=True) if text_of(line).strip() or not before
    )
    shortened = replace(drawn, lines=kept)
    if shortened.text() == drawn.text():
        return FittedSection(drawn)
    now = section_cost(shortened, tokenizer)
    return FittedSection(
        shortened, SectionState.CUT, f"cut from {cost} to {now} tokens: there was no more room for {drawn.part}"
    )


def _ended(line: Segments) -> Segments:
    """A line that was cut at a line break ends before it."""
    if not line or line[-1].framed:
        return line
    return (*line[:-1], TextSegment(line[-1].text.rstrip()))
