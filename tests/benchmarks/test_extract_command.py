"""`python -m benchmarks.extract` in real processes (Q1): a table for people, a JSON document for programs."""

import json
from pathlib import Path

import pytest

from tests.cli.process import Command, ExtractBenchmark
from tests.models.chat_server import ChatServer, Exchange

NAMES = {"n", "precision", "recall", "hallucinated", "junk_per_100", "by_category", "wrong", "missed"}
RECALLS = {"recall_stated", "recall_implied", "facts_stated", "facts_implied", "by_stratum"}
HOME = {
    "id": "home",
    "assistant": "Nova",
    "messages": [{"role": "user", "content": "I live in Seattle."}],
    "facts": [{"content": "User lives in Seattle", "category": "personal_info"}],
}
HELLO = {"id": "hello", "assistant": "Nova", "messages": [{"role": "user", "content": "Hello there!"}], "facts": []}
GARDEN = {
    "id": "garden",
    "assistant": "Nova",
    "messages": [{"role": "user", "content": "My garden is a jungle of nettles, my pride and my despair."}],
    "facts": [{"content": "User has a garden", "category": "personal_info"}],
}


@pytest.fixture
def cli(tmp_path: Path) -> Command:
    return ExtractBenchmark(tmp_path / "data")


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Only what the public shape names: no tags, no parts."""
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (HOME, HELLO)), encoding="utf-8")
    return path


def test_a_file_is_measured_and_the_result_is_one_document(cli: Command, cases: Path) -> None:
    done = cli.ok("--data", str(cases), "--json")

    assert set(done.document) >= NAMES | RECALLS
    assert (done.document["n"], done.document["extractor"]) == (2, "offline")
    assert (done.document["precision"], done.document["recall"]) == (1.0, 1.0)
    assert (done.document["wrong"], done.document["missed"]) == ([], [])
    assert done.err == ""


def test_people_get_a_table(cli: Command, cases: Path) -> None:
    done = cli.ok("--data", str(cases))

    assert "offline: 2 messages, 1 facts, 1 predictions" in done.out
    assert "precision         100.0%" in done.out
    assert "recall            100.0%" in done.out
    assert "  stated          100.0%  of 1" in done.out
    assert "  implied              –  of 0" in done.out
    assert "stratum" not in done.out
    assert "preference         0            0          –       –" in done.out
    assert "personal_info      1            1     100.0%  100.0%" in done.out


def test_what_each_rule_brings_is_told(cli: Command, cases: Path) -> None:
    """Q1: which rules said how much, and how much of that is right."""
    done = cli.ok("--data", str(cases), "--by-rule")

    assert done.out.split() == "rule said right wrong english.home 1 1 0".split()


def test_the_set_that_comes_along_is_measured_without_a_file(cli: Command) -> None:
    whole = cli.ok("--part", "dev", "--json").document
    part = cli.ok("--part", "dev", "--limit", "7", "--json").document

    assert whole["n"] > 200
    assert set(whole["by_category"]) == {"personal_info", "preference", "experience", "relationship", "goal", "skill"}
    assert whole["by_tag"]["question"]["n"] > 5
    assert part["n"] == 7


def test_a_part_is_measured_by_its_name(cli: Command) -> None:
    assert cli.ok("--part", "judge", "--json").document["n"] == 120


def test_ordinary_messages_have_a_line_of_their_own(cli: Command, tmp_path: Path) -> None:
    path = tmp_path / "strata.jsonl"
    path.write_text(json.dumps(HOME | {"tags": ["everyday"]}) + "\n" + json.dumps(HELLO), encoding="utf-8")

    done = cli.ok("--data", str(path))

    assert "stratum   messages  facts  precision  recall  stated  implied" in done.out
    assert "everyday         1      1     100.0%  100.0%  100.0%        –" in done.out
    assert "others           1      0          –       –       –        –" in done.out


def test_the_bad_model_is_the_same_each_time_and_nothing_is_written(cli: Command) -> None:
    args = ("--extractor", "bad-model", "--limit", "40", "--json")

    first, second = cli.ok(*args), cli.ok(*args)

    assert first.out == second.out
    assert first.document["refused"] > 0
    assert not cli.database.exists()


def test_without_a_model_the_measuring_of_one_says_so(cli: Command, cases: Path) -> None:
    done = cli("--data", str(cases), "--extractor", "model", "--json")

    assert (done.code, done.out) == (5, "")
    assert "There is no model to measure" in done.error["message"]
    assert "EVERLORE_CHAT__PROVIDER" in done.error["message"]


async def says_garden(exchange: Exchange) -> None:
    fact = {"content": "User has a garden", "category": "personal_info", "confidence": 0.9, "quote": "My garden"}
    await exchange.begin()
    await exchange.text([json.dumps({"facts": [fact]})])
    await exchange.finish()
    await exchange.end()


def test_the_configured_model_is_measured(cli: Command, tmp_path: Path) -> None:
    path = tmp_path / "garden.jsonl"
    path.write_text(json.dumps(GARDEN), encoding="utf-8")

    with ChatServer(scenario=says_garden) as server:
        with_model = cli.having(
            EVERLORE_CHAT__PROVIDER="openai",
            EVERLORE_CHAT__BASE_URL=server.url,
            EVERLORE_CHAT__API_KEY="key",
            EVERLORE_CHAT__MODEL="small-model",
        )
        document = with_model.ok("--data", str(path), "--extractor", "model", "--trust", "plain", "--json").document

    assert document["extractor"] == "small-model"
    assert (document["recall"], document["precision"]) == (1.0, 1.0)
    assert "my pride and my despair" in json.dumps(server.asked[-1].body)


def test_triplets_are_measured_by_their_tails(cli: Command, tmp_path: Path) -> None:
    path = tmp_path / "triplets.jsonl"
    triplet = {"tokens": ["i", "live", "in", "seattle", "."], "head": [0], "tail": [3], "label": "place"}
    path.write_text(json.dumps({"triplets": [triplet]}), encoding="utf-8")

    done = cli.ok("--format", "personaext", "--data", str(path), "--json")
    shown = cli.ok("--format", "personaext", "--data", str(path))

    assert (done.document["n"], done.document["recall"]) == (1, 1.0)
    assert done.document["predictions_per_utterance"] >= 1.0
    assert "noisy" in done.document["caveat"]
    assert "noisy" in shown.out


@pytest.mark.parametrize(
    ("content", "args", "complaint"),
    [
        ('{"id": 1}', (), "Line 1 of"),
        ("nonsense", (), "is not JSON"),
        ("", (), "holds no case"),
        (json.dumps(HOME), ("--part", "test"), "No case has the part 'test'"),
        (json.dumps(HOME), ("--format", "personaext"), "no line of triplets"),
        (json.dumps(HOME), ("--limit", "0"), "--limit"),
        (json.dumps(HOME), ("--extractor", "magic"), "magic"),
    ],
)
def test_what_cannot_be_measured_is_a_bad_ask(
    cli: Command, tmp_path: Path, content: str, args: tuple[str, ...], complaint: str
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(content, encoding="utf-8")

    done = cli("--data", str(path), *args, "--json")

    assert (done.code, done.out) == (2, "")
    assert done.error["type"] == "BadAsk"
    assert complaint in done.error["message"]


def test_a_file_that_is_not_there_is_a_bad_ask(cli: Command) -> None:
    missing = cli("--data", "nowhere.jsonl", "--json")
    needed = cli("--format", "personaext", "--json")

    assert (missing.code, needed.code) == (2, 2)
    assert "'nowhere.jsonl' cannot be read" in missing.error["message"]
    assert "Add --data PATH" in needed.error["message"]
