"""A short form of a value: the input or output of a tool, for a sentence or a prompt (C6). Pure.

Start at `outline`.
"""

from collections.abc import Iterator, Mapping

# Keys that usually hold the title of a thing.
_TITLES = ("title", "name", "summary", "text", "content", "path", "url", "id")


def outline(values: Mapping[str, object], *, most: int = 3, chars: int = 50, titles: int = 0) -> str:
    """`query: machine learning, limit: 10, results: [10 items]`: at most `most` values of at most `chars` characters.
    With `titles`, the first items of a list are named as well."""
    told = (line for key, value in values.items() if (line := _told(key, value, chars, titles)))
    return ", ".join(line for _, line in zip(range(most), told, strict=False))


def _told(key: str, value: object, chars: int, titles: int) -> str:
    name = one_line(key, chars)
    match value:
        case None:
            return ""
        case str():
            text = one_line(value, chars)
            return f"{name}: {text}" if text else ""
        case bool():
            return f"{name}: {'yes' if value else 'no'}"
        case int() | float():
            return f"{name}: {value}"
        case list():
            named = "; ".join(_titles(value, titles, chars))
            counted = f"[{len(value)} item{'' if len(value) == 1 else 's'}]"
            return f"{name}: {counted} {named}".rstrip()
        case dict():
            return f"{name}: {{{len(value)} field{'' if len(value) == 1 else 's'}}}"
    return ""


def _titles(values: list[object], most: int, chars: int) -> Iterator[str]:
    for value in values[:most]:
        if isinstance(value, dict):
            value = next((value[each] for each in _TITLES if isinstance(value.get(each), str)), "")
        if isinstance(value, str) and (text := one_line(value, chars)):
            yield text


def one_line(text: str, most: int) -> str:
    """On one line, so that it cannot imitate other structure; cut if it is too long."""
    line = " ".join(text[: 4 * most + 200].split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
