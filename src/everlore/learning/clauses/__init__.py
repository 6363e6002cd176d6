"""Splits a user's message into clauses: stated, asked, requested, supposed, played or quoted, and about whom.

In: a message as typed, in any spelling. Out: its clauses in order, each on one plain line. Code, quoted lines, links
and context blocks are left out; other people's words and a player's *actions* are marked, so that they do not count as
the user's own. Only the first `MOST_CHARS` characters are read, in linear time.

Start at `clauses_of`. `plain.py` removes text that is not the user's, `tokens.py` makes tokens, `splitting.py` finds
where clauses begin, `moods.py` what they do, `subjects.py` whom they are about.
"""

from everlore.learning.clauses.clause import Clause, Mood, Whose
from everlore.learning.clauses.reading import clauses_of
from everlore.learning.clauses.tokens import ClauseToken, lows, tokens_of

__all__ = ["Clause", "ClauseToken", "Mood", "Whose", "clauses_of", "lows", "tokens_of"]
