"""Patterns of LIKE, whose special characters are escaped with `!`."""

_SPECIAL = str.maketrans({"!": "!!", "%": "!%", "_": "!_"})


def like_pattern(part: str) -> str:
    """A pattern for texts that contain this part as it stands."""
    return f"%{part.translate(_SPECIAL)}%"
