"""One turn: a message comes in, is saved and answered, and jobs are queued to learn from it.

Start at `turns.py`. The decisions on the way are pure and have modules of their own: who speaks next (`speakers.py`),
what the model is reminded of (`reminders.py`, `welcome.py`), and the title of a conversation (`titles.py`).
"""
