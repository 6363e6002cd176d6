"""Thousands of questions to a village, by every way on which anything can be read, and each answer held against the
ledger (R6, R7, R8, R11, V13).

The ways: recall of all kinds, now and as of a time; what somebody knows; who knows something; gossip that is searched
for and suggested; what a character is told before it answers (as a list and as the whole prompt with its x-ray); and
over REST the search, the knowledge, the knowers and the gossip; over MCP the searches, the context and the resources,
also by people with a token of their own. What else such people may look at, and the export, is in `outside.py`; the
command line, where the village lies in a file, in `terminal.py`. Live events have a test of their own.

Start at `Reader.read`.
"""

import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property, partial
from itertools import count
from typing import Any

from everlore.domain.conversation import Summary
from everlore.domain.memory import Memory
from everlore.domain.passage import PassageKind
from everlore.domain.policy import Mode, Role
from everlore.domain.recalled import Recalled
from everlore.domain.scope import Scope
from everlore.models.chat import ChatModel
from everlore.models.choice import Endpoint
from everlore.models.registry import ChatModels
from everlore.settings import ChatSettings
from tests.leaks.doors import Doors
from tests.leaks.ledger import ACTIVE, Game, Ledger, Talk, marked
from tests.leaks.outside import Outside
from tests.leaks.tables import Tables
from tests.leaks.terminal import Terminal
from tests.turn.world import HERE, Cast, World, settings_of


class BuiltIn(Cast):
    """No model is connected."""

    def get(self, endpoint: Endpoint) -> ChatModel:
        return ChatModels.get(self, endpoint)


_LETTERS = str.maketrans("0123456789", "ghijklmnop")
Way = Callable[[], Awaitable[None]]
_KINDS = ("memories", "messages", "summaries", "events", "entities")


@dataclass
class Reader:
    """`leaks` says of each answer that gave too much what it was; `lost`, what should have been there and was not."""

    mind: World
    ledger: Ledger
    dice: random.Random
    doors: Doors
    leaks: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    reads: Counter[str] = field(default_factory=Counter)
    # Of what somebody knows and was asked for by its own word: how often it came back.
    asked: int = 0
    found: int = 0
    # Ask for what is of games, in talks where they are played; and what of that, hidden from players, who was given.
    at_tables: bool = False
    revealed: dict[str, set[str]] = field(default_factory=dict)

    @property
    def ways(self) -> dict[str, tuple[Way, float]]:
        """Each with how often it is gone."""
        return {
            "recall": (self.recall, 30),
            "recall as of": (self.recall_as_of, 20),
            "knowledge": (self.knowledge, 8),
            "knowers": (self.knowers, 8),
            "partners": (self.partners, 2),
            "gossip": (self.gossip, 10),
            "suggested": (self.suggested, 5),
            "known in a turn": (self.known_in_a_turn, 5),
            "prompt": (self.prompt, 5),
            "prompt for a guest": (self.prompt_for_a_guest, 3),
            "built-in voice": (self.built_in_voice, 3),
            "REST search": (self.rest_search, 3),
            "REST knowledge": (self.rest_knowledge, 2),
            "REST knowers": (self.rest_knowers, 1),
            "REST knowing": (self.rest_knowing, 1),
            "REST gossip": (self.rest_gossip, 1),
            "REST writing": (self.rest_writing, 2),
            "MCP search": (self.mcp_search, 2),
            "MCP pair": (self.mcp_pair, 1),
            "MCP as a member": (self.mcp_as_member, 2),
            "MCP context": (self.mcp_context, 1),
            "MCP memory": (self.mcp_memory, 1),
            "MCP conversation": (self.mcp_conversation, 1),
            "MCP recap": (self.mcp_recap, 1),
            **Outside(self).ways,
            **(Tables(self).ways if self.ledger.games else {}),
            **(Terminal(self).ways if self.doors.database else {}),
        }

    async def read(self, times: int) -> None:
        ways = self.ways
        names = list(ways)
        chosen = self.dice.choices(names, [ways[each][1] for each in names], k=times - len(names))
        # Each at least once, however few reads there are.
        for name in (*names, *chosen):
            self.reads[name] += 1
            await ways[name][0]()

    async def ask_for_known(self, most: int) -> None:
        """Who knows something asks for it by its own word."""
        for id, fact in list(self.ledger.facts.items())[:most]:
            state = fact.at(None)
            if state is None or state.status != ACTIVE:
                continue
            may = partial(self.ledger.may_recall_fact, fact=id, words=state.words, at=None, talk="")
            for person in [each for each in self.ledger.persons if may(each)][:1]:
                await self.recall(person, fact.handle)

    async def read_of(self, fact: str, person: str) -> None:
        """Everything that could tell this person of this memory."""
        handle = self.ledger.facts[fact].handle
        for at in (None, *self._moments_of(fact)):
            await self.recall(person, handle, at)
            await self.knowledge(person, at)
            await self.knowers(fact, at)
        for other in self.ledger.persons:
            if other != person:
                await self.gossip(person, handle, other)
                await self.gossip(other, handle, person)
        for talk in self.ledger.talks.values():
            if person in talk.cast and person in talk.present:
                await self.known_in_a_turn(talk, person, handle)
                await self.prompt(talk, person, handle)
        await self.rest_search(person, handle)
        await self.rest_knowledge(person)
        await self.mcp_search(person, handle)
        if person in self.ledger.humans:
            await self.mcp_as_member(person, handle)
            await self.mcp_context(person, handle)
            await self.mcp_memory(person, fact)

    def _moments_of(self, fact: str) -> list[datetime]:
        """When something changed for it, and the moment before."""
        states = [each.since for each in self.ledger.facts[fact].states]
        told = [each.at for each in self.ledger.told.get(fact, ())]
        return [moment for each in (*states, *told) for moment in (each, each - timedelta(seconds=1))]

    # ── recall ───────────────────────────────────────────────────────────────────────────────────

    async def recall(self, person: str = "", query: str = "", at: datetime | None = None) -> None:
        person = person or self._somebody()
        query = query or self._query(person)
        partner = self._somebody() if self.dice.random() < 0.1 else person
        talk = self._talk().id if self.dice.random() < 0.2 else ""
        limit = self.dice.choice([1, 5, 20, 200])
        answer = await self.mind.lore.recall(
            query,
            person=person,
            partner=partner if partner != person else None,
            conversation=talk or None,
            include=list(PassageKind),
            as_of=at,
            limit=limit,
            explain=self.dice.random() < 0.3,
        )
        found = [*answer.hits, *(each.recalled for each in answer.dropped)]
        for each in found:
            self._hold_recalled(each, person, at, talk, f"recall({query!r}, person={person}, as_of={at}, in={talk})")
        if not talk and partner == person and limit > 1:
            self._count_found(person, query, at, {each.record.id for each in found})

    async def recall_as_of(self) -> None:
        await self.recall(at=self._moment())

    def _hold_recalled(self, each: Recalled, person: str, at: datetime | None, talk: str, how: str) -> None:
        record = each.record
        words = marked(json.dumps(_texts(record), ensure_ascii=False))
        if isinstance(record, Memory):
            fine = self.ledger.may_recall_fact(person, record.id, words, at, talk)
            if record.is_spoiler:
                self.revealed.setdefault(person, set()).add(record.id)
        elif each.kind is PassageKind.MESSAGE:
            fine = self.ledger.may_recall_line(person, record.id, words, at)
        elif isinstance(record, Summary) and record.id not in self.ledger.scraps:
            is_theirs = person in record.persons and (at is None or record.created_at <= at)
            fine = is_theirs and self.ledger.may_recall_summary(person, words, at)
        elif words:
            fine = self.ledger.may_recall_scrap(person, record.id, words, at)
        else:
            # The event that a talk opens: it says who talked.
            persons = (*getattr(record, "actors", ()), *getattr(record, "participants", ()))
            fine = person in persons or self.ledger.runs(person, getattr(record, "campaign_id", None))
        self._hold(fine, f"{how} gave {each.kind.value} {record.id}: {_texts(record)}")

    def _count_found(self, person: str, query: str, at: datetime | None, ids: set[str]) -> None:
        for id, fact in self.ledger.facts.items():
            state = fact.at(at)
            if state is None or fact.handle != query or state.status != ACTIVE:
                continue
            if self.ledger.may_recall_fact(person, id, state.words, at, ""):
                self.asked += 1
                if id in ids:
                    self.found += 1
                else:
                    self.lost.append(f"recall({query!r}, person={person}, as_of={at}) did not find {id}")

    # ── who knows what ───────────────────────────────────────────────────────────────────────────

    async def knowledge(self, person: str = "", at: datetime | None = None) -> None:
        person = person or self._somebody()
        at = at or (self._moment() if self.dice.random() < 0.7 else None)
        known: dict[str, str] = {}
        cursor: str | None = None
        while True:
            page = await self.mind.lore.knowledge.of(person, as_of=at, limit=self.dice.choice([7, 500]), cursor=cursor)
            known |= {each.memory.id: each.memory.content for each in page.items}
            cursor = page.cursor
            if cursor is None:
                break
        self._hold_known(person, at, known, "knowledge.of")

    def _hold_known(self, person: str, at: datetime | None, known: dict[str, str], how: str) -> None:
        expected = self.ledger.known_to(person, at)
        for id, content in known.items():
            fine = id in expected and marked(content) == expected[id].words
            self._hold(fine, f"{how}({person}, as_of={at}) gave {id}: {content}")
        self.lost += [f"{how}({person}, as_of={at}) lacks {id}" for id in expected if id not in known]

    async def knowers(self, fact: str = "", at: datetime | None = None) -> None:
        fact = fact or self._fact()
        at = at or (self._moment() if self.dice.random() < 0.7 else None)
        found = {each.knower_id for each in await self.mind.lore.knowledge.knowers(fact, as_of=at)}
        self._hold_knowers(fact, at, found, "knowers")

    def _hold_knowers(self, fact: str, at: datetime | None, found: set[str], how: str) -> None:
        expected = self.ledger.knowers(fact, at)
        self._hold(found <= expected, f"{how}({fact}, as_of={at}) names {sorted(found - expected)}")
        state = self.ledger.facts[fact].at(at)
        # What was not believed then was known to nobody then.
        if at is None or (state is not None and state.status == ACTIVE):
            self.lost += [f"{how}({fact}, as_of={at}) lacks {each}" for each in expected - found]

    async def partners(self) -> None:
        person = self._somebody()
        found = {each.person_id for each in await self.mind.lore.knowledge.partners(person)}
        expected = self.ledger.partners(person)
        self._hold(found <= expected, f"partners({person}) names {sorted(found - expected)}")
        self.lost += [f"partners({person}) lacks {each}" for each in expected - found]

    # ── gossip ───────────────────────────────────────────────────────────────────────────────────

    async def gossip(self, person: str = "", query: str = "", other: str | None = None) -> None:
        person, query = person or self._somebody(), query or self._query()
        listener = other or (self._somebody() if self.dice.random() < 0.9 else None)
        if listener == person:
            return
        threshold = self.dice.choice([0.0, 0.3, 0.65])
        found = await self.mind.lore.gossip.search(person, query, exclude=listener, limit=50, threshold=threshold)
        how = f"gossip({person}, {query!r}, exclude={listener})"
        self._hold_gossip(((each.record.id, each.memory.content) for each in found), person, listener, how)

    def _hold_gossip(self, found: Iterable[tuple[str, str]], person: str, listener: str | None, how: str) -> None:
        for id, content in found:
            fine = self.ledger.may_gossip(person, id, listener) and marked(content) == self.ledger.facts[id].now.words
            self._hold(fine, f"{how} gave {id}: {content}")

    async def suggested(self) -> None:
        talk, query = self._talk(), self._query()
        found = await self.mind.lore.gossip.suggest(talk.id, query, roll=self.dice.random() < 0.5)
        items = [(each.record.id, each.memory.content) for each in found.items]
        how = f"suggest({talk}, {query!r})"
        self._hold(talk.gossip or not items, f"{how} gave something although gossip is off")
        self._hold_gossip(items, talk.user, talk.cast[0], how)

    # ── a turn ───────────────────────────────────────────────────────────────────────────────────

    async def known_in_a_turn(self, talk: Talk | None = None, speaker: str = "", query: str = "") -> None:
        talk, speaker, said = self._turn(talk, speaker, query)
        known = await self.mind.lore.x_rays.known(talk.id, said, speaker_id=speaker)
        told: list[Any] = [*(each.record for each in known.recalled), *(each.record for each in known.left)]
        texts = [text for each in (*told, *known.earlier) for text in _texts(each)]
        texts += [known.last_session.text] if known.last_session else []
        self._hold_told(texts, talk, speaker, f"known({said!r})")

    async def prompt(self, talk: Talk | None = None, speaker: str = "", query: str = "") -> None:
        """The whole of it, with all that the x-ray tells of what was left out."""
        talk, speaker, said = self._turn(talk, speaker, query)
        seen = await self.mind.lore.x_rays.would_be(talk.id, said, speaker_id=speaker)
        texts = [each.content for each in seen.messages] + [json.dumps(seen.account, ensure_ascii=False, default=str)]
        self._hold_told(texts, talk, speaker, f"prompt({said!r})")

    async def prompt_for_a_guest(self) -> None:
        """As if the user of the talk had come with a guest's token."""
        talk, speaker, said = self._turn(None, "", "")
        lore = self.mind.lore.seen_by(Scope(HERE, role=Role.GUEST, person_id=talk.user))
        seen = await lore.x_rays.would_be(talk.id, said, speaker_id=speaker)
        texts = [each.content for each in seen.messages] + [json.dumps(seen.account, ensure_ascii=False, default=str)]
        for word in sorted(marked("\n".join(texts))):
            fine = self.ledger.may_guest_be_told(word, speaker, talk)
            self._hold_word(fine, word, f"prompt for a guest ({said!r}) to {speaker} in {talk}")

    async def built_in_voice(self) -> None:
        """A reply without a model, mostly at a table, of which nothing is kept."""
        played = [each for each in self.ledger.talks.values() if each.game and each.user in self.ledger.humans]
        wanted = self.dice.choice(played) if played and self.dice.random() < 0.8 else None
        talk, speaker, said = self._turn(wanted, "", self._query())
        scope = Scope(HERE, mode=Mode.EMULATION)
        if talk.user in self.ledger.humans:
            scope = replace(scope, role=Role.MEMBER, person_id=talk.user)
        turns = self.unplugged.turns.of(scope)
        reply = await (await turns.say(scope, talk.id, said, speaker_id=speaker)).reply()
        for word in sorted(marked(reply.content) - marked(said)):
            fine = self.ledger.may_be_spoken(word, speaker, talk)
            self._hold_word(fine, word, f"built-in voice of {speaker} ({said!r}) in {talk}")

    @cached_property
    def unplugged(self) -> World:
        """The same village without a model."""
        settings = settings_of(chat=ChatSettings(provider="voice"))
        return World(self.mind.store, clock=self.mind.clock, models=BuiltIn(), settings=settings, ids=count(10**9))

    def _turn(self, talk: Talk | None, speaker: str, query: str) -> tuple[Talk, str, str]:
        talk = talk or self._talk()
        speaker = speaker or self.dice.choice([each for each in talk.cast if each in talk.present])
        names = [each.name for each in self.ledger.scraps.values() if each.name and each.game == talk.game]
        told = f" What of {' and '.join(self.dice.sample(names, min(len(names), 6)))}?" if talk.game and names else ""
        # Nobody says what only a memory says: then it would have been said.
        return talk, speaker, f"And the {query or self._handle()}?{told}"

    def _hold_told(self, texts: Iterable[str], talk: Talk, speaker: str, how: str) -> None:
        for word in sorted(set().union(*map(marked, texts))):
            self._hold_word(self.ledger.may_prompt(word, speaker, talk), word, f"{how} to {speaker} in {talk}")

    def _hold_word(self, fine: bool, word: str, how: str) -> None:
        if not fine:
            self.leaks.append(f"{how} tells of {word}: {self._where(word)}")

    def _where(self, word: str) -> str:
        """Whose word it is, for whoever has to find the hole."""
        ledger = self.ledger
        shelves = (ledger.facts, ledger.lines, ledger.scraps, ledger.papers)
        return "; ".join(str(each) for shelf in shelves for each in shelf.values() if word in str(each))

    # ── over REST ────────────────────────────────────────────────────────────────────────────────

    async def rest_search(self, person: str = "", query: str = "") -> None:
        person, query = person or self._somebody(), query or self._query()
        at = self._moment() if self.dice.random() < 0.5 else None
        body = {"query": query, "person_id": person, "include": _KINDS, "limit": 100, "explain": True}
        body |= {"as_of": at.isoformat() if at else None}
        answer = await self.doors.json("POST", "/api/memories/search", body=body)
        how = f"REST search of {person}, {query!r}, as_of={at}"
        self._hold_items((*answer["items"], *answer["dropped"]), person, at, how)

    def _hold_items(self, items: Iterable[dict[str, Any]], person: str, at: datetime | None, how: str) -> None:
        for each in items:
            words, id = marked(json.dumps(each, ensure_ascii=False)), each["id"]
            if each["kind"] == "memory":
                fine = self.ledger.may_recall_fact(person, id, words, at, "")
            elif each["kind"] == "message":
                fine = self.ledger.may_recall_line(person, id, words, at)
            elif each["kind"] == "summary" and id not in self.ledger.scraps:
                fine = self.ledger.may_recall_summary(person, words, at)
            else:
                fine = not words or self.ledger.may_recall_scrap(person, id, words, at)
            self._hold(fine, f"{how} gave {each}")

    async def rest_knowledge(self, person: str = "") -> None:
        person = person or self._somebody()
        at = self._moment() if self.dice.random() < 0.5 else None
        query = {"limit": 500} | _as_of(at)
        answer = await self.doors.json("GET", "/api/persons/{id}/knowledge", query=query, id=person)
        known = {each["memory"]["id"]: each["memory"]["content"] for each in answer["items"]}
        self._hold_known(person, at, known, "REST knowledge")

    async def rest_knowers(self) -> None:
        fact, at = self._fact(), self._moment() if self.dice.random() < 0.5 else None
        answer = await self.doors.json("GET", "/api/memories/{id}/knowers", query=_as_of(at), id=fact)
        self._hold_knowers(fact, at, {each["person_id"] for each in answer["items"]}, "REST knowers")

    async def rest_knowing(self, person: str = "") -> None:
        person = person or self._somebody()
        answer = await self.doors.json("GET", "/api/knowing", query={"knower_id": person, "limit": 500})
        known = {each["memory"]["id"]: each["memory"]["content"] for each in answer["items"]}
        self._hold_known(person, None, known, "REST knowing")
        for each in answer["items"]:
            knowers = {knower["person_id"] for knower in each["knowers"]}
            self._hold_knowers(each["memory"]["id"], None, knowers, "REST knowing")

    async def rest_gossip(self) -> None:
        person, listener = self.dice.sample(self.ledger.persons, 2)
        query = self._query()
        body = {"person_id": person, "exclude_person_id": listener, "query": query, "limit": 50, "threshold": 0}
        answer = await self.doors.json("POST", "/api/memories/gossip", body=body)
        items = [(each["id"], each["content"]) for each in answer["items"]]
        self._hold_gossip(items, person, listener, f"REST gossip({person}, {query!r}, exclude={listener})")

    async def rest_writing(self) -> None:
        """A member writes about another at a keyboard, or into another's talk: that is refused, in the same words
        whether there is such a talk or not. What got through would be found by every other way."""
        me = self._human()
        other = self.dice.choice(sorted(self.ledger.humans - {me}))
        foreign = [each.id for each in self.ledger.talks.values() if me not in each.everybody]
        word = f"{self.dice.randrange(10**9):x}".translate(_LETTERS)
        body: dict[str, Any] = {"content": f"They spoke of {word}qx."}
        if self.dice.random() < 0.5 or not foreign:
            answers = [await self.doors.ask("POST", "/api/memories", by=me, body=body | {"person_id": other})]
        else:
            ids = (self.dice.choice(foreign), "no-such-talk")
            ask = partial(self.doors.ask, "POST", "/api/memories", by=me)
            answers = [await ask(body=body | {"person_id": me, "conversation_id": id}) for id in ids]
            told = {each.text.replace(id, "") for each, id in zip(answers, ids, strict=True)}
            self._hold(len(told) == 1, f"{me} learns from {told} whether there is a talk {ids[0]}")
        for answer in answers:
            self._hold(answer.status_code >= 400, f"{me} wrote about {other}: {answer.text}")

    # ── over MCP ─────────────────────────────────────────────────────────────────────────────────

    async def mcp_search(self, person: str = "", query: str = "") -> None:
        person, query = person or self._somebody(), query or self._query()
        given = {"person": person, "query": query, "limit": 100}
        found = await self.doors.tool("search_memories_by_person", given)
        self._hold_items(found["items"], person, None, f"MCP search of {person}, {query!r}")

    async def mcp_pair(self) -> None:
        """What two of them share, asked by one of them."""
        person, query = self._human(), self._query()
        partner = self.dice.choice(sorted(self.ledger.characters))
        both = self.dice.sample([person, partner], 2)
        given = {"person": both[0], "partner": both[1], "query": query, "limit": 100}
        found = await self.doors.tool("search_memories_by_pair", given, by=person)
        self._hold_items(found["items"], person, None, f"MCP search of {both} by {person}, {query!r}")

    async def mcp_as_member(self, person: str = "", query: str = "") -> None:
        """Somebody at their own keyboard, who names nobody."""
        person, query = person or self._human(), query or self._query()
        at = self._moment() if self.dice.random() < 0.5 else None
        given = {"query": query, "include": _KINDS, "limit": 100} | _as_of(at)
        found = await self.doors.tool("search_memories", given, by=person)
        self._hold_items(found["items"], person, at, f"MCP search by {person}, {query!r}, as_of={at}")

    async def mcp_context(self, person: str = "", query: str = "") -> None:
        person, query = person or self._human(), query or self._query()
        package = await self.doors.tool("get_context", {"query": query}, by=person)
        self._hold_items(package["memories"], person, None, f"MCP context for {person}, {query!r}")
        for word in sorted(marked(json.dumps(package | {"query": ""})) - marked(query)):
            self._hold_word(self.ledger.may_be_given(word, person, None), word, f"MCP context for {person}, {query!r}")

    async def mcp_memory(self, person: str = "", fact: str = "") -> None:
        """A memory by its id: for those who have a part in it, with what they were there for when it was said."""
        person = person or self._human()
        own = [id for id, each in self.ledger.facts.items() if person in each.now.persons]
        fact = fact or (self.dice.choice(own) if own and self.dice.random() < 0.6 else self._fact())
        text = await self.doors.resource("everlore://memory/{id}", by=person, id=fact)
        state = self.ledger.facts[fact].now
        said = [each for each in self.ledger.lines.values() if self.ledger.talks[each.talk].user == person]
        is_theirs = self.ledger.may_keep(person, fact)
        may_read = state.words.union(*(each.words for each in said)) if is_theirs else set()
        self._hold(marked(text) <= may_read, f"MCP memory {fact} by {person} gave {text!r}")

    async def mcp_conversation(self, person: str = "") -> None:
        person = person or self._human()
        own = [each for each in self.ledger.talks.values() if each.user == person]
        talk = self.dice.choice(own) if own and self.dice.random() < 0.6 else self._talk()
        text = await self.doors.resource("everlore://conversation/{id}", by=person, id=talk.id)
        there = [each.words for each in self.ledger.lines.values() if person in each.present]
        # Of what is too long ago to be shown, its summary.
        there += [each.words for each in self.ledger.scraps.values() if each.talk == talk.id and person in each.persons]
        fine = not text or (talk.user == person and marked(text) <= frozenset().union(*there))
        self._hold(fine, f"MCP conversation {talk.id} by {person} gave {text!r}")

    async def mcp_recap(self) -> None:
        """By the owner, for the whole table."""
        games = list(self.ledger.games.values()) or [Game("g-human", None)]
        game = self.dice.choice(games)
        recap = await self.doors.tool("campaign_recap", {"campaign": game.id})
        for word in sorted(marked(recap["text"])):
            self._hold_word(self.ledger.may_be_read_aloud(word, game), word, f"MCP recap of {game}")

    def _human(self) -> str:
        return self.dice.choice(sorted(self.ledger.humans))

    # ── chance ───────────────────────────────────────────────────────────────────────────────────

    def _hold(self, fine: bool, what: str) -> None:
        if not fine:
            self.leaks.append(what)

    def _somebody(self) -> str:
        at_table = sorted(set().union(*(each.everybody for each in self.ledger.games.values())))
        return self.dice.choice(at_table if self.at_tables and self.dice.random() < 0.7 else self.ledger.persons)

    def _talk(self) -> Talk:
        talks = list(self.ledger.talks.values())
        played = [each for each in talks if each.game]
        return self.dice.choice(played if self.at_tables and played and self.dice.random() < 0.8 else talks)

    def _fact(self) -> str:
        facts = list(self.ledger.facts)
        of_games = [each for each in facts if self.ledger.facts[each].now.game]
        return self.dice.choice(of_games if self.at_tables and of_games and self.dice.random() < 0.8 else facts)

    def _handle(self) -> str:
        return self.ledger.facts[self._fact()].handle

    def _moment(self) -> datetime:
        """When something happened, or a little before or after."""
        return self.dice.choice(self.ledger.moments) + timedelta(seconds=self.dice.choice([-1, 0, 0, 1, 30]))

    def _query(self, knower: str = "") -> str:
        """Mostly of one memory by its own word, now and then one that `knower` knows; else of several, of people, of
        nothing, or by the very words that must not come out."""
        dice = self.dice
        if knower and dice.random() < 0.3 and (known := list(self.ledger.known_to(knower))):
            return self.ledger.facts[dice.choice(known)].handle
        kind = dice.choices(["one", "two", "past", "name", "common", "exact"], [60, 12, 6, 6, 8, 8])[0]
        if kind == "one":
            return self._handle()
        if kind == "two":
            return f"{self._handle()} and {self._handle()}"
        if kind == "past":
            return f"What was the {self._handle()} before?"
        if kind == "name":
            return f"What do you know of {self._somebody().title()}?"
        if kind == "common":
            return "Who hid something, and beside what?"
        return " ".join(sorted(self.ledger.facts[self._fact()].now.words))


def _as_of(at: datetime | None) -> dict[str, str]:
    return {"as_of": at.isoformat()} if at else {}


def _texts(record: Any) -> list[str]:
    """Every text of a record that a reader is shown."""
    names = ("content", "summary", "description", "name", "aliases", "hidden_aliases", "key_moments")
    return [str(value) for name in names if (value := getattr(record, name, None))]
