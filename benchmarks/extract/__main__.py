"""Measures what is learned from labeled messages: `python -m benchmarks.extract --help`."""

from benchmarks.command import run
from benchmarks.extract.command import extract

if __name__ == "__main__":
    run(extract)
