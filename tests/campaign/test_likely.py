"""Whom a new name may stand for, by what is said of it, with a real embedder (G4)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import everlore
from benchmarks.recall.library import apart
from everlore.app import Everlore
from everlore.campaign.entities.matching import SURE
from everlore.campaign.entities.names import Sighting
from everlore.campaign.likely import with_likely
from everlore.campaign.naming import known_of
from everlore.domain.campaign import Entity, EntityKind
from everlore.recall.noise import NoiseModels
from everlore.settings import EmbeddingSettings, QueueSettings, Settings

WORLD = {
    "Orin Vale": "The smith of Harrow, who lost two fingers in the war.",
    "The Gilded Eel": "A tavern at the harbour, loud and cheap.",
    "Mother Ivy": "An old healer who lives in the marsh.",
}


def sighting(name: str, evidence: str) -> Sighting:
    return Sighting(name, EntityKind.NPC, 0.9, evidence=evidence)


@pytest.fixture
async def lore(tmp_path: Path) -> AsyncIterator[Everlore]:
    settings = Settings(embedding=EmbeddingSettings(provider="wordllama"), queue=QueueSettings(poll_s=0.01))
    async with everlore.open(settings=apart(settings, tmp_path)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("name", "evidence", "meant"),
    [
        ("Grimhand", "Grimhand, the smith with the missing fingers, shakes his head.", "Orin Vale"),
        ("The Sty", "The Sty is that loud tavern down at the harbour.", "The Gilded Eel"),
        ("Old Nan", "Old Nan, the healer from the marsh, gives us herbs.", "Mother Ivy"),
        ("Corvane", "Corvane rides ahead to scout the pass before the snow comes.", None),
        ("Ulm", "Ulm counts the coins once more and curses.", None),
    ],
)
async def test_what_is_said_of_a_name_suggests_whom_it_means(
    lore: Everlore, name: str, evidence: str, meant: str | None
) -> None:
    """G4: a suggestion with its reason, never so sure that two would become one."""
    campaign = await lore.campaigns.make("Harrow")
    for each, description in WORLD.items():
        await lore.world.add(campaign.id, each, description=description)
    await lore.settle()
    page = await lore.resources.store.find(lore.scope, Entity, {"campaign_id": campaign.id})

    [found] = await with_likely(
        lore.resources.store,
        lore.scope,
        campaign.id,
        [sighting(name, evidence)],
        known_of(page.items),
        lore.resources.embedder,
        NoiseModels(),
    )

    names = {each.id: each.name for each in page.items}
    assert (names[found.match.id] if found.match else None) == meant
    assert found.match is None or found.match.confidence < SURE
