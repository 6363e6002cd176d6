"""Compares chapter, session and canon pages, and the memories on them, with the campaign (G1, G11, G12).

Start at `PlayPages`."""

from typing import Any, get_args

from everlore.campaign.vault.ground import REFUSED, VaultMerge, above, kind_of, number_in, time_in
from everlore.campaign.vault.pages import MADE, TITLES
from everlore.domain.bounds import Statement
from everlore.domain.campaign import Chapter, Session
from everlore.domain.memory import Memory, MemoryType, Origin
from everlore.domain.revision import Why, revise
from everlore.interchange.report import shown
from everlore.interchange.vault import VaultItem, VaultPage, items_in, links_in, text_in, texts_in
from everlore.store.port import Put

_MOST_STATEMENT: int = get_args(Statement)[1].most
# Headings as we write them, and as people would.
_TYPE_OF = {name: kind for kind, title in TITLES.items() for name in (f"{title}s".casefold(), kind.value.lower())}
_TYPE_OF |= {title.casefold(): kind for kind, title in TITLES.items()}
_BY = "gm"
_NOTE = "edited in a vault"


class PlayPages:
    def __init__(self, ground: VaultMerge) -> None:
        self._ground = ground
        self._chapters: dict[str, str] = {}

    def read(self) -> None:
        for kind, read in (("chapter", self._chapter), ("session", self._session), ("canon", self._canon)):
            for page in self._ground.pages:
                if kind_of(page) == kind:
                    read(page)

    def _canon(self, page: VaultPage) -> None:
        self._memories(page, None, None)

    def _chapter(self, page: VaultPage) -> None:
        before = self._ground.own(page, Chapter)
        if before is REFUSED:
            return
        name = text_in(page.front, "name") or page.stem
        goals = texts_in(page.front, "goals")
        chapter = before or self._made_chapter(page, name, goals)
        if before is not None and (before.name, before.goals) != (name, goals):
            self._ground.amend(Chapter, before.id, {"name": name, "goals": goals}, name)
        elif before is not None:
            self._ground.same(before)
        self._chapters[page.stem.casefold()] = chapter.id
        self._memories(page, None, chapter.id)

    def _made_chapter(self, page: VaultPage, name: str, goals: tuple[str, ...]) -> Chapter:
        numbers = [each.number for each in self._ground.world.chapters]
        made = Chapter(
            workspace=self._ground.world.campaign.workspace,
            id=self._ground.new_id(text_in(page.front, "id")),
            campaign_id=self._ground.world.campaign.id,
            number=number_in(page) or max(numbers, default=0) + 1,
            name=name,
            goals=goals,
            created_at=self._ground.how.now,
            updated_at=self._ground.how.now,
        )
        self._ground.out.register.added.append(name)
        self._ground.out.changes.append(Put(made))
        return made

    def _session(self, page: VaultPage) -> None:
        before = self._ground.own(page, Session)
        if before is REFUSED:
            return
        name = text_in(page.front, "name")
        links = links_in(text_in(page.front, "chapter"))
        chapter = self._chapters.get(links[0].casefold()) if links else None
        session = before or self._made_session(page, name or page.stem, chapter)
        if before is not None and (before.name, before.chapter_id) != (name, chapter):
            self._ground.amend(Session, before.id, {"name": name, "chapter_id": chapter}, name or page.stem)
        elif before is not None:
            self._ground.same(before)
        self._memories(page, session.id, None)

    def _made_session(self, page: VaultPage, name: str, chapter: str | None) -> Session:
        began = time_in(text_in(page.front, "started")) or time_in(text_in(page.front, "date")) or self._ground.how.now
        made = Session(
            workspace=self._ground.world.campaign.workspace,
            id=self._ground.new_id(text_in(page.front, "id")),
            campaign_id=self._ground.world.campaign.id,
            chapter_id=chapter,
            number=number_in(page) or max((each.number for each in self._ground.world.sessions), default=0) + 1,
            name=name,
            started_at=began,
            ended_at=time_in(text_in(page.front, "ended")) or began,
            created_at=self._ground.how.now,
            updated_at=self._ground.how.now,
        )
        self._ground.out.register.added.append(name)
        self._ground.out.changes.append(Put(made))
        return made

    # ── memories ─────────────────────────────────────────────────────────────────────────────────

    def _memories(self, page: VaultPage, session: str | None, chapter: str | None) -> None:
        items, outside = items_in(above(page.body, MADE))
        if outside:
            # Text outside a list is a single memory.
            items.append(VaultItem(TITLES[MemoryType.SUMMARY if session else MemoryType.NOTE], outside))
        for item in items:
            if self._ground.fits(page, item.text, _MOST_STATEMENT):
                self._memory(page, item, session, chapter)
            elif item.id in self._ground.by_id:
                self._ground.seen.add(item.id)

    def _memory(self, page: VaultPage, item: VaultItem, session: str | None, chapter: str | None) -> None:
        before = self._ground.by_id.get(item.id)
        if not isinstance(before, Memory) or item.id in self._ground.seen:
            self._made_memory(item, self._type_of(page, item, MemoryType.NOTE), session, chapter)
            return
        self._ground.seen.add(before.id)
        fields: dict[str, Any] = {"type": self._type_of(page, item, before.type), "is_spoiler": item.spoiler}
        fields["content"] = before.content if item.text == before.content.strip() else item.text
        if before.session_id != session or (session is None and before.chapter_id != chapter):
            fields |= {"session_id": session, "chapter_id": chapter}
        if all(getattr(before, name) == value for name, value in fields.items()):
            self._ground.same(before)
        elif self._ground.is_left(before.updated_at):
            self._ground.out.register.left.append(shown(before.content))
        else:
            edited = revise(before, self._ground.how.now, edited_by_person=True, **fields)
            self._ground.out.register.changed.append(shown(item.text))
            self._ground.out.changes.append(Put(edited, by=_BY, why=Why.EDIT, note=_NOTE))

    def _made_memory(self, item: VaultItem, kind: MemoryType, session: str | None, chapter: str | None) -> None:
        how, campaign = self._ground.how, self._ground.world.campaign
        made = Memory(
            workspace=campaign.workspace,
            id=how.new_id(),
            content=item.text,
            type=kind,
            is_spoiler=item.spoiler,
            origin=Origin.GM,
            campaign_id=campaign.id,
            session_id=session,
            chapter_id=chapter,
            created_at=how.now,
            updated_at=how.now,
        )
        self._ground.out.register.added.append(shown(item.text))
        self._ground.out.changes.append(Put(made, by=_BY))

    def _type_of(self, page: VaultPage, item: VaultItem, known: MemoryType) -> MemoryType:
        found = _TYPE_OF.get(item.section.casefold())
        if found is None and item.section:
            self._ground.notes.warnings.add(
                f"{page.path}: {shown(item.section)} is no kind of memory; what is there is a {known.value.lower()}."
            )
        return found or known
