"""Where a memory is found when somebody is to know something."""

from enum import StrEnum


class Layer(StrEnum):
    """Where it was found: what the two share, what is the character's own, whatever bears on the words, and what the
    character has with others (R1)."""

    PAIR = "pair"
    CHARACTER = "character"
    SEMANTIC = "semantic"
    CROSS = "cross"
