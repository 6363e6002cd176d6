"""`python -m everlore` is the `everlore` command."""

from everlore.cli.main import run

if __name__ == "__main__":
    run()
