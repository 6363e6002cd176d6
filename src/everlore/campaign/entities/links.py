"""What a writer links on purpose: @mentions and [[links]].

`@Ysolde`, `@captain_marr`, `@[Captain Marr]`, `[[Orne Library]]`, `[[Orne Library|the library]]`,
`[[Orne Library#Cellar]]`.
Start at `links_in`.
"""

import re
from dataclasses import dataclass

_MOST_NAME = 100
_LINK = re.compile(
    r"\[\[(?P<link>[^\[\]\n|#]{1,100})(?:#[^\[\]\n|]{0,100})?(?:\|[^\[\]\n]{0,100})?\]\]"
    r"|(?<![\w@.])@\[(?P<named>[^\[\]\n]{1,100})\]"
    r"|(?<![\w@.])@(?P<handle>[^\W\d_][\w'’-]{0,99})"
)


@dataclass(frozen=True, slots=True)
class Link:
    """`name` as it is meant; `start` and `end` are the place of all of it in the text. `is_handle`: one word after
    an @, of which nobody can say whether the next word belongs to it."""

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
        if name:
            end = match.start() + 1 + len(handle.removesuffix("'s").removesuffix("’s")) if handle else match.end()
            found.append(Link(name, match.start(), end, handle is not None))
    return found


def _of_handle(handle: str) -> str:
    """`@captain_marr` and `@CaptainMarr` are written with a space elsewhere."""
    bare = handle.removesuffix("'s").removesuffix("’s").replace("_", " ").strip("-' ’")
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", bare)
