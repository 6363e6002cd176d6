"""Webhooks: which addresses are told what happens in the workspace. For its owner.

In: an address and the events that it is told. Out: the webhook, and its secret, which is shown once. What is sent, and
when, is decided in `domain/webhook.py`; `webhook_delivery.py` sends it. Start at `Webhooks.create`.
"""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from everlore.domain.webhook import EVENTS, Webhook
from everlore.errors import BadAsk
from everlore.services.base import Service
from everlore.services.webhook_address import check_address
from everlore.store.answers import Page
from everlore.store.port import Amend, Delete, Put

_SECRET_BYTES = 32
_MOST_WEBHOOKS = 20
_SWITCHED_OFF = "switched off"


@dataclass(frozen=True, slots=True)
class RegisteredWebhook:
    """A new webhook with its secret, which is shown only here."""

    webhook: Webhook
    secret: str


class Webhooks(Service):
    async def create(self, url: str, events: Sequence[str] = EVENTS) -> RegisteredWebhook:
        """Tell this address of these events from now on; by default of all."""
        check_address(url)
        if await self._store.count(self._scope, Webhook) >= _MOST_WEBHOOKS:
            raise BadAsk(f"There are {_MOST_WEBHOOKS} webhooks, which is the most. Delete one first.")
        secret, now = secrets.token_urlsafe(_SECRET_BYTES), self._resources.clock()
        webhook = Webhook(
            workspace=self._scope.workspace,
            id=self._resources.new_id(),
            url=url,
            events=_known(events),
            secret=await asyncio.to_thread(self._resources.backends.keys.seal, secret),
            created_at=now,
            updated_at=now,
        )
        (stored,) = await self._apply([Put(webhook)])
        return RegisteredWebhook(stored, secret)

    async def list(self) -> Page:
        """Oldest first."""
        return await self._store.find(self._scope, Webhook, limit=_MOST_WEBHOOKS)

    async def get(self, id: str) -> Webhook:
        return await self._store.get(self._scope, Webhook, id)

    async def change(
        self, id: str, *, url: str | None = None, events: Sequence[str] | None = None, active: bool | None = None
    ) -> Webhook:
        """Change the address or the events, or switch it off or on. Switching it on forgets earlier failures."""
        fields: dict[str, Any] = {"updated_at": self._resources.clock()}
        if url is not None:
            check_address(url)
            fields["url"] = url
        if events is not None:
            fields["events"] = _known(events)
        if active is not None:
            fields |= {"disabled": "" if active else _SWITCHED_OFF, "failures": 0}
        (changed,) = await self._apply([Amend(Webhook, id, fields)])
        webhook: Webhook = changed
        return webhook

    async def delete(self, id: str) -> None:
        """Delete it, and what it was still to be told."""
        await self._apply([Delete(Webhook, id)])


def _known(events: Sequence[str]) -> tuple[str, ...]:
    unknown = [each for each in events if each not in EVENTS]
    if unknown or not events:
        wrong = f"{unknown[0]!r} is no event" if unknown else "No event was named"
        raise BadAsk(f"{wrong}. Name some of {', '.join(EVENTS)}.")
    return tuple(dict.fromkeys(str(each) for each in events))
