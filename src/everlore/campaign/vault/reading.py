"""Compares an edited vault with the campaign and returns the changes, page by page (G11, G12). Pure.

A record is identified by its id, even if its page was renamed; a page without an id is new. Records changed here since
the export stay as they are, unless the vault is to win. Nothing is deleted here: missing records are only listed. Start
at `compared`.
"""

from collections.abc import Sequence
from typing import Any, get_args

from everlore.campaign.vault.ground import Compared, Comparing, VaultMerge, above, kind_of, time_in
from everlore.campaign.vault.pages import MADE
from everlore.campaign.vault.play import PlayPages
from everlore.campaign.vault.world import WorldPages
from everlore.domain.bounds import Name, Prose
from everlore.domain.campaign import Campaign, Chapter, Entity, Relationship, Session
from everlore.domain.memory import Memory
from everlore.errors import BadAsk
from everlore.interchange.report import Notes, shown
from everlore.interchange.vault import VaultPage, text_in
from everlore.store.port import Delete

_MOST_NAME, _MOST_PROSE = (get_args(each)[1].most for each in (Name, Prose))


def compared(pages: Sequence[VaultPage], how: Comparing, notes: Notes) -> Compared:
    campaigns = [each for each in pages if kind_of(each) == "campaign"]
    if any(text_in(each.front, "view") for each in campaigns):
        raise BadAsk("This vault was made for players: it lacks what they must not know. Import the game master's.")
    exported = time_in(text_in(campaigns[0].front, "exported")) if campaigns else None
    ground = VaultMerge(pages, how, notes, exported)
    for page in campaigns:
        _campaign(page, ground)
    WorldPages(ground).read()
    PlayPages(ground).read()
    _missing(ground)
    return ground.out


def _campaign(page: VaultPage, ground: VaultMerge) -> None:
    campaign = ground.world.campaign
    if text_in(page.front, "id") != campaign.id:
        ground.notes.warnings.add(f"{page.path} is of another campaign; its name and premise were not read.")
        return
    fields: dict[str, Any] = {}
    premise = above(page.body, MADE)
    if premise != campaign.premise.strip() and ground.fits(page, premise, _MOST_PROSE):
        fields["premise"] = premise
    name = text_in(page.front, "name")
    if name and name != campaign.name and ground.fits(page, name, _MOST_NAME):
        fields["name"] = name
    if fields:
        ground.amend(Campaign, campaign.id, fields, name or campaign.name)


def _missing(ground: VaultMerge) -> None:
    """Lists records without a page, and memories and relationships missing from their page."""
    out, world, seen = ground.out, ground.world, ground.seen
    records: list[Chapter | Session | Entity] = [*world.chapters, *world.sessions, *world.entities]
    for record in records:
        if record.id not in seen and not ground.is_later(record.created_at):
            # Sessions and chapters are never deleted by an import, because a log would be lost with them.
            delete = Delete(Entity, record.id) if isinstance(record, Entity) else None
            out.missing(record.name or ground.stems.of[record.id], delete)
    has_canon = any(kind_of(page) == "canon" for page in ground.pages)
    for memory in world.memories:
        place = memory.session_id or memory.chapter_id
        has_page = place in seen if place else has_canon
        if has_page and memory.id not in seen and not ground.is_later(memory.created_at):
            out.missing(shown(memory.content), Delete(Memory, memory.id))
    for tie in world.ties:
        has_page = tie.source_id in seen and tie.target_id in seen
        if has_page and tie.id not in seen and not ground.is_later(tie.created_at):
            out.missing(f"{ground.stems.of[tie.source_id]} {tie.type}", Delete(Relationship, tie.id))
