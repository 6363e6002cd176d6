"""One reply to be written, and what the model is asked for it: the template, what is known, what is said this once.

Fetch, compose, ask: what is fetched here is all that a prompt is made of, and only what its template uses.
Start at `ask_for`.
"""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import structlog

from everlore.compose.budget import WINDOW, Budget, budget_of, grown_window
from everlore.compose.context import Context, Note
from everlore.compose.drawing import variables_wanted
from everlore.compose.inherit import ResolvedTemplate
from everlore.compose.lore import Fired, fire
from everlore.compose.memories import memory_ids_in
from everlore.compose.package import standing, tool_lines
from everlore.compose.prompt import Prompt, compose
from everlore.compose.talk import FRAME_TOKENS, seen_by
from everlore.domain.bounds import Json
from everlore.domain.campaign import Campaign
from everlore.domain.config import RecipeName, config_of
from everlore.domain.conversation import Author, Message, Summary
from everlore.domain.covering import cover
from everlore.domain.echo import STEERING, THRESHOLD, is_echoing, mean_overlap
from everlore.domain.interaction import Interaction
from everlore.domain.memory import Memory, MemoryType, Origin, Status
from everlore.domain.miss import Miss, head_of, is_worth_noting
from everlore.domain.person import Person, preferring
from everlore.domain.policy import context_depth, is_guest, trust_of, writes_all
from everlore.domain.recalled import LeftOut, Recalled
from everlore.domain.scope import Scope
from everlore.domain.tokens import without_told
from everlore.domain.visibility import (
    Place,
    Viewer,
    aloud,
    caller_in,
    is_spoiler,
    may_see,
    place_of,
    runs_the_game,
    speaker_in,
)
from everlore.errors import PromptTooLong
from everlore.learning.confirmation import question_of, to_ask
from everlore.learning.fact_jobs import facts_of
from everlore.learning.message_sources import MessageSource
from everlore.models.chat import Ask, Said, Scene
from everlore.recall.question import RecallQuery
from everlore.recall.recipes import TURN_RECIPES
from everlore.recall.trace import Trace
from everlore.turn.campaign_context import campaign_of, canon_of, world_of
from everlore.turn.client_messages import woven
from everlore.turn.cuts import Cut, find_cuts
from everlore.turn.known import MemoryRoom, TurnRecall, known_for
from everlore.turn.lorebook_scan import books_for, scanned_lines
from everlore.turn.older_history import older_than
from everlore.turn.readable import known_among, readable, unread
from everlore.turn.recipes import is_scene, recipe_of
from everlore.turn.reminders import reminder
from everlore.turn.resources import Resources, reading_of
from everlore.turn.stage import Stage
from everlore.turn.tellings import told_in_history
from everlore.turn.template_choice import template_for
from everlore.turn.tool_results import recent_uses
from everlore.turn.welcome import welcome_note

log = structlog.get_logger(__name__)

_Back = TypeVar("_Back", Recalled, LeftOut)

_INTERACTIONS = frozenset({"interaction.description", "scene.auto", "event.alignment", "profile.romanceCompat"})
_WORLD = frozenset({"location.terrains", "population.people", "population.animals", "scene.auto"})
_CITATIONS = "user.citations"
# The section with the guidance of an episode: a template that leaves it out wants no reminder of it either.
_EPISODE = "episode"
_MOST_INTERACTIONS = 20
# With fewer messages there is no segment yet, and nothing to look for.
_FEWEST_WITH_KEYFRAMES = 4
# As many of the latest keyframes may have been formed anew, and stand out of order.
_REWRITTEN = 6
_MOST_WAITING = 20
# How relevant what the character has with others must be to come up (R6).
_GOSSIP_THRESHOLD = 0.7
# In so many messages two who know each other have found what they talk about.
_BEGINNING = 4
# What stands around the talk of a client: the template, memories, notes.
_AROUND = 4_096
_LEAST_WINDOW = 1_024


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the model is to choose its words, where the caller says so."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    instructions: str = ""
    # For the model server alone: see `Ask.extra`.
    extra: Json = field(default_factory=dict)
    # The talk as the client sent it, where it holds what a log does not: it takes the place of ours.
    verbatim: tuple[Said, ...] = ()
    recalls: bool = True
    # How many lines a client sent, which are to reach the model whole; None: the caller has no talk of its own.
    sent: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One reply to be written: by whom, after which messages, and how. `shown_to`: it is only looked at, by
    whoever may not see all that the speaker may, and read without the rest."""

    scope: Scope
    stage: Stage
    speaker: Person
    history: tuple[Message, ...]
    reply: Message
    sampling: Sampling
    continuing: bool = False
    shown_to: Viewer | None = None
    # A memory of which it is to be said where it went.
    traced: str | None = None

    @property
    def episode(self) -> int:
        """The one that the reply belongs to, also when a later version of it is written (V8)."""
        episode = self.reply.metadata.get("episode")
        return episode if isinstance(episode, int) else self.stage.conversation.episode

    @property
    def place(self) -> Place:
        return place_of(self.stage.conversation)

    @property
    def messages_before(self) -> int:
        """How many messages the conversation had before the turn: a message and its reply."""
        return max(self.reply.seq - 2, 0)


@dataclass(frozen=True, slots=True)
class BuiltPrompt:
    """`asks`: the memory that the reply is to ask the user about, if any (M10). `missed`: that nothing came back.
    `cuts`: what of a client's request is not whole in the prompt."""

    ask: Ask
    prompt: Prompt
    trace: Trace | None = None
    asks: str = ""
    missed: Miss | None = None
    cuts: tuple[Cut, ...] = ()


async def ask_for(
    resources: Resources,
    plan: Plan,
    *,
    built_in: bool = False,
    template: ResolvedTemplate | None = None,
    window: int | None = None,
) -> BuiltPrompt:
    """`built_in`: the built-in voice answers, which looks into earlier conversations for itself. `template`: this
    one, instead of the conversation's. `window`: what the model server says that its model takes."""
    plan = _with_sampling(plan)
    stage, sampling = plan.stage, plan.sampling
    # Once for all that follows: what the speaker did not see must not reach it by any way (V13).
    seen = seen_by(plan.history, plan.speaker.id)
    complaint = ""
    campaign = await campaign_of(resources.store, plan.scope, stage.conversation)
    if template is None:
        template, complaint = await _template(resources, plan, campaign)
    question = await _question(resources, plan)
    speaker = speaker_in(stage.conversation, plan.speaker.id, campaign)
    if built_in and campaign is not None:
        listener = caller_in(plan.scope, [campaign], speaking_id=stage.conversation.user_id)
        speaker = aloud(speaker, stage.conversation, listener)
    context, known = await _context(resources, plan, seen, template, question, campaign, speaker, with_earlier=built_in)
    hidden = 0
    if plan.shown_to is not None:
        context, hidden = await readable(resources.store, plan.scope, plan.shown_to, plan.place, context)
    budget = _budget(resources, plan, seen, window)
    prompt = compose(template, context, budget, resources.tokenizer)
    if prompt.account.faults:
        # A turn goes on without them; a preview would have refused.
        log.warning("template.faults", template=template.name, faults=list(prompt.account.faults))
    cuts = _cuts(resources, plan, prompt)
    told = (each.warning(budget.window) for each in cuts)
    if warnings := [each for each in (complaint, unread(hidden), *told) if each]:
        account = replace(prompt.account, warnings=(*warnings, *prompt.account.warnings))
        prompt = replace(prompt, account=account)
    messages = woven(prompt.messages, sampling.verbatim) if sampling.verbatim else prompt.messages
    is_client = sampling.sent is not None
    ask = Ask(
        messages=messages,
        max_tokens=sampling.max_tokens or (None if is_client else budget.reply),
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        stop=sampling.stop,
        extra=sampling.extra,
        context_window=stage.config.context_window
        or grown_window(_tokens_of(resources, messages, sampling.extra) + budget.reply, most=budget.window),
        waits_for_rate=not is_client,
        scene=Scene(
            character=plan.speaker,
            user=stage.user,
            history=seen,
            memories=known.memories,
            earlier=known.earlier,
            learned=await _learned(resources, plan, seen) if built_in else (),
        ),
    )
    return BuiltPrompt(
        ask, prompt, known.trace, question.id if question else "", _missed(resources, plan, known, seen), cuts
    )


async def _learned(resources: Resources, plan: Plan, seen: Sequence[Message]) -> tuple[str, ...]:
    """What the latest message states of the user, where anything is learned from it."""
    if not seen or plan.continuing:
        return ()
    stage = plan.stage
    return await facts_of(
        resources.store, plan.scope, MessageSource(seen[-1], stage.conversation, stage.config, dict(stage.persons))
    )


def _with_sampling(plan: Plan) -> Plan:
    """The plan with the sampling parameters of the chat or the character, where the caller gave none."""
    config, given = preferring(plan.speaker, plan.stage.config), plan.sampling
    sampling = replace(
        given,
        temperature=config.temperature if given.temperature is None else given.temperature,
        top_p=config.top_p if given.top_p is None else given.top_p,
        max_tokens=given.max_tokens or config.max_tokens,
    )
    return replace(plan, sampling=sampling)


def _budget(resources: Resources, plan: Plan, seen: Sequence[Message], told: int | None) -> Budget:
    """All that a client sent is to fit, where nobody says how much the model takes: its server decides."""
    config, sampling = plan.stage.config, plan.sampling
    if sampling.sent is None:
        return budget_of(config, told=told, reply=sampling.max_tokens)
    if told is None:
        lines = [Said("user", each.content) for each in seen[-sampling.sent :]] if sampling.sent else []
        said = _tokens_of(resources, sampling.verbatim or lines, sampling.extra)
        need = said + resources.tokenizer.count(sampling.instructions) + _AROUND
        told = grown_window(max(need * 8 // 7, need + (sampling.max_tokens or 0)))
    return budget_of(config, told=told, reply=sampling.max_tokens)


def _tokens_of(resources: Resources, messages: Iterable[Said], extra: Json) -> int:
    tools = resources.tokenizer.count(json.dumps(extra["tools"])) if extra.get("tools") else 0
    return tools + sum(resources.tokenizer.count(each.content) + FRAME_TOKENS for each in messages)


def _cuts(resources: Resources, plan: Plan, prompt: Prompt) -> tuple[Cut, ...]:
    sampling = plan.sampling
    if sampling.sent is None:
        return ()
    # What takes the place of our talk is the client's own, and whole.
    messages = 0 if sampling.verbatim else sampling.sent
    instructions = resources.tokenizer.count(sampling.instructions)
    return tuple(find_cuts(prompt.account, messages=messages, instructions=instructions))


def shorter_window(plan: Plan, asked: BuiltPrompt, refusal: PromptTooLong) -> int:
    """A window to try again with, after the server refused the prompt for its length; raises where that would not help:
    somebody chose the window, or the talk is a client's own."""
    window = min(refusal.window or WINDOW, asked.prompt.account.window * 3 // 4)
    if plan.stage.config.context_window or plan.sampling.verbatim or window < _LEAST_WINDOW:
        raise refusal
    return window


async def _template(resources: Resources, plan: Plan, campaign: Campaign | None) -> tuple[ResolvedTemplate, str]:
    stage = plan.stage
    return await template_for(
        resources.store,
        plan.scope,
        stage.config.template,
        plan.speaker,
        campaign,
        is_scene=is_scene(stage.conversation, stage.user),
    )


async def _question(resources: Resources, plan: Plan) -> Memory | None:
    """What the user is to be asked about, where facts are to be confirmed (M10)."""
    if not plan.stage.config.confirm_facts or plan.continuing:
        return None
    where = {"conversation_id": plan.stage.conversation.id, "status": Status.PENDING.value}
    page = await resources.store.find(plan.scope, Memory, where, limit=_MOST_WAITING)
    # Who is asked about it knows it: nothing that players must not.
    return to_ask([each for each in page.items if _have(plan, each) and not is_spoiler(each)], plan.history)


async def _context(
    resources: Resources,
    plan: Plan,
    seen: tuple[Message, ...],
    template: ResolvedTemplate,
    question: Memory | None,
    campaign: Campaign | None,
    speaker: Viewer,
    *,
    with_earlier: bool,
) -> tuple[Context, TurnRecall]:
    stage, scope, conversation = plan.stage, plan.scope, plan.stage.conversation
    bare = Context(
        character=plan.speaker,
        user=stage.user,
        names=stage.names,
        config=stage.config,
        conversation_id=conversation.id,
        history=seen,
        episode=plan.episode,
        instructions=plan.sampling.instructions,
        notes=_notes(resources, plan, seen, question, template),
        is_guest=is_guest(scope.role),
        continuing=plan.continuing,
    )
    said = _latest_words(seen)
    wanted = variables_wanted(template, bare, has_campaign=conversation.campaign_id is not None)
    first = plan.history[0].seq if plan.history else 1
    recipe = _recipe_for(plan, template)
    with_earlier = with_earlier or _CITATIONS in wanted
    (known, keyframes, told, tools, lore), older, canon, named, interactions, world = await asyncio.gather(
        asyncio.gather(
            _known(resources, plan, seen, said, recipe, speaker, with_earlier=with_earlier),
            _keyframes(resources, plan, speaker),
            told_in_history(resources, scope, seen),
            _tools(resources, plan),
            _lore(resources, plan, seen, campaign, speaker),
        ),
        older_than(
            resources.store,
            scope,
            conversation,
            speaker,
            first,
            with_summaries=stage.summarised_to > 0,
        ),
        canon_of(resources.store, scope, campaign, conversation, said, speaker, resources.campaigns.mentioned_in),
        _named(resources, plan, memory_ids_in(wanted), speaker),
        _interactions(resources, plan) if wanted & _INTERACTIONS else _nothing(),
        world_of(resources.store, scope, speaker, plan.place) if wanted & _WORLD else _nothing(),
    )
    told_anyhow: list[Memory | Summary] = [*keyframes, *cover(older.summaries, 1, stage.summarised_to)]
    context = replace(
        bare,
        history=(*older.messages, *seen),
        recent_from=first,
        notes=(*(Note("keyframe", each.content) for each in keyframes), *bare.notes),
        memories=_beside(told_anyhow, known.recalled),
        unoffered=_beside(told_anyhow, known.left),
        shares=known.shares,
        told=told,
        last_session=known.last_session,
        earlier=known.earlier if _CITATIONS in wanted else (),
        named=named,
        learnt=older.learnt,
        summaries=older.summaries,
        canon=canon,
        lore=lore,
        interactions=interactions,
        world=world,
        recent_tools=tools,
    )
    return context, known


async def known_in(resources: Resources, plan: Plan) -> TurnRecall:
    """What the speaker would know when it answers, without a prompt around it."""
    seen = seen_by(plan.history, plan.speaker.id)
    campaign = await campaign_of(resources.store, plan.scope, plan.stage.conversation)
    template, _ = await _template(resources, plan, campaign)
    recipe, said = _recipe_for(plan, template), _latest_words(seen)
    speaker = speaker_in(plan.stage.conversation, plan.speaker.id, campaign)
    known = await _known(resources, plan, seen, said, recipe, speaker, with_earlier=False)
    if plan.shown_to is None:
        return known
    records = [*(each.record for each in known.recalled), *(each.record for each in known.left)]
    theirs = await known_among(resources.store, plan.scope, plan.shown_to, plan.place, records)
    return replace(
        known,
        recalled=tuple(each for each in known.recalled if each.record.id in theirs),
        left=tuple(each for each in known.left if each.record.id in theirs),
    )


async def _known(
    resources: Resources,
    plan: Plan,
    seen: Sequence[Message],
    said: str,
    recipe: RecipeName,
    speaker: Viewer,
    *,
    with_earlier: bool,
) -> TurnRecall:
    config, conversation = plan.stage.config, plan.stage.conversation
    if not plan.sampling.recalls:
        return TurnRecall(())
    return await known_for(
        plan.scope,
        RecallQuery(
            text=said,
            viewer=speaker,
            place=plan.place,
            recipe=TURN_RECIPES[recipe],
            here=conversation,
            on_screen=frozenset(each.id for each in seen[-config.message_trim :]),
            begins=plan.messages_before < _BEGINNING,
            listener_id=conversation.user_id,
            gossip_threshold=_GOSSIP_THRESHOLD if config.gossip_enabled else None,
            explain=plan.traced is not None,
            traced=plan.traced,
        ),
        reading_of(resources),
        MemoryRoom(tokens=config.memory_budget, cost=resources.tokenizer.count, shares=config.shares()),
        with_earlier=with_earlier,
        with_last=_has_just_begun(plan) and TURN_RECIPES[recipe].last_session,
    )


async def _lore(
    resources: Resources, plan: Plan, seen: Sequence[Message], campaign: Campaign | None, speaker: Viewer
) -> tuple[Fired, ...]:
    """The entries of lorebooks that fire for this reply; spoilers among them only where the speaker, and whoever the
    prompt is shown to, run the game."""
    viewers = [each for each in (speaker, plan.shown_to) if each is not None]
    runs = campaign is not None and all(runs_the_game(each, campaign.id, plan.place) for each in viewers)
    campaign_id = campaign.id if campaign else None
    books = await books_for(
        resources.store, plan.scope, plan.speaker, plan.stage.user, campaign_id=campaign_id, for_game_master=runs
    )
    if not books:
        return ()
    # The message that is answered is not kept yet in a preview: chance goes by how far the talk is.
    seed = f"{plan.stage.conversation.id}\x1f{seen[-1].seq if seen else 0}"
    return fire(books, scanned_lines(seen, plan.stage.names), seed=seed)


def _recipe_for(plan: Plan, template: ResolvedTemplate) -> RecipeName:
    stage = plan.stage
    return recipe_of(plan.scope, stage.conversation, stage.config, stage.user, template.recipe)


async def _tools(resources: Resources, plan: Plan) -> tuple[str, ...]:
    """What was done last in this conversation, and what came of it (C6)."""
    depth = context_depth(plan.scope.mode, plan.scope.role)
    uses = await recent_uses(resources.store, plan.scope, plan.stage.conversation.id)
    return tool_lines(uses, resources.clock(), depth)


def _missed(resources: Resources, plan: Plan, known: TurnRecall, seen: Sequence[Message]) -> Miss | None:
    """A message for which nothing came back, but what always does (R12)."""
    conversation, asking, said = plan.stage.conversation, _latest(seen), _latest_words(seen)
    if (
        conversation.private
        or not plan.sampling.recalls
        or not is_worth_noting(said)
        or any(not each.is_due for each in known.recalled)
    ):
        return None
    return Miss(
        workspace=plan.scope.workspace,
        id=resources.new_id(),
        query=head_of(said),
        mode=plan.scope.mode.value,
        conversation_id=conversation.id,
        message_id=asking.id if asking else None,
        person_id=plan.speaker.id,
        passages=known.coverage.passages,
        embedded=known.coverage.embedded,
        embedder=resources.embedder.name if resources.embedder else "",
        created_at=resources.clock(),
    )


def _has_just_begun(plan: Plan) -> bool:
    """How the last talk ended matters while this one has not said much itself."""
    # As the conversation has it: a client that sends more lines has not begun for that.
    trim = config_of(plan.stage.conversation.config).message_trim
    return not plan.history or plan.history[-1].seq <= trim


def _latest(seen: Sequence[Message]) -> Message | None:
    return next((each for each in reversed(seen) if each.author is Author.USER), None)


def _latest_words(seen: Sequence[Message]) -> str:
    latest = _latest(seen)
    return without_told(latest.content) if latest else ""


async def _named(resources: Resources, plan: Plan, ids: Sequence[str], speaker: Viewer) -> Mapping[str, Recalled]:
    """The memories that the template asks for by id, if the two may know them."""
    found = await resources.store.get_many(plan.scope, Memory, ids) if ids else []
    persons = {plan.speaker.id, plan.stage.conversation.user_id}
    return {
        memory.id: Recalled(memory, why="The template asks for it.")
        for memory in found
        if set(memory.persons) <= persons and may_see(speaker, memory, plan.place)
    }


async def _keyframes(resources: Resources, plan: Plan, speaker: Viewer) -> tuple[Memory, ...]:
    """What the latest segments came to, oldest first: they stay in the prompt (K1)."""
    config, conversation = plan.stage.config, plan.stage.conversation
    if not config.keyframes_kept or conversation.message_count < _FEWEST_WITH_KEYFRAMES:
        return ()
    where = {
        "conversation_id": conversation.id,
        "type": MemoryType.OUTCOME.value,
        "origin": Origin.KEYFRAME.value,
        "status": Status.ACTIVE.value,
    }
    page = await resources.store.find(
        plan.scope, Memory, where, limit=config.keyframes_kept + _REWRITTEN, newest_first=True
    )
    viewers = [speaker, *([plan.shown_to] if plan.shown_to else [])]
    heard = [
        each for each in page.items if _have(plan, each) and all(may_see(who, each, plan.place) for who in viewers)
    ]
    # By what they tell of: one that was formed anew is not the latest for that.
    latest = sorted(heard, key=lambda each: (each.valid_from or each.created_at, each.id))
    return tuple(latest[-config.keyframes_kept :])


def _have(plan: Plan, memory: Memory) -> bool:
    """Whether the speaker has a part in it, and whoever looks, if that is one person."""
    looks = plan.shown_to.person_id if plan.shown_to and not plan.shown_to.sees_all else None
    return {plan.speaker.id, looks or plan.speaker.id} <= set(memory.persons)


def _beside(told: Sequence[Memory | Summary], recalled: Sequence[_Back]) -> tuple[_Back, ...]:
    """Without what stands in the prompt anyhow."""
    ids = {each.id for each in told}
    return tuple(each for each in recalled if each.record.id not in ids)


async def _interactions(resources: Resources, plan: Plan) -> tuple[Interaction, ...]:
    """What the two did with each other, latest first."""
    pair = (plan.speaker.id, plan.stage.conversation.user_id or "")
    page = await resources.store.find(
        plan.scope,
        Interaction,
        {"actor_id": pair, "interactor_id": pair},
        limit=_MOST_INTERACTIONS,
        newest_first=True,
    )
    return page.items


async def _nothing() -> tuple[()]:
    return ()


def _notes(
    resources: Resources, plan: Plan, seen: Sequence[Message], question: Memory | None, template: ResolvedTemplate
) -> tuple[Note, ...]:
    """What is said to the model for this turn alone: V8, V15, V16, M10."""
    with_episode = _EPISODE not in template.excluded
    said = [each.content for each in seen if each.person_id == plan.speaker.id]
    notes = (
        Note("caller", _caller(plan)),
        Note("reminder", reminder(plan.stage.config, plan.episode, plan.messages_before, with_episode=with_episode)),
        Note("steering", STEERING if _needs_steering(said) else ""),
        Note("welcome", welcome_note(seen, resources.clock()) if not plan.continuing else ""),
        Note("question", question_of(question) if question else ""),
    )
    return tuple(note for note in notes if note.text)


def _caller(plan: Plan) -> str:
    """Who came with a token, and in which mode (C8). Whoever sits at this machine as ever is not announced."""
    scope, user = plan.scope, plan.stage.user
    if user is None or (scope.person_id is None and writes_all(scope.mode)):
        return ""
    return standing(scope.mode, trust_of(scope.role), scope.role, user.name)


def _needs_steering(said: Sequence[str]) -> bool:
    """While the latest reply is part of the echo: after one that is new, no more needs to be said (V15)."""
    return is_echoing(said) and any(mean_overlap((each, said[-1])) > THRESHOLD for each in said[-3:-1])
