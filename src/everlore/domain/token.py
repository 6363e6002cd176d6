"""An access token for one workspace: identifies its bearer, who may do what its role allows (S-2).

The token itself is shown once, when it is created. The store keeps only a digest, which can verify but not restore it;
its secret is long and random, so that a plain digest is safe.

Start at `spelled` and `read`.
"""

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, NamedTuple, get_args

from everlore.domain.bounds import Between, Id, Line, Name
from everlore.domain.policy import Role

PREFIX = "everlore_"
_PARTS = 3
# Longer than the encoded name of any workspace, and than any id and secret.
_PART = re.compile("[A-Za-z0-9_=-]{1,700}")
_LONGEST: int = get_args(Id)[1].most


class People(StrEnum):
    """Whether a request to `/v1` may name the person who speaks (`user`, or a header), or is always its bearer's."""

    ONE = "one"
    MANY = "many"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """`user_id`: the bearer. `per_minute`: the limit of requests; None: the default limit. `memory`: how much of memory
    its requests to `/v1` use by default; empty: all of it. `people`: see `People`; empty: the default of its role and
    the server. `allowance_full_at`: when none of its requests counts against the limit any more."""

    workspace: Id
    id: Id
    name: Name
    role: Role
    user_id: Id | None = None
    digest: Line
    per_minute: Annotated[int, Between(1, 10**6)] | None = None
    memory: Line = ""
    people: Line = ""
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    allowance_full_at: datetime | None = None
    revoked_at: datetime | None = None

    def is_valid(self, now: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class Spelled(NamedTuple):
    """The parts of a token: workspace, id, and the secret that proves it."""

    workspace: str
    id: str
    secret: str


def spelled(workspace: str, id: str, secret: str) -> str:
    return PREFIX + ".".join((_packed(workspace), id, secret))


def read(token: str) -> Spelled | None:
    """None if it cannot be a token of Everlore."""
    parts = token.removeprefix(PREFIX).split(".")
    if not token.startswith(PREFIX) or len(parts) != _PARTS or not all(map(_PART.fullmatch, parts)):
        return None
    try:
        workspace = base64.urlsafe_b64decode(parts[0] + "=" * (-len(parts[0]) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    # The limits of the store, which is queried next.
    if not workspace.strip() or max(len(workspace), len(parts[1])) > _LONGEST or "\x00" in workspace:
        return None
    return Spelled(workspace, parts[1], parts[2])


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _packed(workspace: str) -> str:
    return base64.urlsafe_b64encode(workspace.encode()).decode().rstrip("=")
