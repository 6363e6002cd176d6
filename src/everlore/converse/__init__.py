"""The TURN: a message comes in, is kept, answered, and thought about afterwards.

`turns.py` ties it together. What is decided on the way is pure and stands beside it: who speaks next
(`speakers.py`), what the model is reminded of (`reminders.py`, `welcome.py`, `echo.py`), and what a
conversation is called (`titles.py`).
"""
