"""One worked example: Mira and Ann, a world, a campaign; and a story of which nothing is known."""

from datetime import UTC, datetime, timedelta
from typing import Any

from everlore.compose.context import Canon, Context, Tool
from everlore.compose.values import VARIABLES
from everlore.compose.variables import Resolver
from everlore.domain.campaign import Campaign, Chapter, Entity, EntityKind, Relationship, Session
from everlore.domain.config import config_of
from everlore.domain.conversation import Author
from everlore.domain.interaction import Interaction, InteractionState, InteractionType
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.person import PersonKind
from everlore.domain.template import RoleName
from tests.turn.records import NOON, message, person

KEPT: dict[str, Any] = {"workspace": "one", "created_at": NOON, "updated_at": NOON}

MIRA = person(
    "Mira Vale",
    id="mira",
    age=28,
    gender="female",
    pronouns="she/her",
    race="elf",
    description="{{char}} mends nets in Port Sorrow. She owes {{user}} a favour. Nobody knows why she left home.",
    description_light="A net-mender with a debt.",
    personality="Dry and loyal.",
    speech_pattern="Short sentences, sea words.",
    emotional_tendency="Slow to warm.",
    scenario="{{user}} comes to the quay at dawn.",
    example_dialogue="{{user}}: Is it far?\n{{char}}: Far enough.",
    statistics={"intelligence": 15, "mental_strength": 14, "charisma": 12},
)
ANN = person(
    "Ann Reed",
    id="ann",
    kind=PersonKind.USER,
    age=31,
    gender="woman",
    race="human",
    description="Ann draws maps. She has never been to sea.",
    description_public="A stranger with ink on her hands.",
    statistics={"intelligence": 10, "mental_strength": 9, "charisma": 13},
)


def entity(name: str, kind: EntityKind, **fields: Any) -> Entity:
    return Entity(name=name, kind=kind, **{**KEPT, "id": name.lower(), **fields})


def interaction(kind: InteractionType, description: str = "", *, days: int = 0, **fields: Any) -> Interaction:
    at = NOON + timedelta(days=days)
    known = {"workspace": "one", "id": f"{kind}-{days}", "actor_id": "mira", "interactor_id": "ann", "created_at": at}
    return Interaction(type=kind, description=description, started_at=at, **{**known, **fields})


def memory(kind: MemoryType, content: str, **fields: Any) -> Memory:
    return Memory(type=kind, content=content, **{**KEPT, "id": content.lower(), "campaign_id": "tide", **fields})


def session(number: int, name: str = "") -> Session:
    at = datetime(2026, 2, number, 19, 0, tzinfo=UTC)
    return Session(**KEPT, id=f"s{number}", campaign_id="tide", number=number, name=name, started_at=at)


WORLD = (
    entity("Port Sorrow", EntityKind.LOCATION, attributes={"terrain": "rocky coast"}),
    entity("The Fens", EntityKind.LOCATION),
    entity("Old Tam", EntityKind.NPC),
    entity("Salt Guild", EntityKind.FACTION),
    entity("Grey seals", EntityKind.CREATURE),
)
CANON = Canon(
    campaign=Campaign(**KEPT, id="tide", name="The Long Tide", premise="The sea is rising."),
    chapter=Chapter(
        **KEPT, id="c2", campaign_id="tide", number=2, name="Drowned Bells", goals=("Find the bell", "Save Tam")
    ),
    sessions=(session(4, "The Crypt"), session(3)),
    memories=(
        memory(MemoryType.THEME, "Debts outlive people", importance=6),
        memory(MemoryType.THEME, "The sea takes back", importance=9),
        memory(MemoryType.SETTING, "Tides obey the bells"),
        memory(MemoryType.TONE, "Bleak, with warm hearths"),
        memory(MemoryType.FACTION, "The Salt Guild buys silence"),
        memory(MemoryType.PLOT_THREAD, "Who rings the ninth bell?"),
        memory(MemoryType.PLOT_THREAD, "Tam is missing", chapter_id="c2", session_id="s3"),
        memory(MemoryType.CANON_RULING, "Seals are no shapeshifters"),
        memory(MemoryType.RELATIONSHIP, "Guild and port are at peace"),
        memory(MemoryType.SUMMARY, "The bells have begun to ring", chapter_id="c2"),
        memory(MemoryType.OUTCOME, "The quay burnt down", chapter_id="c2"),
        memory(MemoryType.SUMMARY, "They met Tam", session_id="s3", chapter_id="c2"),
        memory(MemoryType.SUMMARY, "They opened the crypt", session_id="s4", chapter_id="c2"),
        memory(MemoryType.DECISION_POINT, "Ann keeps the key", session_id="s4", chapter_id="c2"),
        memory(MemoryType.DISCOVERY, "The crypt floods at noon", session_id="s4", valid_from=NOON + timedelta(hours=1)),
        memory(MemoryType.MOMENT, "A toast on the roof", session_id="s3"),
    ),
    entities=(
        entity("Old Tam", EntityKind.NPC, aliases=("Tam",), description="A bell-ringer. Deaf in one ear. Hums."),
        entity("Bell of Nine", EntityKind.ITEM),
    ),
    relationships=(
        Relationship(
            workspace="one",
            id="tie",
            source_id="old tam",
            target_id="salt guild",
            type="in_debt_to",
            evidence="He said so. Twice.",
            valid_to=NOON,
            created_at=NOON,
        ),
        Relationship(
            workspace="one", id="secret", source_id="old tam", target_id="hidden", type="child_of", created_at=NOON
        ),
    ),
)
KNOWN = Context(
    character=MIRA,
    user=ANN,
    names={"mira": "Mira Vale", "ann": "Ann Reed"},
    config=config_of(
        {
            "rating": "T",
            "setting": "A quay in spring",
            "use_nlp": True,
            "nlp_command": "Speak plainly. No metaphors.",
            "command": "Bring them to the crypt",
            "image_tags": ["quay", "bell"],
            "episodes": [
                {"name": "Arrival", "guidance": "Let them meet. Slowly."},
                {"name": "The Bell", "guidance": "Let the bell be heard. Nobody may see it."},
            ],
        }
    ),
    conversation_id="chat",
    history=(
        message("Where is Tam?", seq=1, person_id="ann"),
        message("Who asks?", Author.ASSISTANT, seq=2, person_id="mira"),
    ),
    episode=1,
    earlier=(
        message("I sold my boat", person_id="ann"),
        message("<think>Poor her.</think>For how much?", Author.ASSISTANT, person_id="mira"),
        message("Rain began.", Author.NARRATOR, person_id="mira"),
        message("I was there", Author.ASSISTANT, person_id="gone"),
        message("Twelve crowns"),
    ),
    interactions=(
        interaction(InteractionType.BARTER, "Ann bargains for a passage", days=2, state=InteractionState.IN_PROGRESS),
        interaction(InteractionType.HELP, "Mira mends Ann's coat", days=1),
    ),
    canon=CANON,
    world=WORLD,
    tools=(Tool("dice", "Rolls dice"), Tool("map")),
    recent_tools=("✓ dice (2m ago): result: 17",),
)
UNKNOWN = Context(character=person("Nova"), config=config_of({}))


def value(name: str, context: Context = KNOWN, role: RoleName = RoleName.SYSTEM) -> str:
    resolver = Resolver(context, VARIABLES, {})
    told = resolver.value(name, role)
    assert resolver.faults == {}
    return told
