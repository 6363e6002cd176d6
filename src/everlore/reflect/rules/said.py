"""A clause taken apart: of whom it tells, in which tense, with which verb, and what follows the verb.

In: a clause with its words, and who its subject is to the user. Out: `Said`, which rules look at, and which puts a
statement together again in the third person: "I don't live in Rome any more" is "User no longer lives in Rome".

Start at `said_of`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from everlore.domain.memory import Category
from everlore.language.clauses import Read, Token
from everlore.language.clauses.words import ADVERBS, BE
from everlore.language.lists import listed
from everlore.language.verbs import base_of_gerund, base_of_participle, base_of_past, base_of_third, third
from everlore.language.words import OFTEN
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.phrase import shown

USER = "User"
STATED = 0.95
IMPLIED = 0.85
_MOST_CONTENT = 300


class Tense(StrEnum):
    PRESENT = "present"
    PAST = "past"
    PERFECT = "perfect"
    GOING = "going"
    LONG = "long"
    FUTURE = "future"
    WOULD = "would"
    USED = "used"
    CAN = "can"


@dataclass(frozen=True, slots=True)
class Said:
    """`label` is the subject as a memory names it: "User", "User's sister Emma". `is_over`: "no longer"."""

    read: Read
    label: str
    verb: str
    tense: Tense
    rest: tuple[Token, ...] = ()
    form: str = ""
    often: str = ""
    is_denied: bool = False
    is_never: bool = False
    is_over: bool = False
    is_many: bool = False

    @property
    def is_user(self) -> bool:
        return self.label == USER

    @property
    def next(self) -> str:
        return self.rest[0].low if self.rest else ""

    def head(self) -> str:
        """The subject and the verb as they read in a memory."""
        verb = self._verb()
        if self.often and not self.is_denied:
            first, _, rest = verb.partition(" ")
            is_after = self.verb == "be" or self.tense in {Tense.PERFECT, Tense.LONG, Tense.GOING}
            verb = f"{first} {self.often} {rest}" if is_after else f"{self.often} {verb}"
        return f"{self.label} {verb.strip()}"

    def _verb(self) -> str:
        has, is_, does = ("have", "are", "do") if self.is_many else ("has", "is", "does")
        verb = self.verb if self.is_many else third(self.verb)
        if self.is_over and self.tense is Tense.PRESENT:
            return f"{is_} no longer" if self.verb == "be" else f"no longer {verb}"
        no = "never" if self.is_never else "not"
        match self.tense:
            case Tense.PRESENT if self.verb == "be":
                return f"{is_} not" if self.is_denied else is_
            case Tense.PRESENT:
                return (f"never {verb}" if self.is_never else f"{does} not {self.verb}") if self.is_denied else verb
            case Tense.PAST if self.verb == "be":
                was = "were" if self.is_many else "was"
                return f"{was} {no}" if self.is_denied else was
            case Tense.PAST:
                return (
                    (f"never {self.form}" if self.is_never else f"did not {self.verb}") if self.is_denied else self.form
                )
            case Tense.PERFECT:
                return f"{has} {no + ' ' if self.is_denied else ''}{self.form}"
            case Tense.GOING:
                return f"{is_} {no + ' ' if self.is_denied else ''}{self.form}"
            case Tense.LONG:
                return f"{has} {no + ' ' if self.is_denied else ''}been {self.form}"
            case Tense.USED:
                return f"used to {self.verb}"
            case Tense.CAN:
                return f"can't {self.verb}" if self.is_denied else f"can {self.verb}"
            case Tense.WOULD:
                return f"would {no + ' ' if self.is_denied else ''}{self.verb}"
            case Tense.FUTURE:
                return f"will {no + ' ' if self.is_denied else ''}{self.verb}"

    def tells(
        self,
        rest: Sequence[Token] | str,
        category: Category,
        reason: str,
        *,
        head: str | None = None,
        confidence: float = STATED,
        capital: bool = False,
    ) -> list[Candidate]:
        """The statement with this rest, unless it is empty. About somebody else it is a relationship fact."""
        text = rest if isinstance(rest, str) else shown(rest, capital=capital)
        start = self.head() if head is None else f"{self.label} {head}"
        content = " ".join(f"{start} {text}".split())
        if len(content) > _MOST_CONTENT:
            return []
        kind = category if self.is_user else Category.RELATIONSHIP
        sure = confidence if self.is_user else min(confidence, 0.9)
        return [Candidate(content=content, category=kind, confidence=sure, reasoning=reason)]

    def turned(self, **changes: object) -> "Said":
        return replace(self, **changes)  # type: ignore[arg-type]


@dataclass(slots=True)
class _Walk:
    """A walk over the words before the verb: adverbs are noted, "not" counts."""

    tokens: Sequence[Token]
    at: int = 0
    often: str = ""
    is_denied: bool = False
    is_never: bool = False
    is_over: bool = False

    def skip(self) -> str:
        """The next word that is neither adverb nor denial."""
        while self.at < len(self.tokens):
            low = self.tokens[self.at].low
            if low == "no" and self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].low == "longer":
                self.is_over = True
                self.at += 2
                continue
            if low == "not":
                self.is_denied = True
            elif low == "never":
                self.is_denied = self.is_never = True
            elif low == "once":
                pass
            elif low in OFTEN:
                self.often = low
            elif low not in ADVERBS or (
                low in {"do", "did", "kind", "sort", "pretty", "both", "all", "so", "sure", "of"}
                and not self._is_adverb()
            ):
                return low
            self.at += 1
        return ""

    def _is_adverb(self) -> bool:
        """ "do" before a verb that is no denial ("I do like"), "kind of"."""
        low = self.tokens[self.at].low
        after = self.tokens[self.at + 1].low if self.at + 1 < len(self.tokens) else ""
        if low in {"do", "did"}:
            return False
        if low in {"kind", "sort"}:
            return after == "of"
        return low in {"of", "so", "pretty", "both", "all", "sure"}

    def take(self) -> Token:
        token = self.tokens[self.at]
        self.at += 1
        return token


def said_of(read: Read, label: str, *, is_many: bool = False) -> Said | None:
    walk = _Walk(read.predicate)
    low = walk.skip()
    if not low:
        return None
    parsed = _parse(walk, low)
    before = {token.low for token in walk.tokens[: walk.at]}
    if parsed is None or not _HARDLY.isdisjoint(before) or (parsed[0] != "be" and not _NEARLY.isdisjoint(before)):
        return None
    verb, tense, form = parsed
    rest = _of_others(walk.tokens[walk.at :])
    is_over = walk.is_over or (walk.is_denied and _ends_now(rest))
    rest = tuple(token for token in rest if token.low != "any-more") if is_over else rest
    return Said(
        read,
        label,
        verb,
        tense,
        rest,
        form,
        walk.often,
        walk.is_denied,
        walk.is_never,
        is_over,
        is_many,
    )


_NEARLY = frozenset({"almost", "nearly"})
_HARDLY = frozenset({"hardly", "barely", "scarcely"})
_SELVES = frozenset({"myself", "meself", "ourselves"})
_SOME = frozenset({"a", "an", "some", "two", "the"})
_SIZES = frozenset("little tiny old big weird fancy cute funny".split())


def _of_others(rest: Sequence[Token]) -> tuple[Token, ...]:
    """Without what only points: "(myself) a banjo", "(those) little spoons"."""
    first, second = (*(token.low for token in rest[:2]), "", "")[:2]
    is_pointing = (first in _SELVES and second in _SOME) or (first in {"those", "these"} and second in _SIZES)
    return tuple(rest[1:] if is_pointing else rest)


def _ends_now(rest: Sequence[Token]) -> bool:
    words = [token.low for token in rest[-3:]]
    return "any-more" in words or ("any" in words and "more" in words)


def _parse(walk: _Walk, low: str) -> tuple[str, Tense, str] | None:
    if low in BE or (low == "'s" and walk.at == 0):
        return _after_be(walk)
    if low in {"have", "has", "had", "'ve"}:
        return _after_have(walk)
    if low in {"do", "does", "did"}:
        return _after_do(walk, low)
    if low in {"will", "'ll", "would", "'d", "can"}:
        return _after_modal(walk, {"will": Tense.FUTURE, "'ll": Tense.FUTURE, "can": Tense.CAN}.get(low, Tense.WOULD))
    if low in {"could", "should", "may", "might", "must", "shall", "be"}:
        return None
    if low == "used" and walk.at + 2 < len(walk.tokens) and walk.tokens[walk.at + 1].low == "to":
        walk.at += 2
        return (walk.skip() and (walk.take().low, Tense.USED, "")) or None
    if low == "allergic":
        return "be", Tense.PRESENT, "is"
    form = walk.take().low
    if form in {"living", "working", "studying"}:
        return base_of_gerund(form) or form, Tense.GOING, form
    past = base_of_past(form)
    if past is not None:
        return past, Tense.PAST, form
    return base_of_third(form) if walk.tokens[0].low != "i" else form, Tense.PRESENT, form


def _after_be(walk: _Walk) -> tuple[str, Tense, str] | None:
    be = walk.take().low
    low = walk.skip()
    if be in {"is", "'s"} and low in _AFTER_HAS:
        return _has(walk, low)
    gerund = base_of_gerund(low) if low else None
    if be in {"am", "is", "are", "'s", "be"} and gerund:
        return gerund, Tense.GOING, walk.take().low
    if be in {"been", "being", "be"}:
        return None
    return "be", Tense.PAST if be in {"was", "were"} else Tense.PRESENT, be


# "He's got a job", "she's lived here for years": short for "has".
_AFTER_HAS = frozenset("got been had lived worked become moved".split())


def _has(walk: _Walk, low: str) -> tuple[str, Tense, str] | None:
    if low == "been":
        return _after_been(walk)
    if low == "got":
        walk.take()
        return ("have", Tense.PRESENT, "have") if walk.skip() != "to" else None
    form = walk.take().low
    return base_of_participle(form) or form, Tense.PERFECT, form


def _after_have(walk: _Walk) -> tuple[str, Tense, str] | None:
    have = walk.take().low
    low = walk.skip()
    if low == "to":
        return None
    if low == "got":
        walk.take()
        return ("have", Tense.PRESENT, "have") if walk.skip() != "to" else None
    if low == "been":
        return _after_been(walk)
    is_participle = low and base_of_participle(low) is not None and low not in {"red", "married"}
    if is_participle and have != "had" and not _is_attribute(walk):
        form = walk.take().low
        return base_of_participle(form) or form, Tense.PERFECT, form
    if have == "had":
        return None if is_participle and low not in {"red", "married"} else ("have", Tense.PAST, "had")
    return "have", Tense.PRESENT, have


def _is_attribute(walk: _Walk) -> bool:
    """ "I have mixed feelings" tells of no mixing, unlike "I have adopted twins"."""
    return walk.tokens[walk.at].low in {"mixed", "limited", "left", "tired", "blessed"}


def _after_been(walk: _Walk) -> tuple[str, Tense, str] | None:
    walk.take()
    low = walk.skip()
    gerund = base_of_gerund(low) if low else None
    if gerund:
        return gerund, Tense.LONG, walk.take().low
    return "be", Tense.PERFECT, "been"


_STRESSED = listed("verbs.stressed")


_BEFORE_NOUNS = listed("grammar.before_an_object")


def _after_do(walk: _Walk, do: str) -> tuple[str, Tense, str] | None:
    walk.take()
    low = walk.skip()
    if not low or not walk.tokens[walk.at].is_word or not low.isalpha():
        return None
    verb = low
    if verb in _BEFORE_NOUNS or (not walk.is_denied and verb not in _STRESSED):
        return "do", Tense.PRESENT if do != "did" else Tense.PAST, do
    walk.take()
    return verb, Tense.PAST if do == "did" else Tense.PRESENT, f"did {verb}" if do == "did" else verb


def _after_modal(walk: _Walk, tense: Tense) -> tuple[str, Tense, str] | None:
    walk.take()
    low = walk.skip()
    if not low:
        return None
    verb = walk.take().low
    if verb == "be" and tense is Tense.FUTURE:
        gerund = base_of_gerund(walk.skip() or "")
        if gerund:
            return gerund, Tense.FUTURE, "be " + walk.take().low
    return verb, tense, verb
