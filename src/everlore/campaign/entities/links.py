"""Explicit links in a text: @mentions and [[links]].

`@Ysolde`, `@the Old Mill`, `@captain_marr`, `@[Captain Marr]`, `[[Orne Library]]`, `[[Orne Library|the library]]`,
`[[Orne Library#Cellar]]`. Start at `links_in`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from everlore.campaign.entities.words import listed

_MOST_NAME = 100
_LINK = re.compile(
    r"\[\[(?P<link>[^\[\]\n|#]{1,100})(?:#[^\[\]\n|]{0,100})?(?:\|[^\[\]\n]{0,100})?\]\]"
    r"|(?<![\w@.])@\[(?P<named>[^\[\]\n]{1,100})\]"
    r"|(?<![\w@.])@(?P<handle>(?:(?:the|an?) (?=[A-ZÀ-Þ]))?[^\W\d_][\w'’-]{0,99}"
    r"(?:(?: of| of the)? [A-ZÀ-Þ][\w'’-]{0,99}){0,6})"
)


@dataclass(frozen=True, slots=True)
class Link:
    """`name`: the linked name; `start` and `end`: the place of the whole link. `is_handle`: it follows an @, so its
    last words may not belong to it."""

    name: str
    start: int
    end: int
    is_handle: bool = False


def links_in(text: str) -> list[Link]:
    found = []
    for match in _LINK.finditer(text):
        handle = match["handle"]
        name = match["link"] or match["named"] or _of_handle(handle)
        name = " ".join(name.split())
        if name and not (handle and all(map(_is_no_name, name.split()))):
            end = match.start() + 1 + len(handle.removesuffix("'s").removesuffix("’s")) if handle else match.end()
            found.append(Link(name, match.start(), end, handle is not None))
    return found


def shorter(link: Link) -> Iterator[Link]:
    """The link, and its versions without the last words: "@Captain Marr Are you there?"."""
    yield link
    at = link.name.rfind(" ")
    while link.is_handle and at > 0:
        yield Link(link.name[:at], link.start, link.start + 1 + at, is_handle=True)
        at = link.name.rfind(" ", 0, at)


def _is_no_name(word: str) -> bool:
    return word.lower() in listed("firstwords") or word.lower() in listed("small")


def _of_handle(handle: str) -> str:
    """Splits `@captain_marr` and `@CaptainMarr` into words."""
    bare = handle.removesuffix("'s").removesuffix("’s").replace("_", " ").strip("-' ’")
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", bare)
