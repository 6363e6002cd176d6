"""What a game master gets out of the sessions of a labelled campaign without a model: entities, misspellings, decisions
left to the game master, recaps, and answers.

    python -m benchmarks.sessions --data FOLDER

A campaign is a folder with `session-1.txt` and so on (one `Speaker: text` a line), perhaps `notes.md`, and its labels:
`labels.json`, whose sessions count from 1 and messages from 0. Start at `measure`.
"""

import asyncio
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.bars import Bar
from benchmarks.report import bars_table
from everlore.app import Everlore
from everlore.domain.campaign import Campaign, Session
from everlore.domain.conversation import Message
from everlore.domain.memory import MemoryType
from everlore.domain.person import PersonKind
from everlore.domain.proposal import Decision, Proposal, ProposalKind
from everlore.settings import ChatSettings, Settings
from everlore.wiring import opened

_ROOT = Path(__file__).resolve().parents[1]
SILENT_BELL = (_ROOT / "examples" / "the_silent_bell", _ROOT / "tests" / "campaign" / "the_silent_bell.json")
# What a game master approves at one go, unread.
SURE = 0.7
_GM = "GM"
_MANY = 500
Place = tuple[int, int]


@dataclass(frozen=True)
class LabelledCampaign:
    title: str
    logs: tuple[str, ...]
    labels: Mapping[str, Any]
    notes: str = ""

    @classmethod
    def read(cls, folder: Path, labels: Path | None = None) -> "LabelledCampaign":
        told = json.loads((labels or folder / "labels.json").read_text(encoding="utf-8"))
        notes = folder / "notes.md"
        return cls(
            title=told.get("title", folder.name),
            logs=tuple(each.read_text(encoding="utf-8") for each in sorted(folder.glob("session-*.txt"))),
            labels=told,
            notes=notes.read_text(encoding="utf-8") if notes.exists() else "",
        )

    @property
    def players(self) -> list[str]:
        speakers = (line.partition(":")[0] for log in self.logs for line in log.splitlines())
        return list(dict.fromkeys(each for each in speakers if each != _GM))

    def line(self, place: Place) -> str:
        session, message = place
        return self.logs[session - 1].splitlines()[message]


@dataclass
class Share:
    part: int = 0
    of: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, is_part: bool, example: str = "") -> None:
        self.part += is_part
        self.of += 1
        if not is_part:
            self.examples.append(example)

    @property
    def share(self) -> float:
        return self.part / self.of if self.of else 1.0

    def document(self) -> dict[str, Any]:
        return {"share": round(self.share, 4), "part": self.part, "of": self.of, "others": self.examples}


@dataclass
class Report:
    title: str
    found: Share = field(default_factory=Share)
    """Entities that were proposed."""
    right: Share = field(default_factory=Share)
    """Proposed names that are an entity, each entity once."""
    sensible: Share = field(default_factory=Share)
    """Proposed names that are a name of anything in the story."""
    misspellings: Share = field(default_factory=Share)
    """Misspelt names that are listed where their entity is mentioned."""
    decisions: list[int] = field(default_factory=list)
    """What the game master had to decide after the notes, and after each session."""
    in_character: Share = field(default_factory=Share)
    """Lines of the recaps that are not about the game."""
    first: Share = field(default_factory=Share)
    """Questions whose first passage is an answer."""
    first_three: Share = field(default_factory=Share)
    unanswerable: Share = field(default_factory=Share)
    """Questions without an answer that get none."""

    def document(self) -> dict[str, Any]:
        shares = {name: each.document() for name, each in vars(self).items() if isinstance(each, Share)}
        return {"title": self.title, **shares, "decisions": self.decisions}

    def bars(self) -> list[Bar]:
        return [
            Bar(self.title, "entities found", self.found.share, 0.93, at_least=True),
            Bar(self.title, "proposed entities that are one", self.right.share, 0.88, at_least=True),
            Bar(self.title, "proposed names that are none", 1 - self.sensible.share, 0.08),
            Bar(self.title, "misspellings handled", self.misspellings.share, 0.7, at_least=True),
            Bar(self.title, "most decisions after a session", float(max(self.decisions, default=0)), 15.0),
            Bar(self.title, "lines about the game in recaps", float(self.in_character.of - self.in_character.part), 0),
            Bar(self.title, "answered by the first passage", self.first.share, 0.5, at_least=True),
            Bar(self.title, "answered by one of the first three", self.first_three.share, 0.7, at_least=True),
            Bar(self.title, "unanswerable questions answered so", self.unanswerable.share, 1.0, at_least=True),
        ]


async def measure(data: LabelledCampaign, folder: Path) -> Report:
    settings = Settings(database_url=str(folder / "bench.db"), chat=ChatSettings(provider="voice"))
    async with opened(settings, working=False) as lore:
        played = await _play(lore, data)
        report = Report(data.title, decisions=played.decisions)
        await _score_entities(played, report)
        await _score_recaps(played, report)
        await _score_questions(played, report)
        return report


# ── as a game master would ───────────────────────────────────────────────────────────────────────


@dataclass
class Played:
    data: LabelledCampaign
    lore: Everlore
    campaign: Campaign
    sessions: list[Session]
    logs: list[list[Message]]
    proposed: list[Proposal]
    decisions: list[int]

    def message_id(self, place: Mapping[str, int]) -> str:
        return self.logs[place["session"] - 1][place["message"]].id


async def _play(lore: Everlore, data: LabelledCampaign) -> Played:
    players = [await lore.characters.create(name=each, kind=PersonKind.USER) for each in data.players]
    campaign = await lore.campaigns.make(data.title, premise=data.labels.get("premise", ""), players=players)
    names = _Names.of(data)
    sessions, decisions = [], []
    if data.notes:
        await lore.campaign_files.import_notes(campaign.id, data.notes.encode())
        decisions.append(await _decide(lore, campaign.id, names))
    for log in data.logs:
        sessions.append((await lore.campaign_files.bring_log(campaign.id, log.encode())).session)
        await _work(lore)
        decisions.append(await _decide(lore, campaign.id, names))
    logs = [list(await lore.sessions.log(each.id)) for each in sessions]
    proposed = list((await lore.review.list(campaign.id, status=None, limit=_MANY)).items)
    return Played(data, lore, campaign, sessions, logs, proposed, decisions)


async def _work(lore: Everlore) -> None:
    (worker, *_) = lore.staff.workers
    while await worker.step():
        pass


async def _decide(lore: Everlore, campaign: str, names: "_Names") -> int:
    """What is sure at one go, then what was wrong in it, then what may have been given away, and each of the others."""
    waiting = (await lore.review.list(campaign, limit=_MANY)).items
    sure = [each for each in waiting if each.confidence >= SURE]
    known = await _known(lore, campaign, names)
    decided = await lore.review.decide_many([each.id for each in sure], Decision.APPROVED)
    wrong = [
        each.proposal for each in decided if each.proposal is not None and not _is_new(each.proposal, names, known)
    ]
    for each in wrong:
        await lore.review.undo(each.id)
        await _settle(lore, each, names, known)
    # What was revealed is read again.
    await _work(lore)
    others = list((await lore.review.list(campaign, limit=_MANY)).items)
    reveals = [each for each in others if each.kind is ProposalKind.REVEAL]
    await lore.review.decide_many([each.id for each in reveals], Decision.APPROVED)
    others = [each for each in others if each.kind is not ProposalKind.REVEAL]
    for each in others:
        await _settle(lore, each, names, known)
    await _work(lore)
    return bool(sure) + len(wrong) + bool(reveals) + len(others)


async def _known(lore: Everlore, campaign: str, names: "_Names") -> dict[str, str]:
    """The entities of the labels that are known, and their ids."""
    found = await lore.world.entities(campaign)
    return {entity: each.id for each in found if (entity := names.entity_of(each.name))}


def _is_new(approved: Proposal, names: "_Names", known: dict[str, str]) -> bool:
    """Whether it was rightly approved, and is no entity that is known under another name."""
    if approved.kind is not ProposalKind.ENTITY:
        return True
    entity = names.entity_of(approved.title)
    return entity is not None and known.setdefault(entity, _made(approved)) == _made(approved)


def _made(approved: Proposal) -> str:
    return str(approved.outcome["entity_id"])


async def _settle(lore: Everlore, proposal: Proposal, names: "_Names", known: dict[str, str]) -> None:
    entity = names.entity_of(proposal.title)
    if proposal.kind is not ProposalKind.ENTITY:
        await lore.review.approve(proposal.id)
    elif entity is None:
        await lore.review.reject(proposal.id)
    elif entity in known:
        await lore.review.merge(proposal.id, known[entity])
    else:
        known[entity] = _made(await lore.review.approve(proposal.id))


# ── entities ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Names:
    """Whose a name is: of the labelled entities and the players' characters, by any of their names and misspellings."""

    owners: Mapping[str, str]

    @classmethod
    def of(cls, data: LabelledCampaign) -> "_Names":
        owners = {
            _plain(name): entity["name"]
            for entity in data.labels["entities"]
            for name in (entity["name"], *entity.get("aliases", ()))
        }
        for each in data.labels.get("misspellings", ()):
            owners.setdefault(_plain(each["wrong"]), owners.get(_plain(each["right"]), each["right"]))
        for each in data.labels.get("players", ()):
            if isinstance(each, dict):
                for name in (each["character"], *each["character"].split()):
                    owners.setdefault(_plain(name), each["character"])
        return cls(owners)

    def entity_of(self, name: str) -> str | None:
        return self.owners.get(_plain(name))


def _plain(name: str) -> str:
    return " ".join(name.casefold().replace("’", "'").split()).removeprefix("the ")


async def _score_entities(played: Played, report: Report) -> None:
    names = _Names.of(played.data)
    entities = [each for each in played.proposed if each.kind is ProposalKind.ENTITY]
    met: set[str] = set()
    for each in entities:
        entity = names.entity_of(each.title)
        is_again = entity in met and each.status is not Decision.MERGED
        report.right.add(entity is not None and not is_again, each.title)
        report.sensible.add(entity is not None, each.title)
        if entity is not None:
            met.add(entity)
    lore = played.lore
    known = await lore.world.entities(played.campaign.id)
    mentions = {each.id: {m.id for m in (await lore.world.mentions(each.id)).messages} for each in known}
    by_name: dict[str, set[str]] = {}
    for record in known:
        entity = next((owner for name in (record.name, *record.aliases) if (owner := names.entity_of(name))), None)
        if entity is not None:
            by_name.setdefault(entity, set()).update(mentions[record.id])
            met.add(entity)
    for labelled in played.data.labels["entities"]:
        if not (labelled.get("is_hidden") or labelled.get("gm_only")):
            report.found.add(labelled["name"] in met, labelled["name"])
    for each in played.data.labels.get("misspellings", ()):
        entity = names.entity_of(each["right"])
        is_listed = entity is not None and played.message_id(each) in by_name.get(entity, set())
        report.misspellings.add(is_listed, f"{each['wrong']} ({each['right']})")


# ── recaps and questions ─────────────────────────────────────────────────────────────────────────


async def _score_recaps(played: Played, report: Report) -> None:
    for session, labels in zip(played.sessions, played.data.labels["sessions"], strict=True):
        memories = await played.lore.sessions.memories(session.id, player="")
        recap = "\n".join(each.content for each in memories if each.type is MemoryType.SUMMARY)
        number = labels["session"]
        about_the_game = [played.data.line((number, each)).partition(": ")[2] for each in labels.get("table_talk", ())]
        for line in recap.splitlines():
            if line.strip():
                report.in_character.add(not _quotes(line, about_the_game), line)


def _quotes(line: str, said: Iterable[str]) -> bool:
    return any(len(each) >= 12 and each in line for each in said)


async def _score_questions(played: Played, report: Report) -> None:
    for each in played.data.labels["questions"]:
        if each["gm_only"] and each["asked_by"] == "player":
            continue
        player = "" if each["asked_by"] == "player" else None
        answer = await played.lore.asking.ask(played.campaign.id, each["question"], player=player, with_model=False)
        wanted = {played.message_id(place) for place in each["answers"]}
        if wanted:
            places = [number for number, passage in enumerate(answer.passages) if _rests_on(passage, wanted)]
            report.first.add(0 in places, each["question"])
            report.first_three.add(any(number < 3 for number in places), each["question"])
        elif not each.get("notes"):
            is_none = not answer.passages or all(passage.is_doubtful for passage in answer.passages)
            report.unanswerable.add(is_none, each["question"])


def _rests_on(passage: Any, message_ids: set[str]) -> bool:
    beside = [each.message_id for each in (passage.before, passage.after) if each is not None]
    return not message_ids.isdisjoint([passage.message_id, *beside])


def main(
    data: Annotated[
        Path | None, typer.Option(help="A folder with a labelled campaign; default: those that come with it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything, with what was missed, as JSON.")] = False,
) -> None:
    """Measure how labelled campaigns are read without a model."""
    reports = asyncio.run(_measured(built_in() if data is None else [LabelledCampaign.read(data)]))
    if as_json:
        print(json.dumps([each.document() for each in reports], indent=2, ensure_ascii=False))
    else:
        print(bars_table([bar for each in reports for bar in each.bars()]))


def built_in() -> list[LabelledCampaign]:
    others = sorted(each.parent for each in (_ROOT / "benchmarks" / "campaigns").glob("*/labels.json"))
    return [LabelledCampaign.read(*SILENT_BELL), *map(LabelledCampaign.read, others)]


async def _measured(campaigns: Sequence[LabelledCampaign]) -> list[Report]:
    reports = []
    for each in campaigns:
        with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder:
            reports.append(await measure(each, Path(folder)))
    return reports


if __name__ == "__main__":
    typer.run(main)
