"""Layers of recall: where a memory was found."""

from enum import StrEnum


class Layer(StrEnum):
    """Where it was found: shared by the two persons, the character's own, by relevance to the words, or shared by the
    character with others (R1)."""

    PAIR = "pair"
    CHARACTER = "character"
    SEMANTIC = "semantic"
    CROSS = "cross"
