"""Finds the entities named in messages, without a model (G4).

In: messages and known entities. Out: `Sighting`s, one per entity with all names used for it, the messages that name it,
the best quote, and the known entity that it is or may be. Works without known entities: a first session yields its
cast.

`runs` collects capitalized words and links from all messages, `matching` assigns those that mean known entities,
`joining` groups the others into entities, `evidence` and `kinds` score them.

Start at `sightings`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from everlore.campaign.entities.evidence import LEAST, Spellings, confidence_of, plain_speakers
from everlore.campaign.entities.forms import form_of, is_title
from everlore.campaign.entities.joining import NameCandidate, NamedEntity, joined
from everlore.campaign.entities.kinds import kind_of
from everlore.campaign.entities.likeness import SLIP
from everlore.campaign.entities.matching import SURE, Directory, KnownEntity, Match, match
from everlore.campaign.entities.mentions import Mention, MentionIndex
from everlore.campaign.entities.runs import Run, runs_in
from everlore.campaign.entities.text import sentence_at
from everlore.campaign.entities.words import is_english
from everlore.domain.campaign import EntityKind

_MOST_ALIASES = 12
_WEAK = 0.7
_LEAST_WEAK = 0.59
_MOST_SLIPS = 2


@dataclass(frozen=True, slots=True)
class SpokenMessage:
    """A message as the input of the name finder."""

    id: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Sighting:
    """A named entity. `match`: the known entity that it is, or, if its confidence is less than `SURE`, may be.

    `evidence`: a sentence of the message `evidence_id`; `messages`: the ids of all messages that name it, in order.
    """

    name: str
    kind: EntityKind
    confidence: float
    kind_confidence: float = 0.0
    aliases: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    evidence: str = ""
    evidence_id: str = ""
    match: Match | None = None

    @property
    def is_known(self) -> bool:
        return self.match is not None and self.match.confidence >= SURE


@dataclass
class _Place:
    """A place where an entity is named: the index of a message, and a span in it."""

    at: int
    start: int
    end: int
    sure: float = 1.0


@dataclass
class _Thing:
    """Collects the data of one entity."""

    name: str
    kind: EntityKind
    confidence: float
    kind_confidence: float
    aliases: dict[str, None] = field(default_factory=dict)
    places: list[_Place] = field(default_factory=list)
    match: Match | None = None


def sightings(
    messages: Sequence[SpokenMessage],
    known: Sequence[KnownEntity] = (),
    *,
    players: Collection[str] = (),
    narrators: Collection[str] = (),
) -> tuple[Sighting, ...]:
    """Known entities first, then new ones, each in order of appearance. `players`: names of people at the table besides
    the speakers. `narrators`: the speakers who introduce the names of the story, if there are any."""
    index = MentionIndex(known)
    mentions = [_mentions(index, each.text) for each in messages]
    fresh, meant = _sorted_runs(messages, index.directory, mentions)
    heard_once = _HeardOnce(messages, frozenset(narrators))
    named = [each for each in _named(fresh, messages, players) if each.confidence >= LEAST and each not in heard_once]
    present = {each.id for found in mentions for each in found} | {found.id for _, found in meant}
    weak = {id(each): found for each in named if (found := _weakly(each, index.directory, present)) is not None}
    meant += [(place, weak[id(each)]) for each in named if id(each) in weak for place in each.placed]
    things = _known_things(known, mentions, meant)
    things += _new_things([each for each in named if id(each) not in weak], messages, index.directory)
    return tuple(_sighting(each, messages) for each in things)


_Placed = tuple[int, Run]


def _mentions(index: MentionIndex, text: str) -> list[Mention]:
    """A doubtful spelling with a capital may be a name of its own: `_weakly` decides once all messages are read."""
    return [each for each in index.find(text) if each.confidence >= SURE or each.text.islower()]


@dataclass(frozen=True, slots=True)
class _HeardOnce:
    """Names that only one message has, and no narrator said: a town on a holiday, a film, a pizza."""

    messages: Sequence[SpokenMessage]
    narrators: frozenset[str]

    def __contains__(self, named: NamedEntity) -> bool:
        places = {at for at, _ in named.placed}
        if not self.narrators or len(places) > 1 or any(run.is_link for _, run in named.placed):
            return False
        return not any(self.messages[at].speaker in self.narrators for at in places)


def _sorted_runs(
    messages: Sequence[SpokenMessage], directory: Directory, mentions: Sequence[Sequence[Mention]]
) -> tuple[list[_Placed], list[tuple[_Placed, Match]]]:
    """The runs that name nothing known, and those that match a known entity although no mention was found there."""
    fresh: list[_Placed] = []
    meant: list[tuple[_Placed, Match]] = []
    for at, message in enumerate(messages):
        for run in runs_in(message.text):
            if any(
                each.start <= run.start < each.end and (run.is_link or run.end <= each.end) for each in mentions[at]
            ):
                continue
            found = match(f"{run.article} {run.name}", directory)
            if found is not None and found.confidence >= SURE:
                meant.append(((at, run), found))
            elif not any(_is_same(each, run) for each in mentions[at]):
                fresh.append((at, run))
    return fresh, meant


def _is_same(mention: Mention, run: Run) -> bool:
    """Whether the run is that mention, apart from a title or an article."""
    if mention.end <= run.start or run.end <= mention.start:
        return False
    return form_of(mention.text).words == form_of(run.name).words


def _known_things(
    known: Iterable[KnownEntity], mentions: Sequence[Sequence[Mention]], meant: Sequence[tuple[_Placed, Match]]
) -> list[_Thing]:
    by_id = {each.id: each for each in known}
    things: dict[str, _Thing] = {}

    def add(id: str, text: str, place: _Place) -> None:
        entity = by_id[id]
        kind = entity.kind or form_of(entity.name).kind or EntityKind.OTHER
        thing = things.setdefault(id, _Thing(entity.name, kind, 0.0, 1.0))
        if place.sure > thing.confidence:
            thing.confidence = place.sure
            thing.match = Match(id, place.sure, "it is known")
        if not any(form_of(text).words == form_of(name).words for name in entity.names):
            thing.aliases.setdefault(text)
        thing.places.append(place)

    for at, found in enumerate(mentions):
        for mention in found:
            add(mention.id, mention.text.lstrip("@"), _Place(at, mention.start, mention.end, mention.confidence))
    for (at, run), match_ in meant:
        add(match_.id, run.name, _Place(at, run.start, run.end, match_.confidence))
    return sorted(things.values(), key=lambda each: min((place.at, place.start) for place in each.places))


def _named(fresh: Sequence[_Placed], messages: Sequence[SpokenMessage], players: Collection[str]) -> list[NamedEntity]:
    """New names with all their forms, without those that are no names."""
    spellings = Spellings(each.text for each in messages)
    speakers = plain_speakers([*(each.speaker for each in messages), *players])
    by_form: dict[tuple[str, ...], list[_Placed]] = defaultdict(list)
    for at, run in _without_first_words(fresh):
        by_form[form_of(run.name).words].append((at, run))
    candidates = []
    for words, placed in by_form.items():
        if words:
            runs = [run for _, run in placed]
            sure = confidence_of(runs, spellings, speakers)
            kind, kind_sure = kind_of(runs[0].name, runs)
            candidates.append(NameCandidate(runs[0].name, form_of(runs[0].name), kind, kind_sure, sure, tuple(placed)))
    return joined([each for each in candidates if not _is_speaker(each, speakers)])


def _without_first_words(fresh: Sequence[_Placed]) -> Iterator[_Placed]:
    """ "Paid Brana sixty crowns": a sentence begins with a dictionary word and a name that is also used without it."""
    names = {form_of(run.name).words for _, run in fresh if run.is_sure}
    names |= {words[-1:] for words in names}
    for at, run in fresh:
        first, _, rest = run.name.partition(" ")
        is_alone = form_of(rest).words in names and not is_english(rest)
        if rest and not run.is_sure and is_alone and is_english(first) and not is_title(first):
            start = run.end - len(rest)
            yield at, replace(run, name=rest, start=start, is_sure=True, before=(first.lower(),))
        else:
            yield at, run


def _weakly(named: NamedEntity, directory: Directory, present: Collection[str]) -> Match | None:
    """The known entity for a weak name that may be part of its name, or for a rare spelling close to the name of
    someone present."""
    found = match(named.name, directory)
    if found is None or found.confidence < _LEAST_WEAK:
        return None
    is_slip = SLIP in found.reason and len(named.placed) <= _MOST_SLIPS and found.id in present
    return found if named.confidence < _WEAK or is_slip else None


def _is_speaker(candidate: NameCandidate, speakers: frozenset[str]) -> bool:
    return all(word in speakers for word in candidate.form.words)


def _new_things(named: Sequence[NamedEntity], messages: Sequence[SpokenMessage], directory: Directory) -> list[_Thing]:
    index = MentionIndex(KnownEntity(str(at), each.name, each.aliases, each.kind) for at, each in enumerate(named))
    places: dict[int, list[_Place]] = defaultdict(list)
    for at, message in enumerate(messages):
        for mention in index.find(message.text, least=LEAST):
            places[int(mention.id)].append(_Place(at, mention.start, mention.end, mention.confidence))
    things = []
    for number, each in enumerate(named):
        own = [_Place(at, run.start, run.end, 1.0) for at, run in each.placed]
        kind, kind_sure = kind_of(each.name, [run for _, run in each.placed])
        thing = _Thing(each.name, kind, each.confidence, kind_sure, dict.fromkeys(each.aliases))
        thing.places = own + places[number]
        thing.match = match(each.name, directory)
        things.append(thing)
    return sorted(things, key=lambda each: min((place.at, place.start) for place in each.places))


def _sighting(thing: _Thing, messages: Sequence[SpokenMessage]) -> Sighting:
    best = max(thing.places, key=lambda place: _worth(thing, place, messages))
    numbers = sorted({place.at for place in thing.places})
    return Sighting(
        name=thing.name,
        kind=thing.kind,
        confidence=round(thing.confidence, 3),
        kind_confidence=thing.kind_confidence,
        aliases=tuple(thing.aliases)[:_MOST_ALIASES],
        messages=tuple(messages[at].id for at in numbers),
        evidence=sentence_at(messages[best.at].text, best.start, best.end),
        evidence_id=messages[best.at].id,
        match=thing.match,
    )


def _worth(thing: _Thing, place: _Place, messages: Sequence[SpokenMessage]) -> tuple[bool, int, int]:
    """Sort key for quotes: contains the full name, then long enough to be informative, then earliest."""
    text = messages[place.at].text
    sentence = sentence_at(text, place.start, place.end)
    is_whole = form_of(text[place.start : place.end]).words == form_of(thing.name).words
    return is_whole, min(len(sentence), 120) // 20, -place.at
