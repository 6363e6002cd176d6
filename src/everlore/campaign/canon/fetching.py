"""Fetches what a statement is compared with: rulings, disputes, names, and the nearest canon statements (G7).

Uses the store's search, so that only statements that share words or names are read, however large the campaign. Start
at `canon_of`, `named_in` and `nearest_to`.
"""

import asyncio
from collections.abc import Sequence

from everlore.campaign.canon.disputes import Dispute, dispute_of, ruled_in
from everlore.campaign.canon.judging import STATEMENTS, KnownCanon, holds, is_statement, narrowed
from everlore.domain.campaign import Entity
from everlore.domain.memory import Memory, MemoryType, Status
from everlore.domain.passage import PassageKind
from everlore.domain.proposal import Decision, Proposal, ProposalKind
from everlore.domain.scope import Scope
from everlore.store.all_pages import all_of
from everlore.store.port import Search, Store

_NEAREST = 24
_POOL = 60
_MOST_QUERY_CHARS = 600
_TYPES = frozenset(each.value for each in STATEMENTS)


async def canon_of(store: Store, scope: Scope, campaign_id: str) -> KnownCanon:
    """The rulings and disputes of a campaign; names are fetched per statement."""
    where = {"campaign_id": campaign_id, "type": MemoryType.CANON_RULING.value, "status": Status.ACTIVE.value}
    rulings, disputes = await asyncio.gather(
        all_of(store, scope, Memory, where), disputes_of(store, scope, campaign_id)
    )
    return KnownCanon(
        rulings=[found for each in rulings if (found := ruled_in(each)) is not None],
        disputes=disputes,
    )


async def named_in(store: Store, scope: Scope, campaign_id: str, statements: Sequence[Memory]) -> dict[str, str]:
    """All names of the entities that these statements may mention, mapped to their main name."""
    asks = [_search(campaign_id, each.content, PassageKind.ENTITY) for each in statements]
    found = await store.search_all(scope, asks) if asks else []
    entities = {each.record.id: each.record for answer in found for each in answer.hits}
    return {
        name: each.name
        for each in entities.values()
        if isinstance(each, Entity)
        for name in (each.name, *each.aliases)
        if name
    }


async def disputes_of(
    store: Store, scope: Scope, campaign_id: str, statuses: Sequence[Decision] = (Decision.PENDING,)
) -> list[Dispute]:
    """Disputes, oldest first."""
    where = {
        "campaign_id": campaign_id,
        "kind": ProposalKind.CONFLICT.value,
        "status": [each.value for each in statuses],
    }
    proposals = await all_of(store, scope, Proposal, where)
    return [found for each in proposals if (found := dispute_of(each)) is not None]


async def nearest_to(
    store: Store, scope: Scope, campaign_id: str, statements: Sequence[Memory], canon: KnownCanon
) -> list[list[Memory]]:
    """For each statement the active canon statements that share the most words with it, nearest first. Searches with
    all names of each entity."""
    asks = [_search(campaign_id, f"{each.content} {_other_names(each.content, canon)}") for each in statements]
    found = await store.search_all(scope, asks) if asks else []
    return [
        [
            hit.memory
            for hit in answer.hits
            if hit.memory.id != own.id and is_statement(hit.memory, campaign_id) and holds(hit.memory)
        ]
        for own, answer in zip(statements, found, strict=True)
    ]


def _search(campaign_id: str, text: str, kind: PassageKind = PassageKind.MEMORY) -> Search:
    return Search(
        text=text[:_MOST_QUERY_CHARS],
        kinds=frozenset({kind}),
        campaign_id=campaign_id,
        types=_TYPES if kind is PassageKind.MEMORY else frozenset(),
        limit=_NEAREST,
        pool=_POOL,
    )


def _other_names(text: str, canon: KnownCanon) -> str:
    """The other names of the entities named in the text."""
    meant = set(narrowed(canon.names, [text]).values())
    return " ".join(dict.fromkeys(other for other, name in canon.names.items() if name in meant))
