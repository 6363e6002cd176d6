"""The code that both databases share.

A *flow* is a generator that yields statements and receives their rows: it decides, and never waits. The SQLite store
runs a flow on its writer thread, the PostgreSQL store awaits each statement. Differences between the two are in their
`Dialect`.

Start at `apply.py` for writing and `reads.py` for reading.
"""
