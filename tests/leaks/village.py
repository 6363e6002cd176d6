"""Twenty people who live, talk, keep secrets and pass things on, with the ledger written beside it.

Everything is done through Everlore as anybody would do it; what each deed means is written into the ledger by the
rules of the specification alone. Where Everlore says at once what became of a deed, that is compared at once.

Start at `Village.lives`.
"""

import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from everlore.domain.campaign import Entity
from everlore.domain.conversation import Message, Summary
from everlore.domain.event import Event, EventType
from everlore.domain.memory import Durability, MemoryType, Origin, Status, Visible
from everlore.domain.person import PersonKind
from everlore.domain.tokens import TOLD, token_of
from everlore.errors import BadAsk
from everlore.store.port import Put
from tests.leaks.games import Games
from tests.leaks.ledger import (
    ACTIVE,
    NORMAL,
    PRIVATE,
    REJECTED,
    SECRET,
    SUPERSEDED,
    Fact,
    Ledger,
    Line,
    Scrap,
    State,
    Talk,
    marked,
)
from tests.turn.world import HERE, World

_SYLLABLES = "ba ce di fo gu ha ki lo mu ne pa ri so tu va we xi yo zu".split()
_NAMES = (
    "Ada Bo Cy Dee Eli Fay Gus Hal Ivy Jo Kit Lou Mia Ned Ola Pam Quin Rex Sid Tess Uma Vic Wim Xan Yan Zoe".split()
)
# Room for everything: what is not in a prompt is not there because it must not be.
_ROOMY = {
    "auto_title": False,
    "extract_memories": False,
    "memory_budget": 20_000,
    "context_window": 1_000_000,
}
_HUMANS = 5
Deed = Callable[[], Awaitable[None]]


@dataclass
class Village:
    mind: World
    dice: random.Random
    people: int = 20
    ledger: Ledger = field(default_factory=Ledger)
    # How often something was passed on, and by which way.
    passed_on: dict[str, int] = field(default_factory=lambda: {"tell": 0, "token": 0, "reply": 0, "refused": 0})

    def __post_init__(self) -> None:
        self._words = iter(self._spelled())
        self.games = Games(self)

    def _spelled(self) -> list[str]:
        found = ["".join((a, b, c)) for a in _SYLLABLES for b in _SYLLABLES for c in _SYLLABLES]
        self.dice.shuffle(found)
        return found

    # ── a life ───────────────────────────────────────────────────────────────────────────────────

    async def lives(self, deeds: int) -> None:
        for number, name in enumerate(_NAMES[: self.people]):
            kind = PersonKind.USER if number < _HUMANS else PersonKind.CHARACTER
            person = await self.mind.meets(name, kind=kind)
            (self.ledger.humans if kind is PersonKind.USER else self.ledger.characters).add(person.id)
        # Whoever sits at a keyboard has a talk at least.
        first = [*sorted(self.ledger.humans), *self.dice.choices(self.ledger.persons, k=self.people - _HUMANS)]
        for user in first:
            await self._they_meet(user)
            await self._something_happens()
        await self.games.begin(_ROOMY)
        async for number in self.goes_on(deeds):
            if number in (deeds // 4, deeds // 2, 3 * deeds // 4):
                await self._a_talk_is_deleted()
                await self._a_talk_branches()
        self.mind.clock.pass_time(60)
        await self.mind.works()

    async def goes_on(self, deeds: int) -> AsyncIterator[int]:
        """One deed after the other; whoever watches looks in between."""
        kinds: list[tuple[Deed, int]] = [
            (self._something_happens, 40),
            (self._somebody_tells, 10),
            (self._somebody_says, 18),
            (self._somebody_blurts, 8),
            (self._somebody_talks, 3),
            (self._somebody_only_thinks, 4),
            (self._somebody_comes_or_goes, 3),
            (self._a_memory_changes, 7),
            (self._a_memory_is_forgotten, 2),
            (self._a_message_changes, 4),
            (self._a_message_is_hidden_or_shown, 4),
            (self._a_message_is_deleted, 2),
            (self._a_reply_is_written_anew, 2),
            (self._something_is_summed_up, 3),
            (self.games.goes_on, 6),
        ]
        chosen = self.dice.choices([deed for deed, _ in kinds], [weight for _, weight in kinds], k=deeds)
        for number, deed in enumerate(chosen):
            self.mind.clock.pass_time(self.dice.randint(1, 5) * 60)
            await deed()
            self.ledger.moments.append(self.mind.clock())
            yield number

    # ── memories ─────────────────────────────────────────────────────────────────────────────────

    async def _something_happens(self) -> None:
        """To one, to two, or to a few; some of it secret, private, or not to be given away."""
        dice, talk = self.dice, self._some_talk()
        count = dice.choice([1, 1, 2, 2, 2, 3, 4, 5])
        persons = frozenset(dice.sample(self.ledger.persons, count))
        visibility = dice.choices([NORMAL, SECRET, PRIVATE], [7, 2, 1])[0]
        if visibility == PRIVATE:
            persons = frozenset(dice.sample(sorted(talk.everybody), min(count, len(talk.everybody))))
        handle, words = self.handle(), self.two_words()
        state = State(
            self.mind.clock(),
            words,
            persons,
            visibility,
            is_spoiler=dice.random() < 0.1,
            talk=talk.id if visibility == PRIVATE or dice.random() < 0.2 else None,
        )
        kept = await self.mind.lore.remember(
            self.said_of(handle, state),
            type=dice.choice([MemoryType.FACT, MemoryType.RELATIONSHIP, MemoryType.GOAL, MemoryType.EVENT]),
            importance=dice.choice([2, 5, 5, 5, 7, 9]),
            persons=tuple(sorted(persons)),
            visibility=Visible(visibility),
            is_spoiler=state.is_spoiler,
            conversation_id=state.talk,
            durability=dice.choice([Durability.LONG_TERM, Durability.SITUATIONAL, Durability.IDENTITY]),
            origin=dice.choice([Origin.USER, Origin.EXTRACTOR, Origin.ANALYSIS]),
        )
        self.ledger.facts[kept.id] = Fact(kept.id, handle, [state])

    async def _a_memory_changes(self) -> None:
        """Other words, other people, another visibility, or it is over."""
        fact = self._some_fact()
        now, at = fact.now, self.mind.clock()
        what = self.dice.choice(["words", "words", "persons", "visibility", "spoiler", "over", "rejected"])
        if what == "words":
            after = replace(now, since=at, words=self.two_words())
        elif what == "persons":
            after = replace(now, since=at, persons=frozenset(self.dice.sample(self.ledger.persons, 2)))
        elif what == "visibility" and now.visibility != PRIVATE:
            after = replace(now, since=at, visibility=SECRET if now.visibility == NORMAL else NORMAL)
        elif what == "spoiler":
            after = replace(now, since=at, is_spoiler=not now.is_spoiler)
        elif now.status == ACTIVE and what in ("over", "rejected"):
            after = replace(now, since=at, status=SUPERSEDED if what == "over" else REJECTED)
        else:
            return
        await self.mind.lore.edit(
            fact.id,
            content=self.said_of(fact.handle, after),
            persons=tuple(sorted(after.persons)),
            visibility=Visible(after.visibility),
            is_spoiler=after.is_spoiler,
            status=Status(after.status),
        )
        fact.states.append(after)

    async def _a_memory_is_forgotten(self) -> None:
        fact = self._some_fact()
        await self.mind.lore.forget(fact.id)
        self.ledger.drop_fact(fact.id)

    # ── passing on ───────────────────────────────────────────────────────────────────────────────

    async def _somebody_tells(self) -> None:
        """Out of any talk. Who does not know it cannot, and what must not be told is not."""
        fact = self._some_fact()
        knowers = sorted(self.ledger.knowers(fact.id))
        teller = self.dice.choice(knowers if knowers and self.dice.random() < 0.8 else self.ledger.persons)
        listener = self.dice.choice(self.ledger.persons)
        may = (
            self.ledger.may_be_told(fact.id)
            and self.ledger.knows(teller, fact.id)
            and not self.ledger.knows(listener, fact.id)
        )
        telling = self.mind.lore.knowledge.tell(fact.id, teller=teller, listener=listener)
        if not may:
            self.passed_on["refused"] += 1
            with pytest.raises(BadAsk):
                await telling
            return
        await telling
        self.passed_on["tell"] += 1
        self.ledger.tell(fact.id, teller, [listener], self.mind.clock())

    async def _somebody_says(self) -> None:
        """The user of a talk, or a guest, with tokens of memories: of some that may be told there, and of others."""
        talk = self._some_talk()
        guests = sorted(set(self.ledger.persons) - talk.everybody)
        speaker = self.dice.choice(guests) if self.dice.random() < 0.2 else talk.user
        facts = self._to_tell(speaker)
        content = self._line(*(token_of(each) for each in facts))
        kept = await self.mind.turns.note(self.mind.scope, talk.id, content, person_id=speaker)
        self._noted(talk, kept, facts, speaker)

    def _noted(self, talk: Talk, kept: Message, facts: Sequence[str], speaker: str) -> None:
        line = Line(
            kept.id,
            talk.id,
            speaker,
            talk.present | {speaker},
            kept.created_at,
            frozenset(marked(kept.content)),
            talk.private,
            tokens=tuple(facts),
        )
        self._written(line, kept)

    def _written(self, line: Line, kept: Message) -> None:
        """Into the ledger, and compared with what Everlore says of it."""
        self.ledger.note(line)
        self.passed_on["token"] += len(line.facts)
        self.passed_on["refused"] += len(line.tokens) - len(line.facts)
        mark: Any = kept.metadata.get(TOLD, {"told": [], "unresolved": []})
        assert mark["told"] == list(line.facts)
        refused = [each for each in line.tokens if each not in line.facts]
        assert line.hidden or mark["unresolved"] == refused

    def _to_tell(self, speaker: str) -> list[str]:
        mine = [each for each in self.ledger.facts if self.ledger.can_tell(speaker, each)]
        others = [*self.ledger.facts, "no-such-memory"]
        wanted = [self.dice.choice(mine if mine and self.dice.random() < 0.7 else others) for _ in range(2)]
        return list(dict.fromkeys(wanted[: self.dice.choice([0, 1, 1, 2])]))

    async def _somebody_blurts(self) -> None:
        """A character that is asked for it speaks of what it knows, and all who are there hear it (R6, R11)."""
        for _ in range(20):
            talk = self._some_talk()
            speaker = self.dice.choice(talk.cast)
            facts = [each for each in self.ledger.facts.values() if self._may_blurt(talk, speaker, each)]
            if facts:
                break
        else:
            return
        fact = self.dice.choice(facts)
        words = self.said_of(fact.handle, fact.now)
        # By meaning and by words: what has no vector yet may not be relevant enough.
        await self.mind.works()
        thought = self._thought()
        self.mind.model.answers(f"{thought}Well. {words}")
        reply = await self.mind.says(talk.id, self._question_of(fact), speaker_id=speaker)
        await self._heard(talk, reply, speaker, fact.id, thought=thought)
        self.passed_on["reply"] += 1

    async def _somebody_only_thinks(self) -> None:
        """A character that is asked for what it knows thinks of it, and says something else: nobody has heard it."""
        talk = self._some_talk()
        here = [each for each in talk.cast if each in talk.present]
        known = [each for each in self.ledger.facts.values() if here and self.ledger.can_tell(here[0], each.id)]
        if not known:
            return
        fact = self.dice.choice(known)
        await self.mind.works()
        thought = f"<think>{self.said_of(fact.handle, fact.now)}</think>"
        self.mind.model.answers(f"{thought}{self._line()}")
        reply = await self.mind.says(talk.id, self._question_of(fact), speaker_id=here[0])
        await self._heard(talk, reply, here[0], thought=thought)

    def _thought(self) -> str:
        """What stands before half of all replies."""
        return f"<think>Not a word of {next(self._words)}qx.</think>\n" if self.dice.random() < 0.5 else ""

    def _may_blurt(self, talk: Talk, speaker: str, fact: Fact) -> bool:
        """Whether the character is offered it there, and says with it what somebody has not heard yet."""
        # A branch knows its own past, and others know nothing of it (M15).
        home = self.ledger.talks.get(fact.now.talk or "")
        is_of_another_past = home is not None and home.id != talk.id and (home.roots or home.id in talk.roots)
        if is_of_another_past or speaker not in talk.present or not self.ledger.can_tell(speaker, fact.id):
            return False
        strangers = (fact.now.persons & self.ledger.humans) - {talk.user}
        if strangers or all(self.ledger.knows(each, fact.id) for each in talk.present):
            return False
        is_of_the_two = fact.now.persons == {speaker} or talk.user in fact.now.persons
        is_gossip = talk.gossip and self.ledger.may_gossip(speaker, fact.id, talk.user)
        is_offered = is_of_the_two or is_gossip or self.ledger.was_told_between(fact.id, speaker, talk.user)
        return is_offered and self.ledger.may_prompt_fact(fact, speaker, talk)

    async def _somebody_talks(self) -> None:
        """Of nothing in particular."""
        talk = self._some_talk()
        here = [each for each in talk.cast if each in talk.present]
        if not here:
            return
        thought = self._thought()
        self.mind.model.answers(f"{thought}{self._line()}")
        speaker = self.dice.choice(here)
        reply = await self.mind.says(talk.id, self._line(), speaker_id=speaker)
        await self._heard(talk, reply, speaker, thought=thought)

    async def _heard(self, talk: Talk, reply: Message, speaker: str, fact: str = "", *, thought: str = "") -> None:
        """A reply, and what it was said to."""
        *_, asked, _reply = await self.mind.log(talk.id)
        self._noted(talk, asked, (), talk.user)
        words = frozenset(marked(reply.content.removeprefix(thought)))
        line = Line(reply.id, talk.id, speaker, talk.present, reply.created_at, words, talk.private, True)
        self.ledger.note(replace(line, spoken=fact, thoughts=frozenset(marked(thought))))

    # ── messages ─────────────────────────────────────────────────────────────────────────────────

    async def _a_message_changes(self) -> None:
        """What it told is untold, and what it tells now is told, as if it had been said so in the first place."""
        line = self._some_line(is_reply=False)
        if line is None:
            return
        facts = self._to_tell(line.speaker)
        content = self._line(*(token_of(each) for each in facts))
        kept = await self.mind.lore.messages.edit(line.talk, line.id, content=content)
        self._written(replace(line, words=frozenset(marked(content)), tokens=tuple(facts)), kept)

    async def _a_message_is_hidden_or_shown(self) -> None:
        """A hidden one tells nothing, until it is shown again."""
        line = self._some_line(is_reply=self.dice.random() < 0.3)
        if line is not None:
            kept = await self.mind.lore.messages.edit(line.talk, line.id, hidden=not line.hidden)
            self._written(replace(line, hidden=not line.hidden), kept)

    def _some_line(self, *, is_reply: bool) -> Line | None:
        found = [each for each in self.ledger.lines.values() if each.is_reply is is_reply]
        return self.dice.choice(found) if found else None

    async def _a_message_is_deleted(self) -> None:
        if self.ledger.lines:
            line = self.dice.choice(list(self.ledger.lines.values()))
            await self.mind.lore.messages.remove(line.talk, line.id)
            self.ledger.drop_line(line.id)

    async def _a_reply_is_written_anew(self) -> None:
        """What the version before told is taken back."""
        line = self._some_line(is_reply=True)
        if line is None or line.hidden or line.speaker not in self.ledger.talks[line.talk].present:
            return
        thought = self._thought()
        self.mind.model.answers(f"{thought}{self._line()}")
        reply = await (await self.mind.turns.regenerate(self.mind.scope, line.talk, line.id)).reply()
        before, thoughts = line.before | line.words, line.thoughts | marked(thought)
        words = frozenset(marked(reply.content.removeprefix(thought)))
        self.ledger.note(replace(line, words=words, spoken="", before=before, thoughts=thoughts))

    # ── talks ────────────────────────────────────────────────────────────────────────────────────

    async def _they_meet(self, user: str) -> None:
        dice = self.dice
        cast = dice.sample(sorted(self.ledger.characters - {user}), dice.choice([1, 1, 2, 3]))
        gossip, private = dice.random() < 0.5, dice.random() < 0.1
        recipe = dice.choice(["companion", "roleplay", "agent", "campaign"])
        config = _ROOMY | {"gossip_enabled": gossip, "private": private, "recall_recipe": recipe}
        kept = await self.mind.lore.conversations.start(cast, user=user, config=config)
        self.ledger.talks[kept.id] = Talk(kept.id, user, tuple(cast), gossip, private)

    async def _somebody_comes_or_goes(self) -> None:
        talk = self._some_talk()
        here = self.dice.sample(talk.cast, self.dice.randint(1, len(talk.cast)))
        await self.mind.lore.conversations.change(talk.id, present=[talk.user, *here])
        talk.away = frozenset(talk.cast) - set(here)

    async def _a_talk_is_deleted(self) -> None:
        talk = self._some_talk()
        await self.mind.lore.conversations.delete(talk.id)
        self.ledger.drop_talk(talk.id)

    async def _a_talk_branches(self) -> None:
        """What was said up to a message was said in the branch as well."""
        line = self._some_line(is_reply=self.dice.random() < 0.5)
        if line is None:
            return
        talk = self.ledger.talks[line.talk]
        branch = await self.mind.lore.conversations.branch(talk.id, line.id)
        copies = {str(each.metadata["copied_from"]): each.id for each in await self.mind.log(branch.id)}
        self.ledger.branch(replace(talk, id=branch.id, roots=(talk.id, *talk.roots)), copies)

    async def _something_is_summed_up(self) -> None:
        """A summary, an event, or an entity: each of them for those whom it names."""
        talk, at = self._some_talk(), self.mind.clock()
        persons = tuple(sorted(talk.present))
        id, words = f"scrap-{next(self._words)}", self.two_words()
        content = f"They spoke of the {next(self._words)}oz: {' '.join(sorted(words))}."
        known: dict[str, Any] = {"workspace": HERE, "id": id, "created_at": at}
        kind = self.dice.choice(["summary", "event", "entity"])
        if kind == "summary":
            made: Any = Summary(
                **known,
                conversation_id=talk.id,
                first_seq=1,
                last_seq=2,
                content=content,
                persons=persons,
                private=talk.private,
            )
        elif kind == "event":
            made = Event(
                **known,
                type=EventType.OBSERVATION,
                content=content,
                at=at,
                conversation_id=talk.id,
                actors=persons[:1],
                participants=persons[1:],
            )
        else:
            persons = (self.dice.choice(persons),)
            made = Entity(
                **known, name=f"{next(self._words)}oz", description=content, person_id=persons[0], updated_at=at
            )
        await self.mind.store.apply(self.mind.scope, [Put(made)])
        self.ledger.scraps[id] = Scrap(
            id,
            words,
            frozenset(persons),
            at,
            None if kind == "entity" else talk.id,
            private=kind == "summary" and talk.private,
            is_summary=kind == "summary",
        )

    # ── chance ───────────────────────────────────────────────────────────────────────────────────

    def _some_talk(self) -> Talk:
        return self.dice.choice(list(self.ledger.talks.values()))

    def _some_fact(self) -> Fact:
        return self.dice.choice(list(self.ledger.facts.values()))

    def handle(self) -> str:
        return " ".join(f"{next(self._words)}oz" for _ in range(3))

    def two_words(self) -> frozenset[str]:
        return frozenset({f"{next(self._words)}qx", f"{next(self._words)}qx"})

    def said_of(self, handle: str, state: State) -> str:
        return f"{_names(state)} hid the {handle} beside {' and '.join(sorted(state.words))}."

    def _question_of(self, fact: Fact) -> str:
        """In all the words of the memory that are no secret."""
        return f"Did {_names(fact.now)} hide the {fact.handle} beside anything?"

    def _line(self, *tokens: str) -> str:
        return " ".join((f"By the way, {next(self._words)}qx is near {next(self._words)}oz.", *tokens))


def _names(state: State) -> str:
    """Two of them: with more, a reply that names them would seem to speak of another memory of theirs."""
    return " and ".join(sorted(each.title() for each in state.persons)[:2]) or "Somebody"
