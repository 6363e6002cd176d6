"""Fetches everything that a prompt needs, once: recalled memories, the conversation so far, the campaign, the lore.

Only what the template uses is fetched; the wording of the prompt is decided elsewhere. Start at `gather`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from everlore.compose.context import Canon, Context, Note
from everlore.compose.drawing import variables_wanted
from everlore.compose.inherit import ResolvedTemplate
from everlore.compose.lore import Fired, fire
from everlore.compose.memories import memory_ids_in
from everlore.compose.package import standing, tool_lines
from everlore.compose.talk import seen_by
from everlore.domain.campaign import Campaign, Entity
from everlore.domain.config import config_of
from everlore.domain.conversation import Author, Message, Summary
from everlore.domain.covering import cover
from everlore.domain.echo import STEERING, THRESHOLD, is_echoing, mean_overlap
from everlore.domain.interaction import Interaction
from everlore.domain.memory import Memory, MemoryType, Origin, Status
from everlore.domain.policy import context_depth, is_guest, trust_of, writes_all
from everlore.domain.recalled import LeftOut, Recalled
from everlore.domain.tokens import without_told
from everlore.domain.visibility import Viewer, aloud, caller_in, is_spoiler, may_see, runs_the_game, speaker_in
from everlore.learning.confirmation import question_of, to_ask
from everlore.learning.fact_jobs import MessageSource, facts_of
from everlore.recall.question import RecallQuery
from everlore.recall.recipes import TURN_RECIPES
from everlore.turn.campaign_context import campaign_of, canon_of, world_of
from everlore.turn.known import MemoryRoom, TurnRecall, known_for
from everlore.turn.lorebook_scan import books_for, scanned_lines
from everlore.turn.older_history import OlderHistory, older_than
from everlore.turn.plan import Plan
from everlore.turn.readable import known_among, readable
from everlore.turn.recipes import is_scene, recipe_of
from everlore.turn.reminders import reminder
from everlore.turn.resources import Resources, reading_of
from everlore.turn.tellings import told_in_history
from everlore.turn.template_choice import template_for
from everlore.turn.tool_results import recent_uses
from everlore.turn.welcome import welcome_note

_Back = TypeVar("_Back", Recalled, LeftOut)

_INTERACTIONS = frozenset({"interaction.description", "scene.auto", "event.alignment", "profile.romanceCompat"})
_WORLD = frozenset({"location.terrains", "population.people", "population.animals", "scene.auto"})
_CITATIONS = "user.citations"
# The section with the guidance of an episode: a template without it gets no reminder of the episode either.
_EPISODE = "episode"
_MOST_INTERACTIONS = 20
# With fewer messages there is no segment yet, so there are no keyframes.
_FEWEST_WITH_KEYFRAMES = 4
# How many of the latest keyframes may have been recreated, and so are out of order.
_REWRITTEN = 6
_MOST_WAITING = 20
# Least relevance of what the character knows about others for it to be offered (R6).
_GOSSIP_THRESHOLD = 0.7
# After so many messages the conversation has found its subject.
_BEGINNING = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """`seen` is the conversation as the speaker saw it. `complaint`: what is wrong with the template; `hidden`: how
    many parts the viewer may not read; `learned`: what the latest message states about the user, for the built-in
    voice."""

    seen: tuple[Message, ...]
    template: ResolvedTemplate
    complaint: str
    context: Context
    known: TurnRecall
    question: Memory | None
    hidden: int
    learned: tuple[str, ...]


async def gather(
    resources: Resources, plan: Plan, *, built_in: bool = False, template: ResolvedTemplate | None = None
) -> Gathered:
    """`built_in`: the built-in voice answers, which searches earlier conversations itself. `template`: used instead of
    the conversation's."""
    gathering, complaint = await _begun(resources, plan, built_in=built_in, template=template)
    question = await gathering.question()
    bare = gathering.bare_context(question)
    wanted = variables_wanted(gathering.template, bare, has_campaign=plan.stage.conversation.campaign_id is not None)
    parts = await gathering.parts(wanted)
    context, hidden = _filled(bare, parts, plan, wanted), 0
    if plan.shown_to is not None:
        context, hidden = await readable(resources.store, plan.scope, plan.shown_to, plan.place, context)
    return Gathered(
        seen=gathering.seen,
        template=gathering.template,
        complaint=complaint,
        context=context,
        known=parts.known,
        question=question,
        hidden=hidden,
        learned=await gathering.learned() if built_in else (),
    )


async def known_in(resources: Resources, plan: Plan) -> TurnRecall:
    """What the speaker would know when it answers, without a prompt around it."""
    gathering, _ = await _begun(resources, plan)
    known = await gathering.known(with_earlier=False)
    if plan.shown_to is None:
        return known
    records = [*(each.record for each in known.recalled), *(each.record for each in known.left)]
    theirs = await known_among(resources.store, plan.scope, plan.shown_to, plan.place, records)
    return replace(
        known,
        recalled=tuple(each for each in known.recalled if each.record.id in theirs),
        left=tuple(each for each in known.left if each.record.id in theirs),
    )


async def _begun(
    resources: Resources, plan: Plan, *, built_in: bool = False, template: ResolvedTemplate | None = None
) -> tuple["_Gathering", str]:
    stage, complaint = plan.stage, ""
    campaign = await campaign_of(resources.store, plan.scope, stage.conversation)
    if template is None:
        template, complaint = await template_for(
            resources.store,
            plan.scope,
            stage.config.template,
            plan.speaker,
            campaign,
            is_scene=is_scene(stage.conversation, stage.user),
        )
    speaker = speaker_in(stage.conversation, plan.speaker.id, campaign)
    if built_in and campaign is not None:
        listener = caller_in(plan.scope, [campaign], speaking_id=stage.conversation.user_id)
        speaker = aloud(speaker, stage.conversation, listener)
    # Once for all that follows: no part of the prompt may contain what the speaker did not see (V13).
    seen = seen_by(plan.history, plan.speaker.id)
    latest = latest_of(seen)
    said = without_told(latest.content) if latest else ""
    return _Gathering(resources, plan, seen, campaign, speaker, template, built_in, said), complaint


def latest_of(seen: Sequence[Message]) -> Message | None:
    """The latest message of the user."""
    return next((each for each in reversed(seen) if each.author is Author.USER), None)


@dataclass(frozen=True, slots=True)
class _Parts:
    known: TurnRecall
    keyframes: tuple[Memory, ...]
    told: Mapping[str, Memory]
    tools: tuple[str, ...]
    lore: tuple[Fired, ...]
    older: OlderHistory
    canon: Canon | None
    named: Mapping[str, Recalled]
    interactions: Sequence[Interaction]
    world: Sequence[Entity]


def _filled(bare: Context, parts: _Parts, plan: Plan, wanted: frozenset[str]) -> Context:
    anyhow: list[Memory | Summary] = [
        *parts.keyframes,
        *cover(parts.older.summaries, 1, plan.stage.summarised_to),
    ]
    known = parts.known
    return replace(
        bare,
        history=(*parts.older.messages, *bare.history),
        recent_from=plan.first_seq,
        notes=(*(Note("keyframe", each.content) for each in parts.keyframes), *bare.notes),
        memories=_beside(anyhow, known.recalled),
        unoffered=_beside(anyhow, known.left),
        shares=known.shares,
        told=parts.told,
        last_session=known.last_session,
        earlier=known.earlier if _CITATIONS in wanted else (),
        named=parts.named,
        learnt=parts.older.learnt,
        summaries=parts.older.summaries,
        canon=parts.canon,
        lore=parts.lore,
        interactions=parts.interactions,
        world=parts.world,
        recent_tools=parts.tools,
    )


def _beside(told: Sequence[Memory | Summary], recalled: Sequence[_Back]) -> tuple[_Back, ...]:
    """Without what is in the prompt anyway."""
    ids = {each.id for each in told}
    return tuple(each for each in recalled if each.record.id not in ids)


@dataclass(frozen=True, slots=True)
class _Gathering:
    resources: Resources
    plan: Plan
    seen: tuple[Message, ...]
    campaign: Campaign | None
    speaker: Viewer
    template: ResolvedTemplate
    built_in: bool
    # The latest words of the user.
    said: str

    async def parts(self, wanted: frozenset[str]) -> _Parts:
        plan, store, conversation = self.plan, self.resources.store, self.plan.stage.conversation
        first, older, canon, last = await asyncio.gather(
            asyncio.gather(
                self.known(with_earlier=self.built_in or _CITATIONS in wanted),
                self._keyframes(),
                told_in_history(self.resources, plan.scope, self.seen),
                self._tools(),
                self._lore(),
            ),
            older_than(
                store,
                plan.scope,
                conversation,
                self.speaker,
                plan.first_seq,
                with_summaries=plan.stage.summarised_to > 0,
            ),
            self._canon(),
            asyncio.gather(
                self._named(memory_ids_in(wanted)),
                self._interactions() if wanted & _INTERACTIONS else _nothing(),
                world_of(store, plan.scope, self.speaker, plan.place) if wanted & _WORLD else _nothing(),
            ),
        )
        return _Parts(*first, older, canon, *last)

    # ── what is known ──

    async def known(self, *, with_earlier: bool) -> TurnRecall:
        plan, config, conversation = self.plan, self.plan.stage.config, self.plan.stage.conversation
        if not plan.sampling.recalls:
            return TurnRecall(())
        name = recipe_of(plan.scope, conversation, config, plan.stage.user, self.template.recipe)
        recipe = TURN_RECIPES[name]
        query = RecallQuery(
            text=self.said,
            viewer=self.speaker,
            place=plan.place,
            recipe=recipe,
            here=conversation,
            on_screen=frozenset(each.id for each in self.seen[-config.message_trim :]),
            begins=plan.messages_before < _BEGINNING,
            listener_id=conversation.user_id,
            gossip_threshold=_GOSSIP_THRESHOLD if config.gossip_enabled else None,
            explain=plan.traced is not None,
            traced=plan.traced,
        )
        return await known_for(
            plan.scope,
            query,
            reading_of(self.resources),
            MemoryRoom(tokens=config.memory_budget, cost=self.resources.tokenizer.count, shares=config.shares()),
            with_earlier=with_earlier,
            with_last=_has_just_begun(plan) and recipe.last_session,
        )

    async def _named(self, ids: Sequence[str]) -> Mapping[str, Recalled]:
        """The memories that the template includes by id, if both participants may know them."""
        plan = self.plan
        found = await self.resources.store.get_many(plan.scope, Memory, ids) if ids else []
        persons = {plan.speaker.id, plan.stage.conversation.user_id}
        return {
            memory.id: Recalled(memory, why="The template asks for it.")
            for memory in found
            if set(memory.persons) <= persons and may_see(self.speaker, memory, plan.place)
        }

    async def _keyframes(self) -> tuple[Memory, ...]:
        """The keyframes of the latest segments, oldest first: they stay in the prompt (K1)."""
        plan, kept, conversation = self.plan, self.plan.stage.config.keyframes_kept, self.plan.stage.conversation
        if not kept or conversation.message_count < _FEWEST_WITH_KEYFRAMES:
            return ()
        where = {
            "conversation_id": conversation.id,
            "type": MemoryType.OUTCOME.value,
            "origin": Origin.KEYFRAME.value,
            "status": Status.ACTIVE.value,
        }
        page = await self.resources.store.find(plan.scope, Memory, where, limit=kept + _REWRITTEN, newest_first=True)
        heard = [
            each
            for each in page.items
            if self._have(each) and all(may_see(who, each, plan.place) for who in self._readers)
        ]
        # Sorted by the time that they describe: a recreated keyframe is not the latest.
        latest = sorted(heard, key=lambda each: (each.valid_from or each.created_at, each.id))
        return tuple(latest[-kept:])

    async def question(self) -> Memory | None:
        """What to ask the user about, if facts are to be confirmed (M10)."""
        plan = self.plan
        if not plan.stage.config.confirm_facts or plan.continuing:
            return None
        where = {"conversation_id": plan.stage.conversation.id, "status": Status.PENDING.value}
        page = await self.resources.store.find(plan.scope, Memory, where, limit=_MOST_WAITING)
        # The question is shown to the user, so it must not contain what players must not know.
        return to_ask([each for each in page.items if self._have(each) and not is_spoiler(each)], plan.history)

    async def learned(self) -> tuple[str, ...]:
        """What the latest message states about the user, if this conversation is learned from."""
        if not self.seen or self.plan.continuing:
            return ()
        stage = self.plan.stage
        source = MessageSource(self.seen[-1], stage.conversation, stage.config, dict(stage.persons))
        return await facts_of(self.resources.store, self.plan.scope, source)

    def _have(self, memory: Memory) -> bool:
        """Whether the speaker has a part in the memory, and the viewer too if there is one."""
        looker, speaker_id = self.plan.shown_to, self.plan.speaker.id
        looks = looker.person_id if looker and not looker.sees_all else None
        return {speaker_id, looks or speaker_id} <= set(memory.persons)

    @property
    def _readers(self) -> list[Viewer]:
        """The speaker, and the person to whom the prompt is shown."""
        return [self.speaker, *([self.plan.shown_to] if self.plan.shown_to else [])]

    # ── what is around ──

    async def _canon(self) -> Canon | None:
        store, plan, said = self.resources.store, self.plan, self.said
        mentioned_in = self.resources.campaigns.mentioned_in
        return await canon_of(
            store, plan.scope, self.campaign, plan.stage.conversation, said, self.speaker, mentioned_in
        )

    async def _lore(self) -> tuple[Fired, ...]:
        """The lorebook entries that fire for this reply; spoilers only if the speaker, and the person to whom the
        prompt is shown, run the game."""
        plan, campaign = self.plan, self.campaign
        runs = campaign is not None and all(runs_the_game(each, campaign.id, plan.place) for each in self._readers)
        books = await books_for(
            self.resources.store,
            plan.scope,
            plan.speaker,
            plan.stage.user,
            campaign_id=campaign.id if campaign else None,
            for_game_master=runs,
        )
        if not books:
            return ()
        # In a preview the message to answer is not saved yet: seed the chance by the length of the conversation.
        seed = f"{plan.stage.conversation.id}\x1f{self.seen[-1].seq if self.seen else 0}"
        return fire(books, scanned_lines(self.seen, plan.stage.names), seed=seed)

    async def _tools(self) -> tuple[str, ...]:
        """The latest tool calls in this conversation, and their results (C6)."""
        scope = self.plan.scope
        uses = await recent_uses(self.resources.store, scope, self.plan.stage.conversation.id)
        return tool_lines(uses, self.resources.clock(), context_depth(scope.mode, scope.role))

    async def _interactions(self) -> tuple[Interaction, ...]:
        """The interactions of the two, latest first."""
        pair = (self.plan.speaker.id, self.plan.stage.conversation.user_id or "")
        where = {"actor_id": pair, "interactor_id": pair}
        page = await self.resources.store.find(
            self.plan.scope, Interaction, where, limit=_MOST_INTERACTIONS, newest_first=True
        )
        return page.items

    # ── what is said for this turn alone ──

    def bare_context(self, question: Memory | None) -> Context:
        plan, stage = self.plan, self.plan.stage
        return Context(
            character=plan.speaker,
            user=stage.user,
            names=stage.names,
            config=stage.config,
            conversation_id=stage.conversation.id,
            history=self.seen,
            episode=plan.episode,
            instructions=plan.sampling.instructions,
            notes=self._notes(question),
            is_guest=is_guest(plan.scope.role),
            continuing=plan.continuing,
        )

    def _notes(self, question: Memory | None) -> tuple[Note, ...]:
        """Notes to the model for this turn alone: V8, V15, V16, M10."""
        plan, with_episode = self.plan, _EPISODE not in self.template.excluded
        said = [each.content for each in self.seen if each.person_id == plan.speaker.id]
        reminded = reminder(plan.stage.config, plan.episode, plan.messages_before, with_episode=with_episode)
        notes = (
            Note("caller", _caller(plan)),
            Note("reminder", reminded),
            Note("steering", STEERING if _needs_steering(said) else ""),
            Note("welcome", welcome_note(self.seen, self.resources.clock()) if not plan.continuing else ""),
            Note("question", question_of(question) if question else ""),
        )
        return tuple(note for note in notes if note.text)


async def _nothing() -> tuple[()]:
    return ()


def _has_just_begun(plan: Plan) -> bool:
    """The end of the last conversation matters while this one has few messages of its own."""
    # The conversation's own limit: a client that sends more lines raises the one of the stage.
    trim = config_of(plan.stage.conversation.config).message_trim
    return not plan.history or plan.history[-1].seq <= trim


def _caller(plan: Plan) -> str:
    """Who called with a token, and in which mode (C8). The local owner is not announced."""
    scope, user = plan.scope, plan.stage.user
    if user is None or (scope.person_id is None and writes_all(scope.mode)):
        return ""
    return standing(scope.mode, trust_of(scope.role), scope.role, user.name)


def _needs_steering(said: Sequence[str]) -> bool:
    """Only while the latest reply repeats earlier ones: after a new one the note is not needed (V15)."""
    return is_echoing(said) and any(mean_overlap((each, said[-1])) > THRESHOLD for each in said[-3:-1])
