"""The pages of a Markdown vault, as in Obsidian: properties at the top, text, and lists of named items (G12). Pure; the
text is untrusted data (S-5).

The properties are YAML with plain values only: no tags, no anchors, no types of other programs. An item of a list is
one record with an id of its own, `- Words. #spoiler ^id`; its further lines are indented. Start at `read_page`,
`write_page`, `items_in` and `item_lines`.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from everlore.domain.bounds import Json
from everlore.errors import BadAsk

SPOILER = "#spoiler"
MOST_FRONT_CHARS = 64_000
_MOST_STEM = 100
_UNSAFE = re.compile(r'[\x00-\x1f\x7f*"\\/<>:|?#^\[\]%]+')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$", re.IGNORECASE)
_LINK = re.compile(r"\[\[(?P<target>[^\[\]|#\n]{1,300})(?:#[^\[\]|\n]{0,300})?(?:\|(?P<shown>[^\[\]\n]{0,300}))?\]\]")
_ID_AT_END = re.compile(r"[ \t]+\^(?P<id>[A-Za-z0-9._~:@-]{1,128})[ \t]*$")
_SPOILER = re.compile(r"(?:^|\s)#spoiler\b", re.IGNORECASE)
_SPOILER_AT_END = re.compile(r"(?:^|[ \t])#spoiler[ \t]*$", re.IGNORECASE)
_HEADING = re.compile(r"#{1,6}[ \t]+(?P<title>\S.*?)[ \t#]*$")
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class VaultPage:
    """One file: its `path` in the vault, its properties, and its text."""

    path: str
    front: Json = field(default_factory=dict)
    body: str = ""

    @property
    def stem(self) -> str:
        return self.path.rpartition("/")[2].removesuffix(".md")

    @property
    def folder(self) -> str:
        """The name of its folder; empty at the root."""
        return self.path.rpartition("/")[0].rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class VaultItem:
    """One item of a list under the heading `section`; `id` is empty if a user wrote a new one."""

    section: str
    text: str
    id: str = ""
    spoiler: bool = False


# ── pages ────────────────────────────────────────────────────────────────────────────────────────


def write_page(page: VaultPage) -> bytes:
    front = yaml.dump(page.front, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1_000_000)
    return f"---\n{front}---\n\n{page.body.strip()}\n".encode()


def read_page(path: str, data: bytes) -> VaultPage:
    """A page, or a `BadAsk` with the reason."""
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise BadAsk(f"{path} is not UTF-8 text: byte {error.start:,} fits nowhere. Save it as UTF-8.") from None
    if "\x00" in text:
        raise BadAsk(f"{path} contains a NUL character; remove it.")
    if not text.startswith("---\n"):
        return VaultPage(path, {}, text.strip())
    front, found, body = text[4:].partition("\n---\n") if not text.startswith("---\n---") else ("", "\n", text[8:])
    if not found and text.rstrip().endswith("\n---"):
        front, found, body = text.rstrip()[4:].removesuffix("---"), "---", ""
    if not found:
        raise BadAsk(f"The properties of {path} do not end: a line --- is missing below them. Add it.")
    return VaultPage(path, _properties(path, front), body.strip())


def _properties(path: str, text: str) -> Json:
    if len(text) > MOST_FRONT_CHARS:
        raise BadAsk(f"The properties of {path} have more than {MOST_FRONT_CHARS:,} characters. Move text below them.")
    try:
        found = yaml.load(text, Loader=_Loader)  # noqa: S506  # a safe loader, of which even more was taken away
    except yaml.MarkedYAMLError as error:
        line = f" in line {error.problem_mark.line + 2}" if error.problem_mark else ""
        raise BadAsk(f"The properties of {path} are not YAML{line}: {error.problem}. Correct them.") from None
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        raise BadAsk(f"The properties of {path} cannot be read ({str(error)[:100]}). Correct them.") from None
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise BadAsk(f"The properties of {path} are a {type(found).__name__}; write them as `name: value`.")
    return {str(key): _plain(path, value, _DEEPEST) for key, value in found.items()}


def _plain(path: str, value: Any, depth: int) -> Any:
    """The value as JSON types."""
    if depth == 0:
        raise BadAsk(f"The properties of {path} nest too deeply. Flatten them.")
    if isinstance(value, dict):
        return {str(key): _plain(path, each, depth - 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(path, each, depth - 1) for each in value]
    is_json = value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
    return value if is_json else str(value)


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]  # it comes without types
    """Writes no anchors: equal lists are written twice."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  # of the class that it is
        return True


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # it comes without types
    """Reads plain values only. Aliases could make a small file huge, and `no`, `12:30` and dates are texts here."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            raise yaml.composer.ComposerError(None, None, "anchors and aliases are not read here", event.start_mark)
        return super().compose_node(parent, index)


_Loader.yaml_implicit_resolvers = {}
for _tag, _form, _first in (
    ("tag:yaml.org,2002:bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("tag:yaml.org,2002:null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("tag:yaml.org,2002:int", r"^[-+]?(?:0|[1-9][0-9]{0,17})$", "-+0123456789"),
    ("tag:yaml.org,2002:float", r"^[-+]?[0-9]{1,17}\.[0-9]{1,17}$", "-+0123456789"),
):
    _Loader.add_implicit_resolver(_tag, re.compile(_form), list(_first))


# ── properties ───────────────────────────────────────────────────────────────────────────────────


def text_in(front: Mapping[str, Any], name: str) -> str:
    """A property as a text; empty if it is missing."""
    value = front.get(name)
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def texts_in(front: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """A property as texts: a list, or one text."""
    value = front.get(name)
    found = value if isinstance(value, list) else [value]
    texts = (text_in({"": each}, "") for each in found)
    return tuple(dict.fromkeys(each for each in texts if each))


def is_true(front: Mapping[str, Any], name: str) -> bool:
    value = front.get(name)
    return value is True or (isinstance(value, str) and value.strip().casefold() in ("true", "yes"))


# ── lists ────────────────────────────────────────────────────────────────────────────────────────


def item_lines(item: VaultItem) -> str:
    """An item as text; its id is at the end, where Obsidian has those of blocks."""
    lines = item.text.strip().split("\n")
    mark = (f" {SPOILER}" if item.spoiler else "") + (f" ^{item.id}" if item.id else "")
    head, *rest = lines
    indented = [f"  {line}".rstrip() for line in rest]
    return "\n".join([f"- {head}", *indented]) + mark


def items_in(body: str, first_section: str = "") -> tuple[list[VaultItem], str]:
    """The items of all lists of a text, and the text outside of them."""
    items: list[VaultItem] = []
    outside: list[str] = []
    section, lines = first_section, list[str]()
    for line in body.split("\n"):
        heading = _HEADING.match(line)
        if lines and not heading and (not line.strip() or line.startswith(("  ", "\t"))):
            lines.append(line.removeprefix("\t") if line.startswith("\t") else line[2:])
            continue
        if lines:
            items += _item(section, lines)
            lines = []
        if heading:
            section = heading["title"]
        elif line.startswith(("- ", "* ")):
            lines = [line[2:]]
        else:
            outside.append(line)
    items += _item(section, lines) if lines else []
    return items, "\n".join(outside).strip()


def _item(section: str, lines: Iterable[str]) -> list[VaultItem]:
    text = "\n".join(lines).strip()
    found = _ID_AT_END.search(text)
    id = found["id"] if found else ""
    text = text[: found.start()] if found else text
    at_end = _SPOILER_AT_END.search(text)
    # In any position, because a possible secret is treated as one.
    is_hidden = _SPOILER.search(text) is not None
    text = (text[: at_end.start()] if at_end else text).strip()
    return [VaultItem(section, text, id, is_hidden)] if text else []


# ── names and links ──────────────────────────────────────────────────────────────────────────────


def stem_of(name: str, taken: set[str]) -> str:
    """A valid file name on any system that is not in `taken` (lower case)."""
    plain = " ".join(_UNSAFE.sub(" ", name).split())[:_MOST_STEM].strip(" .")
    stem = plain if plain and not _RESERVED.match(plain) else f"_{plain}"
    number, free = 1, stem
    while free.casefold() in taken:
        number += 1
        free = f"{stem} ({number})"
    taken.add(free.casefold())
    return free


def link_to(stem: str, shown: str = "") -> str:
    return f"[[{stem}]]" if not shown or shown == stem else f"[[{stem}|{shown.replace('|', ' ').replace(']', ' ')}]]"


def links_in(text: str) -> list[str]:
    """The targets of the links in a text."""
    return [found["target"].strip().rpartition("/")[2] for found in _LINK.finditer(text)]


def unlinked(text: str, is_known: Callable[[str], bool]) -> str:
    """The text without links to missing pages."""

    def plain(found: re.Match[str]) -> str:
        target = found["target"].strip().rpartition("/")[2]
        return found[0] if is_known(target) else (found["shown"] or target)

    return _LINK.sub(plain, text)
