"""LIKE patterns, with special characters escaped by `!`."""

_SPECIAL = str.maketrans({"!": "!!", "%": "!%", "_": "!_"})


def like_pattern(part: str) -> str:
    """A pattern for texts that contain exactly this part."""
    return f"%{part.translate(_SPECIAL)}%"
