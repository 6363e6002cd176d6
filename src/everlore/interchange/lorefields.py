"""Converts the document of a lorebook to entries that can fire (V18). Pure.

World Info of SillyTavern, a `character_book` of V2 or V3 and lorebooks of NovelAI are all converted to World Info
first. Decorators of V3 (`@@depth 4`) at the start of an entry are applied and removed from its text. Invalid values are
ignored. Start at `book_of`.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from everlore.compose.lore import SCAN_DEPTH, Logic, LorebookRules, LoreRule, Position
from everlore.domain.bounds import Json
from everlore.domain.person import Person
from everlore.errors import BadAsk
from everlore.interchange.lorebooks import lorebook_in
from everlore.interchange.loreforms import WORLD_INFO, converted
from everlore.interchange.report import Notes

# Positions of World Info without an equivalent: author's note becomes a depth, examples follow the character.
_POSITIONS = {
    0: Position.BEFORE,
    1: Position.AFTER,
    2: Position.AT_DEPTH,
    3: Position.AT_DEPTH,
    4: Position.AT_DEPTH,
    5: Position.AFTER,
    6: Position.AFTER,
}
_LOGIC = {each.value: each for each in Logic}
_DECORATOR = "@@"


def book_of(
    document: Json,
    *,
    id: str,
    name: str = "",
    speaker: Person | None = None,
    for_game_master: bool = False,
    for_anybody: bool = False,
) -> LorebookRules | None:
    """None if it is no lorebook. An entry may be limited to some speakers (unless `for_anybody`), and be a spoiler for
    the game master only."""
    try:
        read = lorebook_in(document, Notes(), f"{name}.")
    except BadAsk:
        return None
    head = read.head
    told = [each for each in read.entries if for_game_master or each.own.get("spoiler") is not True]
    world = [(each.uid, each.content, converted(each.entry, read.form, WORLD_INFO), each.entry) for each in told]
    character, tags = (speaker.name, speaker.tags) if speaker else ("", ())
    scan_depth = _int(head.get("scan_depth", head.get("scanDepth")))
    return LorebookRules(
        id=id,
        name=name or read.name,
        entries=tuple(
            _entry(uid, content, fields, raw)
            for uid, content, fields, raw in world
            if for_anybody or _is_for(fields.get("characterFilter"), character, tags)
        ),
        scan_depth=SCAN_DEPTH if scan_depth is None else max(scan_depth, 0),
        token_budget=_positive(head.get("token_budget", head.get("tokenBudget"))),
        is_recursive=head.get("recursive_scanning", head.get("recursiveScanning")) is True,
    )


def _entry(uid: str, content: str, fields: Json, raw: Json) -> LoreRule:
    secondary = _texts(fields.get("keysecondary")) if fields.get("selective", True) else ()
    position = fields.get("position")
    has_chance = fields.get("useProbability", True) is not False
    entry = LoreRule(
        uid=uid,
        name=str(fields.get("comment") or ""),
        content=content,
        keys=_texts(fields.get("key")),
        secondary_keys=secondary,
        logic=_LOGIC.get(_int(fields.get("selectiveLogic")) or 0, Logic.AND_ANY),
        # An outlet is used only by a macro, which no template has.
        is_enabled=fields.get("disable") is not True and position != 7,
        is_constant=fields.get("constant") is True,
        is_pattern=raw.get("use_regex") is True and not any(key.startswith("/") for key in _texts(raw.get("keys"))),
        order=100 if (order := _int(fields.get("order"))) is None else order,
        priority=_int(raw.get("priority")) or 0,
        position=_POSITIONS.get(position if isinstance(position, int) else 0, Position.BEFORE),
        depth=_or(_int(fields.get("depth")), 4),
        scan_depth=_int(fields.get("scanDepth")),
        case_sensitive=_flag(fields.get("caseSensitive", raw.get("case_sensitive"))),
        whole_words=_flag(fields.get("matchWholeWords")),
        probability=_or(_int(fields.get("probability")), 100) if has_chance else 100,
        groups=tuple(each.strip() for each in str(fields.get("group") or "").split(",") if each.strip()),
        group_weight=_or(_int(fields.get("groupWeight")), 100),
        group_override=fields.get("groupOverride") is True,
        exclude_recursion=fields.get("excludeRecursion") is True,
        prevent_recursion=fields.get("preventRecursion") is True,
        delay_until_recursion=bool(fields.get("delayUntilRecursion")),
        sticky=_or(_int(fields.get("sticky")), 0),
        cooldown=_or(_int(fields.get("cooldown")), 0),
        delay=_or(_int(fields.get("delay")), 0),
        ignore_budget=fields.get("ignoreBudget") is True,
    )
    return _decorated(entry)


# ── decorators of V3 ─────────────────────────────────────────────────────────────────────────────


def _decorated(entry: LoreRule) -> LoreRule:
    lines = entry.content.splitlines()
    at = 0
    while at < len(lines) and (not lines[at].strip() or lines[at].startswith(_DECORATOR)):
        name, _, value = lines[at].lstrip("@").partition(" ")
        if lines[at].startswith(_DECORATOR) and name in _DECORATORS:
            entry = _DECORATORS[name](entry, value.strip())
        at += 1
    has_any = any(line.startswith(_DECORATOR) for line in lines[:at])
    return replace(entry, content="\n".join(lines[at:])) if has_any else entry


def _at_depth(entry: LoreRule, value: str) -> LoreRule:
    depth = _int(value)
    return entry if depth is None else replace(entry, position=Position.AT_DEPTH, depth=depth)


def _placed(entry: LoreRule, value: str) -> LoreRule:
    position = {"before_desc": Position.BEFORE, "after_desc": Position.AFTER}.get(value)
    return replace(entry, position=position) if position else entry


def _number(field: str) -> Callable[[LoreRule, str], LoreRule]:
    def decorate(entry: LoreRule, value: str) -> LoreRule:
        number = _int(value)
        changed: dict[str, Any] = {field: number}
        return entry if number is None else replace(entry, **changed)

    return decorate


def _listed(value: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in value.split(",") if each.strip())


_DECORATORS: dict[str, Callable[[LoreRule, str], LoreRule]] = {
    "activate": lambda entry, _: replace(entry, is_constant=True),
    "constant": lambda entry, _: replace(entry, is_constant=True),
    "dont_activate": lambda entry, _: replace(entry, is_enabled=False),
    "activate_only_after": _number("delay"),
    "scan_depth": _number("scan_depth"),
    "depth": _at_depth,
    "position": _placed,
    "additional_keys": lambda entry, value: replace(entry, secondary_keys=(*entry.secondary_keys, *_listed(value))),
    "exclude_keys": lambda entry, value: replace(entry, excluded_keys=_listed(value)),
}


# ── values ───────────────────────────────────────────────────────────────────────────────────────


def _is_for(filter: object, character: str, tags: Iterable[str]) -> bool:
    """Whether an entry is for the character: SillyTavern lists the included or the excluded characters."""
    if not isinstance(filter, dict):
        return True
    named = {each.casefold() for each in (*_texts(filter.get("names")), *_texts(filter.get("tags")))}
    if not named:
        return True
    is_named = bool(named & {character.casefold(), *(each.casefold() for each in tags)})
    return is_named is not (filter.get("isExclude") is True)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str) and each.strip()) if isinstance(value, list) else ()


def _int(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return max(min(int(value), 10**6), -(10**6))
    except (ValueError, OverflowError):
        return None


def _or(value: int | None, default: int) -> int:
    return default if value is None else max(value, 0)


def _positive(value: object) -> int | None:
    number = _int(value)
    return number if number is not None and number > 0 else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None
