"""The verbs that measure how good it is: bench extract, and bench recall of `bench_recall.py`."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlore.cli.bench_recall import recall
from everlore.cli.files import read_whole
from everlore.cli.options import AsJson, Db, Workspace
from everlore.cli.output import emit, shown
from everlore.cli.progress import progress_bar
from everlore.cli.session import Asked, with_settings

if TYPE_CHECKING:
    from everlore.bench.extract.cases import Case
    from everlore.bench.extract.personas import Utterance
    from everlore.bench.extract.scoring import Extract
    from everlore.settings import Settings


bench = typer.Typer(help="Measure how good it is, with figures to compare.", rich_markup_mode=None)

_MOST_BYTES = 200_000_000
_MOST_SHOWN = 10


class ExtractorName(StrEnum):
    OFFLINE = "offline"
    MODEL = "model"
    BAD_MODEL = "bad-model"


class Part(StrEnum):
    DEV = "dev"
    TEST = "test"
    FRESH = "fresh"
    JUDGE = "judge"
    ALL = "all"


class Format(StrEnum):
    LABELLED = "labelled"
    PERSONAEXT = "personaext"


bench.command("recall")(recall)


@bench.command("extract")
def extract(
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="PATH", help="JSON Lines; default: the set that comes with Everlore."),
    ] = None,
    extractor: Annotated[
        ExtractorName,
        typer.Option("--extractor", help="Rules alone, the configured model, or a scripted model that misbehaves."),
    ] = ExtractorName.OFFLINE,
    part: Annotated[Part, typer.Option("--part", help="Which part of the set.")] = Part.ALL,
    format: Annotated[Format, typer.Option("--format", help="How the file is labelled.")] = Format.LABELLED,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Only the first N messages.", show_default=False)
    ] = None,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Measure what is learnt from labelled messages.

    Precision and recall, what was made up, and how many memories come of 50 messages. Nothing is written.
    docs/extraction-bench.md says how a fact is labelled and when a prediction is right.
    """
    asked = Asked(db, workspace, as_json)
    if format is Format.PERSONAEXT:
        document = _measured_personas(asked, extractor, _utterances(data, limit))
        emit(as_json, document, _persona_lines(document))
    else:
        document = _measured(asked, extractor, _cases(data, part, limit))
        emit(as_json, document, _lines(document))


# ── in ───────────────────────────────────────────────────────────────────────────────────────────


def _cases(data: Path | None, part: Part, limit: int | None) -> "list[Case]":
    from everlore.bench.extract.cases import built_in, of_part, read_cases

    cases = built_in() if data is None else read_cases(read_whole(data, most=_MOST_BYTES), name=str(data))
    return of_part(cases, part.value)[:limit]


def _utterances(data: Path | None, limit: int | None) -> "list[Utterance]":
    from everlore.bench.extract.personas import read_utterances
    from everlore.errors import BadAsk

    if data is None:
        raise BadAsk("--format personaext needs a file: no such set comes with Everlore. Add --data PATH.")
    return read_utterances(read_whole(data, most=_MOST_BYTES), name=str(data))[:limit]


def _measured(asked: Asked, extractor: ExtractorName, cases: "Sequence[Case]") -> dict[str, Any]:
    from everlore.bench.extract.scoring import score

    async def run(settings: "Settings") -> dict[str, Any]:
        async with _extracting(settings, extractor) as (name, extract):
            with progress_bar("reading", len(cases), hidden=asked.as_json) as told:
                report = await score(cases, extract, told=told)
        return {"extractor": name, **report.document()}

    return with_settings(asked, run, talking=True)


def _measured_personas(asked: Asked, extractor: ExtractorName, utterances: "Sequence[Utterance]") -> dict[str, Any]:
    from everlore.bench.extract.personas import score_personas

    async def run(settings: "Settings") -> dict[str, Any]:
        async with _extracting(settings, extractor) as (name, extract):
            with progress_bar("reading", len(utterances), hidden=asked.as_json) as told:
                report = await score_personas(utterances, extract, told=told)
        return {"extractor": name, **report.document()}

    return with_settings(asked, run, talking=True)


@asynccontextmanager
async def _extracting(settings: "Settings", extractor: ExtractorName) -> "AsyncIterator[tuple[str, Extract]]":
    """Who extracts, by name. Only for the configured model is the workspace opened: the choice may be its own."""
    from everlore.bench.extract.bad_model import BadModel
    from everlore.bench.extract.extractors import configured, extract_with

    if extractor is not ExtractorName.MODEL:
        yield extractor.value, extract_with(BadModel() if extractor is ExtractorName.BAD_MODEL else None)
        return
    from everlore.wiring import opened

    async with opened(settings, working=False) as lore:
        asker = await configured(lore.backends, lore.scope)
        yield asker.name, extract_with(asker)


# ── out ──────────────────────────────────────────────────────────────────────────────────────────


def _lines(document: dict[str, Any]) -> Iterator[str]:
    counts = f"{document['n']} messages, {document['facts']} facts, {document['predictions']} predictions"
    yield shown(f"{document['extractor']}: {counts}")
    yield ""
    yield f"precision        {document['precision']:>7.1%}"
    yield f"recall           {document['recall']:>7.1%}"
    yield from _recall_lines(document)
    yield f"hallucinated     {document['hallucinated']:>7.1%}"
    yield f"junk per 100     {document['junk_per_100']:>7.1f}"
    yield f"memories per 50  {document['memories_per_50']:>7.1f}"
    yield from _stratum_lines(document["by_stratum"])
    yield from _category_lines(document["by_category"])
    yield from _tag_lines(document["by_tag"])
    yield from _example_lines("wrong", document["wrong"])
    yield from _example_lines("missed", document["missed"])


def _recall_lines(document: dict[str, Any]) -> Iterator[str]:
    for kind in ("stated", "implied"):
        count = document[f"facts_{kind}"]
        yield f"  {kind:<14} {_percent(document[f'recall_{kind}'], of=count):>7}  of {count}"


def _stratum_lines(shares: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Only where there are several: a file of one's own has but others."""
    if not all(share["n"] for share in shares.values()):
        return
    yield ""
    yield "stratum   messages  facts  precision  recall  stated  implied"
    for name, share in shares.items():
        precision = _percent(share["precision"], of=share["predictions"])
        recall = _percent(share["recall"], of=share["facts"])
        stated = _percent(share["recall_stated"], of=share["facts_stated"])
        implied = _percent(share["recall_implied"], of=share["facts_implied"])
        counts = f"{name:<8}  {share['n']:>8}  {share['facts']:>5}"
        yield f"{counts}  {precision:>9}  {recall:>6}  {stated:>6}  {implied:>7}"


def _category_lines(shares: dict[str, dict[str, Any]]) -> Iterator[str]:
    width = max(map(len, shares))
    yield ""
    yield f"{'category':<{width}}  facts  predictions  precision  recall"
    for name, share in shares.items():
        precision = _percent(share["precision"], of=share["predictions"])
        recall = _percent(share["recall"], of=share["n"])
        yield f"{name:<{width}}  {share['n']:>5}  {share['predictions']:>11}  {precision:>9}  {recall:>6}"


def _tag_lines(shares: dict[str, dict[str, Any]]) -> Iterator[str]:
    if not shares:
        return
    width = max(3, *map(len, shares))
    yield ""
    yield f"{'tag':<{width}}  messages  facts  recall  wrong"
    for name, share in shares.items():
        recall = _percent(share["recall"], of=share["facts"])
        yield shown(f"{name:<{width}}  {share['n']:>8}  {share['facts']:>5}  {recall:>6}  {share['wrong']:>5}")


def _percent(share: float, *, of: int) -> str:
    """A share of nothing is no figure."""
    return f"{share:.1%}" if of else "–"


def _example_lines(what: str, examples: Sequence[dict[str, Any]]) -> Iterator[str]:
    if not examples:
        return
    yield ""
    more = f", the first {_MOST_SHOWN} (all: --json)" if len(examples) > _MOST_SHOWN else ""
    yield f"{what}: {len(examples)}{more}"
    for each in examples[:_MOST_SHOWN]:
        why = f" ({each['why'].value.replace('_', ' ')})" if "why" in each else ""
        yield shown(f"  {each['id']}  {each['content'][:100]}{why}  « {each['message'][:90]}")


def _persona_lines(document: dict[str, Any]) -> Iterator[str]:
    yield shown(f"{document['extractor']}: {document['n']} utterances, {document['tails']} tails")
    yield ""
    yield f"recall of tails            {document['recall']:>7.1%}"
    yield f"predictions per utterance  {document['predictions_per_utterance']:>7.2f}"
    yield f"predictions with a tail    {document['predictions_with_a_tail']:>7.1%}"
    yield f"ungrounded                 {document['ungrounded']:>7.1%}"
    yield ""
    yield document["caveat"]
