"""Character cards V1, V2 and V3, as JSON, inside a PNG, or as CHARX (V9, S-5).

In: the bytes of an untrusted file. Out: a `Card`, whose `person_fields` make a Person, and which keeps the whole
document, so that an export differs from the import only by the edits.

Start at `read_card` and `write_file`.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Literal

from everlore.domain.bounds import Json
from everlore.domain.person import Person
from everlore.errors import BadAsk
from everlore.interchange import jsontext
from everlore.interchange.cardfields import (
    MOST_NAME,
    OWN_FIELDS,
    SPECS,
    has_fields,
    in_version,
    read_fields,
    version_of,
    write_fields,
)
from everlore.interchange.charx import CARD, MOST_ENTRIES, read_charx, write_charx
from everlore.interchange.media import extension, is_image
from everlore.interchange.pngfile import MOST_CARD_BYTES, SIGNATURE, avatar, read_png, write_png
from everlore.interchange.report import Notes, Report, counted, shown
from everlore.interchange.zips import is_plain_path

Format = Literal["json", "png", "charx"]
Version = Literal[2, 3]
# The key of the document in a person's `extensions`.
KEPT = "card"
UNNAMED = "Unnamed"
_ZIP = b"PK\x03\x04"
_JPEG = b"\xff\xd8\xff"
_EMBEDDED = ("embeded://", "embedded://")  # the first is how the specification spells it
_NO_FILES: Mapping[str, bytes] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """`image` is the portrait; `assets` are all files that came with the card, by the names it uses."""

    name: str
    description: str = ""
    personality: str = ""
    scenario: str = ""
    greetings: tuple[str, ...] = ()
    example_dialogue: str = ""
    tags: tuple[str, ...] = ()
    # Fields that only Everlore has, if it wrote the card.
    own: Json = field(default_factory=dict)
    document: Json
    image: bytes | None = None
    assets: Mapping[str, bytes] = field(default_factory=dict)
    report: Report


@dataclass(frozen=True, slots=True)
class _Carried:
    """The contents of the file: the texts of a card, best first, and the files with them."""

    format: str
    cards: Mapping[str, bytes | BadAsk]
    image: bytes | None = None
    assets: Mapping[str, bytes] = field(default_factory=dict)


def read_card(data: bytes, filename: str = "") -> Card:
    """`filename` is the character's name if the card has none."""
    carried = _carried(data)
    notes, document = _document(carried)
    fields = read_fields(document, notes)
    name = fields.pop("name") or _name_from(filename, notes)
    own = {key: fields.pop(key) for key in OWN_FIELDS if key in fields}
    _note_document(document, notes)
    assets = _safe_assets(carried.assets, notes)
    return Card(
        name=name,
        **fields,
        own=own,
        document=document,
        image=carried.image or _icon(document, assets, notes),
        assets=assets,
        report=notes.report(f"Character Card V{version_of(document)} ({carried.format})"),
    )


def person_fields(card: Card) -> dict[str, Any]:
    """The fields of a new Person, except its workspace, id and times."""
    return {
        "name": card.name,
        "description": card.description,
        "personality": card.personality,
        "scenario": card.scenario,
        "greetings": card.greetings,
        "example_dialogue": card.example_dialogue,
        "tags": card.tags,
        **card.own,
        "extensions": {KEPT: card.document},
    }


def write_card(person: Person, *, version: Version) -> Json:
    """The card's document: the person's present fields, and everything else as it was imported."""
    if version not in SPECS:
        raise BadAsk(f"Cards are written as V2 or V3, and the version is {version!r}. Choose 2 or 3.")
    kept = person.extensions.get(KEPT)
    document = in_version(kept if isinstance(kept, dict) else {}, version)
    write_fields(document, person)
    return document


def write_file(
    person: Person,
    *,
    format: Format,
    version: Version = 3,
    image: bytes | None = None,
    assets: Mapping[str, bytes] = _NO_FILES,
) -> bytes:
    """A file for other programs. A PNG of V3 also contains V2, for older programs."""
    if format == "json":
        return jsontext.dump(write_card(person, version=version))
    if format == "png":
        cards = {"chara": jsontext.dump(write_card(person, version=2))}
        if version == 3:
            cards["ccv3"] = jsontext.dump(write_card(person, version=3))
        return write_png(image or avatar(person.name), cards, assets)
    if format == "charx":
        return _write_charx(person, version, image, assets)
    raise BadAsk(f"A card can be written as json, png or charx, and not as {format!r}. Choose one of them.")


def _write_charx(person: Person, version: Version, image: bytes | None, assets: Mapping[str, bytes]) -> bytes:
    if version != 3:
        raise BadAsk("A CHARX file holds a V3 card only. Export V3, or choose json or png for V2.")
    document = write_card(person, version=3)
    files = dict(assets)
    if image is not None:
        files[_icon_path(document, image)] = image
    return write_charx({CARD: jsontext.dump(document), **files})


def _carried(data: bytes) -> _Carried:
    if data.startswith(SIGNATURE):
        return _carried_by_png(data)
    if data.startswith(_JPEG) and _ZIP not in data:
        raise BadAsk("The JPEG is a picture without a card. Choose the original file: image sites remove cards.")
    if data.startswith((_ZIP, _JPEG)):
        return _carried_by_charx(data)
    if len(data) > MOST_CARD_BYTES:
        raise BadAsk(f"The file has {len(data):,} bytes; a card as JSON has at most {MOST_CARD_BYTES:,}. Use CHARX.")
    if data.lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n")[:1] not in (b"{", b"["):
        raise BadAsk("This is no card, chat or lorebook: it is neither JSON, nor PNG, nor CHARX. Choose another file.")
    return _Carried("JSON", {"the card": data})


def _carried_by_png(data: bytes) -> _Carried:
    found = read_png(data)
    if not found.cards and _ZIP in found.trailing:
        return _carried_by_charx(data)
    if not found.cards:
        raise BadAsk("The PNG is a picture without a card. Choose the original file: image sites remove cards.")
    cards = {f"the card in {keyword}": card for keyword, card in found.cards.items()}
    return _Carried("PNG", cards, found.picture, found.assets)


def _carried_by_charx(data: bytes) -> _Carried:
    files = read_charx(data)
    card = files.pop(CARD, None)
    if card is None:
        raise BadAsk(f"The zip file has no {CARD} at its root, so it is no CHARX. Choose another file.")
    if len(card) > MOST_CARD_BYTES:
        raise BadAsk(f"{CARD} has {len(card):,} bytes; the most is {MOST_CARD_BYTES:,}. Take large values out of it.")
    return _Carried("CHARX", {CARD: card}, assets=files)


def _document(carried: _Carried) -> tuple[Notes, Json]:
    """The best readable card, and the notes from reading it."""
    refused: dict[str, BadAsk] = {}
    for what, card in carried.cards.items():
        notes = Notes()
        try:
            document = _parsed(card, notes, what)
        except BadAsk as error:
            refused[what] = error
            continue
        for other, reason in refused.items():
            notes.warnings.add(f"{other[:1].upper()}{other[1:]} could not be read, so Everlore used {what}: {reason}")
        if len(carried.cards) > 1 and not refused:
            notes.dropped.add("The older copy of the card in the same file. Exports contain it again.")
        return notes, document
    raise next(iter(refused.values()))


def _parsed(card: bytes | BadAsk, notes: Notes, what: str) -> Json:
    if isinstance(card, BadAsk):
        raise card
    document = jsontext.parse(card, notes, what=what)
    if not isinstance(document, dict):
        raise BadAsk(f"A card is a JSON object, and {what} is a {type(document).__name__}. Choose another file.")
    if not has_fields(document):
        raise BadAsk("This is not a character card: it has no name, description or greeting. Choose another file.")
    jsontext.check_keepable(document, what=what)
    return document


def _name_from(filename: str, notes: Notes) -> str:
    stem = PurePosixPath(filename.replace("\\", "/")).stem
    name = "".join(each for each in stem if each.isprintable())[:MOST_NAME].strip()
    notes.changed.add(f"The card has no name; the character is called {shown(name or UNNAMED)}.")
    return name or UNNAMED


def _note_document(document: Json, notes: Notes) -> None:
    version = version_of(document)
    if version > 1:
        _note_spec(document, version, notes)
    data = document.get("data")
    if isinstance(data, dict) and isinstance(book := data.get("character_book"), dict):
        entries = book.get("entries")
        count = len(entries) if isinstance(entries, list) else 0
        notes.kept.add(f"The lorebook with {counted(count, 'entry', 'entries')}.")
    remote = sum(str(each.get("uri", "")).lower().startswith(("http:", "https:")) for each in _asset_list(document))
    if remote:
        notes.warnings.add(f"{counted(remote, 'file')} linked on the web. Nothing was downloaded; the links are kept.")
    notes.kept.add("The original card, for export.")


def _note_spec(document: Json, version: int, notes: Notes) -> None:
    spec, spec_version = document.get("spec"), document.get("spec_version")
    if spec != SPECS[version][0]:
        notes.warnings.add(f"The card says it is {shown(spec)}, which is unknown; it was read as V{version}.")
    try:
        newer = float(str(spec_version)) > version
    except ValueError:
        notes.warnings.add(f"The card's spec_version is {shown(spec_version)}, which is not a number.")
        return
    if newer:
        notes.warnings.add(
            f"The card is of version {shown(spec_version)}, newer than V{version}, the latest supported. "
            "It was imported; its new features are kept but have no effect."
        )


def _safe_assets(assets: Mapping[str, bytes], notes: Notes) -> dict[str, bytes]:
    if len(assets) > MOST_ENTRIES:
        raise BadAsk(f"The card comes with {len(assets):,} files; the most is {MOST_ENTRIES:,}. Leave some out.")
    safe = {name: content for name, content in assets.items() if _is_asset_path(name)}
    for name in assets:
        if name not in safe:
            notes.dropped.add(f"The file {shown(name)}: its path is not allowed.")
    if safe:
        notes.kept.add(f"{counted(len(safe), 'file')} that came with the card.")
    return safe


def _is_asset_path(name: str) -> bool:
    return is_plain_path(name) and not name.endswith("/") and name.casefold() != CARD


def _asset_list(document: Json) -> list[Json]:
    data = document.get("data")
    listed = data.get("assets") if isinstance(data, dict) else None
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _main_icon(document: Json) -> Json | None:
    icons = [each for each in _asset_list(document) if each.get("type") == "icon"]
    return next((each for each in icons if each.get("name") == "main"), icons[0] if icons else None)


def _icon(document: Json, assets: Mapping[str, bytes], notes: Notes) -> bytes | None:
    icon = _main_icon(document)
    if icon is None or icon.get("uri") == "ccdefault:":
        return None
    found = _at(str(icon.get("uri", "")), assets)
    if found is None or not is_image(found):
        notes.warnings.add("The card's icon is missing, or its picture format is not supported.")
        return None
    return found


def _at(uri: str, assets: Mapping[str, bytes]) -> bytes | None:
    path = _embedded_path(uri)
    if path is not None:
        return assets.get(path)
    head, comma, text = uri.partition(",")
    if not (comma and head.startswith("data:") and head.endswith(";base64")):
        return None
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _embedded_path(uri: str) -> str | None:
    return next((uri.removeprefix(scheme) for scheme in _EMBEDDED if uri.startswith(scheme)), None)


def _icon_path(document: Json, image: bytes) -> str:
    """The path of the portrait in the archive, which is also written into the document."""
    icon = _main_icon(document)
    told = _embedded_path(str(icon.get("uri", ""))) if icon is not None else None
    if told is not None and _is_asset_path(told):
        return told
    path = f"assets/icon/images/main.{extension(image)}"
    entry = {"type": "icon", "uri": f"{_EMBEDDED[0]}{path}", "name": "main", "ext": extension(image)}
    if icon is not None:
        icon.update(entry)
        return path
    data: Any = document["data"]
    listed = data.get("assets")
    data["assets"] = [*(listed if isinstance(listed, list) else []), entry]
    return path
