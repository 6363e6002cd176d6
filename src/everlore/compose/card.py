"""Texts in a character's card that are for the prompt. Pure."""

from everlore.domain.person import Person, PersonKind


def card_text(character: Person, name: str) -> str:
    """A text of the card that the character came with; otherwise empty."""
    card = character.extensions.get("card")
    data = card.get("data") if isinstance(card, dict) else None
    text = data.get(name) if isinstance(data, dict) else None
    return text if isinstance(text, str) and text.strip() else ""


def has_card(character: Person) -> bool:
    """Whether there is anything to play: a description, a personality, a greeting. A narrator always has a role."""
    told = (
        character.description,
        character.description_light,
        character.description_public,
        character.personality,
        character.speech_pattern,
        character.emotional_tendency,
        character.scenario,
        character.example_dialogue,
        *character.greetings,
        card_text(character, "system_prompt"),
    )
    return character.kind is PersonKind.NARRATOR or any(text.strip() for text in told)
