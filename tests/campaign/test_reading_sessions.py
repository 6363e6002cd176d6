"""What a model makes of a session: typed answers with the messages they rest on, and what of them is kept (G3).

A reader answers with the labels of a campaign that was written by somebody who had not seen the code.
"""

import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.sessions import LabelledCampaign
from everlore.campaign.digest.background import Background
from everlore.campaign.digest.digest import MOST, Digest
from everlore.campaign.digest.drafting import CLOSED_IN, closed
from everlore.campaign.digest.prompts import SessionReader, told
from everlore.campaign.entities.mentions import MentionIndex
from everlore.campaign.naming import known_of
from everlore.domain.campaign import Chapter, Entity, EntityKind, Session
from everlore.domain.conversation import Author, Message
from everlore.domain.memory import Memory, MemoryType, Origin
from everlore.learning.segments.transcript import TranscriptLine
from everlore.models.build import build_tokenizer
from everlore.models.chat import Ask
from everlore.settings import TokenizerSettings
from everlore.store.port import Put
from tests.house.tree import ROOT

T = TypeVar("T")
CAMPAIGN = LabelledCampaign.read(ROOT / "benchmarks" / "campaigns" / "the_sea_that_left")
NOW = datetime(2026, 5, 1, tzinfo=UTC)
WINDOW = 8_192
KINDS = {
    "scenes": MemoryType.SCENE,
    "decisions": MemoryType.DECISION_POINT,
    "discoveries": MemoryType.DISCOVERY,
    "moments": MemoryType.MOMENT,
    "threads": MemoryType.PLOT_THREAD,
}


@dataclass
class Reader:
    """An `Asker` that answers with what `answer` makes of each part: the texts of its lines, by their numbers."""

    answer: Callable[[dict[int, str]], dict[str, Any]]
    name: str = "reader"
    address: str = ""
    asks: list[Ask] = field(default_factory=list)

    def ask(self, ask: Ask, parse: Callable[[str], T | None]) -> Awaitable[T]:
        return self._answered(ask, parse)

    async def _answered(self, ask: Ask, parse: Callable[[str], T | None]) -> T:
        self.asks.append(ask)
        shape: Any = ask.schema or {}
        is_summary = "line" in shape["properties"]
        answer = {"summary": "", "line": ""} if is_summary else self.answer(numbered(ask))
        found = parse(json.dumps(answer))
        assert found is not None
        return found


def numbered(ask: Ask) -> dict[int, str]:
    return {each["n"]: each["text"] for each in data_of(ask, "conversation")["messages"]}


def data_of(ask: Ask, block: str) -> dict[str, Any]:
    (inside,) = re.findall(rf'everlore://{block}"[^\n]*\n(.*)\n', ask.messages[-1].content)
    data: dict[str, Any] = json.loads(inside)["data"]
    return data


def lines_of(log: str) -> list[TranscriptLine]:
    lines = []
    for at, line in enumerate(log.splitlines()):
        who, _, text = line.partition(": ")
        message = Message(
            workspace="w",
            id=f"m{at}",
            conversation_id="c",
            author=Author.NARRATOR if who == "GM" else Author.USER,
            content=text,
            created_at=NOW + timedelta(seconds=at),
            updated_at=NOW,
        )
        lines.append(TranscriptLine(message, who, text))
    return lines


def entities() -> tuple[Entity, ...]:
    return tuple(
        Entity(
            workspace="w",
            id=f"e{at}",
            name=each["name"],
            aliases=tuple(each["aliases"]),
            kind=EntityKind(each["kind"]),
            campaign_id="c",
            created_at=NOW,
            updated_at=NOW,
        )
        for at, each in enumerate(CAMPAIGN.labels["entities"])
    )


def a_thread(id: str, text: str, **more: Any) -> Memory:
    return Memory(
        workspace="w",
        id=id,
        content=text,
        type=MemoryType.PLOT_THREAD,
        importance=5,
        origin=Origin.DIGEST,
        campaign_id="c",
        created_at=NOW,
        updated_at=NOW,
        **more,
    )


def a_session(id: str = "s") -> Session:
    return Session(
        workspace="w", id=id, campaign_id="c", number=2, started_at=NOW, ended_at=NOW, created_at=NOW, updated_at=NOW
    )


def reader_of(
    answer: Callable[[dict[int, str]], dict[str, Any]], background: Background | None = None
) -> tuple[Reader, SessionReader]:
    asker = Reader(answer)
    known = background or Background()
    count = build_tokenizer(TokenizerSettings()).count
    index = MentionIndex(known_of(known.entities))
    return asker, SessionReader(asker, WINDOW, count, frozenset({"GM"}), known, index)


async def digest_of(
    answer: Callable[[dict[int, str]], dict[str, Any]], *texts: str, background: Background | None = None
) -> Digest:
    _, reader = reader_of(answer, background)
    found = await told(lines_of("\n".join(f"GM: {each}" for each in texts)), reader)
    assert found is not None
    return found


def item(text: str, *messages: int, **more: Any) -> dict[str, Any]:
    return {"text": text, "messages": list(messages), "importance": 5, **more}


# ── a whole campaign ─────────────────────────────────────────────────────────────────────────────


def labelled(number: int, texts: Sequence[str]) -> Callable[[dict[int, str]], dict[str, Any]]:
    """Answers with the labels of this session whose messages are in the part that it is given."""

    def answer(part: dict[int, str]) -> dict[str, Any]:
        places = {text: at for at, text in part.items()}
        return {
            name: [
                item(each["what"], places[texts[each["message"]]])
                for each in labels_of(number, name)
                if texts[each["message"]] in places
            ]
            for name in KINDS
        }

    return answer


def labels_of(number: int, name: str) -> list[dict[str, Any]]:
    if name == "threads":
        opened = [each for each in CAMPAIGN.labels["threads"] if each["opened"]["session"] == number]
        return [{"message": each["opened"]["message"], "what": each["what"]} for each in opened]
    return [{"what": each.get("summary"), **each} for each in CAMPAIGN.labels["sessions"][number - 1][name]]


async def test_what_a_good_reader_says_of_the_sessions_is_kept() -> None:
    """G3: nine in ten, in order, each with its message; and every prompt fits a small window."""
    kept: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    for number, log in enumerate(CAMPAIGN.logs, 1):
        lines = lines_of(log)
        background = Background(premise=CAMPAIGN.labels["premise"], entities=entities())
        asker, reader = reader_of(labelled(number, [each.text for each in lines]), background)
        found = await told(lines, reader)
        assert found is not None
        for name, kind in KINDS.items():
            texts = [each["what"] for each in labels_of(number, name)]
            said = [each.text for each in found.of(kind)]
            assert said == [each for each in texts if each in said], name
            kept[name] += len(said)
            wanted[name] += min(len(texts), MOST[kind])
        cited = {each.text: each.sources for each in found.of(MemoryType.DECISION_POINT)}
        kept["cited"] += sum(
            f"m{each['message']}" in cited.get(each["what"], ()) for each in labels_of(number, "decisions")
        )
        wanted["cited"] += len(cited)
        for ask in asker.asks:
            assert sum(reader.count(each.content) for each in ask.messages) + (ask.max_tokens or 0) <= WINDOW

    assert {name: kept[name] / wanted[name] >= 0.9 for name in wanted} == dict.fromkeys(wanted, True), (kept, wanted)


async def test_a_part_knows_the_campaign_and_the_parts_before_it() -> None:
    """G3: premise, goals, cast, names in their spelling, open threads, and the scenes of the same session."""
    chapter = Chapter(
        workspace="w", id="h", campaign_id="c", number=1, name="Dusk", goals=("Find Temmik.",), created_at=NOW,
        updated_at=NOW,
    )  # fmt: skip
    background = Background(
        premise="The sea went away.",
        chapter=chapter,
        cast=("Devon plays Quillo Tamm",),
        entities=entities(),
        threads=(a_thread("t", "Why did the sea go away?"),),
        before="They met at the Drowned Heron.",
    )
    lines = lines_of(CAMPAIGN.logs[0])
    asker, reader = reader_of(labelled(1, [each.text for each in lines]), background)
    await told(lines, reader)

    first, second, *_ = [data_of(each, "campaign") for each in asker.asks[:-1]]
    assert first["premise"] == "The sea went away."
    assert first["goals"] == ["Find Temmik."]
    assert first["cast"] == ["Devon plays Quillo Tamm"]
    assert first["last_session"] == "They met at the Drowned Heron."
    assert first["open_threads"][0] == {"n": 1, "text": "Why did the sea go away?"}
    assert "Ostrevane" in {each["name"] for each in first["names"]}
    assert "earlier_in_this_session" not in first
    assert second["earlier_in_this_session"]
    assert len(second["open_threads"]) > len(first["open_threads"])


# ── what is kept of an answer ────────────────────────────────────────────────────────────────────


async def test_a_fact_that_does_not_name_its_subject_is_no_canon() -> None:
    """G7."""
    digest = await digest_of(
        lambda _: {
            "facts": [
                item("She is a smuggler.", 2, subject="Ilka"),
                item("It burns whale oil.", 1),
                item("Ilka is a smuggler.", 2, subject="Ilka"),
            ]
        },
        "The lamp of Orne burns whale oil.",
        "Ilka is a smuggler, and everybody knows it.",
    )

    assert [each.text for each in digest.of(MemoryType.FACT)] == ["Ilka is a smuggler."]


async def test_where_a_number_is_wrong_the_words_are_found() -> None:
    """F4."""
    digest = await digest_of(
        lambda _: {"discoveries": [item("The ledger lies under the floor.", 1), item("It was written by Zagraph.", 2)]},
        "You come to the barn at dusk.",
        "Under the floor lies a ledger.",
    )

    (found,) = [each for each in digest.items if each.text.startswith("The ledger")]
    assert "m1" in found.sources
    assert not [each for each in digest.items if "Zagraph" in each.text]


async def test_what_the_model_was_told_of_earlier_sessions_is_not_said_again() -> None:
    """G10."""
    digest = await digest_of(
        lambda _: {"facts": [item("The Drowned Bell is made of glass.", 1), item("The Drowned Bell is cracked.", 2)]},
        "The Drowned Bell is in the tower.",
        "You see that the Drowned Bell is cracked.",
        background=Background(before="You came to Orne. The Drowned Bell is made of glass. It was late."),
    )

    assert [each.text for each in digest.of(MemoryType.FACT)] == ["The Drowned Bell is cracked."]


async def test_threads_of_earlier_sessions_and_of_earlier_parts_are_closed() -> None:
    """G3."""
    background = Background(threads=(a_thread("old", "Who stole the bell?"),))
    digest = await digest_of(
        lambda _: {
            "threads": [item("Where is the ringer?", 1)],
            "closed_threads": [{"n": 1, "messages": [2]}, {"n": 7, "messages": [2]}, {"n": 1, "messages": [99]}],
        },
        "Nobody knows where the ringer is.",
        "It was Lisle who stole the bell.",
        background=background,
    )

    assert digest.closed == {"old"}
    assert [each.is_over for each in digest.of(MemoryType.PLOT_THREAD)] == [False]


def test_a_closed_thread_is_open_again_when_the_session_no_longer_closes_it() -> None:
    """G10: reading a session again adds nothing, and takes nothing from a person's own thread."""
    session = a_session()
    (change,) = closed([a_thread("t", "Who stole the bell?")], {"t"}, session, NOW)
    assert isinstance(change, Put)
    over = change.record
    assert isinstance(over, Memory)
    assert over.valid_to == NOW
    assert closed([over], {"t"}, session, NOW) == []
    assert closed([over], set(), a_session("other"), NOW) == []

    (again,) = closed([over], set(), session, NOW)
    assert isinstance(again, Put)
    assert isinstance(again.record, Memory)
    assert again.record.valid_to is None
    assert CLOSED_IN not in again.record.extra


async def test_the_chapter_ends_where_the_model_shows_a_message() -> None:
    """G8."""

    def answer(messages: list[int]) -> Callable[[object], dict[str, Any]]:
        end = {"ends": True, "why": "The goal is reached.", "messages": messages}
        return lambda _: {"scenes": [item("The bell rang in Tamsel.", 1)], "chapter_ends": end}

    texts = ("The bell rings again in Tamsel.", "You sleep.")
    digest = await digest_of(answer([1]), *texts)
    assert digest.is_chapter_read
    assert digest.boundary is not None
    assert digest.boundary.message_id == "m0"
    assert digest.boundary.signs[0].reason == "The goal is reached."
    assert (await digest_of(answer([40]), *texts)).boundary is None


async def test_an_answer_of_the_wrong_shape_loses_only_what_is_wrong() -> None:
    digest = await digest_of(
        lambda _: {
            "scenes": ["The bell rang in Tamsel.", 7, {"text": None}, {"messages": [1]}],
            "facts": "none",
            "closed_threads": [3, {"n": "1"}, {"n": 1}],
            "chapter_ends": "no",
        },
        "The bell rings again in Tamsel.",
    )

    assert [each.text for each in digest.items] == ["The bell rang in Tamsel."]
    assert not digest.is_chapter_read
    assert not digest.closed


def test_the_campaign_is_complete() -> None:
    """A label that points nowhere would make a bar easier."""
    folder = Path(ROOT, "benchmarks", "campaigns", "the_sea_that_left")
    assert (folder / "notes.md").exists()
    for entity in CAMPAIGN.labels["entities"]:
        for place in entity["mentions"]:
            assert CAMPAIGN.line((place["session"], place["message"]))
