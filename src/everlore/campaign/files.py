"""Everything imported into or exported from a campaign as a file (G10, G12): logs, lorebooks, vaults, whole campaigns.

Start at `CampaignFiles`.
"""

import asyncio
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from everlore.campaign.campaign_files import CampaignArrival, export_campaign, import_campaign
from everlore.campaign.campaigns import Campaigns
from everlore.campaign.import_report import CampaignImportReport
from everlore.campaign.log_import import BroughtLog, LogFile, bring_log
from everlore.campaign.lore import LoreFile, export_lore, import_lore
from everlore.campaign.notes_import import NotesFile, import_notes
from everlore.campaign.vaults import VaultFiles, export_vault, import_vault
from everlore.domain.scope import Scope
from everlore.interchange.campaignfile import Format
from everlore.interchange.lorebooks import WrittenForm
from everlore.interchange.vaultfiles import read_folder, read_zip, write_folder, write_zip
from everlore.turn.resources import Resources

Vault = Mapping[str, bytes] | bytes | Path


class CampaignFiles:
    """Campaigns are given by id, or by name if the name is unique. `player` limits the view to a player's: an id, or ""
    for what all players may see."""

    def __init__(self, scope: Scope, resources: Resources) -> None:
        self._scope = scope
        self._resources = resources
        self._campaigns = Campaigns(scope, resources)

    # ── logs ─────────────────────────────────────────────────────────────────────────────────────

    async def bring_log(
        self,
        campaign: str,
        data: bytes | str,
        *,
        filename: str = "",
        name: str = "",
        chapter: str | None = None,
        day: date | None = None,
        read_only: bool = False,
        gm_only: bool = False,
        force: bool = False,
    ) -> BroughtLog:
        """Import a finished log as a session: a transcript, a pasted chat, notes, or a SillyTavern chat."""
        how = LogFile(filename=filename, name=name, chapter=chapter, day=day, read_only=read_only, gm_only=gm_only)
        return await bring_log(self._resources, self._scope, await self._id(campaign), data, how, force=force)

    async def import_notes(
        self, campaign: str, data: bytes, *, filename: str = "", replace: bool = False, dry_run: bool = False
    ) -> CampaignImportReport:
        """Import the game master's own notes: hidden from players, without a session, one for each heading."""
        how = NotesFile(filename=filename, replace=replace, dry_run=dry_run)
        return await import_notes(self._resources, self._scope, await self._id(campaign), data, how)

    # ── whole campaigns ──────────────────────────────────────────────────────────────────────────

    async def export(self, campaign: str, *, format: Format = "jsonl") -> bytes:
        """Export the campaign with everything it refers to, for `import_`. Owner only."""
        return await export_campaign(self._resources, self._scope, await self._id(campaign), format=format)

    async def import_(self, data: bytes, *, dry_run: bool = False, replace: bool = False) -> CampaignArrival:
        return await import_campaign(self._resources, self._scope, data, dry_run=dry_run, replace=replace)

    # ── lorebooks ────────────────────────────────────────────────────────────────────────────────

    async def export_lore(self, campaign: str, *, form: WrittenForm = "world_info", player: str | None = None) -> bytes:
        return await export_lore(self._resources, self._scope, await self._id(campaign), form=form, player=player)

    async def import_lore(
        self,
        campaign: str,
        data: bytes,
        *,
        filename: str = "",
        gm_only: bool = False,
        replace: bool = False,
        dry_run: bool = False,
    ) -> CampaignImportReport:
        how = LoreFile(filename=filename, gm_only=gm_only, replace=replace, dry_run=dry_run)
        return await import_lore(self._resources, self._scope, await self._id(campaign), data, how)

    # ── vaults ───────────────────────────────────────────────────────────────────────────────────

    async def export_vault(self, campaign: str, *, player: str | None = None) -> dict[str, bytes]:
        """The vault's pages by path."""
        return await export_vault(self._resources, self._scope, await self._id(campaign), player=player)

    async def export_zip(self, campaign: str, *, player: str | None = None) -> bytes:
        return await asyncio.to_thread(write_zip, await self.export_vault(campaign, player=player))

    async def write_vault(self, campaign: str, folder: Path, *, player: str | None = None, force: bool = False) -> int:
        """Write the vault into a folder; returns the number of pages. A non-empty folder requires `force`."""
        pages = await self.export_vault(campaign, player=player)
        return await asyncio.to_thread(write_folder, folder, pages, force=force)

    async def import_vault(
        self,
        campaign: str,
        vault: Vault,
        *,
        dry_run: bool = False,
        delete_missing: bool = False,
        replace: bool = False,
    ) -> CampaignImportReport:
        """Import a vault from a folder, a zip, or pages by path."""
        if isinstance(vault, Path):
            pages: Mapping[str, bytes] = await asyncio.to_thread(read_folder, vault)
        else:
            pages = await asyncio.to_thread(read_zip, vault) if isinstance(vault, bytes) else vault
        how = VaultFiles(dry_run=dry_run, delete_missing=delete_missing, replace=replace)
        return await import_vault(self._resources, self._scope, await self._id(campaign), pages, how)

    async def _id(self, campaign: str) -> str:
        return (await self._campaigns.get(campaign)).campaign.id
