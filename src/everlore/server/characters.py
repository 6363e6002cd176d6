"""Routes for characters and users, their cards and their pictures."""

from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response
from pydantic import BaseModel, Field

from everlore.domain.media import MOST_BYTES as MOST_PICTURE_BYTES
from everlore.domain.person import Person, PersonKind
from everlore.domain.roll import chance_of
from everlore.domain.scope import NOBODY
from everlore.interchange.charx import MOST_FILE_BYTES as MOST_CARD_FILE_BYTES
from everlore.interchange.personas import MOST_BYTES as MOST_PERSONA_BYTES
from everlore.server.access import Lore, read_upload
from everlore.server.login import NEEDED, unauthorised
from everlore.server.routing import Router, upload
from everlore.server.wire import Given, ImportReport, ListOf, RecordModel, Text


class CharacterFields(Given):
    kind: PersonKind = PersonKind.CHARACTER
    age: int | None = None
    gender: str = ""
    pronouns: str = ""
    race: str = ""
    description: str = ""
    description_light: str = ""
    description_public: str = ""
    personality: str = ""
    speech_pattern: str = ""
    emotional_tendency: str = ""
    scenario: str = ""
    greetings: tuple[str, ...] = ()
    example_dialogue: str = ""
    statistics: dict[str, Any] = Field(default_factory=dict)
    memory_profile: str = ""
    models: dict[str, Any] = Field(default_factory=dict)
    tags: tuple[str, ...] = ()
    extensions: dict[str, Any] = Field(default_factory=dict)


class NewCharacter(CharacterFields):
    name: str


class CharacterChanges(CharacterFields):
    """Only the fields that are sent are changed."""

    name: str = ""


class Character(RecordModel, record=Person):
    gossip_slip_chance: float = Field(description="How likely the character lets gossip slip, from 0 to 1.")
    avatar_url: str | None


class ImportedPersonas(BaseModel):
    items: list[Character]
    report: ImportReport


class ImportedCharacter(BaseModel):
    character: Character
    report: ImportReport


class CardTexts(Given):
    """The texts of an unsaved card, by field name."""

    texts: dict[str, Text] = Field(max_length=100)


class CardTokens(BaseModel):
    tokens: dict[str, int]


def character_out(person: Person) -> Character:
    return Character.of(person, avatar_url=avatar_url(person), gossip_slip_chance=chance_of(person))


def avatar_url(person: Person) -> str | None:
    return f"/api/media/{person.avatar}" if person.avatar else None


class Me(BaseModel):
    workspace: str
    role: str
    user: Character


router = Router(prefix="/api", tags=["characters"])
_TYPES = {"json": "application/json", "png": "image/png", "charx": "application/zip"}
# Types that a browser shows as a picture or plays, and none that it would run.
_SHOWN = ("image/png", "image/jpeg", "image/webp", "image/gif", "audio/", "video/")


@router.get("/me")
async def me(lore: Lore) -> Me:
    if lore.scope.confined_to == NOBODY:
        # Even if anonymous callers may look around: without a token nobody is the owner.
        raise unauthorised(NEEDED)
    return Me(workspace=lore.scope.workspace, role=lore.scope.role.value, user=character_out(await lore.user()))


@router.get("/characters")
async def list_characters(
    lore: Lore,
    kind: PersonKind | None = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 50,
    cursor: str | None = None,
) -> ListOf[Character]:
    page = await lore.characters.list(kind=kind, limit=limit, cursor=cursor)
    return ListOf[Character](items=[character_out(each) for each in page.items], next=page.cursor)


@router.post("/characters", status_code=201)
async def create_character(lore: Lore, new: NewCharacter) -> Character:
    return character_out(await lore.characters.create(**dict(new)))


@router.post("/characters/personas", status_code=201, openapi_extra=upload(MOST_PERSONA_BYTES))
async def import_personas(lore: Lore, request: Request) -> ImportedPersonas:
    """Imports SillyTavern personas from its `settings.json` or from a backup of personas. Each becomes a person whom
    the user can speak as (`user_id` of a conversation), with memories of its own."""
    made, report = await lore.characters.read_personas(await read_upload(request))
    return ImportedPersonas(items=[character_out(each) for each in made], report=ImportReport.of(report))


@router.post("/characters/import", status_code=201, openapi_extra=upload(MOST_CARD_FILE_BYTES))
async def import_character(lore: Lore, request: Request, filename: str = "") -> ImportedCharacter:
    """Imports a character card: JSON, PNG or CHARX, V1, V2 or V3. The report lists what was imported."""
    imported = await lore.characters.read_file(await read_upload(request), filename)
    return ImportedCharacter(character=character_out(imported.person), report=ImportReport.of(imported.report))


@router.post("/characters/tokens")
async def count_card_tokens(lore: Lore, card: CardTexts) -> CardTokens:
    """Returns the number of tokens of each field of a card. Nothing is stored."""
    return CardTokens(tokens={name: lore.resources.tokenizer.count(text) for name, text in card.texts.items()})


@router.get("/characters/{id}")
async def get_character(lore: Lore, id: str) -> Character:
    return character_out(await lore.characters.get(id))


@router.patch("/characters/{id}")
async def change_character(lore: Lore, id: str, changes: CharacterChanges) -> Character:
    sent = {name: getattr(changes, name) for name in changes.model_fields_set}
    return character_out(await lore.characters.change(id, **sent))


@router.delete("/characters/{id}", status_code=204)
async def delete_character(lore: Lore, id: str) -> None:
    """Deletes a character for good. Its conversations stay readable."""
    await lore.characters.delete(id)


@router.put("/characters/{id}/avatar", openapi_extra=upload(MOST_PICTURE_BYTES))
async def set_avatar(lore: Lore, request: Request, id: str) -> Character:
    """Sets the character's picture from the body."""
    return character_out(await lore.characters.picture(id, await read_upload(request)))


@router.get("/characters/{id}/export", response_class=Response)
async def export_character(
    lore: Lore,
    id: str,
    format: Literal["json", "png", "charx"] = "json",
    version: Annotated[int, Query(ge=2, le=3)] = 3,
) -> Response:
    """Exports the character as a card for other programs."""
    data = await lore.characters.write_file(id, format=format, version=2 if version == 2 else 3)
    headers = {"Content-Disposition": f'attachment; filename="{id}.{format}"'}
    return Response(data, media_type=_TYPES[format], headers=headers)


@router.get("/media/{id}", response_class=Response)
async def get_media(lore: Lore, id: str) -> Response:
    media = await lore.characters.media(id)
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    if not media.type.startswith(_SHOWN):
        headers["Content-Disposition"] = "attachment"
    return Response(media.content, media_type=media.type, headers=headers)
