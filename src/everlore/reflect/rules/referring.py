"""Who "she" is in the first words of a message: somebody of whom the turns before spoke.

In: the turns before. Out: the one of the user's people who was brought up last, by a question of the assistant ("And
your wife?") or by the user in the turn before it. The assistant's words only say of whom the talk is.

Start at `brought_up`.
"""

from collections.abc import Sequence

from everlore.language.clauses import Token, tokens_of
from everlore.reflect.candidate import Turn
from everlore.reflect.rules.people import Kin, kin_at, kins_in

_MOST_CHARS = 600


def brought_up(before: Sequence[Turn]) -> Kin | None:
    if not before:
        return None
    if before[-1].is_user:
        return _of_theirs(before[-1].content)
    asked = _asked_of(before[-1].content)
    is_theirs = asked is None and len(before) > 1 and before[-2].is_user
    return _of_theirs(before[-2].content) if is_theirs else asked


def _of_theirs(content: str) -> Kin | None:
    return next(iter(reversed(list(kins_in(_tokens(content))))), None)


def _asked_of(content: str) -> Kin | None:
    """Whom the last question names: "What does your wife do?"."""
    tokens = _tokens(content)
    if not content.rstrip().endswith("?"):
        return None
    # "your dog's name" is about the dog.
    tokens = [token for token in tokens if token.low != "'s"]
    found = [kin_at(tokens, place) for place, token in enumerate(tokens) if token.low == "your"]
    return next((kin for kin in reversed(found) if kin is not None), None)


def _tokens(content: str) -> list[Token]:
    return tokens_of(content[-_MOST_CHARS:].replace("’", "'"))
