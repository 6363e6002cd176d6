"""Requests that may be sent twice: the same key with the same body gets the same answer, and changes nothing again.

A receipt holds digests and ids but no text, so it keeps nothing of what is deleted later. Receipts are settings of a
workspace, in a fixed number of slots, so that a retry finds its receipt after a restart or on another process. They are
kept for a day, and the oldest are dropped when a slot is full. Start at `load_receipts`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from everlore.domain.scope import Scope
from everlore.domain.setting import RECEIPTS, Setting
from everlore.errors import BadAsk, Conflict
from everlore.store.port import Put, Store

_KEPT_FOR = timedelta(days=1)
_MOST_IN_SLOT = 200
_MOST_KEY_CHARS = 255


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """The client's key of a request, and a digest of its body."""

    key: str
    body: str


@dataclass(frozen=True, slots=True)
class Receipts:
    """The slot for the receipt of a request. `found`: the results of its first time, if it came before."""

    slot: Setting
    digest: str
    body: str
    found: Sequence[Mapping[str, Any]] | None

    def signed(self, done: Sequence[Mapping[str, Any]], now: datetime) -> Put:
        """The slot with a receipt for this request; receipts older than a day are dropped."""
        kept = [each for each in self.slot.value.items() if _time_of(each[1]) > now - _KEPT_FOR]
        kept = sorted(kept, key=lambda each: _time_of(each[1]))[1 - _MOST_IN_SLOT :]
        receipt = {"at": now.isoformat(), "body": self.body, "done": [dict(each) for each in done]}
        slot = Setting(
            workspace=self.slot.workspace,
            id=self.slot.id,
            value=dict(kept) | {self.digest: receipt},
            updated_at=now,
        )
        return Put(slot)


async def load_receipts(store: Store, scope: Scope, request: IdempotencyKey, now: datetime) -> Receipts:
    """Raises `Conflict` if the key was used with another body."""
    if not 0 < len(request.key) <= _MOST_KEY_CHARS or not request.key.isprintable():
        raise BadAsk(f"An Idempotency-Key has 1 to {_MOST_KEY_CHARS} printable characters. Send another one.")
    digest = _digest(f"{scope.confined_to or ''}\n{request.key}")
    body = _digest(request.body)
    slot_id = f"{RECEIPTS}{digest[:2]}"
    stored = await store.get_many(scope, Setting, [slot_id])
    slot = stored[0] if stored else Setting(workspace=scope.workspace, id=slot_id, updated_at=now)
    receipt = slot.value.get(digest)
    if not isinstance(receipt, dict) or _time_of(receipt) <= now - _KEPT_FOR:
        return Receipts(slot, digest, body, None)
    if receipt["body"] != body:
        raise Conflict(
            f"The Idempotency-Key {request.key!r} was used for another request. Send this one with a key of its own."
        )
    return Receipts(slot, digest, body, receipt["done"])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]


def _time_of(receipt: object) -> datetime:
    assert isinstance(receipt, dict)
    return datetime.fromisoformat(receipt["at"])
