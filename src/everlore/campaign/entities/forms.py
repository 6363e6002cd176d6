"""Normalizes names for comparison: without article, case, accents and abbreviated titles.

"The Tower of Salt" and "tower of Sált" have the same form; "Captain Ysolde Marr" has a title and a core.

Start at `form_of`.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache

from everlore.campaign.entities.words import is_english, listed
from everlore.domain.campaign import EntityKind

_MOST_CHARS = 200
_PART = re.compile(r"[^\W_]+")
_LETTERS = str.maketrans(
    {"þ": "th", "Þ": "Th", "ð": "d", "Ð": "D", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "æ": "ae", "Æ": "Ae",
     "œ": "oe", "Œ": "Oe", "ı": "i"}
)  # fmt: skip
_IN_SHORT = {
    "mt": "mount",
    "st": "saint",
    "ste": "saint",
    "theatre": "theater",
    "centre": "center",
    "sceptre": "scepter",
}
_ARTICLES = frozenset(("the", "a", "an"))
_JOINTS = frozenset("of at in on from under over by the".split())
# Abbreviations of titles, and variants of the same title.
_IN_FULL = {
    "dr": "doctor", "doc": "doctor", "mr": "mister", "capt": "captain",
    "cpt": "captain", "capn": "captain", "prof": "professor", "rev": "reverend", "lt": "lieutenant",
    "sgt": "sergeant", "col": "colonel", "gen": "general", "cmdr": "commander", "insp": "inspector",
    "auntie": "aunt", "granny": "grandmother", "grandma": "grandmother", "gran": "grandmother",
    "grandpa": "grandfather", "fr": "father", "sr": "sister", "madam": "madame",
}  # fmt: skip
# Polite forms of address, used besides a person's actual title.
_COURTESIES = frozenset(
    "mister mrs ms mx miss sir lady lord madame dame don donna senor senora master mistress".split()
)
_KINDS = (
    (EntityKind.FACTION, "factions"),
    (EntityKind.EVENT, "events"),
    (EntityKind.LOCATION, "places"),
    (EntityKind.ITEM, "items"),
    (EntityKind.CREATURE, "creatures"),
)
PERSONS = frozenset((EntityKind.NPC, EntityKind.PERSON))


@dataclass(frozen=True)
class NameForm:
    """`words`: all words in order; `titles`: spelled out; `core`: the words without the titles."""

    words: tuple[str, ...]
    titles: tuple[str, ...] = ()
    core: tuple[str, ...] = ()
    has_article: bool = False

    @cached_property
    def joined(self) -> str:
        return "".join(self.words)

    @cached_property
    def head(self) -> tuple[str, ...]:
        """The words before "of": "lantern" in "Lantern of Oum"."""
        words = self.core or self.words
        at = next((at for at, word in enumerate(words) if word in _JOINTS and at > 0), len(words))
        return words[:at]

    @cached_property
    def kind(self) -> EntityKind | None:
        """The kind of entity, if the name alone shows it."""
        return kind_of_head(self)

    def clashes_with(self, other: "NameForm") -> bool:
        """Whether both have titles that belong to different people: "King Edmar" and "Prince Edmar"."""
        mine, theirs = set(self.titles), set(other.titles)
        is_polite, other_is_polite = mine <= _COURTESIES, theirs <= _COURTESIES
        return bool(mine and theirs) and mine.isdisjoint(theirs) and is_polite == other_is_polite


@lru_cache(maxsize=20_000)
def form_of(name: str) -> NameForm:
    words = plain_words(name)
    has_article = len(words) > 1 and words[0] in _ARTICLES
    if has_article:
        words = words[1:]
    count = 0
    while count < len(words) and _title(words[count]):
        count += 1
    # "Mother of Pearl": before "of" it is no title.
    if count < len(words) and words[count] in _JOINTS:
        count = 0
    return NameForm(words, tuple(in_full(word) for word in words[:count]), words[count:], has_article)


def plain_words(text: str) -> tuple[str, ...]:
    """Lower case, without accents or possessive; hyphens split words, apostrophes do not."""
    spread = unicodedata.normalize("NFKD", text[:_MOST_CHARS].translate(_LETTERS)).casefold()
    kept = "".join(sign for sign in spread if not unicodedata.combining(sign))
    kept = kept.replace("'", "").replace("’", "").replace("&", " and ")
    return tuple(_one_spelling(word) for word in _PART.findall(kept))


@lru_cache(maxsize=50_000)
def plain_word(word: str) -> str:
    return "".join(plain_words(word))


def _one_spelling(word: str) -> str:
    """Unifies British and American spelling: "Grey Harbour" and "Gray Harbor" are one place."""
    word = _IN_SHORT.get(word, word).replace("grey", "gray")
    if len(word) > 5 and word.endswith(("our", "ours")):
        word = word.removesuffix("s")[:-2] + "r" + ("s" if word.endswith("s") else "")
    return word


def in_full(title: str) -> str:
    return _IN_FULL.get(title, title)


def is_title(word: str) -> bool:
    return _title(word.lower().replace("’", "").replace("'", "").rstrip("."))


def kind_of_head(form: NameForm) -> EntityKind | None:
    """The kind by title, by first word ("House Verrault"), or by last word ("Orne Library")."""
    if form.titles and form.core and not _is_of_a_saint(form):
        return EntityKind.NPC
    head = form.head
    if not head:
        return EntityKind.NPC if form.titles else None
    if "and" in form.words:
        return EntityKind.FACTION
    first = {"house", "clan", "order", "guild", "clans", "family", "cult", "church", "section", "division"}
    if head[0] in first and (len(head) > 1 or len(form.words) > len(head)):
        return EntityKind.FACTION
    if head[0] in ("mount", "lake", "port", "fort", "cape", "castle", "camp", "isle", "river", "new") and len(head) > 1:
        return EntityKind.LOCATION
    if form.words[0] in ("battle", "siege", "feast", "fall", "war", "festival", "treaty", "night", "day"):
        return EntityKind.EVENT
    return _by_list(head)


def _is_of_a_saint(form: NameForm) -> bool:
    """ "St Brede's Church" is a church."""
    return form.titles == ("saint",) and len(form.head) > 1 and form.head[-1] in listed("places")


def _by_list(head: tuple[str, ...]) -> EntityKind | None:
    last = head[-1]
    found = [kind for kind, name in _KINDS if last in listed(name)]
    if not found and len(head) > 1 and (_title(last) or last in listed("roles")):
        return EntityKind.NPC
    if not found and len(head) == 1 and not is_english(last):
        found = [EntityKind.LOCATION] if _ends_like_a_place(last) else []
    return found[0] if found else None


def _ends_like_a_place(word: str) -> bool:
    return any(word.endswith(end) and len(word) >= len(end) + 3 for end in listed("placenames"))


def _title(word: str) -> bool:
    return word in listed("titles") or word in _IN_FULL
