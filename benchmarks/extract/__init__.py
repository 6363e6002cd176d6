"""How well facts are extracted (Q1): labelled messages, what an extractor makes of them, and what that is worth.

`cases.py` reads the labelled set, `matching.py` says when a prediction states a labelled fact, `scoring.py` counts,
`personas.py` reads a public set in another shape, `extractors.py` and `bad_model.py` are who is measured.
Start at `scoring.score`.
"""
