"""Compares entity pages, and the relationships on them, with the campaign (G6, G11, G12).

Start at `WorldPages`."""

from dataclasses import replace
from typing import Any, get_args

from everlore.campaign.vault.ground import REFUSED, VaultMerge, above, kind_of
from everlore.campaign.vault.pages import FOLDERS, MADE, OURS, TAGS, TIES, VAULT, one_line, tags_of
from everlore.domain.bounds import Line, Name, Prose
from everlore.domain.campaign import Entity, EntityKind, Relationship
from everlore.domain.visibility import is_marked
from everlore.interchange.report import shown
from everlore.interchange.vault import SPOILER, VaultItem, VaultPage, is_true, items_in, links_in, text_in, texts_in
from everlore.store.port import Put

_MOST_NAME, _MOST_LINE, _MOST_PROSE = (get_args(each)[1].most for each in (Name, Line, Prose))
_KIND_OF = {folder.casefold(): kind for kind, folder in FOLDERS.items()}
_KINDS = ", ".join(EntityKind)


class WorldPages:
    def __init__(self, ground: VaultMerge) -> None:
        self._ground = ground
        # Link targets by all their names: of the page, of the record, and its aliases.
        self._targets = {
            name.casefold(): each.id
            for each in ground.world.entities
            for name in (*each.aliases, each.name, ground.stems.of[each.id])
        }

    def read(self) -> None:
        found = [(page, self._entity(page)) for page in self._ground.pages if kind_of(page) == "entity"]
        known = [(page, entity) for page, entity in found if entity is not None]
        for page, entity in known:
            self._targets |= {each.casefold(): entity.id for each in (*entity.aliases, entity.name, page.stem)}
        for page, entity in known:
            self._ties(page, entity)

    def _entity(self, page: VaultPage) -> Entity | None:
        known = self._ground.own(page, Entity)
        if known is REFUSED:
            return None
        before: Entity | None = known
        name = self._name(page, before)
        about = above(above(page.body, MADE), TIES)
        if not self._ground.fits(page, about, _MOST_PROSE) or not self._ground.fits(page, name, _MOST_NAME):
            return before
        fields: dict[str, Any] = {
            "name": name,
            "kind": self._kind_of(page, before),
            "aliases": texts_in(page.front, "aliases"),
            "description": about,
            "is_spoiler": is_true(page.front, "spoiler"),
            "attributes": _attributes(page, before),
        }
        if before is None:
            return self._made_entity(page, fields)
        if fields["description"] == before.description.strip():
            fields["description"] = before.description
        after = replace(before, **fields)
        return self._kept(before, after, name) if after != before else self._ground.same(before)

    def _made_entity(self, page: VaultPage, fields: dict[str, Any]) -> Entity:
        how, campaign = self._ground.how, self._ground.world.campaign
        made = Entity(
            workspace=campaign.workspace,
            id=self._ground.new_id(text_in(page.front, "id")),
            campaign_id=campaign.id,
            gm_edited=True,
            created_at=how.now,
            updated_at=how.now,
            **fields,
        )
        self._ground.out.register.added.append(made.name)
        self._ground.out.changes.append(Put(made))
        return made

    def _kept(self, before: Entity, after: Entity, name: str) -> Entity:
        if self._ground.is_left(before.updated_at):
            self._ground.out.register.left.append(before.name)
            return before
        edited = replace(after, gm_edited=True, updated_at=self._ground.how.now)
        self._ground.out.register.changed.append(name if name == before.name else f"{before.name}, now {name}")
        self._ground.out.changes.append(Put(edited))
        return edited

    def _name(self, page: VaultPage, before: Entity | None) -> str:
        """The property if it was changed, else the file name if the file was renamed."""
        given = text_in(page.front, "name")
        if before is None:
            return given or page.stem
        if given and given != before.name:
            return given
        return before.name if page.stem == self._ground.stems.of.get(before.id) else page.stem

    def _kind_of(self, page: VaultPage, before: Entity | None) -> EntityKind:
        given = (text_in(page.front, "kind") or text_in(page.front, "type")).casefold()
        if given in set(EntityKind):
            return EntityKind(given)
        if given:
            self._ground.notes.warnings.add(
                f"{page.path} is of kind {shown(given)}, which is not known. Possible: {_KINDS}."
            )
        known = before.kind if before is not None else EntityKind.OTHER
        return known if before is not None else _KIND_OF.get(page.folder.casefold(), known)

    # ── relationships ────────────────────────────────────────────────────────────────────────────

    def _ties(self, page: VaultPage, entity: Entity) -> None:
        _, found, below = above(page.body, MADE).rpartition(TIES)
        for item in items_in(below)[0] if found else []:
            self._tie(page, entity, item)

    def _tie(self, page: VaultPage, entity: Entity, item: VaultItem) -> None:
        hidden = item.spoiler or SPOILER in item.text
        item = VaultItem(item.section, one_line(item.text.replace(SPOILER, "")).replace("]] :", "]]:"), item.id, hidden)
        links = links_in(item.text)
        target = self._targets.get(links[0].casefold()) if links else None
        kind, _, rest = item.text.partition("[[")
        evidence = rest.partition("]]")[2].lstrip(": ").strip()
        if target is None or not kind.strip() or len(kind) > _MOST_LINE or len(evidence) > _MOST_PROSE:
            if item.id in self._ground.by_id:
                self._ground.seen.add(item.id)
            self._ground.notes.dropped.add(
                f"{page.path}: {shown(item.text)} is no tie to a page that is there. Write `- type [[Page]]: why`."
            )
            return
        before = self._ground.by_id.get(item.id)
        if not isinstance(before, Relationship) or item.id in self._ground.seen:
            self._made_tie(entity, target, kind.strip(), evidence, item)
            return
        self._ground.seen.add(before.id)
        said = (before.source_id, before.target_id, one_line(before.type), one_line(before.evidence), is_marked(before))
        if said == (entity.id, target, kind.strip(), evidence, item.spoiler):
            self._ground.same(before)
            return
        told = before.evidence if one_line(before.evidence) == evidence else evidence
        edited = replace(before, source_id=entity.id, target_id=target, type=kind.strip(), evidence=told)
        self._ground.out.register.changed.append(f"{entity.name} {kind.strip()}")
        self._ground.out.changes.append(Put(replace(edited, is_spoiler=item.spoiler, gm_edited=True)))

    def _made_tie(self, entity: Entity, target: str, kind: str, evidence: str, item: VaultItem) -> None:
        made = Relationship(
            workspace=entity.workspace,
            id=self._ground.how.new_id(),
            campaign_id=self._ground.world.campaign.id,
            source_id=entity.id,
            target_id=target,
            type=kind,
            evidence=evidence,
            is_spoiler=item.spoiler,
            gm_edited=True,
            created_at=self._ground.how.now,
        )
        self._ground.out.register.added.append(f"{entity.name} {kind}")
        self._ground.out.changes.append(Put(made))


def _attributes(page: VaultPage, before: Entity | None) -> dict[str, Any]:
    known = dict(before.attributes) if before is not None else {}
    added = {name: value for name, value in page.front.items() if name not in OURS}
    tags = list(texts_in(page.front, "tags"))
    if tags != (tags_of(before) if before is not None else []):
        known[TAGS] = tags
    if added != known.get(VAULT, {}):
        known[VAULT] = added
    return known
