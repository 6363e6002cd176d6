"""Turns lorebook entries that fired into sections of a prompt, within their part of the budget (V18, P9).

Entries before or after the character's description are system text; those at a depth are context blocks among the
messages. In both places they are data, and cannot imitate another speaker. Start at `Lore.of`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from everlore.compose.account import LoreAccount
from everlore.compose.context import Context
from everlore.compose.drawing import said_by_system
from everlore.compose.fitting import JOINT
from everlore.compose.lore import Fired, Position, Unfit, within_budget
from everlore.compose.sections import Drawn
from everlore.compose.talk import FRAME_TOKENS
from everlore.compose.values.people import filler
from everlore.compose.variables import Pace, TextSegment
from everlore.domain.blocks import block
from everlore.domain.template import RoleName
from everlore.models.tokenizer import Tokenizer

PART = "lore"
# At most a quarter of a prompt is lore, as in SillyTavern.
_MOST = 4
_OF_CHARACTER = "system."


@dataclass(frozen=True, slots=True)
class ToldLore:
    """The lore in a prompt. `deep`: the blocks among the messages, with their depth."""

    kept: tuple[Fired, ...]
    drawn: Mapping[tuple[str, str], Drawn]
    account: tuple[LoreAccount, ...]

    @property
    def deep(self) -> dict[Drawn, int]:
        return {self.drawn[each.key]: each.entry.depth for each in self._at(Position.AT_DEPTH)}

    def among(self, sections: Sequence[Drawn]) -> list[Drawn]:
        """The sections with the entries around those that describe the character."""
        before, after = (
            [self.drawn[each.key] for each in self._at(where)] for where in (Position.BEFORE, Position.AFTER)
        )
        at = [place for place, each in enumerate(sections) if _is_of_character(each)]
        end = at[-1] + 1 if at else len(sections)
        return [*before, *sections[:end], *after, *sections[end:]]

    def _at(self, position: Position) -> list[Fired]:
        return [each for each in self.kept if each.entry.position is position]


@dataclass(frozen=True, slots=True)
class Lore:
    fired: tuple[Fired, ...]
    drawn: Mapping[tuple[str, str], Drawn]
    costs: Mapping[tuple[str, str], int]

    @classmethod
    def of(cls, context: Context, tokenizer: Tokenizer) -> "Lore":
        fill = filler(context.character, context.user)
        drawn = {each.key: _drawn(each, fill(each.entry.content)) for each in context.lore}
        costs = {
            key: tokenizer.count(each.text()) + JOINT + (FRAME_TOKENS if each.pace is Pace.EACH_TURN else 0)
            for key, each in drawn.items()
        }
        return cls(tuple(context.lore), drawn, costs)

    def need(self, limit: int) -> int:
        return min(sum(self.costs.values()), limit // _MOST)

    def within(self, room: int) -> ToldLore:
        kept, unfit = within_budget(self.fired, room, lambda each: self.costs[each.key])
        account = (*(self._account(each) for each in kept), *(self._left_out(each) for each in unfit))
        return ToldLore(kept, self.drawn, account)

    def _left_out(self, unfit: Unfit) -> LoreAccount:
        return replace(self._account(unfit.fired), left_out=unfit.why)

    def _account(self, fired: Fired) -> LoreAccount:
        entry = fired.entry
        where = f"{entry.position} {entry.depth}" if entry.position is Position.AT_DEPTH else entry.position.value
        return LoreAccount(
            book=fired.book.name,
            uid=entry.uid,
            name=entry.name or next(iter(entry.keys), ""),
            position=where,
            tokens=self.costs[fired.key],
            why=fired.why,
        )


def _drawn(fired: Fired, text: str) -> Drawn:
    if fired.entry.position is not Position.AT_DEPTH:
        return replace(said_by_system(PART, text), part=PART, origin=fired.book.name, required=False)
    line = (TextSegment(block(PART, text), framed=True),)
    return Drawn(name=PART, role=RoleName.SYSTEM, lines=(line,), part=PART, pace=Pace.EACH_TURN, origin=fired.book.name)


def _is_of_character(section: Drawn) -> bool:
    return section.role is RoleName.SYSTEM and any(name.startswith(_OF_CHARACTER) for name in section.used)
