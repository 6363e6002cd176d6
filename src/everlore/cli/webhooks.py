"""The commands for webhooks: webhook create, list, enable, delete."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlore.cli.commands import Answer, Commands
from everlore.cli.output import emit, note, shown
from everlore.cli.session import CommandOptions
from everlore.domain.webhook import SIGNATURE, WebhookEvent

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.webhook import Webhook

webhook = Commands(name="webhook", help="Webhooks: create, list, enable, delete.")
_Id = Annotated[
    str, typer.Argument(metavar="ID", help="The id of a webhook, as `webhook list` shows it.", show_default=False)
]


@webhook.command("create")
async def create(
    lore: "Everlore",
    asked: CommandOptions,
    url: Annotated[str, typer.Argument(metavar="URL", help="The address that gets a POST.", show_default=False)],
    events: Annotated[
        list[WebhookEvent] | None, typer.Option("--event", help="Only this event; can be repeated.", show_default=False)
    ] = None,
) -> None:
    """Register an address and print its secret.

    The secret is shown only once. It signs each request.
    """
    made = await lore.webhooks.create(url, events or [*WebhookEvent])
    emit(asked.as_json, {"webhook": _document(made.webhook), "secret": made.secret}, [made.secret])
    if not asked.as_json:
        note(f"The secret of webhook {made.webhook.id}. Shown only once. It signs the header {SIGNATURE}.")


@webhook.command("list")
async def list_webhooks(lore: "Everlore") -> Answer:
    """List the webhooks, the oldest first."""
    items = (await lore.webhooks.list()).items
    return Answer({"items": [_document(each) for each in items]}, _lines(items))


@webhook.command("enable")
async def enable(lore: "Everlore", id: _Id) -> Answer:
    """Send to a webhook again that was disabled."""
    changed = await lore.webhooks.change(id, active=True)
    return Answer(_document(changed), [f"{shown(changed.url)} is told again."])


@webhook.command("delete")
async def delete(lore: "Everlore", id: _Id) -> Answer:
    """Delete a webhook, and what it was still to be told."""
    await lore.webhooks.delete(id)
    return Answer({"deleted": id}, ["The webhook is deleted."])


def _document(webhook: "Webhook") -> dict[str, Any]:
    names = ("id", "url", "events", "failures", "disabled", "created_at", "updated_at")
    return {name: getattr(webhook, name) for name in names}


def _lines(webhooks: "tuple[Webhook, ...]") -> Iterator[str]:
    for each in webhooks:
        state = f"disabled: {each.disabled}" if each.disabled else "active"
        yield shown(f"{each.id}  {each.url}  {', '.join(each.events)}  {state}")
    if not webhooks:
        yield "There are no webhooks. Register one with `everlore webhook create URL`."
