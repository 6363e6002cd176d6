"""Turns tool calls, files and decisions into events, without their secrets (C1, C2).

Start at `events.captured`; `redaction` removes secrets, `plain` converts any value to JSON.
"""
