"""Parses a predicate into form, verb and rest, and renders it in the third person.

In: the words after a subject, in the first or the third person. Out: a `Predicate`, which phrasebooks match, and which
renders the statement: "don't live in Rome any more" becomes "no longer lives in Rome".

Start at `predicate_of`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from everlore.language.lists import listed
from everlore.language.verbs import base_of_gerund, base_of_participle, base_of_past, base_of_third, third
from everlore.language.words import OFTEN
from everlore.learning.clauses import ClauseToken
from everlore.learning.clauses.words import ADVERBS, BE

_BEFORE_NOUNS = listed("grammar.before_an_object")
_STRESSED = listed("verbs.stressed")
_NEARLY = frozenset("almost nearly hardly barely scarcely".split())
# Words after "'s" meaning "has": "He's got a job", "she's lived here for years".
_AFTER_HAS = frozenset("got been had lived worked become moved".split())
# Participles used as adjectives: "I have mixed feelings", unlike "I have adopted twins".
_ATTRIBUTES = frozenset("mixed limited left tired blessed red married".split())
_NO_MEANING = frozenset("could should may might must shall be".split())


class VerbForm(StrEnum):
    """`GOING`: "is moving"; `LONG`: "has been working"; `USED`: "used to"."""

    NOW = "now"
    PAST = "past"
    PERFECT = "perfect"
    GOING = "going"
    LONG = "long"
    WILL = "will"
    WOULD = "would"
    USED = "used"
    CAN = "can"


@dataclass(frozen=True, slots=True)
class Predicate:
    """`verb`: the plain form; `inflected`: the original. `is_over`: "no longer"; `is_many`: the subject is "they"."""

    verb: str
    form: VerbForm
    rest: tuple[ClauseToken, ...] = ()
    inflected: str = ""
    often: str = ""
    is_denied: bool = False
    is_never: bool = False
    is_over: bool = False
    is_many: bool = False
    # Words between subject and verb, or after the verb: "now", "also".
    beside: frozenset[str] = frozenset()

    @property
    def next(self) -> str:
        return self.rest[0].low if self.rest else ""

    def turned(self, **changes: object) -> "Predicate":
        return replace(self, **changes)  # type: ignore[arg-type]  # names of its own fields

    def head(self) -> str:
        """The verb in the third person: "does not live", "is usually", "has been working"."""
        verb = self._inflect().strip()
        if not self.often or self.is_denied:
            return verb
        first, _, rest = verb.partition(" ")
        is_after = self.verb == "be" or self.form in {VerbForm.PERFECT, VerbForm.LONG, VerbForm.GOING}
        return f"{first} {self.often} {rest}".strip() if is_after else f"{self.often} {verb}"

    def _inflect(self) -> str:
        has, is_, was, does = ("have", "are", "were", "do") if self.is_many else ("has", "is", "was", "does")
        verb = self.verb if self.is_many else third(self.verb)
        if self.is_over and self.form is VerbForm.NOW:
            return f"{is_} no longer" if self.verb == "be" else f"no longer {verb}"
        no = "never " * self.is_never or "not " * self.is_denied
        if self.verb == "be" and self.form in {VerbForm.NOW, VerbForm.PAST}:
            return f"{is_ if self.form is VerbForm.NOW else was} {no}"
        if self.is_denied and not self.is_never and self.form in {VerbForm.NOW, VerbForm.PAST}:
            return f"{does if self.form is VerbForm.NOW else 'did'} not {self.verb}"
        return {
            VerbForm.NOW: f"{no}{verb}",
            VerbForm.PAST: f"{no}{self.inflected}",
            VerbForm.PERFECT: f"{has} {no}{self.inflected}",
            VerbForm.GOING: f"{is_} {no}{self.inflected}",
            VerbForm.LONG: f"{has} {no}been {self.inflected}",
            VerbForm.USED: f"used to {self.verb}",
            VerbForm.CAN: f"can't {self.verb}" if self.is_denied else f"can {self.verb}",
            VerbForm.WOULD: f"would {no}{self.verb}",
            VerbForm.WILL: f"will {no}{self.inflected or self.verb}",
        }[self.form]


@dataclass(slots=True)
class _Walk:
    """Walks over the words before the verb; notes adverbs and counts negations."""

    tokens: Sequence[ClauseToken]
    at: int = 0
    often: str = ""
    is_denied: bool = False
    is_never: bool = False
    is_over: bool = False

    def skip(self) -> str:
        """The next word that is neither an adverb nor a negation."""
        while self.at < len(self.tokens):
            low = self.tokens[self.at].low
            after = self.tokens[self.at + 1].low if self.at + 1 < len(self.tokens) else ""
            if low == "no" and after == "longer":
                self.is_over = True
                self.at += 1
            elif low in {"not", "never"}:
                self.is_denied, self.is_never = True, self.is_never or low == "never"
            elif low in OFTEN:
                self.often = low
            elif low not in ADVERBS - {"do", "did"} or (low in {"kind", "sort"} and after != "of"):
                return low
            self.at += 1
        return ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1].low


def predicate_of(tokens: Sequence[ClauseToken], *, is_many: bool = False) -> Predicate | None:
    """None if there is no verb, or one that states no fact: "could", "hardly ever eats"."""
    walk = _Walk(tokens)
    low = walk.skip()
    parsed = _parsed(walk, low) if low else None
    before = {token.low for token in tokens[: walk.at]}
    if parsed is None or not _NEARLY.isdisjoint(before):
        return None
    verb, form, inflected = parsed
    rest = tuple(tokens[walk.at :])
    words = [token.low for token in rest[-3:]]
    is_over = walk.is_over or (walk.is_denied and ("any-more" in words or words[-2:] == ["any", "more"]))
    if is_over:
        rest = tuple(token for token in rest if token.low not in {"any-more", "anymore"})
    return Predicate(
        verb, form, rest, inflected, walk.often, walk.is_denied, walk.is_never, is_over, is_many, frozenset(before)
    )


_MODALS = {
    "will": VerbForm.WILL,
    "'ll": VerbForm.WILL,
    "can": VerbForm.CAN,
    "would": VerbForm.WOULD,
    "'d": VerbForm.WOULD,
}


def _parsed(walk: _Walk, low: str) -> tuple[str, VerbForm, str] | None:
    if low in BE or (low == "'s" and walk.at == 0):
        return _after_be(walk)
    if low in {"have", "has", "had", "'ve"}:
        return _after_have(walk)
    if low in {"do", "does", "did"}:
        return _after_do(walk, low)
    if low in _MODALS:
        return _after_modal(walk, _MODALS[low])
    if low in _NO_MEANING or not low[0].isalpha():
        return None
    form = walk.take()
    if form == "used" and walk.at + 1 < len(walk.tokens) and walk.tokens[walk.at].low == "to":
        walk.at += 1
        return (walk.take(), VerbForm.USED, "") if walk.skip() else None
    past = base_of_past(form)
    return (past, VerbForm.PAST, form) if past is not None else (base_of_third(form), VerbForm.NOW, form)


def _after_be(walk: _Walk) -> tuple[str, VerbForm, str] | None:
    be = walk.take()
    low = walk.skip()
    if be in {"is", "'s"} and low in _AFTER_HAS:
        return _after_has(walk, low)
    if be in {"been", "being", "be"}:
        return None
    gerund = base_of_gerund(low) if low else None
    if gerund and be not in {"was", "were"}:
        return gerund, VerbForm.GOING, walk.take()
    return "be", VerbForm.PAST if be in {"was", "were"} else VerbForm.NOW, be


def _after_has(walk: _Walk, low: str) -> tuple[str, VerbForm, str] | None:
    form = walk.take()
    if low == "been":
        gerund = base_of_gerund(walk.skip())
        return (gerund, VerbForm.LONG, walk.take()) if gerund else ("be", VerbForm.PERFECT, "been")
    if low == "got":
        return ("have", VerbForm.NOW, "have") if walk.skip() != "to" else None
    return base_of_participle(form) or form, VerbForm.PERFECT, form


def _after_have(walk: _Walk) -> tuple[str, VerbForm, str] | None:
    have = walk.take()
    low = walk.skip()
    if low == "to":
        return None
    is_participle = bool(low) and base_of_participle(low) is not None and low not in _ATTRIBUTES
    if have == "had":
        return None if is_participle else ("have", VerbForm.PAST, "had")
    return _after_has(walk, low) if is_participle else ("have", VerbForm.NOW, have)


def _after_do(walk: _Walk, do: str) -> tuple[str, VerbForm, str] | None:
    walk.take()
    low, form = walk.skip(), VerbForm.PAST if do == "did" else VerbForm.NOW
    if not low.isalpha():
        return None
    if low in _BEFORE_NOUNS or (not walk.is_denied and low not in _STRESSED):
        return "do", form, do
    walk.take()
    return low, form, f"did {low}" if do == "did" else low


def _after_modal(walk: _Walk, form: VerbForm) -> tuple[str, VerbForm, str] | None:
    walk.take()
    if not walk.skip():
        return None
    verb = walk.take()
    gerund = base_of_gerund(walk.skip()) if verb == "be" and form is VerbForm.WILL else None
    return (gerund, form, "be " + walk.take()) if gerund else (verb, form, verb)
