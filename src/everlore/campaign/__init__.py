"""A campaign as its game master keeps it: who and what is in its world, and what was played."""
