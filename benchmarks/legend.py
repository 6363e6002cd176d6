"""A campaign that was played for years, made up: sessions with their logs, what was digested of them, and a world.

The same for the same size and seed. Every session has a conversation of its own, the last of them is being played.
What grows with the sessions is what grows at a table: messages, memories of each session, entities, ties, proposals.

Start at `make_legend` and `load`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import product
from random import Random
from typing import Any

from benchmarks.corpus import START, WORKSPACE
from benchmarks.vocabulary import NAMES, cumulative_weights, words
from everlore.domain.campaign import Campaign, Chapter, Entity, EntityKind, Relationship, Session
from everlore.domain.conversation import Author, Conversation, Message
from everlore.domain.ids import make_id
from everlore.domain.memory import Memory, MemoryType, Origin
from everlore.domain.person import Person, PersonKind
from everlore.domain.proposal import Proposal, ProposalKind
from everlore.domain.records import Record
from everlore.domain.scope import Scope
from everlore.domain.sessions import SessionPart, with_parts
from everlore.domain.weight import weigh
from everlore.errors import BadAsk
from everlore.models.embedder import Embedder
from everlore.store.port import Embed, Put, Store

SCOPE = Scope(WORKSPACE)
CAMPAIGN = "legend"
TELLER = "teller"
PLAYERS = ("pia", "jon", "ada")
ENTITIES_PER_SESSION = 10
MOST_SESSIONS = 200
SESSIONS_PER_CHAPTER = 10
_BATCH = 1_000
_WEEK = timedelta(days=7)
# One thread in so many was closed by the game master since.
_CLOSED = 2
# What a digest leaves of a session, beside its two summaries.
_DIGESTED = (
    *(MemoryType.SCENE,) * 4,
    *(MemoryType.DECISION_POINT,) * 2,
    *(MemoryType.FACT,) * 6,
    *(MemoryType.MOMENT,) * 2,
    *(MemoryType.DISCOVERY,) * 2,
    MemoryType.PLOT_THREAD,
)
_OF_ALL = (
    MemoryType.PREMISE,
    MemoryType.SETTING,
    MemoryType.TONE,
    MemoryType.THEME,
    *(MemoryType.CANON_RULING,) * 6,
    *(MemoryType.FACTION,) * 4,
)
_TIES = ("ally of", "enemy of", "lives in", "member of", "owns", "sister of", "owes a debt to")
_LAST = (
    "Ashdown Brack Calder Dunmore Everhart Fenwick Grimm Hollow Ironwood Jarrow Kestrel Loxley Marsh Nightingale Oakes "
    "Penhallow Quill Ravenscroft Stormwell Thorne Underhill Vane Wolfe Yarrow"
).split()
_STEMS = (
    "Amber Briar Cinder Dusk Elder Frost Grim Hollow Iron Jade Kings Lorn Mist Night Oak Pale Raven Salt Thorn Umber "
    "Vel Winter Yew Zephyr Black Copper Drift Ember Fal Gold"
).split()
_PLACES = "ford wick haven moor reach gate hollow mere stead watch fell cross vale bridge".split()
_THINGS = "Lantern Crown Blade Mirror Horn Chalice Key Book Bell Cloak".split()
_BANDS = "Brotherhood Circle Guild Order Company Court Hand Choir".split()
_BEASTS = "Wyrm Stalker Hound Wight Drake Serpent Harpy Golem".split()
_SAID = (
    "{a} looks up from the {w} and asks what we want in {b}.",
    "I put the {w} on the table and tell {a} that we know about the {w}.",
    "We leave {b} before the {w} comes, and {a} goes first with the {w}.",
    "Can I see whether the {w} behind {a} is a {w} or only a {w}?",
    "The {w} of {a} is older than the {w} in {b}, and nobody has touched it since the {w}.",
    "I roll for the {w}. Sixteen. Do I find the {w} that {a} hid near {b}?",
    "{a} laughs, gives the {w} back and says that {b} was never any good with a {w}.",
    "Then we wait for the {w}. I keep an eye on the {w}, and on the {w} too.",
)
_TOLD = (
    "{a} gave the {w} to {b} and asked for the {w} in return",
    "The party found a {w} {w} under the {w} of {a}",
    "{a} promised to bring the {w} to {b} before the {w}",
    "Nobody in {a} knows that {b} sold the {w} {w}",
    "{a} was seen with the {w} of {b} near the {w}",
)
_ASKED = (
    "Where did {a} hide the {w}?",
    "What do we know of {a} and the {w} {w}?",
    "Who gave the {w} to {a} in {b}?",
    "Why does {a} want the {w} of {b}?",
)


@dataclass(frozen=True, slots=True)
class Legend:
    """`records` in the order in which they can be kept; `talk` is the conversation that is being played."""

    sessions: int
    talk: str
    entities: tuple[Entity, ...]
    records: tuple[Record, ...]
    questions: tuple[str, ...]
    until: datetime

    def count(self, kind: type[Record]) -> int:
        return sum(1 for each in self.records if isinstance(each, kind))


def make_legend(sessions: int, messages_each: int, *, seed: int = 1) -> Legend:
    return _Maker(sessions, messages_each, Random(f"legend {sessions} {messages_each} {seed}")).made()


async def load(store: Store, legend: Legend, embedder: Embedder) -> None:
    """Keep all of it, with its vectors."""
    changes = [Put(each) for each in legend.records]
    for at in range(0, len(changes), _BATCH):
        await store.apply(SCOPE, changes[at : at + _BATCH])
    last = 0
    while waiting := await store.unembedded(SCOPE, embedder.name, after=last, limit=_BATCH):
        vectors = await embedder.embed([each.text for each in waiting])
        await store.apply(SCOPE, [Embed(embedder.name, tuple(each.row for each in waiting), vectors)])
        last = waiting[-1].row


def names_of(count: int) -> list[tuple[EntityKind, str]]:
    """So many, no two of them the same: half are persons, the others what a world has beside them."""
    persons = ((EntityKind.NPC, f"{first} {last}") for last, first in product(_LAST, NAMES))
    places = ((EntityKind.LOCATION, f"{stem}{end}") for end, stem in product(_PLACES, _STEMS))
    things = ((EntityKind.ITEM, f"The {stem} {thing}") for thing, stem in product(_THINGS, _STEMS))
    bands = ((EntityKind.FACTION, f"The {band} of {stem}{end}") for end, band, stem in product(_PLACES, _BANDS, _STEMS))
    beasts = ((EntityKind.CREATURE, f"The {stem} {beast}") for beast, stem in product(_BEASTS, _STEMS))
    kinds = (persons, places, persons, things, persons, bands, persons, places, persons, beasts)
    found = [name for at in range(count) if (name := next(kinds[at % len(kinds)], None)) is not None]
    if len(found) < count:
        raise BadAsk(f"There are not {count:,} different names. Ask for {MOST_SESSIONS} sessions at most.")
    return found


class _Maker:
    def __init__(self, sessions: int, messages_each: int, random: Random) -> None:
        self._sessions = sessions
        self._messages_each = messages_each
        self._random = random
        self._until = START + sessions * _WEEK
        self._entities = tuple(self._world())

    def made(self) -> Legend:
        played = [self._session(number) for number in range(1, self._sessions + 1)]
        questions = tuple(self._text(form) for form in _ASKED * 10)
        records: list[Record] = [
            *self._persons(),
            *self._campaign(),
            *self._entities,
            *self._ties(),
            *(record for session in played for record in session),
        ]
        return Legend(self._sessions, f"talk-{self._sessions}", self._entities, tuple(records), questions, self._until)

    # ── the table ────────────────────────────────────────────────────────────────────────────────

    def _persons(self) -> Iterator[Person]:
        yield Person(**self._stamps(START), id=TELLER, name="The Teller", kind=PersonKind.NARRATOR)
        for player in PLAYERS:
            yield Person(**self._stamps(START), id=player, name=player.title(), kind=PersonKind.USER)

    def _campaign(self) -> Iterator[Record]:
        yield Campaign(
            **self._stamps(START),
            id=CAMPAIGN,
            name="The Long Road",
            premise="The lamps along the long road go out, one by one.",
            gm_id=TELLER,
            player_ids=PLAYERS,
        )
        for number in range(1, self._chapter_of(self._sessions) + 1):
            begun = START + (number - 1) * SESSIONS_PER_CHAPTER * _WEEK
            ended = START + number * SESSIONS_PER_CHAPTER * _WEEK
            yield Chapter(
                **self._stamps(begun),
                id=f"chapter-{number}",
                campaign_id=CAMPAIGN,
                number=number,
                name=self._text("The {w} of the {w}"),
                goals=(self._text("Find the {w} of {a}."),),
                closed_at=ended if ended < self._until else None,
            )
        for kind in _OF_ALL:
            yield self._memory(kind, START)

    def _world(self) -> Iterator[Entity]:
        count = ENTITIES_PER_SESSION * self._sessions
        for number, (kind, name) in enumerate(names_of(count)):
            at = START + number / ENTITIES_PER_SESSION * _WEEK
            yield Entity(
                **self._stamps(at),
                id=f"entity-{number}",
                kind=kind,
                name=name,
                description=f"{name} is known for the {self._word()} and the {self._word()} {self._word()}.",
                campaign_id=CAMPAIGN,
                is_spoiler=number % 10 == 9,
            )

    def _ties(self) -> Iterator[Relationship]:
        for number, entity in enumerate(self._entities):
            for turn in range(1 + number % 2):
                yield Relationship(
                    workspace=WORKSPACE,
                    id=f"tie-{number}-{turn}",
                    campaign_id=CAMPAIGN,
                    source_id=entity.id,
                    # Whoever is met early is tied to many later on.
                    target_id=self._random.choice([each for each in self._near(number) if each.id != entity.id]).id,
                    type=self._random.choice(_TIES),
                    created_at=entity.created_at,
                )

    def _near(self, number: int) -> Sequence[Entity]:
        return self._entities[max(0, number - 40) : number + 10]

    # ── a session ────────────────────────────────────────────────────────────────────────────────

    def _session(self, number: int) -> Iterator[Record]:
        at, is_played = START + (number - 1) * _WEEK, number == self._sessions
        session = Session(
            **self._stamps(at),
            id=f"session-{number}",
            campaign_id=CAMPAIGN,
            chapter_id=f"chapter-{self._chapter_of(number)}",
            number=number,
            name=self._text("The {w} {w}"),
            started_at=at,
            ended_at=None if is_played else at + timedelta(hours=4),
        )
        part = SessionPart(f"talk-{number}", last_seq=None if is_played else self._messages_each)
        yield replace(session, extra=with_parts(session, [part]))
        yield Conversation(
            **self._stamps(at),
            id=part.conversation_id,
            system_ids=(TELLER,),
            user_id=PLAYERS[0],
            campaign_id=CAMPAIGN,
            session_id=session.id if is_played else None,
        )
        messages = [self._message(part.conversation_id, place, at) for place in range(self._messages_each)]
        yield from messages
        if not is_played:
            yield from self._digest(session, messages)
        for which in range(2):
            yield Proposal(
                **self._stamps(at),
                id=f"proposal-{number}-{which}",
                campaign_id=CAMPAIGN,
                session_id=session.id,
                kind=ProposalKind.ENTITY,
                title=self._text("The {w} {w}").title(),
                detail={"kind": "other"},
            )

    def _message(self, conversation_id: str, place: int, begun: datetime) -> Message:
        text = " ".join(self._text(self._random.choice(_SAID)) for _ in range(self._random.randint(1, 3)))
        is_told = place % 2 == 1
        return Message(
            **self._stamps(begun + timedelta(minutes=place)),
            id=make_id(begun + timedelta(minutes=place), self._random.randbytes(10)),
            conversation_id=conversation_id,
            author=Author.NARRATOR if is_told else Author.USER,
            person_id=TELLER if is_told else PLAYERS[0],
            content=text,
            present=(TELLER, *PLAYERS),
            weight=weigh(text),
        )

    def _digest(self, session: Session, messages: Sequence[Message]) -> Iterator[Memory]:
        ended = session.ended_at or session.started_at
        of: dict[str, Any] = {"session_id": session.id, "chapter_id": session.chapter_id, "origin": Origin.DIGEST}
        told = ". ".join(self._text(self._random.choice(_TOLD)) for _ in range(6)) + "."
        line = told.split(".")[0] + "."
        yield self._memory(MemoryType.SUMMARY, ended, content=told, summary=line, **of)
        behind = f"{told} {self._text(_TOLD[3])}."
        yield self._memory(MemoryType.SUMMARY, ended, content=behind, summary=line, is_spoiler=True, **of)
        is_over = session.number % _CLOSED == 0
        for kind in _DIGESTED:
            closed = ended + _WEEK if kind is MemoryType.PLOT_THREAD and is_over else None
            source = self._random.choice(messages).id
            yield self._memory(kind, ended, valid_from=ended, valid_to=closed, source_message_ids=(source,), **of)

    def _memory(self, kind: MemoryType, at: datetime, **fields: Any) -> Memory:
        told = {"content": self._text(self._random.choice(_TOLD)) + "."} | fields
        return Memory(
            **self._stamps(at),
            id=make_id(at, self._random.randbytes(10)),
            type=kind,
            importance=self._random.randint(3, 9),
            campaign_id=CAMPAIGN,
            **told,
        )

    # ── words ────────────────────────────────────────────────────────────────────────────────────

    def _text(self, form: str) -> str:
        first, second = (self._random.choice(self._entities).name for _ in range(2))
        # Word by word: each {w} is another one.
        told = form.replace("{a}", first).replace("{b}", second)
        while "{w}" in told:
            told = told.replace("{w}", self._word(), 1)
        return told[0].upper() + told[1:]

    def _word(self) -> str:
        return self._random.choices(words(), cum_weights=cumulative_weights())[0]

    def _chapter_of(self, number: int) -> int:
        return (number - 1) // SESSIONS_PER_CHAPTER + 1

    @staticmethod
    def _stamps(at: datetime) -> dict[str, Any]:
        return {"workspace": WORKSPACE, "created_at": at, "updated_at": at}
