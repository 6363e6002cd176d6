"""Folders that only their owner can read."""

from pathlib import Path


def make_private_folder(path: Path) -> None:
    """Create the folder and its missing parents with mode 700. An existing folder stays as it is."""
    for each in reversed([path, *path.parents]):
        if not each.exists():
            each.mkdir(mode=0o700, exist_ok=True)
