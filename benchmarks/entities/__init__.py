"""How well names and ties are found without a model (G4, G6): labelled talks, pairs of names, and sentences.

`sets.py` reads them, `scoring.py` counts. Two sets come along: `dev` is what the rules were made with, `held` was
looked at when they were done. Start at `scoring.measure`.
"""
