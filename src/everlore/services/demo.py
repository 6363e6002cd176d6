"""The demo: a sample world with characters, chats, memories, gossip and a campaign.

It is a workspace export, imported like any other and removed in one go. Only the owner may. Its dates are moved on
import, so that its last chat was yesterday. `scripts/demo.py` plays it and writes the file. Start at `Demo`.
"""

import json
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from everlore.domain.campaign import Campaign
from everlore.domain.conversation import Conversation
from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.domain.policy import Act, may
from everlore.domain.scope import Scope
from everlore.errors import Forbidden
from everlore.interchange.lines import LineTally, end_line, parse
from everlore.interchange.wholefile import batches
from everlore.services.base import Service
from everlore.services.characters import Characters
from everlore.services.conversations import Conversations
from everlore.services.workspace_files import Carrying, WorkspaceImportReport
from everlore.store.port import Delete
from everlore.turn.resources import Resources


class Demo(Service):
    def __init__(
        self,
        scope: Scope,
        resources: Resources,
        workspace: Carrying,
        delete_campaign: Callable[[str], Awaitable[object]],
        conversations: Conversations,
        characters: Characters,
    ) -> None:
        super().__init__(scope, resources)
        self._workspace = workspace
        self._delete_campaign = delete_campaign
        self._conversations = conversations
        self._characters = characters

    async def ids(self) -> list[str]:
        """The ids of its people and chats that are in the workspace."""
        self._refuse_others()
        return [each.id for kind in (Person, Conversation) for each in await self._here(kind)]

    async def open(self) -> WorkspaceImportReport:
        """Import it. Existing records stay as they are."""
        self._refuse_others()
        shift = await self._shift()
        with _file() as source, TemporaryDirectory(prefix="everlore-demo-") as folder:
            path = Path(folder) / "demo.jsonl"
            path.write_bytes(retimed(source.read_bytes(), lambda moment: moment + shift))
            return await self._workspace.import_file(path)

    async def _shift(self) -> timedelta:
        """How far its dates move: as far as last time if parts of it were imported, so that the import finds them
        unchanged; else by whole days, until its last day is yesterday."""
        with _file() as path:
            people = [each.record for batch in batches(path, self._scope) for each in batch.brings]
            began = {each.id: each.created_at for each in people if isinstance(each, Person)}
            last = datetime.fromisoformat(parse(path.read_bytes().splitlines()[0])["at"])
        for person in await self._here(Person):
            moved: timedelta = person.created_at - began[person.id]
            return moved
        return timedelta(days=(self._resources.clock() - last).days - 1)

    async def remove(self) -> None:
        """Delete all of it, with what was learned from it since. The user's own chats with its characters stay."""
        self._refuse_others()
        for campaign in await self._here(Campaign):
            await self._delete_campaign(campaign.id)
        for conversation in await self._here(Conversation):
            await self._conversations.delete(conversation.id)
        changes = [Delete(Memory, memory.id) for memory in await self._here(Memory)]
        await self._apply(changes)
        for person in await self._here(Person):
            await self._characters.delete(person.id)

    async def _here(self, kind: type[Any]) -> list[Any]:
        """The records of the file that are in the workspace."""
        with _file() as path:
            brings = [bring for batch in batches(path, self._scope) for bring in batch.brings]
        ids = [bring.record.id for bring in brings if isinstance(bring.record, kind)]
        return await self._store.get_many(self._scope, kind, ids)

    def _refuse_others(self) -> None:
        if not may(self._scope.role, Act.RUN):
            raise Forbidden("Only the owner may open or remove the demo world. Ask with a token of the owner.")


# A time as exports write it.
_TIME = re.compile(rb'"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?\+00:00)"')


def retimed(exported: bytes, move: Callable[[datetime], datetime]) -> bytes:
    """The export with every time moved, and with its new counts and checksum."""
    header, *lines, _ = exported.splitlines(keepends=True)
    tally = LineTally()
    moved = []
    for line in lines:
        moved.append(_TIME.sub(lambda found: _quoted(move(datetime.fromisoformat(found[1].decode()))), line))
        tally.add(next(iter(parse(line))), moved[-1])
    first = parse(header)
    first |= {"at": move(datetime.fromisoformat(first["at"])).isoformat(), "counts": tally.counts}
    head = json.dumps(first, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    return b"".join([head, *moved, end_line(tally.counts, tally.checksum)])


def _quoted(moment: datetime) -> bytes:
    return b'"%s"' % moment.isoformat().encode()


@contextmanager
def _file() -> Iterator[Path]:
    with as_file(files("everlore.services") / "demo.jsonl") as path:
        yield path
