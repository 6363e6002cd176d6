from pathlib import Path

import numpy as np

from benchmarks.references import PlainText, nearest, recall_of, telling_words


def test_the_nearest_come_best_first() -> None:
    cosines = np.array([0.1, 0.9, 0.5, 0.7], np.float32)

    assert nearest(cosines, 2) == [1, 3]
    assert nearest(cosines, 10) == [1, 3, 2, 0]


def test_recall_is_the_share_of_the_best_that_was_found() -> None:
    cosines = np.array([0.9, 0.8, 0.7, 0.1], np.float32)

    assert recall_of(cosines, [0, 1], limit=2) == 1.0
    assert recall_of(cosines, [1, 3], limit=2) == 0.5
    assert recall_of(cosines, [], limit=2) == 0.0


def test_one_that_ties_with_the_last_is_as_good() -> None:
    cosines = np.array([0.9, 0.5, 0.4995, 0.1], np.float32)

    assert recall_of(cosines, [0, 2], limit=2) == 1.0


def test_finding_one_twice_does_not_count_twice() -> None:
    cosines = np.array([0.9, 0.8, 0.1], np.float32)

    assert recall_of(cosines, [0, 0], limit=2) == 0.5


def test_a_scope_smaller_than_the_limit_can_be_found_whole() -> None:
    assert recall_of(np.array([0.9, 0.1], np.float32), [0, 1], limit=20) == 1.0
    assert recall_of(np.array([], np.float32), [], limit=20) == 1.0


def test_plain_full_text_is_asked_for_the_words_that_the_stores_look_for() -> None:
    assert telling_words("What did Mira tell Jonas about the harbour market?") == [
        "mira",
        "tell",
        "jonas",
        "harbour",
        "market",
    ]


async def test_plain_full_text_answers(tmp_path: Path) -> None:
    plain = PlainText(tmp_path / "plain.db", ["Mira likes the harbour", "Jonas likes markets"])

    await plain.arm(["Who likes the market?"])(0)
    await plain.arm(["Who likes the market?"], all_words=True)(5)
    best = plain.best('"market"')
    plain.close()

    assert best == [2]
