"""Scores how likely two names mean the same entity, by their spelling alone.

In: two forms, and the kind of the second. Out: a `Likeness` from 0 to 1 with a reason in words. `matching` decides
whether another entity fits as well.

Start at `likeness`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from rapidfuzz.distance import OSA

from everlore.campaign.entities.forms import PERSONS, NameForm
from everlore.campaign.entities.words import is_english, listed
from everlore.domain.campaign import EntityKind
from everlore.domain.words import stemmed
from everlore.language.words import FIRST_NAMES

# Shorter words are too similar to each other: Mira, Mara and Mina are three people.
LEAST_MISSPELT = 5
# From this length on, a single typo leaves no doubt.
_LEAST_PLAIN = 7
# From this length on, another last vowel or a letter with an unlike sound is still a typo.
_LEAST_ODD = 8
# Enough for a suggestion, and enough for a match among the names just mentioned.
_DOUBTFUL = 0.66
_BACKED = 0.76
# Final letters that distinguish a woman's, a man's or a people's name.
_MARKING = frozenset("aoi")
_VOWELS = frozenset("aeiouy")
_SOUNDS = (_VOWELS, *map(frozenset, ("ckqgx", "szcx", "dt", "bp", "mn", "fvw", "gj", "lr", "ijy")))
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
# Words that differ in more letters are two words.
_MOST_SLIPS = 2
_LEAST_PART = 3
_NEWER = frozenset(("new", "old", "great", "greater"))
# From here on, no other comparison is needed.
_PLAIN = 0.7

IsName = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Likeness:
    confidence: float
    reason: str


NOTHING = Likeness(0.0, "")
SLIP = "written a little differently"


def likeness(
    seen: NameForm, known: NameForm, kind: EntityKind | None = None, *, is_name: IsName | None = None
) -> Likeness:
    """`is_name`: whether a word occurs in a known name; such a word is no typo."""
    if not seen.words or not known.words:
        return NOTHING
    if seen.words == known.words:
        return Likeness(1.0, "the same name")
    if seen.joined == known.joined:
        return Likeness(0.96, "the same name, written together or apart")
    ways = (
        _by_title(seen, known),
        _by_part(seen, known, kind),
        _by_spelling(seen, known, is_name),
    )
    best = max(ways, key=_sure)
    return best if best.confidence >= _PLAIN else max(best, _by_slip(seen, known, kind, is_name), key=_sure)


def misspelt(seen: str, known: str, *, is_name: IsName | None = None) -> float:
    """Confidence that one word is a typo of the other; 0 if both are words or names of their own."""
    shorter, longer = sorted((len(seen), len(known)))
    if shorter < LEAST_MISSPELT - 1 or longer - shorter > _MOST_SLIPS:
        return 0.0
    distance = OSA.distance(seen, known, score_cutoff=_MOST_SLIPS)
    if distance > _MOST_SLIPS or (is_name is not None and is_name(seen)) or {seen, known} <= FIRST_NAMES:
        return 0.0
    # Stems match even with a doubled letter that no dictionary has.
    is_one_word = stemmed((seen,)) == stemmed((known,)) and _is_doubled(*sorted((seen, known), key=len))
    if is_english(seen) and is_english(known) and not is_one_word:
        return 0.0
    if _differ_by_a_word(seen, known):
        return 0.0
    if distance == 1:
        return _one_slip(seen, known) if longer >= LEAST_MISSPELT else 0.0
    return 0.62 if seen[:3] == known[:3] and shorter >= _LEAST_PLAIN else 0.0


def _differ_by_a_word(seen: str, known: str) -> bool:
    """Silverdale and Silvervale, Blackgate and Blockgate: the differing parts are words of their own."""
    stems = _stems(seen, known)
    if stems != (seen, known) and all(map(is_english, stems)):
        return True
    if len(seen) != len(known):
        return False
    same = next((at for at, (mine, theirs) in enumerate(zip(seen, known, strict=False)) if mine != theirs), 0)
    tail = next((at for at, (a, b) in enumerate(zip(seen[::-1], known[::-1], strict=False)) if a != b), 0)
    ends = ((seen[at:], known[at:]) for at in range(_LEAST_PART, same + 1))
    starts = ((seen[: len(seen) - at], known[: len(known) - at]) for at in range(_LEAST_PART, tail + 1))
    return any(_are_words(*pair) for pair in (*ends, *starts))


def _stems(one: str, other: str) -> tuple[str, str]:
    """Both words without a common place-name ending: a hundred towns end in "bridge"."""
    ends = [end for end in listed("placenames") if one.endswith(end) and other.endswith(end)]
    longest = max(ends, key=len, default="")
    cut = (one.removesuffix(longest), other.removesuffix(longest))
    return cut if min(map(len, cut)) > 1 else (one, other)


def _telling(one: str, other: str) -> int:
    """The number of letters that distinguish a name from others."""
    return max(map(len, _stems(one, other)))


def _are_words(one: str, other: str) -> bool:
    return min(len(one), len(other)) > _LEAST_PART and is_english(one) and is_english(other)


def _one_slip(seen: str, known: str) -> float:
    if seen[0] != known[0] and sorted(seen) != sorted(known):
        # The first letter is rarely mistyped: Darla and Carla are two people.
        return 0.0
    if sorted(seen) == sorted(known):
        return 0.9
    if len(seen) != len(known):
        return _one_letter_more(*sorted((seen, known), key=len))
    return _one_other_letter(seen, known)


def _one_letter_more(shorter: str, longer: str) -> float:
    if longer == shorter + longer[-1] and (longer[-1] in _MARKING or shorter[-1] in _MARKING):
        # Julian and Juliana, Marian and Maria.
        return 0.6
    return 0.9 if _is_doubled(shorter, longer) or _telling(longer, shorter) >= _LEAST_PLAIN else _DOUBTFUL


def _is_doubled(shorter: str, longer: str) -> bool:
    at = next((at for at, sign in enumerate(shorter) if sign != longer[at]), len(shorter))
    return len(longer) == len(shorter) + 1 and longer[at] == longer[at - 1]


def _one_other_letter(seen: str, known: str) -> float:
    """In a short name another letter is often another name: Hela and Hola, Torin and Toren."""
    at = next(at for at, (mine, theirs) in enumerate(zip(seen, known, strict=True)) if mine != theirs)
    pair = frozenset((seen[at], known[at]))
    if at == len(seen) - 1 and pair <= _VOWELS and "y" not in pair and len(seen) < _LEAST_ODD:
        # Mario and Maria.
        return 0.6
    if _telling(seen, known) < _LEAST_ODD:
        return _DOUBTFUL
    if any(pair <= group for group in _SOUNDS):
        return 0.84
    if any(pair <= {row[at], row[at + 1]} for row in _KEYS for at in range(len(row) - 1)):
        return 0.75
    return 0.72


def _sure(like: Likeness) -> float:
    return like.confidence


def _by_slip(seen: NameForm, known: NameForm, kind: EntityKind | None, is_name: IsName | None) -> Likeness:
    """A mistyped part of the name."""
    sure = 1.0
    meant: dict[str, str] = {}
    for word in set(seen.core) - set(known.words):
        near = ((misspelt(word, each, is_name=is_name), each) for each in known.core)
        how_sure, nearest = max(near, default=(0.0, ""))
        if how_sure:
            meant[word] = nearest
            sure = min(sure, how_sure)
    if not meant:
        return NOTHING
    core, words = (tuple(meant.get(word, word) for word in part) for part in (seen.core, seen.words))
    like = likeness(replace(seen, core=core, words=words), known, kind)
    return Likeness(round(like.confidence * sure, 3), f"{like.reason}, {SLIP}")


def _by_title(seen: NameForm, known: NameForm) -> Likeness:
    if seen.core and seen.core == known.core:
        if seen.clashes_with(known):
            return Likeness(0.4, "the same name with another title")
        return Likeness(0.95, "the same name, with or without its title")
    if not seen.core and seen.titles and known.core and seen.titles[-1] in known.titles:
        return Likeness(0.72, "called by the title alone")
    return NOTHING


def _by_part(seen: NameForm, known: NameForm, kind: EntityKind | None) -> Likeness:
    part = seen.core
    whole = known.core or known.words
    if not part or len(part) == len(whole):
        return NOTHING
    if len(part) > len(whole):
        # Known by a short name, now called by the long one.
        back = _by_part(known, seen, kind) if known.core else NOTHING
        return Likeness(round(back.confidence * 0.95, 3), "a longer form of the name") if back.confidence else NOTHING
    if seen.clashes_with(known):
        return NOTHING
    is_person = (kind or known.kind) in PERSONS or (kind is None and known.kind is None and _is_proper(whole))
    # "The Candle Thief" has no first name.
    if is_person and not (known.has_article and not known.titles):
        return _part_of_person(part, known)
    return _part_of_thing(seen, part, known)


def _part_of_person(part: tuple[str, ...], known: NameForm) -> Likeness:
    head = known.head
    if part == head[: len(part)]:
        return Likeness(0.92, "the first name")
    if part == head[-len(part) :]:
        return Likeness(0.9, "the last name")
    return NOTHING


def _part_of_thing(seen: NameForm, part: tuple[str, ...], known: NameForm) -> Likeness:
    head = known.head
    if part == head or (head[0] in _NEWER and part == head[1:]):
        return Likeness(0.9, "the first part of the name" if part == head else "the name without what it is beside")
    if part == head[-len(part) :] and (seen.has_article or not _is_proper(part)):
        return Likeness(0.82 if seen.has_article else 0.62, "what it is, without its name")
    if part == head[: len(part)] and len(head) - len(part) <= 2 and _says_what_it_is(head[-1]):
        # A city and a building in it often share a name.
        is_plain = seen.has_article and head[-1] in listed("places")
        return Likeness(0.78 if is_plain else 0.64, "its name, without what it is")
    return NOTHING


def _by_spelling(seen: NameForm, known: NameForm, is_name: IsName | None) -> Likeness:
    if seen.clashes_with(known):
        return NOTHING
    for mine, theirs in ((seen.core, known.core), (seen.words, known.words)):
        sure = _spelt_alike(mine, theirs, is_name)
        if sure:
            return Likeness(sure, SLIP)
    return NOTHING


def _spelt_alike(seen: tuple[str, ...], known: tuple[str, ...], is_name: IsName | None) -> float:
    if not seen or len(seen) != len(known):
        return 0.0
    sure = 1.0
    for at, (mine, theirs) in enumerate(zip(seen, known, strict=True)):
        if mine != theirs:
            how_sure = misspelt(mine, theirs, is_name=is_name)
            # A matching first name confirms a mistyped last name, but not the reverse, because siblings share last
            # names. A non-word one letter away from a word of the name is a typo of it.
            is_backed = at > 0 and seen[0] == known[0] and not is_english(seen[0])
            is_word = len(seen) > 1 and is_english(theirs) and not is_english(mine)
            sure = min(sure, max(how_sure, _BACKED) if how_sure and (is_backed or is_word) else how_sure)
    return sure


def _is_proper(words: tuple[str, ...]) -> bool:
    return any(not is_english(word) for word in words)


def _says_what_it_is(word: str) -> bool:
    """Whether it is a place or a group in the singular; "the Karth Smiths" are not Karth."""
    return word in listed("places") or (word in listed("factions") and not word.endswith("s"))
