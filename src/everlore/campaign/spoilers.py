"""Detects text that gives away what players must not know (G9).

In: the hidden memories, entities and aliases of a campaign, and a text. Out: those that the text gives away. A spoiler
said at the table stays hidden from those who were not there until the game master reveals it.

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

# A line gives away a hidden memory if it contains at least `_SHARE` of its words, at least `_LEAST` of them, and the
# same share of those that players do not know; or nearly all of them, if players know each word.
_SHARE = 0.5
_LEAST = 2
_NEARLY_ALL = 0.8
# Prefix of index keys for public names, which give nothing away.
_PUBLIC = "public"


class SpoilerKind(StrEnum):
    MEMORY = "memory"
    ENTITY = "entity"
    ALIAS = "alias"


@dataclass(frozen=True, slots=True)
class Spoiler:
    """`id`: of the memory or entity; `text`: the statement or the name."""

    kind: SpoilerKind
    id: str
    text: str
    # The session it was digested from, if any: that session's own lines do not give it away.
    digest_of: str | None = None


class Spoilers:
    """Built once per campaign, then applied to each line of a log."""

    def __init__(self, memories: Sequence[Memory], entities: Sequence[Entity], premise: str = "") -> None:
        """Takes all memories and entities of a campaign: the public ones define the words that players know."""
        self._names: dict[str, Spoiler] = {}
        known: list[KnownEntity] = []
        for entity in entities:
            for spoiler in _hidden_names(entity):
                key = f"{entity.id}\n{spoiler.text}"
                self._names[key] = spoiler
                known.append(KnownEntity(key, spoiler.text, (), entity.kind))
            if not is_spoiler(entity):
                known.append(KnownEntity(f"{_PUBLIC}\n{entity.id}", entity.name, entity.aliases, entity.kind))
        # Includes public names, so that a part of a name that two entities share matches neither.
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
        """The spoilers in the text, without those digested from the same session."""
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
        """Whether to hide a line said at the table from this player: it gives away a spoiler, and they were not
        there."""
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
