"""The result of an import into a campaign, item by item (G12)."""

from dataclasses import dataclass, field

from everlore.interchange.report import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignImportReport:
    """The names of new, changed and skipped items; skipped ones were edited here meanwhile. `missing`: items not in the
    file; `deleted`: those of them that were deleted. With `dry_run` nothing was saved."""

    report: Report
    dry_run: bool = False
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    same: int = 0


@dataclass(slots=True)
class CampaignImportRecorder:
    """Collects a `CampaignImportReport`."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    same: int = 0

    def arrival(self, report: Report, *, dry_run: bool) -> CampaignImportReport:
        return CampaignImportReport(
            report=report,
            dry_run=dry_run,
            added=tuple(self.added),
            changed=tuple(self.changed),
            left=tuple(self.left),
            missing=tuple(self.missing),
            deleted=tuple(self.deleted),
            same=self.same,
        )
