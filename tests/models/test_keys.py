"""Keys of providers at rest (V5)."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from everlore.errors import Misconfigured
from everlore.models.keys import KEY_FILE, Seal

KEY = "sk-very-secret-0123456789"


def with_passphrase(passphrase: str) -> Seal:
    return Seal(SecretStr(passphrase), Path("/nowhere"))


def test_what_was_sealed_comes_back_and_is_not_readable_between(tmp_path: Path) -> None:
    seal = Seal(None, tmp_path)

    token = seal.seal(KEY)

    assert KEY not in token
    assert seal.unseal(token) == KEY


def test_another_process_with_the_same_folder_opens_it(tmp_path: Path) -> None:
    token = Seal(None, tmp_path).seal(KEY)

    assert Seal(None, tmp_path).unseal(token) == KEY


def test_a_passphrase_alone_is_enough_and_leaves_no_file(tmp_path: Path) -> None:
    token = Seal(SecretStr("correct horse"), tmp_path).seal(KEY)

    assert Seal(SecretStr("correct horse"), tmp_path / "elsewhere").unseal(token) == KEY
    assert list(tmp_path.iterdir()) == []


_SEAL = with_passphrase("correct horse")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_survives(text: str) -> None:
    assert _SEAL.unseal(_SEAL.seal(text)) == text


def test_the_key_file_is_for_the_owners_eyes_only(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "yet"

    Seal(None, folder).seal(KEY)

    assert stat.S_IMODE((folder / KEY_FILE).stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == [KEY_FILE]


def test_processes_that_start_at_once_agree_on_one_file(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from everlore.models.keys import Seal; "
        "print('ready', flush=True); sys.stdin.read(1); print(Seal(None, Path(sys.argv[1])).seal(sys.argv[2]))"
    )
    arguments = [sys.executable, "-c", program, str(tmp_path)]
    running = [
        subprocess.Popen([*arguments, f"key {n}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for n in range(6)
    ]
    for process in running:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"

    for process in running:
        assert process.stdin
        process.stdin.write("go")
        process.stdin.flush()
    tokens = [process.communicate()[0].strip() for process in running]

    seal = Seal(None, tmp_path)
    assert [seal.unseal(token) for token in tokens] == [f"key {n}" for n in range(6)]


def test_nothing_is_made_by_looking(tmp_path: Path) -> None:
    token = with_passphrase("correct horse").seal(KEY)

    with pytest.raises(Misconfigured, match=r"cannot be read \(No such file.*EVERLORE_SECRET_KEY"):
        Seal(None, tmp_path).unseal(token)

    assert list(tmp_path.iterdir()) == []


# What it says when it cannot.


@pytest.mark.parametrize("broken", ["", "no token", "gAAAAA=="])
def test_what_is_no_seal_says_what_to_do(broken: str) -> None:
    with pytest.raises(Misconfigured, match=r"EVERLORE_SECRET_KEY: it was sealed with another secret.*enter the key"):
        with_passphrase("correct horse").unseal(broken)


def test_another_passphrase_says_what_to_do_without_telling_anything() -> None:
    token = with_passphrase("correct horse").seal(KEY)

    with pytest.raises(Misconfigured, match="sealed with another secret") as caught:
        with_passphrase("battery staple").unseal(token)

    assert not any(secret in str(caught.value) for secret in (KEY, "correct horse", "battery staple", token))


def test_another_key_file_says_what_to_do(tmp_path: Path) -> None:
    token = Seal(None, tmp_path / "one").seal(KEY)
    Seal(None, tmp_path / "two").seal("something")

    with pytest.raises(Misconfigured, match=rf"{KEY_FILE}: it was sealed with another secret"):
        Seal(None, tmp_path / "two").unseal(token)


def test_a_damaged_key_file_is_named(tmp_path: Path) -> None:
    (tmp_path / KEY_FILE).write_text("half a k")

    with pytest.raises(Misconfigured, match=rf"{KEY_FILE} is not a key file of Everlore, or is damaged"):
        Seal(None, tmp_path).seal(KEY)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")

    with pytest.raises(Misconfigured, match=r"cannot be made.*set EVERLORE_SECRET_KEY to a long passphrase"):
        Seal(None, blocked).seal(KEY)


def test_an_empty_passphrase_is_refused() -> None:
    with pytest.raises(Misconfigured, match=r"EVERLORE_SECRET_KEY is empty"):
        with_passphrase("").seal(KEY)


def test_the_secret_is_in_no_repr(tmp_path: Path) -> None:
    seal = with_passphrase("correct horse")

    assert "correct horse" not in repr(seal) + repr(vars(seal))


def test_a_full_disk_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(Misconfigured, match="No space left on device"):
        Seal(None, tmp_path).seal(KEY)

    assert list(tmp_path.iterdir()) == []
