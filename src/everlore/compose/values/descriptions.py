"""Descriptions of the two speakers: in full, in short, and for strangers (P5)."""

from everlore.compose.values.people import Fill, filled, of_both, one_line
from everlore.compose.values.wording import joined, labelled, opening
from everlore.compose.variables import Variable, VariableView
from everlore.domain.person import Person

_LIGHT_CHARS = 300


def _full(person: Person, fill: Fill) -> str:
    parts = (
        _outside(person, fill),
        labelled("Personality", fill(person.personality).strip()),
        labelled("Way of speaking", fill(person.speech_pattern).strip()),
        labelled("Emotional tendency", fill(person.emotional_tendency).strip()),
        labelled("Scenario", fill(person.scenario).strip()),
    )
    return joined(parts, "\n\n")


def _outside(person: Person, fill: Fill) -> str:
    return joined((_traits(person, fill), fill(person.description).strip()), "\n\n")


def _traits(person: Person, fill: Fill) -> str:
    traits = (
        ("Age", "" if person.age is None else str(person.age)),
        ("Gender", person.gender),
        ("Pronouns", person.pronouns),
        ("Race", person.race),
    )
    told = (labelled(label, one_line(fill(text))) for label, text in traits)
    return " ".join(f"{trait}." for trait in told if trait)


def _light(person: Person, fill: Fill) -> str:
    short = fill(person.description_light).strip()
    return short or opening(fill(person.description), sentences=2, most=_LIGHT_CHARS)


def _public(person: Person, fill: Fill) -> str:
    return fill(person.description_public).strip() or _light(person, fill)


def _scenario(view: VariableView) -> str:
    return filled(view, view.context.character.scenario)


def _example_dialogue(view: VariableView) -> str:
    return filled(view, view.context.character.example_dialogue)


VARIABLES = of_both(
    {
        "characterDesc": (_full, "traits, description, personality, way of speaking and scenario"),
        "about": (_outside, "traits and description, without what the perspective covers"),
        "characterDescLight": (_light, "description in short, or how the full one begins"),
        "characterDescPublic": (_public, "description as others know it, or the short one"),
    }
) | {
    "system.scenario": Variable(_scenario, "The scenario of the character's card."),
    "system.exampleDialogue": Variable(_example_dialogue, "The example dialogue of the character's card."),
}
