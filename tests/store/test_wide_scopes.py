"""Searching within a scope that holds most of a workspace finds what searching within a narrow one does (M14)."""

from pathlib import Path

import pytest

from benchmarks.legend import CAMPAIGN, PLAYERS, SCOPE, TELLER, load, make_legend
from everlore.domain.passage import PassageKind
from everlore.models.hashing import HashingEmbedder
from everlore.settings import StoreSettings
from everlore.store.port import Search, Store
from everlore.store.sqlite.store import SqliteStore
from tests.store_double.store import DoubleStore

_LEGEND = make_legend(3, 8)
_MESSAGES = frozenset({PassageKind.MESSAGE})
_ASKS = {
    "a campaign, which is all there is": {"campaign_id": CAMPAIGN},
    "one talk of three": {"conversation_id": _LEGEND.talk, "kinds": _MESSAGES},
    "the things of a campaign": {"campaign_id": CAMPAIGN, "kinds": frozenset({PassageKind.ENTITY})},
    "what a game master may see": {"knower_id": TELLER, "runs": frozenset({CAMPAIGN})},
    "what a player may see": {
        "knower_id": PLAYERS[0],
        "plays": frozenset({CAMPAIGN}),
        "canon_of": frozenset({CAMPAIGN}),
        "with_spoilers": False,
        "private_in": _LEGEND.talk,
    },
}


async def _found(store: Store, ask: Search) -> list[tuple[str, float]]:
    found = await store.search(SCOPE, ask)
    return sorted((hit.record.id, round(hit.score, 4)) for hit in found.hits)


@pytest.mark.parametrize("scope", _ASKS)
async def test_wide_and_narrow_scopes_find_the_same_as_a_store_that_looks_at_everything(
    scope: str, tmp_path: Path
) -> None:
    """M14: however the words are looked up."""
    embedder = HashingEmbedder()
    file = await SqliteStore.open(tmp_path / "everlore.db", StoreSettings(), clock=lambda: _LEGEND.until)
    double = DoubleStore(lambda: _LEGEND.until)
    try:
        for store in (file, double):
            await load(store, _LEGEND, embedder)
        for question in _LEGEND.questions[:12]:
            ask = Search(text=question, limit=500, pool=500, **_ASKS[scope])  # type: ignore[arg-type]
            theirs = await _found(double, ask)
            assert await _found(file, ask) == theirs
            assert theirs
    finally:
        await file.close()
