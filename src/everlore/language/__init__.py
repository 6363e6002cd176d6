"""English as it is typed, for every room that reads it: its words, each list once, and the forms of its verbs.

Knows nothing of memories. `clauses/` takes a message apart; the lists are data, each in one place.
"""
