"""Who knows what, kept beside Everlore in plain dicts and without a line of its code: what its answers are held
against (R11).

Every memory, message, summary, event and entity of the village has words that stand nowhere else. So an answer can be
read word by word: whoever wrote a word down here is known, and so is who may read it, and since when.

Start at `Ledger`.
"""

import re
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Self

MARKED = re.compile(r"[a-z]+qx\b")
NORMAL, PRIVATE, SECRET = "normal", "private", "secret"
ACTIVE, SUPERSEDED, REJECTED = "active", "superseded", "rejected"


def marked(text: str) -> set[str]:
    """The words of a text that stand for something in the ledger."""
    return set(MARKED.findall(text))


@dataclass(frozen=True)
class State:
    """A memory from one moment until the next state of it."""

    since: datetime
    words: frozenset[str]
    persons: frozenset[str]
    visibility: str = NORMAL
    is_spoiler: bool = False
    status: str = ACTIVE
    talk: str | None = None
    game: str | None = None


@dataclass
class Fact:
    """A memory. `handle` is what people ask by, three words of its own; they are no secret."""

    id: str
    handle: str
    states: list[State]

    @property
    def now(self) -> State:
        return self.states[-1]

    def at(self, moment: datetime | None) -> State | None:
        """As it was believed then; None before it was there."""
        if moment is None:
            return self.now
        return next((each for each in reversed(self.states) if each.since <= moment), None)


@dataclass(frozen=True)
class Game:
    """A campaign: who runs it, be it a character, and who plays."""

    id: str
    gm: str | None
    players: frozenset[str] = frozenset()

    @property
    def everybody(self) -> frozenset[str]:
        return self.players | ({self.gm} if self.gm else frozenset())


@dataclass(frozen=True)
class Told:
    fact: str
    teller: str
    listener: str
    at: datetime
    line: str | None = None


@dataclass
class Talk:
    id: str
    user: str
    cast: tuple[str, ...]
    gossip: bool = False
    private: bool = False
    away: frozenset[str] = frozenset()
    # What it was branched from, and what that was branched from.
    roots: tuple[str, ...] = ()
    game: str | None = None
    # The session of the game that it is played in, and whether the players sit at it.
    session: str = ""
    is_open: bool = False

    @property
    def everybody(self) -> frozenset[str]:
        return frozenset({self.user, *self.cast})

    @property
    def present(self) -> frozenset[str]:
        return self.everybody - self.away


@dataclass
class Line:
    """A message. `tokens`: what it means to tell; `facts`: what of that is told; `spoken`: what a reply tells in words
    of its own; `before`: the words of its other versions; `thoughts`: what its speaker only thought."""

    id: str
    talk: str
    speaker: str
    present: frozenset[str]
    at: datetime
    words: frozenset[str]
    private: bool = False
    is_reply: bool = False
    hidden: bool = False
    tokens: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    spoken: str = ""
    before: frozenset[str] = frozenset()
    # What its speaker thought and did not say, in any of its versions.
    thoughts: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Scrap:
    """A summary, an event or an entity: known to those whom it names. As a paper: what was made of a talk, an analysis
    say, which nobody recalls."""

    id: str
    words: frozenset[str]
    persons: frozenset[str]
    at: datetime
    talk: str | None = None
    private: bool = False
    game: str | None = None
    is_spoiler: bool = False
    # Of the world of its game, whomever it names; with a name of its own, that is no secret, if it is somebody in it.
    is_of_world: bool = False
    name: str = ""
    # A summary of messages: no guest is told any.
    is_summary: bool = False
    # A hidden name of this entity, by its id.
    alias_of: str = ""


@dataclass
class Ledger:
    humans: set[str] = field(default_factory=set)
    characters: set[str] = field(default_factory=set)
    facts: dict[str, Fact] = field(default_factory=dict)
    # By the memory that was told.
    told: dict[str, list[Told]] = field(default_factory=dict)
    # What was told once, and is not told any more.
    untold: list[Told] = field(default_factory=list)
    games: dict[str, Game] = field(default_factory=dict)
    talks: dict[str, Talk] = field(default_factory=dict)
    lines: dict[str, Line] = field(default_factory=dict)
    scraps: dict[str, Scrap] = field(default_factory=dict)
    papers: dict[str, Scrap] = field(default_factory=dict)
    # By the memory that was learnt of them: the lines.
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # Every moment at which something happened.
    moments: list[datetime] = field(default_factory=list)

    @property
    def persons(self) -> list[str]:
        return sorted(self.humans | self.characters)

    @property
    def tellings(self) -> list[Told]:
        return [each for told in self.told.values() for each in told]

    def copy(self) -> Self:
        return deepcopy(self)

    # ── who knows what ───────────────────────────────────────────────────────────────────────────

    def knows(self, person: str, fact: str, at: datetime | None = None) -> bool:
        """Was there, or was told by then."""
        if fact not in self.facts:
            return False
        state = self.facts[fact].at(at)
        if state is None:
            return False
        return person in state.persons or any(
            each.listener == person and (at is None or each.at <= at) for each in self.told.get(fact, ())
        )

    def knowers(self, fact: str, at: datetime | None = None) -> set[str]:
        return {each for each in self.persons if self.knows(each, fact, at)}

    def known_to(self, person: str, at: datetime | None = None) -> dict[str, State]:
        """What somebody knows, or knew then, as it was believed then."""
        found: dict[str, State] = {}
        for id, fact in self.facts.items():
            state = fact.at(at)
            if state is not None and state.status == ACTIVE and self.knows(person, id, at):
                found[id] = state
        return found

    def partners(self, person: str) -> set[str]:
        shared = [each.now.persons for each in self.facts.values() if each.now.status == ACTIVE]
        return {other for persons in shared if person in persons for other in persons} - {person}

    def may_be_told(self, fact: str) -> bool:
        """Whether it may be passed on at all (R10, R11)."""
        now = self.facts[fact].now
        return now.status == ACTIVE and now.visibility == NORMAL and not now.is_spoiler

    def can_tell(self, speaker: str, fact: str) -> bool:
        return self.knows(speaker, fact) and self.may_be_told(fact)

    def may_gossip(self, person: str, fact: str, listener: str | None) -> bool:
        """R6, R7: what the person has from others, and the listener does not know."""
        return (
            fact in self.facts
            and self.may_be_told(fact)
            and self.knows(person, fact)
            and self.facts[fact].now.persons != {person}
            and (listener is None or not self.knows(listener, fact))
        )

    # ── what is of a game ────────────────────────────────────────────────────────────────────────

    def runs(self, person: str, game: str | None, talk: Talk | None = None) -> bool:
        """Whether somebody may know what players must not: who runs that game, and speaks of no other (G9)."""
        kept = self.games.get(game or "")
        return kept is not None and kept.gm == person and (talk is None or talk.game == game)

    def is_hidden(self, fact: str, state: State, person: str, talk: Talk | None = None) -> bool:
        """A spoiler, now or as it was then, before whoever does not run its game."""
        is_spoiler = state.is_spoiler or self.facts[fact].now.is_spoiler
        return is_spoiler and not self.runs(person, state.game, talk)

    def is_open(self, kept: "State | Scrap", person: str, talk: Talk | None = None, *, speaks: bool = False) -> bool:
        """Without being known: canon, to all who are in the game, be it as a character that speaks; to who runs it,
        whatever happened in it and is no secret."""
        game = self.games.get(kept.game or "")
        if game is None or (talk is not None and talk.game != game.id) or getattr(kept, "visibility", NORMAL) == SECRET:
            return False
        is_canon = not kept.persons or getattr(kept, "is_of_world", False)
        is_in = person in game.everybody or (speaks and talk is not None)
        return self.runs(person, game.id, talk) or (is_canon and is_in)

    def may_keep(self, person: str, fact: str, state: State | None = None) -> bool:
        """Whether somebody may look after a memory: theirs, or of a game that they run."""
        state = state or self.facts[fact].now
        if self.is_hidden(fact, state, person):
            return False
        return person in state.persons or (self.runs(person, state.game) and self.is_seen(fact, state, person))

    def is_seen(self, fact: str, state: State, person: str) -> bool:
        return state.is_spoiler or state.visibility != SECRET or self.knows(person, fact)

    # ── what may be read ─────────────────────────────────────────────────────────────────────────

    def may_recall_fact(self, person: str, fact: str, words: Iterable[str], at: datetime | None, talk: str) -> bool:
        """By somebody who asks for what they may see; what is private comes up in its own talk alone."""
        state = self.facts[fact].at(at) if fact in self.facts else None
        place = self.talks.get(talk)
        if state is None or self.is_hidden(fact, state, person, place):
            return False
        is_revealed = state.is_spoiler and self.runs(person, state.game, place)
        if not (self.knows(person, fact, at) or is_revealed or self.is_open(state, person, place)):
            return False
        is_elsewhere = state.visibility == PRIVATE and state.talk != (talk or "nowhere")
        is_believed = state.status == ACTIVE or (state.status == SUPERSEDED and at is None)
        return is_believed and not is_elsewhere and set(words) <= state.words

    def may_recall_line(self, person: str, line: str, words: Iterable[str], at: datetime | None) -> bool:
        said = self.lines.get(line)
        if said is None or said.private or person not in said.present or (at is not None and said.at > at):
            return False
        return set(words) <= said.words

    def may_recall_scrap(self, person: str, scrap: str, words: Iterable[str], at: datetime | None) -> bool:
        kept = self.scraps.get(scrap)
        if kept is None or kept.private or (at is not None and kept.at > at):
            return False
        names = [each.words for each in self.scraps.values() if each.alias_of == scrap and self.runs(person, each.game)]
        return self.may_see_scrap(person, kept) and set(words) <= kept.words.union(*names)

    def may_see_scrap(self, person: str, scrap: Scrap, talk: Talk | None = None, *, speaks: bool = False) -> bool:
        if scrap.is_spoiler:
            return self.runs(person, scrap.game, talk)
        return person in scrap.persons or self.is_open(scrap, person, talk, speaks=speaks)

    def may_recall_summary(self, person: str, words: Iterable[str], at: datetime | None) -> bool:
        """One that was made of lines, or copied into a branch: of each word it must be known where it came from, and
        that this person was there for it (C7)."""
        lines = [each for each in self.lines.values() if not each.hidden]
        return all(
            any(word in each.words and self.may_recall_line(person, each.id, {word}, at) for each in lines)
            or any(self.may_recall_scrap(person, each, {word}, at) for each in self.scraps)
            for word in words
        )

    def may_prompt(self, word: str, speaker: str, talk: Talk) -> bool:
        """Whether a word may stand in what a character is told before it answers."""
        return (
            any(word in fact.now.words and self.may_prompt_fact(fact, speaker, talk) for fact in self.facts.values())
            or any(word in line.words and self._may_prompt_line(line, speaker, talk) for line in self.lines.values())
            or any(word in each.words and self._may_prompt_scrap(each, speaker, talk) for each in self.scraps.values())
            or any(word in each.thoughts and self._may_think(each, speaker, talk) for each in self.lines.values())
        )

    def _may_think(self, line: Line, speaker: str, talk: Talk) -> bool:
        """Thoughts are for who thinks them, in the talk in which they came up."""
        return self._is_own(line, speaker, talk) and self._may_prompt_line(line, speaker, talk)

    def _is_own(self, line: Line, speaker: str, talk: Talk) -> bool:
        return line.speaker == speaker and line.talk == talk.id

    def may_be_spoken(self, word: str, speaker: str, talk: Talk) -> bool:
        """Whether a word may stand in a reply that quotes what the character is told: no thought, and no spoiler,
        unless nobody listens but who runs the game (G9)."""
        said = any(word in each.words and self._may_prompt_line(each, speaker, talk) for each in self.lines.values())
        kept: list[State | Scrap] = [*(each.now for each in self.facts.values()), *self.scraps.values()]
        if not said and any(word in each.words and each.is_spoiler for each in kept):
            return set(talk.cast) <= {speaker} and self.runs(talk.user, talk.game, talk)
        is_thought = not any(word in each.words for each in kept) and not said
        return not is_thought and self.may_prompt(word, speaker, talk)

    def may_guest_be_told(self, word: str, speaker: str, talk: Talk) -> bool:
        """Whether a word may stand in what a character is told before it answers a guest: no summary (C4)."""
        kept = [each for each in self.scraps.values() if word in each.words]
        return self.may_prompt(word, speaker, talk) and not any(each.is_summary for each in kept)

    def may_prompt_fact(self, fact: Fact, speaker: str, talk: Talk) -> bool:
        now, user = fact.now, talk.user
        if self._was_told_here(fact.id, speaker, talk):
            return True
        if now.status == REJECTED or (now.visibility == PRIVATE and now.talk != talk.id):
            return False
        if now.is_spoiler:
            return self.runs(speaker, now.game, talk)
        if self.is_open(now, speaker, talk, speaks=True):
            return True
        if (now.persons & self.humans) - {user}:
            return False
        if not self.knows(speaker, fact.id):
            return now.persons == {user} and now.visibility == NORMAL
        if now.persons == {speaker} or user in now.persons or self.was_told_between(fact.id, speaker, user):
            return True
        if now.game is not None and now.game == talk.game:
            return True
        # What it has with others.
        return talk.gossip and now.visibility == NORMAL

    def _was_told_here(self, fact: str, speaker: str, talk: Talk) -> bool:
        heard = [each for each in self.lines.values() if each.talk == talk.id and speaker in each.present]
        return self.may_be_told(fact) and any(fact in each.facts for each in heard)

    def was_told_between(self, fact: str, one: str, other: str) -> bool:
        return any({each.teller, each.listener} == {one, other} for each in self.told.get(fact, ()))

    def _may_prompt_line(self, line: Line, speaker: str, talk: Talk) -> bool:
        return not line.hidden and self._could_prompt_line(line, speaker, talk)

    def _could_prompt_line(self, line: Line, speaker: str, talk: Talk) -> bool:
        """Unless it is hidden."""
        if speaker not in line.present:
            return False
        there = self.talks[line.talk]
        return there.id == talk.id or (there.user == talk.user and not there.private and not line.private)

    def _may_prompt_scrap(self, scrap: Scrap, speaker: str, talk: Talk) -> bool:
        if scrap.game is not None:
            return self.may_see_scrap(speaker, scrap, talk, speaks=True)
        if speaker not in scrap.persons or (scrap.persons & self.humans) - {talk.user} or scrap.talk is None:
            return False
        there = self.talks[scrap.talk]
        return there.id == talk.id or (there.user == talk.user and not there.private)

    # ── what may be looked at ────────────────────────────────────────────────────────────────────

    def words_in(self, talk: Talk) -> frozenset[str]:
        """All that was said in a talk and made of it."""
        said = [each.words | each.before for each in self.lines.values() if each.talk == talk.id]
        made = (*self.scraps.values(), *self.papers.values())
        return frozenset().union(*said, *(each.words for each in made if each.talk == talk.id))

    def may_look_into(self, person: str, talk: Talk, words: Iterable[str]) -> bool:
        """A talk is its user's; nobody, who is the owner, looks into all, and finds in each what is of it."""
        thoughts = frozenset[str]() if person else self.thoughts_in(talk)
        may = self.words_in(talk) | self._words_told(person, talk) | thoughts
        return person in ("", talk.user) and set(words) <= may

    def thoughts_in(self, talk: Talk, thinker: str | None = None) -> frozenset[str]:
        """The thoughts in a talk: all of them, which only the owner reads, or those of one thinker."""
        lines = [each for each in self.lines.values() if each.talk == talk.id and thinker in (None, each.speaker)]
        return frozenset().union(*(each.thoughts for each in lines))

    def _words_told(self, person: str, talk: Talk) -> frozenset[str]:
        """Of memories that were told in a talk, may still be told, and are known to whoever looks (R10, R11)."""
        lines = [each for each in self.lines.values() if each.talk == talk.id and not each.hidden]
        told = {fact for line in lines for fact in line.facts if fact in self.facts and self.may_be_told(fact)}
        return frozenset().union(
            *(self.facts[each].now.words for each in told if not person or self.knows(person, each))
        )

    def words_passed_with(self, person: str) -> frozenset[str]:
        """Of what somebody did with another: the user of a talk and who spoke with them."""
        of_theirs = {each.id for each in self.talks.values() if person in (each.user, each.cast[0])}
        return frozenset().union(*(each.words for each in self.papers.values() if each.talk in of_theirs))

    def words_held(self, person: str) -> frozenset[str]:
        """Of the memories that somebody may look after, whatever became of them."""
        return frozenset().union(*(each.now.words for each in self.facts.values() if self.may_keep(person, each.id)))

    def words_of_history(self, person: str, fact: str) -> frozenset[str]:
        """Of a memory as it was while this person knew it."""
        states = self.facts[fact].states
        until = [*(each.since for each in states[1:]), None]
        known = [
            each
            for each, end in zip(states, until, strict=True)
            if not self.is_hidden(fact, each, person)
            and (self._knew(person, fact, each, end) or self.may_keep(person, fact, each))
        ]
        return frozenset().union(*(each.words for each in known))

    def _knew(self, person: str, fact: str, state: State, until: datetime | None) -> bool:
        told = [each.at for each in self.told.get(fact, ()) if each.listener == person]
        return person in state.persons or any(until is None or at < until for at in told)

    def words_heard(self, person: str) -> frozenset[str]:
        """Of what was said where they were, or in a talk of theirs."""
        heard = [each for each in self.lines.values() if self._hears(person, each)]
        return frozenset().union(*(each.words | each.before for each in heard))

    def _hears(self, person: str, line: Line) -> bool:
        return person in line.present or self.talks[line.talk].user == person

    def words_taken_part_in(self, person: str) -> frozenset[str]:
        """Of what happened with them."""
        return frozenset().union(*(each.words for each in self.scraps.values() if self.may_see_scrap(person, each)))

    def words_with(self, person: str) -> frozenset[str]:
        """Of what happened with them, as the owner sees it."""
        return frozenset().union(*(each.words for each in self.scraps.values() if person in each.persons))

    def may_be_read_aloud(self, word: str, game: Game) -> bool:
        """To all who play: what each of them may see, or what is canon where nobody plays yet."""
        kept: list[State | Scrap] = [*(each.now for each in self.facts.values()), *self.scraps.values()]
        told = [each for each in kept if word in each.words]
        if not game.players:
            return any(not each.is_spoiler and not each.persons and each.game == game.id for each in told)
        return all(
            any(not each.is_spoiler and (player in each.persons or self.is_open(each, player, None)) for each in told)
            for player in game.players
        )

    def may_be_given(self, word: str, person: str, talk: Talk | None) -> bool:
        """Whether a word may stand in what an agent is to know who answers for this person; in a talk, be it private,
        also what was said there while they were there, and what was summed up of that."""
        return (
            any(word in each.now.words and self._may_recall(person, each) for each in self.facts.values())
            or self.may_recall_summary(person, {word}, None)
            or (talk is not None and word in self._witnessed_in(person, talk))
        )

    def _witnessed_in(self, person: str, talk: Talk) -> frozenset[str]:
        said = [each for each in self.lines.values() if each.talk == talk.id and person in each.present]
        made = [each for each in self.scraps.values() if each.talk == talk.id and person in each.persons]
        return frozenset().union(*(each.words for each in said), *(each.words for each in made))

    def _may_recall(self, person: str, fact: Fact) -> bool:
        return self.may_recall_fact(person, fact.id, fact.now.words, None, "")

    def may_be_shown(self, word: str, person: str, talk: Talk, at: datetime | None = None) -> bool:
        """Whether a word may stand in what the user of a talk is shown of what a character is told there, or was then:
        what they know themselves, as it was then, what was said where they were, and what was told there."""
        if word in self.words_in(talk) | self.words_heard(person) | self.words_taken_part_in(person):
            return True
        states = ((each, each.at(at)) for each in self.facts.values())
        return self.may_recall_summary(person, {word}, None) or any(
            state is not None and word in state.words and self._is_shown(fact, state, person, talk)
            for fact, state in states
        )

    def _is_shown(self, fact: Fact, state: State, person: str, talk: Talk) -> bool:
        if self.is_hidden(fact.id, state, person, talk):
            return False
        is_known = person in state.persons or self.knows(person, fact.id) or self._was_told_here(fact.id, person, talk)
        return is_known or self.is_open(state, person, talk) or (state.is_spoiler and self.runs(person, state.game))

    def may_owner_be_shown(self, word: str, talk: Talk) -> bool:
        """The owner sees all that a character is told, but where a player of the game speaks (G9)."""
        if any(word in each.words | each.before | each.thoughts for each in self.lines.values()):
            # What was said is hidden no more.
            return True
        played = {each.id for each in self.games.values() if talk.user in each.players and talk.user != each.gm}
        kept: list[State | Scrap] = [*(each.now for each in self.facts.values()), *self.scraps.values()]
        hidden = [each for each in kept if each.is_spoiler and (each.game in played or (played and not each.game))]
        return not any(word in each.words for each in hidden)

    def may_have_prompted(self, word: str, speaker: str, talk: Talk, at: datetime) -> bool:
        """Whether a word may stand in what a character was told then: it would be told now, stood there then, or is of
        the talk itself."""
        return (
            self.may_prompt(word, speaker, talk)
            or word in self.words_in(talk)
            # It may have been hidden since, with what its speaker thought.
            or any(word in each.words and self._could_prompt_line(each, speaker, talk) for each in self.lines.values())
            or any(word in each.thoughts for each in self.lines.values() if self._is_own(each, speaker, talk))
            or any(self._was_prompted(word, each, speaker, talk, at) for each in self.facts.values())
        )

    def _was_prompted(self, word: str, fact: Fact, speaker: str, talk: Talk, at: datetime) -> bool:
        then = fact.at(at)
        between = (speaker, talk.user)
        if then is None or word not in then.words:
            return False
        if then.is_spoiler:
            return self.runs(speaker, then.game, talk)
        if self.is_open(then, speaker, talk, speaks=True):
            return True
        return any(self.knows(each, fact.id, at) or self._had_heard(each, fact.id, at) for each in between)

    def _had_heard(self, person: str, fact: str, at: datetime) -> bool:
        """Of something that was taken back since."""
        return any((each.listener, each.fact) == (person, fact) and each.at <= at for each in self.untold)

    # ── what happens ─────────────────────────────────────────────────────────────────────────────

    def note(self, line: Line) -> None:
        """Somebody said something, or says it in other words: what it tells is known to those who were there, and
        what it told before is not (R10, M15)."""
        self.take_back(line.id)
        self.lines[line.id] = line
        line.facts = tuple(each for each in line.tokens if self.can_tell(line.speaker, each) and not line.hidden)
        spoken = [line.spoken] if line.spoken and self.can_tell(line.speaker, line.spoken) and not line.hidden else []
        for fact in (*line.facts, *spoken):
            self.tell(fact, line.speaker, line.present, line.at, line.id)

    def branch(self, talk: Talk, copies: dict[str, str]) -> None:
        """Another talk that begins with the same messages, by other ids; what was told in them was told there too."""
        self.talks[talk.id] = talk
        for line, copy in copies.items():
            self.lines[copy] = replace(self.lines[line], id=copy, talk=talk.id)
            for told in self.told.values():
                told += [replace(each, line=copy) for each in told if each.line == line]
        # What was summed up of it goes along, and stays where the talk itself is deleted.
        for each in [scrap for scrap in self.scraps.values() if scrap.talk == talk.roots[0]]:
            copied = replace(each, id=f"{each.id} in {talk.id}", talk=talk.id)
            self.scraps[copied.id] = copied

    def tell(self, fact: str, teller: str, listeners: Iterable[str], at: datetime, line: str | None = None) -> None:
        fresh = [each for each in sorted(listeners) if not self.knows(each, fact)]
        self.told.setdefault(fact, []).extend(Told(fact, teller, each, at, line) for each in fresh)

    def take_back(self, line: str) -> None:
        """What a message told is untold: it says something else now, or is gone (M15)."""
        for fact, told in self.told.items():
            self.untold += [each for each in told if each.line == line]
            self.told[fact] = [each for each in told if each.line != line]

    def drop_fact(self, fact: str) -> None:
        del self.facts[fact]
        self.told.pop(fact, None)

    def drop_line(self, line: str) -> None:
        del self.lines[line]
        self.take_back(line)

    def drop_talk(self, talk: str) -> None:
        for line in [each.id for each in self.lines.values() if each.talk == talk]:
            self.drop_line(line)
        # What belonged to the talk alone goes with it (M9).
        for fact in [each.id for each in self.facts.values() if each.now.talk == talk]:
            self.drop_fact(fact)
        self.scraps = {id: each for id, each in self.scraps.items() if each.talk != talk}
        self.papers = {id: each for id, each in self.papers.items() if each.talk != talk}
        del self.talks[talk]
