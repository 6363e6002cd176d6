"""Folders that nobody but their owner can look into."""

from pathlib import Path


def make_private_folder(path: Path) -> None:
    """Make the folder, and those above it that are missing, with mode 700. One that is there stays as it is."""
    for each in reversed([path, *path.parents]):
        if not each.exists():
            each.mkdir(mode=0o700, exist_ok=True)
