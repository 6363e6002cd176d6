"""Files that commands read and write, with errors that say what to do."""

from pathlib import Path

from everlore.errors import BadAsk, Misconfigured


def read_whole(path: Path, *, most: int) -> bytes:
    """The content of a file; at most one byte more than `most`, which is enough to detect that it is too long."""
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise BadAsk(f"{str(path)!r} cannot be read ({error.strerror}). Correct the path.") from None
    if len(data) > most:
        raise BadAsk(f"{str(path)!r} has more than {most:,} bytes. Split it, or choose another file.")
    return data


def write_new(path: Path, data: bytes, *, force: bool = False, hint: str = "Choose another name.") -> int:
    """Write a file that does not exist yet, or any file with `force`; returns its size."""
    try:
        with path.expanduser().open("wb" if force else "xb") as file:
            return file.write(data)
    except FileExistsError:
        raise BadAsk(f"There is a file {str(path)!r} already. {hint}") from None
    except OSError as error:
        raise Misconfigured(f"{str(path)!r} cannot be written ({error.strerror}). Choose another place.") from None
