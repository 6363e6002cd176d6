"""From a path and the name of a format to cases. The only part of the reading that touches a disk."""

from importlib.resources import files
from pathlib import Path

from benchmarks.recall.beam import read_beam
from benchmarks.recall.cases import Reading
from benchmarks.recall.locomo import read_locomo, read_observations
from benchmarks.recall.longmemeval import read_longmemeval
from benchmarks.recall.turn_lines import read_turns
from everlore.errors import BadAsk

_READERS = {"locomo": read_locomo, "longmemeval": read_longmemeval, "turns": read_turns}
_MEMORIES = {"locomo": read_observations, "turns": read_turns}
BEAM = "beam"
FORMATS = (*_READERS, BEAM)


def read_cases(path: Path, format: str, *, memories: bool = False) -> Reading:
    """`memories`: not what was said, but what is to be remembered of it, for the formats that tell."""
    if memories:
        if format not in _MEMORIES:
            raise BadAsk(f"No memories are noted in the format {format}. --memories takes {' or '.join(_MEMORIES)}.")
        return _MEMORIES[format](_content(path), str(path))
    if format == BEAM:
        return read_beam(_chats(path), str(path))
    return _READERS[format](_content(path), str(path))


def built_in(*, memories: bool = False) -> Reading:
    """What comes along, in the format `turns`: three long talks (two friends, a companion, a campaign), or
    the memories that three characters have, and what is said to them."""
    name = "memories.jsonl" if memories else "talks.jsonl"
    return read_turns(files("benchmarks.recall").joinpath(name).read_bytes(), name)


def _chats(folder: Path) -> dict[str, tuple[bytes, bytes]]:
    try:
        found = [each for each in folder.iterdir() if each.name.isdigit()]
    except OSError as error:
        raise BadAsk(f"{str(folder)!r} is no folder that can be read ({error.strerror}). Correct the path.") from None
    if not found:
        raise BadAsk(f"{str(folder)!r} has no numbered folder in it. Name the folder that holds the chats 1, 2, ….")
    homes = sorted(found, key=lambda each: int(each.name))
    return {home.name: (_content(home / "chat.json"), _content(home / "probing_questions.json")) for home in homes}


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadAsk(f"{str(path)!r} cannot be read ({error.strerror}). Correct the path.") from None
