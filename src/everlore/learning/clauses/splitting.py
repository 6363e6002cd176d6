"""Splits a line into sentences, and sentences into clauses.

In: the tokens of a line. Out: sentences, and each as parts with a predicate. People often type without punctuation, so
a part also ends where the next subject begins: "im amy i hate clowns" is two.

Start at `sentences_of` and `parts_of`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from everlore.language.lists import listed
from everlore.language.words import KEPT
from everlore.learning.clauses.tokens import ClauseToken, low_at, lows
from everlore.learning.clauses.words import (
    ADVERBS,
    ASKING,
    ASKING_FOR,
    AUXILIARIES,
    BE,
    INVERTING,
    LEADS,
    ORDERS,
    PRONOUNS,
    SELVES,
    THIRD_PERSON_VERBS,
    is_past_form,
)

SORTS = listed("people.sorts")
_CONJUNCTIONS = frozenset({"and", "but", "or", "so", "plus", "then", "yet", "nor"})
_SUBORDINATORS = listed("grammar.subordinators")
_ELIDING = listed("verbs.eliding")
_REPORTING = listed("verbs.reporting")
_TRAITS = listed("traits.behind_a_person")
_SHORT_ENDS = frozenset({",", "and", "but", "so", "in", "to", "from", "with", "now", "already", "today", "years"})
# Nouns that own nothing, so "'s" after them means "is": "my surname's Okafor".
_NO_OWNERS = frozenset({"surname", "name", "nickname", "birthday", "hometown", "maiden"})
_BEHIND = ADVERBS | frozenset("a an the not in from called named going been got had on".split())
_BEFORE_SORTS = frozenset("a an the my our and very newly recently".split())
_ENDS = frozenset({".", "!", "?", ";", "…"})
_LAUGHS = listed("talk.laughs")
_HARD = frozenset({":", "-", "–", "—", "(", ")", "[", "]", "|", "/"})
_MARKS = _HARD | {",", '"', "'", "*", "~", "_", "…"}
_VERBS = AUXILIARIES | _ELIDING | THIRD_PERSON_VERBS | ORDERS | _REPORTING - ADVERBS
_THIRD = THIRD_PERSON_VERBS - ADVERBS
_ALWAYS_BEGIN = frozenset({"because", "although", "though", "unless", "if", "whereas", "whether"})
_NEVER_BEGIN = frozenset({"as", "before", "after", "since", "once"})
_NOUN_STARTS = listed("grammar.noun_starts")
_ANTECEDENTS = listed("grammar.antecedents")
_BEFORE_NOUNS = listed("grammar.before_nouns")
_ONLY_BEFORE_A_SUBJECT = listed("talk.only_before_a_subject")
_LASTING = listed("verbs.for_long")
_DETERMINERS = frozenset("a an the my our".split())
_INTRODUCING = _CONJUNCTIONS | _SUBORDINATORS | _MARKS | _ANTECEDENTS
_TRAILING = _CONJUNCTIONS | _MARKS | (_SUBORDINATORS - {"before", "after", "once"})
_PAST_THIRD = frozenset("had got moved went was died passed".split())
_NO_ADVERBS = frozenset("especially particularly so of".split())
_AHEAD = 6
MOST_IN_SENTENCE = 90


@dataclass(frozen=True, slots=True)
class Sentence:
    tokens: tuple[ClauseToken, ...]
    asks: bool


@dataclass(frozen=True, slots=True)
class ClausePart:
    """`lead`: conjunctions and interjections before its words. `elides`: it shares the subject of the part before.
    `is_relative`: its object stands before it, "a bakery that I go to"."""

    lead: tuple[str, ...]
    tokens: tuple[ClauseToken, ...]
    elides: bool = False
    is_relative: bool = False


def sentences_of(tokens: Sequence[ClauseToken]) -> Iterator[Sentence]:
    start = 0
    for place, token in enumerate(tokens):
        if _ends(tokens, place):
            if place > start:
                asks = token.low == "?" or (place + 1 < len(tokens) and tokens[place + 1].low == "?")
                yield Sentence(tuple(tokens[start:place]), asks)
            start = place + 1
        elif place - start >= MOST_IN_SENTENCE:
            # No real sentence is this long: cut it, so that the run time stays linear.
            yield Sentence(tuple(tokens[start:place]), asks=False)
            start = place
    if start < len(tokens):
        yield Sentence(tuple(tokens[start:]), asks=False)


def _ends(tokens: Sequence[ClauseToken], place: int) -> bool:
    low = tokens[place].low
    is_picture = len(low) == 1 and not low.isalnum() and ord(low) > 0x2030 and low not in _MARKS
    return low in _ENDS | _LAUGHS or low.startswith("..") or is_picture


# ── parts ────────────────────────────────────────────────────────────────────────────────────────


def parts_of(sentence: Sentence) -> list[ClausePart]:
    tokens, cuts = sentence.tokens, [0]
    elided: set[int] = set()
    for place in range(1, len(tokens)):
        if all(_is_lead(tokens, at) or tokens[at].low in _SUBORDINATORS for at in range(cuts[-1], place)):
            continue
        if _begins(tokens, cuts[-1], place) or (sentence.asks and _asks_at_last(tokens, place)):
            cuts.append(place)
        elif _elides(tokens, cuts[-1], place):
            cuts.append(place)
            elided.add(place)
    ends = [*cuts[1:], len(tokens)]
    parts = [_trimmed(tokens[cut:end], cut in elided, tokens[:cut]) for cut, end in zip(cuts, ends, strict=True)]
    return [part for part in parts if part.tokens]


def _trimmed(tokens: Sequence[ClauseToken], elides: bool, before: Sequence[ClauseToken]) -> ClausePart:
    lead: list[str] = []
    # The end of the last part may introduce this one: "… and I", "… because my".
    for token in reversed(before):
        if token.low not in _INTRODUCING:
            break
        lead.insert(0, token.low)
    first, last = 0, len(tokens)
    while first < last and _is_lead(tokens, first) and not elides:
        lead.append(tokens[first].low)
        first += 1
    while last > first and tokens[last - 1].low in _TRAILING:
        last -= 1
    so_far = [token.low for token in (*before, *tokens[:first])][:-1]
    is_relative = lead[-1:] == ["which"] or (lead[-1:] == ["that"] and _ends_with_noun(so_far))
    return ClausePart(tuple(lead), tuple(tokens[first:last]), elides, is_relative)


def _ends_with_noun(words: Sequence[str]) -> bool:
    """ "a bakery on our street", but not "I told my boss" and "the problem is"."""
    is_noun = not _DETERMINERS.isdisjoint(words[-3:-1]) and words[-1] not in _VERBS
    return is_noun and _REPORTING.isdisjoint(words)


def _is_lead(tokens: Sequence[ClauseToken], place: int) -> bool:
    low = tokens[place].low
    if low in _MARKS or low in _CONJUNCTIONS:
        return True
    after = low_at(tokens, place + 1)
    if low in _ONLY_BEFORE_A_SUBJECT:
        return after in PRONOUNS | _MARKS | {"my", ""}
    return low in LEADS or low in _ALWAYS_BEGIN or (low in _SUBORDINATORS and after in PRONOUNS | {"my"})


def _begins(tokens: Sequence[ClauseToken], start: int, place: int) -> bool:
    low, before = tokens[place].low, tokens[place - 1].low
    after = low_at(tokens, place + 1)
    if before in _HARD or low in _ALWAYS_BEGIN or (low in {"what", "how"} and after == "about"):
        return True
    if low in PRONOUNS:
        return _begins_at_pronoun(tokens[start:place], low, before, after)
    if low in _SUBORDINATORS or low == "so":
        is_noun = low not in _NEVER_BEGIN and after in _NOUN_STARTS and _has_finite_ahead(tokens, place + 1)
        return low in {"who", "which", "whose"} or after in PRONOUNS or is_noun
    return low in _NOUN_STARTS and _has_finite_ahead(tokens, place) and _begins_at_noun(tokens, start, place, before)


def _begins_at_noun(tokens: Sequence[ClauseToken], start: int, place: int, before: str) -> bool:
    low = tokens[place].low
    if not has_verb(tokens[start:place]):
        is_own = low in {"my", "our"} and tokens[start].low not in {"my", "our"}
        return is_own and before == "," and place - start > 2
    return before in _CONJUNCTIONS | {","} or (low == "my" and before not in _VERBS | _BEFORE_NOUNS)


def _begins_at_pronoun(so_far: Sequence[ClauseToken], low: str, before: str, after: str) -> bool:
    if len(so_far) == 1 and before in INVERTING:
        return False
    if not has_verb(so_far):
        # A comma followed only by interjections: "Mother of twins, so yes I'm tired".
        at = max((place for place, token in enumerate(so_far) if token.low == ","), default=len(so_far))
        is_apart = at < len(so_far) and all(token.low in LEADS for token in so_far[at + 1 :])
        return is_apart and so_far[0].low not in {"my", "me"}
    if low in SELVES:
        return after not in {"", ",", "."}
    return after in _VERBS | ADVERBS


def _asks_at_last(tokens: Sequence[ClauseToken], place: int) -> bool:
    """ "I'm left-handed, do they make scissors for that?": the question begins here."""
    low, before = tokens[place].low, tokens[place - 1].low
    after = low_at(tokens, place + 1)
    asks = (low in INVERTING and after != "not") or low in ASKING or low in ASKING_FOR
    return asks and before in {",", "but", "and", "so"}


def _elides(tokens: Sequence[ClauseToken], start: int, place: int) -> bool:
    """A predicate without its own subject: "I live here and work there", "my brother lives there and has a dog"."""
    before, low = tokens[place - 1].low, tokens[place].low
    after = low_at(tokens, place + 1)
    is_one = (before, low) == (",", "like") or (tokens[place - 2].low, before) == ("born", "and")
    if before not in {"and", "but", ",", "then"} or is_one or not has_verb(tokens[start : place - 1]):
        return False
    so_far = lows(tokens[start:place])
    if _is_told_on(tokens, start, place, after) or (after == "not" and low in INVERTING):
        return True
    if low in ADVERBS:
        return low not in _NO_ADVERBS and after in _ELIDING - ADVERBS
    if SELVES.isdisjoint(so_far):
        return low in THIRD_PERSON_VERBS and so_far[0] not in _ELIDING and (low.endswith("s") or low in _PAST_THIRD)
    return low in _ELIDING and after not in {"", ",", "and", "or"}


def _is_told_on(tokens: Sequence[ClauseToken], start: int, place: int, after: str) -> bool:
    """ "I was born in Porto, moved to Ghent, did a degree at Leuven", "I'm from Manila but staying in Dubai"."""
    low, first = tokens[place].low, lows(tokens[start : start + 4])
    if low == "been":
        return after not in {"", ",", "and"}
    if low.endswith("ing") and (low in _LASTING or tokens[place - 1].low == "but"):
        return first[:2] == ("i", "am")
    is_own = not SELVES.isdisjoint(first) or is_past_form(first[0])
    return is_own and is_past_form(low) and low != "used" and after not in {"", ",", "and", "or", "by", "to"}


def has_verb(tokens: Sequence[ClauseToken]) -> bool:
    """Any word after "I" counts as its verb."""
    return any(
        token.low in _VERBS
        or (is_past_form(token.low) and token.low not in SORTS)
        or (token.low == "'s" and is_short_for_is(tokens, place))
        or (token.low in SELVES and place + 1 < len(tokens))
        for place, token in enumerate(tokens)
    )


def _has_finite_ahead(tokens: Sequence[ClauseToken], place: int) -> bool:
    """ "nobody threw", "my dad's from Leeds": a finite verb after the noun."""
    ahead = list(tokens[place + 1 : place + 1 + _AHEAD])
    stops = {",", "and", "but", "who"} | SELVES
    end = next((at for at, token in enumerate(ahead) if token.low in stops), len(ahead))
    return any(
        token.low in BE
        or token.low in _THIRD
        or (is_past_form(token.low) and token.low not in SORTS)
        or acts(ahead, at)
        or (token.low == "'s" and is_short_for_is(ahead, at))
        for at, token in enumerate(ahead[:end])
    )


# ── contractions ─────────────────────────────────────────────────────────────────────────────────


def is_short_for_is(tokens: Sequence[ClauseToken], place: int) -> bool:
    """ "my sister's a nurse", "my brother's deaf", but not "my sister's dog is a poodle"."""
    if place + 1 >= len(tokens):
        return False
    after = tokens[place + 1].low
    is_last = place + 2 == len(tokens) or tokens[place + 2].low in _SHORT_ENDS
    is_told = is_last and (after in _TRAITS or after.isdecimal() or tokens[place + 1].is_capital)
    return is_told or tokens[place - 1].low in _NO_OWNERS or after in _BEHIND or after.endswith("ing")


def acts(tokens: Sequence[ClauseToken], place: int) -> bool:
    """ "me and dan broke up", "my uncle cries": a past form or "-s" right after the subject."""
    if place == 0:
        return False
    low, last = tokens[place].low, tokens[place - 1]
    if is_past_form(low):
        return low not in SORTS and last.low not in _BEFORE_SORTS
    if not low.endswith("s") or low.endswith("ss") or len(low) < len("eats") or tokens[place].is_capital:
        return False
    after = low_at(tokens, place + 1)
    is_name = after in AUXILIARIES | THIRD_PERSON_VERBS | {"and", ",", "'s", "", "who"}
    return (last.low in KEPT or (last.is_capital and place > 1)) and not is_name
