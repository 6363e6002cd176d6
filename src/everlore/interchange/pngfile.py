"""PNG and APNG files with a character card in their text chunks (V9, S-5).

In: the bytes of a file. Out: the picture without the card, and the card's JSON. Pixels are never decompressed; every
length and checksum is verified. Start at `read_png` and `write_png`.
"""

import base64
import binascii
import hashlib
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from everlore.errors import BadAsk

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_FILE_BYTES = 20_000_000
MOST_CARD_BYTES = 5_000_000
# Base64 encodes three bytes as four.
_MOST_TEXT_BYTES = MOST_CARD_BYTES * 4 // 3 + 1_000
_MOST_CHUNKS = 100_000
_MOST_SIDE, _MOST_PIXELS = 16_384, 64_000_000
_MOST_KEYWORD = 79
# Newest format first.
CARD_KEYWORDS = ("ccv3", "chara")
_ASSET = "chara-ext-asset_"
_TEXT_CHUNKS = (b"tEXt", b"zTXt", b"iTXt")
_BIT_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_AGAIN = "Download or export the file again."


@dataclass(frozen=True, slots=True)
class CardPng:
    """`cards` has the JSON of each card by keyword, best first; one that could not be decoded is an error instead.
    `trailing` is the data after the end of the picture."""

    picture: bytes
    cards: dict[str, bytes | BadAsk] = field(default_factory=dict)
    assets: dict[str, bytes] = field(default_factory=dict)
    trailing: bytes = b""


@dataclass(frozen=True, slots=True)
class _Chunk:
    type: bytes
    body: bytes

    @property
    def keyword(self) -> str:
        """The keyword of a text chunk in lower case; empty for any other chunk."""
        if self.type not in _TEXT_CHUNKS:
            return ""
        return self.body.partition(b"\x00")[0].decode("latin-1").lower()

    @property
    def is_card(self) -> bool:
        return self.keyword in CARD_KEYWORDS or (self.type == b"tEXt" and self.keyword.startswith(_ASSET))

    def written(self) -> bytes:
        checksum = zlib.crc32(self.type + self.body)
        return struct.pack(">I", len(self.body)) + self.type + self.body + struct.pack(">I", checksum)


def read_png(data: bytes) -> CardPng:
    chunks, end = _chunks(data)
    found: dict[str, bytes | BadAsk] = {}
    assets: dict[str, bytes] = {}
    for chunk in chunks:
        keyword = chunk.keyword
        if keyword in CARD_KEYWORDS and keyword not in found:
            found[keyword] = _card(chunk)
        elif chunk.is_card and keyword.startswith(_ASSET):
            name, content = _asset(chunk)
            assets.setdefault(name, content)
    return CardPng(
        picture=_file(chunk for chunk in chunks if not chunk.is_card),
        cards={keyword: found[keyword] for keyword in CARD_KEYWORDS if keyword in found},
        assets=assets,
        trailing=data[end:],
    )


def write_png(picture: bytes, cards: Mapping[str, bytes], assets: Mapping[str, bytes]) -> bytes:
    """The picture with these cards (JSON by keyword) and assets, and no others."""
    if not picture.startswith(SIGNATURE):
        raise BadAsk("The picture is not a PNG, and only a PNG can carry a card. Export as CHARX or JSON.")
    chunks, _ = _chunks(picture)
    *shown, end = (chunk for chunk in chunks if not chunk.is_card)
    carried = [_text_chunk(f"{_ASSET}:{name}", content) for name, content in assets.items()]
    carried += [_text_chunk(keyword, text) for keyword, text in cards.items()]
    made = _file(iter([*shown, *carried, end]))
    _check_file_size(made)
    return made


def avatar(name: str) -> bytes:
    """A head and shoulders in one colour, for a character without a picture; always the same for the same name."""
    side = 64
    dye = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=3).digest()
    colours = bytes(64 + part // 4 for part in dye) + bytes(160 + part // 4 for part in dye)
    rows = b"".join(b"\x00" + _packed(_in_silhouette(x, y, side) for x in range(side)) for y in range(side))
    chunks = [
        _Chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 1, 3, 0, 0, 0)),
        _Chunk(b"PLTE", colours),
        _Chunk(b"IDAT", zlib.compress(rows, 9)),
        _Chunk(b"IEND", b""),
    ]
    return _file(iter(chunks))


def _in_silhouette(x: int, y: int, side: int) -> bool:
    middle = side // 2
    head = (x - middle) ** 2 + (y - side * 3 // 8) ** 2 <= (side // 5) ** 2
    shoulders = (x - middle) ** 2 + (y - side) ** 2 <= (side * 3 // 8) ** 2
    return head or shoulders


def _packed(bits: Iterator[bool]) -> bytes:
    row = [int(bit) for bit in bits]
    return bytes(int("".join(map(str, row[at : at + 8])), 2) for at in range(0, len(row), 8))


def _file(chunks: Iterator[_Chunk]) -> bytes:
    return SIGNATURE + b"".join(chunk.written() for chunk in chunks)


def _chunks(data: bytes) -> tuple[list[_Chunk], int]:
    """All chunks up to the end of the picture, and the position of that end."""
    _check_file_size(data)
    if not data.startswith(SIGNATURE):
        raise BadAsk(f"This is not a PNG file: its first bytes are {data[:8]!r}. {_AGAIN}")
    chunks: list[_Chunk] = []
    at = len(SIGNATURE)
    while not chunks or chunks[-1].type != b"IEND":
        if len(chunks) == _MOST_CHUNKS:
            raise BadAsk(f"The PNG has more than {_MOST_CHUNKS:,} chunks. Save the picture anew.")
        chunk = _chunk(data, at)
        chunks.append(chunk)
        at += len(chunk.body) + 12
    _check_header(chunks)
    return chunks, at


def _chunk(data: bytes, at: int) -> _Chunk:
    if len(data) - at < 12:
        raise BadAsk(f"The PNG ends at byte {len(data):,}, before its end was marked (IEND). {_AGAIN}")
    length, type = struct.unpack_from(">I4s", data, at)
    if length > len(data) - at - 12:
        raise BadAsk(
            f"The PNG's chunk at byte {at:,} claims {length:,} bytes, and {len(data) - at - 12:,} are left. {_AGAIN}"
        )
    if not type.isalpha():
        raise BadAsk(f"The PNG has no chunk at byte {at:,}, where one must begin. {_AGAIN}")
    body = data[at + 8 : at + 8 + length]
    (checksum,) = struct.unpack_from(">I", data, at + 8 + length)
    if checksum != zlib.crc32(body, zlib.crc32(type)):
        raise BadAsk(f"The PNG is damaged: the checksum of {type.decode()} at byte {at:,} is wrong. {_AGAIN}")
    return _Chunk(type, body)


def _check_file_size(data: bytes) -> None:
    if len(data) > MOST_FILE_BYTES:
        raise BadAsk(
            f"The PNG has {len(data):,} bytes; the most is {MOST_FILE_BYTES:,}. Use a smaller picture, or CHARX."
        )


def _check_header(chunks: list[_Chunk]) -> None:
    first = chunks[0]
    if first.type != b"IHDR" or len(first.body) != 13:
        raise BadAsk(f"The PNG does not begin with a header (IHDR) of 13 bytes. {_AGAIN}")
    width, height, depth, colours, packing, filtering, lacing = struct.unpack(">IIBBBBB", first.body)
    if not (1 <= width <= _MOST_SIDE and 1 <= height <= _MOST_SIDE and width * height <= _MOST_PIXELS):
        raise BadAsk(
            f"The PNG says it has {width:,} × {height:,} pixels; the most is {_MOST_SIDE:,} a side and "
            f"{_MOST_PIXELS:,} in all. Make the picture smaller."
        )
    if depth not in _BIT_DEPTHS.get(colours, ()) or packing or filtering or lacing > 1:
        raise BadAsk(f"The PNG's header describes no kind of picture there is. {_AGAIN}")
    if not any(chunk.type == b"IDAT" for chunk in chunks):
        raise BadAsk(f"The PNG has no picture in it (IDAT). {_AGAIN}")


def _card(chunk: _Chunk) -> bytes | BadAsk:
    try:
        text = _text(chunk)
        # Some programs write plain JSON.
        card = text if text.lstrip()[:1] == b"{" else _from_base64(text, chunk.keyword)
        if len(card) > MOST_CARD_BYTES:
            raise BadAsk(f"The card in {chunk.keyword} has {len(card):,} bytes; the most is {MOST_CARD_BYTES:,}.")
    except BadAsk as error:
        return error
    return card


def _text(chunk: _Chunk) -> bytes:
    _, _, rest = chunk.body.partition(b"\x00")
    if chunk.type == b"tEXt":
        return rest
    if chunk.type == b"zTXt":
        return _inflated(rest[1:], chunk.keyword)
    packed, (_, _, after) = rest[:1] != b"\x00", rest[2:].partition(b"\x00")
    text = after.partition(b"\x00")[2]
    return _inflated(text, chunk.keyword) if packed else text


def _inflated(packed: bytes, keyword: str) -> bytes:
    """Decompresses up to the limit for cards, so that a small file cannot fill the memory."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(packed, _MOST_TEXT_BYTES + 1)
    except zlib.error as error:
        raise BadAsk(f"The PNG's {keyword} text cannot be unpacked ({error}). {_AGAIN}") from None
    if len(text) > _MOST_TEXT_BYTES:
        raise BadAsk(f"The PNG's {keyword} text unpacks to more than {_MOST_TEXT_BYTES:,} bytes. Shorten the card.")
    if not unpacking.eof:
        raise BadAsk(f"The PNG's {keyword} text is cut off. {_AGAIN}")
    return text


def _from_base64(text: bytes, keyword: str) -> bytes:
    plain = b"".join(text.split()).rstrip(b"=")
    try:
        return base64.b64decode(plain + b"=" * (-len(plain) % 4), validate=True)
    except binascii.Error as error:
        raise BadAsk(f"The PNG's {keyword} text is not base64 ({error}). {_AGAIN}") from None


def _asset(chunk: _Chunk) -> tuple[str, bytes]:
    keyword, _, text = chunk.body.partition(b"\x00")
    name = keyword.decode("latin-1")[len(_ASSET) :].removeprefix(":")
    return name, _from_base64(text, "asset")


def _text_chunk(keyword: str, content: bytes) -> _Chunk:
    try:
        word = keyword.encode("latin-1")
    except UnicodeEncodeError:
        word = b""
    if not 1 <= len(word) <= _MOST_KEYWORD or b"\x00" in word:
        raise BadAsk(f"A PNG cannot carry an asset with the name {keyword[len(_ASSET) + 1 :]!r}. Export as CHARX.")
    return _Chunk(b"tEXt", word + b"\x00" + base64.b64encode(content))
