"""Measures how names and relationships are found in play: `python -m benchmarks.entities --help`."""

from benchmarks.command import run
from benchmarks.entities.command import entities

if __name__ == "__main__":
    run(entities)
