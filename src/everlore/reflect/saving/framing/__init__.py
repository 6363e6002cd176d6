"""How a statement is taken apart, for `frames.py`: its mood, its phrase, what stands in the phrase."""
