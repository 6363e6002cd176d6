"""Whatever arrives, it is read or it is refused: nothing else ever happens (S-5)."""

import base64
import contextlib
import json
import random
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from everlore.errors import BadAsk
from everlore.interchange.cards import read_card, write_file
from everlore.interchange.chats import read_chat
from everlore.interchange.pngfile import avatar
from everlore.store.checks import check_record
from tests.interchange.builders import as_bytes, book, chunk, person_of, png, v3

CARD = read_card(as_bytes(v3(character_book=book("@@depth 4\nHot."), assets=[{"type": "icon", "uri": "ccdefault:"}])))
ASSETS = {"assets/a.mp3": b"ID3 sound", "b.json": b"{}"}
SEEDS = {
    "json": write_file(person_of(CARD), format="json"),
    "png": write_file(person_of(CARD), format="png", assets=ASSETS),
    "charx": write_file(person_of(CARD), format="charx", image=avatar("x"), assets=ASSETS),
}
CHAT = b"".join(
    json.dumps(line).encode() + b"\n"
    for line in [
        {"user_name": "Bob", "character_name": "Mira"},
        {"name": "Mira", "mes": "Hi", "swipes": ["Hi", "Ho"], "swipe_id": 0, "send_date": "May 3, 2024 4:08pm"},
        {"name": "Bob", "mes": "Hey", "is_user": True, "send_date": 1_714_752_511_123, "extra": {"type": "x"}},
    ]
)


def mutated(data: bytes, chance: random.Random) -> bytes:
    made = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at, size = chance.randrange(len(made) + 1), chance.choice([1, 1, 2, 4, 16])
        what = chance.randrange(5)
        if what == 0:
            made[at : at + size] = chance.randbytes(size)
        elif what == 1:
            made[at : at + size] = b""
        elif what == 2:
            made[at:at] = chance.randbytes(size)
        elif what == 3:
            made[at : at + size] = chance.choice([b"\x00", b"\xff", b"\x7f"]) * size
        else:
            start = chance.randrange(len(made) + 1)
            made[at:at] = made[start : start + 64]
    return bytes(made)


def is_read_or_refused(read: Callable[[bytes], object], data: bytes) -> None:
    with contextlib.suppress(BadAsk):
        read(data)


@pytest.mark.parametrize("format", sorted(SEEDS))
def test_a_mutated_card_is_read_or_refused(format: str) -> None:
    """S-5."""
    chance = random.Random(20)
    for _ in range(3_000):
        is_read_or_refused(read_card, mutated(SEEDS[format], chance))


def test_a_mutated_card_inside_a_whole_png_is_read_or_refused() -> None:
    """S-5: past the checksums, where only our own reading is left."""
    chance = random.Random(21)
    texts = [b"ccv3\x00" + base64.b64encode(SEEDS["json"]), b"chara\x00\x01\x00\x00\x00x", b"chara-ext-asset_:\x00"]
    for _ in range(3_000):
        chunks = [chunk(chance.choice([b"tEXt", b"zTXt", b"iTXt"]), mutated(text, chance)) for text in texts]
        is_read_or_refused(read_card, png(*chunks))


def test_whatever_is_read_from_a_mutated_card_can_be_stored_and_written() -> None:
    """V9, S-5."""
    chance = random.Random(22)
    stored = 0
    for _ in range(3_000):
        with contextlib.suppress(BadAsk):
            card = read_card(mutated(SEEDS["json"], chance))
            check_record(person_of(card))
            write_file(person_of(card), format="charx", image=avatar("x"))
            stored += 1
    assert stored > 100


def test_a_mutated_chat_is_read_or_refused() -> None:
    """S-5."""
    chance = random.Random(23)
    for _ in range(5_000):
        is_read_or_refused(read_chat, mutated(CHAT, chance))


@given(st.binary(max_size=300))
@example(b"PK\x03\x04")
@example(b"PK\x05\x06" + bytes(18))
@example(b"\xff\xd8\xff" + b"PK\x03\x04")
@example(b"\x89PNG\r\n\x1a\n")
@example(b"\xff\xfe{")
@example(b"\x00\x00\xfe\xff{")
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """S-5."""
    is_read_or_refused(read_card, data)
    is_read_or_refused(read_card, b"PK\x03\x04" + data)
    is_read_or_refused(read_card, b"\x89PNG\r\n\x1a\n" + data)
    is_read_or_refused(read_chat, data)
