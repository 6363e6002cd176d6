"""Reads the fields of a person from a card's document, and writes an edited person back into it.

The document is kept as it was imported. On export, each field is read from it by the same rule again, and written only
if the person's value differs. So unknown and unedited fields are exported exactly as they were imported.

Start at `read_fields` and `write_fields`; `in_version` converts a document to another version.
"""

import copy
from collections.abc import Iterator
from typing import Any, get_args

from everlore.domain.bounds import Json, Line, Name, Prose
from everlore.domain.person import Person
from everlore.errors import BadAsk
from everlore.interchange.report import Notes, shown

SPECS = {2: ("chara_card_v2", "2.0"), 3: ("chara_card_v3", "3.0")}
# Everlore's field, and the card's.
_PROSE = {
    "description": "description",
    "personality": "personality",
    "scenario": "scenario",
    "example_dialogue": "mes_example",
}
_V1 = ("name", "description", "personality", "scenario", "first_mes", "mes_example")
# The required fields of a card in each version, in their usual order.
_REQUIRED: dict[str, object] = {
    "name": "",
    "description": "",
    "personality": "",
    "scenario": "",
    "first_mes": "",
    "mes_example": "",
    "creator_notes": "",
    "system_prompt": "",
    "post_history_instructions": "",
    "alternate_greetings": [],
    "tags": [],
    "creator": "",
    "character_version": "",
    "extensions": {},
}
_REQUIRED_V3: dict[str, object] = {"group_only_greetings": []}
# Fields that cards do not have; they are stored under `extensions.everlore`.
_OWN_LINES = ("gender", "pronouns", "race")
_OWN_PROSE = ("description_light", "description_public", "speech_pattern", "emotional_tendency")
OWN_FIELDS = ("age", *_OWN_LINES, *_OWN_PROSE, "statistics")
_MOST_ITEMS = 10_000
_OLDEST = 1_000_000


def _most(bounded: Any) -> int:
    most: int = get_args(bounded)[1].most
    return most


MOST_NAME, _MOST_LINE, _MOST_PROSE = _most(Name), _most(Line), _most(Prose)


def version_of(document: Json) -> int:
    if not isinstance(document.get("data"), dict):
        return 1
    return 3 if document.get("spec") == SPECS[3][0] else 2


def has_fields(document: Json) -> bool:
    """Whether it is a character at all. Lorebooks have names and descriptions too."""
    flat_book = version_of(document) == 1 and "entries" in document and "first_mes" not in document
    if document.get("spec") == "lorebook_v3" or flat_book:
        return False
    return any(key in place for place in _places(document) for key in (*_V1, "alternate_greetings"))


def read_fields(document: Json, notes: Notes) -> dict[str, Any]:
    """The person's fields, by Everlore's names. The name may be empty; the caller chooses one then."""
    return {
        "name": _name(document, notes),
        **{field: _prose(key, _raw(document, key), notes) for field, key in _PROSE.items()},
        "greetings": _greetings(document, notes),
        "tags": _tags(_raw(document, "tags"), notes),
        **_own_fields(document, notes),
    }


def write_fields(document: Json, person: Person) -> None:
    """Write the fields in which the person differs into a document of V2 or V3."""
    before = read_fields(document, Notes())
    if person.name != before["name"]:
        _put(document, "name", person.name)
    for field, key in _PROSE.items():
        if getattr(person, field) != before[field]:
            _put(document, key, getattr(person, field))
    if person.greetings != before["greetings"]:
        first, *others = person.greetings or ("",)
        _put(document, "first_mes", first)
        _put(document, "alternate_greetings", others)
    if person.tags != before["tags"]:
        _put(document, "tags", list(person.tags))
    _write_own(document, person, before)


def in_version(document: Json, version: int) -> Json:
    """A copy of the document as V2 or V3, with all required fields if it was of another version."""
    spec, spec_version = SPECS[version]
    made = copy.deepcopy(document)
    if version_of(made) == version and made.get("spec") == spec:
        return made
    held = made.get("data")
    data: Json = held if isinstance(held, dict) else _lifted(made)
    for key, value in (_REQUIRED | (_REQUIRED_V3 if version == 3 else {})).items():
        data.setdefault(key, copy.copy(value))
    for entry in _entries(data):
        if version == 3:
            entry.setdefault("use_regex", False)
        elif isinstance(entry.get("content"), str):
            entry["content"] = _undecorated(str(entry["content"]))
    others = {key: value for key, value in made.items() if key not in ("spec", "spec_version", "data")}
    return {"spec": spec, "spec_version": spec_version, "data": data, **others}


def _lifted(flat: Json) -> Json:
    """The data of a V1 card, which is at the top level; it stays there too, for programs that read only V1."""
    data = {key: copy.deepcopy(flat[key]) for key in (*_V1, "tags") if key in flat}
    if "creatorcomment" in flat:
        data["creator_notes"] = copy.deepcopy(flat["creatorcomment"])
    return data


def _entries(data: Json) -> Iterator[Json]:
    book = data.get("character_book")
    entries = book.get("entries") if isinstance(book, dict) else None
    return (entry for entry in entries if isinstance(entry, dict)) if isinstance(entries, list) else iter(())


def _undecorated(content: str) -> str:
    """Removes the lines that only V3 defines: "@@depth 4", and its fallbacks "@@@role user"."""
    lines = content.split("\n")
    kept = [line for line in lines if not (line.startswith("@@") and line.lstrip("@")[:1].isalpha())]
    return content if len(kept) == len(lines) else "\n".join(kept).strip("\n")


def _places(document: Json) -> list[Json]:
    """The places of a field, in order of precedence: old files repeat some of `data` at the top level."""
    data = document.get("data")
    return [data, document] if isinstance(data, dict) else [document]


def _raw(document: Json, key: str) -> object:
    return next((place[key] for place in _places(document) if key in place), None)


def _put(document: Json, key: str, value: object) -> None:
    places = _places(document)
    places[0][key] = value
    for repeated in places[1:]:
        if key in repeated:
            repeated[key] = copy.copy(value)


def _text(key: str, value: object, notes: Notes, *, between: str = "\n") -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        notes.changed.add(f"{key} is a list; its texts were joined.")
        return between.join(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        notes.changed.add(f"{key} is the number {shown(value)}; it was read as text.")
        return str(value)
    notes.warnings.add(f"{key} is a {type(value).__name__} and was not read; it is kept in the card.")
    return ""


def _prose(key: str, value: object, notes: Notes) -> str:
    text = _text(key, value, notes)
    if len(text) > _MOST_PROSE:
        raise BadAsk(f"{key} has {len(text):,} characters; the most is {_MOST_PROSE:,}. Move some into a lorebook.")
    return text


def _name(document: Json, notes: Notes) -> str:
    name = _text("name", _raw(document, "name"), notes, between=", ")
    if len(name) > MOST_NAME:
        notes.changed.add(f"The name has {len(name):,} characters; it was cut after {MOST_NAME}.")
    return name[:MOST_NAME] if name.strip() else ""


def _greetings(document: Json, notes: Notes) -> tuple[str, ...]:
    first = _prose("first_mes", _raw(document, "first_mes"), notes)
    others = _items("alternate_greetings", _raw(document, "alternate_greetings"), notes)
    texts = [first, *(_prose(f"alternate_greetings[{at}]", each, notes) for at, each in others)]
    return tuple(text for text in texts if text.strip())


def _tags(value: object, notes: Notes) -> tuple[str, ...]:
    if isinstance(value, str):
        notes.changed.add("tags is a text; it was split at the commas.")
        value = [part.strip() for part in value.split(",")]
    texts = [_text(f"tags[{at}]", each, notes) for at, each in _items("tags", value, notes)]
    if any(len(text) > MOST_NAME for text in texts):
        notes.changed.add(f"Tags of more than {MOST_NAME} characters were cut.")
    return tuple(text[:MOST_NAME] for text in texts if text.strip())


def _items(key: str, value: object, notes: Notes) -> list[tuple[int, object]]:
    if value is None:
        return []
    if isinstance(value, str):
        notes.changed.add(f"{key} is one text instead of a list.")
        return [(0, value)]
    if not isinstance(value, list):
        notes.warnings.add(f"{key} is a {type(value).__name__} and was not read; it is kept in the card.")
        return []
    if len(value) > _MOST_ITEMS:
        raise BadAsk(f"{key} has {len(value):,} items; the most is {_MOST_ITEMS:,}. Leave some out.")
    return list(enumerate(value))


def _own(document: Json) -> Json:
    extensions = _places(document)[0].get("extensions")
    own = extensions.get("everlore") if isinstance(extensions, dict) else None
    return own if isinstance(own, dict) else {}


def _own_fields(document: Json, notes: Notes) -> dict[str, Any]:
    """Everlore's own fields. Invalid ones are ignored: the card is untrusted."""
    fields: dict[str, Any] = {}
    for field, value in _own(document).items():
        if field in OWN_FIELDS and _fits(field, value):
            fields[field] = value
        elif field in OWN_FIELDS:
            notes.warnings.add(f"extensions.everlore.{field} is {shown(value)} and was not read.")
    return fields


def _fits(field: str, value: object) -> bool:
    if field == "age":
        return type(value) is int and 0 <= value <= _OLDEST
    if field == "statistics":
        return isinstance(value, dict) and all(type(each) is int and 1 <= each <= 20 for each in value.values())
    return isinstance(value, str) and len(value) <= (_MOST_LINE if field in _OWN_LINES else _MOST_PROSE)


def _write_own(document: Json, person: Person, before: dict[str, Any]) -> None:
    unset: dict[str, object] = {"age": None, "statistics": {}}
    changed = {
        field: getattr(person, field)
        for field in OWN_FIELDS
        if getattr(person, field) != before.get(field, unset.get(field, ""))
    }
    if changed:
        data = _places(document)[0]
        extensions = data.get("extensions")
        # Unset fields are left out.
        own = {
            key: value
            for key, value in {**_own(document), **changed}.items()
            if key not in changed or value != unset.get(key, "")
        }
        data["extensions"] = {**(extensions if isinstance(extensions, dict) else {}), "everlore": own}
