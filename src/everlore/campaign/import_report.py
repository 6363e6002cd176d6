"""What became of a file that was brought to a campaign: told thing by thing, so that nobody is surprised (G12)."""

from dataclasses import dataclass, field

from everlore.interchange.report import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignImportReport:
    """The names of what is new, what was changed, and what was left as it is, for it was edited here meanwhile;
    `missing`: what is here and not in the file, and `deleted` those of them that were deleted. With `dry_run` all of it
    is what would be."""

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
    """Collects an `CampaignImportReport`."""

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
