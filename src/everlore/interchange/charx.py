"""CHARX: a zip file with `card.json` at its root and the character's files beside it (V9, S-5).

A zip can lie about everything. Sizes are counted while unpacking, names are refused unless they are plain
paths, and nothing is ever written to a disk here. Start at `read_charx` and `write_charx`.
"""

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping

from everlore.domain.media import MOST_BYTES
from everlore.errors import BadAsk

MOST_FILE_BYTES = 50_000_000
CARD = "card.json"
MOST_ENTRIES = 2_000
_MOST_TOTAL_BYTES = 100_000_000
_MOST_NAME = 1_000
# Real pictures and texts pack to a twentieth at best. Small files may do better without harm.
_MOST_RATIO, _RATIO_FROM_BYTES = 200, 1_000_000
_STEP = 65_536
_ENTRY_MARK = b"PK\x01\x02"
_DRIVE = re.compile(r"[A-Za-z]:")
_NO_NAME = re.compile("[\x00-\x1f\x7f\ud800-\udfff\\\\]")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# All that zipfile is known to raise about a broken file.
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


def read_charx(data: bytes) -> dict[str, bytes]:
    """Every file in it by its path. Bytes before the zip (a JPEG, say) are passed over."""
    if len(data) > MOST_FILE_BYTES:
        raise BadAsk(f"The CHARX file has {len(data):,} bytes; the most is {MOST_FILE_BYTES:,}. Use smaller pictures.")
    # Counted before the list is built: a million entries fit into a file that is not large.
    if data.count(_ENTRY_MARK) > 2 * MOST_ENTRIES:
        raise _too_many()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            return _unpacked(opened)
    except _BROKEN as error:
        raise BadAsk(f"The CHARX file is a broken zip ({error}). Download or export it again.") from None


def write_charx(files: Mapping[str, bytes]) -> bytes:
    """The same files always give the same bytes."""
    made = io.BytesIO()
    seen: set[str] = set()
    with zipfile.ZipFile(made, "w") as opened:
        for name, content in files.items():
            _check_name(name, seen)
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED if name.endswith(".json") else zipfile.ZIP_STORED
            opened.writestr(entry, content)
    if made.tell() > MOST_FILE_BYTES:
        raise BadAsk(
            f"The CHARX file would have {made.tell():,} bytes; the most is {MOST_FILE_BYTES:,}. Leave out some assets."
        )
    return made.getvalue()


def _too_many() -> BadAsk:
    return BadAsk(f"The CHARX file has more than {MOST_ENTRIES:,} entries. Leave out what the card does not need.")


def _unpacked(opened: zipfile.ZipFile) -> dict[str, bytes]:
    entries = opened.infolist()
    if len(entries) > MOST_ENTRIES:
        raise _too_many()
    seen: set[str] = set()
    for entry in entries:
        _check_entry(entry, seen)
    files: dict[str, bytes] = {}
    left = _MOST_TOTAL_BYTES
    for entry in entries:
        if not entry.is_dir():
            files[entry.filename] = content = _content(opened, entry, left)
            left -= len(content)
    return files


def _check_entry(entry: zipfile.ZipInfo, seen: set[str]) -> None:
    # The name as it was written: zipfile cuts it off at a NUL.
    _check_name(entry.orig_filename, seen)
    if entry.flag_bits & 0x1:
        raise BadAsk(f"{entry.filename!r} in the CHARX file is encrypted. Export it without a password.")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise BadAsk(f"{entry.filename!r} in the CHARX file is a link or a device, not a file. Remove it.")
    if entry.compress_type not in _METHODS:
        raise BadAsk(f"{entry.filename!r} in the CHARX file is packed in an unusual way. Pack it with deflate.")


def is_plain_path(name: str) -> bool:
    """Inside the archive whatever program unpacks it: no way up, no drive, no odd characters."""
    parts = name.removesuffix("/").split("/")
    escapes = any(part in ("", ".", "..") for part in parts) or _DRIVE.match(name) is not None
    return not escapes and len(name) <= _MOST_NAME and _NO_NAME.search(name) is None


def _check_name(name: str, seen: set[str]) -> None:
    if not is_plain_path(name):
        raise BadAsk(f"The CHARX file names a file {name[:100]!r}, which is not a plain path inside it. Rename it.")
    # Some disks take "A.png" and "a.png" for one.
    folded = name.removesuffix("/").casefold()
    if folded in seen:
        raise BadAsk(f"The CHARX file has {name[:100]!r} twice. Remove one.")
    seen.add(folded)


def _content(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int) -> bytes:
    """Unpacked step by step, and given up as soon as it is too much, whatever the header says."""
    most = min(MOST_BYTES, left)
    steps: list[bytes] = []
    size = 0
    with opened.open(entry) as packed:
        while step := packed.read(_STEP):
            size += len(step)
            steps.append(step)
            if size > most:
                raise BadAsk(
                    f"{entry.filename!r} in the CHARX file unpacks to more than {most:,} bytes "
                    f"({MOST_BYTES:,} a file, {_MOST_TOTAL_BYTES:,} in all). Make it smaller."
                )
            if size > _RATIO_FROM_BYTES and size > _MOST_RATIO * entry.compress_size:
                raise BadAsk(
                    f"{entry.filename!r} in the CHARX file unpacks to more than {_MOST_RATIO} times its size, "
                    "which no real picture or text does. Leave it out."
                )
    return b"".join(steps)
