"""English as it is typed, for every room that reads it: its words, each list once, and the forms of its verbs.

Knows nothing of memories. `clauses/` takes a message apart. The lists are data, a file of `english/` for each subject;
`lists.py` reads them.
"""
