"""Decides by text whether two statements agree, if their frames cannot tell. Pure.

Vectors and shared words measure how close two statements are, not whether they agree: "Mira told Don" and "Don told
Mira" have the same words, and any model finds "the crown is hidden" close to "the sword is hidden". So statements are
merged only if names, numbers, negation and tense agree, and no single word was replaced by another.

Start at `read` and `is_alike`.
"""

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from everlore.domain.claim import USER, Claim, claim_in
from everlore.domain.dates import without_dates
from everlore.domain.memory import Memory
from everlore.domain.words import query_terms, terms_of
from everlore.language.lists import listed
from everlore.language.tense import Tense, leaning
from everlore.learning.claims import ClaimFrame, framed, names_of, number, numbers_of, years_in
from everlore.learning.phrasebooks.statements import parsed
from everlore.learning.relations import Relation, relation

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SPAN = re.compile(r"\b(?P<many>\w{1,20}) (?P<unit>day|week|month|year)s?\b(?! old)")
_MOST_CHARS = 4_000
# Minimum share of common words for two statements to agree, without other information.
_LEAST_WORDS = 0.85
_DENIALS = listed("grammar.denials")
_USER = frozenset(terms_of(USER))


@dataclass(frozen=True)
class Statement:
    """A statement with its comparable features, each computed on first use."""

    text: str
    claim: Claim | None

    @cached_property
    def frame(self) -> ClaimFrame | None:
        return framed(self.claim, self.text)

    @cached_property
    def words(self) -> tuple[str, ...]:
        return _words(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(terms_of(self.text[:_MOST_CHARS]))

    @cached_property
    def telling(self) -> frozenset[str]:
        return frozenset(query_terms(self.text[:_MOST_CHARS], most=200))

    @cached_property
    def names(self) -> tuple[str, ...]:
        return names_of(self.text)

    @cached_property
    def numbers(self) -> frozenset[str]:
        return numbers_of(self.text)

    @cached_property
    def spans(self) -> frozenset[tuple[str, str]]:
        """Durations: fourteen months are not fourteen years."""
        return frozenset((number(each["many"]), each["unit"]) for each in _SPAN.finditer(self.text.lower()))

    @cached_property
    def telling_names(self) -> frozenset[str]:
        """Names and numbers, without mere distances in time; of dates the month and year."""
        return numbers_of(without_dates(self.text)) | years_in(self.text) | frozenset(self.names)

    @cached_property
    def denies(self) -> bool:
        return not _DENIALS.isdisjoint(self.words) or any(word.endswith("n't") for word in self.words)

    @cached_property
    def tense(self) -> Tense:
        return leaning(self.text)


@lru_cache(maxsize=4_096)
def read(content: str, claim: Claim | None = None) -> Statement:
    """`claim`: from the statement's maker; otherwise the text is parsed."""
    text = content.strip()
    return Statement(text, claim if claim is not None and (claim.slot or claim.value) else parsed(text))


def stated(memory: Memory) -> Statement:
    return read(memory.content, claim_in(memory.extra))


def _words(text: str) -> tuple[str, ...]:
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text[:_MOST_CHARS])]
    # "The user" means "user".
    return tuple(words[1:] if words[:2] in (["the", "user"], ["the", "user's"]) else words)


def same_words(one: Statement, other: Statement) -> bool:
    return bool(one.words) and one.words == other.words


def jaccard(one: Statement, other: Statement) -> float:
    both = one.stems | other.stems
    return len(one.stems & other.stems) / len(both) if both else 0.0


def says_same(new: Statement, known: Statement) -> bool:
    """Whether the new statement adds nothing to the known one, by their words alone."""
    if same_words(new, known):
        return True
    if new.frame is not None and known.frame is not None:
        is_said = relation(new.frame, _unnamed(known.frame, new.frame.subject)) in (Relation.SAME, Relation.COARSER)
        return is_said and new.numbers <= known.numbers and new.spans <= known.spans
    return is_alike(new, known, None, jaccard(new, known), 1.0, _LEAST_WORDS)


def _unnamed(frame: ClaimFrame, subject: str) -> ClaimFrame:
    """ "User's niece Ada sings" implies that the user's niece sings."""
    is_one = subject != USER and frame.subject.startswith(f"{subject} ")
    return replace(frame, subject=subject) if is_one else frame


def is_alike(
    one: Statement, other: Statement, cosine: float | None, shared: float, least: float, least_words: float
) -> bool:
    """By cosine similarity, or by words without a vector; never if a feature that similarity cannot see differs."""
    is_near_enough = shared >= least_words if cosine is None else cosine >= least
    return is_near_enough and _has_words_in_common(one, other) and _agree(one, other) and not _is_swap(one, other)


def _has_words_in_common(one: Statement, other: Statement) -> bool:
    """Shared words besides names: two statements that share no other word are different, whatever a model says."""
    meant = _USER.union(terms_of(" ".join((*one.names, *_of_whom(one)))))
    return bool((one.telling & other.telling) - meant)


def more_specific(old: Statement, new: Statement) -> Statement:
    """The more specific one; of equals the one without a relative date, then the old one."""

    def told(each: Statement) -> tuple[int, bool]:
        plain = without_dates(each.text)
        return len(query_terms(plain, most=200)) + len(each.telling_names), plain == each.text

    return new if told(new) > told(old) else old


def _agree(one: Statement, other: Statement) -> bool:
    return (
        one.numbers == other.numbers
        and one.denies == other.denies
        and (one.tense is Tense.PAST) == (other.tense is Tense.PAST)
        and (one.tense is Tense.FUTURE) == (other.tense is Tense.FUTURE)
        and _names_in_order(one, other)
        and _of_whom(one) == _of_whom(other)
    )


def _of_whom(statement: Statement) -> tuple[str, ...]:
    """ "User's brother broke an arm" is not about the user."""
    first = statement.words[:1]
    return statement.words[:2] if first and first[0].endswith("'s") else ()


def _names_in_order(one: Statement, other: Statement) -> bool:
    """The same names in the same order, which alone shows who told whom."""
    names = {*one.names, *other.names}
    order = [[word for word in map(_bare, each.words) if word in names] for each in (one, other)]
    first, second = (list(dict.fromkeys(each)) for each in order)
    return names == set(first) == set(second) and first == second


def _bare(word: str) -> str:
    return word.removesuffix("'s")


def _is_swap(one: Statement, other: Statement) -> bool:
    """The same words except one or two on each side: "at midnight" and "at dawn"."""
    mine, theirs = one.telling - other.telling, other.telling - one.telling
    both = one.telling | other.telling
    alike = len(one.telling & other.telling) / len(both) if both else 1.0
    return len(mine) == len(theirs) and 1 <= len(mine) <= 2 and alike >= 0.5
