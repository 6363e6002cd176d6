"""The store that tests hold: everything in dictionaries, gone when the process ends. Start at `store.py`."""
