"""What the benchmark keeps and asks: made up, the same for the same seed, and shaped like the real thing.

Statements of 8 to 25 words about a few hundred topics, in natural proportion of function words and content words,
made by pairs of persons in sessions of some dozen memories. One pair, `Corpus.pair`, holds `PAIR_SIZE` memories
at every size, spread over the whole time; the others share the rest.

Start at `make_corpus` and `make_questions`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate, pairwise
from random import Random

from benchmarks.vocabulary import MONTHS, NAMES, SEASONS, cumulative_weights, words
from everlore.domain.conversation import Conversation
from everlore.domain.ids import make_id
from everlore.domain.memory import Memory, MemoryType, Origin
from everlore.domain.person import Person, PersonKind
from everlore.domain.scope import Pair, pair_of

WORKSPACE = "bench"
PAIR_SIZE = 1_000
TOPICS = 400
WORDS_PER_TOPIC = 120
SESSIONS_PER_CONVERSATION = 6
START = datetime(2024, 1, 1, tzinfo=UTC)
END = datetime(2026, 11, 1, tzinfo=UTC)
_TYPES = (MemoryType.FACT,) * 4 + (
    MemoryType.EVENT,
    MemoryType.PREFERENCE,
    MemoryType.EXPERIENCE,
    MemoryType.RELATIONSHIP,
    MemoryType.EMOTION,
    MemoryType.GOAL,
)

# {a} and {b} are the pair, {c} somebody else, {t} a word of the topic, {w} any word.
_STATEMENTS = (
    "{a} once owned a {t} and a {t}",
    "{b} never goes to the {t} without a {t}",
    "The {t} of {c} is made of {w} {t}",
    "{a} prefers the {t} {t} to anything from the {w}",
    "{a} told {b} that the {t} {t} opens before {w} in {season}",
    "{a} has kept the {t} {t} in the old {w} since {month}, and {b} knows where it is",
    "{b} is afraid of {t} and would rather wait for {a} near the {t}",
    "On {day} {month} {a} and {b} met {c} at the {t} and talked about the {w} {t} for hours",
    "{a} promised {b} to bring the {t} back from the {t} before the end of {season}",
    "{b} does not like {t}, but {a} cooks it with {w} and {t} every {season}",
    "The {t} that {a} bought from {c} turned out to be a {w} {t}",
    "{a} works with {t} and {t} on most days, and has been learning {w} for {number} years",
    "{c} said to {a} that {b} had once lost a {t} in the {w} of the {t}",
    "{b} asked whether the {t} would be ready, and {a} answered that the {w} {t} was still missing",
    "{a} grew up near a {t} where the {t} was sold every {season}",
    "Since the {t} in {month} {a} has not spoken to {c} about the {w} or the {t} at all",
    "{b} wants to finish the {t} before {day} {month}, because {c} needs it for the {t}",
    "{a} believes that the {t} belongs to {c}, and that nobody should have moved it to the {w} without asking {b}",
    "For {number} coins {b} sold the {w} {t} to {c} and never told {a} about the {t}",
    "{a} dreams of a {t} with a {w} {t} and a view over the {t}",
    "It was {b} who found the {t} behind the {w} when they were looking for {t}",
    "{a} and {b} agreed that the {t} {t} must stay a secret until {season}",
    "{b} remembers the {t} of {c} as the best {t} of that {season}",
    "{a} cannot eat {t}, so {b} always packs some {t} and {w} for the way",
    "Whenever there is {w} in the {t}, {a} sings about {t} and {b} laughs",
    "{c} gave {a} a {t} for the {t}, which {b} thought was far too {w}",
    "{a} lives with {c} in a {w} {t} close to the {t}",
    "They left the {t} on {day} {month}, after {b} had seen {w} and {t} from the {t}, and {a} wrote it all down",
)
_QUESTIONS = (
    "What did {a} tell {b} about the {t} {t}?",
    "Where does {a} keep the {t} from the {t}?",
    "Why is {b} afraid of the {t} {t}?",
    "Who sold the {t} {t} to {a} in {season}?",
    "When did {a} and {b} talk about the {t} and the {t}?",
    "Which {t} does {b} like for the {t}?",
    "Do you remember the {t} that {a} found near the {t} {t}?",
    "Has {b} finished the {t} for the {t} in {month}?",
    "How long has {a} worked with {t} and {t}?",
    "What was in the {t} behind the {t} {t}?",
)


@dataclass(frozen=True, slots=True)
class Corpus:
    pair: Pair
    persons: tuple[Person, ...]
    conversations: tuple[Conversation, ...]
    memories: tuple[Memory, ...]

    @property
    def texts(self) -> list[str]:
        return [memory.content for memory in self.memories]

    def positions_of_pair(self) -> list[int]:
        return [at for at, memory in enumerate(self.memories) if pair_of(*memory.persons) == self.pair]


def make_corpus(size: int, seed: int = 1) -> Corpus:
    random = Random(f"corpus {size} {seed}")
    sessions = _sessions(size, random)
    times = _times(size, random)
    topics = _topics()
    memories: list[Memory] = []
    for pair, conversation_id, length in sessions:
        topic = _choose_topic(topics, random)
        for _ in range(length):
            memories.append(_memory(pair, conversation_id, times[len(memories)], topic, random))
    return Corpus(_PAIRS[0], _persons(), _conversations(sessions), tuple(memories))


def make_fresh(corpus: Corpus, count: int, seed: int) -> list[Memory]:
    """More memories of the corpus's pair, to be saved one after the other when it is in place."""
    random = Random(f"fresh {seed}")
    conversation = next(each for each in corpus.conversations if _belongs(each, corpus.pair))
    topics = _topics()
    return [
        _memory(corpus.pair, conversation.id, END + timedelta(seconds=number), _choose_topic(topics, random), random)
        for number in range(count)
    ]


def make_questions(count: int, seed: int = 1) -> list[str]:
    """Questions of the pair, on the topics of the memories."""
    random = Random(f"questions {seed}")
    topics = _topics()
    return [_fill(random.choice(_QUESTIONS), _PAIRS[0], _choose_topic(topics, random), random) for _ in range(count)]


# ── sentences ────────────────────────────────────────────────────────────────────────────────────


# Some topics come up more often than others, and some of the words of a topic.
_TOPIC_WEIGHTS = tuple(accumulate(1 / (10 + rank) for rank in range(TOPICS)))
_WORD_WEIGHTS = tuple(accumulate(1 / (3 + rank) for rank in range(WORDS_PER_TOPIC)))
_Topic = tuple[str, ...]


def _topics() -> list[_Topic]:
    """The same for every corpus and for the questions."""
    random = Random("topics")
    found: list[_Topic] = []
    for _ in range(TOPICS):
        drawn = random.choices(words(), cum_weights=cumulative_weights(), k=4 * WORDS_PER_TOPIC)
        found.append(tuple(dict.fromkeys(drawn))[:WORDS_PER_TOPIC])
    return found


def _choose_topic(topics: Sequence[_Topic], random: Random) -> _Topic:
    return random.choices(topics, cum_weights=_TOPIC_WEIGHTS)[0]


def _fill(template: str, pair: Pair, topic: _Topic, random: Random) -> str:
    """Pairs write of themselves as often as of each other, so who is {a} changes."""
    first, second = random.sample(pair, 2)
    names = {"a": first.title(), "b": second.title(), "c": random.choice(NAMES)}
    filled = [piece for part in template.split("{") for piece in part.split("}", 1)]
    # Odd pieces stood in braces.
    for at in range(1, len(filled), 2):
        filled[at] = names.get(filled[at]) or _draw(filled[at], topic, random)
    text = "".join(filled)
    return text[0].upper() + text[1:]


def _draw(slot: str, topic: _Topic, random: Random) -> str:
    match slot:
        case "t":
            return random.choices(topic, cum_weights=_WORD_WEIGHTS)[0]
        case "w":
            return random.choices(words(), cum_weights=cumulative_weights())[0]
        case "season":
            return random.choice(SEASONS)
        case "month":
            return random.choice(MONTHS)
        case "day":
            return str(random.randint(1, 28))
        case "number":
            return str(random.randint(2, 40))
    raise AssertionError(f"No such slot: {slot}")


def _memory(pair: Pair, conversation_id: str, at: datetime, topic: _Topic, random: Random) -> Memory:
    return Memory(
        workspace=WORKSPACE,
        id=make_id(at, random.randbytes(10)),
        content=_fill(random.choice(_STATEMENTS), pair, topic, random),
        type=random.choice(_TYPES),
        importance=random.randint(1, 10),
        confidence=round(random.uniform(0.5, 1), 2),
        origin=Origin.EXTRACTOR,
        persons=tuple(pair),
        conversation_id=conversation_id,
        valid_from=at - timedelta(days=random.randint(1, 400)) if random.random() < 0.3 else None,
        created_at=at,
        updated_at=at,
    )


# ── who, and when ────────────────────────────────────────────────────────────────────────────────

# Characters and users in turn; neighbours on the list are a pair, and most persons belong to two.
_PAIRS = [pair_of(one.lower(), other.lower()) for one, other in pairwise(NAMES)]
_Session = tuple[Pair, str, int]


def _sessions(size: int, random: Random) -> list[_Session]:
    """In order of time: which pair talked, in which conversation, and how many memories came of it."""
    owned = _shares(size, random)
    found: list[tuple[Pair, int]] = []
    for pair, count in zip(_PAIRS, owned, strict=False):
        found += [(pair, length) for length in _split(count, random)]
    random.shuffle(found)
    seen: dict[Pair, int] = {}
    sessions: list[_Session] = []
    for pair, length in found:
        number = seen[pair] = seen.get(pair, -1) + 1
        sessions.append((pair, f"{pair.low}-{pair.high}-{number // SESSIONS_PER_CONVERSATION}", length))
    return sessions


def _shares(size: int, random: Random) -> list[int]:
    """How many memories each pair holds: the first one `PAIR_SIZE`, the others about as many."""
    first = min(size, PAIR_SIZE)
    others = min((size - first) // PAIR_SIZE, len(_PAIRS) - 1)
    weights = [random.uniform(0.5, 1.5) for _ in range(others)]
    bounds = [0, *(int((size - first) * part / sum(weights)) for part in accumulate(weights))]
    bounds[-1] = size - first if others else 0
    shares = [first, *(after - before for before, after in pairwise(bounds))]
    # Too few for another pair's worth: one more pair takes them.
    return [*shares, size - sum(shares)]


def _split(count: int, random: Random) -> Iterator[int]:
    while count > 0:
        length = min(count, random.randint(5, 20))
        yield length
        count -= length


def _times(size: int, random: Random) -> list[datetime]:
    span_s = (END - START).total_seconds()
    return sorted(START + timedelta(seconds=round(random.uniform(0, span_s), 3)) for _ in range(size))


def _persons() -> tuple[Person, ...]:
    return tuple(
        Person(
            workspace=WORKSPACE,
            id=name.lower(),
            name=name,
            kind=PersonKind.USER if number % 2 else PersonKind.CHARACTER,
            created_at=START,
            updated_at=START,
        )
        for number, name in enumerate(NAMES)
    )


def _conversations(sessions: Sequence[_Session]) -> tuple[Conversation, ...]:
    pairs = {conversation_id: pair for pair, conversation_id, _ in sessions}
    return tuple(
        Conversation(
            workspace=WORKSPACE,
            id=conversation_id,
            system_ids=(pair.low,),
            user_id=pair.high,
            created_at=START,
            updated_at=START,
        )
        for conversation_id, pair in pairs.items()
    )


def _belongs(conversation: Conversation, pair: Pair) -> bool:
    return (*conversation.system_ids, conversation.user_id) == tuple(pair)
