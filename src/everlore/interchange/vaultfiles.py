"""A vault as files: a folder, or a zip of one (G12, S-5).

A zip can lie about everything, and a folder can hold links to anywhere. Only plain Markdown files are read; sizes are
counted while unpacking; nothing is written outside of the folder that was named. Start at `read_zip`, `read_folder`,
`write_zip` and `write_folder`.
"""

import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from everlore.errors import BadAsk, Misconfigured
from everlore.interchange.charx import is_plain_path

MOST_ZIP_BYTES = 100_000_000
MOST_FILES = 20_000
MOST_FILE_BYTES = 2_000_000
MOST_BYTES = 200_000_000
_ENTRY_MARK = b"PK\x01\x02"
_MOST_RATIO, _RATIO_FROM_BYTES = 200, 1_000_000
_STEP = 65_536
# The same vault gives the same zip.
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ValueError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
    EOFError,
    OSError,
    IndexError,
)


def read_zip(data: bytes) -> dict[str, bytes]:
    """Every Markdown file in it by its path."""
    if len(data) > MOST_ZIP_BYTES:
        raise BadAsk(f"The vault has {len(data):,} bytes; the most is {MOST_ZIP_BYTES:,}. Leave out what is no text.")
    # Counted before the list is built: a million entries fit into a file that is not large.
    if data.count(_ENTRY_MARK) > 2 * MOST_FILES:
        raise _too_many()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            return _unpacked(opened)
    except _BROKEN as error:
        raise BadAsk(f"The vault is a broken zip ({error}). Pack it again.") from None


def write_zip(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            opened.writestr(entry, content)
    return made.getvalue()


def read_folder(root: Path) -> dict[str, bytes]:
    """Every Markdown file below a folder by its path from there; hidden folders are passed over."""
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
                raise _too_many()
    except OSError as error:
        raise BadAsk(f"{str(root)!r} cannot be read ({error.strerror}). Correct the path.") from None
    return files


def write_folder(root: Path, files: Mapping[str, bytes], *, force: bool = False) -> int:
    """Write the files below a folder; how many. Files of a vault that are there are replaced with `force` only."""
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


def _too_many() -> BadAsk:
    return BadAsk(f"The vault has more than {MOST_FILES:,} files. Leave out what does not belong to the campaign.")


def _is_page(name: str) -> bool:
    parts = name.split("/")
    return name.endswith(".md") and not any(part.startswith(".") or part == "__MACOSX" for part in parts)


def _unpacked(opened: zipfile.ZipFile) -> dict[str, bytes]:
    entries = opened.infolist()
    if len(entries) > MOST_FILES:
        raise _too_many()
    seen: set[str] = set()
    for entry in entries:
        _check(entry, seen)
    files: dict[str, bytes] = {}
    left = MOST_BYTES
    for entry in entries:
        if not entry.is_dir() and _is_page(entry.filename):
            files[entry.filename] = content = _content(opened, entry, left)
            left -= len(content)
    return files


def _check(entry: zipfile.ZipInfo, seen: set[str]) -> None:
    # The name as it was written: zipfile cuts it off at a NUL.
    name = entry.orig_filename
    if not is_plain_path(name):
        raise BadAsk(f"The vault names a file {name[:100]!r}, which is not a plain path inside it. Rename it.")
    if name.casefold() in seen:
        raise BadAsk(f"The vault has {name[:100]!r} twice. Remove one.")
    seen.add(name.casefold())
    if entry.flag_bits & 0x1:
        raise BadAsk(f"{name!r} in the vault is encrypted. Pack it without a password.")
    if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise BadAsk(f"{name!r} in the vault is a link or a device, not a file. Remove it.")


def _content(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int) -> bytes:
    """Unpacked step by step, and given up as soon as it is too much, whatever the header says."""
    most = min(MOST_FILE_BYTES, left)
    steps: list[bytes] = []
    size = 0
    with opened.open(entry) as packed:
        while step := packed.read(_STEP):
            size += len(step)
            steps.append(step)
            if size > most or (size > _RATIO_FROM_BYTES and size > _MOST_RATIO * entry.compress_size):
                raise BadAsk(
                    f"{entry.filename!r} in the vault unpacks to more than a page can hold "
                    f"({MOST_FILE_BYTES:,} bytes a file, {MOST_BYTES:,} in all). Make it smaller."
                )
    return b"".join(steps)


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
