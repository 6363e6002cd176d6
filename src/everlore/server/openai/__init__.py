"""The OpenAI-compatible door (`/v1`): any client, any program that takes an endpoint of its own.

Start at `chat`; `history` and `meaning` say which conversation a request belongs to.
"""
