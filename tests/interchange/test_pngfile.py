"""PNG files that carry a card: read with suspicion, written so that anybody can read them (V9, S-5)."""

import base64
import struct
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.errors import BadAsk
from everlore.interchange.cards import read_card, write_file
from everlore.interchange.pngfile import avatar, read_png, write_png
from tests.interchange.builders import as_bytes, case, chunk, person, person_of, png, same, v1, v2, v3, zeros

CARD = base64.b64encode(as_bytes(v2()))


def text(keyword: str, content: bytes) -> bytes:
    return chunk(b"tEXt", keyword.encode() + b"\x00" + content)


@pytest.mark.parametrize(
    "carrier",
    [
        text("chara", CARD),
        text("CHARA", CARD),
        text("Chara", CARD.rstrip(b"=")),
        text("chara", b"\n".join(CARD[at : at + 76] for at in range(0, len(CARD), 76))),
        text("chara", as_bytes(v2())),
        chunk(b"zTXt", b"chara\x00\x00" + zlib.compress(CARD)),
        chunk(b"iTXt", b"chara\x00\x00\x00en\x00what\x00" + CARD),
        chunk(b"iTXt", b"chara\x00\x01\x00\x00\x00" + zlib.compress(CARD)),
        text("ccv3", CARD),
    ],
)
def test_every_kind_of_text_chunk_can_carry_a_card(carrier: bytes) -> None:
    """V9."""
    card = read_card(png(carrier))

    assert same(card.document, v2())
    assert card.image == png()


def test_a_flat_card_in_a_png_is_read() -> None:
    """V9."""
    assert read_card(png(text("chara", base64.b64encode(as_bytes(v1()))))).name == "Mira"


def test_the_newer_of_two_cards_is_read() -> None:
    """V9."""
    newer = text("ccv3", base64.b64encode(as_bytes(v3(name="Newer"))))

    card = read_card(png(text("chara", CARD), newer))

    assert card.name == "Newer"
    assert card.report.dropped == ("The older copy of the card in the same file. Exports contain it again.",)


@pytest.mark.parametrize("broken", [b"%%%", base64.b64encode(b"{"), base64.b64encode(b"[]")])
def test_where_the_newer_card_is_broken_the_older_one_is_read(broken: bytes) -> None:
    card = read_card(png(text("ccv3", broken), text("chara", CARD)))

    assert card.name == "Mira"
    assert "The card in ccv3 could not be read" in card.report.warnings[0]


def test_other_chunks_of_the_picture_stay_and_its_old_cards_go() -> None:
    """V9."""
    other = text("parameters", b"a castle") + chunk(b"tIME", struct.pack(">HBBBBB", 2024, 5, 3, 1, 2, 3))
    assets = text("chara-ext-asset_:0", base64.b64encode(b"sound")) + text("chara-ext-asset_1", b"")

    found = read_png(png(other, text("chara", CARD), assets, text("CcV3", CARD)))

    assert found.picture == png(other)
    assert found.assets == {"0": b"sound", "1": b""}
    made = write_png(found.picture, {"chara": b"{}"}, found.assets)
    assert read_png(made).picture == png(other)
    assert read_png(made).cards == {"chara": b"{}"}
    assert read_png(made).assets == found.assets


def test_an_animation_is_carried_through() -> None:
    frames = chunk(b"acTL", struct.pack(">II", 1, 0)) + chunk(b"fdAT", b"\x00" * 9)

    made = write_file(person(), format="png", image=png(frames))

    assert read_card(made).image == png(frames)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_an_own_avatar_is_a_whole_png_and_the_same_for_the_same_name(name: str) -> None:
    made = avatar(name)

    assert made == avatar(name)
    assert read_png(made).picture == made
    start = made.index(b"IDAT")
    (length,) = struct.unpack(">I", made[start - 4 : start])
    assert len(zlib.decompress(made[start + 4 : start + 4 + length])) == 64 * (1 + 64 // 8)


def test_different_names_have_different_avatars() -> None:
    assert avatar("Mira") != avatar("Bob")


def changed(data: bytes, at: int, to: bytes) -> bytes:
    return data[:at] + to + data[at + len(to) :]


WHOLE = png(text("chara", CARD))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (png(), "a picture without a card"),
        (WHOLE[:8], "ends at byte 8, before its end was marked"),
        (WHOLE[:-1], "before its end was marked"),
        (WHOLE[:-12], "before its end was marked"),
        (WHOLE[:80], "claims .* bytes, and"),
        (changed(WHOLE, 20, b"\x09"), "checksum of IHDR at byte 8 is wrong"),
        (changed(WHOLE, len(WHOLE) - 1, b"\x00"), "checksum of IEND"),
        (changed(WHOLE, 33, b"\xff\xff\xff\xff"), "claims 4,294,967,295 bytes"),
        (changed(WHOLE, 33, b"\x7f\xff\xff\xff"), "claims 2,147,483,647 bytes"),
        (changed(WHOLE, 37, b"\x00\x01\x02\x03"), "no chunk at byte 33"),
        (WHOLE[:8] + WHOLE[33:], "does not begin with a header"),
        (WHOLE[:8] + chunk(b"IHDR", b"") + WHOLE[33:], "does not begin with a header"),
        (WHOLE[:33] + chunk(b"IEND", b""), "no picture in it"),
        (png(text("chara", CARD), width=0), "0 × 1 pixels"),
        (png(text("chara", CARD), width=2**31), "2,147,483,648 × 1 pixels"),
        (png(text("chara", CARD), width=16_000, height=16_000), "16,000 × 16,000 pixels"),
        (WHOLE[:8] + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 9, 0, 0, 0, 0)) + WHOLE[33:], "no kind of picture"),
        (png(text("chara", b"%%%%")), "chara text is not base64"),
        (png(text("chara", b"")), "is not JSON"),
        (png(chunk(b"tEXt", b"chara")), "is not JSON"),
        (png(chunk(b"iTXt", b"chara\x00")), "cannot be unpacked|is cut off"),
        (png(chunk(b"zTXt", b"chara\x00\x00not zlib")), "cannot be unpacked"),
        (png(chunk(b"zTXt", b"chara\x00\x00" + zlib.compress(CARD)[:-8])), "is cut off"),
        (png(text("chara", CARD), text("chara-ext-asset_:0", b"?")), "asset text is not base64"),
        (WHOLE + b" " * 20_000_000, "the most is 20,000,000"),
        (png(*[chunk(b"tEXt", b"")] * 100_001), "more than 100,000 chunks"),
        (png(text("chara", base64.b64encode(as_bytes(v2(x="x" * 5_000_000))))), "the most is 5,000,000"),
    ],
    ids=case,
)
def test_a_broken_png_is_refused_with_the_reason(data: bytes, told: str) -> None:
    """S-5."""
    with pytest.raises(BadAsk, match=told):
        read_card(data)


@pytest.mark.parametrize(("type", "head"), [(b"zTXt", b"chara\x00\x00"), (b"iTXt", b"chara\x00\x01\x00\x00\x00")])
def test_a_text_of_a_gigabyte_is_given_up_before_it_fills_the_memory(type: bytes, head: bytes) -> None:
    """S-5: a real one, of less than two megabytes."""
    data = png(chunk(type, head + zeros(1_000)))
    assert len(data) < 2_000_000

    tracemalloc.start()
    with pytest.raises(BadAsk, match="unpacks to more than"):
        read_card(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 50_000_000


@pytest.mark.parametrize("image", [b"\xff\xd8\xff\xe0 JPEG", b"", b"GIF89a"])
def test_a_picture_that_is_no_png_cannot_carry_a_card(image: bytes) -> None:
    if not image:
        assert read_card(write_file(person(), format="png", image=image)).name == "Mira"
        return
    with pytest.raises(BadAsk, match=r"only a PNG can carry a card. Export as CHARX or JSON"):
        write_file(person(), format="png", image=image)


@pytest.mark.parametrize("name", ["名前.png", "x" * 80])
def test_an_asset_whose_name_does_not_fit_is_refused(name: str) -> None:
    with pytest.raises(BadAsk, match=r"cannot carry an asset with the name .* Export as CHARX"):
        write_file(person(), format="png", assets={name: b""})


def test_a_png_that_grew_too_large_is_not_written() -> None:
    with pytest.raises(BadAsk, match="the most is 20,000,000"):
        write_file(person(), format="png", assets={"x": b"x" * 16_000_000})


def test_unsafe_names_of_assets_are_dropped_with_a_line() -> None:
    """S-5."""
    bad = ["../up", "/top", "C:x", "a\\b", "card.json", ""]
    card = read_card(png(text("chara", CARD), *(text(f"chara-ext-asset_:{name}", b"") for name in [*bad, "good"])))

    assert list(card.assets) == ["good"]
    assert len(card.report.dropped) == len(bad)


def test_the_assets_of_a_png_come_back() -> None:
    card = read_card(write_file(person_of(read_card(WHOLE)), format="png", version=2, assets={"a/b.mp3": b"sound"}))

    assert card.assets == {"a/b.mp3": b"sound"}
    assert same(card.document, v2())
