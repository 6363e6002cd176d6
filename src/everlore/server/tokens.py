"""Routes for access from elsewhere: users and tokens. For the owner only."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import Field

from everlore.domain.bounds import Name
from everlore.domain.memory_use import Use
from everlore.domain.person import PersonKind
from everlore.domain.policy import Role
from everlore.domain.token import People, Token
from everlore.errors import NotFound
from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.wire import Given, ListOf, RecordModel
from everlore.services.forget_user import ForgottenUser

router = Router(prefix="/api", tags=["tokens"])
Limit = Annotated[int, Query(ge=1, le=500)]


class TokenOut(RecordModel):
    """Never the token itself. `per_minute` is null where the server's own limit holds."""

    id: str
    name: str
    role: Role
    user_id: str | None
    per_minute: int | None
    memory: str
    people: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    is_valid: bool


class NewToken(Given):
    """Without `user_id`, an owner's token is for the workspace's own user, any other for a new user of that name.
    `people`: `many` lets requests to `/v1` name the person who speaks, `one` does not; unset: `many` for an owner's."""

    name: Name
    role: Role = Role.OWNER
    user_id: str | None = None
    days: Annotated[float, Field(gt=0, le=36_500)] | None = None
    per_minute: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    memory: Use | None = None
    people: People | None = None


class MadeToken(TokenOut):
    """`token` is shown this once."""

    token: str


class UserOut(RecordModel):
    id: str
    name: str
    created_at: datetime


class UserName(Given):
    name: Name


class ForgottenUserOut(RecordModel, record=ForgottenUser):
    """With `dry_run` nothing was deleted, and `memories` counts all that the user is part of; those shared with other
    users stay without them. `campaign_messages` stay."""

    dry_run: bool


@router.get("/tokens")
async def list_tokens(lore: Lore, limit: Limit = 50, cursor: str | None = None) -> ListOf[TokenOut]:
    """Lists tokens, newest first, including revoked ones."""
    page = await lore.tokens.list(limit=limit, cursor=cursor)
    now = lore.resources.clock()
    return ListOf[TokenOut](items=[_token_out(each, now) for each in page.items], next=page.cursor)


@router.post("/tokens", status_code=201)
async def create_token(lore: Lore, new: NewToken) -> MadeToken:
    """Creates a token. This answer is the only one that shows it."""
    made = await lore.tokens.create(
        new.name,
        role=new.role,
        user=new.user_id,
        days=new.days,
        per_minute=new.per_minute,
        memory=new.memory or "",
        people=new.people or "",
    )
    return MadeToken(**_token_out(made.token, lore.resources.clock()).model_dump(), token=made.text)


@router.delete("/tokens/{id}")
async def revoke_token(lore: Lore, id: str) -> TokenOut:
    """Revokes a token at once. It stays in the list."""
    return _token_out(await lore.tokens.revoke(id), lore.resources.clock())


@router.get("/users")
async def list_users(lore: Lore, limit: Limit = 50, cursor: str | None = None) -> ListOf[UserOut]:
    page = await lore.tokens.users(limit=limit, cursor=cursor)
    return ListOf[UserOut](items=[UserOut.of(each) for each in page.items], next=page.cursor)


@router.post("/users", status_code=201)
async def create_user(lore: Lore, new: UserName) -> UserOut:
    return UserOut.of(await lore.characters.create(name=new.name, kind=PersonKind.USER))


@router.patch("/users/{id}")
async def rename_user(lore: Lore, id: str, changes: UserName) -> UserOut:
    await _refuse_character(lore, id)
    return UserOut.of(await lore.characters.change(id, name=changes.name))


@router.delete("/users/{id}", status_code=204)
async def delete_user(lore: Lore, id: str) -> None:
    """Deletes a user for good, with their tokens. Conversations stay; memories shared only with characters do not."""
    await _refuse_character(lore, id)
    await lore.characters.delete(id)


@router.post("/users/{id}/forget")
async def forget_user(
    lore: Lore,
    id: str,
    dry_run: Annotated[bool, Query(description="Dry run: returns what would be deleted.")] = False,
) -> ForgottenUserOut:
    """Deletes a user for good, with their tokens and conversations, and what was learned from them. What they said in
    campaigns stays. If it was interrupted, repeat it."""
    return ForgottenUserOut.of(await lore.forget_user(id, dry_run=dry_run), dry_run=dry_run)


def _token_out(token: Token, now: datetime) -> TokenOut:
    return TokenOut.of(token, is_valid=token.is_valid(now))


async def _refuse_character(lore: Lore, id: str) -> None:
    person = await lore.characters.get(id)
    if person.kind is not PersonKind.USER:
        raise NotFound(f"There is no user {id!r} in this workspace: {person.name} is a character.")
