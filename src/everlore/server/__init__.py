"""The HTTP server: it translates requests and answers, and delegates the work to Everlore.

Start at `app.build_app`; `run.serve` runs it.
"""
