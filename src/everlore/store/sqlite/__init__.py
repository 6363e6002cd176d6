"""The embedded store: one SQLite file, one writer thread, exact search in memory.

`store.py` is the door, `connection.py` opens and guards the file, `writer.py` writes, `index.py` and
`search.py` find.
"""
