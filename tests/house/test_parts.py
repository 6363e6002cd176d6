"""The last lines of a run say how long each part of it took."""

from collections import Counter
from pathlib import PurePosixPath as Path

from tests.parts import lines_of

DEEP = Path("tests/recall/deep/test_it.py")
SHORT = Path("tests/recall/test_that.py")
OTHER = Path("tests/cli/test_x.py")


def test_folders_are_summed_up_with_the_longest_last() -> None:
    lines = lines_of({DEEP: 2.0, SHORT: 1.0, OTHER: 12.4}, Counter({DEEP: 2, SHORT: 1, OTHER: 5}))

    assert [each.split() for each in lines] == [
        ["3", "s", "3", "tests", "tests/recall"],
        ["12", "s", "5", "tests", "tests/cli"],
    ]


def test_of_one_folder_its_files_are_told() -> None:
    lines = lines_of({DEEP: 2.0, SHORT: 1.0}, Counter({DEEP: 2, SHORT: 1}))

    assert [each.split()[-1] for each in lines] == [str(SHORT), str(DEEP)]
