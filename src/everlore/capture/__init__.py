"""How things COME IN: what a tool, a file or a decision leaves behind becomes an event, without its secrets (C1, C2).

Start at `events.captured`; `redaction` says what is kept out, `plain` what any value is as JSON.
"""
