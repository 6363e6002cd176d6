"""Whom a part of a sentence is about, and what it says of them: where its subject ends, whether it is denied or over.

In: a part. Out: its subject, as places among its tokens, so that rules can read what stands before and after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from everlore.language.lists import listed
from everlore.language.people import BARE
from everlore.language.verbs import base_of_past
from everlore.learning.clauses.clause import Whose
from everlore.learning.clauses.dropping import dropped
from everlore.learning.clauses.short import acts, is_short_for_is
from everlore.learning.clauses.splitting import Part
from everlore.learning.clauses.tokens import Token, is_month, lows
from everlore.learning.clauses.words import (
    ADVERBS,
    AUXILIARIES,
    BE,
    LEADS,
    PRONOUNS,
    SELVES,
    THIRD_PERSON_VERBS,
    is_past_form,
)

_FRONTS = listed("grammar.before_i") | listed("time.days")
_RELATIVE = listed("grammar.antecedents") - {"why"}

_TIMES = listed("time.before_i")
_DENIERS = listed("grammar.deniers")
_NEAR = 5


@dataclass(frozen=True, slots=True)
class Subject:
    whose: Whose
    text: str
    start: int
    end: int
    # Words that were left out with the subject: "am" in "originally from Leeds".
    implied: tuple[Token, ...] = ()


def subject_of(part: Part, before: Subject | None) -> Subject:
    if part.elides and before is not None:
        implied = dropped(part.tokens) if before.whose is Whose.SELF else None
        return Subject(before.whose, before.text, 0, 0, implied or ())
    tokens = part.tokens
    if tokens[0].low == "who" and len(tokens) > 1 and tokens[1].low not in PRONOUNS:
        return Subject(Whose.OTHER, "who", 0, 1)
    if tokens[0].low in {"both", "all"} and len(tokens) > 1 and tokens[1].low in {"my", "our"}:
        return _behind(1, _own(tokens[1:]))
    if tokens[0].low in {"my", "our"} or (tokens[0].low == "me" and len(tokens) > 1 and tokens[1].low == "and"):
        return _own(tokens)
    if tokens[0].low in {"favorite", "favorites"} and _verb_at(tokens, 1) < len(tokens):
        # "favorite band is Deftones".
        end = _verb_at(tokens, 1)
        return Subject(Whose.OWN, _text(tokens[:end]), 0, end)
    if lows(tokens[1:3]) == ("and", "me") and tokens[0].low in BARE and len(tokens) > 3:
        # "Hubby and me".
        return Subject(Whose.SELF, "we", 0, 3)
    place = _pronoun_at(tokens)
    if (
        place in {2, 3}
        and tokens[place].low == "i"
        and tokens[place - 1].low == "and"
        and not tokens[0].low.isdecimal()
    ):
        # "Wife and I", "the kids and I".
        return Subject(Whose.SELF, "we", 0, place + 1)
    implied = dropped(tokens) if place is None and _may_drop(part, before) else None
    if implied is not None:
        return Subject(Whose.SELF, "I", 0, 0, implied)
    if place is None:
        return _other(tokens)
    low = tokens[place].low
    is_time = tokens[place - 1].low in _TIMES
    is_relative = place > 0 and tokens[0].low not in _FRONTS | ADVERBS | LEADS and not is_time
    if low not in SELVES or is_relative or (place == 0 and part.lead[-1:] and part.lead[-1] in _RELATIVE):
        return Subject(Whose.OTHER, tokens[place].text, place, place + 1)
    return Subject(Whose.SELF, "I" if low == "i" else "we", place, place + 1)


def _behind(first: int, subject: Subject) -> Subject:
    """The same with so many words before it."""
    return replace(subject, start=subject.start + first, end=subject.end + first) if subject.end else subject


def _other(tokens: Sequence[Token]) -> Subject:
    """Somebody or something else; nothing where only pieces stand before the verb: "Nurse, 34, based in Leeds"."""
    end = _verb_at(tokens, 0)
    if end == len(tokens) or (end and tokens[end - 1].low == ","):
        return Subject(Whose.OTHER, "", 0, 0)
    return Subject(Whose.OTHER, _text(tokens[:end]), 0, end)


_ASIDE = listed("grammar.asides")


def _may_drop(part: Part, before: Subject | None) -> bool:
    """Behind "she moved away" it may be she of whom the next sentence tells."""
    is_another = before is not None and before.text.lower() in {"he", "she", "they", "you", "who"}
    return not is_another and _ASIDE.isdisjoint(part.lead)


def _own(tokens: Sequence[Token]) -> Subject:
    joint = next(
        (place for place, token in enumerate(tokens[:6]) if token.low == "i" and tokens[place - 1].low == "and"), None
    )
    if joint is not None:
        return Subject(Whose.SELF, "we", 0, joint + 1)
    end = _verb_at(tokens, 1)
    if end == len(tokens):
        return Subject(Whose.OTHER, "", 0, 0)
    words = lows(tokens[:end])
    if "i" in words or words[0] == "me":
        return Subject(Whose.SELF, "we", 0, end)
    if _pronoun_at(tokens[:end]) is not None:
        return Subject(Whose.OTHER, "", 0, 0)
    return Subject(Whose.OWN, _text(tokens[:end]), 0, end)


def _pronoun_at(tokens: Sequence[Token]) -> int | None:
    """The pronoun that is the subject: the first one, with no verb before it."""
    for place, token in enumerate(tokens):
        if token.low in PRONOUNS:
            return place
        if token.low in AUXILIARIES or token.low in THIRD_PERSON_VERBS - ADVERBS:
            return None
    return None


def _verb_at(tokens: Sequence[Token], start: int) -> int:
    for place in range(start, len(tokens)):
        low = tokens[place].low
        if is_month(tokens, place):
            continue
        if (
            low in AUXILIARIES
            or (low in THIRD_PERSON_VERBS and low not in ADVERBS)
            or (place > start and (_leads_to_verb(tokens, place) or acts(tokens, place)))
        ):
            return place
        if low == "'s" and is_short_for_is(tokens, place):
            return place
    return len(tokens)


def _leads_to_verb(tokens: Sequence[Token], place: int) -> bool:
    """ "my sister really loves": an adverb before a verb belongs to it; "of all time" does not."""
    end = place
    while end < len(tokens) and tokens[end].low in ADVERBS:
        end += 1
    return (
        end > place
        and tokens[place].low not in {"of", "so", "all", "both", "very", "pretty"}
        and end < len(tokens)
        and (tokens[end].low in AUXILIARIES or tokens[end].low in THIRD_PERSON_VERBS or tokens[end].low.endswith("s"))
    )


def _text(tokens: Sequence[Token]) -> str:
    return " ".join(token.text for token in tokens).replace(" '", "'").replace(" ,", ",")


# ── what is said of it ───────────────────────────────────────────────────────────────────────────


def is_denied(predicate: Sequence[Token]) -> bool:
    words = lows(predicate)
    near = words[:_NEAR]
    if not _DENIERS.isdisjoint(near):
        return "only" not in near[near.index("not") + 1 :][:1] if "not" in near else True
    pairs = set(pairwise(words))
    is_over = "any-more" in words or ("any", "more") in pairs or ("no", "longer") in pairs or ("no", "more") in pairs
    return is_over or any(
        first in {"have", "has", "got", "had"} and second in {"no", "zero"} for first, second in pairs
    )


def is_over(predicate: Sequence[Token]) -> bool:
    """Past tense of its first verb. "I have lived here" goes on until now; "I'm used to it" is no past."""
    verb = next((token.low for token in predicate if token.low not in ADVERBS - {"did"} and token.low != "not"), "")
    if verb in BE:
        return verb in {"was", "were"}
    # "I hurt" may be either.
    is_either = base_of_past(verb) == verb and verb != "quit"
    return (is_past_form(verb) and not is_either) or verb in {"died", "thought", "used"}
