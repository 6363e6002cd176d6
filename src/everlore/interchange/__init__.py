"""Characters and chats from other programs, and back to them (V9).

Bytes in, values out, and the other way round: nothing here reads a file, a clock or the network, and no
address found in the data is ever fetched (S-5). Start at `cards.py` and `chats.py`.
"""
