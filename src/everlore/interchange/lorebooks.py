"""Lorebooks: World Info of SillyTavern, the `character_book` of a card, and lorebooks of NovelAI (G12, V9).

In: the bytes of a file. Out: a `Lorebook` of entries with a name, keys and a text. Each keeps its original fields, so
that an export differs only by the edits. Start at `read_lorebook` and `write_lorebook`.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from everlore.domain.bounds import Json, Name, Prose
from everlore.domain.campaign import EntityKind
from everlore.errors import BadAsk
from everlore.interchange import jsontext
from everlore.interchange.loreforms import BOOK, NOVELAI, WORLD_INFO, Form, converted, new_entry, own_of, texts_of
from everlore.interchange.report import Notes, Report, counted, shown

MOST_BYTES = 20_000_000
MOST_ENTRIES = 10_000
WrittenForm = Literal["world_info", "character_book"]
_MOST_NAME: int = get_args(Name)[1].most
_MOST_PROSE: int = get_args(Prose)[1].most
_MOST_KEYS = 500
_LABEL = re.compile(
    r"\s*(?:[\[(](?P<boxed>[^\])\n]{1,30})[\])]|(?P<bare>[^:/\n|–—-]{1,30})(?:[:/|–—]| - ))\s*(?P<rest>\S.*)$"
)
_WORDS: Mapping[EntityKind, str] = {
    EntityKind.NPC: "npc npcs character characters person people char villain hero ally",
    EntityKind.LOCATION: "location locations place places city cities town village region country kingdom realm island "
    "castle tower forest inn tavern library harbour harbor temple dungeon river sea mountain mountains street district "
    "house keep ruins valley swamp desert port",
    EntityKind.FACTION: "faction factions organization organisation organizations guild order clan cult tribe "
    "gang army company brotherhood sisterhood council alliance",
    EntityKind.ITEM: "item items artifact artefact artifacts weapon weapons object objects sword ring amulet potion "
    "blade staff crown armor armour",
    EntityKind.CREATURE: "creature creatures monster monsters beast beasts race races species dragon animal",
    EntityKind.EVENT: "event events war battle history festival siege timeline",
}
_KIND_OF = {word: kind for kind, words in _WORDS.items() for word in words.split()}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoreEntry:
    """`entry` is the original without its text; `uid` is its id in the book. `id` and `own` were written by
    Everlore."""

    name: str
    keys: tuple[str, ...] = ()
    content: str = ""
    kind: EntityKind = EntityKind.OTHER
    uid: str = ""
    entry: Json = field(default_factory=dict)
    own: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lorebook:
    """`head`: the fields of the book itself."""

    form: Form
    name: str
    head: Json
    entries: tuple[LoreEntry, ...]
    report: Report


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def read_lorebook(data: bytes, filename: str = "") -> Lorebook:
    """Reads a lorebook, or a card that contains one."""
    if len(data) > MOST_BYTES:
        raise BadAsk(f"The lorebook has {len(data):,} bytes; the most is {MOST_BYTES:,}. Split it.")
    notes = Notes()
    document = jsontext.parse(data, notes, what="the lorebook")
    if not isinstance(document, dict):
        raise BadAsk(f"A lorebook is a JSON object, and this is a {type(document).__name__}. Choose another file.")
    return lorebook_in(document, notes, filename)


def lorebook_in(document: Json, notes: Notes, filename: str = "") -> Lorebook:
    """The lorebook that a document is, or contains as a card does."""
    form, book, entries = _parts(document)
    if len(entries) > MOST_ENTRIES:
        raise BadAsk(f"The lorebook has {len(entries):,} entries; the most is {MOST_ENTRIES:,}. Split it.")
    head = {key: value for key, value in book.items() if key != "entries"}
    categories = _categories(head)
    read: list[LoreEntry] = []
    for uid, entry in entries:
        if not isinstance(entry, dict):
            notes.dropped.add(f"Entry {shown(uid)} is a {type(entry).__name__}, not an entry.")
            continue
        read.append(_entry(form, uid, entry, categories, len(read) + 1, notes))
    name = head.get("name")
    notes.kept.add(f"{counted(len(read), 'entry', 'entries')} with all fields.")
    return Lorebook(
        form=form,
        name=name if isinstance(name, str) and name else filename.rpartition(".")[0],
        head=head,
        entries=tuple(read),
        report=notes.report(_FORM_NAMES[form]),
    )


def is_lorebook(document: Json) -> bool:
    """Whether a document is a lorebook, or contains one as a card does."""
    try:
        _parts(document)
    except BadAsk:
        return False
    return True


_FORM_NAMES = {WORLD_INFO: "World Info", BOOK: "character book", NOVELAI: "NovelAI lorebook"}


def _parts(document: Json) -> tuple[Form, Json, list[tuple[str, object]]]:
    """The form, the book itself, and its entries with their ids."""
    inside = document.get("data")
    if isinstance(inside, dict):
        inner = inside.get("character_book", inside if "entries" in inside else None)
        if not isinstance(inner, dict):
            raise BadAsk("The card has no lorebook inside. Choose another file.")
        document = inner
    entries = document.get("entries")
    if isinstance(entries, dict):
        return WORLD_INFO, document, list(entries.items())
    if isinstance(entries, list):
        form: Form = NOVELAI if "lorebookVersion" in document else BOOK
        return form, document, _numbered(entries)
    raise BadAsk(
        "This is not a lorebook: it has no `entries`. Choose a World Info file, character book or NovelAI lorebook."
    )


def _numbered(entries: Sequence[object]) -> list[tuple[str, object]]:
    """Many cards give all of their entries the same id: then the position is the id."""
    taken: set[str] = set()
    found: list[tuple[str, object]] = []
    for at, entry in enumerate(entries):
        uid = _uid(entry, at)
        found.append((uid if uid not in taken else f"#{at}", entry))
        taken.add(uid)
    return found


def _uid(entry: object, at: int) -> str:
    id = entry.get("id") if isinstance(entry, dict) else None
    return str(id) if isinstance(id, str | int) and not isinstance(id, bool) else f"#{at}"


def _categories(head: Json) -> dict[str, str]:
    listed = head.get("categories")
    found = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return {str(each.get("id")): str(each.get("name", "")) for each in found}


def _entry(form: Form, uid: str, entry: Json, categories: Mapping[str, str], number: int, notes: Notes) -> LoreEntry:
    texts = texts_of(form, entry)
    own = own_of(form, entry)
    titled = texts.name or next((key for key in texts.keys if not is_pattern(key)), "")
    label, name = _unlabelled(titled)
    if not name:
        name = f"Entry {number}"
        notes.changed.add(f"Entry {shown(uid)} has no name and no key; it was named {name}.")
    if len(texts.content) > _MOST_PROSE:
        notes.changed.add(
            f"The text of {shown(name)} is cut after {_MOST_PROSE:,} characters; an export has all of it."
        )
    given = own.get("kind")
    is_given = isinstance(given, str) and given in set(EntityKind)
    kind = EntityKind(str(given)) if is_given else kind_of(label, name, categories.get(texts.category, ""))
    return LoreEntry(
        name=name[:_MOST_NAME],
        keys=_keys(texts.keys, name),
        content=texts.content[:_MOST_PROSE],
        kind=kind,
        uid=uid,
        entry=entry if len(texts.content) > _MOST_PROSE else texts.without_content,
        own=own,
    )


def _keys(keys: Iterable[str], name: str) -> tuple[str, ...]:
    """The names among the keys. Patterns match text, but are no names."""
    plain = (" ".join(each.split()) for each in keys if not is_pattern(each))
    names = dict.fromkeys(each for each in plain if each and each != name and len(each) <= _MOST_NAME)
    return tuple(names)[:_MOST_KEYS]


def is_pattern(key: str) -> bool:
    """Whether the key is a regular expression as SillyTavern writes them: `/lamps?/i`."""
    return len(key) > 2 and key.startswith("/") and re.search(r"/[a-z]{0,8}$", key[1:]) is not None


def _unlabelled(title: str) -> tuple[str, str]:
    """Splits `NPC: Mira` into label and name, if the label is a kind of entity."""
    found = _LABEL.match(title[: 2 * _MOST_NAME])
    label = ((found["boxed"] or found["bare"]) if found else "").strip()
    if found and _known_kind(label):
        return label, " ".join(found["rest"].split())
    return "", " ".join(title.split())


def kind_of(label: str, name: str, category: str) -> EntityKind:
    """The kind of entity, if one of these names it clearly."""
    for text in (label, category, name):
        kind = _known_kind(text)
        if kind is not None:
            return kind
    return EntityKind.OTHER


def _known_kind(text: str) -> EntityKind | None:
    words = re.findall(r"[a-z]+", text[:_MOST_NAME].casefold())
    return next((_KIND_OF[word] for word in words if word in _KIND_OF), None)


def said_by(name: str, keys: Sequence[str], content: str) -> str:
    """A digest that tells whether an entry was edited since its import or export."""
    return hashlib.sha256(jsontext.dump([name, list(keys), content])).hexdigest()[:16]


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class LorebookFileEntry:
    """One entry to write. `form` and `entry` are the imported original; without them the entry is new."""

    id: str
    name: str
    keys: tuple[str, ...]
    content: str
    kind: EntityKind
    spoiler: bool = False
    form: str = ""
    uid: str = ""
    entry: Json = field(default_factory=dict)


def write_lorebook(
    told: Sequence[LorebookFileEntry], *, form: WrittenForm, name: str, head: Json | None = None
) -> Json:
    """A document for other programs. `head`: the fields of the book, if it was imported in this form."""
    if form not in (WORLD_INFO, BOOK):
        raise BadAsk(f"A lorebook is written as world_info or character_book, and not as {form!r}. Choose one of them.")
    taken: set[str] = set()
    written = [(_free(each, taken), each) for each in told]
    if form == WORLD_INFO:
        entries = {uid: _written(each, WORLD_INFO, uid) for uid, each in written}
        return {**(head if head is not None else {"name": name}), "entries": entries}
    book = {**(head if head is not None else {"name": name, "extensions": {}})}
    book["entries"] = [_written(each, BOOK, uid) for uid, each in written]
    return {"spec": "lorebook_v3", "data": book}


def _free(told: LorebookFileEntry, taken: set[str]) -> str:
    """The id of the entry in the book: the original one, if it is free."""
    uid = told.uid if told.uid and told.uid not in taken else ""
    if not uid:
        number = len(taken)
        while str(number) in taken:
            number += 1
        uid = str(number)
    taken.add(uid)
    return uid


def _written(told: LorebookFileEntry, form: Form, uid: str) -> Json:
    entry = converted(told.entry, told.form, form) if told.entry else new_entry(form, uid)
    texts = texts_of(form, entry)
    before = _entry(form, uid, {**entry, "content": ""}, {}, 0, Notes())
    if not told.entry or before.name != told.name:
        entry = texts.renamed(entry, told.name)
    if not told.entry or (before.keys, before.name) != (told.keys, told.name):
        patterns = [each for each in texts.keys if is_pattern(each)]
        entry = texts.rekeyed(entry, [*dict.fromkeys([told.name, *told.keys]), *patterns])
    if str(entry.get("content") or "")[:_MOST_PROSE] != told.content or entry.get("content") is None:
        entry = {**entry, "content": told.content}
    own: Json = {"id": told.id, "kind": told.kind.value, "said": said_by(told.name, told.keys, told.content)}
    return texts.owned(entry, own | ({"spoiler": True} if told.spoiler else {}))
