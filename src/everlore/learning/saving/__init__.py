"""From what was extracted to what is kept: duplicates, contradictions, time, importance, and what persons decide.

Start at `flow.saved`; `verdict.decide` is the heart of it, and `frames.frame_of` what it sees with.
"""
