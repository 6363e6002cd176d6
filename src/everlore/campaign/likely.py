"""Whom or what a new name may stand for, by what is said of it: "the smith with the missing fingers" (G4).

Spelling says that "Orrin" is Orin; that Grimhand is Orin too, only what is told of both can say. It is a suggestion for
the game master, and never more. Start at `with_likely`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from everlore.campaign.entities.matching import Directory, KnownEntity, match
from everlore.campaign.entities.names import Sighting
from everlore.domain.passage import PassageKind
from everlore.domain.scope import Scope
from everlore.models.embedder import Embedder
from everlore.recall.noise import NoiseModel, NoiseModels
from everlore.recall.query_embedding import QueryEmbedding, meanings_of
from everlore.store.port import Search, Store

_ENTITIES = frozenset({PassageKind.ENTITY})
_LOOKED_AT = 5


async def with_likely(
    store: Store,
    scope: Scope,
    campaign_id: str,
    names: Sequence[Sighting],
    known: Sequence[KnownEntity],
    embedder: Embedder | None,
    floors: NoiseModels,
) -> tuple[Sighting, ...]:
    """The names, and beside each that is new the one that it most likely stands for, if there is any."""
    if embedder is None or not known or all(each.is_known for each in names):
        return tuple(names)
    floor, directory = await floors.of(embedder), Directory(known)
    meanings = await meanings_of([_said_of(each) for each in names], embedder)
    found = []
    for each, meaning in zip(names, meanings, strict=True):
        if not each.is_known and meaning.vector is not None:
            near = await _near(store, scope, campaign_id, meaning, floor)
            each = replace(each, match=match(each.name, directory, meanings=near))
        found.append(each)
    return tuple(found)


def _said_of(sighting: Sighting) -> str:
    """Without the name: that it is called so says nothing of what it is."""
    told = sighting.evidence
    for name in sorted((sighting.name, *sighting.aliases), key=len, reverse=True):
        told = told.replace(name, " ")
    return " ".join(told.split())


async def _near(
    store: Store, scope: Scope, campaign_id: str, meaning: QueryEmbedding, floor: NoiseModel
) -> Mapping[str, float]:
    """How near each of the nearest comes, from 0, as near as strangers are, to 1."""
    asked = Search(
        vector=meaning.vector, model=meaning.model, kinds=_ENTITIES, campaign_id=campaign_id, limit=_LOOKED_AT
    )
    hits = (await store.search(scope, asked)).hits
    cosines = np.array([hit.parts.vector or 0.0 for hit in hits])
    nearness = np.clip(floor.beyond_chance(cosines), 0.0, 1.0)
    return {hit.record.id: float(near) for hit, near in zip(hits, nearness, strict=True)}
