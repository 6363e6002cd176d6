"""Extracts untrusted zip files in memory (S-5).

The headers of a zip cannot be trusted. Sizes are counted while unpacking, names must be plain paths, and nothing is
written to disk. Start at `unpacked`.
"""

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from everlore.errors import BadAsk

_MOST_NAME = 1_000
# Real pictures and texts compress to a twentieth at best. Small files may have a better ratio without harm.
_MOST_RATIO, _RATIO_FROM_BYTES = 200, 1_000_000
_STEP = 65_536
_ENTRY_MARK = b"PK\x01\x02"
_DRIVE = re.compile(r"[A-Za-z]:")
_NO_NAME = re.compile("[\x00-\x1f\x7f\ud800-\udfff\\\\]")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# The exceptions that zipfile raises for a broken file.
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


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of a zip: its size, its entries, and the unpacked size of one file and of all. Refusals call the file
    `what`, and suggest to leave out `excess`."""

    what: str
    packed: int
    entries: int
    each: int
    total: int
    excess: str

    @property
    def too_many(self) -> BadAsk:
        return BadAsk(f"The {self.what} has more than {self.entries:,} entries. Leave out {self.excess}.")


def unpacked(data: bytes, bounds: Bounds, wanted: Callable[[str], bool] = lambda _: True) -> dict[str, bytes]:
    """All wanted files by path. Bytes before the zip (a JPEG, for example) are skipped."""
    if len(data) > bounds.packed:
        raise BadAsk(
            f"The {bounds.what} has {len(data):,} bytes; the most is {bounds.packed:,}. Leave out {bounds.excess}."
        )
    # Checked before zipfile builds its list: a small file can have a million entries.
    if data.count(_ENTRY_MARK) > 2 * bounds.entries:
        raise bounds.too_many
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            return _files(opened, bounds, wanted)
    except _BROKEN as error:
        raise BadAsk(f"The {bounds.what} is a broken zip ({error}). Download or export it again.") from None


def is_plain_path(name: str) -> bool:
    """Safe in any program that unpacks it: no parent folders, no drives, no odd characters."""
    parts = name.removesuffix("/").split("/")
    escapes = any(part in ("", ".", "..") for part in parts) or _DRIVE.match(name) is not None
    return not escapes and len(name) <= _MOST_NAME and _NO_NAME.search(name) is None


def check_name(name: str, seen: set[str], what: str) -> None:
    """`seen` has the earlier names; this one is added."""
    if not is_plain_path(name):
        raise BadAsk(f"The {what} names a file {name[:100]!r}, which is not a plain path inside it. Rename it.")
    # Some file systems do not distinguish "A.png" and "a.png".
    folded = name.removesuffix("/").casefold()
    if folded in seen:
        raise BadAsk(f"The {what} has {name[:100]!r} twice. Remove one.")
    seen.add(folded)


def _files(opened: zipfile.ZipFile, bounds: Bounds, wanted: Callable[[str], bool]) -> dict[str, bytes]:
    entries = opened.infolist()
    if len(entries) > bounds.entries:
        raise bounds.too_many
    seen: set[str] = set()
    for entry in entries:
        # The original name: zipfile cuts it off at a NUL.
        check_name(entry.orig_filename, seen, bounds.what)
        _check_entry(entry, bounds.what)
    files: dict[str, bytes] = {}
    left = bounds.total
    for entry in entries:
        if not entry.is_dir() and wanted(entry.filename):
            files[entry.filename] = content = _content(opened, entry, left, bounds)
            left -= len(content)
    return files


def _check_entry(entry: zipfile.ZipInfo, what: str) -> None:
    if entry.flag_bits & 0x1:
        raise BadAsk(f"{entry.filename!r} in the {what} is encrypted. Pack it without a password.")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise BadAsk(f"{entry.filename!r} in the {what} is a link or a device, not a file. Remove it.")
    if entry.compress_type not in _METHODS:
        raise BadAsk(f"{entry.filename!r} in the {what} is packed in an unusual way. Pack it with deflate.")


def _content(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int, bounds: Bounds) -> bytes:
    """Unpacks in steps and stops at the limit, whatever the header says."""
    most = min(bounds.each, left)
    steps: list[bytes] = []
    size = 0
    with opened.open(entry) as packed:
        while step := packed.read(_STEP):
            size += len(step)
            steps.append(step)
            if size > most:
                raise BadAsk(
                    f"{entry.filename!r} in the {bounds.what} unpacks to more than {most:,} bytes "
                    f"({bounds.each:,} a file, {bounds.total:,} in all). Make it smaller."
                )
            if size > _RATIO_FROM_BYTES and size > _MOST_RATIO * entry.compress_size:
                raise BadAsk(
                    f"{entry.filename!r} in the {bounds.what} unpacks to more than {_MOST_RATIO} times its size, "
                    "which no real picture or text does. Leave it out."
                )
    return b"".join(steps)
