"""What is LEARNT afterwards, in the background, from what was captured.

For now that is meaning: `embedding.py` gives passages their vectors.
"""
