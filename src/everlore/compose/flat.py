"""Converts the older, flat prompt configs: arrays of lines instead of sections (P7).

In: `{"name", "system": […], "user": […], "assistant": […]}` with more arrays that its lines use as `${name}`, or a
director's `{"name", "lines": […], "imageTagsAppendix": […]}`. Out: the equivalent template, and notes on what was
dropped. Lines that belong together become one section. A line that depends on a feature becomes a section with that
condition; a line with a number before it becomes a rule, which is numbered when composed.

Start at `from_flat`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from everlore.compose.inherit import BadTemplate
from everlore.compose.values import VARIABLES
from everlore.domain.template import Problem, RoleName, TemplateDocument, read_document

_ROLES = {
    "system": RoleName.SYSTEM,
    "lines": RoleName.SYSTEM,
    "user": RoleName.USER,
    "assistant": RoleName.ASSISTANT,
}
_APPENDIX = "imageTagsAppendix"
_ABOUT = ("name", "label", "description", "schema", "version")
# Arrays whose names differ from the variables they fill.
_FILLS = {
    "systemNlp": "nlp",
    "systemCensorWarning": "censorWarn",
    "assistantNlp": "nlpWarn",
    "assistantCensorWarning": "assistCensorWarn",
}
# Parts of the names of fields that are dropped, and why.
_DROPPED = {
    "races": "a character tells its race itself, as ${system.race}",
    "perspective": "how a character comes across is taken from its personality, as ${perspective}",
    "consent": "the user's introduction agrees to the rating in one sentence",
    "jailbreak": "nothing takes its place",
}
_DROPPED_TOKENS = ("consent", "jailbreak")
_RULES = "rules"
# Always rendered as rules, whatever the lines around them are.
_RULE_VARIABLES = ("episodeRule", "censorWarn", "assistCensorWarn")
_NUMBER = re.compile(r"^\s*\(?\d{1,3}[.)]\s+(?=\S)")
_TOKEN = re.compile(r"\$\{([^{}]*)\}")
_MOST_NAMED = 20
_MOST_SHOWN = 60


class _Feature(NamedTuple):
    """Variables that begin with `prefix` have text only while `condition` holds."""

    prefix: str
    section: str
    condition: str


_FEATURES = (
    _Feature("episod", "episode", "hasEpisodes"),
    _Feature("scene", "scene", "includeScene"),
    _Feature("nlp", "nlp", "useNLP"),
    _Feature("memory.", "memory", "hasMemories"),
    _Feature("imageTags", "imageTags", "hasImageTags"),
    _Feature("image.", "media", "supportsMedia"),
    _Feature("audio.", "media", "supportsMedia"),
)


@dataclass(frozen=True, slots=True)
class Adapted:
    document: TemplateDocument
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    section: str
    condition: str = ""
    is_rule: bool = False


def is_flat(config: Mapping[str, Any]) -> bool:
    is_template = "sections" in config or "roles" in config
    return not is_template and any(field in config for field in _ROLES)


def from_flat(config: Mapping[str, Any], *, name: str = "") -> Adapted:
    """`name` is the name of the template, whatever the config says."""
    called = name or _text(config, "name") or _text(config, "label") or "Flat prompt"
    if problems := tuple(_misshapen(config)):
        raise BadTemplate(called, problems)
    own = _own(config)
    lists = _lists(config, own)
    document = read_document(
        {
            "name": called,
            "description": _text(config, "description"),
            "variables": {name: "\n".join(lines) for name, lines in own.items() if name not in lists},
            **_sections_and_roles(config, lists),
        }
    )
    if isinstance(document, tuple):
        raise BadTemplate(called, document)
    return Adapted(document, tuple(_notes(config, own)))


def _text(config: Mapping[str, Any], field: str) -> str:
    value = config.get(field)
    return value.strip() if isinstance(value, str) else ""


# ── fields ───────────────────────────────────────────────────────────────────────────────────────


def _is_read(field: str) -> bool:
    return field in _ROLES or field == _APPENDIX or field in _FILLS or field in VARIABLES


def _misshapen(config: Mapping[str, Any]) -> Iterator[Problem]:
    for field in filter(_is_read, config):
        value = config[field]
        if value is not None and not isinstance(value, str | list | tuple):
            yield Problem("", field, f"It must be a list of lines, and is of the type {type(value).__name__}.")
        elif isinstance(value, list | tuple):
            yield from _no_lines(field, value)
    if not any(_lines_in(config, field) for field in _ROLES):
        yield Problem("", "system", f"There is no line in any of {', '.join(_ROLES)}. Write one.")


def _no_lines(field: str, value: Iterable[object]) -> Iterator[Problem]:
    for place, line in enumerate(value):
        if not isinstance(line, str):
            yield Problem("", f"{field}.{place}", f"A line must be text, and is of the type {type(line).__name__}.")


def _lines_in(config: Mapping[str, Any], field: str) -> list[str]:
    value = config.get(field)
    texts = value if isinstance(value, list | tuple) else [value]
    # An entry may have several lines, which are converted separately.
    lines = [line.rstrip() for text in texts if isinstance(text, str) for line in text.splitlines() or [""]]
    return lines if any(lines) else []


def _own(config: Mapping[str, Any]) -> dict[str, list[str]]:
    """The variables that the config defines. One that uses itself would be a cycle: the built-in one replaces it."""
    wanted = _names(line for field in config for line in _lines_in(config, field))
    further = {field for field in wanted if not any(word in field.lower() for word in _DROPPED)}
    fields = [field for field in config if field in VARIABLES or field in _FILLS or field in further]
    defined = {_FILLS.get(field, field): _lines_in(config, field) for field in fields}
    return {name: lines for name, lines in defined.items() if lines and name not in _names(lines)}


def _names(lines: Iterable[str]) -> set[str]:
    return {name.strip() for line in lines for name in _TOKEN.findall(line)}


def _alone(line: str) -> str:
    """The variable that makes up the whole line, if there is one."""
    found = _TOKEN.fullmatch(line.strip())
    return found.group(1).strip() if found else ""


def _lists(config: Mapping[str, Any], own: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Variables that are lists of rules, and always used alone: their rules are inserted instead."""
    lines = [line for field in (*_ROLES, _APPENDIX) for line in _lines_in(config, field)]
    inside = _names(line for line in lines if not _alone(line)) | _names(line for each in own.values() for line in each)
    return {name: rules for name, rules in own.items() if any(map(_NUMBER.match, rules)) and name not in inside}


# ── sections ─────────────────────────────────────────────────────────────────────────────────────


def _sections_and_roles(config: Mapping[str, Any], lists: Mapping[str, list[str]]) -> dict[str, Any]:
    sections: dict[str, dict[str, Any]] = {}
    roles: dict[str, dict[str, Any]] = {}
    for field, role in _ROLES.items():
        names = [_added(sections, group, role) for group in _groups(_read(_lines_in(config, field), role, lists))]
        # Text that no role names belongs to the system role.
        if names and role is not RoleName.SYSTEM:
            roles[role.value] = {"sections": names}
    if appendix := [line for line in _lines_in(config, _APPENDIX) if line]:
        _added(sections, [_Line(line, "imageTags", "hasImageTags") for line in appendix], RoleName.SYSTEM)
    if _asks_for_consent(config):
        roles.setdefault(RoleName.USER.value, {})["consent"] = True
    return {"sections": sections, "roles": roles}


def _added(sections: dict[str, dict[str, Any]], group: list[_Line], role: RoleName) -> str:
    first = group[0]
    whose = "" if role is RoleName.SYSTEM or first.section == role.value else f"{role.value}-"
    base, number = f"{whose}{first.section}", 1
    while (name := base if number == 1 else f"{base}-{number}") in sections:
        number += 1
    written: dict[str, Any] = {"order": 10 * (len(sections) + 1), "content": [line.text for line in group]}
    sections[name] = written | ({"condition": first.condition} if first.condition else {"required": True})
    sections[name] |= {"numbered": True} if first.is_rule else {}
    return name


def _groups(lines: Iterable[_Line | None]) -> Iterator[list[_Line]]:
    """Consecutive lines of one kind; an empty line ends a group."""
    for kind, members in groupby(lines, key=lambda line: line and (line.section, line.condition, line.is_rule)):
        if kind is not None:
            yield [line for line in members if line is not None]


def _read(lines: list[str], role: RoleName, lists: Mapping[str, list[str]]) -> Iterator[_Line | None]:
    """None for an empty line."""
    has_rules = any(_NUMBER.match(line) or _alone(line) in lists for line in lines)
    for line in lines:
        name = _alone(line)
        if not line:
            yield None
        elif name in lists:
            for rule in lists[name]:
                yield from _line(rule, role, [name])
        else:
            yield from _line(line, role, _TOKEN.findall(line), is_rule=has_rules and name in _RULE_VARIABLES)


def _line(written: str, role: RoleName, names: list[str], *, is_rule: bool = False) -> Iterator[_Line]:
    """Yields nothing for a line that becomes empty."""
    is_rule = is_rule or bool(_NUMBER.match(written))
    text = _TOKEN.sub(_without_dropped, _NUMBER.sub("", written, count=1)).rstrip()
    if text and (features := _features(names)):
        condition = " and ".join(dict.fromkeys(feature.condition for feature in features))
        yield _Line(text, features[0].section, condition, is_rule)
    elif text:
        yield _Line(text, _RULES if is_rule else role.value, is_rule=is_rule)


def _without_dropped(token: re.Match[str]) -> str:
    return "" if any(word in token.group(1).lower() for word in _DROPPED_TOKENS) else token.group()


def _features(names: list[str]) -> list[_Feature]:
    """The features a line depends on. As in any template, a line stays as long as one of its variables has text."""
    found = [_feature(name.strip()) for name in names]
    media = [feature for feature in found if feature and feature.section == "media"]
    return media or ([feature for feature in found if feature] if all(found) else [])


def _feature(name: str) -> _Feature | None:
    return next((feature for feature in _FEATURES if name.startswith(feature.prefix)), None)


def _asks_for_consent(config: Mapping[str, Any]) -> bool:
    lines = (line for field in _ROLES for line in _lines_in(config, field))
    return any("consent" in name.lower() for name in (*_names(lines), *(field for field in config if config[field])))


# ── notes ────────────────────────────────────────────────────────────────────────────────────────


def _notes(config: Mapping[str, Any], own: Mapping[str, list[str]]) -> Iterator[str]:
    unknown: list[str] = []
    for field in (field for field, value in config.items() if value and field not in _ABOUT):
        name = _FILLS.get(field, field)
        if name in _names(_lines_in(config, field)):
            yield f"{field} is left out: it uses ${{{name}}}, which is itself."
        elif not _is_read(field):
            why = next((why for word, why in _DROPPED.items() if word in field.lower()), "")
            if why:
                yield f"{field[:_MOST_SHOWN]} is left out: {why}."
            else:
                unknown.append(field[:_MOST_SHOWN])
    if unknown:
        more = f" and {len(unknown) - _MOST_NAMED} more" if len(unknown) > _MOST_NAMED else ""
        yield f"Left out, because nothing here has such fields: {', '.join(unknown[:_MOST_NAMED])}{more}."
    yield from _always_said(config, own)


def _always_said(config: Mapping[str, Any], own: Mapping[str, list[str]]) -> Iterator[str]:
    lines = [line for field in _ROLES for line in _lines_in(config, field)]
    mixed = _names(line for line in lines if not _features(_TOKEN.findall(line)))
    for name in sorted(mixed & own.keys()):
        if feature := _feature(name):
            yield (
                f"${{{name}}} shares a line with what is always said, and is now always said as well. "
                f"Give it a section with the condition {feature.condition}."
            )
