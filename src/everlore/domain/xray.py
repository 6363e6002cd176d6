"""What a model was told for one reply, kept with it: sections, memories with reasons, what was left out (P12).

It names memories and messages by their ids and repeats no word of them: whoever deletes one has deleted it (M9).
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
    """`id` is that of the reply; a later version of the reply has a later x-ray in its place. `account` is packed:
    there is one for each reply, and most of it is what the one before it says."""

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
    """Whether it can be unpacked, and comes to no more than an account can: one from elsewhere may be made to burst."""
    unpacking = zlib.decompressobj()
    try:
        size = len(unpacking.decompress(account, _MOST_UNPACKED))
    except zlib.error:
        return False
    return unpacking.eof and size < _MOST_UNPACKED
