"""What comes back: the memories, messages and events that bear on a question.

Start at `search.recall`; `turn.known_for` is what a reply is given.
"""
