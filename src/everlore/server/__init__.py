"""The server: HTTP in, Everlore, HTTP out. It translates and delegates.

Start at `app.build_app`; `run.serve` runs it.
"""
