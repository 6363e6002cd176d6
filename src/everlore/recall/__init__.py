"""What comes back: the memories, lines, summaries and events that bear on a question, for whoever may know them.

Start at `flow.recall`; `turn.known_for` is what a reply is given.
"""
