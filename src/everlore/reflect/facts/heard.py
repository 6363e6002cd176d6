"""What can be heard of one clause: which names, numbers and key words of a fact it bears out (F5). Pure.

In: the words of a clause that count for a fact, and all the evidence of the message. Out: the first name or number that
is missing, and for each key word whether it was said, implied, or neither.

Start at `Heard`.
"""

from collections.abc import Sequence
from itertools import pairwise

from everlore.reflect.clauses import Token, lows
from everlore.reflect.facts.bearing import is_named
from everlore.reflect.facts.claims import Claim, figures_in
from everlore.reflect.facts.evidence import Evidence, Ground
from everlore.reflect.facts.vocabulary import BACKWARD, PEOPLE, means, stem_of, stems_of


class Heard:
    """What can be seen of one clause. `looked_back`: a name was found only where the clause points back to;
    `only_looked_back`: no key word is its own."""

    def __init__(self, tokens: Sequence[Token], ground: Ground, evidence: Evidence) -> None:
        self._low = {part for token in tokens for part in (token.low, *token.low.split("-"))}
        self._literal = {stem_of(word) for word in self._low} | _said_otherwise(lows(tokens))
        # A teacher whom somebody has does not make them teach.
        self._implying = {stem_of(word) for word in self._low if word not in PEOPLE} | {
            stem_of(word) for word in self._low if word in PEOPLE and stem_of(word) not in _ROLES
        }
        self._back = ground.before
        self._points_back = not BACKWARD.isdisjoint(self._low)
        self._anywhere = (evidence.words | evidence.earlier) - evidence.assistants
        self._initials = _initials(tokens)
        self._words = lows(tokens)
        self.looked_back = False
        self.only_looked_back = False

    def missing_name(self, claim: Claim) -> str:
        spelt_out = _spelt_out(claim, self._low)
        for name in sorted(claim.names):
            if is_named(name, self._low) or name in self._initials or name in spelt_out:
                continue
            if not (self._points_back and is_named(name, self._anywhere)):
                return name
            self.looked_back = True
        return self._missing_owner_name(claim)

    def _missing_owner_name(self, claim: Claim) -> str:
        """ "User's older sister Emma": how she is called, or which one, may have been said elsewhere by the user."""
        anywhere = {stem_of(word) for word in self._anywhere}
        for which in claim.which:
            if which not in self._literal and which not in anywhere:
                return which
        for name in sorted(claim.named):
            if not is_named(name, self._low):
                if not is_named(name, self._anywhere):
                    return name
                self.looked_back = True
        return ""

    def missing_number(self, claim: Claim) -> str:
        said = figures_in(self._words)
        lacking = sorted(claim.numbers - said - ({"1"} if {"a", "an"} & self._low else set()))
        return lacking[0] if lacking else ""

    def borne(self, keys: Sequence[str]) -> list[bool | None]:
        """For each key: True in so many words, False by implication, None not at all."""
        found = [self._bears(key) for key in keys]
        back = [self._is_back(key) if each is None else False for key, each in zip(keys, found, strict=True)]
        self.only_looked_back = any(back) and all(each is None for each in found)
        return [False if is_back else each for each, is_back in zip(found, back, strict=True)]

    def _bears(self, key: str) -> bool | None:
        if key in self._literal:
            return True
        is_implied = (
            any(means(key, said) for said in self._implying)
            or (key == _WORK and self._is_placed)
            or (key == _LIVE and self._is_settled)
        )
        return False if is_implied else None

    @property
    def _is_placed(self) -> bool:
        """ "I'm a nurse at St Mary's": where somebody is something, they work there."""
        words = self._words
        at = words.index("at") if "at" in words else 0
        return any(words[place] == "am" and words[place + 1] in {"a", "an", "the"} for place in range(at))

    @property
    def _is_settled(self) -> bool:
        """ "I've been in Chicago for twelve years", "I'm up in Aberdeen these days": that is where they live."""
        words = self._words
        at = next((at for at, word in enumerate(words) if at and word == "in" and words[at - 1] in _STAYING), 0)
        return at > 0 and not _LONG.isdisjoint(words[at + 1 :])

    def _is_back(self, key: str) -> bool:
        return any(stem_of(word) == key for word in self._back)


_WORK = stem_of("work")
_LIVE = stem_of("live")
_STAYING = frozenset({"been", "am", "up", "over", "down", "out"})
_LONG = frozenset({"years", "months", "since", "days", "nowadays", "decades"})


def _said_otherwise(words: Sequence[str]) -> set[str]:
    """What two words mean together: "passed away", "by myself"."""
    pairs = set(pairwise(words))
    return {meant for pair, meant in _TOGETHER.items() if pair in pairs}


_TOGETHER = {
    ("passed", "away"): stem_of("died"),
    ("by", "myself"): stem_of("alone"),
    ("my", "late"): stem_of("died"),
    ("put", "down"): stem_of("died"),
}
_ROLES = stems_of("teacher professor mentor coach doctor therapist landlord student manager")


def _initials(tokens: Sequence[Token]) -> frozenset[str]:
    """ "NYC" for New York City: the first letters of words with a capital that follow each other."""
    found: set[str] = set()
    run = ""
    for token in tokens:
        run = run + token.low[0] if token.is_word and token.is_capital else ""
        if len(run) > 1:
            found.add(run)
    return frozenset(found)


def _spelt_out(claim: Claim, said: set[str]) -> set[str]:
    """The other way round: the words of "New York City" where NYC was said."""
    found: set[str] = set()
    run: list[str] = []
    for token in claim.tokens[1:]:
        run = [*run, token.low] if token.is_word and token.is_capital else []
        if len(run) > 1 and "".join(word[0] for word in run) in said:
            found |= set(run)
    return found
