"""What both databases do alike, written once.

A *flow* is a generator that yields statements and is sent their rows: it decides, and never waits. The
SQLite store runs a flow on its writer thread, the PostgreSQL store awaits each statement. What differs
between the two stands in their `Dialect`.

Start at `apply.py` for writing and `reads.py` for reading.
"""
