"""Where things are KEPT: one port, three stores that pass one contract suite.

`port.py` is the door: what every store can do. `sqlite/`, `postgres/` and `double/` are behind it.
`all_pages.py` reads all that is found, where a page of it is not enough.
`tables.py`, `checks.py` and `scoring.py` hold what the three share, so that they cannot differ in it.
All SQL of Everlore is in this room.
"""
