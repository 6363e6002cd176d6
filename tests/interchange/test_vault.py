"""Pages of a vault, and vaults as files: what is written is read again, and what is hostile is refused (G12, S-5)."""

import io
import stat
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.errors import BadAsk
from everlore.interchange import vaultfiles
from everlore.interchange.vault import (
    VaultItem,
    VaultPage,
    is_true,
    item_lines,
    items_in,
    link_to,
    links_in,
    read_page,
    stem_of,
    texts_in,
    unlinked,
    write_page,
)
from everlore.interchange.vaultfiles import read_folder, read_zip, write_folder, write_zip

# ── pages ────────────────────────────────────────────────────────────────────────────────────────


def test_properties_are_plain_values() -> None:
    """G12: `no` and times are words, as people mean them; numbers and truth are what they are."""
    page = read_page(
        "a.md", b"---\naliases: [No, 12:30, 2026-01-01, Ilka]\nhp: 12\nspoiler: true\nx: 1.5\n---\nText.\n"
    )

    assert page.front == {"aliases": ["No", "12:30", "2026-01-01", "Ilka"], "hp": 12, "spoiler": True, "x": 1.5}
    assert page.body == "Text."
    assert texts_in(page.front, "aliases") == ("No", "12:30", "2026-01-01", "Ilka")
    assert is_true(page.front, "spoiler")


@pytest.mark.parametrize(
    ("front", "message"),
    [
        ("a: [1", "not YAML in line"),
        ("a: &x [1]\nb: *x", "anchors and aliases"),
        ("a: !!python/object/apply:os.system ['true']", "not YAML"),
        ("- just\n- a list", "are a list"),
        ("a: 1\n" + "b" * 70_000, "more than 64,000"),
        ("a: " + "[" * 500 + "]" * 500, "nest too deeply|cannot be read"),
        ("a: " + "{b: " * 20 + "1" + "}" * 20, "nest too deeply"),
    ],
)
def test_bad_properties_are_refused_with_the_place(front: str, message: str) -> None:
    """S-5: and nothing in them is ever run."""
    with pytest.raises(BadAsk, match=message):
        read_page("People/a.md", f"---\n{front}\n---\n\nText.".encode())


def test_properties_without_an_end_are_refused() -> None:
    with pytest.raises(BadAsk, match="a line --- is missing"):
        read_page("a.md", b"---\nid: 1\n\nText.")
    with pytest.raises(BadAsk, match="not UTF-8"):
        read_page("a.md", b"\xff\xfe\xfd")
    with pytest.raises(BadAsk, match="NUL"):
        read_page("a.md", b"a\x00b")


def test_other_types_of_yaml_become_texts() -> None:
    """S-5: what is kept is JSON."""
    page = read_page("a.md", b"---\na: !!timestamp 2026-01-01\nb: !!binary aGk=\nc: !!float .nan\n---\n")

    assert page.front == {"a": "2026-01-01", "b": "b'hi'", "c": "nan"}


def test_a_page_without_properties_or_without_text_is_one() -> None:
    assert read_page("a.md", b"Only text.\r\nTwo lines.") == VaultPage("a.md", {}, "Only text.\nTwo lines.")
    assert read_page("a.md", b"---\nid: x\n---") == VaultPage("a.md", {"id": "x"}, "")
    assert read_page("a.md", b"---\n---\nText.") == VaultPage("a.md", {}, "Text.")


_VALUES = st.text(max_size=20) | st.integers(-(10**15), 10**15) | st.booleans() | st.none()
_NAMES = st.text(min_size=1, max_size=10)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(_NAMES, _VALUES | st.lists(_VALUES, max_size=3), max_size=4), st.text(max_size=60))
def test_a_page_is_read_as_it_was_written(front: dict[str, Any], body: str) -> None:
    """G12: whatever stands in it."""
    plain = body.replace("\x00", "").replace("\r", "")
    kept = {name: value for name, value in front.items() if _is_plain(name) and _is_plain(value)}
    page = VaultPage("a.md", kept, plain.strip())

    assert read_page("a.md", write_page(page)) == page


def _is_plain(value: Any) -> bool:
    texts = value if isinstance(value, list) else [value]
    # Ends of lines other than ours, and characters that YAML does not write, become others of their kind.
    return all(not isinstance(each, str) or (each.isprintable() and "\x85" not in each) for each in texts)


# ── lists ────────────────────────────────────────────────────────────────────────────────────────


def test_items_have_ids_sections_and_more_than_one_paragraph() -> None:
    """G12."""
    scenes = "## Scenes\n\n- One. ^a\n- Two\n\n  goes on\n  - with a list #spoiler ^b-1\n"
    items, outside = items_in(f"Before.\n\n{scenes}\n## Facts\n* Three\n\nAfter.")

    assert items == [
        VaultItem("Scenes", "One.", "a"),
        VaultItem("Scenes", "Two\n\ngoes on\n- with a list", "b-1", True),
        VaultItem("Facts", "Three"),
    ]
    assert outside.split() == ["Before.", "After."]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(alphabet="ab \n-#^*[]", max_size=30), max_size=4), st.booleans())
def test_an_item_is_read_as_it_was_written(texts: list[str], spoiler: bool) -> None:
    """G12: with whatever marks in it."""
    known = [" ".join(each.split(" ")).strip() for each in texts]
    lines = ["\n".join(line.rstrip() for line in each.split("\n")).strip() for each in known]
    wanted = [VaultItem("S", each, f"i{at}", spoiler) for at, each in enumerate(lines) if each]
    body = "## S\n\n" + "\n".join(item_lines(each) for each in wanted)

    assert items_in(body)[0] == wanted


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def test_files_are_called_so_that_every_disk_takes_them() -> None:
    """G12, S-5: no way out of the folder, none twice on disks that know no case."""
    taken: set[str] = set()

    assert stem_of("../../etc/passwd", taken) == "etc passwd"
    assert stem_of("Orne", taken) == "Orne"
    assert stem_of("orne", taken) == "orne (2)"
    assert stem_of("CON", taken) == "_CON"
    assert stem_of("...", taken) == "_"
    assert stem_of("What? [a] #b", taken) == "What a b"
    assert len(stem_of("x" * 500, taken)) == 100


def test_links_are_found_and_taken_out() -> None:
    text = "See [[Orne]], [[NPCs/Ilka|the sister]] and [[Oswin#Plan|him]]."

    assert links_in(text) == ["Orne", "Ilka", "Oswin"]
    assert unlinked(text, lambda name: name == "Orne") == "See [[Orne]], the sister and him."
    assert link_to("Ilka", "the|sister") == "[[Ilka|the sister]]"


# ── files ────────────────────────────────────────────────────────────────────────────────────────


def packed(*entries: tuple[str, bytes], mode: int = 0) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in entries:
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = mode << 16
            opened.writestr(entry, content)
    return made.getvalue()


def test_a_zip_gives_its_pages_and_nothing_else() -> None:
    """G12: pictures and the settings of programs are passed over; the same files give the same bytes."""
    files = {"Orne.md": b"a", "NPCs/Ilka.md": b"b"}

    assert read_zip(write_zip(files)) == files
    assert write_zip(files) == write_zip(dict(reversed(files.items())))
    assert read_zip(packed(("a.md", b"x"), (".obsidian/b.md", b"y"), ("c.png", b"z"))) == {"a.md": b"x"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (packed(("../evil.md", b"x")), "not a plain path"),
        (packed(("/etc/evil.md", b"x")), "not a plain path"),
        (packed(("C:/evil.md", b"x")), "not a plain path"),
        (packed(("a.md", b"/etc/passwd"), mode=stat.S_IFLNK | 0o777), "a link or a device"),
        (packed(("a.md", b"x"), ("A.md", b"y")), "twice"),
        (packed(("a.md", b"0" * 50_000_000)), "unpacks to more than"),
        (b"PK\x03\x04nonsense", "broken zip"),
        (b"nonsense", "broken zip"),
    ],
)
def test_a_hostile_zip_is_refused(data: bytes, message: str) -> None:
    """S-5: zip-slip, links, bombs, and what is no zip."""
    with pytest.raises(BadAsk, match=message):
        read_zip(data)


def test_a_zip_of_too_many_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vaultfiles, "_BOUNDS", replace(vaultfiles._BOUNDS, entries=3))
    with pytest.raises(BadAsk, match="more than 3 entries"):
        read_zip(packed(*((f"{at}.md", b"") for at in range(4))))


def test_a_folder_is_written_and_read(tmp_path: Path) -> None:
    """G12: not over what is there, and not through links."""
    files = {"Orne.md": b"a", "NPCs/Ilka.md": b"b"}
    root = tmp_path / "vault"

    assert write_folder(root, files) == 2
    (root / ".obsidian").mkdir()
    (root / ".obsidian" / "x.md").write_bytes(b"no")
    (root / "map.png").write_bytes(b"no")
    assert read_folder(root) == files
    with pytest.raises(BadAsk, match="not empty"):
        write_folder(root, files)
    assert write_folder(root, files, force=True) == 2
    with pytest.raises(BadAsk, match="not a plain path"):
        write_folder(root, {"../x.md": b""}, force=True)


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    """S-5: neither read nor written through."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_bytes(b"secret")
    root = tmp_path / "vault"
    root.mkdir()
    (root / "NPCs").symlink_to(outside)

    with pytest.raises(BadAsk, match="is a link"):
        read_folder(root)
    with pytest.raises(BadAsk, match="is a link"):
        write_folder(root, {"NPCs/secret.md": b"x"}, force=True)
    assert (outside / "secret.md").read_bytes() == b"secret"


def test_a_huge_page_and_a_wrong_path_are_refused(tmp_path: Path) -> None:
    """S-5."""
    (tmp_path / "a.md").write_bytes(b"x" * (vaultfiles.MOST_FILE_BYTES + 1))

    with pytest.raises(BadAsk, match="Split it"):
        read_folder(tmp_path)
    with pytest.raises(BadAsk, match="cannot be read"):
        read_folder(tmp_path / "nowhere")
