"""Saves extracted statements: duplicates, contradictions, dates, importance, and reviews by people.

Start at `flow.saved`; `verdict.decide` makes the central decision, by the frames of `claims.framed`.
"""
