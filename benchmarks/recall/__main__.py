"""Measures recall on labeled questions: `python -m benchmarks.recall --help`."""

from benchmarks.command import run
from benchmarks.recall.command import recall

if __name__ == "__main__":
    run(recall)
