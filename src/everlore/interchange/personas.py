"""Personas of SillyTavern: the characters that its user plays (V9). Pure.

In: `settings.json` of SillyTavern, or the file of its "Backup" button for personas. Out: names and descriptions.
Pictures are separate files there. Start at `read_personas`.
"""

from dataclasses import dataclass
from typing import get_args

from everlore.domain.bounds import Json, Name, Prose
from everlore.errors import BadAsk
from everlore.interchange import jsontext
from everlore.interchange.report import Notes, Report, counted, shown

MOST_BYTES = 20_000_000
_MOST_PERSONAS = 1_000
_MOST_NAME: int = get_args(Name)[1].most
_MOST_PROSE: int = get_args(Prose)[1].most


@dataclass(frozen=True, slots=True)
class ImportedPersona:
    name: str
    description: str


def read_personas(data: bytes) -> tuple[tuple[ImportedPersona, ...], Report]:
    if len(data) > MOST_BYTES:
        raise BadAsk(f"The file has {len(data):,} bytes; the most is {MOST_BYTES:,}. Use a backup of the personas.")
    notes = Notes()
    document = jsontext.parse(data, notes, what="the personas")
    names, descriptions = _parts(document)
    if len(names) > _MOST_PERSONAS:
        raise BadAsk(f"The file has {len(names):,} personas; the most is {_MOST_PERSONAS:,}. Remove some first.")
    found = []
    for file, name in names.items():
        if not isinstance(name, str) or not name.strip():
            notes.dropped.add(f"The persona of {shown(file)} has no name.")
            continue
        found.append(
            ImportedPersona(" ".join(name.split())[:_MOST_NAME], _description(descriptions.get(file))[:_MOST_PROSE])
        )
    notes.kept.add(f"{counted(len(found), 'persona')}.")
    if found:
        notes.warnings.add("The file has no pictures. Add them on the page of each persona.")
    return tuple(found), notes.report("SillyTavern personas")


def _parts(document: object) -> tuple[Json, Json]:
    if isinstance(document, dict):
        inside = document.get("power_user")
        held = inside if isinstance(inside, dict) else document
        names, descriptions = held.get("personas"), held.get("persona_descriptions")
        if isinstance(names, dict):
            return names, descriptions if isinstance(descriptions, dict) else {}
    raise BadAsk("This file has no personas. Choose settings.json of SillyTavern, or a backup of its personas.")


def _description(value: object) -> str:
    text = value.get("description") if isinstance(value, dict) else value
    return text.strip() if isinstance(text, str) else ""
