"""The store: one interface and three implementations that pass the same contract tests.

`port.py` is the interface. `sqlite/`, `postgres/` and `double/` implement it. `all_pages.py` reads every page of a
result. `tables.py`, `checks.py` and `scoring.py` hold what the three share, so that they cannot differ in it. All SQL
of Everlore is in this package.
"""
