"""Conflicts in canon: found when two statements cannot both be true, shown to the game master, and ruled on (G7)."""
