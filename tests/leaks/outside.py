"""What people with a token of their own may look at over REST, what the owner may on somebody's behalf, and what goes
out into files: each answer, be it a refusal, held word by word against the ledger (C4, P12, R11, S-3, V9, V13).

A member looks into their own talks, at memories that they have a part in, at what happened with them, and at what a
character of their talk is told; a guest only into their talks. The owner sees everything, and still: what is asked of
one talk has no words of another, a card has no memory in it, and a context for somebody has what they know.

Start at `Outside.ways`.
"""

import io
import json
import re
import zipfile
from base64 import b64decode
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from everlore.domain.policy import Role
from everlore.errors import NotFound
from tests.leaks.doors import GUEST, MEMBER
from tests.leaks.ledger import Ledger, Line, Talk, marked

if TYPE_CHECKING:
    from tests.leaks.reads import Reader

Way = Callable[[], Awaitable[None]]
_KINDS = ("memories", "messages", "summaries", "events", "entities")
_TALK = "/api/conversations/{id}"
# What a talk shows of itself, by what is asked for; guests are refused what stands in the second line.
_PARTS = ("", "/messages", "/messages/{message_id}", "/export")
_LEARNT = ("/event", "/summaries", "/analyses", "/interactions", "/readings")
# Nothing that anybody may look at here has a memory in it.
_PLAIN = (
    "/api/health",
    "/api/me",
    "/api/characters",
    "/api/characters/{id}",
    "/api/config/schema",
    "/v1/models",
)
# These are the owner's; others are refused, whatever they name.
OWNERS = (
    "/api/characters/{id}/export",
    "/api/memories/{id}/knowers",
    "/api/memories/{id}/links",
    "/api/persons/{id}/knowledge",
    "/api/persons/{id}/partners",
    "/api/knowing",
    "/api/graph",
    "/api/conversations/{id}/inner",
    "/api/conversations/{id}/rolls",
    "/api/memory-misses",
    "/api/readings",
    "/api/jobs",
    "/api/audit",
    "/api/export",
    "/api/users",
)


@dataclass(frozen=True)
class Outside:
    reader: "Reader"

    @property
    def ways(self) -> dict[str, tuple[Way, float]]:
        """Each with how often it is gone."""
        return {
            "member's memories": (self.memories, 2),
            "member's memory": (self.memory, 2),
            "member's history": (self.history, 2),
            "member's source": (self.source, 2),
            "member's memories of a message": (self.memories_of_a_message, 1),
            "member's search": (self.search, 2),
            "member's memories about themselves": (self.about_me, 1),
            "merge proposal": (self.merge_proposal, 1),
            "message search": (self.message_search, 3),
            "talks": (self.talks, 1),
            **{f"talk{each}": (partial(self.talk, each), 1) for each in (*_PARTS, *_LEARNT)},
            "export by the library": (self.export, 1),
            "card": (self.card, 1),
            "x-ray to come": (self.x_ray_to_come, 2),
            "x-ray kept": (self.x_ray_kept, 3),
            "events": (self.events, 2),
            "one event": (self.event, 1),
            "interactions": (self.interactions, 1),
            "one interaction": (self.interaction, 1),
            "context": (self.context, 3),
            "plain": (self.plain, 1),
            "owner's": (self.owners, 1),
        }

    @property
    def ledger(self) -> Ledger:
        return self.reader.ledger

    # ── memories ─────────────────────────────────────────────────────────────────────────────────

    async def memories(self) -> None:
        """Whomever they ask for, they are shown their own."""
        dice, me = self.reader.dice, self.reader._human()
        query: dict[str, Any] = {"limit": dice.choice([20, 500])}
        if dice.random() < 0.3:
            query["person_id"] = self.reader._somebody()
        if dice.random() < 0.3:
            query["conversation_id"] = self.reader._talk().id
        text = await self.reader.doors.text("GET", "/api/memories", by=me, query=query)
        self._hold_words(text, self.ledger.words_held(me), f"memories of {me}, {query}")

    async def memory(self) -> None:
        me, fact = self._of_mine_or_any()
        text = await self.reader.doors.text("GET", "/api/memories/{id}", by=me, id=fact)
        now = self.ledger.facts[fact].now
        self._hold_words(text, now.words if self.ledger.may_keep(me, fact) else (), f"memory {fact} for {me}")

    async def history(self) -> None:
        """As it was while they knew it: what was believed before they came into it is not theirs."""
        me, fact = self._of_mine_or_any(changed=True)
        text = await self.reader.doors.text("GET", "/api/memories/{id}/history", by=me, id=fact)
        is_theirs = self.ledger.may_keep(me, fact)
        may = self.ledger.words_of_history(me, fact) if is_theirs else ()
        self._hold_words(text, may, f"history of {fact} for {me}")

    async def source(self) -> None:
        """In which words it was said, for whoever heard them."""
        me, fact = self._of_mine_or_any(sourced=True)
        text = await self.reader.doors.text("GET", "/api/memories/{id}/source", by=me, id=fact)
        is_theirs = self.ledger.may_keep(me, fact)
        self._hold_words(text, self.ledger.words_heard(me) if is_theirs else (), f"source of {fact} for {me}")

    async def memories_of_a_message(self) -> None:
        me = self.reader._human()
        talk, line = self._line_of(me, sourced=True)
        route = "/api/conversations/{id}/messages/{message_id}/memories"
        text = await self.reader.doors.text("GET", route, by=me, id=talk.id, message_id=line)
        may = self.ledger.words_held(me) if talk.user == me else ()
        self._hold_words(text, may, f"memories of message {line} for {me}")

    async def search(self) -> None:
        """They name nobody, and ask for what they know."""
        reader, me = self.reader, self.reader._human()
        at = reader._moment() if reader.dice.random() < 0.5 else None
        query = reader._query(me)
        body = {"query": query, "include": _KINDS, "limit": 100, "explain": True}
        body["as_of"] = at.isoformat() if at else None
        answer = await reader.doors.json("POST", "/api/memories/search", by=me, body=body)
        found = (*answer["items"], *answer["dropped"])
        reader._hold_items(found, me, at, f"REST search by {me}, {query!r}, as_of={at}")

    async def about_me(self) -> None:
        me = self.reader._human()
        text = await self.reader.doors.text("GET", "/api/memories/about-me", by=me)
        self._hold_words(text, self.ledger.words_held(me), f"memories about {me}")

    async def merge_proposal(self) -> None:
        """Of memories that the asker may look after; one that they may not is refused."""
        me, one = self._of_mine_or_any()
        facts = [each.id for each in self.ledger.facts.values() if me in each.now.persons and each.id != one]
        other = self.reader.dice.choice(facts or list(self.ledger.facts))
        text = await self.reader.doors.text("POST", "/api/memories/merge-proposal", by=me, body={"ids": [one, other]})
        kept = [self.ledger.facts[each].now.words for each in (one, other) if self.ledger.may_keep(me, each)]
        self._hold_words(text, frozenset().union(*kept), f"merge proposal of {one} and {other} for {me}")

    def _of_mine_or_any(self, *, changed: bool = False, sourced: bool = False) -> tuple[str, str]:
        """A member, and mostly a memory that they have a part in."""
        me, dice = self.reader._human(), self.reader.dice
        facts = [each for each in self.ledger.facts.values() if len(each.states) > 1 or not changed]
        facts = [each for each in facts if each.id in self.ledger.sources or not sourced]
        own = [each for each in facts if me in each.now.persons]
        return me, dice.choice(own if own and dice.random() < 0.8 else facts).id

    # ── talks ────────────────────────────────────────────────────────────────────────────────────

    async def message_search(self) -> None:
        """By a word of any line, what was only thought or is hidden among them: in one talk, or in all of one's own."""
        dice, me, role = self.reader.dice, self._member_or_owner(), self._role()
        line = dice.choice(list(self.ledger.lines.values()))
        query = {"query": dice.choice(sorted(line.words | line.thoughts | line.before) or ["well"]), "limit": 200}
        within = {"conversation_id": line.talk} if dice.random() < 0.5 else {}
        answer = await self.reader.doors.ask("GET", "/api/messages/search", by=me, role=role, query=query | within)
        for each in answer.json().get("items", ()):
            talk, how = self.ledger.talks[each["conversation_id"]], f"message search {query} {within}"
            self._hold_talk(each["excerpt"], talk, me, how)
            self.reader._hold(me in ("", talk.user) and (bool(within) or not talk.private), f"{how} by {me}: {talk}")
            self.reader._hold(not self.ledger.lines[each["message_id"]].hidden, f"{how} by {me} found a hidden line")

    async def talks(self) -> None:
        me = self._member_or_owner()
        role = self._role()
        query = {"limit": 500, "inner": True}
        for each in (await self.reader.doors.json("GET", "/api/conversations", by=me, role=role, query=query))["items"]:
            self._hold_talk(json.dumps(each), self.ledger.talks[each["id"]], me, "the list of talks")

    async def talk(self, part: str) -> None:
        """One of the things that can be looked at in a talk, mostly in one's own."""
        me = self._member_or_owner()
        role = self._role() if part in _PARTS else MEMBER
        talk, line = self._line_of(me)
        query = {"limit": 500} if part in ("/messages", *_LEARNT) and part != "/event" else None
        route = f"{_TALK}{part}"
        answer = await self.reader.doors.ask("GET", route, by=me, role=role, query=query, id=talk.id, message_id=line)
        self._hold_talk(answer.text, talk, me, f"{part} of a talk")
        is_open = me in ("", talk.user) or answer.status_code == HTTPStatus.NOT_FOUND
        self.reader._hold(is_open, f"{part} of {talk} is there for {me}")

    async def export(self) -> None:
        me = self._member_or_owner()
        talk, _ = self._line_of(me)
        lore = self.reader.mind.lore
        if me:
            lore = lore.seen_by(replace(lore.scope, role=Role.MEMBER, person_id=me))
        try:
            text = (await lore.conversations.write_file(talk.id)).decode()
        except NotFound as error:
            text = str(error)
        self._hold_talk(text, talk, me, "export of a talk")

    def _hold_talk(self, text: str, talk: Talk, me: str, what: str) -> None:
        words = marked(text)
        fine = not words or self.ledger.may_look_into(me, talk, words)
        foreign = sorted(words - self.ledger.words_in(talk) - self.ledger.thoughts_in(talk))
        self.reader._hold(fine, f"{what} {talk} for {me or 'the owner'} gave {foreign or 'what is not theirs'}: {text}")

    async def card(self) -> None:
        """A character goes out as it was written, without what it has lived through."""
        reader, person = self.reader, self.reader._somebody()
        kind = reader.dice.choice(["json", "charx", "png"])
        query = {"format": kind, "version": reader.dice.choice([2, 3]) if kind != "charx" else 3}
        answer = await reader.doors.ask("GET", "/api/characters/{id}/export", query=query, id=person)
        self._hold_words(card_text(answer.content, kind), (), f"card of {person} as {kind}")

    # ── what a character is told ─────────────────────────────────────────────────────────────────

    async def x_ray_to_come(self) -> None:
        """By the user of the talk, or the owner: not more than the character may be told there, nor than they know."""
        me = self._member_or_owner()
        talk, speaker, said = self.reader._turn(self._talk_of(me), "", "")
        body = {"content": said, "speaker_id": speaker}
        text = await self.reader.doors.text("POST", f"{_TALK}/prompt", by=me, body=body, id=talk.id)
        self._hold_owned(text, talk, me, "x-ray to come")
        self.reader._hold_told([text], talk, speaker, f"x-ray for {me or 'the owner'} of {said!r}")
        self._hold_shown(marked(text), me, talk, None)

    async def x_ray_kept(self) -> None:
        """Of a reply that was: the memories in it may have become others' since."""
        me, dice = self._member_or_owner(), self.reader.dice
        replies = [each for each in self.ledger.lines.values() if each.is_reply]
        own = [each for each in replies if self._is_open(me, each)]
        if not replies:
            return
        line = dice.choice(own if own and dice.random() < 0.8 else replies)
        talk, query = self.ledger.talks[line.talk], {"message_id": line.id}
        answer = await self.reader.doors.ask("GET", f"{_TALK}/prompt", by=me, query=query, id=talk.id)
        self._hold_owned(answer.text, talk, me, "x-ray kept")
        words = marked(answer.text)
        at = datetime.fromisoformat(answer.json()["at"]) if words else line.at
        for word in sorted(words):
            fine = self.ledger.may_have_prompted(word, line.speaker, talk, at)
            self.reader._hold_word(fine, word, f"x-ray of {line.id} of {at} for {me or 'the owner'} in {talk}")
        self._hold_shown(words, me, talk, at)
        await self.grounds(me, talk)

    async def grounds(self, me: str, talk: Talk) -> None:
        """What the last reply rests on, for programs: no word that the x-ray of that reply does not show."""
        x_ray = await self.reader.doors.ask("GET", f"{_TALK}/prompt", by=me, id=talk.id)
        answer = await self.reader.doors.ask("GET", "/v1/conversations/{id}/grounds", by=me, id=talk.id)
        self._hold_owned(answer.text, talk, me, "grounds")
        more = marked(answer.text) - marked(x_ray.text)
        self.reader._hold(not more, f"grounds in {talk} for {me or 'the owner'} gave {more}")

    def _hold_shown(self, words: set[str], me: str, talk: Talk, at: datetime | None) -> None:
        """The owner sees all that the character is told, but what players must not know where one of them speaks; a
        member, what of it they may see themselves."""
        ledger = self.ledger
        for word in sorted(words):
            fine = ledger.may_be_shown(word, me, talk, at) if me else ledger.may_owner_be_shown(word, talk)
            self.reader._hold_word(fine, word, f"x-ray for {me or 'the owner'} in {talk}")

    def _is_open(self, me: str, line: Line) -> bool:
        return not me or self.ledger.talks[line.talk].user == me

    def _hold_owned(self, text: str, talk: Talk, me: str, what: str) -> None:
        self.reader._hold(me in ("", talk.user) or not marked(text), f"{what} in {talk} for {me} gave {text}")

    async def context(self) -> None:
        """For an agent that answers for a member or a guest, or, as the owner lets it, for anybody."""
        reader, dice = self.reader, self.reader.dice
        person, is_own = reader._somebody(), dice.random() < 0.5
        if is_own:
            person = reader._human()
        talks = [each for each in self.ledger.talks.values() if person in {each.user, *([] if is_own else each.cast)}]
        talk = dice.choice(talks) if talks and dice.random() < 0.5 else None
        query = reader._query(person) if dice.random() < 0.9 else ""
        body: dict[str, Any] = {"query": query, "include": _KINDS, "budget_tokens": 8_000}
        body |= {"conversation_id": talk.id} if talk else {}
        body |= {} if is_own else {"person_id": person}
        by, role = (person, self._role()) if is_own else ("", MEMBER)
        package = await reader.doors.json("POST", "/api/context", by=by, role=role, body=body)
        self.hold_given(package, person, talk, query, f"context for {person}, {query!r}")

    def hold_given(self, package: dict[str, Any], person: str, talk: Talk | None, query: str, how: str) -> None:
        """Whoever asks by a word has it already."""
        for word in sorted(marked(json.dumps(package)) - marked(query)):
            fine = self.ledger.may_be_given(word, person, talk)
            self.reader._hold_word(fine, word, f"{how} in {talk}")

    # ── what happened ────────────────────────────────────────────────────────────────────────────

    async def events(self) -> None:
        """Of a member, or of anybody for the owner; of one talk, or of all."""
        reader, dice, me = self.reader, self.reader.dice, self._member_or_owner()
        person = me or reader._somebody()
        query: dict[str, Any] = {"limit": 500}
        if not me or dice.random() < 0.3:
            query["person_id"] = reader._somebody() if me else person
        talk = self._talk_of(me) if dice.random() < 0.4 else None
        query |= {"conversation_id": talk.id} if talk else {}
        text = await reader.doors.text("GET", "/api/events", by=me, query=query)
        may = self.ledger.words_taken_part_in(person) if me else self.ledger.words_with(person)
        if talk is not None and me:
            may = self.ledger.words_in(talk) if talk.user == me else frozenset()
        self._hold_words(text, may, f"events for {me or 'the owner'}, {query}")

    async def event(self) -> None:
        me, dice = self.reader._human(), self.reader.dice
        own = [each.id for each in self.ledger.scraps.values() if me in each.persons]
        id = dice.choice(own if own and dice.random() < 0.8 else sorted(self.ledger.scraps))
        text = await self.reader.doors.text("GET", "/api/events/{id}", by=me, id=id)
        self._hold_words(text, self.ledger.words_taken_part_in(me), f"event {id} for {me}")

    async def interactions(self) -> None:
        me = self._member_or_owner()
        person = me or self.reader._somebody()
        text = await self.reader.doors.text(
            "GET", "/api/interactions", by=me, query={"person_id": person, "limit": 500}
        )
        self._hold_words(text, self.ledger.words_passed_with(person), f"interactions of {person}")

    async def interaction(self) -> None:
        me = self.reader._human()
        id = f"_interaction {self._talk_of(me).id}"
        text = await self.reader.doors.text("GET", "/api/interactions/{id}", by=me, id=id)
        self._hold_words(text, self.ledger.words_passed_with(me), f"interaction {id} for {me}")

    # ── where there is nothing of the kind ───────────────────────────────────────────────────────

    async def plain(self) -> None:
        me, id = self.reader._human(), self.reader._somebody()
        for route in _PLAIN:
            text = await self.reader.doors.text("GET", route, by=me, role=self._role(), id=id)
            self._hold_words(text, (), f"{route} for {me}")

    async def owners(self) -> None:
        route, me = self.reader.dice.choice(OWNERS), self.reader._human()
        ids = {"memories": self.reader._fact(), "conversations": self.reader._talk().id}
        id = ids.get(route.split("/")[2], self.reader._somebody())
        answer = await self.reader.doors.ask("GET", route, by=me, role=self._role(), id=id)
        # Of a talk that is not theirs they are not even told whether they might.
        self.reader._hold(answer.status_code in (403, 404), f"{route} for {me}: {answer.status_code}")
        self._hold_words(answer.text, (), f"{route} for {me}")

    # ── chance ───────────────────────────────────────────────────────────────────────────────────

    def _hold_words(self, text: str, may: Iterable[str], how: str) -> None:
        for word in sorted(marked(text) - set(may)):
            self.reader._hold_word(False, word, how)

    def _member_or_owner(self) -> str:
        return "" if self.reader.dice.random() < 0.2 else self.reader._human()

    def _role(self) -> str:
        return self.reader.dice.choice([MEMBER, MEMBER, GUEST])

    def _talk_of(self, me: str) -> Talk:
        """Mostly their own, of a member."""
        own = [each for each in self.ledger.talks.values() if each.user == me]
        return self.reader.dice.choice(own) if own and self.reader.dice.random() < 0.75 else self.reader._talk()

    def _line_of(self, me: str, *, sourced: bool = False) -> tuple[Talk, str]:
        """A talk, and one of its lines; now and then one of another talk."""
        talk, dice = self._talk_of(me), self.reader.dice
        here = [each.id for each in self.ledger.lines.values() if each.talk == talk.id or dice.random() < 0.02]
        origins = {each for lines in self.ledger.sources.values() for each in lines}
        wanted = [each for each in here if each in origins] if sourced else here
        return talk, dice.choice(wanted or here or list(self.ledger.lines))


def card_text(data: bytes, kind: str) -> str:
    """All that can be read in a card, unpacked."""
    if kind == "json":
        return data.decode()
    if kind == "charx":
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            return "\n".join(opened.read(each).decode(errors="replace") for each in opened.namelist())
    # Behind its keyword, and perhaps with a letter or two of the checksum.
    packed = re.findall(rb"(?:chara|ccv3)\x00([A-Za-z0-9+/]+={0,2})", data)
    assert packed, "a picture without a card"
    return "\n".join(b64decode(each[: len(each) // 4 * 4]).decode(errors="replace") for each in packed)
