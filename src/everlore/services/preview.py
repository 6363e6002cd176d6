"""Previews a template before it is used: in a conversation, or in a small built-in sample (P1, P5).

The sample has a character, a user, memories of several types, a short conversation, a campaign and tools, so that most
sections of a template have content. A config turns on the others: `episodes`, `include_scene`, `image_tokens`,
`nlp_command` and so on; a `message_trim` of 2 makes the first messages old. Nothing is written, and no model is called.

Start at `preview`; `sample` is the scene, and pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from everlore.compose.budget import budget_of
from everlore.compose.context import Canon, Context, Tool
from everlore.compose.inherit import ResolvedTemplate
from everlore.compose.prompt import compose
from everlore.domain.campaign import Campaign, Chapter, Entity, EntityKind, Relationship, Session
from everlore.domain.config import ConversationConfig
from everlore.domain.config_choices import RecipeName
from everlore.domain.conversation import Author, Message
from everlore.domain.interaction import Interaction, InteractionType, Outcome
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.person import Person, PersonKind
from everlore.domain.recalled import LastSession, Recalled
from everlore.domain.scope import Scope
from everlore.domain.weight import weigh
from everlore.errors import BadAsk
from everlore.services.conversations import checked_config
from everlore.turn.ownership import conversation_of
from everlore.turn.resources import Resources
from everlore.turn.xrays import Seen, XRays


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewRequest:
    """The conversation, the latest message, the speaker, and the config that overrides others."""

    conversation_id: str | None = None
    content: str = ""
    character_id: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)


async def preview(resources: Resources, scope: Scope, template: ResolvedTemplate, wanted: PreviewRequest) -> Seen:
    """The x-ray of the turn, with the messages that would be sent."""
    if wanted.conversation_id is not None:
        conversation = await conversation_of(resources.store, scope, wanted.conversation_id)
        return await XRays(scope, resources).would_be(
            conversation.id,
            wanted.content,
            speaker_id=wanted.character_id,
            template=template,
            config=checked_config(conversation.config | dict(wanted.config)),
        )
    config: ConversationConfig = checked_config(wanted.config)
    character = await _character(resources, scope, wanted.character_id)
    context = sample(config, character=character, content=wanted.content)
    if template.recipe is RecipeName.AGENT:
        context = replace(context, recent_tools=_DONE)
    prompt = compose(template, context, budget_of(config), resources.tokenizer)
    return Seen(prompt.account.as_json(), messages=prompt.messages)


async def _character(resources: Resources, scope: Scope, id: str | None) -> Person | None:
    if id is None:
        return None
    person = await resources.store.get(scope, Person, id)
    if person.kind is PersonKind.USER:
        raise BadAsk(f"{person.name} is a user, not a character. Choose a character, or leave it out for the sample's.")
    return person


# ── the sample ───────────────────────────────────────────────────────────────────────────────────

_AT = datetime(2026, 3, 1, 18, 0, tzinfo=UTC)
_STAMPS: Mapping[str, Any] = {"workspace": "sample", "created_at": _AT, "updated_at": _AT}
_OF_CAMPAIGN = "sample-campaign"

_USER = Person(
    **_STAMPS,
    id="sample-user",
    kind=PersonKind.USER,
    name="Robin",
    age=31,
    pronouns="they/them",
    description="A surveyor who draws maps of the coast.",
    description_public="A traveller with a roll of maps.",
)
_CHARACTER = Person(
    **_STAMPS,
    id="sample-character",
    name="Mira Holm",
    age=28,
    gender="female",
    pronouns="she/her",
    race="human",
    description="Mira keeps the lighthouse of Grey Point, and mends boats in winter.",
    description_light="The keeper of a lighthouse.",
    personality="warm, curious, stubborn",
    speech_pattern="short sentences, dry jokes",
    emotional_tendency="calm until somebody lies to her",
    scenario="A storm keeps both of them in the lighthouse.",
    example_dialogue="Robin: Are you ever lonely here?\nMira: The gulls talk more than I would like.",
    statistics={"charisma": 14, "wisdom": 12},
)
_SAID = (
    "The door was open. I hope I may come in?",
    "You may. Mind the step, it is wet.",
    "I promise to help you with the lamp before I leave on Friday.",
    "Then you can hold the ladder. Tea first.",
    "What became of the boat that you were mending?",
    "She floats. I named her Patience.",
)
_QUESTION = "Do you remember how we met?"
_MEMORIES = (
    (MemoryType.RELATIONSHIP, 8, "Mira trusts Robin with the key to the lighthouse.", 0.74),
    (MemoryType.FACT, 6, "Robin is allergic to peanuts.", 0.71),
    (MemoryType.EVENT, 5, "Mira and Robin met when a storm broke the ferry.", 0.69),
    (MemoryType.DECISION, 7, "They agreed to repair the lamp before winter.", 0.58),
    (MemoryType.PREFERENCE, 4, "Robin drinks tea without sugar.", 0.52),
    (MemoryType.DISCOVERY, 6, "There is an old cellar under the lighthouse.", 0.49),
    (MemoryType.GOAL, 5, "Mira wants to find out who built the cellar.", 0.45),
)
_DONE = ("- ✓ weather (8m ago): days: [5 items]", "- ✗ send_letter (2m ago): error: no post on Sundays")
_CANON = (
    (MemoryType.THEME, "What is owed to those who came before."),
    (MemoryType.SETTING, "A cold coast of fishing towns, without magic that anybody admits to."),
    (MemoryType.TONE, "Quiet, with a little dread."),
    (MemoryType.PLOT_THREAD, "Somebody puts out the harbour lights at night."),
)


def sample(config: ConversationConfig, *, character: Person | None = None, content: str = "") -> Context:
    """`character` replaces the sample's own; `content` replaces its latest message."""
    speaker = character or _CHARACTER
    names = {_USER.id: _USER.name, speaker.id: speaker.name}
    return Context(
        character=speaker,
        user=_USER,
        names=names,
        config=config,
        conversation_id="sample",
        history=_talk(speaker, content if content.strip() else _QUESTION),
        memories=_recalled(speaker),
        last_session=LastSession("They parted on the pier and said that they would write.", _AT - timedelta(days=9)),
        interactions=(_interaction(speaker),),
        canon=_canon(),
        world=_ENTITIES,
        tools=(Tool("weather", "Tells the weather of the coming days."),),
    )


def _talk(speaker: Person, question: str) -> tuple[Message, ...]:
    return tuple(_message(place, text, speaker) for place, text in enumerate((*_SAID, question), start=1))


def _message(place: int, text: str, speaker: Person) -> Message:
    is_user = place % 2 == 1
    return Message(
        **_STAMPS,
        id=f"sample-message-{place}",
        conversation_id="sample",
        seq=place,
        author=Author.USER if is_user else Author.ASSISTANT,
        person_id=_USER.id if is_user else speaker.id,
        content=text,
        weight=weigh(text),
    )


def _recalled(speaker: Person) -> tuple[Recalled, ...]:
    return tuple(
        Recalled(
            replace(_memory(f"sample-memory-{place}", kind, text, importance), persons=(speaker.id, _USER.id)),
            score=score,
            parts={"vector": score},
            why="It belongs to the sample.",
        )
        for place, (kind, importance, text, score) in enumerate(_MEMORIES, start=1)
    )


def _memory(id: str, kind: MemoryType, content: str, importance: int) -> Memory:
    return Memory(**_STAMPS, id=id, type=kind, content=content, importance=importance)


def _interaction(speaker: Person) -> Interaction:
    return Interaction(
        workspace="sample",
        id="sample-interaction",
        type=InteractionType.HELP,
        description="Robin held the ladder while the lamp was taken down.",
        actor_id=_USER.id,
        interactor_id=speaker.id,
        actor_outcome=Outcome.FAVORABLE,
        interactor_outcome=Outcome.FAVORABLE,
        started_at=_AT,
        created_at=_AT,
    )


# ── its campaign ─────────────────────────────────────────────────────────────────────────────────

_LIGHTHOUSE = Entity(
    **_STAMPS,
    id="sample-lighthouse",
    kind=EntityKind.LOCATION,
    name="Grey Point",
    description="A lighthouse on a spit of rock.",
    attributes={"terrain": "rocky coast"},
    campaign_id=_OF_CAMPAIGN,
)
_HARBOUR_MASTER = Entity(
    **_STAMPS,
    id="sample-harbour-master",
    kind=EntityKind.NPC,
    name="Ansel Vik",
    description="The harbour master. He counts every lamp twice.",
    campaign_id=_OF_CAMPAIGN,
)
_ENTITIES = (_LIGHTHOUSE, _HARBOUR_MASTER)


def _canon() -> Canon:
    chapter = Chapter(
        **_STAMPS,
        id="sample-chapter",
        campaign_id=_OF_CAMPAIGN,
        number=2,
        name="The lamps of Grey Point",
        goals=("Find out who puts out the lights.",),
    )
    session = Session(
        **_STAMPS, id="sample-session", campaign_id=_OF_CAMPAIGN, chapter_id=chapter.id, number=5, started_at=_AT
    )
    tie = Relationship(
        workspace="sample",
        id="sample-tie",
        source_id=_HARBOUR_MASTER.id,
        target_id=_LIGHTHOUSE.id,
        type="distrusts",
        created_at=_AT,
    )
    return Canon(
        campaign=Campaign(
            **_STAMPS, id=_OF_CAMPAIGN, name="The Cold Coast", premise="The lights along the coast are going out."
        ),
        chapter=chapter,
        sessions=(session,),
        memories=_canon_memories(chapter, session),
        entities=_ENTITIES,
        relationships=(tie,),
    )


def _canon_memories(chapter: Chapter, session: Session) -> tuple[Memory, ...]:
    wide = [_memory(f"sample-canon-{kind.value}", kind, text, 6) for kind, text in _CANON]
    recap = _memory("sample-recap", MemoryType.SUMMARY, "The party reached Grey Point and was let in.", 6)
    so_far = _memory("sample-so-far", MemoryType.SUMMARY, "Two lamps have failed; the keeper suspects the harbour.", 6)
    found = _memory("sample-found", MemoryType.DISCOVERY, "The cellar door was opened from the inside.", 7)
    return (
        *wide,
        replace(so_far, chapter_id=chapter.id),
        replace(recap, chapter_id=chapter.id, session_id=session.id),
        replace(found, chapter_id=chapter.id, session_id=session.id),
    )
