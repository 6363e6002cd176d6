"""CHARX: a zip file with `card.json` at its root and the character's files (V9, S-5).

Start at `read_charx` and `write_charx`.
"""

import io
import zipfile
from collections.abc import Mapping

from everlore.domain.media import MOST_BYTES
from everlore.errors import BadAsk
from everlore.interchange.zips import Bounds, check_name, unpacked

MOST_FILE_BYTES = 50_000_000
CARD = "card.json"
MOST_ENTRIES = 2_000
_BOUNDS = Bounds(
    what="CHARX file",
    packed=MOST_FILE_BYTES,
    entries=MOST_ENTRIES,
    each=MOST_BYTES,
    total=100_000_000,
    excess="what the card does not need",
)


def read_charx(data: bytes) -> dict[str, bytes]:
    """All files by path. Bytes before the zip (a JPEG, for example) are skipped."""
    return unpacked(data, _BOUNDS)


def write_charx(files: Mapping[str, bytes]) -> bytes:
    """The same files always give the same bytes."""
    made = io.BytesIO()
    seen: set[str] = set()
    with zipfile.ZipFile(made, "w") as opened:
        for name, content in files.items():
            check_name(name, seen, _BOUNDS.what)
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED if name.endswith(".json") else zipfile.ZIP_STORED
            opened.writestr(entry, content)
    if made.tell() > MOST_FILE_BYTES:
        raise BadAsk(
            f"The CHARX file would have {made.tell():,} bytes; the most is {MOST_FILE_BYTES:,}. Leave out some assets."
        )
    return made.getvalue()
