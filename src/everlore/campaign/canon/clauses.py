"""A statement taken apart: who, does or is what, and whether that is denied. Pure.

In: one or two sentences of canon. Out: their clauses, each with its own subject, which the second half of a sentence
takes from the first. Start at `clauses_of`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from everlore.campaign.canon.things import CanonThing, thing_of
from everlore.campaign.canon.vocabulary import deeds, entries, in_one_word, members, stems_in

_MOST_CHARS = 1_000
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\s+[—–]\s+")
_ABBREVIATED = re.compile(r"\b(St|Dr|Mr|Mrs|Ms|Sgt|Capt)\.(?= )")
_SHORT = {"n't": " not", "cannot": "can not", "'re": " are", "'ve": " have", "'ll": " will"}
_APPOSED = re.compile(r"^(?P<who>[^,]{2,80}), (?P<what>(?:the|an?|his|her|their|\w+'s) [^,]{2,80}), (?P<rest>.+)$")
_OPENING = re.compile(
    r"^(?P<when>(?:In|At|On|Under|Near|Within|During|After|Before|By|From|Beneath) [^,]{2,60}), (?P<rest>.+)$"
)
_LINKS = (
    r",? (?:and|but|yet|while|though|although|whereas) |, (?:who|which) |; |, (?=(?:nobody|no one|nothing|everyone) )"
)
# "Is the squire of Ash, not his son": what stands behind is denied, and what stands before is not.
_CONTRAST = re.compile(r",? (?:and )?(?P<not>not|never) (?P<what>[^,]+)$")
_NEITHER = re.compile(r"^(?P<verb>.*?)neither (?P<one>.+?) nor (?P<other>.+)$")
_DENIES = re.compile(
    r"\b(?:not|never|neither|nor)\b|\b(?:has|have|had|is|are|was|were|there) no\b|"
    r"\b(?:is|are|was|were) without\b|^\w+ (?:no|none|nothing|nobody|no one)\b|"
    r"\b(?:to|for|with|from|by) (?:no one|nobody|nothing|none)\b"
)
_NOBODY = re.compile(r"^(?:nobody|no one|none|nothing|no \w+|not (?:one|a single))\b", re.IGNORECASE)
_ONLY = re.compile(r"^only (?!a\b|one\b|two\b|\d)", re.IGNORECASE)
_BEFORE_NOUN = frozenset(
    "the a an his her its their this that these those of in at on by every each no our my two three four five six "
    "seven eight nine ten twelve twenty hundred thousand".split()
)
_ADVERBS = frozenset("only also still never always ever not just even both all now once alone".split())
_WEATHER = re.compile(r"\b(?:rain|snow|hail|thunder|storm|freeze)(?:s|ed)?\b")
_PRONOUNS = frozenset({"he", "she", "it", "they"})
_FINITE = frozenset(
    "is are was were has have had can could does do did must will may might shall should would cannot".split()
)


@dataclass(frozen=True, slots=True)
class CanonClause:
    """`says`: the verb and all behind it. `is_of_nobody`: it is denied of everybody. `only`: of nobody else."""

    subject: CanonThing
    says: str
    denied: bool = False
    is_of_nobody: bool = False
    only: bool = False

    @property
    def stems(self) -> frozenset[str]:
        return stems_in(in_one_word(self.says))


@lru_cache(maxsize=8_192)
def clauses_of(text: str) -> tuple[CanonClause, ...]:
    plain = _ABBREVIATED.sub(r"\1", " ".join(text[:_MOST_CHARS].replace("’", "'").split()))
    for short, long in _SHORT.items():
        plain = plain.replace(short, long)
    return tuple(
        clause for sentence in _SENTENCE.split(plain) for part in _unfolded(sentence) for clause in _clauses(part)
    )


def _unfolded(sentence: str) -> Iterator[str]:
    """ "Ash, the last dragon, sleeps" says that Ash sleeps, and what Ash is."""
    opening = _OPENING.match(sentence)
    if opening is not None:
        # "In Orne, magic is banned": what stands first is said of the rest.
        rest = opening["rest"].rstrip(".!")
        sentence = f"{rest[:1].upper()}{rest[1:]} {opening['when'][0].lower()}{opening['when'][1:]}"
    found = _APPOSED.match(sentence)
    if found is None:
        yield sentence
        return
    yield f"{found['who']} {found['rest']}"
    yield f"{found['who']} is {found['what']}"


def _clauses(sentence: str) -> Iterator[CanonClause]:
    subject = said = ""
    for part in _parts(sentence.strip(" .!;")):
        words = part.split()
        at = _verb_at(words)
        if at is None:
            continue
        own, verb = " ".join(words[:at]), " ".join(words[at:])
        if own.lower() in _ADVERBS:
            verb = f"{own} {verb}"
        elif own.lower() == "it" and not subject and _WEATHER.search(verb):
            subject = "The weather"
        elif own and own.lower() not in _PRONOUNS:
            subject = own
        if subject:
            says = _with_noun(verb, said)
            yield from (_clause(subject, each) for each in _contrasted(says))
            said = says


def _with_noun(says: str, before: str) -> str:
    """ "Breeds hawks and sells none": no hawks; "wants a horse, and never had one": never had a horse."""
    last = next(iter(re.findall(r"[a-z]+(?=\W*$)", before)), "")
    if not last:
        return says
    return re.sub(r"\bnone$", f"no {last}", re.sub(r"\b(had|have|has|owned|owns) one$", rf"\1 {last}", says))


def _contrasted(says: str) -> Iterator[str]:
    neither = _NEITHER.match(says)
    if neither is not None:
        yield from (f"{neither['verb']}not {neither[each]}" for each in ("one", "other"))
        return
    found = _CONTRAST.search(says)
    if found is None or found.start() == 0 or "," not in found[0]:
        yield says
        return
    yield says[: found.start()]
    verb = says.split()[0]
    if found["not"] == "not" and verb in ("is", "are", "was", "were"):
        yield f"{verb} not {found['what']}"


def _clause(subject: str, says: str) -> CanonClause:
    is_of_nobody = bool(_NOBODY.match(subject))
    only = bool(_ONLY.match(subject))
    return CanonClause(
        subject=thing_of(_ONLY.sub("", subject)),
        says=says,
        denied=is_of_nobody or bool(_DENIES.search(says)),
        is_of_nobody=is_of_nobody,
        only=only,
    )


def _parts(sentence: str) -> list[str]:
    """Where a new verb begins behind an "and"; "salt and iron" stays whole."""
    first, *others = re.split(f"({_LINKS})", sentence)
    parts = [first]
    for link, piece in zip(others[::2], others[1::2], strict=True):
        if _verb_at(piece.split()) is not None and _verb_at(parts[-1].split()) is not None:
            parts.append(piece)
        else:
            parts[-1] += f"{link}{piece}"
    return parts


def _verb_at(words: list[str]) -> int | None:
    """The first word that can only be a verb where it stands."""
    for at, word in enumerate(words):
        plain, before = word.strip(",.").lower(), words[at - 1].lower() if at else ""
        if (word[0].isupper() and at) or before in _BEFORE_NOUN:
            continue
        if plain in _bases() and word.islower() and _are_many(words[:at]):
            return at
        if plain in _FINITE or (plain in _known() and (at or not word[0].isupper())):
            return at - 1 if before in _ADVERBS and at > 1 else at
    looks = next((at for at in range(1, len(words)) if _looks_like_verb(words, at)), None)
    return 1 if looks is None and _is_bare_verb(words) else looks


def _is_bare_verb(words: list[str]) -> bool:
    """ "Swans moult in spring": the second word, behind many."""
    if len(words) < 2 or not _are_many(words[:1]) or not words[1].islower():
        return False
    return words[1] not in members("small") | members("behind acts")


def _looks_like_verb(words: list[str], at: int) -> bool:
    """ "Ash sleeps": behind a name, and with the ending of a verb."""
    word, before = words[at].strip(",."), words[at - 1]
    if not word.isalpha() or not word.islower() or before.lower() in _BEFORE_NOUN:
        return False
    return (
        word.endswith(("s", "ed"))
        and not word.endswith(("ss", "us", "'s"))
        and (before[0].isupper() or at >= 2 or before in _ADVERBS)
    )


def _are_many(words: list[str]) -> bool:
    return "and" in words or any(
        each.endswith(("s", "folk", "men", "people", "children")) and not each.endswith(("'s", "ss", "us"))
        for each in words
    )


@cache
def _bases() -> frozenset[str]:
    """Of whom there are many, they "sleep": the form without an ending."""
    return frozenset(line.split()[0] for line in entries("forms")) | members("bases")


@cache
def _known() -> frozenset[str]:
    """Every form of a verb that is known, but for those that are nouns as well."""
    plain = {form for form in deeds() if " " not in form}
    plain |= {each.split()[0] for each in entries("stays") if each.isalpha()}
    plain |= {word for line in entries("forms") for word in line.split()[1:2]}
    return frozenset(plain | members("verbs")) - {"men", "women", "heads", "children", "wolves", "elves", "feet"}
