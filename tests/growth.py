"""How the work on a text grows with its length, in one run: no figure of a machine stands in a test (S-8)."""

from collections.abc import Callable
from time import process_time

_TIMES = 8
# Of work that grows with the square of the length it would be 64.
_MOST = 3 * _TIMES
# What takes less is not measured well enough to be compared.
_NOTHING_S = 0.1


def outgrows_its_text(work: Callable[[str], object], piece: str, length: int) -> bool:
    """Whether eight times the text takes far more than eight times the time of the processor: the best of three."""

    def seconds(size: int) -> float:
        text = (piece * (size // len(piece) + 1))[:size]
        began = process_time()
        work(text)
        return process_time() - began

    for _ in range(3):
        short, long = seconds(length // _TIMES), seconds(length)
        if long < _NOTHING_S or long < _MOST * short:
            return False
    return True
