"""The verbs of the command line that ask on somebody's behalf or write a file, on the database of the village (R11).

They run in this process, by the function that the installed command calls, in a thread of its own as they bring a loop
of their own; what they print is what is held. Logs are left alone: other tests would find theirs changed.

Start at `Terminal.ways`.
"""

import asyncio
import io
import json
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from unittest import mock

from everlore.cli.main import answer
from tests.leaks.ledger import Ledger, marked
from tests.leaks.outside import Outside, card_text
from tests.turn.world import HERE

if TYPE_CHECKING:
    from tests.leaks.reads import Reader

Way = Callable[[], Awaitable[None]]
_KINDS = "memories,messages,summaries,events,entities"
_SETTINGS = {
    "EVERLORE_CHAT__PROVIDER": "voice",
    "EVERLORE_EMBEDDING__PROVIDER": "hashing",
    "EVERLORE_TOKENIZER__NAME": "bytes",
}


@dataclass(frozen=True)
class Terminal:
    reader: "Reader"

    @property
    def ways(self) -> dict[str, tuple[Way, float]]:
        """Each with how often it is gone: opening a database takes longer than asking it."""
        return {
            "CLI recall": (self.recall, 1),
            "CLI context": (self.context, 0.3),
            "CLI why-not": (self.why_not, 0.3),
            "CLI gossip": (self.gossip, 0.3),
            "CLI knowers": (self.knowers, 0.3),
            "CLI knowledge": (self.knowledge, 0.3),
            "CLI partners": (self.partners, 0.3),
            "CLI timeline": (self.timeline, 0.3),
            "CLI export conversation": (self.export_conversation, 0.3),
            "CLI export character": (self.export_character, 0.3),
        }

    @property
    def ledger(self) -> Ledger:
        return self.reader.ledger

    async def recall(self) -> None:
        """For programs and for people: both say what was dropped, too."""
        person, query, at = self.reader._somebody(), self._query(), self._moment()
        asked = ("--person", person, "--include", _KINDS, "--limit", "100", "--explain", *_as_of(at), "--", query)
        found = await self._json("recall", *asked)
        how = f"everlore recall {query!r} --person {person} --as-of {at}"
        for each in (*found["items"], *found["dropped"]):
            self.reader._hold_items([each], person, at, how)
        text = await self._text("recall", *asked)
        given = marked(json.dumps(found)) | marked(query)
        self.reader._hold(marked(text) <= given, f"{how} says more to people than to programs: {text}")

    async def context(self) -> None:
        person, query = self.reader._somebody(), self._query()
        package = await self._json("context", "--person", person, "--include", _KINDS, "--", query)
        how = f"everlore context {query!r} --person {person}"
        Outside(self.reader).hold_given(package, person, None, query, how)

    async def why_not(self) -> None:
        """What somebody does not know is not told by the reason why it does not come back."""
        person, query, fact = self.reader._somebody(), self._query(), self.reader._fact()
        verdict = await self._text("why-not", "--person", person, "--json", fact, "--", query)
        words = marked(verdict) - marked(query)
        fine = not words or self.ledger.may_recall_fact(person, fact, words, None, "")
        self.reader._hold(fine, f"everlore why-not {fact} {query!r} --person {person} gave {verdict}")

    async def gossip(self) -> None:
        person, listener = self.reader.dice.sample(self.ledger.persons, 2)
        query = self._query()
        asked = (person, "--exclude", listener, "--limit", "50", "--threshold", "0", "--", query)
        found = await self._json("gossip", *asked)
        items = [(each["id"], json.dumps(each)) for each in found["items"]]
        self.reader._hold_gossip(items, person, listener, f"everlore gossip {asked}")

    async def knowers(self) -> None:
        fact, at = self.reader._fact(), self._moment()
        found = await self._json("knowers", fact, *_as_of(at))
        names = {each["person_id"] for each in found["items"]}
        self.reader._hold_knowers(fact, at, names, "everlore knowers")

    async def knowledge(self) -> None:
        person, at = self.reader._somebody(), self._moment()
        found = await self._json("knowledge", person, "--limit", "500", *_as_of(at))
        known = {each["memory"]["id"]: each["memory"]["content"] for each in found["items"]}
        self.reader._hold_known(person, at, known, "everlore knowledge")

    async def partners(self) -> None:
        person = self.reader._somebody()
        found = {each["person_id"] for each in (await self._json("partners", person))["items"]}
        expected = self.ledger.partners(person)
        self.reader._hold(found <= expected, f"everlore partners {person} names {sorted(found - expected)}")

    async def timeline(self) -> None:
        person = self.reader._somebody()
        text = await self._text("timeline", "--person", person, "--limit", "500", "--json")
        may = self.ledger.words_with(person)
        self.reader._hold(marked(text) <= may, f"everlore timeline --person {person} gave {text}")

    async def export_conversation(self) -> None:
        talk = self.reader._talk()
        text = await self._text("export", "conversation", talk.id, "--output", "-")
        Outside(self.reader)._hold_talk(text, talk, "", "everlore export conversation")

    async def export_character(self) -> None:
        person = self.reader._somebody()
        kind = self.reader.dice.choice(["json", "png"])
        card = await self._bytes("export", "character", person, "--output", "-", "--format", kind)
        words = marked(card_text(card, kind))
        self.reader._hold(not words, f"everlore export character {person} tells of {sorted(words)}")

    # ── the command ──────────────────────────────────────────────────────────────────────────────

    async def _json(self, *args: str) -> Any:
        # Before whatever is a query.
        return json.loads(await self._text(args[0], "--json", *args[1:]))

    async def _text(self, *args: str) -> str:
        return (await self._bytes(*args)).decode()

    async def _bytes(self, *args: str) -> bytes:
        names = [each for each in args[:2] if not each.startswith("-")]
        verb = " ".join(names if args[0] == "export" else names[:1])
        count = len(verb.split())
        place = ("--db", str(self.reader.doors.database), "--workspace", HERE)
        code, out, error = await asyncio.to_thread(run, (*args[:count], *place, *args[count:]))
        assert code == 0, (args, code, error)
        self.reader.doors.answered[f"everlore {verb}"] += 1
        return out

    # ── chance ───────────────────────────────────────────────────────────────────────────────────

    def _query(self) -> str:
        return self.reader._query()

    def _moment(self) -> datetime | None:
        return self.reader._moment() if self.reader.dice.random() < 0.5 else None


def run(args: tuple[str, ...]) -> tuple[int, bytes, str]:
    """As the installed command, with nothing of the environment of the tests."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EVERLORE_")}
    out, error = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with (
        mock.patch.dict(os.environ, clean | _SETTINGS, clear=True),
        mock.patch("everlore.cli.logs.configure_logs"),
        redirect_stdout(out),
        redirect_stderr(error),
    ):
        code = answer(list(args))
        sys.stdout.flush()
    raw = out.buffer
    assert isinstance(raw, io.BytesIO)
    return code, raw.getvalue(), error.getvalue()


def _as_of(at: datetime | None) -> tuple[str, ...]:
    return ("--as-of", at.isoformat()) if at else ()
