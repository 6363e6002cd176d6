"""What players must not know of a campaign, and which lines give it away (G9).

In: the hidden memories, entities and aliases of a campaign, and a text. Out: which of them the text gives away. What
was given away at the table stays hidden from everybody who was not there until the game master reveals it.

Start at `spoilers_of` and `Spoilers.given_away`.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from everlore.campaign.entities.matching import KnownEntity
from everlore.campaign.entities.mentions import MentionIndex
from everlore.domain.campaign import Campaign, Entity, Session
from everlore.domain.conversation import Message, spoken_text
from everlore.domain.memory import Memory, Origin, Status
from everlore.domain.scope import Scope
from everlore.domain.visibility import Viewer, is_spoiler, present_at
from everlore.domain.words import query_terms, terms_of
from everlore.store.all_pages import all_of
from everlore.store.port import Store

# A line gives a hidden memory away that has so much of what it says, at least so many words of it, and so much of its
# words that players do not know; or nearly all of it, where they know each of its words.
_SHARE = 0.5
_LEAST = 2
_NEARLY_ALL = 0.8
# Apart from ids: a name is no memory, and one entity may have several hidden names.
_PUBLIC = "public"


class SpoilerKind(StrEnum):
    MEMORY = "memory"
    ENTITY = "entity"
    ALIAS = "alias"


@dataclass(frozen=True, slots=True)
class Spoiler:
    """`id` of the memory or entity; `text`: the statement or the name."""

    kind: SpoilerKind
    id: str
    text: str
    # The session whose digest says so, if one does: its own lines are what it was made of.
    digest_of: str | None = None


class Spoilers:
    """Made once for a campaign, and asked about every line of a log."""

    def __init__(self, memories: Sequence[Memory], entities: Sequence[Entity], premise: str = "") -> None:
        """All that there is of a campaign: what is open says which words players know."""
        self._names: dict[str, Spoiler] = {}
        known: list[KnownEntity] = []
        for entity in entities:
            for spoiler in _hidden_names(entity):
                key = f"{entity.id}\n{spoiler.text}"
                self._names[key] = spoiler
                known.append(KnownEntity(key, spoiler.text, (), entity.kind))
            if not is_spoiler(entity):
                known.append(KnownEntity(f"{_PUBLIC}\n{entity.id}", entity.name, entity.aliases, entity.kind))
        # With the names that everybody knows: a part of a name that two have means neither.
        self._index = MentionIndex(known) if self._names else None
        public = [premise, *(each.content for each in memories if not is_spoiler(each))]
        for entity in entities:
            public += [] if is_spoiler(entity) else [entity.name, *entity.aliases, entity.description]
        self._public_terms = frozenset(term for text in public for term in terms_of(text))
        self._statements: list[tuple[Spoiler, frozenset[str]]] = []
        self._by_term: dict[str, list[int]] = defaultdict(list)
        for memory in filter(is_spoiler, memories):
            terms = frozenset(query_terms(memory.content))
            digest_of = memory.session_id if memory.origin is Origin.DIGEST else None
            for term in terms:
                self._by_term[term].append(len(self._statements))
            self._statements.append((Spoiler(SpoilerKind.MEMORY, memory.id, memory.content, digest_of), terms))

    def given_away(self, text: str, session_id: str | None = None) -> tuple[Spoiler, ...]:
        """Those that the text gives away. What the digest of its own session says does not count."""
        found = [*self._named_in(text), *self._stated_in(text)]
        return tuple(each for each in found if each.digest_of is None or each.digest_of != session_id)

    def _named_in(self, text: str) -> list[Spoiler]:
        mentions = self._index.find(text) if self._index is not None else []
        return [self._names[id] for id in dict.fromkeys(each.id for each in mentions) if id in self._names]

    def _stated_in(self, text: str) -> list[Spoiler]:
        said = frozenset(terms_of(text)) & self._by_term.keys()
        shared = Counter(number for term in said for number in self._by_term[term])
        return [
            self._statements[number][0]
            for number, count in sorted(shared.items())
            if self._is_stated(self._statements[number][1], said, count)
        ]

    def _is_stated(self, terms: frozenset[str], said: frozenset[str], count: int) -> bool:
        own = terms - self._public_terms
        if not own:
            return count >= _NEARLY_ALL * len(terms)
        is_enough = count >= min(_LEAST, len(terms)) and count >= _SHARE * len(terms)
        return is_enough and len(own & said) >= _SHARE * len(own)

    def hide(self, viewer: Viewer, session: Session, message: Message) -> bool:
        """Whether a line that was said at the table is not for this player: it gives away what is hidden, and they were
        not there to hear it."""
        was_there = viewer.person_id in present_at(message)
        return not was_there and bool(self.given_away(spoken_text(message), session.id))


async def spoilers_of(store: Store, scope: Scope, campaign: Campaign) -> Spoilers:
    of = {"campaign_id": campaign.id}
    memories = await all_of(store, scope, Memory, {**of, "status": Status.ACTIVE.value})
    entities = await all_of(store, scope, Entity, of)
    return Spoilers(memories, entities, campaign.premise)


def _hidden_names(entity: Entity) -> list[Spoiler]:
    if is_spoiler(entity):
        names = (entity.name, *entity.aliases, *entity.hidden_aliases)
        return [Spoiler(SpoilerKind.ENTITY, entity.id, each) for each in names]
    return [Spoiler(SpoilerKind.ALIAS, entity.id, each) for each in entity.hidden_aliases]
