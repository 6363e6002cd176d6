"""Routes for webhooks: addresses that are told when memories and conversations change. For the owner only."""

from typing import Annotated

from pydantic import BaseModel, Field

from everlore.domain.webhook import EVENTS, Webhook, WebhookEvent
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire import Given, ListOf, RecordModel

router = Router(prefix="/api/webhooks", tags=["webhooks"])
Url = Annotated[str, Field(min_length=1, max_length=1_000, description="Such as https://example.org/hook.")]
Events = Annotated[list[WebhookEvent], Field(min_length=1, max_length=len(EVENTS))]


class WebhookOut(RecordModel, record=Webhook, without=("secret",)):
    """`failures`: failed attempts since the last success; after fifty it is `disabled`, with the reason."""


class NewWebhook(Given):
    url: Url
    events: Events = Field(default_factory=lambda: [*WebhookEvent], description="All, if left out.")


class WebhookChanges(Given):
    """`active`: switches it on, which forgets its failures, or off."""

    url: Url | None = None
    events: Events | None = None
    active: bool | None = None


class CreatedWebhook(BaseModel):
    """`secret` signs what is sent. It is shown this once."""

    webhook: WebhookOut
    secret: str


@router.get("")
async def list_webhooks(lore: Lore) -> ListOf[WebhookOut]:
    """Lists the webhooks, oldest first."""
    page = await lore.webhooks.list()
    return ListOf[WebhookOut](items=[WebhookOut.of(each) for each in page.items], next=None)


@router.post("", status_code=201)
async def create_webhook(lore: Lore, new: NewWebhook) -> CreatedWebhook:
    """Registers an address. From now on it gets a signed POST for each of these events."""
    made = await lore.webhooks.create(new.url, new.events)
    return CreatedWebhook(webhook=WebhookOut.of(made.webhook), secret=made.secret)


@router.get("/{id}")
async def get_webhook(lore: Lore, id: str) -> WebhookOut:
    return WebhookOut.of(await lore.webhooks.get(id))


@router.patch("/{id}")
async def change_webhook(lore: Lore, id: str, changes: WebhookChanges) -> WebhookOut:
    """Changes its address or events, or switches it off or on."""
    changed = await lore.webhooks.change(id, url=changes.url, events=changes.events, active=changes.active)
    return WebhookOut.of(changed)


@router.delete("/{id}", status_code=204)
async def delete_webhook(lore: Lore, id: str) -> None:
    """Deletes it, and what it was still to be told."""
    await lore.webhooks.delete(id)
