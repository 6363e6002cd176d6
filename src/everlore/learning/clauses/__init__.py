"""A user's message as clauses: what is stated, asked, requested, supposed, played or quoted, and about whom.

In: a message as it was typed, with whatever spelling. Out: its clauses in order, each in one plain line. Code,
quoted lines, links and context blocks are left out; another one's words and a player's *actions* come back marked
as such, so that nobody takes them for the user's own. Only the first `MOST_CHARS` characters are looked at, and
each of them a bounded number of times.

Start at `clauses_of`. `plain.py` takes out what nobody said, `tokens.py` knows the words, `splitting.py` finds where
clauses begin, `moods.py` what they do, `subjects.py` whom they are about.
"""

from everlore.learning.clauses.clause import Clause, Mood, Whose
from everlore.learning.clauses.reading import ParsedClause, clauses_of, read
from everlore.learning.clauses.tokens import ClauseToken, lows, tokens_of

__all__ = ["Clause", "ClauseToken", "Mood", "ParsedClause", "Whose", "clauses_of", "lows", "read", "tokens_of"]
