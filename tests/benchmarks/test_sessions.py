"""The benchmark of labelled campaigns: what it counts as found, right and answered, on a session of a few lines."""

import json
from pathlib import Path
from typing import Any

from benchmarks.sessions import LabelledCampaign, Report, measure

LOG = """\
GM: The ferry lands at Port Ansel. Odessa Varr waits on the quay.
Mia: I wave to Odessa Varr
Jan: pass the crisps, I am starving tonight
GM: "The lamp of Port Ansel is made of brass," says Odessa Varr.
Jan: We decide to follow Odessa Varr to Port Ansel's lamp.
Mia: I ask Odesa Varr about the lamp
"""
LABELS: dict[str, Any] = {
    "title": "The Brass Lamp",
    "entities": [
        {"name": "Odessa Varr", "aliases": ["Odessa"]},
        {"name": "Port Ansel", "aliases": []},
        {"name": "The Drowned King", "aliases": [], "is_hidden": True},
    ],
    "misspellings": [{"wrong": "Odesa Varr", "right": "Odessa Varr", "session": 1, "message": 5}],
    "sessions": [{"session": 1, "table_talk": [2]}],
    "questions": [
        {
            "question": "What is the lamp of Port Ansel made of?",
            "asked_by": "player",
            "gm_only": False,
            "answers": [{"session": 1, "message": 3}],
        },
        {"question": "How many moons has Zagraph?", "asked_by": "player", "gm_only": False, "answers": []},
        {"question": "Who is the Drowned King?", "asked_by": "player", "gm_only": True, "answers": []},
    ],
}


async def measured(folder: Path, **labels: Any) -> Report:
    campaign = folder / "campaign"
    campaign.mkdir()
    (campaign / "session-1.txt").write_text(LOG, encoding="utf-8")
    (campaign / "labels.json").write_text(json.dumps(LABELS | labels), encoding="utf-8")
    return await measure(LabelledCampaign.read(campaign), folder)


async def test_a_session_is_scored_against_its_labels(tmp_path: Path) -> None:
    report = await measured(tmp_path)

    assert (report.found.part, report.found.of) == (2, 2)
    assert report.sensible.examples == []
    assert report.misspellings.share == 1
    assert report.first.share == 1
    assert report.unanswerable.of == 1
    assert report.in_character.part == report.in_character.of > 0
    assert len(report.decisions) == 1


async def test_a_name_that_no_label_knows_is_no_sensible_proposal(tmp_path: Path) -> None:
    report = await measured(tmp_path, entities=LABELS["entities"][1:], misspellings=[])

    assert report.found.part == report.found.of == 1
    assert any("Odessa" in each for each in report.sensible.examples)
    assert report.right.share < 1


async def test_answers_labelled_elsewhere_are_not_counted(tmp_path: Path) -> None:
    question = {**LABELS["questions"][0], "answers": [{"session": 1, "message": 1}]}
    report = await measured(tmp_path, questions=[question])

    assert (report.first.part, report.first.of) == (0, 1)
    assert report.first.examples == [question["question"]]
