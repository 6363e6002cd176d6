"""Ids: opaque strings that sort by creation time."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def make_id(at: datetime, entropy: bytes) -> str:
    """26 characters: 48 bits of milliseconds, then the first 80 bits of `entropy`."""
    # Integers: a float of seconds is too coarse for milliseconds in two hundred years.
    milliseconds = (at - _EPOCH) // timedelta(milliseconds=1)
    number = (milliseconds << 80) | int.from_bytes(entropy[:10], "big")
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -5, -5))
