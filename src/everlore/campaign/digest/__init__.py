"""Digests of sessions: scenes, decisions, discoveries, moments, open threads, canon, and a summary (G3)."""
