"""`python -m benchmarks.extract`: what is learned from labeled messages."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlore.cli.files import read_whole
from everlore.cli.options import AsJson, Db, Workspace
from everlore.cli.output import emit, shown
from everlore.cli.progress import progress_bar
from everlore.cli.session import CommandOptions, with_settings

if TYPE_CHECKING:
    from benchmarks.extract.cases import Case
    from benchmarks.extract.extractors import ConfiguredModel
    from benchmarks.extract.personas import Utterance
    from benchmarks.extract.scoring import Extract
    from everlore.learning.facts.trust import Probed, Trust
    from everlore.settings import Settings


_MOST_BYTES = 200_000_000
_MOST_SHOWN = 10


class ExtractorName(StrEnum):
    OFFLINE = "offline"
    MODEL = "model"
    BAD_MODEL = "bad-model"
    PERFECT = "perfect"
    CARELESS = "careless"


class TrustName(StrEnum):
    AUTO = "auto"
    PLAIN = "plain"
    CAREFUL = "careful"
    STRICT = "strict"


class Part(StrEnum):
    DEV = "dev"
    TEST = "test"
    FRESH = "fresh"
    JUDGE = "judge"
    ALL = "all"


class Format(StrEnum):
    LABELLED = "labelled"
    PERSONAEXT = "personaext"


def extract(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="PATH",
            help="JSON Lines, or a folder with messages.jsonl, true.jsonl and false.jsonl; default: the set that comes "
            "with Everlore.",
        ),
    ] = None,
    extractor: Annotated[
        ExtractorName,
        typer.Option(
            "--extractor",
            help="Rules alone, the configured model, a scripted one that misbehaves; of a folder also a reader that "
            "says all that is true (perfect), or false things too (careless).",
        ),
    ] = ExtractorName.OFFLINE,
    right: Annotated[
        float, typer.Option("--right", metavar="SHARE", min=0.05, max=1, help="Of careless: how much of it is true.")
    ] = 1 / 3,
    judges: Annotated[
        float,
        typer.Option(
            "--judges", metavar="SHARE", min=0, max=1, help="Of careless: how often it is right, asked again."
        ),
    ] = 0.5,
    trust: Annotated[TrustName, typer.Option("--trust", help="Model trust; auto measures it first.")] = (
        TrustName.AUTO
    ),
    part: Annotated[Part, typer.Option("--part", help="Which part of the set.")] = Part.ALL,
    format: Annotated[Format, typer.Option("--format", help="How the file is labelled.")] = Format.LABELLED,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Only the first N messages.", show_default=False)
    ] = None,
    every: Annotated[int, typer.Option("--every", metavar="N", min=1, help="Of a folder, only every Nth message.")] = 1,
    by_rule: Annotated[bool, typer.Option("--by-rule", help="Show only what each rule finds.")] = False,
    db: Db = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Measure what is learned from labeled messages.

    Precision and recall, hallucinations, and memories per 50 messages. Nothing is written.
    docs/extraction-bench.md says how a fact is labelled and when a prediction is right.
    """
    asked = CommandOptions(db, workspace, as_json)
    if data is not None and data.is_dir():
        document = _measured_folder(asked, _Reader(extractor, right, judges, trust), data, every, limit)
        emit(as_json, document, _rule_lines(document) if by_rule else _folder_lines(document))
    elif extractor in (ExtractorName.PERFECT, ExtractorName.CARELESS):
        raise _needs_a_folder(extractor)
    elif format is Format.PERSONAEXT:
        document = _measured_personas(asked, extractor, trust, _utterances(data, limit))
        emit(as_json, document, _rule_lines(document) if by_rule else _persona_lines(document))
    else:
        document = _measured(asked, extractor, trust, _cases(data, part, limit))
        emit(as_json, document, _rule_lines(document) if by_rule else _lines(document))


# ── in ───────────────────────────────────────────────────────────────────────────────────────────


def _cases(data: Path | None, part: Part, limit: int | None) -> "list[Case]":
    from benchmarks.extract.cases import built_in, of_part, read_cases

    cases = built_in() if data is None else read_cases(read_whole(data, most=_MOST_BYTES), name=str(data))
    return of_part(cases, part.value)[:limit]


def _utterances(data: Path | None, limit: int | None) -> "list[Utterance]":
    from benchmarks.extract.personas import read_utterances
    from everlore.errors import BadAsk

    if data is None:
        raise BadAsk("--format personaext needs a file: no such set comes with the benchmark. Add --data PATH.")
    return read_utterances(read_whole(data, most=_MOST_BYTES), name=str(data))[:limit]


def _measured(
    asked: CommandOptions, extractor: ExtractorName, trust: TrustName, cases: "Sequence[Case]"
) -> dict[str, Any]:
    from benchmarks.extract.scoring import score

    async def run(settings: "Settings") -> dict[str, Any]:
        async with _extracting(settings, extractor, trust) as who:
            with progress_bar("reading", len(cases), hidden=asked.as_json) as told:
                report = await score(cases, who.extract, told=told)
            return {"extractor": who.name, **who.document(), **report.document()}

    return with_settings(asked, run, talking=True)


def _measured_personas(
    asked: CommandOptions, extractor: ExtractorName, trust: TrustName, utterances: "Sequence[Utterance]"
) -> dict[str, Any]:
    from benchmarks.extract.personas import score_personas

    async def run(settings: "Settings") -> dict[str, Any]:
        async with _extracting(settings, extractor, trust) as who:
            with progress_bar("reading", len(utterances), hidden=asked.as_json) as told:
                report = await score_personas(utterances, who.extract, told=told)
            return {"extractor": who.name, **who.document(), **report.document()}

    return with_settings(asked, run, talking=True)


@dataclass(frozen=True, slots=True)
class _Reader:
    extractor: ExtractorName
    right: float
    judges: float
    trust: TrustName


def _needs_a_folder(extractor: ExtractorName) -> Exception:
    from everlore.errors import BadAsk

    return BadAsk(
        f"--extractor {extractor.value} answers with labelled statements. Name a folder that has messages.jsonl, "
        "true.jsonl and false.jsonl: --data FOLDER."
    )


def _measured_folder(
    asked: CommandOptions, reader: _Reader, folder: Path, every: int, limit: int | None
) -> dict[str, Any]:
    from benchmarks.extract.gate import found, weighed
    from benchmarks.extract.scripted import ScriptedModel
    from benchmarks.extract.told import read_folder

    told = read_folder(folder)[::every][:limit]
    name = reader.extractor

    async def run(settings: "Settings") -> dict[str, Any]:
        with progress_bar("reading", len(told), hidden=asked.as_json) as progress:
            if name not in (ExtractorName.PERFECT, ExtractorName.CARELESS):
                async with _extracting(settings, name, reader.trust) as who:
                    document = await found(told, who.extract, progress=progress)
                    return {"extractor": who.name, **who.document(), **document}
            right, judges = (1.0, 1.0) if name is ExtractorName.PERFECT else (reader.right, reader.judges)
            model = ScriptedModel(told, right=right, judges=judges, name=name.value)
            document = await weighed(told, model, trust=_fixed(reader.trust), progress=progress)
            return {"extractor": name.value, "right": right, "judges": judges, **document}

    return with_settings(asked, run, talking=True)


def _fixed(trust: TrustName) -> "Trust | None":
    from everlore.learning.facts.trust import Trust

    return None if trust is TrustName.AUTO else Trust(trust.value)


@dataclass(frozen=True, slots=True)
class _Extracting:
    """Who extracts; of a model also what it is trusted with, and what it cost so far."""

    name: str
    extract: "Extract"
    trust: "Trust | None" = None
    probe: "Probed | None" = None
    model: "ConfiguredModel | None" = None

    def document(self) -> dict[str, Any]:
        if self.trust is None or self.probe is None:
            return {}
        cost = {"tokens": self.model.cost()} if self.model is not None else {}
        return {"trust": self.trust.value, "probe": asdict(self.probe), **cost}


@asynccontextmanager
async def _extracting(settings: "Settings", extractor: ExtractorName, trust: TrustName) -> "AsyncIterator[_Extracting]":
    """Only for the configured model is the workspace opened: the choice may be its own."""
    from benchmarks.extract.bad_model import BadModel
    from benchmarks.extract.extractors import configured, extract_with, trusted

    if extractor is ExtractorName.OFFLINE:
        yield _Extracting(extractor.value, extract_with(None))
        return
    if extractor is ExtractorName.BAD_MODEL:
        reached, probe = await trusted(BadModel(), _fixed(trust))
        yield _Extracting(extractor.value, extract_with(BadModel(), reached), reached, probe)
        return
    from everlore.wiring import opened

    async with opened(settings, working=False) as lore:
        asker = await configured(lore.backends, lore.scope)
        reached, probe = await trusted(asker, _fixed(trust))
        yield _Extracting(asker.name, extract_with(asker, reached), reached, probe, asker)


# ── out ──────────────────────────────────────────────────────────────────────────────────────────


def _lines(document: dict[str, Any]) -> Iterator[str]:
    counts = f"{document['n']} messages, {document['facts']} facts, {document['predictions']} predictions"
    yield shown(f"{document['extractor']}: {counts}")
    yield from _trust_lines(document)
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


def _rule_lines(document: dict[str, Any]) -> Iterator[str]:
    rules = document.get("by_rule", {})
    width = max(map(len, rules), default=0)
    yield f"{'rule':<{width}}   said  right  wrong"
    for name, each in rules.items():
        yield shown(f"{name:<{width}}  {each['said']:>5}  {each['right']:>5}  {each['wrong']:>5}")


def _trust_lines(document: dict[str, Any]) -> Iterator[str]:
    if "probe" not in document:
        return
    probe = document["probe"]
    yield (
        f"trust: {document['trust']} (probed with {probe['messages']} messages: found {probe['found']} of "
        f"{probe['wanted']}, {probe['wrong']} of {probe['stated']} wrong, {probe['unusable']} answers of no use)"
    )
    if cost := document.get("tokens"):
        yield f"cost of a message: {cost['prompt']:.0f} tokens asked, {cost['reply']:.0f} answered"


def _folder_lines(document: dict[str, Any]) -> Iterator[str]:
    yield shown(f"{document['extractor']}: {document['n']} messages")
    yield from _trust_lines(document)
    yield ""
    if "beside" in document:
        yield from _found_lines(document)
        return
    yield f"{'class':<16}  {'true':>5}  active  pending  refused  {'false':>5}  active  pending  refused"
    for name, each in _with_all_last(document["classes"]):
        cells = [_fate_cells(each[kind]) for kind in ("true", "false")]
        yield shown(f"{name:<16}  {cells[0]}  {cells[1]}")
    if (invented := document["invented_quotes"])["n"]:
        yield f"invented quotes: {invented['n']}, active: {invented['active']}"
    yield from _statement_lines("true and not active", document["kept_out"])
    yield from _statement_lines("false and active", document["let_in"])


def _fate_cells(each: dict[str, int]) -> str:
    n = each["n"]
    shares = [_percent(each[fate] / n if n else 0, of=n) for fate in ("active", "pending", "refused")]
    return f"{n:>5}  {shares[0]:>6}  {shares[1]:>7}  {shares[2]:>7}"


def _found_lines(document: dict[str, Any]) -> Iterator[str]:
    yield f"{'class':<16}  facts   found   said  labelled  doubted  labelled  found with them"
    for name, each in _with_all_last(document["classes"]):
        found = _percent(each["found"] / each["facts"] if each["facts"] else 0, of=each["facts"])
        labelled = _percent(each["labelled"] / each["said"] if each["said"] else 0, of=each["said"])
        known = f"{name:<16}  {each['facts']:>5}  {found:>6}  {each['said']:>5}  {labelled:>8}"
        yield shown(f"{known}  {_doubted_cells(each)}")
    yield from _statement_lines("said, and not labelled", document["beside"])
    yield from _statement_lines("said twice in one message", document["repeated"])


def _doubted_cells(each: dict[str, int]) -> str:
    labelled = _percent(each["doubted_labelled"] / each["doubted"] if each["doubted"] else 0, of=each["doubted"])
    found = _percent(each["found_or_doubted"] / each["facts"] if each["facts"] else 0, of=each["facts"])
    return f"{each['doubted']:>7}  {labelled:>8}  {found:>15}"


def _with_all_last(classes: dict[str, Any]) -> list[tuple[str, Any]]:
    return sorted(classes.items(), key=lambda each: (each[0] == "all", each[0]))


def _statement_lines(what: str, rows: Sequence[dict[str, str]]) -> Iterator[str]:
    if not rows:
        return
    yield ""
    more = f", the first {_MOST_SHOWN} (all: --json)" if len(rows) > _MOST_SHOWN else ""
    yield f"{what}: {len(rows)}{more}"
    for each in rows[:_MOST_SHOWN]:
        yield shown(f"  {each['id']}  {each['statement'][:110]}" + (f"  ({each['fate']})" if "fate" in each else ""))


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
