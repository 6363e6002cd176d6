"""Whose memory it is: mem0's `user_id`, `agent_id` and `run_id`, each a person of the workspace.

The id of a person says which of the three it is, and its value, so that a memory needs no copy of them. Memories with
the same ids belong to the same persons: only those can repeat or contradict each other.

Start at `Owners`.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from everlore.compat.mem0.errors import InvalidRequest
from everlore.domain.person import PersonKind

FIELDS = ("user_id", "agent_id", "run_id")
_LONGEST = 100
_KINDS = {"user_id": PersonKind.USER, "agent_id": PersonKind.CHARACTER, "run_id": PersonKind.CHARACTER}
_NAMES = {"user_id": "User", "agent_id": "Assistant"}


@dataclass(frozen=True, slots=True)
class Owners:
    """The given ids by field; at least one."""

    ids: Mapping[str, str]

    @property
    def persons(self) -> tuple[str, ...]:
        """The persons of the given ids, for a search by index."""
        return tuple(_person_id(field, value) for field, value in self.ids.items())

    @property
    def cast(self) -> dict[str, tuple[PersonKind, str]]:
        """Kind and name of all persons of a memory, by id. A conversation needs a user and somebody they talk to; a
        nameless one stands for each that is not given."""
        fields = [field for field in FIELDS if field in self.ids or field in _NAMES]
        return {
            _person_id(field, self.ids.get(field, "")): (_KINDS[field], self.ids.get(field) or _NAMES[field])
            for field in fields
        }

    @property
    def user(self) -> str:
        return _person_id("user_id", self.ids.get("user_id", ""))

    @property
    def others(self) -> tuple[str, ...]:
        return tuple(id for id in self.cast if id != self.user)

    @property
    def conversation(self) -> str:
        """The id of the conversation that their messages are read in."""
        return "mem0-" + hashlib.sha256("\n".join(self.cast).encode()).hexdigest()[:26]


def owners_of(given: Mapping[str, Any], needed: str) -> Owners:
    """The owners among the arguments or filters; `needed` says in an error what to give."""
    ids = {field: _checked(field, given[field]) for field in FIELDS if given.get(field) not in (None, "*")}
    if not ids:
        raise InvalidRequest(needed)
    return Owners(ids)


def ids_of(persons: Iterable[str]) -> dict[str, str]:
    """The ids that a memory of these persons was added with."""
    pairs = (person.partition(":") for person in persons)
    return {f"{field}_id": value for field, _, value in pairs if value and f"{field}_id" in FIELDS}


def _person_id(field: str, value: str) -> str:
    return f"{field.removesuffix('_id')}:{value}"


def _checked(field: str, value: Any) -> str:
    text = str(value).strip()
    if not text or any(each.isspace() for each in text):
        raise InvalidRequest(f"{field} is {value!r}; give an identifier without spaces.")
    if len(text) > _LONGEST:
        raise InvalidRequest(f"{field} has {len(text)} characters; the most is {_LONGEST}.")
    return text
