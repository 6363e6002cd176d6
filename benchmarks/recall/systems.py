"""Who is asked: Everlore through its own door, and the plain ways beside it, all with the same two verbs.

`add` takes a case, `search` answers a question about it with the ids of turns. What is timed is the whole answer:
the question is embedded anew by everybody who needs its vector.

Start at `System`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Protocol

from benchmarks.recall.baselines import Kept, Scores, Words, fused, ranking
from benchmarks.recall.cases import Case, Turn
from benchmarks.recall.library import Lore, steps_of
from everlore.domain.passage import PassageKind
from everlore.domain.person import Person
from everlore.services.messages import RecordedLine

LIMIT = 100
_SETTLE_S = 6 * 3600
_USER = "user"
# Nothing is learnt of what is said, and no title is thought of: what is measured is the recall of the log.
_CONFIG = {"extract_memories": False, "auto_title": False}


@dataclass(frozen=True, slots=True)
class Ranked:
    """`plain`: how many of them the system does not call doubtful; None: all. `steps`: where the seconds went, where
    the system tells."""

    ids: tuple[str, ...]
    seconds: float
    plain: int | None = None
    steps: Mapping[str, float] = field(default_factory=dict)


class System(Protocol):
    name: str

    async def add(self, case: Case, kept: Kept) -> None: ...

    async def search(self, question: str) -> Ranked: ...


# ── Everlore ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Cast:
    """The persons of a case. `user` is the one that the conversations are held with."""

    persons: Mapping[str, Person]
    user: Person
    first: Person

    def of(self, turns: Sequence[Turn]) -> list[Person]:
        """Whom the user talks to in these turns: a conversation needs somebody, even if they say nothing."""
        ids = dict.fromkeys(self.persons[turn.speaker].id for turn in turns)
        by_id = {person.id: person for person in self.persons.values()}
        return [by_id[id] for id in ids if id != self.user.id] or [self.first]


class EverloreSystem:
    """Each case in a workspace of its own: each session a conversation and each turn a message; or, with `memories`,
    each turn a memory of whom it is said of."""

    name = "everlore"

    def __init__(self, lore: Lore, *, memories: bool = False) -> None:
        self._lore = self.here = lore
        self._keep, self._kind = (remember, PassageKind.MEMORY) if memories else (tell, PassageKind.MESSAGE)
        self.turn_of: dict[str, str] = {}

    async def add(self, case: Case, kept: Kept) -> None:  # noqa: ARG002 - embeds for itself
        self.here = self._lore.within(case.id)
        turns = [turn for turn in case.turns if turn.text.strip()]
        cast = await assemble(self.here, turns)
        self.user, self.others = cast.user, cast.of(turns)
        self.turn_of = await self._keep(self.here, cast, turns)
        await self.here.settle(_SETTLE_S)

    async def search(self, question: str) -> Ranked:
        start = perf_counter()
        answer = await self.here.recall(question, include=(self._kind,), limit=LIMIT)
        seconds = perf_counter() - start
        plain = sum(not hit.is_doubtful for hit in answer.hits)
        return Ranked(self.turns_of(hit.record.id for hit in answer.hits), seconds, plain, steps_of(answer))

    def turns_of(self, ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(self.turn_of[id] for id in ids if id in self.turn_of)


class TurnSystem:
    """What of all that was said reaches the prompt, when the user says the question to whom they talked with: lines
    have to share the room with summaries."""

    name = "everlore"

    def __init__(self, lore: Lore, *, memories: bool = False) -> None:
        self._told = EverloreSystem(lore, memories=memories)
        self._conversation = ""

    async def add(self, case: Case, kept: Kept) -> None:
        await self._told.add(case, kept)
        told = self._told
        talk = await told.here.conversations.start(told.others, user=told.user, greet=False, config=_CONFIG)
        self._conversation = talk.id

    async def search(self, question: str) -> Ranked:
        start = perf_counter()
        known = await self._told.here.x_rays.known(self._conversation, question)
        seconds = perf_counter() - start
        return Ranked(self._told.turns_of(each.record.id for each in known.recalled), seconds)


async def remember(lore: Lore, cast: Cast, turns: Sequence[Turn]) -> dict[str, str]:
    """Keep each as a memory; which turn each memory is."""
    kept = [await lore.remember(turn.text, person=cast.persons[turn.speaker], valid_from=turn.at) for turn in turns]
    return {memory.id: turn.id for memory, turn in zip(kept, turns, strict=True)}


async def tell(lore: Lore, cast: Cast, turns: Sequence[Turn]) -> dict[str, str]:
    """Record all that was said; which turn each message is."""
    found: dict[str, str] = {}
    for session, said in sessions_of(turns).items():
        conversation = await lore.conversations.start(
            cast.of(said), user=cast.user, greet=False, title=session, config=_CONFIG
        )
        lines = [RecordedLine(turn.text, speaker=cast.persons[turn.speaker], at=turn.at) for turn in said]
        messages = await lore.messages.record(conversation.id, lines)
        found |= {message.id: turn.id for message, turn in zip(messages, said, strict=True)}
    return found


def sessions_of(turns: Sequence[Turn]) -> dict[str, list[Turn]]:
    """In the order of their first turns."""
    found: dict[str, list[Turn]] = {}
    for turn in turns:
        found.setdefault(turn.session, []).append(turn)
    return found


async def assemble(lore: Lore, turns: Sequence[Turn]) -> Cast:
    """The user is whoever is called so, or else the second who speaks; all others are characters."""
    names = list(dict.fromkeys(turn.speaker for turn in turns))
    persons: dict[str, Person] = {}
    for name in names:
        is_user = name.casefold() in ("", _USER)
        shown = name.capitalize() if name == "assistant" else name
        persons[name] = await lore.user() if is_user else await lore.characters.create(name=shown)
    users = [persons[name] for name in names if name.casefold() in ("", _USER)]
    characters = [persons[name] for name in names if name.casefold() not in ("", _USER)]
    if not characters:
        characters.append(await lore.characters.create(name="Assistant"))
    if not users:
        users.append(characters.pop(1) if len(characters) > 1 else await lore.user())
    return Cast(persons, users[0], characters[0])


# ── the plain ways ───────────────────────────────────────────────────────────────────────────────


class Bm25System:
    name = "bm25"
    _kept: Kept
    _words: Words

    async def add(self, case: Case, kept: Kept) -> None:  # noqa: ARG002 - has it in `kept`
        self._kept = kept
        self._words = kept.words

    async def search(self, question: str) -> Ranked:
        start = perf_counter()
        return _answer(self._kept, self._words.scores(question), start)


class CosineSystem:
    name = "cosine"
    _kept: Kept

    async def add(self, case: Case, kept: Kept) -> None:  # noqa: ARG002 - has it in `kept`
        self._kept = kept
        await kept.matrix()

    async def search(self, question: str) -> Ranked:
        start = perf_counter()
        return _answer(self._kept, await self._kept.cosines(question), start)


class RrfSystem:
    name = "rrf"
    _kept: Kept
    _words: Words

    async def add(self, case: Case, kept: Kept) -> None:  # noqa: ARG002 - has it in `kept`
        self._kept = kept
        self._words = kept.words
        await kept.matrix()

    async def search(self, question: str) -> Ranked:
        start = perf_counter()
        arms = [self._words.scores(question), await self._kept.cosines(question)]
        return _answer(self._kept, fused(arms), start)


def _answer(kept: Kept, scores: Scores, start: float) -> Ranked:
    ids = tuple(ranking(kept.ids, scores, LIMIT))
    return Ranked(ids, perf_counter() - start)
