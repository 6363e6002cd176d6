import json

from benchmarks.bars import bars_of
from benchmarks.report import json_of, table, text_of
from tests.benchmarks.results import results, size_result, store_result


def test_columns_are_aligned() -> None:
    shown = table(["what", "1,000"], [["a long name", "1.5"], ["b", "12.25"]])

    assert shown.splitlines() == [
        "what         1,000",
        "------------------",
        "a long name    1.5",
        "b            12.25",
    ]


def test_the_report_shows_both_percentiles_and_every_bar() -> None:
    store = store_result("sqlite", size_result(1000, hybrid=10), size_result(10_000, hybrid=100))

    text = text_of(results(store), bars_of(store))

    assert "1.00 / 10.0" in text
    assert "10.0 / 100.0" in text
    assert "PASS" in text
    assert "FAIL" in text


def test_what_was_left_out_is_said() -> None:
    store = store_result("sqlite", size_result())
    found = results(store)
    partly = type(found)(found.machine, found.model, found.embed_question, found.stores, ("PostgreSQL. Name one.",))

    assert "left out: PostgreSQL. Name one." in text_of(partly, [])


def test_the_json_holds_the_numbers_and_the_bars() -> None:
    store = store_result("postgres", size_result(1000, hybrid=21))

    found = json.loads(json_of(results(store), bars_of(store)))

    assert found["stores"][0]["sizes"][0]["searches"]["hybrid"]["p95_ms"] == 21
    assert found["machine"]["postgres"] == "18.6"
    assert {bar["holds"] for bar in found["bars"]} == {True, False}
