"""bench entities: how well names are found in what was played, without a model."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from everlore.cli.options import AsJson
from everlore.cli.output import emit, shown

_MOST_SHOWN = 15


class Part(StrEnum):
    HELD = "held"
    DEV = "dev"
    ALL = "all"


def entities(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="FOLDER",
            help="A folder with chats (*.json), names.jsonl, or both; default: the set that comes with the benchmark.",
            show_default=False,
        ),
    ] = None,
    part: Annotated[
        Part, typer.Option("--part", help="Part of the built-in set: held back, or used to develop the rules.")
    ] = Part.HELD,
    as_json: AsJson = False,
) -> None:
    """Measure how well names are found in labeled chats.

    Precision and recall of names, by entity and by mention; how many misspellings are matched,
    and how many distinct names are taken for one. No model is called and nothing is saved. docs/campaigns.md
    has figures.
    """
    from benchmarks.entities.scoring import measure
    from benchmarks.entities.sets import built_in, read_folder

    document = measure(built_in(part.value) if data is None else read_folder(data))
    emit(as_json, document, _lines(document))


def _lines(document: dict[str, Any]) -> Iterator[str]:
    talks, messages = document["talks"], document["messages"]
    yield f"{talks} talks of {messages} messages, {document['pairs']} pairs of names"
    yield ""
    yield f"{'':<28}  precision  recall   right  wrong  missed"
    for title, name in (("names, by entity", "entities"), ("names, by mention", "mentions")):
        yield _counts_line(title, document[name])
    yield ""
    for title, name in (
        ("kinds right", "kinds_right"),
        ("words taken for names", "words_taken_for_names"),
        ("misspellings matched", "misspellings_matched"),
        ("mistyped names matched", "mistyped_matched"),
        ("… or suggested", "mistyped_suggested"),
        ("other forms matched", "same_names_matched"),
        ("distinct names merged", "distinct_names_merged"),
        ("… of one talk", "distinct_names_merged_in_talks"),
    ):
        each = document[name]
        share = "–" if each["share"] is None else f"{each['share']:.1%}"
        yield f"{title:<28}  {share:>9}  {each['part']} of {each['of']}"
    yield from _example_lines("wrong", document["wrong"])
    yield from _example_lines("missed", document["missed"])


def _counts_line(title: str, each: dict[str, Any]) -> str:
    found, wanted = each["right"] + each["wrong"], each["right"] + each["missed"]
    precision = f"{each['precision']:.1%}" if found else "–"
    recall = f"{each['recall']:.1%}" if wanted else "–"
    return f"{title:<28}  {precision:>9}  {recall:>6}  {each['right']:>6}  {each['wrong']:>5}  {each['missed']:>6}"


def _example_lines(title: str, examples: Sequence[dict[str, str]]) -> Iterator[str]:
    if not examples:
        return
    yield ""
    more = f", the first {_MOST_SHOWN} (all: --json)" if len(examples) > _MOST_SHOWN else ""
    yield f"{title}: {len(examples)}{more}"
    for each in examples[:_MOST_SHOWN]:
        yield shown(f"  {each['what']}: {each['text'][:80]}" + (f"  « {each['where'][:70]}" if each["where"] else ""))
