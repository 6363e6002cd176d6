"""Hundreds of messages on a real database, with a real model server that may fail half of the time (C7, P10, R1).

The prompt stays inside its window, the summaries stand for the old part without a gap, and what was said at the
beginning is still answered. Failures change the wording of summaries, and nothing else.
"""

import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

from everlore.app import Everlore
from everlore.domain.conversation import Message, Summary
from everlore.domain.covering import cover, covered_to
from everlore.domain.job import JobState
from everlore.services.messages import RecordedLine
from everlore.settings import ChatSettings, EmbeddingSettings, QueueSettings, Settings
from everlore.wiring import migrate, opened
from tests.models.chat_server import ChatServer, Exchange, failing, garbage, hang_up
from tests.soak import look

FACT = "By the way, the spare key of the boathouse hangs behind the blue lantern."
QUESTION = "Where does the spare key of the boathouse hang?"
MESSAGES = look(300, 500)
WINDOW = 8_192
_SUBJECTS = ("the nets", "the tide", "the market", "the old pier", "the sun", "the gulls", "the winter", "the bread")
_FAILURES = (failing(503, "loading model"), garbage, hang_up, failing(400, "no"))


def _line(number: int) -> str:
    if number == 5:
        return FACT
    one, other = _SUBJECTS[number % 8], _SUBJECTS[number // 8 % 8]
    decided = f" I have decided to mend {one} before Friday." if number % 9 == 0 else ""
    return f"Thinking of {one} again today, and how {other} used to be when we were small, number {number}.{decided}"


class Moody:
    """A model that sums up what it is given; if it `fails`, every other time it does not."""

    def __init__(self, *, fails: bool) -> None:
        self.fails = fails
        self.asked = 0
        self._failures = itertools.cycle(_FAILURES)

    async def __call__(self, exchange: Exchange) -> None:
        system, *rest = exchange.asked.body["messages"]
        is_summary = system["content"].startswith("You sum up")
        self.asked += is_summary
        if is_summary and self.fails and self.asked % 2:
            await next(self._failures)(exchange)
            return
        await exchange.begin()
        await exchange.text([_summary(rest[-1]["content"]) if is_summary else "Behind the blue lantern, I think."])
        await exchange.finish()
        await exchange.end()


def _summary(block: str) -> str:
    data = json.loads(block.split("\n")[1])["data"]
    texts = [each["text"] for each in data.get("messages") or data["summaries"]]
    subjects = [each for each in _SUBJECTS if any(each in text for text in texts)]
    told = f"They thought of {', '.join(subjects)}. They decided to mend {subjects[0]} before Friday."
    return json.dumps({"summary": f"{told} The king of Narnia paid 77,777 crowns."})


@dataclass
class Told:
    """What is there in the end."""

    summaries: list[Summary]
    log: list[Message]
    asks: list[Any]
    account: dict[str, Any]
    prompt: str
    dead: int


@asynccontextmanager
async def _home(database: str, model: ChatServer) -> AsyncIterator[Everlore]:
    chat = {"provider": "openai", "base_url": model.url, "model": "moody", "retries": 0, "backoff_s": 0.01}
    settings = Settings(
        database_url=database,
        chat=ChatSettings.model_validate(chat),
        embedding=EmbeddingSettings(provider="hashing"),
        queue=QueueSettings(workers=1, poll_s=0.01, quiet_s=0),
    )
    if database.startswith("postgres"):
        await migrate(settings)
    async with opened(settings) as lore:
        yield lore


async def _talk(database: str, name: str, *, fails: bool) -> Told:
    """Ten messages at a time; after each ten, whatever is due is done."""
    with ChatServer(scenario=Moody(fails=fails)) as model:
        async with _home(database, model) as lore:
            lore = lore.within(name)
            nova = await lore.characters.create(name="Nova", id="nova")
            config = {"auto_title": False, "extract_memories": False, "context_window": WINDOW}
            talk = await lore.conversations.start(nova, id="talk", config=config)
            for first in range(1, MESSAGES + 1, 10):
                said = [_said(number) for number in range(first, first + 10)]
                await lore.messages.record(talk.id, said)
                await lore.settle()
            reply = await (await lore.turns.say(talk.id, QUESTION)).reply()
            await lore.settle()
            seen = await lore.x_rays.of(talk.id, reply.id)
            page = await lore.store.find(lore.scope, Summary, {"conversation_id": talk.id}, limit=1_000)
            return Told(
                summaries=list(page.items),
                log=list(await lore.messages.all(talk.id)),
                asks=list(model.asked_to_chat),
                account=dict(seen.account),
                prompt=_turn(model),
                dead=len((await lore.jobs(JobState.DEAD)).items),
            )


def _said(number: int) -> RecordedLine:
    return RecordedLine(_line(number), speaker="nova" if number % 2 == 0 else None)


def _turn(model: ChatServer) -> str:
    turns = [each.body["messages"] for each in model.asked_to_chat if each.body.get("stream")]
    asked = [each for each in turns if not each[0]["content"].startswith("You sum up")]
    return "\n".join(each["content"] for each in asked[-1])


@pytest.mark.timeout(300)
async def test_a_talk_of_hundreds_of_messages(database: str) -> None:
    """C7, P10, R1: and a model that fails half of the time changes nothing but the wording of summaries."""
    fine = await _talk(database, "fine", fails=False)
    moody = await _talk(database, "moody", fails=True)

    for told in (fine, moody):
        _check_cover(told)
        _check_prompt(told)
        assert told.dead == 0
    assert not any(each.extractive for each in fine.summaries)
    assert 0 < sum(each.extractive for each in moody.summaries) < len(moody.summaries)
    assert "Narnia" not in "".join(each.content for each in (*fine.summaries, *moody.summaries)), "made up (F5)"
    assert _without_wording(fine) == _without_wording(moody)


def _check_cover(told: Told) -> None:
    """Each message under one of the highest summaries, from the first one on; few are left without."""
    tops = cover(told.summaries, 1, covered_to(told.summaries))
    assert tops[0].first_seq == 1
    assert all(before.last_seq + 1 == after.first_seq for before, after in pairwise(tops))
    assert MESSAGES - 20 <= tops[-1].last_seq < MESSAGES
    assert len(tops) <= 24
    assert max(each.level for each in told.summaries) >= 1


def _check_prompt(told: Told) -> None:
    account = told.account
    assert account["used"] + account["reserve"] <= account["window"] == WINDOW
    shown = [(each["first"], each["last"], each["fidelity"]) for each in account["messages"]]
    assert (shown[0][0], shown[-1][1]) == (1, MESSAGES + 1)
    assert all(before[1] + 1 == after[0] for before, after in pairwise(shown))
    # Up to the latest stretch, which the messages that stand word for word may reach into.
    whole = next(first for first, last, fidelity in shown if fidelity == "full" and first > MESSAGES - 100)
    summed_up = cover(told.summaries, 1, whole - 1)
    in_prompt = {each[:2] for each in shown if each[2] == "compressed"}
    assert {(each.first_seq, each.last_seq) for each in summed_up} <= in_prompt
    assert whole - 1 - covered_to(summed_up) < 20
    assert all(each.content in told.prompt for each in summed_up if not each.extractive)
    recalled = {each["id"] for each in account["memories"] if each["section"]}
    assert told.log[4].id in recalled, "what was said in message 5"
    assert FACT in told.prompt


def _without_wording(told: Told) -> Any:
    summaries = [(each.level, each.first_seq, each.last_seq, each.persons, each.private) for each in told.summaries]
    log = [(each.seq, each.author, each.content, each.present) for each in told.log]
    return summaries, log


@pytest.mark.timeout(300)
async def test_what_was_said_in_message_five_is_recalled(database: str) -> None:
    """R1, C7: by the search of whoever was there, long after it left the prompt."""
    with ChatServer(scenario=Moody(fails=False)) as model:
        async with _home(database, model) as lore:
            nova = await lore.characters.create(name="Nova", id="nova")
            talk = await lore.conversations.start(nova, config={"auto_title": False, "extract_memories": False})
            await lore.messages.record(talk.id, [_said(number) for number in range(1, 201)])
            await lore.settle()

            found = await lore.recall(QUESTION, person="nova", include=("memory", "message", "summary"))

            best = [each.record for each in found][:3]
            assert FACT in [each.content for each in best if isinstance(each, Message)]
