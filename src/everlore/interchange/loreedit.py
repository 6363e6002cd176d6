"""The editable content of a lorebook: the same few fields for every form of the file (V18). Pure.

In: the document of a lorebook and the edited content. Out: the document with the edits. Unedited entries and unknown
fields stay exactly as they were in the file. Start at `content_of` and `with_content`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from everlore.compose.lore import AT_DEPTH, SCAN_DEPTH, Logic, LorebookRules, LoreRule, Position
from everlore.domain.bounds import Json
from everlore.errors import BadAsk
from everlore.interchange.lorebooks import MOST_ENTRIES, Lorebook, LoreEntry, lorebook_in
from everlore.interchange.lorefields import book_of
from everlore.interchange.loreforms import BOOK, NOVELAI, WORLD_INFO, Form, converted, new_entry, texts_of
from everlore.interchange.report import Notes

LogicName = Literal["any", "all", "not_any", "not_all"]
PositionName = Literal["before_char", "after_char", "at_depth"]
ExportForm = Literal["world_info", "character_book"]
_LOGIC: dict[LogicName, Logic] = {
    "any": Logic.AND_ANY,
    "all": Logic.AND_ALL,
    "not_any": Logic.NOT_ANY,
    "not_all": Logic.NOT_ALL,
}
_LOGIC_NAMES = {logic: name for name, logic in _LOGIC.items()}
_POSITIONS = {Position.BEFORE: 0, Position.AFTER: 1, Position.AT_DEPTH: 4}
# The document's names for scan depth, token budget and recursion. NovelAI and old files use others.
_OTHER_NAMES = ("scanDepth", "tokenBudget", "recursiveScanning")


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedEntry:
    """An entry for editing. An empty `uid` is a new entry. `hidden`: only for characters of the game master."""

    uid: str = ""
    name: str = ""
    content: str = ""
    keys: tuple[str, ...] = ()
    secondary_keys: tuple[str, ...] = ()
    logic: LogicName = "any"
    enabled: bool = True
    constant: bool = False
    position: PositionName = "before_char"
    depth: int = AT_DEPTH
    order: int = 100
    probability: int = 100
    scan_depth: int | None = None
    case_sensitive: bool | None = None
    whole_words: bool | None = None
    exclude_recursion: bool = False
    prevent_recursion: bool = False
    hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BookContent:
    """`recursive`: whether the text of one entry can fire another."""

    entries: tuple[EditedEntry, ...] = ()
    scan_depth: int = SCAN_DEPTH
    token_budget: int | None = None
    recursive: bool = False


def content_of(document: Json) -> BookContent:
    """Raises `BadAsk` if the document is not a lorebook."""
    read, book = _read(document)
    fired = {each.uid: each for each in book.entries}
    entries = tuple(_edited(each, fired[each.uid], read.form) for each in read.entries)
    return BookContent(
        entries=entries, scan_depth=book.scan_depth, token_budget=book.token_budget, recursive=book.is_recursive
    )


def with_content(document: Json, content: BookContent) -> Json:
    """The document with the edits, in its own form; a NovelAI lorebook becomes World Info."""
    if len(content.entries) > MOST_ENTRIES:
        raise BadAsk(f"The lorebook has {len(content.entries):,} entries; the most is {MOST_ENTRIES:,}. Split it.")
    read, _ = _read(document)
    form: ExportForm = "character_book" if read.form == BOOK else "world_info"
    known = {each.uid: each for each in content_of(document).entries}
    raw = {each.uid: _raw(each, read.form) for each in read.entries}
    taken = {each.uid for each in content.entries if each.uid in raw}
    if len(taken) < sum(each.uid in raw for each in content.entries):
        raise BadAsk("Two entries have the same uid. Give each its own, or leave it empty for a new entry.")
    written: list[tuple[str, Json]] = []
    for each in content.entries:
        if each.uid in raw and each == known[each.uid]:
            written.append((each.uid, converted(raw[each.uid], read.form, _form(form))))
            continue
        uid = each.uid if each.uid in raw else _free_uid({*taken, *raw})
        taken.add(uid)
        before = converted(raw[uid], read.form, WORLD_INFO) if uid in raw else new_entry(WORLD_INFO, uid)
        written.append((uid, _in_form(_world_info(each, before), form, uid, is_new=uid not in raw)))
    return _joined(document, read, written, form, content)


def exported(document: Json, form: ExportForm, name: str) -> Json:
    """The whole lorebook in this form, as other programs read it."""
    read, _ = _read(document)
    entries = [(each.uid, _exported(_raw(each, read.form), read.form, form)) for each in read.entries]
    head = {key: value for key, value in read.head.items() if read.form != NOVELAI or key == "name"}
    if form == "character_book":
        return {"spec": "lorebook_v3", "data": {"name": name, "extensions": {}, **head, "entries": _listed(entries)}}
    return {"name": name, **head, "entries": _keyed(entries)}


def _exported(raw: Json, form: Form, to: ExportForm) -> Json:
    entry = converted(raw, form, _form(to))
    if to == "world_info" and "caseSensitive" not in entry and isinstance(raw.get("case_sensitive"), bool):
        entry["caseSensitive"] = raw["case_sensitive"]
    return entry


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def _read(document: Json) -> tuple[Lorebook, LorebookRules]:
    read = lorebook_in(document, Notes())
    book = book_of(document, id="", for_game_master=True, for_anybody=True)
    assert book is not None, "it was read as a lorebook"
    return read, book


def _edited(read: LoreEntry, entry: LoreRule, form: Form) -> EditedEntry:
    raw = _raw(read, form)
    content = raw.get("text" if form == NOVELAI else "content")
    return EditedEntry(
        uid=read.uid,
        name=texts_of(form, raw).name or entry.name,
        # The original text, including the decorators of V3.
        content=content if isinstance(content, str) else "",
        keys=entry.keys,
        secondary_keys=entry.secondary_keys,
        logic=_LOGIC_NAMES[entry.logic],
        enabled=entry.is_enabled,
        constant=entry.is_constant,
        position=entry.position.value,
        depth=entry.depth,
        order=entry.order,
        probability=min(entry.probability, 100),
        scan_depth=entry.scan_depth,
        case_sensitive=entry.case_sensitive,
        whole_words=entry.whole_words,
        exclude_recursion=entry.exclude_recursion,
        prevent_recursion=entry.prevent_recursion,
        hidden=read.own.get("spoiler") is True,
    )


def _raw(read: LoreEntry, form: Form) -> Json:
    """The entry as in the file: `entry` lacks its text if that is stored elsewhere."""
    field = "text" if form == NOVELAI else "content"
    return {**read.entry, field: read.content} if read.entry.get(field, "") is None else {**read.entry}


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def _world_info(entry: EditedEntry, before: Json) -> Json:
    extensions = before.get("extensions")
    kept = {**extensions} if isinstance(extensions, dict) else {}
    own = kept.get("everlore")
    own = {**own} if isinstance(own, dict) else {}
    own.pop("spoiler", None)
    if entry.hidden:
        own["spoiler"] = True
    if own or "everlore" in kept:
        kept["everlore"] = own
    position: Any = before.get("position")
    if _position_of(position) is not Position(entry.position):
        position = _POSITIONS[Position(entry.position)]
    written: Json = {
        **before,
        "key": list(entry.keys),
        "keysecondary": list(entry.secondary_keys),
        "selective": True,
        "selectiveLogic": int(_LOGIC[entry.logic]),
        "comment": entry.name,
        "content": entry.content,
        "disable": not entry.enabled,
        "constant": entry.constant,
        "position": position,
        "depth": entry.depth,
        "order": entry.order,
        "probability": entry.probability,
        "useProbability": True,
        "scanDepth": entry.scan_depth,
        "caseSensitive": entry.case_sensitive,
        "matchWholeWords": entry.whole_words,
        "excludeRecursion": entry.exclude_recursion,
        "preventRecursion": entry.prevent_recursion,
    }
    return {**written, "extensions": kept} if kept else written


def _position_of(value: object) -> Position:
    """Several positions of World Info have the same equivalent here; the file keeps its original one."""
    if value in (2, 3, 4):
        return Position.AT_DEPTH
    return Position.AFTER if value in (1, 5, 6) else Position.BEFORE


def _in_form(world: Json, form: ExportForm, uid: str, *, is_new: bool) -> Json:
    if form == "world_info":
        return world
    entry = converted(world, WORLD_INFO, BOOK)
    entry["name"] = world["comment"]
    entry["case_sensitive"] = world["caseSensitive"]
    if is_new:
        entry |= {"use_regex": False, "id": int(uid)}
    return entry if entry.get("id") != "" else {key: value for key, value in entry.items() if key != "id"}


def _joined(
    document: Json, read: Lorebook, written: Sequence[tuple[str, Json]], form: ExportForm, to: BookContent
) -> Json:
    head = {key: value for key, value in read.head.items() if key not in _OTHER_NAMES and key != "lorebookVersion"}
    before = {"scan_depth": SCAN_DEPTH, "token_budget": None, "recursive_scanning": False}
    settings = {"scan_depth": to.scan_depth, "token_budget": to.token_budget, "recursive_scanning": to.recursive}
    head |= {key: value for key, value in settings.items() if key in head or value != before[key]}
    book = {**head, "entries": _listed(written) if form == "character_book" else _keyed(written)}
    inside = document.get("data")
    if not isinstance(inside, dict):
        return book
    has_own = isinstance(inside.get("character_book"), dict)
    return {**document, "data": {**inside, "character_book": book} if has_own else book}


def _keyed(entries: Sequence[tuple[str, Json]]) -> Json:
    numbered: Json = {}
    for uid, entry in entries:
        is_new = not uid or uid.startswith("#")
        key = _free_uid({*numbered, *(each for each, _ in entries)}) if is_new else uid
        numbered[key] = {**entry, "uid": int(key)} if is_new else entry
    return numbered


def _listed(entries: Sequence[tuple[str, Json]]) -> list[Json]:
    return [entry for _, entry in entries]


def _free_uid(taken: set[str]) -> str:
    return str(max((int(each) for each in taken if each.isdecimal()), default=-1) + 1)


def _form(form: ExportForm) -> Form:
    return BOOK if form == "character_book" else WORLD_INFO
