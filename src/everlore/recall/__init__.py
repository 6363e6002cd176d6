"""Recall: finds the memories, lines, summaries and events that are relevant to a question and that a viewer may know.

Start at `pipeline.recall`; `recipes` lists its purposes.
"""
