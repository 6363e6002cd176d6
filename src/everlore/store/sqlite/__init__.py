"""The embedded store: one SQLite file, one writer thread, exact search in memory.

`store.py` is the entry, `connection.py` opens and guards the file, `writer.py` writes, `bulk.py` inserts many rows at
once, `index.py` and `search.py` find.
"""
