"""A folder of messages with true and false statements, and the readers that answer with them (Q1)."""

import json
from pathlib import Path

import anyio
import pytest

from benchmarks.extract.cases import Case
from benchmarks.extract.extractors import source_of
from benchmarks.extract.gate import found, weighed
from benchmarks.extract.scripted import ScriptedModel
from benchmarks.extract.told import Told, read_folder
from everlore.learning.candidate import Candidate, Extracted
from everlore.learning.facts.prompt import fact_ask
from everlore.learning.facts.trust import Trust

MESSAGE = "Ich wohne in Wien. Das Wetter ist schlecht."


def folder(tmp_path: Path, true: object, false: object) -> list[Told]:
    gold = [{"fact": "User lives in Vienna", "keys": ["vienna"]}]
    rows = {
        "messages": {"id": "1", "message": MESSAGE, "gold": gold, "class": "de"},
        "true": {"id": "1", "true": [true]},
        "false": {"id": "1", "false": [false]},
    }
    for name, row in rows.items():
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    return read_folder(tmp_path)


def answered(told: list[Told]) -> list[dict[str, object]]:
    model = ScriptedModel(told, right=1.0, judges=1.0, name="perfect")
    facts: list[dict[str, object]] = anyio.run(model.ask, fact_ask(source_of(told[0].case)), json.loads)["facts"]
    return facts


def test_a_statement_may_be_a_sentence_alone(tmp_path: Path) -> None:
    told = folder(tmp_path, "User lives in Vienna", {"fact": "User likes rain", "why": "invented"})

    assert (told[0].true, told[0].false) == (("User lives in Vienna",), ("User likes rain",))
    assert str(answered(told)[0]["quote"]) in MESSAGE
    assert "slot" not in answered(told)[0]


def test_a_reader_answers_with_the_fields_of_the_file(tmp_path: Path) -> None:
    true = {"fact": "User lives in Vienna", "quote": "Ich wohne in Wien", "slot": "home", "value": "Vienna"}

    found = answered(folder(tmp_path, true, "User likes rain"))[0]

    assert {key: found[key] for key in ("quote", "slot", "value")} == {k: v for k, v in true.items() if k != "fact"}


@pytest.mark.parametrize(("quote", "n"), [("ich liebe Regen", 1), ("Das Wetter ist schlecht", 0)])
async def test_quotes_that_stand_nowhere_are_counted_apart(tmp_path: Path, quote: str, n: int) -> None:
    told = folder(tmp_path, "User lives in Vienna", {"fact": "User likes rain", "quote": quote})
    careless = ScriptedModel(told, right=0.5, judges=1.0, name="careless")

    document = await weighed(told, careless, trust=Trust.PLAIN, progress=lambda: None)

    assert document["invented_quotes"]["n"] == n
    assert document["invented_quotes"]["active"] == 0


async def test_the_second_of_two_statements_that_say_the_same_is_counted_as_repeated(tmp_path: Path) -> None:
    async def read(_: Case) -> Extracted:
        said = ("User lives in Vienna", "User likes rain", "User lives in Vienna near the river")
        return Extracted(tuple(Candidate(content=each) for each in said))

    document = await found(folder(tmp_path, "User lives in Vienna", "User likes rain"), read, progress=lambda: None)

    assert [each["statement"] for each in document["repeated"]] == ["User lives in Vienna"]
    assert document["classes"]["all"]["repeated"] == 1
    assert [each["statement"] for each in document["beside"]] == ["User likes rain"]
