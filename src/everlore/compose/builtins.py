"""The templates that come with Everlore (P7), one JSON file each; the name of the file is the id.

They are read at the first use. Start at `find_built_in`, or at `default_for`.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from everlore.compose.card import has_card
from everlore.domain.campaign import Campaign
from everlore.domain.person import Person, PersonKind
from everlore.domain.template import TemplateDocument

_SUFFIX = ".json"


@cache
def built_in() -> Mapping[str, TemplateDocument]:
    """All built-in templates by id."""
    folder = files("everlore.compose").joinpath("builtin")
    found = sorted((file for file in folder.iterdir() if file.name.endswith(_SUFFIX)), key=lambda file: file.name)
    return MappingProxyType(
        {
            file.name.removesuffix(_SUFFIX): TemplateDocument.model_validate_json(file.read_text(encoding="utf-8"))
            for file in found
        }
    )


def find_built_in(name_or_id: str) -> TemplateDocument | None:
    by_name = {document.name: document for document in built_in().values()}
    return built_in().get(name_or_id) or by_name.get(name_or_id)


def default_for(character: Person, campaign: Campaign | None = None, *, is_scene: bool = False) -> str:
    """The id of the default template for a conversation. `campaign`: the one that is played in it; the character who
    runs its game is a game master, and so is a narrator. A character without a card is a plain assistant, except in a
    scene with others."""
    is_master = campaign is not None and (character.kind is PersonKind.NARRATOR or character.id == campaign.gm_id)
    if is_master:
        return "game-master"
    return "base-roleplay" if is_scene or campaign is not None or has_card(character) else "assistant"
