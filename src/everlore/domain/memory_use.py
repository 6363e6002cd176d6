"""How much of memory a request of a program uses."""

from enum import StrEnum


class Use(StrEnum):
    """`off`: no character either, only the model."""

    BOTH = "both"
    READ = "read"
    WRITE = "write"
    NONE = "none"
    OFF = "off"
