"""The words by which statements about a world are compared; they stand in `words.txt`."""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files

from everlore.domain.words import stemmed, words_of


@cache
def entries(name: str) -> tuple[str, ...]:
    """The lines under a heading."""
    return _sections()[name]


@cache
def members(name: str) -> frozenset[str]:
    """All words under a heading."""
    return frozenset(word for line in entries(name) for word in line.split())


@cache
def lines_of(name: str) -> Mapping[str, int]:
    """Each word under a heading, with the number of its line."""
    return {word: at for at, line in enumerate(entries(name)) for word in line.split()}


@lru_cache(maxsize=32)
def signs(name: str) -> re.Pattern[str]:
    """Any of the patterns under a heading. Case counts: "May" is somebody, "may" is a doubt."""
    return re.compile("|".join(each if each.startswith("^") else rf"\b(?:{each})\b" for each in entries(name)))


@cache
def deeds() -> Mapping[str, str]:
    """The form of a verb, with what it is that is done."""
    return {form: name for name, forms in _named("deeds") for form in forms}


@cache
def doers() -> Mapping[str, str]:
    """What somebody is called who does it, with what that is."""
    return {word: name for name, words in _named("doers") for word in words}


@cache
def meanings() -> Mapping[str, str]:
    """What somebody is, with what that denies of them: who is mute can not speak."""
    return {word: denied for denied, words in _named("means") for word in words}


@cache
def deed_pattern() -> str:
    return "|".join(sorted((re.escape(form) for form in deeds()), key=len, reverse=True))


@cache
def opposites() -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Each line: what stands on its one side, and on its other."""
    return tuple(tuple(_listed(side) for side in line.split("|")) for line in entries("opposites"))


@cache
def opposed_verbs() -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The same, in every form of the verbs."""
    lines = (line.split("|") for line in entries("opposed verbs"))
    return tuple(
        tuple(tuple(form for verb in _listed(side) for form in _forms_of(verb)) for side in sides) for sides in lines
    )


@cache
def kinds() -> Mapping[str, frozenset[str]]:
    """The stem of what is one of a kind, with the stems of its kinds: a son is a child."""
    found: dict[str, set[str]] = {}
    for kind, words in _named("kinds"):
        for word in words:
            found.setdefault(stem_of(word), set()).add(stem_of(kind))
    return {word: frozenset(of) for word, of in found.items()}


@lru_cache(maxsize=16_384)
def in_one_word(text: str) -> str:
    """With one word for what is said in several: "grows old" is "age"."""
    one, said = _phrases()
    return said.sub(lambda found: one[found[0]], text)


@cache
def _phrases() -> tuple[Mapping[str, str], re.Pattern[str]]:
    one = {phrase: word for word, phrases in _named("phrases") for phrase in phrases}
    words = "|".join(sorted(map(re.escape, one), key=len, reverse=True))
    return one, re.compile(rf"\b(?:{words})\b")


@cache
def stem_of(word: str) -> str:
    """The stem of a word, and of the other forms of its verb."""
    return _forms().get(word) or _forms().get(stemmed([word])[0]) or stemmed([word])[0]


@lru_cache(maxsize=16_384)
def stems_in(text: str) -> frozenset[str]:
    """The stems of all words that tell something."""
    return frozenset(stem_of(word) for word in words_of(text) if word not in members("small"))


@cache
def _forms() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in entries("forms"):
        first, *others = line.split()
        found |= dict.fromkeys([first, *others, *stemmed([first, *others])], first)
    return found


def _named(name: str) -> Iterator[tuple[str, list[str]]]:
    for line in entries(name):
        of, _, forms = line.partition(":")
        yield of.strip(), [each.strip() for each in forms.split(",")]


def _listed(side: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in side.split(","))


def _forms_of(verb: str) -> Iterator[str]:
    """ "Try": try, tries, tried; and the forms that follow no rule."""
    stem = verb[:-1] if re.search(r"e$|[^aeiou]y$", verb) else verb
    joint = "i" if re.search(r"[^aeiou]y$", verb) else ""
    yield verb
    yield f"{stem}{joint or 'e'}s" if joint or re.search(r"(?:e|s|sh|ch|x|z)$", verb) else f"{verb}s"
    yield f"{stem}{joint}ed"
    yield from (form for line in entries("forms") if line.split()[0] == verb for form in line.split()[1:])


@cache
def _sections() -> dict[str, tuple[str, ...]]:
    """Read when first asked for: importing a module reads no file."""
    found: dict[str, list[str]] = {}
    text = files("everlore.campaign.canon").joinpath("words.txt").read_text(encoding="utf-8")
    for line in (each.strip() for each in text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            found[line[1:-1]] = []
        elif line and not line.startswith("#"):
            found[list(found)[-1]].append(line)
    return {name: tuple(lines) for name, lines in found.items()}
