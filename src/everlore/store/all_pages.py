"""Reads every page of a result, so that callers need no cursors.

The next page is read only when the items of the one before are used up. Records that are written in the meantime may or
may not be included.

Start at `all_of`, or at `each_of` to read lazily. `pages_of` and `items_of` do the same with any read that returns
pages: `items_of(partial(store.timeline, scope, person_id=id))`.
"""

from collections.abc import AsyncIterator, Awaitable, Mapping
from functools import partial
from typing import Any, Protocol

from everlore.domain.scope import Scope
from everlore.store.answers import Page
from everlore.store.port import R, Store

_AT_A_TIME = 1_000


class PagedRead(Protocol):
    """A read with every argument bound except the cursor."""

    def __call__(self, *, cursor: str | None) -> Awaitable[Page]: ...


async def all_of(
    store: Store,
    scope: Scope,
    kind: type[R],
    where: Mapping[str, Any] | None = None,
    *,
    at_a_time: int = _AT_A_TIME,
    newest_first: bool = False,
) -> list[R]:
    """All records that `Store.find` finds, in its order."""
    found = each_of(store, scope, kind, where, at_a_time=at_a_time, newest_first=newest_first)
    return [record async for record in found]


def each_of(
    store: Store,
    scope: Scope,
    kind: type[R],
    where: Mapping[str, Any] | None = None,
    *,
    at_a_time: int = _AT_A_TIME,
    newest_first: bool = False,
) -> AsyncIterator[R]:
    """The same records, one at a time."""
    return items_of(partial(store.find, scope, kind, where, limit=at_a_time, newest_first=newest_first))


async def items_of(read: PagedRead) -> AsyncIterator[Any]:
    async for page in pages_of(read):
        for item in page.items:
            yield item


async def pages_of(read: PagedRead) -> AsyncIterator[Page]:
    """Yields at least one page; the page of an empty result is empty."""
    page = await read(cursor=None)
    yield page
    while page.cursor is not None:
        page = await read(cursor=page.cursor)
        yield page
