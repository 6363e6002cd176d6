"""Decides without a model whether nothing happens in a segment: greetings, thanks, the weather, one-word lines (K2).

In: the messages. Out: yes or no; no if in doubt, so that the model decides. A segment is not trivial if it contains one
important statement or several lesser ones, or more words than small talk has, be it the events of a story or someone's
work. In languages with unknown small talk only segments without any content are trivial.

Start at `is_trivial`.
"""

from collections.abc import Sequence

from everlore.domain.conversation import Message, said_by
from everlore.domain.weight import IMPORTANT
from everlore.domain.words import query_terms, terms_of
from everlore.language.lists import listed
from everlore.learning.facts.translations import is_english
from everlore.learning.segments.transcript import TranscriptLine, lines_of

# Weights: passing remarks of users about themselves count 3; statements about their people or plans 4.
_IN_PASSING, _TELLS = 3, 4
_FEW_TOLD = 2
_TOLD_SHARE = 0.2
# Distinct words besides small talk: for the shortest segment, and per message for longer ones.
_FEW_WORDS = 1
_WORDS_EACH = 0.25
_MOST_READ = 20_000
_MOST_TERMS = 2_000
_SAYS_NOTHING = 0.7

_SMALL_STEMS = frozenset(terms_of(" ".join(listed("talk.small_talk"))))


def is_trivial(messages: Sequence[Message]) -> bool:
    lines = lines_of(messages, {})
    # Messages of agents or tools to the character say nothing about the user's life.
    if not any(line.is_user for line in lines) and (not lines or any(said_by(line.message) for line in lines)):
        return True
    weights = [line.weight for line in lines]
    if max(weights) >= IMPORTANT:
        return False
    if not is_english(" ".join(line.text for line in lines)):
        return weights.count(0) >= _SAYS_NOTHING * len(weights)
    told = weights.count(_IN_PASSING) + 2 * weights.count(_TELLS)
    is_small_talk = len(_words_beyond(lines)) <= max(_FEW_WORDS, _WORDS_EACH * len(lines))
    return is_small_talk and told <= max(_FEW_TOLD, _TOLD_SHARE * len(weights))


def _words_beyond(lines: Sequence[TranscriptLine]) -> set[str]:
    """Words besides small talk; laughter and groans have at most two different letters."""
    stems = {stem for line in lines for stem in query_terms(line.text[:_MOST_READ], _MOST_TERMS)}
    return {stem for stem in stems - _SMALL_STEMS if len(set(stem)) > 2}
