"""Sends what webhooks are told: the handler of their jobs.

An event is sent at least once: it is a job, retried with the backoff of the queue until the receiver answers with 2xx,
or a dead letter after its attempts. A webhook that fails often in a row is disabled, and what waits for it is dropped.

Start at `DeliverWebhooks`.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from urllib.parse import urlsplit

import httpx

from everlore.domain.job import Job
from everlore.domain.scope import Scope
from everlore.domain.webhook import MOST_FAILURES, SIGNATURE, Webhook, signature
from everlore.errors import EverloreError, NotFound
from everlore.services.webhook_address import check_address, resolve
from everlore.store.port import Amend, Change, Store

_TIMEOUT_S = 10
_MOST_REASON_CHARS = 500


class NotDelivered(EverloreError):
    """The receiver cannot be reached, or did not answer with 2xx."""


class DeliverWebhooks:
    def __init__(self, store: Store, unseal: Callable[[str], str]) -> None:
        self._store = store
        self._unseal = unseal
        # If one job of a batch fails, the worker runs each again: what was sent already is not sent twice.
        self._sent: set[str] = set()

    async def __call__(self, scope: Scope, jobs: Sequence[Job], now: datetime) -> list[Change]:
        results = await asyncio.gather(*(self._deliver(scope, job, now) for job in jobs), return_exceptions=True)
        for failure in results:
            if isinstance(failure, BaseException):
                raise failure
        self._sent.difference_update(job.id for job in jobs)
        return []

    async def _deliver(self, scope: Scope, job: Job, now: datetime) -> None:
        found = await self._store.get_many(scope, Webhook, [str(job.payload["webhook_id"])])
        if not found or found[0].disabled or job.id in self._sent:
            return
        try:
            await self._send(found[0], job, now)
        except Exception as error:
            reason = str(error) or type(error).__name__
            await self._note_failure(scope, found[0], reason[:_MOST_REASON_CHARS], now)
            raise NotDelivered(reason) from error
        self._sent.add(job.id)
        if found[0].failures:
            await self._store.apply(scope, [Amend(Webhook, found[0].id, {"failures": 0})])

    async def _send(self, webhook: Webhook, job: Job, now: datetime) -> None:
        check_address(webhook.url)
        address = await resolve(webhook.url)
        secret = await asyncio.to_thread(self._unseal, webhook.secret)
        event = job.payload["event"]
        body = json.dumps(event).encode()
        parts = urlsplit(webhook.url)
        target = httpx.URL(webhook.url).copy_with(host=address)
        headers = {"Host": parts.netloc, "Content-Type": "application/json", SIGNATURE: signature(secret, body, now)}
        # Without proxies and redirects: both would connect to an address that was not checked.
        async with httpx.AsyncClient(timeout=_TIMEOUT_S, trust_env=False, follow_redirects=False) as client:
            sni = {"sni_hostname": parts.hostname or ""}
            async with client.stream("POST", target, content=body, headers=headers, extensions=sni) as answer:
                if not answer.is_success:
                    raise NotDelivered(f"{parts.hostname} answered {answer.status_code}.")

    async def _note_failure(self, scope: Scope, webhook: Webhook, reason: str, now: datetime) -> None:
        fields: dict[str, object] = {"failures": webhook.failures + 1}
        if webhook.failures + 1 >= MOST_FAILURES:
            disabled = f"{MOST_FAILURES} deliveries in a row failed. The last one: {reason}"
            fields |= {"disabled": disabled, "updated_at": now}
        try:
            await self._store.apply(scope, [Amend(Webhook, webhook.id, fields)])
        except NotFound:
            # It was deleted meanwhile.
            return
