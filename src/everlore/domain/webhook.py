"""A webhook: an address that is told when a memory or a conversation was created, changed or deleted.

What is sent has ids and no contents: the receiver reads what it may read, with a token of its own. It is signed with
the secret of the webhook, so that the receiver can tell who sent it and when.

Start at `deliveries` and `signature`.
"""

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, NamedTuple

from everlore.domain.bounds import Between, Id, Line
from everlore.domain.job import Job

WEBHOOK = "webhook"
SIGNATURE = "X-Everlore-Signature"
_ATTEMPTS = 10
# So many failed attempts in a row disable a webhook.
MOST_FAILURES = 50


class WebhookEvent(StrEnum):
    MEMORY_CREATED = "memory.created"
    MEMORY_CHANGED = "memory.changed"
    MEMORY_DELETED = "memory.deleted"
    CONVERSATION_CREATED = "conversation.created"
    CONVERSATION_CHANGED = "conversation.changed"
    CONVERSATION_DELETED = "conversation.deleted"


EVENTS = tuple(each.value for each in WebhookEvent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """`events`: what it is told. `secret` is encrypted. `failures`: failed attempts since the last success.
    `disabled`: why nothing is sent to it; empty while it is active."""

    workspace: Id
    id: Id
    url: Line
    events: tuple[str, ...]
    secret: Line
    failures: Annotated[int, Between(0, 10**6)] = 0
    disabled: Line = ""
    created_at: datetime
    updated_at: datetime


class Happening(NamedTuple):
    """An event, with the id of the record that it is about."""

    id: str
    type: str
    record_id: str


def deliveries(webhooks: Iterable[Webhook], happenings: Iterable[Happening], at: datetime) -> list[Job]:
    """One job for each event and each active webhook that receives it."""
    active = [each for each in webhooks if not each.disabled]
    return [_delivery(hook, each, at) for each in happenings for hook in active if each.type in hook.events]


def _delivery(webhook: Webhook, event: Happening, at: datetime) -> Job:
    body = {"id": event.id, "type": event.type, "at": at.isoformat(), "record_id": event.record_id}
    return Job(
        workspace=webhook.workspace,
        id=f"{webhook.id}-{event.id}",
        kind=WEBHOOK,
        payload={"webhook_id": webhook.id, "event": {**body, "workspace": webhook.workspace}},
        # Deleting the webhook cancels what it was to be told.
        subject=f"webhooks/{webhook.id}",
        max_attempts=_ATTEMPTS,
        run_at=at,
        created_at=at,
    )


def signature(secret: str, body: bytes, at: datetime) -> str:
    """The value of the header: the time in seconds since 1970, and the HMAC-SHA256 of that time, a dot and the body."""
    sent = str(int(at.timestamp()))
    digest = hmac.new(secret.encode(), sent.encode() + b"." + body, hashlib.sha256).hexdigest()
    return f"t={sent},v1={digest}"
