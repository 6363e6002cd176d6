"""Pages and their cursors. A cursor is an opaque string that encodes where the last page ended."""

import base64
import json
import math
from typing import Any

from everlore.domain.bounds import Chars
from everlore.errors import BadAsk
from everlore.store.answers import Page
from everlore.store.field_checks import check_text
from everlore.store.tables import Table

_ID = Chars(128, least=1)
# Room for an id whose every character takes twelve in JSON.
_MOST_CURSOR_CHARS = 4_000
_LARGEST = 2**63


def page_of(table: Table, records: list[Any], limit: int) -> Page:
    """A page of up to `limit` records; one record more than that tells that there is a next page."""
    if len(records) <= limit:
        return Page(tuple(records), None)
    last = records[limit - 1]
    key = [table.encode(table.order, getattr(last, table.order)), last.id]
    return Page(tuple(records[:limit]), base64.urlsafe_b64encode(json.dumps(key).encode()).decode())


def read_cursor(table: Table, cursor: str) -> list[Any]:
    """The order and the id of the last record on the page before."""
    try:
        if len(cursor) > _MOST_CURSOR_CHARS:
            raise ValueError("no cursor is that long")
        value, id = json.loads(base64.b64decode(cursor.encode(), altchars=b"-_", validate=True))
        check_text("id", id, _ID)
        return [_order_of(table, value), id]
    except (ValueError, TypeError, AttributeError, RecursionError, BadAsk):
        shown = repr(cursor)[:100]
        raise BadAsk(f"The cursor {shown} is broken. Start again without one.") from None


def _order_of(table: Table, value: Any) -> int | float:
    whole = table.column(table.order).affinity == "integer"
    if type(value) not in ((int,) if whole else (int, float)):
        raise TypeError("not a number of that kind")
    if abs(value) >= _LARGEST or math.isnan(value):
        raise ValueError("not a number that a database can compare")
    return value if whole else float(value)
