"""Campaigns: their world, canon, sessions and files, as the game master manages them."""
