"""The command line: parses a command, runs it with Everlore, and prints the result.

Nothing heavy is imported before a command runs: `everlore --help` answers at once.

Start at `main.run`.
"""
