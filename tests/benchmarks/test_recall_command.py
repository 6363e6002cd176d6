"""`python -m benchmarks.recall` in real processes (R13, Q1): tables for people, a JSON document for programs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import Command, RecallBenchmark

OVERALL = {
    *("n", "recall@1", "recall@5", "recall@10", "recall@20", "ndcg@10", "budget500", "budget1000", "budget2000"),
}
SAID = [
    ("t1", "Mira", "I adopted a greyhound called Biscuit.", "2024-05-01T10:00", "1"),
    ("t2", "Jonas", "How lovely, does he like the beach?", "2024-05-01T10:01", "1"),
    ("t3", "Jonas", "My violin broke before the concert.", "2024-06-01T10:00", "2"),
]
CASE = {
    "case": "pets",
    "turns": [
        {"id": id, "speaker": speaker, "text": text, "date": date, "session": session}
        for id, speaker, text, date, session in SAID
    ],
    "queries": [
        {"id": "q1", "text": "What is the greyhound called?", "gold": ["t1"], "category": "single-hop"},
        {"id": "q2", "text": "Whose violin broke?", "gold": ["t3"], "category": "multi-hop"},
    ],
}


@pytest.fixture
def cli(tmp_path: Path) -> Command:
    return RecallBenchmark(tmp_path / "data")


@pytest.fixture
def turns(tmp_path: Path) -> Path:
    path = tmp_path / "turns.jsonl"
    path.write_text(json.dumps(CASE) + "\n", encoding="utf-8")
    return path


def _recall(data: Path, *more: str) -> list[str]:
    return ["--format", "turns", "--data", str(data), *more]


def test_a_file_is_measured_and_the_result_is_one_document(cli: Command, turns: Path) -> None:
    """R13: the shape that programs read."""
    done = cli.ok(*_recall(turns, "--json"))

    document: dict[str, Any] = done.document
    assert set(document["overall"]) >= OVERALL
    assert (document["overall"]["n"], document["overall"]["recall@20"]) == (2, 1.0)
    assert set(document["by_category"]) == {"single-hop", "multi-hop"}
    assert set(document["latency_ms"]) == {"p50", "p95"}
    assert done.err == ""


def test_without_a_file_the_talks_that_come_along_are_asked_about(cli: Command) -> None:
    """R13: with nothing to fetch."""
    document = json.loads(cli.ok("--limit", "2", "--json").out)
    refused = cli("--format", "beam", "--json")

    assert (document["data"], document["format"], document["overall"]["n"]) == ("talks", "turns", 2)
    assert refused.code == 2
    assert "--format beam needs a file" in refused.error["message"]


def test_without_a_file_the_memories_that_come_along_are_asked_about(cli: Command) -> None:
    """R13: what is said to a character, and what it should have in mind."""
    document = json.loads(cli.ok("--memories", "--turn", "--limit", "2", "--json").out)
    refused = cli("--memories", "--format", "beam", "--data", ".", "--json")

    assert (document["data"], document["turns"], document["overall"]["n"]) == ("memories", 60, 2)
    assert refused.code == 2
    assert "--memories takes locomo or turns" in refused.error["message"]


def test_nothing_of_the_users_is_touched(cli: Command, turns: Path) -> None:
    cli.ok(*_recall(turns))

    assert not cli.folder.exists()


def test_people_get_tables_beside_the_plain_ways(cli: Command, turns: Path) -> None:
    done = cli.ok(*_recall(turns, "--beside", "bm25,cosine,rrf", "--off-topic"))

    assert "turns, embedder wordllama-l2-256: 1 cases, 3 turns, 2 questions" in done.out
    assert all(f"\n{name}" in done.out for name in ("everlore", "bm25", "cosine", "rrf", "over rrf", "single-hop"))
    assert "off topic: share of the questions that brought anything back" in done.out


def test_only_the_first_questions_are_asked(cli: Command, turns: Path) -> None:
    assert cli.ok(*_recall(turns, "--limit", "1", "--json")).document["overall"]["n"] == 1


def test_words_alone_can_be_measured(cli: Command, turns: Path) -> None:
    """R13: --embedder none is full text alone; only BM25 can stand beside it."""
    document = cli.ok(*_recall(turns, "--embedder", "none", "--beside", "bm25", "--json")).document
    refused = cli(*_recall(turns, "--embedder", "none", "--beside", "bm25,rrf", "--json"))

    assert document["embedder"] == "none"
    assert document["overall"]["recall@1"] == 1.0
    assert refused.code == 2
    assert "Without an embedder there is no rrf to compare with." in refused.error["message"]


@pytest.mark.parametrize(
    ("more", "code", "sentence"),
    [
        (("--embedder", "word2vec"), 2, "There is no embedder 'word2vec'."),
        (("--beside", "elastic"), 2, "There is no baseline called 'elastic'."),
        (("--beside", "mem0", "--peers", "nowhere"), 5, "Make it with `make peers`"),
    ],
)
def test_what_cannot_be_is_said(cli: Command, turns: Path, more: tuple[str, ...], code: int, sentence: str) -> None:
    done = cli(*_recall(turns, *more, "--json"))

    assert done.code == code
    assert sentence in done.error["message"]


def test_a_broken_file_is_named_with_its_line(cli: Command, turns: Path) -> None:
    with turns.open("a") as file:
        file.write('{"turns": [{"id": "a"}], "queries": []}\n')

    done = cli(*_recall(turns, "--json"))

    assert done.code == 2
    assert f"Line 2 of {str(turns)!r}, turns, 1.: there is no 'text'." in done.error["message"]


def test_a_haystack_is_measured_by_session_too(cli: Command, tmp_path: Path) -> None:
    """R13: LongMemEval's sessions, and its turns where they are marked."""
    path = tmp_path / "haystack.json"
    question = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Which degree do I have?",
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
        "haystack_session_ids": ["s1", "s2"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I have a degree in law.", "has_answer": True},
                {"role": "assistant", "content": "Congratulations!"},
            ],
            [{"role": "user", "content": "Hello there."}],
        ],
        "answer_session_ids": ["s1"],
    }
    path.write_text(json.dumps([question]), encoding="utf-8")

    done = cli.ok("--format", "longmemeval", "--data", str(path), "--json")

    assert done.document["overall"]["session_recall_any@5"] == 1.0
    assert done.document["overall"]["recall@5"] == 1.0
