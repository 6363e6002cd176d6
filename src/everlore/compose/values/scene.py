"""The scene: place, persons and things present, and what is going on (P5)."""

import hashlib
from collections.abc import Collection, Iterable

from everlore.compose.context import Context
from everlore.compose.values.people import one_line
from everlore.compose.values.wording import joined, labelled
from everlore.compose.variables import Pace, Variable, VariableView
from everlore.domain.campaign import Entity, EntityKind
from everlore.domain.interaction import Interaction, InteractionState, Tone, tone_of

_RANDOM = "random"
_SETTINGS = (
    "a harbour town on a foggy morning",
    "a night train across the plains",
    "a mountain inn in a snowstorm",
    "a crowded market square at noon",
    "a library after closing time",
    "an ageing station in orbit around a gas giant",
    "a caravan that rests in the desert at dusk",
    "a forest clearing after rain",
    "a lighthouse on a rocky island",
    "the kitchen of a castle before a feast",
    "a small café in a side street",
    "the ruins of a temple at sunrise",
)
_PEOPLE = frozenset({EntityKind.NPC, EntityKind.PERSON, EntityKind.FACTION})
_ALIGNMENTS = {Tone.POSITIVE: "good", Tone.NEUTRAL: "neutral", Tone.NEGATIVE: "evil"}


def _setting(view: VariableView) -> str:
    setting = view.context.config.setting.strip()
    return _drawn_setting(view.context.conversation_id) if setting.lower() == _RANDOM else setting


def _drawn_setting(conversation_id: str) -> str:
    """The same in every turn of a conversation."""
    digest = hashlib.blake2b(conversation_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return _SETTINGS[int.from_bytes(digest, "big") % len(_SETTINGS)]


def _scene(view: VariableView) -> str:
    return view.get("system.scenario") or view.get("setting")


def _scene_made(view: VariableView) -> str:
    under_way = _latest(each for each in view.context.interactions if each.state is InteractionState.IN_PROGRESS)
    parts = (
        ("Setting", view.get("setting")),
        ("Terrain", view.get("location.terrains")),
        ("Present", _listed(view.context.names.values())),
        ("Happening", under_way.description if under_way else ""),
    )
    # One line each: a setting cannot imitate the list of persons.
    return joined(labelled(label, one_line(text)) for label, text in parts)


def _terrains(view: VariableView) -> str:
    return _listed(_terrain(place) for place in _entities(view.context, {EntityKind.LOCATION}))


def _terrain(place: Entity) -> str:
    terrain = place.attributes.get("terrain")
    return terrain if isinstance(terrain, str) and terrain.strip() else place.name


def _people(view: VariableView) -> str:
    return _listed(entity.name for entity in _entities(view.context, _PEOPLE))


def _animals(view: VariableView) -> str:
    return _listed(entity.name for entity in _entities(view.context, {EntityKind.CREATURE}))


def _entities(context: Context, kinds: Collection[EntityKind]) -> list[Entity]:
    return [entity for entity in context.world if entity.kind in kinds]


def _listed(names: Iterable[str]) -> str:
    return joined(dict.fromkeys(map(one_line, names)), ", ")


def _alignment(view: VariableView) -> str:
    latest = _latest(view.context.interactions)
    return _ALIGNMENTS[tone_of(latest.type)] if latest else ""


def _interaction(view: VariableView) -> str:
    latest = _latest(view.context.interactions)
    return latest.description.strip() if latest else ""


def _latest(interactions: Iterable[Interaction]) -> Interaction | None:
    return max(interactions, key=lambda each: (each.started_at, each.id), default=None)


VARIABLES = {
    "scene": Variable(_scene, "The scenario of the character's card, or the setting."),
    "scene.auto": Variable(
        _scene_made,
        "The scene as a block: setting, terrain, who is present, what is going on.",
        pace=Pace.SLOW,
        part="session",
    ),
    "setting": Variable(_setting, 'Where and when it takes place; "random" picks one for each conversation.'),
    "location.terrains": Variable(_terrains, "The terrains of the places of the world.", pace=Pace.SLOW),
    "population.people": Variable(_people, "The people and factions of the world.", pace=Pace.SLOW),
    "population.animals": Variable(_animals, "The creatures of the world.", pace=Pace.SLOW),
    "event.alignment": Variable(_alignment, "The latest interaction: good, neutral or evil.", pace=Pace.SLOW),
    "interaction.description": Variable(
        _interaction, "What happened in the latest interaction.", pace=Pace.SLOW, part="session"
    ),
}
