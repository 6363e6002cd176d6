"""What comes back: the memories, lines, summaries and events that bear on a question, for whoever may know them.

Start at `pipeline.recall`; `recipes` has what it is done for.
"""
