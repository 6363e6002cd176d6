"""The forms of a lorebook's entries: where each stores names and text, and how to convert them. Pure.

Fields that one form does not have are kept under `extensions.everlore`, to be restored when converting back. Start at
`texts_of` and `converted`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from everlore.domain.bounds import Json

Form = Literal["world_info", "character_book", "novelai"]
WORLD_INFO: Form = "world_info"
BOOK: Form = "character_book"
NOVELAI: Form = "novelai"
_OWN = "everlore"
_REST = "rest"
# Fields of World Info, and their equivalents in a character book.
_SAME = {
    "key": "keys",
    "keysecondary": "secondary_keys",
    "comment": "comment",
    "content": "content",
    "constant": "constant",
    "selective": "selective",
    "order": "insertion_order",
}
# Fields of World Info, and their keys in the `extensions` of a character book, as in SillyTavern.
_EXTENDED = {
    "position": "position",
    "excludeRecursion": "exclude_recursion",
    "displayIndex": "display_index",
    "probability": "probability",
    "useProbability": "useProbability",
    "depth": "depth",
    "selectiveLogic": "selectiveLogic",
    "outletName": "outlet_name",
    "group": "group",
    "groupOverride": "group_override",
    "groupWeight": "group_weight",
    "preventRecursion": "prevent_recursion",
    "delayUntilRecursion": "delay_until_recursion",
    "scanDepth": "scan_depth",
    "matchWholeWords": "match_whole_words",
    "useGroupScoring": "use_group_scoring",
    "caseSensitive": "case_sensitive",
    "automationId": "automation_id",
    "role": "role",
    "vectorized": "vectorized",
    "sticky": "sticky",
    "cooldown": "cooldown",
    "delay": "delay",
    "matchPersonaDescription": "match_persona_description",
    "matchCharacterDescription": "match_character_description",
    "matchCharacterPersonality": "match_character_personality",
    "matchCharacterDepthPrompt": "match_character_depth_prompt",
    "matchScenario": "match_scenario",
    "matchCreatorNotes": "match_creator_notes",
    "triggers": "triggers",
    "ignoreBudget": "ignore_budget",
}
_NEW: Mapping[str, Json] = {
    WORLD_INFO: {
        "uid": 0,
        "key": [],
        "keysecondary": [],
        "comment": "",
        "content": "",
        "constant": False,
        "selective": True,
        "selectiveLogic": 0,
        "addMemo": True,
        "order": 100,
        "position": 0,
        "disable": False,
        "probability": 100,
        "useProbability": True,
        "depth": 4,
    },
    BOOK: {
        "id": 0,
        "keys": [],
        "secondary_keys": [],
        "comment": "",
        "name": "",
        "content": "",
        "extensions": {},
        "enabled": True,
        "insertion_order": 100,
        "use_regex": False,
        "constant": False,
        "selective": False,
        "position": "before_char",
    },
}


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of an entry, and a way to replace them."""

    form: Form
    entry: Json
    name: str
    keys: tuple[str, ...]
    content: str
    category: str

    @property
    def without_content(self) -> Json:
        """The key stays, to keep the order of the fields."""
        field = "text" if self.form == NOVELAI else "content"
        return {**self.entry, field: None} if field in self.entry else self.entry

    def renamed(self, entry: Json, name: str) -> Json:
        if self.form == WORLD_INFO:
            return {**entry, "comment": name}
        # If it had a comment but no name, users see the comment.
        fields = [each for each in ("name", "comment") if entry.get(each)] or ["name"]
        return {**entry, **dict.fromkeys(fields[:1], name)}

    def rekeyed(self, entry: Json, keys: Sequence[str]) -> Json:
        return {**entry, "key" if self.form == WORLD_INFO else "keys": list(keys)}

    def owned(self, entry: Json, own: Json) -> Json:
        extensions = entry.get("extensions")
        kept = extensions if isinstance(extensions, dict) else {}
        before = kept.get(_OWN)
        merged = {**(before if isinstance(before, dict) else {}), **own}
        return {**entry, "extensions": {**kept, _OWN: merged}}


def texts_of(form: Form, entry: Json) -> Texts:
    names = {WORLD_INFO: ("comment",), BOOK: ("name", "comment"), NOVELAI: ("displayName",)}[form]
    name = next((str(entry[each]).strip() for each in names if _is_text(entry.get(each))), "")
    keys = entry.get("key" if form == WORLD_INFO else "keys")
    content = entry.get("text" if form == NOVELAI else "content")
    category = entry.get("category" if form == NOVELAI else "group")
    return Texts(
        form,
        entry,
        name,
        tuple(each for each in keys if isinstance(each, str)) if isinstance(keys, list) else (),
        content if isinstance(content, str) else "",
        category if isinstance(category, str) else "",
    )


def own_of(form: Form, entry: Json) -> Json:
    """Everlore's own data in it: id, kind, whether it is a spoiler."""
    extensions = entry.get("extensions") if form != NOVELAI else None
    own = extensions.get(_OWN) if isinstance(extensions, dict) else None
    return {key: value for key, value in own.items() if key != _REST} if isinstance(own, dict) else {}


def new_entry(form: Form, uid: str) -> Json:
    number: Any = int(uid) if uid.isdecimal() else uid
    made = {**_NEW[form]}
    made["uid" if form == WORLD_INFO else "id"] = number
    return made


def converted(entry: Json, form: str, to: Form) -> Json:
    """The entry in another form; fields without an equivalent are kept for converting back."""
    if form == to:
        return {**entry}
    if form == NOVELAI:
        return _of_novelai(entry, to)
    return _as_book(entry) if to == BOOK else _as_world_info(entry)


def _as_book(entry: Json) -> Json:
    known = {*_SAME, *_EXTENDED, "uid", "disable", "extensions"}
    made = new_entry(BOOK, str(entry.get("uid", "")))
    made |= {theirs: entry[ours] for ours, theirs in _SAME.items() if ours in entry}
    made["enabled"] = not entry.get("disable", False)
    made["position"] = "before_char" if entry.get("position", 0) == 0 else "after_char"
    made["use_regex"] = True
    made.pop("name")
    extensions = _dict(entry.get("extensions"))
    extensions |= {theirs: entry[ours] for ours, theirs in _EXTENDED.items() if ours in entry}
    made["extensions"] = _with_rest(extensions, WORLD_INFO, entry, known)
    return _restored(made, BOOK)


def _as_world_info(entry: Json) -> Json:
    extensions = _dict(entry.get("extensions"))
    made = new_entry(WORLD_INFO, str(entry.get("id", "")))
    made |= {ours: entry[theirs] for ours, theirs in _SAME.items() if theirs in entry}
    made["disable"] = not entry.get("enabled", True)
    made["position"] = 1 if entry.get("position") == "after_char" else 0
    made |= {ours: extensions.pop(theirs) for ours, theirs in _EXTENDED.items() if theirs in extensions}
    if not made.get("comment") and _is_text(entry.get("name")):
        made["comment"] = entry["name"]
    known = {*_SAME.values(), "id", "enabled", "position", "extensions"}
    made["extensions"] = _with_rest(extensions, BOOK, entry, known)
    return _restored(made, WORLD_INFO)


def _of_novelai(entry: Json, to: Form) -> Json:
    world: Json = {
        **new_entry(WORLD_INFO, ""),
        "key": entry.get("keys", []),
        "comment": entry.get("displayName", ""),
        "content": entry.get("text"),
        "disable": not entry.get("enabled", True),
        "constant": bool(entry.get("forceActivation", False)),
    }
    known = {"keys", "displayName", "text", "enabled", "forceActivation"}
    world["extensions"] = _with_rest({}, NOVELAI, entry, known)
    return world if to == WORLD_INFO else _as_book(world)


def _with_rest(extensions: Json, form: str, entry: Json, known: set[str]) -> Json:
    rest = {key: value for key, value in entry.items() if key not in known}
    if not rest:
        return extensions
    own = _dict(extensions.get(_OWN))
    return {**extensions, _OWN: {**own, _REST: {**_dict(own.get(_REST)), form: rest}}}


def _restored(entry: Json, form: Form) -> Json:
    """Restores the fields from an earlier conversion."""
    extensions = _dict(entry.get("extensions"))
    own = _dict(extensions.get(_OWN))
    rest = _dict(own.get(_REST))
    if form not in rest:
        return entry
    back = _dict(rest.pop(form))
    own = {**own, _REST: rest} if rest else {key: value for key, value in own.items() if key != _REST}
    return {**entry, **back, "extensions": {**extensions, _OWN: own}}


def _dict(value: object) -> Json:
    return {**value} if isinstance(value, dict) else {}


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
