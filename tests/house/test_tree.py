"""What stands in the repository works wherever it is cloned, and speaks of the project only."""

from tests.house.tree import ROOT, kept_files

# Put together here, so that this file does not hold what it looks for.
_ELSEWHERE = [
    "pypi" + ".org",
    "files." + "pythonhosted",
    "registry." + "npmjs",
    "npm" + "mirror",
    "deb." + "debian.org",
    "archive." + "ubuntu.com",
    "http_" + "proxy=",
    "https_" + "proxy=",
    "/" + "root/",
    "/" + "work/main",
    "/" + "work/shared",
    "/" + "builds/",
    "/" + "Users/",
]


def test_no_file_names_a_package_registry_or_a_folder_of_a_build_machine() -> None:
    """A lock file with an index in it would send everybody there; a path of one machine exists on no other."""
    found = [
        f"{path.relative_to(ROOT)}:{number}: {needle}"
        for path in kept_files()
        if (text := _text(path.read_bytes())) is not None
        for number, line in enumerate(text.splitlines(), 1)
        for needle in _ELSEWHERE
        if needle in line
    ]

    assert found == []


def test_something_was_looked_at() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in kept_files()}

    assert {"pyproject.toml", "src/everlore/app.py", "requirements/runtime.txt"} <= names
    assert not any(name.startswith(".venv/") for name in names)


def _text(content: bytes) -> str | None:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
