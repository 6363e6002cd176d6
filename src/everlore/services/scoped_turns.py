"""The turns of one caller: what `Turns` offers for any scope, with the scope bound."""

from functools import partial

from everlore.domain.scope import Scope
from everlore.turn.turns import Turns


class ScopedTurns:
    """Each method calls the one of `Turns` of the same name, which documents it."""

    def __init__(self, scope: Scope, turns: Turns) -> None:
        self.say = partial(turns.say, scope)
        self.note = partial(turns.note, scope)
        self.open = partial(turns.open, scope)
        self.regenerate = partial(turns.regenerate, scope)
        self.go_on = partial(turns.go_on, scope)
        self.stop = partial(turns.stop, scope)
        self.follow = partial(turns.follow, scope)
        self.writing = partial(turns.writing, scope)
        self.mend = partial(turns.mend, scope)
        self.is_being_written = turns.is_being_written
