"""The record of a reply's prompt: sections, memories with reasons, what was left out (P12).

It refers to messages and memories by id and repeats no word of them, so that deleting one is enough (M9).
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from everlore.domain.bounds import Id, Size

MOST_BYTES = 5_000_000
_MOST_UNPACKED = 100_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class XRay:
    """`id` is that of the reply; a later version of the reply replaces its x-ray. `account` is compressed: there is one
    for each reply, and most of it repeats the one before."""

    workspace: Id
    id: Id
    message_id: Id
    conversation_id: Id
    account: Annotated[bytes, Size(MOST_BYTES)]
    created_at: datetime


def pack(account: Mapping[str, Any]) -> bytes:
    return zlib.compress(json.dumps(account, ensure_ascii=False, separators=(",", ":")).encode(), level=1)


def unpack(account: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(zlib.decompress(account))
    return found


def is_sound(account: bytes) -> bool:
    """Whether it can be decompressed, and stays within the size limit: an imported one may be a decompression bomb."""
    unpacking = zlib.decompressobj()
    try:
        size = len(unpacking.decompress(account, _MOST_UNPACKED))
    except zlib.error:
        return False
    return unpacking.eof and size < _MOST_UNPACKED
