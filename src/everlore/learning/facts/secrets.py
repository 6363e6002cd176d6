"""Detects secrets in a statement: passwords, card and account numbers, keys (S-2). Pure.

In: a statement and its message. Out: whether it reveals a secret, or a part of one. Having or forgetting a password is
no secret. Names and formats of secrets are data (`secrets.toml`).

Start at `holds_secret`.
"""

import re
import tomllib
from functools import cache
from importlib.resources import files

_LEAST_CHARS = 4
_NEAR = 60


def holds_secret(statement: str, message: str = "") -> bool:
    look = _patterns()
    if look["number"].search(statement) or look["key"].search(statement):
        return True
    is_named = look["name"].search(statement) and look["value"].search(statement)
    is_given = look["given"].search(statement) and not look["not_given"].search(statement)
    return bool(is_named or is_given) or any(value in statement for value in _values_in(message))


def _values_in(message: str) -> set[str]:
    """The secrets in a message, and the last digits of long numbers."""
    look = _patterns()
    values = {found.group() for found in look["key"].finditer(message)}
    for named in look["name"].finditer(message):
        # The value is in the same sentence as the name, and near it.
        end = look["sentence_end"].search(message, named.end())
        last = min(named.end() + _NEAR, end.start() if end else len(message))
        near = [*look["value"].finditer(message, named.end(), last)][:2]
        values |= {found.group().strip(".!?'\"") for found in near}
    for number in look["number"].finditer(message):
        values |= {number.group(), re.sub(r"\D", "", number.group())[-4:]}
    return {value for value in values if len(value) >= _LEAST_CHARS}


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    data = tomllib.loads(files("everlore.learning.facts").joinpath("secrets.toml").read_text(encoding="utf-8"))
    return {name: re.compile(f"(?i:{each})".replace("{names}", data["names"])) for name, each in data["look"].items()}
