"""Cards, persons and files for these tests, and what counts as the same."""

import json
import struct
import zlib
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from everlore.domain.bounds import Json
from everlore.domain.person import Person
from everlore.interchange.cards import Card, person_fields

AT = datetime(2025, 3, 1, 12, tzinfo=UTC)


def person_of(card: Card, **edits: Any) -> Person:
    return person(**{**person_fields(card), **edits})


def person(**fields: Any) -> Person:
    return Person(**{"workspace": "home", "id": "p1", "created_at": AT, "updated_at": AT, "name": "Mira", **fields})


def same(one: object, other: object) -> bool:
    """Equal in every value, in the order of keys, and in 1 against 1.0 against true."""
    return json.dumps(one) == json.dumps(other)


def as_bytes(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


def v1(**fields: Any) -> Json:
    return {
        "name": "Mira",
        "description": "A smith.",
        "personality": "dry",
        "scenario": "The forge.",
        "first_mes": "Hello.",
        "mes_example": "<START>\n{{user}}: hi",
        **fields,
    }


def v2(**fields: Any) -> Json:
    data = {
        **v1(),
        "creator_notes": "Do not feed.",
        "system_prompt": "{{original}}",
        "post_history_instructions": "",
        "alternate_greetings": ["Good morning.", "Oh, you again."],
        "tags": ["smith", "dry"],
        "creator": "someone",
        "character_version": "1.1",
        "extensions": {"talkativeness": "0.5", "depth_prompt": {"prompt": "", "depth": 4}},
        **fields,
    }
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def v3(**fields: Any) -> Json:
    data = {**v2()["data"], "group_only_greetings": [], "nickname": "Mi", "source": ["x"], **fields}  # type: ignore[dict-item]
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": data}


def book(*contents: str) -> Json:
    entries = [
        {"keys": ["k"], "content": content, "extensions": {}, "enabled": True, "insertion_order": at}
        for at, content in enumerate(contents)
    ]
    return {"extensions": {}, "entries": entries}


def zeros(count: int, *, window: int = zlib.MAX_WBITS) -> bytes:
    """So many million zeros, packed: a block of a million over and over, which is quick to make."""
    packing = zlib.compressobj(9, zlib.DEFLATED, window)
    first = packing.compress(bytes(1_000_000)) + packing.flush(zlib.Z_FULL_FLUSH)
    other = packing.compress(bytes(1_000_000)) + packing.flush(zlib.Z_FULL_FLUSH)
    return first + other * (count - 1) + packing.flush()


def case(value: object) -> str:
    """A file as the name of a test would fill the page."""
    return value if isinstance(value, str) else type(value).__name__


def chunk(type: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + type + body + struct.pack(">I", zlib.crc32(type + body))


def png(*chunks: bytes, width: int = 1, height: int = 1) -> bytes:
    """A picture with these chunks before its end."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\x00\x00"))
    return b"\x89PNG\r\n\x1a\n" + header + pixels + b"".join(chunks) + chunk(b"IEND", b"")


# Every character that a store can keep, keys that are ours among them.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
KEYS = TEXTS | st.sampled_from(["name", "data", "extensions", "everlore", "spec", "tags", "entries"])
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(
    PLAIN | st.integers(min_value=10**30, max_value=10**60),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=5)
_LISTS = st.lists(TEXTS, max_size=3) | VALUES
# Cards as they should be, as they are, and as nobody would write them.
BOOKS = st.fixed_dictionaries(
    {"entries": st.lists(st.fixed_dictionaries({"content": TEXTS}, optional={"keys": _LISTS, "extensions": OBJECTS}))}
)
DATA = st.builds(
    lambda unknown, known: {**unknown, **known},
    OBJECTS,
    st.fixed_dictionaries(
        {"name": st.sampled_from(["Mira", "Ørsted", "名前"])},
        optional={
            "description": TEXTS | VALUES,
            "first_mes": TEXTS | VALUES,
            "alternate_greetings": _LISTS,
            "tags": _LISTS,
            "creator_notes": VALUES,
            "extensions": OBJECTS | VALUES,
            "character_book": BOOKS | VALUES,
            "assets": _LISTS,
        },
    ),
)
