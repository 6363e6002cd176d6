"""Finds invented words in lower case: creatures and things of a world that no dictionary has.

In: all messages. Out: the places of words that are in no English word list and follow an article or a number at least
twice. A single such place may be a typo. Start at `coined_in`.
"""

from collections import defaultdict
from collections.abc import Sequence

from everlore.campaign.entities.runs import Run
from everlore.campaign.entities.text import TextToken, tokens_of
from everlore.campaign.entities.words import is_english, is_no_name

_BEFORE = frozenset(
    "a an the this that these those some any no more many few several one two three four five six seven eight nine ten "
    "of his her their its our your my each every another".split()
)
_LEAST = 2
_LEAST_CHARS = 5


def coined_in(texts: Sequence[str]) -> list[tuple[int, Run]]:
    """The index of the text, and the run; the run's name is the word in the singular."""
    places: dict[str, list[tuple[int, Run]]] = defaultdict(list)
    counted: dict[str, int] = defaultdict(int)
    for at, text in enumerate(texts):
        before: TextToken | None = None
        for token in tokens_of(text):
            if _is_coined(token):
                one = token.lower.removesuffix("s") if len(token.lower) > _LEAST_CHARS else token.lower
                places[one].append((at, _run(one, token, before)))
                counted[one] += before is not None and token.joined and before.lower in _BEFORE
            before = token
    return [place for word, found in places.items() if counted[word] >= _LEAST for place in found]


def _is_coined(token: TextToken) -> bool:
    word = token.lower
    if not (token.text.islower() and word.isalpha() and word.isascii() and len(word) >= _LEAST_CHARS):
        return False
    return not is_english(word) and not is_no_name(word)


def _run(name: str, token: TextToken, before: TextToken | None) -> Run:
    before_words = (before.lower,) if before is not None else ()
    return Run(name, token.start, token.end, is_sure=True, is_coined=True, owns=token.owns, before=before_words)
