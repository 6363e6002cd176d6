"""The English language layer that several packages share: word lists, each kept once, and verb forms.

Knows nothing about memories; `clauses/` splits messages into clauses. The lists are data, one file in `english/` per
subject; `lists.py` reads them.
"""
