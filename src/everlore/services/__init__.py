"""The services of an Everlore: `lore.memories`, `lore.conversations` and the other attributes.

Each service has its scope. What they share with a turn is in `turn/`. Start at `facade.py`, which lists them.
"""
