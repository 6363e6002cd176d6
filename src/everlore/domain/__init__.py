"""The domain: frozen records and the pure rules about them.

Nothing here reads a clock, a file or a database, and nothing here imports the rest of Everlore. Start at `memory.py`;
`records.py` lists every kind that a store keeps.
"""
