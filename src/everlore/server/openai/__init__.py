"""The OpenAI-compatible API (`/v1`): for any client with a configurable endpoint.

Start at `chat`; `history` and `meaning` find the conversation that a request belongs to.
"""
