"""Inserts rows that are known to be new, many with one statement.

Python's sqlite3 spends more time on binding a value than SQLite on storing it, most of all on None, for which it looks
up an adapter each time. The rows of a batch share most of their values: these are bound once for a whole block of rows.
Start at `add`.
"""

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from everlore.store.sql.flow import NewRows, insert

# Half as many make a batch 2 % slower, twice as many save nothing, and every statement stays prepared.
_BLOCK = 100


def add(connection: sqlite3.Connection, new: NewRows) -> None:
    whole = len(new) - len(new) % _BLOCK
    if whole:
        _add_blocks(connection, new.table, {name: column[:whole] for name, column in new.columns.items()})
    if whole < len(new):
        # Always all columns: values that a few rows share are chance, and would need another statement each time.
        rest = zip(*(column[whole:] for column in new.columns.values()), strict=True)
        connection.executemany(insert(new.table, new.names), rest)


def _add_blocks(connection: sqlite3.Connection, table: str, columns: dict[str, Sequence[Any]]) -> None:
    shared = {name: column[0] for name, column in columns.items() if _is_one_value(column)}
    own = {name: column for name, column in columns.items() if name not in shared}
    rows = list(zip(*own.values(), strict=True))
    blocks = (rows[at : at + _BLOCK] for at in range(0, len(rows), _BLOCK))
    connection.executemany(
        _insert_block(table, tuple(shared), tuple(own)),
        ((*shared.values(), *chain.from_iterable(block)) for block in blocks),
    )


def _is_one_value(column: Sequence[Any]) -> bool:
    return column[0] == column[-1] and column.count(column[0]) == len(column)


@lru_cache(maxsize=512)
def _insert_block(table: str, shared: tuple[str, ...], own: tuple[str, ...]) -> str:
    # A numbered placeholder is the same value in every row; an unnumbered one is the next value.
    marks = [f"?{number}" for number in range(1, len(shared) + 1)] + ["?"] * len(own)
    row = f"({', '.join(marks)})"
    return f"INSERT INTO {table} ({', '.join(shared + own)}) VALUES {', '.join([row] * _BLOCK)}"
