"""Finds the subject of a part of a sentence.

In: a part. Out: its subject, as positions in its tokens, so that phrasebooks can read the words before and after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from everlore.language.lists import listed
from everlore.language.words import BARE
from everlore.learning.clauses.clause import Whose
from everlore.learning.clauses.dropping import dropped
from everlore.learning.clauses.splitting import ClausePart, acts, is_short_for_is
from everlore.learning.clauses.tokens import ClauseToken, is_month, low_at
from everlore.learning.clauses.words import ADVERBS, AUXILIARIES, LEADS, PRONOUNS, SELVES, THIRD_PERSON_VERBS

_FRONTS = listed("grammar.before_i") | listed("time.days") | ADVERBS | LEADS
_RELATIVE = listed("grammar.antecedents") - {"why"}
_TIMES = listed("time.before_i")
_VERBS = AUXILIARIES | (THIRD_PERSON_VERBS - ADVERBS)
_NO_ADVERBS = frozenset("of so all both very pretty".split())


@dataclass(frozen=True, slots=True)
class ClauseSubject:
    whose: Whose
    text: str
    start: int
    end: int
    # Words left out together with the subject: "am" in "originally from Leeds".
    implied: tuple[ClauseToken, ...] = ()


def with_my(tokens: tuple[ClauseToken, ...]) -> tuple[ClauseToken, ...]:
    """ "Husband works nights", "Nan's 91": a relative without an owner is the speaker's."""
    first, end = tokens[0], 2 if len(tokens) > 1 and tokens[1].is_capital else 1
    if first.low not in BARE or _verb_at(tokens, end) != end or end == len(tokens):
        return tokens
    # The capital at the start of the sentence moves to "my".
    return (ClauseToken("my", "my", first.start, first.start), replace(first, text=first.text.lower()), *tokens[1:])


def subject_of(part: ClausePart, before: ClauseSubject | None) -> ClauseSubject:
    tokens = part.tokens
    if part.elides and before is not None:
        implied = dropped(tokens) if before.whose is Whose.SELF else None
        return ClauseSubject(before.whose, before.text, 0, 0, implied or ())
    after = low_at(tokens, 1)
    if tokens[0].low in {"my", "our", "favorite", "favorites"} or (tokens[0].low == "me" and after == "and"):
        return _own(tokens)
    place = _pronoun_at(tokens)
    if place is not None:
        return _of_pronoun(part, place)
    # After "she moved away" a sentence without a subject may be about her too.
    is_another = before is not None and before.text.lower() in {"he", "she", "they", "you", "who"}
    implied = None if is_another else dropped(tokens)
    return _other(tokens) if implied is None else ClauseSubject(Whose.SELF, "I", 0, 0, implied)


def _of_pronoun(part: ClausePart, place: int) -> ClauseSubject:
    tokens, low = part.tokens, part.tokens[place].low
    if place in {2, 3} and low == "i" and tokens[place - 1].low == "and":
        # "Wife and I", "the kids and I".
        return ClauseSubject(Whose.SELF, "we", 0, place + 1)
    is_relative = place > 0 and tokens[0].low not in _FRONTS and tokens[place - 1].low not in _TIMES
    is_object_before = part.is_relative or not _RELATIVE.isdisjoint(part.lead[-1:])
    if low not in SELVES or is_relative or (place == 0 and is_object_before):
        return ClauseSubject(Whose.OTHER, tokens[place].text, place, place + 1)
    return ClauseSubject(Whose.SELF, "I" if low == "i" else "we", place, place + 1)


def _other(tokens: Sequence[ClauseToken]) -> ClauseSubject:
    """Another subject; empty if only fragments precede the verb: "Nurse, 34, based in Leeds"."""
    end = _verb_at(tokens, 0)
    is_pieces = end == len(tokens) or (end and tokens[end - 1].low == ",")
    return ClauseSubject(Whose.OTHER, "", 0, 0 if is_pieces else end)


def _own(tokens: Sequence[ClauseToken]) -> ClauseSubject:
    joint = next((at for at, token in enumerate(tokens[:6]) if token.low == "i" and tokens[at - 1].low == "and"), None)
    if joint is not None:
        return ClauseSubject(Whose.SELF, "we", 0, joint + 1)
    end = _verb_at(tokens, 1)
    if tokens[0].low == "me":
        return ClauseSubject(Whose.SELF, "we", 0, end)
    if end == len(tokens) or _pronoun_at(tokens[:end]) is not None:
        return ClauseSubject(Whose.OTHER, "", 0, 0)
    return ClauseSubject(Whose.OWN, "", 0, end)


def _pronoun_at(tokens: Sequence[ClauseToken]) -> int | None:
    """The first pronoun with no verb before it, which is the subject."""
    for place, token in enumerate(tokens):
        if token.low in PRONOUNS:
            return place
        if token.low in _VERBS:
            return None
    return None


def _verb_at(tokens: Sequence[ClauseToken], start: int) -> int:
    for place in range(start, len(tokens)):
        low = tokens[place].low
        is_inner = place > start and (_leads_to_verb(tokens, place) or acts(tokens, place))
        is_short = low == "'s" and is_short_for_is(tokens, place)
        if (low in _VERBS or is_inner or is_short) and not is_month(tokens, place):
            return place
    return len(tokens)


def _leads_to_verb(tokens: Sequence[ClauseToken], place: int) -> bool:
    """ "my sister really loves": an adverb right before a verb belongs to the verb; "of all time" does not."""
    end = place
    while end < len(tokens) and tokens[end].low in ADVERBS:
        end += 1
    if end == place or tokens[place].low in _NO_ADVERBS or end == len(tokens):
        return False
    return tokens[end].low in AUXILIARIES or tokens[end].low.endswith("s")
