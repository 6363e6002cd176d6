"""Imports and exports characters, chats and other files of other programs (V9).

Bytes in, values out, and the other way round: nothing here reads a file, a clock or the network, and addresses in the
data are never fetched (S-5). Start at `cards.py` and `chats.py`.
"""
