"""What a prompt says about a character, out of its fields and of the card it came with. Pure."""

from collections.abc import Iterator

from everlore.domain.person import Person

_TRAITS = (("Age", "age"), ("Gender", "gender"), ("Pronouns", "pronouns"), ("Race", "race"))
_PROSE = (
    ("Personality", "personality"),
    ("Way of speaking", "speech_pattern"),
    ("Emotional tendency", "emotional_tendency"),
    ("Scenario", "scenario"),
)


def describe(character: Person) -> Iterator[str]:
    """One section each, with its heading and with its macros; nothing for what is empty."""
    traits = [f"{label}: {getattr(character, name)}" for label, name in _TRAITS if getattr(character, name)]
    if traits:
        yield "\n".join(traits)
    if character.description:
        yield character.description
    for label, name in _PROSE:
        if getattr(character, name):
            yield f"{label}: {getattr(character, name)}"
    if character.example_dialogue:
        yield f"How {{{{char}}}} talks, by example:\n{character.example_dialogue}"


def card_text(character: Person, name: str) -> str:
    """A text of the card that the character came with; else nothing."""
    card = character.extensions.get("card")
    data = card.get("data") if isinstance(card, dict) else None
    text = data.get(name) if isinstance(data, dict) else None
    return text if isinstance(text, str) and text.strip() else ""
