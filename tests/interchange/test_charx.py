"""CHARX files: every trick a zip can play is refused, and what is honest comes back (V9, S-5)."""

import io
import stat
import struct
import tracemalloc
import warnings
import zipfile
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.errors import BadAsk
from everlore.interchange.cards import read_card, write_file
from everlore.interchange.charx import read_charx, write_charx
from everlore.interchange.media import media_type
from everlore.interchange.pngfile import avatar
from tests.interchange.builders import as_bytes, case, person, person_of, png, same, v2, v3, zeros

PICTURE = avatar("somebody")
ICON = {"type": "icon", "uri": "embeded://assets/icon/images/main.png", "name": "main", "ext": "png"}


def packed(files: dict[str, bytes], **how: Any) -> bytes:
    """A zip of anything, whether it may be or not."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, **how) as opened, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in files.items():
            opened.writestr(name, content)
    return made.getvalue()


def entry(name: str, content: bytes = b"", **fields: int) -> bytes:
    """A zip with the card and one more entry, whose description is as wrong as we say."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as opened:
        opened.writestr("card.json", as_bytes(v3()))
        info = zipfile.ZipInfo(name)
        for field, value in fields.items():
            setattr(info, field, value)
        opened.writestr(info, content)
    return made.getvalue()


def test_a_charx_brings_its_icon_and_all_its_files() -> None:
    """V9."""
    files = {
        "assets/icon/images/main.png": PICTURE,
        "assets/emotion/images/joy.webp": b"RIFF1234WEBP",
        "risu.json": b"{}",
    }
    card = read_card(packed({"card.json": as_bytes(v3(assets=[ICON])), **files}))

    assert card.report.format == "Character Card V3 (CHARX)"
    assert (card.image, card.assets) == (PICTURE, files)
    assert media_type(card.assets["assets/emotion/images/joy.webp"]) == "image/webp"
    again = read_card(write_file(person_of(card), format="charx", image=card.image, assets=card.assets))
    assert (again.image, again.assets) == (card.image, card.assets)
    assert same(again.document, card.document)


@pytest.mark.parametrize(
    "uri", ["embeded://", "embeded://../x.png", "embeded://card.json", "http://x/y.png", "ccdefault:", 5]
)
def test_a_portrait_is_given_a_place_where_the_card_names_none(uri: object) -> None:
    """V9."""
    card = read_card(as_bytes(v3(assets=[{**ICON, "uri": uri}, {"type": "emotion", "name": "joy"}])))

    again = read_card(write_file(person_of(card), format="charx", image=PICTURE))

    document: Any = again.document
    assert again.image == PICTURE
    assert document["data"]["assets"] == [ICON, {"type": "emotion", "name": "joy"}]


def test_a_card_without_assets_is_given_an_icon() -> None:
    again = read_card(write_file(person(), format="charx", image=PICTURE))

    document: Any = again.document
    assert (again.image, document["data"]["assets"]) == (PICTURE, [ICON])


def test_a_new_portrait_takes_the_place_of_the_old() -> None:
    card = read_card(packed({"card.json": as_bytes(v3(assets=[ICON])), "assets/icon/images/main.png": PICTURE}))

    again = read_card(write_file(person_of(card), format="charx", image=png(), assets=card.assets))

    assert again.image == png()
    assert len(again.assets) == 1


def test_an_icon_that_is_no_picture_is_not_shown() -> None:
    """S-6."""
    page = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
    card = read_card(packed({"card.json": as_bytes(v3(assets=[ICON])), "assets/icon/images/main.png": page}))

    assert card.image is None
    assert media_type(page) == "application/octet-stream"
    assert any("not supported" in line for line in card.report.warnings)


@pytest.mark.parametrize("before", [b"", b"\xff\xd8\xff\xe0 a JPEG", png()])
def test_a_picture_with_a_charx_behind_it_is_read(before: bytes) -> None:
    """V9."""
    assert read_card(before + packed({"card.json": as_bytes(v3())})).name == "Mira"


def test_a_v2_card_in_a_charx_is_read() -> None:
    assert read_card(packed({"card.json": as_bytes(v2())})).report.format == "Character Card V2 (CHARX)"


@given(st.dictionaries(st.from_regex(r"[a-zé]{1,5}(/[a-z]{1,5}){0,2}", fullmatch=True), st.binary(), max_size=5))
def test_files_come_back_as_they_were(files: dict[str, bytes]) -> None:
    assert read_charx(write_charx(files)) == files
    assert write_charx(files) == write_charx(files)


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "../up",
        "a/../../up",
        "a/./b",
        "a//b",
        "a\\b",
        "..\\up",
        "C:\\x",
        "c:x",
        "a\nb",
        "..",
        "x" * 1_001,
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(name: str) -> None:
    """S-5."""
    with pytest.raises(BadAsk, match="not a plain path"):
        read_card(packed({"card.json": as_bytes(v3()), name: b""}))
    with pytest.raises(BadAsk, match="not a plain path"):
        write_charx({name: b""})


def test_a_name_with_a_nul_in_it_is_refused() -> None:
    """S-5: some programs see only what stands before it."""
    data = entry("good.pngXevil").replace(b"good.pngXevil", b"good.png\x00evil")

    with pytest.raises(BadAsk, match="not a plain path"):
        read_card(data)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_devices_are_refused(kind: int) -> None:
    """S-5."""
    with pytest.raises(BadAsk, match="is a link or a device"):
        read_card(entry("assets/x", b"/etc/passwd", external_attr=(kind | 0o777) << 16))


def test_folders_and_files_with_permissions_are_welcome() -> None:
    assert read_card(entry("assets/", external_attr=(stat.S_IFDIR | 0o755) << 16)).assets == {}
    assert read_card(entry("a", b"x", external_attr=(stat.S_IFREG | 0o644) << 16)).assets == {"a": b"x"}


@pytest.mark.parametrize(
    ("one", "other"), [("a.png", "a.png"), ("a.png", "A.PNG"), ("card.json", "Card.json"), ("a", "a/")]
)
def test_two_files_of_one_name_are_refused(one: str, other: str) -> None:
    """S-5."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as opened, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in (one, other):
            opened.writestr(name, b"")

    with pytest.raises(BadAsk, match="twice"):
        read_charx(made.getvalue())


def test_encrypted_entries_are_refused() -> None:
    """S-5."""
    data = bytearray(entry("secret", b"x"))
    at = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    data[at + 8] |= 1

    with pytest.raises(BadAsk, match="is encrypted"):
        read_card(bytes(data))


def test_unusual_packing_is_refused() -> None:
    with pytest.raises(BadAsk, match="packed in an unusual way"):
        read_card(entry("x", b"x" * 100, compress_type=zipfile.ZIP_LZMA))


def test_too_many_entries_are_refused() -> None:
    """S-5."""
    with pytest.raises(BadAsk, match="more than 2,000 entries"):
        read_charx(packed({f"f{at}": b"" for at in range(2_001)}))
    with pytest.raises(BadAsk, match="more than 2,000 entries"):
        read_charx(b"PK\x03\x04" + b"PK\x01\x02" * 4_001)


def bomb(claimed: int) -> bytes:
    """A real zip of a gigabyte of zeros, which says it has so many."""
    body = zeros(1_000, window=-15)
    sizes = struct.pack("<III", 0, len(body), claimed)
    local = b"PK\x03\x04" + struct.pack("<HHHHH", 20, 0, 8, 0, 0x21) + sizes + struct.pack("<HH", 4, 0) + b"zero"
    listed = b"PK\x01\x02" + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 0x21) + sizes
    listed += struct.pack("<HHHHHII", 4, 0, 0, 0, 0, 0, 0) + b"zero"
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(listed), len(local) + len(body), 0)
    return local + body + listed + end


@pytest.mark.parametrize("claimed", [1_000_000_000, 30_000_000, 10])
def test_a_gigabyte_of_zeros_is_given_up_before_it_fills_the_memory(claimed: int) -> None:
    """S-5: whatever the header says of its size."""
    data = bomb(claimed)
    assert len(data) < 2_000_000

    tracemalloc.start()
    with pytest.raises(BadAsk, match=r"unpacks to more than 20,000,000 bytes|broken zip"):
        read_card(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 50_000_000


def test_a_file_that_packs_too_well_is_refused_even_where_it_is_small_enough() -> None:
    """S-5."""
    with pytest.raises(BadAsk, match="unpacks to more than 200 times its size"):
        read_charx(packed({"x": bytes(3_000_000)}))


def test_a_file_too_large_is_refused() -> None:
    """S-5."""
    with pytest.raises(BadAsk, match="unpacks to more than 20,000,000 bytes"):
        read_charx(packed({"x": bytes(range(256)) * 78_126}, compresslevel=0))


def test_files_too_large_together_are_refused() -> None:
    """S-5: each of them may be, and all of them share the same few bytes of the file."""
    noise = zlib.compress(bytes(range(256)) * 4, 0) * 40
    row = noise * (19_000_000 // len(noise))
    files = {f"f{at}": row for at in range(6)}

    with pytest.raises(BadAsk, match=r"100,000,000 in all|more than 200 times"):
        read_charx(packed(files))


def test_a_file_of_too_many_bytes_is_not_even_opened() -> None:
    with pytest.raises(BadAsk, match="the most is 50,000,000"):
        read_charx(bytes(50_000_001))
    with pytest.raises(BadAsk, match="Leave out some assets"):
        write_charx({"x": bytes(50_000_000)})


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"PK\x03\x04", "broken zip"),
        (packed({"card.json": as_bytes(v3())})[:-10], "broken zip"),
        (packed({"other.json": b"{}"}), "no card.json at its root"),
        (packed({"deep/card.json": as_bytes(v3())}), "no card.json at its root"),
        (packed({"card.json": b"{"}), "is not JSON"),
        (
            packed({"card.json": as_bytes(v3(x=" a" * 2_500_000))}),
            "card.json has .* the most is 5,000,000|times its size",
        ),
    ],
    ids=case,
)
def test_a_broken_charx_is_refused_with_the_reason(data: bytes, told: str) -> None:
    """S-5."""
    with pytest.raises(BadAsk, match=told):
        read_card(data)


def test_a_damaged_file_is_found_by_its_checksum() -> None:
    data = entry("x", b"honest content").replace(b"honest content", b"forged content")

    with pytest.raises(BadAsk, match="broken zip"):
        read_card(data)
