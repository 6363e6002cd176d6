"""Reads and writes a vault as files: a folder, or a zip of one (G12, S-5).

Links in a folder can lead anywhere, so none is followed. Only plain Markdown files are read, and nothing is written
outside of the given folder. Start at `read_zip`, `read_folder`, `write_zip` and `write_folder`.
"""

import io
import os
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from everlore.errors import BadAsk, Misconfigured
from everlore.interchange.zips import Bounds, is_plain_path, unpacked

MOST_ZIP_BYTES = 100_000_000
MOST_FILES = 20_000
MOST_FILE_BYTES = 2_000_000
MOST_BYTES = 200_000_000
# A fixed time, so that the same vault gives the same zip.
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_BOUNDS = Bounds(
    what="vault",
    packed=MOST_ZIP_BYTES,
    entries=MOST_FILES,
    each=MOST_FILE_BYTES,
    total=MOST_BYTES,
    excess="what does not belong to the campaign",
)


def read_zip(data: bytes) -> dict[str, bytes]:
    """All Markdown files by path."""
    return unpacked(data, _BOUNDS, _is_page)


def write_zip(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            opened.writestr(entry, content)
    return made.getvalue()


def read_folder(root: Path) -> dict[str, bytes]:
    """All Markdown files in a folder by relative path; hidden folders are skipped."""
    files: dict[str, bytes] = {}
    left = MOST_BYTES
    try:
        for path in _walk(root):
            name = path.relative_to(root).as_posix()
            files[name] = content = _read(path, name)
            left -= len(content)
            if left < 0:
                raise BadAsk(f"The vault holds more than {MOST_BYTES:,} bytes of text. Leave some of it out.")
            if len(files) > MOST_FILES:
                raise _BOUNDS.too_many
    except OSError as error:
        raise BadAsk(f"{str(root)!r} cannot be read ({error.strerror}). Correct the path.") from None
    return files


def write_folder(root: Path, files: Mapping[str, bytes], *, force: bool = False) -> int:
    """Write the files into a folder; returns their number. Existing files are replaced with `force` only."""
    for name in files:
        if not is_plain_path(name):
            raise BadAsk(f"{name[:100]!r} is not a plain path inside of a vault.")
    try:
        if root.exists() and not force and any(root.iterdir()):
            raise BadAsk(f"The folder {str(root)!r} is not empty. Choose another one, or --force.")
        for name, content in files.items():
            path = root / name
            _refuse_links(root, path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise Misconfigured(f"{str(root)!r} cannot be written ({error.strerror}). Choose another place.") from None
    return len(files)


def _is_page(name: str) -> bool:
    parts = name.split("/")
    return name.endswith(".md") and not any(part.startswith(".") or part == "__MACOSX" for part in parts)


def _walk(root: Path) -> Iterator[Path]:
    with os.scandir(root) as found:
        entries = sorted(found, key=lambda each: each.name)
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_symlink():
            raise BadAsk(
                f"{entry.path!r} is a link, and a vault is read without following any. Put the file itself there."
            )
        if entry.is_dir():
            yield from _walk(Path(entry.path))
        elif entry.name.endswith(".md"):
            yield Path(entry.path)


def _read(path: Path, name: str) -> bytes:
    with path.open("rb") as file:
        content = file.read(MOST_FILE_BYTES + 1)
    if len(content) > MOST_FILE_BYTES:
        raise BadAsk(f"{name!r} has more than {MOST_FILE_BYTES:,} bytes. Split it.")
    return content


def _refuse_links(root: Path, path: Path) -> None:
    for each in (path, *path.parents):
        if each == root:
            return
        if each.is_symlink():
            raise BadAsk(f"{str(each)!r} is a link, and nothing is written through one. Remove it.")
