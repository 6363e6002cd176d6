"""The result of an import into a campaign, item by item (G12)."""

from dataclasses import dataclass, field

from everlore.interchange.report import Report


@dataclass(slots=True)
class CampaignImportReport:
    """Collects the names of new, changed and skipped items; skipped ones were edited here meanwhile. `missing`: items
    not in the file; `deleted`: those of them that were deleted. With `dry_run` nothing was saved."""

    report: Report
    dry_run: bool = False
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    same: int = 0
