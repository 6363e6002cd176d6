"""What of memory a request of a program uses."""

from enum import StrEnum


class Use(StrEnum):
    """`off`: not the character either, but the model alone."""

    BOTH = "both"
    READ = "read"
    WRITE = "write"
    NONE = "none"
    OFF = "off"
