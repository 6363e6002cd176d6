"""Words that a character's card brings along for the prompt. Pure."""

from everlore.domain.person import Person


def card_text(character: Person, name: str) -> str:
    """A text of the card that the character came with; else nothing."""
    card = character.extensions.get("card")
    data = card.get("data") if isinstance(card, dict) else None
    text = data.get(name) if isinstance(data, dict) else None
    return text if isinstance(text, str) and text.strip() else ""
