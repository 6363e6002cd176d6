"""The context package: what an external agent should know before it answers, as deep as its caller may look (C4, C6,
C8).

Fetch, decide, render; nothing is written, and no model but the embedder is called. Every list is fetched with a limit:
a large workspace costs no more than a small one.

Start at `context_of`.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from everlore.capture.redaction import for_guests
from everlore.compose.package import (
    BUDGET,
    LEAST_BUDGET,
    MOST_BUDGET,
    ContextPackage,
    PackageMemory,
    PackagePersona,
    ToolUse,
    text_of,
)
from everlore.compose.patterns import patterns_of, topics_of
from everlore.compose.values.people import filler
from everlore.domain.conversation import Author, Conversation, Message
from everlore.domain.covering import cover
from everlore.domain.display import display
from everlore.domain.event import Event, EventState, EventType
from everlore.domain.memory import Memory, Status, short_form
from everlore.domain.outline import one_line
from everlore.domain.passage import PassageKind, passage_of
from everlore.domain.person import USER_ID, Person, PersonKind, public_side
from everlore.domain.policy import Visibility, context_depth, tools_shown, trust_of, visibility
from everlore.domain.recalled import Recalled
from everlore.domain.records import persons_of
from everlore.domain.scope import NOBODY, Scope
from everlore.domain.visibility import DESK, Viewer, may_see, place_of, present_at
from everlore.errors import BadAsk
from everlore.recall.answer import RecallAnswer
from everlore.recall.pipeline import recall
from everlore.recall.question import RecallQuery
from everlore.recall.recipes import CONTEXT_PACKAGE
from everlore.recall.tellable import other_users
from everlore.store.answers import Coverage
from everlore.turn.older_history import latest_summaries
from everlore.turn.ownership import conversation_of, refuse_other
from everlore.turn.resources import Resources, reading_of
from everlore.turn.tool_results import recent_uses, uses_of
from everlore.turn.viewers import seen_among, viewer_of

_WEEK = timedelta(days=7)
# Without a conversation, tool calls of this period are included.
_RECENT = timedelta(days=3)
_MOST_COUNTED = 500
_MOST_TASKS = 10
_MOST_TOPICS = 8
_MOST_TITLES = 8
_FALLBACK_POOL = 100
# The same may have been told to this many characters, so this many times as many hits are fetched.
_TOLD_TO = 4
_WEIGHTY = (8, 9, 10)
_COVERED = 0.95
_FOCUS_CHARS = 160
_SUMMARY_CHARS = 20_000
_TASK_CHARS = 300
# The least score for memories that share no word with the question, and how many weaker ones are included.
_CLOSE = 0.5
_FEW = 5
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest:
    """`person_id`: from whose point of view; `trust_level` if the caller has one of its own."""

    query: str = ""
    conversation_id: str | None = None
    person_id: str | None = None
    budget_tokens: int = BUDGET
    include: frozenset[PassageKind] = CONTEXT_PACKAGE.kinds
    trust_level: str = ""


async def context_of(resources: Resources, scope: Scope, wanted: ContextRequest) -> ContextPackage:
    if not LEAST_BUDGET <= wanted.budget_tokens <= MOST_BUDGET:
        raise BadAsk(f"budget_tokens is {wanted.budget_tokens}; give one from {LEAST_BUDGET} to {MOST_BUDGET}.")
    gathering = await _gathering(resources, scope, wanted)
    package = await gathering.package()
    text = text_of(package, now=resources.clock(), budget_tokens=wanted.budget_tokens, cost=resources.tokenizer.count)
    return replace(package, text=text)


async def _gathering(resources: Resources, scope: Scope, wanted: ContextRequest) -> "_Gathering":
    """Checks that the named records exist and that the caller may name them."""
    conversation = None
    if wanted.conversation_id is not None:
        conversation = await conversation_of(resources.store, scope, wanted.conversation_id)
    if wanted.person_id is not None:
        refuse_other(scope, wanted.person_id)
        await resources.store.get(scope, Person, wanted.person_id)
    viewer = await viewer_of(resources.store, scope, as_person=wanted.person_id, conversation=conversation)
    depth = context_depth(scope.mode, scope.role)
    others = frozenset[str]()
    if viewer.sees_all:
        user_id = conversation.user_id if conversation is not None else None
        others = await other_users(scope, resources.store, user_id or scope.person_id or USER_ID)
    return _Gathering(resources, scope, wanted, conversation, visibility(scope.role), depth, viewer, others)


@dataclass(frozen=True, slots=True)
class _Gathering:
    resources: Resources
    scope: Scope
    wanted: ContextRequest
    conversation: Conversation | None
    seen: Visibility
    depth: int
    viewer: Viewer
    # Other users: the owner may read their data, but must not get it unlabelled, as if it were the owner's own.
    others: frozenset[str]

    async def package(self) -> ContextPackage:
        memories, persona, focus, summary = await asyncio.gather(
            self._memories(), self._persona(), self._focus(), self._summary()
        )
        tasks, tools, (topics, patterns), name = await asyncio.gather(
            self._tasks(), self._tools(), self._habits(), self._user_name()
        )
        return ContextPackage(
            query=self.wanted.query,
            mode=self.scope.mode,
            role=self.scope.role,
            trust_level=self.wanted.trust_level or trust_of(self.scope.role),
            user_name=name,
            depth=self.depth,
            memories=memories.items,
            persona=persona,
            current_focus=focus or (topics[0] if topics else None),
            active_tasks=tasks,
            recent_topics=topics,
            patterns=patterns,
            index_status=memories.index_status,
            fallback_used=memories.fallback_used,
            recent_tools=tools,
            conversation_summary=summary,
        )

    def _clean(self, text: str) -> str:
        return for_guests(text) if self.seen.redacted else text

    def _id(self, id: str) -> str:
        return "" if self.seen.redacted else id

    @property
    def _is_nobody(self) -> bool:
        """Unknown callers have no part of the workspace at all."""
        return self.scope.confined_to == NOBODY

    # ── memories ──

    async def _memories(self) -> "_Memories":
        if self._is_nobody:
            return _Memories((), "available" if self.resources.embedder else "missing", False)
        answer = await self._recalled()
        # Hidden memories are hidden from prompts, and this goes into one.
        hits: Sequence[Recalled] = [each for each in answer.hits if not _is_hidden(each)] if answer is not None else ()
        # Weak matches are better than nothing, but no answer: the reader must be told.
        to_the_point = [each for each in hits if _bears_on_it(each)]
        is_fallback = all(each.is_doubtful for each in to_the_point)
        hits = to_the_point or hits[:_FEW] or await self._fallback()
        items = tuple(self._remembered(each) for each in said_once(hits)[: self.depth])
        return _Memories(items, _index_status(self.resources, answer), is_fallback and bool(items))

    async def _recalled(self) -> RecallAnswer | None:
        if not self.wanted.query.strip():
            return None
        kinds = self.wanted.include if self.seen.summaries else self.wanted.include - {PassageKind.SUMMARY}
        question = RecallQuery(
            text=self.wanted.query,
            viewer=self.viewer,
            without=self.others,
            recipe=CONTEXT_PACKAGE,
            kinds=kinds,
            limit=self.depth * _TOLD_TO,
        )
        return (await recall(self.scope, question, reading_of(self.resources))).answer()

    @property
    def _knower_id(self) -> str | None:
        return self.scope.confined_to or self.wanted.person_id

    async def _fallback(self) -> list[Recalled]:
        """The most important memories, then the latest: better than nothing, and marked."""
        store = self.resources.store
        if self._knower_id is not None:
            pages = [await store.known(self.scope, self._knower_id, limit=_FALLBACK_POOL)]
        else:
            active = {"status": Status.ACTIVE.value}
            pages = [
                await store.find(self.scope, Memory, active | more, limit=_FALLBACK_POOL, newest_first=True)
                for more in ({"importance": _WEIGHTY}, {})
            ]
        there = [each for page in pages for each in page.items if self.others.isdisjoint(each.persons)]
        found = {each.id: each for each in await seen_among(store, self.scope, self.viewer, there)}
        best = sorted(found.values(), key=lambda each: (-each.importance, -each.created_at.timestamp()))
        why = "Nothing matches the question; this is one of the most important memories"
        return [Recalled(record=each, why=why) for each in best]

    def _remembered(self, recalled: Recalled) -> PackageMemory:
        passage = passage_of(recalled.record)
        assert passage is not None, "only what is searched comes back"
        memory = recalled.record if isinstance(recalled.record, Memory) else None
        return PackageMemory(
            id=self._id(passage.ref),
            kind=passage.kind.value,
            type=passage.type,
            content=self._clean(passage.text),
            at=recalled.at or passage.at,
            importance=memory.importance if memory else None,
            score=recalled.score,
            why="" if self.seen.redacted else recalled.why,
            summary=self._clean(short_form(memory)) if memory else "",
        )

    # ── who ──

    async def _persona(self) -> PackagePersona | None:
        """The character of the conversation, or the one who was named."""
        ids = [self.wanted.person_id, *(self.conversation.system_ids if self.conversation else ())]
        found = await self.resources.store.get_many(self.scope, Person, [id for id in ids if id is not None])
        character = next((each for each in found if each.kind is not PersonKind.USER), None)
        if character is None:
            return None
        side = public_side(character) if self.seen.redacted else character
        fill = filler(side, None)
        text = (side.description, side.personality)
        description, personality = (self._clean(fill(each)) for each in text)
        return PackagePersona(side.name, description, personality)

    async def _user_name(self) -> str:
        id = self.scope.person_id or (self.conversation.user_id if self.conversation else None)
        found = await self.resources.store.get_many(self.scope, Person, [id]) if id is not None else []
        return found[0].name if found else ""

    # ── activity ──

    async def _focus(self) -> str | None:
        """What the conversation is about now: its title, or what its user said last."""
        if self.conversation is None:
            return None
        if self.conversation.title:
            return self._clean(one_line(self.conversation.title, _FOCUS_CHARS))
        where = {"conversation_id": self.conversation.id, "author": Author.USER.value, "hidden": False}
        page = await self.resources.store.find(self.scope, Message, where, limit=1, newest_first=True)
        said = [display(each.content).text for each in page.items if self._was_there(each)]
        return self._clean(one_line(said[0], _FOCUS_CHARS)) if said and said[0].strip() else None

    def _was_there(self, message: Message) -> bool:
        """Whether the person of this package heard the message."""
        return self._knower_id is None or self._knower_id in present_at(message, [self._knower_id])

    async def _tasks(self) -> tuple[str, ...]:
        if self._is_nobody:
            return ()
        where: dict[str, object] = {"type": EventType.TASK.value, "state": EventState.IN_PROGRESS.value}
        if self.scope.confined_to is not None:
            where["user_id"] = self.scope.confined_to
        page = await self.resources.store.find(
            self.scope, Event, where, limit=self._enough(_MOST_TASKS), newest_first=True
        )
        theirs = [each for each in page.items if self._is_theirs(each)][:_MOST_TASKS]
        return tuple(self._clean(one_line(each.content, _TASK_CHARS)) for each in theirs)

    def _enough(self, most: int) -> int:
        """How many events to fetch: more than are needed if they are filtered by person."""
        is_picked = self._knower_id != self.scope.confined_to or bool(self.others)
        return _MOST_COUNTED if is_picked else most

    def _is_theirs(self, event: Event) -> bool:
        """Whether the person of this package may see the event and had a part in it."""
        persons = (event.user_id, *persons_of(event))
        had_part = self._knower_id in persons if self._knower_id is not None else self.others.isdisjoint(persons)
        return had_part and may_see(self.viewer, event, DESK)

    async def _tools(self) -> tuple[ToolUse, ...]:
        """The latest tool calls, in the order of time."""
        if self._is_nobody:
            return ()
        if self.conversation is not None:
            return await recent_uses(self.resources.store, self.scope, self.conversation.id)
        most = tools_shown(self.depth)
        return uses_of(await self._lately(_RECENT, most, EventType.TOOL_INVOCATION) if most else (), self.seen)

    async def _summary(self) -> str | None:
        """The summary of the older part of the conversation, for those who were present for it (C7)."""
        if self.conversation is None or not self.seen.summaries:
            return None
        found = await latest_summaries(self.resources.store, self.scope, self.conversation.id)
        place = place_of(self.conversation)
        theirs = [each for each in found if may_see(self.viewer, each, place)]
        parts = cover(theirs, 1, max(self.conversation.message_count, 1))
        text = " ".join(each.content for each in parts)
        return one_line(text, _SUMMARY_CHARS) or None

    async def _habits(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Recent topics, and patterns in them."""
        if self._is_nobody:
            return (), ()
        titles, tools, events = await asyncio.gather(
            self._titles(),
            self._lately(_WEEK, _MOST_COUNTED, EventType.TOOL_INVOCATION),
            self._lately(_WEEK, _MOST_COUNTED),
        )
        topics = topics_of(titles, events, most=_MOST_TOPICS)
        patterns = patterns_of(tools, events, most=_MOST_COUNTED)
        return tuple(map(self._clean, topics)), tuple(map(self._clean, patterns))

    async def _titles(self) -> list[str]:
        """Of the person's latest conversations; inner dialogues and private ones are left out."""
        where: dict[str, object] = {"inner_of_id": None}
        if self.scope.confined_to is not None:
            where["user_id"] = self.scope.confined_to
        limit = self._enough(_MOST_TITLES)
        page = await self.resources.store.find(self.scope, Conversation, where, limit=limit, newest_first=True)
        me = self._knower_id
        own = [each for each in page.items if each.user_id not in self.others]
        theirs = [each for each in own if me is None or me in (each.user_id, *each.system_ids)]
        return [each.title for each in theirs[:_MOST_TITLES] if each.title and not each.private]

    async def _lately(self, span: timedelta, most: int, *types: EventType) -> tuple[Event, ...]:
        """Latest first; for callers who see only a part of the workspace, events in which they took part."""
        page = await self.resources.store.timeline(
            self.scope,
            person_id=self.scope.confined_to or self.wanted.person_id,
            since=self.resources.clock() - span,
            types=frozenset(each.value for each in types),
            limit=most,
        )
        own = (each for each in page.items if self.others.isdisjoint((each.user_id, *persons_of(each))))
        return tuple(each for each in own if may_see(self.viewer, each, DESK))


@dataclass(frozen=True, slots=True)
class _Memories:
    items: tuple[PackageMemory, ...]
    index_status: str
    fallback_used: bool


def said_once(recalled: Sequence[Recalled]) -> list[Recalled]:
    """Each statement once, at its best rank: if somebody told it to three characters, a caller who sees everything gets
    it once only. Statements are the same if they have the same words in the same order."""
    found: dict[tuple[str, ...], Recalled] = {}
    for each in recalled:
        passage = passage_of(each.record)
        words = tuple(_WORD.findall(passage.text.casefold())) if passage is not None else ()
        found.setdefault(words or (each.record.id,), each)
    return list(found.values())


def _is_hidden(recalled: Recalled) -> bool:
    return isinstance(recalled.record, Message) and recalled.record.hidden


def _bears_on_it(recalled: Recalled) -> bool:
    """It has words of the question, or examples of them, or is similar in meaning: among hundreds of memories some are
    always a little similar to any question."""
    return "text" in recalled.parts or recalled.score >= _CLOSE


def _index_status(resources: Resources, answer: RecallAnswer | None) -> str:
    if resources.embedder is None:
        return "missing"
    coverage = answer.coverage if answer is not None else Coverage(0, 0)
    if coverage.passages and not coverage.embedded:
        return "missing"
    # Every hit has a vector, and none was compared: so the question has none.
    if answer is not None and answer.hits and coverage.share == 1 and not any("vector" in hit.parts for hit in answer):
        return "error"
    return "available" if coverage.share >= _COVERED else "partial"
