"""Word lists of general English, without names of any game. Each is read on first use.

Start at `listed` and `is_english`.
"""

from functools import cache, lru_cache
from importlib.resources import files

from everlore.domain.words import stemmed


@cache
def listed(name: str) -> frozenset[str]:
    """The words of `words/<name>.txt`, in lower case; a line that begins with "#" is a comment."""
    text = files("everlore.campaign.entities").joinpath("words", f"{name}.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


@lru_cache(maxsize=50_000)
def is_english(word: str) -> bool:
    """Whether it is a common English word: "Hollow" may be a name, "Ilka" can be nothing else."""
    plain = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    return all(part in listed("english") or part in listed("firstwords") for part in stemmed(plain.split("-")) if part)


def is_no_name(word: str) -> bool:
    """A day, a game term, a people, a brand, or a word that only begins sentences."""
    return any(word.lower() in listed(name) for name in ("calendar", "gameterms", "peoples", "outside", "firstwords"))
