"""One reply to be written, and what the model is asked for it: what is known, and what is said this once.

Start at `ask_for`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from everlore.compose.prompt import Scenery, budget_of, compose, seen_by
from everlore.converse.desk import Desk
from everlore.converse.echo import STEERING, THRESHOLD, is_echoing, mean_overlap
from everlore.converse.reminders import episode_guidance, reminder
from everlore.converse.stage import Stage
from everlore.converse.welcome import welcome_note
from everlore.domain.blocks import block
from everlore.domain.conversation import Author, Message
from everlore.domain.person import Person
from everlore.domain.scope import Scope
from everlore.models.chat import Ask, Scene
from everlore.recall.turn import Known, known_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the model is to choose its words, where the caller says so."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    instructions: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One reply to be written: by whom, after which messages, and how."""

    scope: Scope
    stage: Stage
    speaker: Person
    history: tuple[Message, ...]
    reply: Message
    sampling: Sampling
    continuing: bool = False

    @property
    def episode(self) -> int:
        """The one that the reply belongs to, also when a later version of it is written (V8)."""
        episode = self.reply.metadata.get("episode")
        return episode if isinstance(episode, int) else self.stage.conversation.episode

    @property
    def messages_before(self) -> int:
        """How many messages the conversation had before the turn: a message and its reply."""
        return max(self.reply.seq - 2, 0)


async def ask_for(desk: Desk, plan: Plan, *, built_in: bool) -> Ask:
    """`built_in`: the built-in voice answers, which looks into earlier conversations for itself."""
    stage, sampling = plan.stage, plan.sampling
    # Once for all that follows: what the speaker did not see must not reach it by any way (V13).
    seen = seen_by(plan.history, plan.speaker.id)
    known = await _known(desk, plan, seen, with_earlier=built_in)
    budget = budget_of(stage.config)
    scenery = Scenery(
        character=plan.speaker,
        user=stage.user,
        names=stage.names,
        config=stage.config,
        history=seen,
        memories=known.memories,
        notes=_notes(desk, plan, seen),
        continuing=plan.continuing,
    )
    return Ask(
        messages=compose(scenery, desk.tokenizer),
        max_tokens=sampling.max_tokens or budget.reply,
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        stop=sampling.stop,
        context_window=budget.window,
        scene=Scene(
            character=plan.speaker, user=stage.user, history=seen, memories=known.memories, earlier=known.earlier
        ),
    )


async def _known(desk: Desk, plan: Plan, seen: Sequence[Message], *, with_earlier: bool) -> Known:
    asked = next((each.content for each in reversed(seen) if each.author is Author.USER), "")
    return await known_for(
        plan.scope,
        plan.stage.conversation,
        plan.speaker.id,
        asked,
        store=desk.store,
        embedder=desk.embedder,
        settings=desk.settings.search,
        with_earlier=with_earlier,
    )


def _notes(desk: Desk, plan: Plan, seen: Sequence[Message]) -> tuple[str, ...]:
    """What is said to the model for this turn alone: V8, V15, V16."""
    said = [each.content for each in seen if each.person_id == plan.speaker.id]
    notes = (
        plan.sampling.instructions,
        reminder(plan.stage.config, plan.episode, plan.messages_before) or _episode(plan),
        block("steering", STEERING) if _needs_steering(said) else "",
        welcome_note(seen, desk.clock()) if not plan.continuing else "",
    )
    return tuple(note for note in notes if note)


def _episode(plan: Plan) -> str:
    """Where the story stands: reminders come now and then, but a stage that nobody knows of is not played."""
    guidance = episode_guidance(plan.stage.config, plan.episode)
    return block("episode", guidance) if guidance else ""


def _needs_steering(said: Sequence[str]) -> bool:
    """While the latest reply is part of the echo: after one that is new, no more needs to be said (V15)."""
    return is_echoing(said) and any(mean_overlap((each, said[-1])) > THRESHOLD for each in said[-3:-1])
