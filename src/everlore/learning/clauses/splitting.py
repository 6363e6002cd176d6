"""Where sentences end, and where in a sentence the next clause begins.

In: the tokens of a line. Out: sentences, and each as parts with a predicate. Typing without marks is common, so a part
also ends where the next subject stands: "im amy i hate clowns" is two.

Start at `sentences_of` and `parts_of`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from everlore.language.lists import listed
from everlore.learning.clauses.dropping import dropped
from everlore.learning.clauses.short import SORTS, acts, is_short_for_is
from everlore.learning.clauses.tokens import Token, lows
from everlore.learning.clauses.words import (
    ADVERBS,
    ASKING,
    ASKING_FOR,
    AUXILIARIES,
    BE,
    CONJUNCTIONS,
    ELIDING,
    INVERTING,
    LEADS,
    ORDERS,
    PRONOUNS,
    REPORTING,
    SELVES,
    SUBORDINATORS,
    TASTES,
    THIRD_PERSON_VERBS,
    is_past_form,
)

_ENDS = frozenset({".", "!", "?", ";", "…"})
_LAUGHS = listed("talk.laughs")
_ABBREVIATED = listed("typing.abbreviated")
_HARD = frozenset({":", "-", "–", "—", "(", ")", "[", "]", "|", "/"})
_MARKS = _HARD | {",", '"', "'", "*", "~", "_", "…"}
_VERBS = AUXILIARIES | ELIDING | THIRD_PERSON_VERBS | ORDERS | REPORTING - ADVERBS
_ALWAYS_BEGIN = frozenset({"because", "although", "though", "unless", "if", "whereas", "whether"})
_NOUN_STARTS = listed("grammar.noun_starts")
_STRONG = listed("verbs.strong_starts")
_ANTECEDENTS = listed("grammar.antecedents")
_BEFORE_NOUNS = listed("grammar.before_nouns")
_GIVING = listed("verbs.giving")
_BEFORE_A_STATEMENT = listed("grammar.before_a_statement")
_INTRODUCING = CONJUNCTIONS | SUBORDINATORS | _MARKS | _ANTECEDENTS
_TRAILING = CONJUNCTIONS | _MARKS | (SUBORDINATORS - {"before", "after", "once"})
_AHEAD = 6
MOST_IN_SENTENCE = 90


@dataclass(frozen=True, slots=True)
class Sentence:
    tokens: tuple[Token, ...]
    asks: bool
    shouts: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """`lead`: conjunctions and interjections before its words. `elides`: its subject is that of the part before."""

    lead: tuple[str, ...]
    tokens: tuple[Token, ...]
    elides: bool = False


def sentences_of(tokens: Sequence[Token]) -> Iterator[Sentence]:
    start = 0
    for place, token in enumerate(tokens):
        if _ends(tokens, place):
            if place > start:
                asks = token.low == "?" or (place + 1 < len(tokens) and tokens[place + 1].low == "?")
                yield Sentence(tuple(tokens[start:place]), asks, token.low == "!")
            start = place + 1
        elif place - start >= MOST_IN_SENTENCE:
            # Nobody writes such a sentence: cut it, so that a part is never looked at too often.
            yield Sentence(tuple(tokens[start:place]), asks=False)
            start = place
    if start < len(tokens):
        yield Sentence(tuple(tokens[start:]), asks=False)


def _ends(tokens: Sequence[Token], place: int) -> bool:
    low = tokens[place].low
    if low in _LAUGHS or low.startswith(".."):
        return True
    if low == "." and place and tokens[place - 1].low in _ABBREVIATED and place + 1 < len(tokens):
        return not tokens[place + 1].is_capital
    return low in _ENDS or _is_picture(low)


def _is_picture(low: str) -> bool:
    return len(low) == 1 and not low.isalnum() and ord(low) > 0x2030 and low not in _MARKS


# ── parts ────────────────────────────────────────────────────────────────────────────────────────


def parts_of(sentence: Sentence) -> list[Part]:
    tokens, start, cuts = sentence.tokens, 0, [0]
    elided: set[int] = set()
    for place in range(1, len(tokens)):
        if _only_leads(tokens[start:place]):
            continue
        if _begins(tokens, start, place) or (sentence.asks and _asks_at_last(tokens, place)):
            cuts.append(place)
            start = place
        elif _elides(tokens, start, place):
            cuts.append(place)
            elided.add(place)
            start = place
    ends = [*cuts[1:], len(tokens)]
    parts = [_trimmed(tokens[cut:end], cut in elided, tokens[:cut]) for cut, end in zip(cuts, ends, strict=True)]
    return [part for part in parts if part.tokens]


def _trimmed(tokens: Sequence[Token], elides: bool, before: Sequence[Token]) -> Part:
    lead: list[str] = []
    # What ended the part before may be what introduces this one: "… and I", "… because my".
    for token in reversed(before):
        if token.low not in _INTRODUCING:
            break
        lead.insert(0, token.low)
        if token.low in _ANTECEDENTS:
            break
    first, last = 0, len(tokens)
    while first < last and _is_lead(tokens, first) and not elides:
        lead.append(tokens[first].low)
        first += 1
    while last > first and tokens[last - 1].low in _TRAILING:
        last -= 1
    return Part(tuple(lead), tuple(tokens[first:last]), elides)


_ONLY_BEFORE_A_SUBJECT = listed("talk.only_before_a_subject")


def _is_lead(tokens: Sequence[Token], place: int) -> bool:
    low = tokens[place].low
    if low in _MARKS or low in CONJUNCTIONS:
        return True
    after = tokens[place + 1].low if place + 1 < len(tokens) else ""
    if low in ASKING | {"that", "who", "which"}:
        return low in {"when", "where", "that", "which"} and after in PRONOUNS | {"my"}
    if low in _ONLY_BEFORE_A_SUBJECT:
        return after in PRONOUNS | _MARKS | {"my"} or place + 1 == len(tokens)
    return low in LEADS or low in _ALWAYS_BEGIN or (low in SUBORDINATORS and after in PRONOUNS | {"my"})


def _only_leads(tokens: Sequence[Token]) -> bool:
    return all(_is_lead(tokens, place) or token.low in SUBORDINATORS for place, token in enumerate(tokens))


def _begins(tokens: Sequence[Token], start: int, place: int) -> bool:
    low, before = tokens[place].low, tokens[place - 1].low
    after = tokens[place + 1].low if place + 1 < len(tokens) else ""
    if before in _HARD or _asks_here(low, after, before, len(tokens) - place):
        return True
    if low in PRONOUNS:
        return _begins_at_pronoun(tokens, start, place, after)
    if low in _ALWAYS_BEGIN:
        return True
    if before == "," and _drops_here(tokens, start, place):
        return True
    if low == "even" and after in {"though", "if"}:
        return True
    if low in SUBORDINATORS or low == "so":
        return _introduces(tokens, place, low, after)
    if before in ADVERBS and place - start > 1:
        before = tokens[place - 2].low
    if low in {"my", "our"} and before in _BEFORE_A_STATEMENT and _has_finite_ahead(tokens, place):
        return True
    if before in {"and", "but", "so"} and after in {"is", "are", "was", "were"} and has_verb(tokens[start : place - 1]):
        # "I run a bakery and December is crazy".
        return tokens[place].is_word and low not in _VERBS
    is_subject = _is_named_subject(tokens, place) or _is_favorite(tokens, place)
    if before == "," and is_subject and has_verb(tokens[start : place - 1]):
        return True
    if before == "and" and tokens[place].is_capital and has_verb(tokens[start : place - 1]):
        # "Karl is 8 and Vera just turned 5".
        return low not in _VERBS and (after == "just" or after in THIRD_PERSON_VERBS - ADVERBS)
    joined = before in CONJUNCTIONS or before == "," or (low == "my" and before not in _VERBS | _BEFORE_NOUNS | _GIVING)
    if (
        before == ","
        and low in {"my", "our"}
        and not has_verb(tokens[start:place])
        and tokens[start].low not in {"my", "our"}
    ):
        return place - start > 2 and _has_finite_ahead(tokens, place)
    return joined and low in _NOUN_STARTS and has_verb(tokens[start:place]) and _has_finite_ahead(tokens, place)


def _is_named_subject(tokens: Sequence[Token], place: int) -> bool:
    """ "I have two cats, Ada is 3, Bo's deaf": a name, and what it is or has."""
    name, after = tokens[place], tokens[place + 1].low if place + 1 < len(tokens) else ""
    is_verb = after in {"is", "was", "has"} or (after == "'s" and is_short_for_is(tokens, place + 1))
    return is_verb and name.is_capital and name.low not in PRONOUNS and name.text[1:].islower()


_MOST_OF_A_FAVORITE = 3


def _is_favorite(tokens: Sequence[Token], place: int) -> bool:
    """ "It rained, so soup tonight, figs are my favorite fruit"."""
    ahead = lows(tokens[place : place + _MOST_OF_A_FAVORITE + 3])
    return any(ahead[at + 1 : at + 3] == ("my", "favorite") for at, word in enumerate(ahead) if word in {"is", "are"})


def _drops_here(tokens: Sequence[Token], start: int, place: int) -> bool:
    """ "Big fan of jazz, hate techno", "senior year, graduating in May": behind pieces without a verb."""
    low, after = tokens[place].low, tokens[place + 1].low if place + 1 < len(tokens) else ","
    is_deed = is_past_form(low) and low not in SORTS and after not in {",", "and", "or", "by"}
    is_clear = low in TASTES or low.endswith("ing") or low in {"been", "married", "based", "born", "raised"} or is_deed
    is_noun = tokens[start].low in _NOUN_STARTS | PRONOUNS
    return is_clear and not is_noun and not has_verb(tokens[start:place]) and dropped(tokens[place:]) is not None


_NO_VERBS = listed("verbs.no_third_person")


def _begins_at_pronoun(tokens: Sequence[Token], start: int, place: int, after: str) -> bool:
    so_far = tokens[start:place]
    if tokens[place - 1].low in INVERTING and _only_leads(so_far[:-1]):
        return False
    if not has_verb(so_far):
        if tokens[place - 1].low in {"but", "and", "so"}:
            # "Originally from Cork but I've lived here for years".
            is_span = len(so_far) > 2 and so_far[1].low in {"years", "months"}
            return is_span or (len(so_far) > 1 and dropped(so_far[:-1]) is not None)
        return _is_apart(so_far) and not _lists_people(so_far)
    if tokens[place].low in SELVES:
        return bool(after) and after not in {",", "."}
    if (
        tokens[place].low in {"he", "she", "it"}
        and after
        and after not in _NO_VERBS
        and _ends_as_third(tokens[place + 1])
    ):
        # "I avoid liver it smells of iron".
        return True
    return after in AUXILIARIES or after in THIRD_PERSON_VERBS or after in ADVERBS or after in _VERBS


def _is_apart(so_far: Sequence[Token]) -> bool:
    """A comma, and only interjections behind it: "Mother of twins, so yes I'm tired"."""
    at = max((place for place, token in enumerate(so_far) if token.low == ","), default=-1)
    return at >= 0 and all(token.low in LEADS for token in so_far[at + 1 :])


def _lists_people(so_far: Sequence[Token]) -> bool:
    return so_far[0].low in {"my", "me"}


def _introduces(tokens: Sequence[Token], place: int, low: str, after: str) -> bool:
    if low in {"who", "which", "whose"}:
        return True
    if after in PRONOUNS:
        return True
    return (
        low not in {"as", "before", "after", "since", "once"}
        and after in _NOUN_STARTS
        and _has_finite_ahead(tokens, place + 1)
    )


_INDIRECT = listed("grammar.indirect")


_SHORT_QUESTION = 4


def _asks_here(low: str, after: str, before: str, ahead: int) -> bool:
    """Somebody asks in the middle of a sentence: "i am from ohio how about you"."""
    if low in {"what", "how"} and after in {"about", "is", "are", "do", "does", "did"}:
        return True
    if low == "is" and after in {"that", "this", "it"} and ahead <= _SHORT_QUESTION and before not in _ANTECEDENTS:
        # "im 38 is that dumb".
        return before[:1].isdecimal()
    if low in {"what", "how", "where", "which"} and after in {"can", "should", "could", "would"}:
        return before not in _INDIRECT
    if (
        low in INVERTING
        and after in {"you", "your"}
        and before not in PRONOUNS | (ADVERBS - {"so"}) | {"as", "than", "what", "who"}
    ):
        return True
    return low in {"wbu", "hbu"} or (low in ASKING and after in INVERTING and before in CONJUNCTIONS | {","})


def _asks_at_last(tokens: Sequence[Token], place: int) -> bool:
    """ "I'm left-handed, do they make scissors for that?": the mark at the end is for what begins here."""
    low, before = tokens[place].low, tokens[place - 1].low
    after = tokens[place + 1].low if place + 1 < len(tokens) else ""
    is_apart = before in {",", "but", "and"} or (before == "so" and place + 2 < len(tokens))
    return is_apart and ((low in INVERTING and after != "not") or low in ASKING or low in ASKING_FOR)


# "We got a puppy and called him Max".
_NAMING = {(verb, whom) for verb in ("named", "called") for whom in ("him", "her", "it", "them")}


def _elides(tokens: Sequence[Token], start: int, place: int) -> bool:
    """A predicate without its subject: "I live here and work there", "my brother lives there and has a dog"."""
    before, low = tokens[place - 1].low, tokens[place].low
    if before in {"and", ","} and lows(tokens[place : place + 2]) in _NAMING:
        return place - start > 2
    is_told = has_verb(tokens[start : place - 1]) or (
        start > 0 and place - start > 2 and _is_third(tokens[start], tokens[start + 1].low)
    )
    if before not in {"and", "but", ",", "then"} or not is_told:
        return False
    so_far = lows(tokens[start:place])
    after = tokens[place + 1].low if place + 1 < len(tokens) else ""
    if (low == "like" and before == ",") or (before == "and" and tokens[place - 2].low == "born"):
        return False
    if _is_told_on(tokens, start, place, after):
        return True
    if after == "not" and low in INVERTING | {"can"}:
        # "I'm diabetic and shouldn't eat it", "I don't own a car, don't need one".
        is_own = not SELVES.isdisjoint(so_far) or dropped(tokens[start : place - 1]) is not None
        return is_own and not _is_open(so_far)
    if low in ADVERBS:
        return (
            low not in {"especially", "particularly", "so", "of"}
            and after in ELIDING
            and after not in ADVERBS
            and not _is_open(so_far)
        )
    if SELVES.isdisjoint(so_far) and low in THIRD_PERSON_VERBS and so_far[0] not in ELIDING:
        return low.endswith("s") or low in {"had", "got", "moved", "went", "was", "died", "passed"}
    is_third = so_far[0] in {"he", "she", "my"} or (
        start > 0 and _is_third(tokens[start], so_far[1] if len(so_far) > 1 else "")
    )
    # "She's 70 and rows daily": behind a number, no noun goes on with "and".
    is_aged = before == "and" and tokens[place - 2].low.isdecimal() and _ends_as_third(tokens[place])
    if is_third and SELVES.isdisjoint(so_far) and (is_aged or _is_third(tokens[place], after)):
        # "He's a retired baker, mends radios, loves opera".
        return True
    if low not in ELIDING or after in {"", ",", "and", "or"}:
        return False
    return low in _STRONG or not _is_open(so_far)


_NO_OBJECTS = _BEFORE_NOUNS - {"a", "an", "the", "all"} | {"", ",", "and", "or", "my", "are", "were", "have"}


def _is_third(token: Token, after: str) -> bool:
    """A small word in "-s" with an object right behind it; a plural noun has a comma or a preposition there."""
    return _ends_as_third(token) and after not in _NO_OBJECTS and after not in ADVERBS


def _ends_as_third(token: Token) -> bool:
    low = token.low
    is_form = low.endswith("s") and not low.endswith(("ss", "us", "'s")) and len(low) > len("has") and low.isalpha()
    return is_form and not token.is_capital


def _is_told_on(tokens: Sequence[Token], start: int, place: int, after: str) -> bool:
    """ "I was born in Porto, moved to Ghent, did a degree at Leuven": one past form after the other."""
    low = tokens[place].low
    if low == "been" or _goes_on_being(tokens, start, place):
        return after not in {"", ",", "and"}
    is_own = not SELVES.isdisjoint(lows(tokens[start : start + 4])) or is_past_form(tokens[start].low)
    return (
        is_own
        and is_past_form(low)
        and after not in {"", ",", "and", "or", "by", "to"}
        and low not in {"used", "called"}
    )


_LASTING = listed("verbs.for_long")


def _goes_on_being(tokens: Sequence[Token], start: int, place: int) -> bool:
    """ "I'm from Manila but staying in Dubai"."""
    is_lasting = tokens[place].low in _LASTING or tokens[place - 1].low == "but"
    if not is_lasting or not tokens[place].low.endswith("ing"):
        return False
    return lows(tokens[start : start + 2]) == ("i", "am") or lows(dropped(tokens[start : place - 1]) or ()) == ("am",)


def _is_open(so_far: Sequence[str]) -> bool:
    """An infinitive or a noun phrase may go on: "I want to live there and have kids"."""
    is_infinitive = any(word == "to" and after in _VERBS for word, after in pairwise(so_far))
    return is_infinitive or so_far[-2:-1] == (",",)


def has_verb(tokens: Sequence[Token]) -> bool:
    if any(token.low in _VERBS or (is_past_form(token.low) and token.low not in SORTS) for token in tokens):
        return True
    if any(token.low == "'s" and is_short_for_is(tokens, place) for place, token in enumerate(tokens)):
        return True
    # Whatever follows "I" is its verb, known or not.
    return any(token.low in SELVES for token in tokens[:-1])


def _has_finite_ahead(tokens: Sequence[Token], place: int) -> bool:
    ahead = list(tokens[place + 1 : place + 1 + _AHEAD])
    stops = {",", "and", "but", "who"} | SELVES
    end = next((at for at, token in enumerate(ahead) if token.low in stops), len(ahead))
    is_known = any(token.low in BE or token.low in THIRD_PERSON_VERBS - ADVERBS for token in ahead[:end])
    return is_known or _has_other_finite(ahead[: end + 1])


def _has_other_finite(ahead: Sequence[Token]) -> bool:
    """ "nobody threw", "my dad's from Leeds": a past form or a short "is" behind the noun."""
    for place, token in enumerate(ahead):
        is_past = is_past_form(token.low) and token.low not in SORTS
        if is_past or acts(ahead, place) or (token.low == "'s" and is_short_for_is(ahead, place)):
            return True
    return False
