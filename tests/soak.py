"""What looks for the rare: a short look in `make test`, a long one in `make soak`.

The short look is the same each time, so that a failure can be seen again. The long one is another each time, and says
its seed: `make soak SEED=1234` takes the same once more. A test with a long look is marked with `soak`; those of
hypothesis need no mark.
"""

import os

_ASKED = os.environ.get("EVERLORE_SOAK")
IS_LONG = _ASKED is not None
SEED = int(_ASKED or 11)


def look(short: int, long: int) -> int:
    """How often, how many or how far."""
    return long if IS_LONG else short


def seeds(short: int, long: int) -> range:
    """So many stories, each of another seed."""
    return range(SEED, SEED + long) if IS_LONG else range(short)


def again(folder: str) -> str:
    """How to see once more what has just been seen."""
    return f"make soak SEED={SEED} ARGS={folder}" if IS_LONG else f"make test ARGS={folder}"
