"""The commands for access tokens: token create, list, revoke."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from everlore.cli.commands import Answer, Commands
from everlore.cli.options import Cursor, flag, optional
from everlore.cli.output import emit, note, shown
from everlore.cli.session import CommandOptions
from everlore.domain.memory_use import Use
from everlore.domain.policy import Role
from everlore.domain.token import People

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.domain.token import Token
    from everlore.store.answers import Page

token = Commands(name="token", help="Access tokens: create, list, revoke.")


@token.command("create")
async def create(
    lore: "Everlore",
    asked: CommandOptions,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A name, such as the app or person it is for.", show_default=False)
    ],
    role: Annotated[Role, flag("--role", "Permissions; see the table in docs/policy.md.")] = Role.OWNER,
    user: Annotated[
        str | None,
        optional(
            "--user", "NAME|ID", "The user of the token.  [default: for an owner the workspace's own, else a new one]"
        ),
    ] = None,
    days: Annotated[float | None, optional("--days", "N", "Expires after this many days.  [default: never]")] = None,
    per_minute: Annotated[int | None, optional("--per-minute", "N", "Maximum requests per minute.", min=1)] = None,
    memory: Annotated[
        Use | None, typer.Option("--memory", help="Default memory mode of /v1 requests.", show_default=False)
    ] = None,
    people: Annotated[
        People | None,
        typer.Option(
            "--people",
            help="Whether requests to /v1 may name the person who speaks.  [default: many for an owner, else one]",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Create a token and print it.

    It is shown only once. Everlore stores a hash of it.
    """
    made = await lore.tokens.create(
        name, role=role, user=user, days=days, per_minute=per_minute, memory=memory or "", people=people or ""
    )
    emit(asked.as_json, _document(made.token) | {"token": made.text}, [made.text])
    if not asked.as_json:
        note(f"For {made.token.role.value}s. Shown only once. Send it as: Authorization: Bearer <token>")


@token.command("list")
async def list_tokens(
    lore: "Everlore",
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="Maximum number of entries.")] = 50,
    cursor: Cursor = None,
) -> Answer:
    """List the tokens, the newest first."""
    page = await lore.tokens.list(limit=limit, cursor=cursor)
    document = {"items": [_document(each) for each in page.items], "next": page.cursor}
    return Answer(document, _lines(page))


@token.command("revoke")
async def revoke(
    lore: "Everlore",
    id: Annotated[
        str, typer.Argument(metavar="ID", help="The id of a token, as `token list` shows it.", show_default=False)
    ],
) -> Answer:
    """Revoke a token."""
    taken = await lore.tokens.revoke(id)
    return Answer(_document(taken), [f"{shown(taken.name)} is revoked."])


def _document(token: "Token") -> dict[str, Any]:
    names = (
        "id",
        "name",
        "role",
        "user_id",
        "per_minute",
        "memory",
        "people",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
    )
    return {name: getattr(token, name) for name in names}


def _lines(page: "Page") -> Iterator[str]:
    for each in page.items:
        state = "revoked" if each.revoked_at else f"until {each.expires_at:%Y-%m-%d}" if each.expires_at else "valid"
        yield f"{each.id}  {each.role.value:<9}  {state:<16}  {shown(each.name)}"
    if not page.items:
        yield "There are no tokens. Create one with `everlore token create NAME`."
    if page.cursor:
        yield f"More with --cursor {page.cursor}"
