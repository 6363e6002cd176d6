"""What a session came to: scenes, decisions, discoveries, moments, open threads, canon, and how it is told later
(G3)."""
