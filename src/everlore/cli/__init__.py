"""The command line: reads what was asked, lets Everlore do it, and shows what came of it.

Nothing heavy is imported before a verb runs: `everlore --help` answers at once.

Start at `main.run`.
"""
