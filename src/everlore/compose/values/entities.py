"""Entities of the campaign's world that the conversation mentions, and their relationships (P5, P11, G6)."""

from collections.abc import Mapping

from everlore.compose.values.people import one_line
from everlore.compose.values.wording import bullets, joined, opening
from everlore.compose.variables import Pace, Variable, VariableView
from everlore.domain.campaign import Entity, Relationship

_MOST_CHARS = 300


def _mentioned(view: VariableView) -> str:
    canon = view.context.canon
    return bullets(_entity(entity) for entity in canon.entities) if canon else ""


def _entity(entity: Entity) -> str:
    also = joined(map(one_line, entity.aliases), ", ")
    hidden = joined(map(one_line, entity.hidden_aliases), ", ")
    kind = joined(
        (
            entity.kind.value,
            f"also {also}" if also else "",
            f"also, which the players do not know, {hidden}" if hidden else "",
        ),
        "; ",
    )
    description = opening(entity.description, sentences=2, most=_MOST_CHARS)
    return joined((f"{one_line(entity.name)} ({kind})", description), ": ")


def _relationships(view: VariableView) -> str:
    canon = view.context.canon
    if canon is None:
        return ""
    names = {entity.id: entity.name for entity in (*view.context.world, *canon.entities)}
    # Relationships to unlisted entities are left out: these may be a secret.
    known = [tie for tie in canon.relationships if tie.source_id in names and tie.target_id in names]
    return bullets(_tie(tie, names) for tie in known)


def _tie(tie: Relationship, names: Mapping[str, str]) -> str:
    ended = f" (until {tie.valid_to.date()})" if tie.valid_to else ""
    told = f"{names[tie.source_id]} → {tie.type.replace('_', ' ')} → {names[tie.target_id]}{ended}"
    return joined((told, opening(tie.evidence, sentences=1, most=_MOST_CHARS)), ": ")


VARIABLES = {
    "entities.mentioned": Variable(
        _mentioned, "The entities that are mentioned, one per line.", pace=Pace.EACH_TURN, part="session"
    ),
    "relationships.context": Variable(
        _relationships, "The relationships between the entities of the world.", pace=Pace.EACH_TURN, part="session"
    ),
}
