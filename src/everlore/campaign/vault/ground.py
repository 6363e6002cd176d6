"""The state of a vault import: known records, pages read so far, and the resulting changes (G12)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from everlore.campaign.import_report import CampaignImportReport
from everlore.campaign.vault.pages import CHAPTERS, SESSIONS, VaultWorld, stems_of
from everlore.interchange.report import Notes, Report, shown
from everlore.interchange.vault import VaultPage, text_in
from everlore.store.port import Amend, Change, Delete

# Result of `own` for a page with the id of another page or of another kind of record.
REFUSED: Any = object()


@dataclass(slots=True)
class Compared:
    """The changes, the outcome per item, and, by name, what would be deleted if missing items are deleted."""

    changes: list[Change] = field(default_factory=list)
    register: CampaignImportReport = field(default_factory=lambda: CampaignImportReport(Report("Markdown vault")))
    deletes: list[tuple[str, Delete]] = field(default_factory=list)

    def missing(self, name: str, delete: Delete | None) -> None:
        self.register.missing.append(name)
        if delete is not None:
            self.deletes.append((name, delete))


@dataclass(frozen=True, slots=True)
class Comparing:
    """`taken`: ids in use outside of the campaign. `wins`: the vault overwrites later changes made here."""

    world: VaultWorld
    now: datetime
    new_id: Callable[[], str]
    taken: frozenset[str] = frozenset()
    wins: bool = False


class VaultMerge:
    def __init__(self, pages: Sequence[VaultPage], how: Comparing, notes: Notes, exported: datetime | None) -> None:
        world = how.world
        records = (world.chapters, world.sessions, world.entities, world.ties, world.memories)
        self.pages, self.how, self.world, self.notes = pages, how, world, notes
        self.exported = exported
        self.out = Compared()
        self.by_id: dict[str, Any] = {each.id: each for some in records for each in some}
        self.seen: set[str] = set()
        self.stems = stems_of(world)

    def amend(self, kind: type[Any], id: str, fields: dict[str, Any], name: str) -> None:
        self.out.register.changed.append(name)
        self.out.changes.append(Amend(kind, id, {**fields, "updated_at": self.how.now}))

    def same(self, record: Any) -> Any:
        self.out.register.same += 1
        return record

    def own(self, page: VaultPage, kind: type[Any]) -> Any:
        """The record of a page, None for a new one, or `REFUSED`."""
        id = text_in(page.front, "id")
        if id in self.seen:
            self.notes.dropped.add(
                f"{page.path} has the id of another page. Remove its line `id` to make it a new one."
            )
            return REFUSED
        before = self.by_id.get(id)
        if before is not None and not isinstance(before, kind):
            self.notes.dropped.add(f"{page.path} has the id of something else. Remove its line `id`.")
            return REFUSED
        if id:
            self.seen.add(id)
        return before

    def new_id(self, given: str) -> str:
        """The page's id if it is free, so that ids survive an import into another workspace."""
        is_free = 0 < len(given) <= 128 and given not in self.how.taken
        return given if is_free else self.how.new_id()

    def fits(self, page: VaultPage, text: str, most: int) -> bool:
        if 0 <= len(text) <= most:
            return True
        self.notes.dropped.add(f"{page.path}: {shown(text)} has {len(text):,} characters; the most is {most:,}.")
        return False

    def is_left(self, changed: datetime) -> bool:
        return self.is_later(changed) and not self.how.wins

    def is_later(self, at: datetime) -> bool:
        return self.exported is not None and at > self.exported


def kind_of(page: VaultPage) -> str:
    """The kind of a page, by its properties or by its folder."""
    given = text_in(page.front, "everlore")
    by_folder = {SESSIONS.casefold(): "session", CHAPTERS.casefold(): "chapter"}
    return given or by_folder.get(page.folder.casefold(), "entity")


def is_read(page: VaultPage) -> bool:
    """Whether it is a campaign page: a page in the root folder without properties is the user's own note."""
    return bool(page.front) or bool(page.folder)


def above(body: str, mark: str) -> str:
    """The text above a marker. The last marker counts, because the text may mention it."""
    above, found, below = body.rpartition(mark)
    return (above if found else below).strip()


def number_in(page: VaultPage) -> int:
    number = page.front.get("number")
    return number if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= 10**6 else 0


def time_in(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
