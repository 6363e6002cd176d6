"""Saving several batches one after the other, each in the light of those before it, as one list of changes."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from everlore.domain.conversation import Conversation
from everlore.domain.reading import Refusal
from everlore.domain.scope import Scope
from everlore.learning.saving.flow import Batch, Fate, Saved, saved
from everlore.models.embedder import Embedder
from everlore.settings import SavingSettings
from everlore.store.port import Change, Store

_EVER = datetime(1970, 1, 1, tzinfo=UTC)


def place_of(conversation: Conversation) -> dict[str, Any]:
    """What a batch has to know of where its messages were said: in which campaign and session (G1), and of a branch."""
    played = {"campaign_id": conversation.campaign_id, "session_id": conversation.session_id}
    return played | branch_of(conversation)


def branch_of(conversation: Conversation) -> dict[str, Any]:
    """What a batch has to know of a branch: it has copies of its own of whatever its parent knew before the fork, so
    nothing that was learnt over there is known here (M15)."""
    is_fork = conversation.branched_from_id is not None
    return {
        "in_branch": is_fork,
        "branched_from_id": conversation.branched_from_id,
        "branched_at": _EVER if is_fork else None,
    }


async def saved_all(
    store: Store,
    embedder: Embedder | None,
    scope: Scope,
    batches: Sequence[Batch],
    now: datetime,
    new_id: Callable[[], str],
    *,
    chosen: SavingSettings | None = None,
    after: Sequence[Change] = (),
) -> Saved:
    changes: list[Change] = []
    refused: list[Refusal] = []
    ids: list[str] = []
    known: list[str] = []
    fates: list[Fate] = []
    for batch in batches:
        result = await saved(store, embedder, scope, batch, now, new_id, chosen=chosen, after=[*after, *changes])
        changes += result.changes
        refused += result.refused
        ids += result.memory_ids
        known += result.known_ids
        fates += result.fates
    return Saved(changes, tuple(refused), len(ids), tuple(ids), tuple(known), tuple(fates))
