"""One turn: a message comes in, is saved and answered, and jobs are queued to learn from it.

Start at `turns.py`. What is decided on the way is pure and stands beside it: who speaks next (`speakers.py`), what the
model is reminded of (`reminders.py`, `welcome.py`), and what a conversation is called (`titles.py`).
"""
