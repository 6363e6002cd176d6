"""The word lists beside this module: general English, no name of any game. Read when first asked for.

Start at `listed` and `is_english`.
"""

from functools import cache, lru_cache
from importlib.resources import files

from everlore.domain.words import stemmed


@cache
def listed(name: str) -> frozenset[str]:
    """The words of `words/<name>.txt`, in lower case; a line that begins with "#" says what they are."""
    text = files("everlore.campaign.entities").joinpath("words", f"{name}.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


@lru_cache(maxsize=50_000)
def is_english(word: str) -> bool:
    """Whether most people know it as a word: "Hollow" may be a name, "Ilka" can be nothing else."""
    plain = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    return all(part in listed("english") or part in listed("firstwords") for part in stemmed(plain.split("-")) if part)


def is_no_name(word: str) -> bool:
    """A day, a word of the game, a people, a brand, or what only begins sentences."""
    return any(word.lower() in listed(name) for name in ("calendar", "gameterms", "peoples", "outside", "firstwords"))
