"""Makes a fact from a subject and a predicate: whether to keep it, its claim, and its sentence. Pure.

A matching phrase decides; otherwise content that lasts is told in the third person. Start at `told`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from everlore.domain.claim import USER, Claim, Slot
from everlore.language.lists import listed
from everlore.language.tense import Tense
from everlore.language.words import KEPT, KINDS, PLACES, SOME, WORKS
from everlore.learning.candidate import Candidate
from everlore.learning.clauses import Clause, ClauseToken, lows
from everlore.learning.phrasebooks.persons import Kin, kin_at
from everlore.learning.phrasebooks.phrases import PhraseMeaning, is_barred, lasts, meaning_of
from everlore.learning.phrasebooks.predicates import Predicate, VerbForm
from everlore.learning.phrasebooks.statements import category_of, kin_claim, settled, subject_named
from everlore.learning.phrasebooks.wording import held, is_number, is_telling, shown, with_article

_STATED, _IMPLIED = 0.95, 0.85
_MOST_WORDS = 14
_NOT_NOW = frozenset({"when", "until", "before", "after", "once", "whenever", "if", "then"})
_TIMES = listed("time.opening") | listed("time.of_the_opening") | listed("time.days")
_FINITE = listed("verbs.second")
_TASTES = listed("tastes.verbs")
_PARTICLES = frozenset("up over out off back away here into in how".split())
_POINTING = frozenset("it him her them that this there".split())
_MOST_TOPIC = 4
_LEADING_LISTS = frozenset("from allergic into afraid scared".split())
_BEFORE_WITH = frozenset("a an married single from".split())
_BEFORE_FROM = frozenset("from originally born not recovering retired".split())
_BETWEEN = frozenset({",", "and", "but"})


@dataclass(frozen=True, slots=True)
class Subject:
    """`name`: for claims; `label`: for sentences."""

    name: str = USER
    label: str = "User"

    @property
    def is_user(self) -> bool:
        return self.name == USER


def of_kin(kin: Kin) -> Subject:
    return Subject(subject_named(kin.kind, kin.name), f"User's {kin.kind} {kin.name}".strip())


def told(each: Clause, predicate: Predicate, subject: Subject) -> Iterator[Candidate]:
    is_now = predicate.form is not VerbForm.PAST
    if is_now and not _NOT_NOW.isdisjoint((*each.lead, *lows(each.front[-1:]))):
        return
    for piece in pieces_of(predicate):
        for one in items_of(piece) if piece.verb in _TASTES else (piece,):
            if (found := _statement(each, one, subject)) is not None:
                yield found


def _statement(each: Clause, predicate: Predicate, subject: Subject) -> Candidate | None:
    rest = _with_named(predicate, held(predicate.rest))
    text = f"{shown(rest)} {_front(each)}".strip()
    if len(rest) > _MOST_WORDS or (rest and not _says_something(each, predicate, rest, is_user=subject.is_user)):
        return None
    meaning = meaning_of(predicate.turned(rest=rest))
    slot = meaning.claim.slot if meaning is not None else None
    is_kept = meaning is not None and meaning.is_kept and (bool(rest) or slot is Slot.PARTNER)
    if not _is_worth(predicate, text, meaning if is_kept else None, is_user=subject.is_user):
        return None
    text = _with_capitals(text) if slot in {Slot.HOME, Slot.ORIGIN} else text
    said = meaning.say if meaning is not None and meaning.say else f" {predicate.head()} {text}".rstrip()
    claim = settled(replace(meaning.claim, subject=subject.name)) if meaning else slotless(subject, predicate, text)
    return candidate(each, f"{subject.label}{said}", claim, is_sure=is_kept)


def _with_capitals(text: str) -> str:
    """Capitalizes known places in a text typed in lower case."""
    words = (word.capitalize() if word in PLACES and text.islower() else word for word in text.split())
    return " ".join(words)


def _is_worth(predicate: Predicate, text: str, kept: PhraseMeaning | None, *, is_user: bool) -> bool:
    """`kept`: the meaning of a matching phrase that always lasts."""
    if kept is None:
        return lasts(predicate, text, is_user=is_user) and (is_user or _POINTING.isdisjoint(text.split()))
    # "We are now in the Gulf of Aden" is passing.
    is_passing = kept.claim.slot is Slot.HOME and predicate.verb == "be" and "now" in predicate.beside
    return not is_passing and not is_barred(predicate, text)


def _with_named(predicate: Predicate, rest: tuple[ClauseToken, ...]) -> tuple[ClauseToken, ...]:
    """ "three hens, Ada, Bo and Cy": adds the names."""
    my = ClauseToken("my", "my", 0, 0)
    is_led = bool(rest) and rest[0].low in {"a", "an"}
    said = predicate.rest
    kin = kin_at(said if is_led else (my, *said), 0) if rest and predicate.verb == "have" else None
    if kin is None or not kin.name or kin.end < len(rest) or {"named", "called"}.intersection(lows(rest)):
        return rest
    named = [ClauseToken(word, word.lower(), 0, 0) for word in f"{kin.kind} named {kin.name}".split()]
    return (rest[0], *named) if is_led else tuple(named)


def slotless(subject: Subject, predicate: Predicate, text: str) -> Claim:
    is_past = predicate.form in {VerbForm.PAST, VerbForm.PERFECT, VerbForm.USED}
    time = Tense.FUTURE if predicate.form is VerbForm.WILL else Tense.PAST if is_past else Tense.NOW
    value = f"{predicate.verb} {text}".strip()
    return Claim(subject=subject.name, value=value, polarity=not predicate.is_denied, time=time)


def _says_something(each: Clause, predicate: Predicate, rest: Sequence[ClauseToken], *, is_user: bool) -> bool:
    words = lows(rest)
    if (each.front and _TIMES.isdisjoint(lows(each.front))) or not _FINITE.isdisjoint(words[1:]):
        return False
    if predicate.verb == "be" and is_number(rest[0]):
        return True
    is_theirs = not is_user and words[0] in {"her", "his", "their", "its"}
    is_led = is_number(rest[0]) or words[0] in _PARTICLES or is_theirs
    return is_telling(rest) or (is_led and (is_telling(rest[1:]) or (len(rest) == 1 and words[0] in _PARTICLES)))


def _front(each: Clause) -> str:
    """Frequency or time from the front of the clause: "on Friday I'm seeing my sister"."""
    front = held(each.front)
    is_time = bool(front) and len(front) <= 4 and any(token.low in _TIMES for token in front)
    text = shown(front) if is_time else ""
    return text[:1].lower() + text[1:]


def mention(kin: Kin, each: Clause) -> Candidate:
    return candidate(each, f"User {kin.mention}", kin_claim(kin.kind, kin.name))


def named(name: str, each: Clause) -> Candidate:
    return candidate(each, f"User's name is {name}", Claim(slot=Slot.NAME, value=name))


def nicknamed(name: str, each: Clause) -> Candidate:
    return candidate(each, f"User goes by {name}", Claim(slot=Slot.NICKNAME, value=name))


def candidate(each: Clause, content: str, claim: Claim, *, is_sure: bool = True) -> Candidate:
    return Candidate(
        content=" ".join(content.split()),
        category=category_of(claim),
        confidence=_STATED if is_sure and claim.subject == USER else 0.9 if is_sure else _IMPLIED,
        reasoning="Says so." if is_sure else "Tells what holds of them.",
        rule=f"english.{claim.slot.value if is_sure and claim.slot else 'lasting'}",
        claim=replace(claim, quote=each.text),
    )


# ── several statements in one predicate ─────────────────────────────────────────────────────────


def pieces_of(predicate: Predicate) -> Iterator[Predicate]:
    """Splits "Tom, 34, a nurse from Leeds with two kids" into five, "two kids, a dog named Rex and a cat" into
    three."""
    rest, start = predicate.rest, 0
    begins = _begins if predicate.verb == "be" else _begins_thing
    if predicate.verb not in {"be", "have", "own", "get", "adopt", "raise"}:
        yield predicate
        return
    for place in range(1, len(rest) + 1):
        if place == len(rest) or begins(rest, start, place):
            yield _piece(predicate, rest[start:place], is_first=start == 0)
            start = place


def items_of(predicate: Predicate) -> list[Predicate]:
    """ "likes hiking, chess and old films": one predicate per item."""
    whole = held(predicate.rest)
    ends = [at for at, token in enumerate(whole) if token.low in {",", "and", "&", "or"}]
    items = [whole[first + 1 : end] for first, end in zip([-1, *ends], [*ends, len(whole)], strict=True)]
    is_list = "," in lows(whole) and all(len(each) <= _MOST_TOPIC for each in items)
    return [predicate.turned(rest=each) for each in items if each] if is_list else [predicate]


def _begins_thing(rest: Sequence[ClauseToken], start: int, place: int) -> bool:
    """Whether another possession begins here, with its number or article."""
    low, ahead = rest[place].low, lows(rest[place : place + 4])
    is_one = low in SOME | {"my", "our", "any"} or is_number(rest[place]) or not KEPT.isdisjoint(ahead[:2])
    return rest[place - 1].low in {"and", ","} and is_one and not KEPT.isdisjoint((*lows(rest[start:place]), *ahead))


def _begins(rest: Sequence[ClauseToken], start: int, place: int) -> bool:
    first, before, low = rest[start].low, rest[place - 1].low, rest[place].low
    after = rest[place + 1] if place + 1 < len(rest) else None
    if before in _BETWEEN:
        return low in {"a", "an"} or first not in _LEADING_LISTS
    if after is None:
        return False
    if low == "from":
        return first not in _BEFORE_FROM and after.is_capital
    if low == "with":
        return first in _BEFORE_WITH and (is_number(after) or after.low in {"a", "an", "no"})
    return low in {"living", "working", "based"} and after.low in {"in", "at", "as", "for", "near"}


def _piece(predicate: Predicate, tokens: Sequence[ClauseToken], *, is_first: bool) -> Predicate:
    first = next((at for at, token in enumerate(tokens) if token.low not in _BETWEEN), len(tokens))
    last = next((at for at in range(len(tokens), first, -1) if tokens[at - 1].low not in _BETWEEN), first)
    rest = tuple(tokens[first:last])
    if is_first or not rest or predicate.verb != "be":
        return predicate.turned(rest=rest)
    has_kin = len(rest) > 1 and is_number(rest[0]) and rest[1].low in KEPT
    if rest[0].low == "with" or has_kin:
        return predicate.turned(rest=rest[not has_kin :], verb="have", inflected="have")
    if rest[0].low not in {"a", "an", "the"} and not (WORKS | KINDS).isdisjoint(lows(rest[:3])):
        article = with_article(rest[0].low).split()[0]
        rest = (ClauseToken(article, article, 0, 0), *rest)
    return predicate.turned(rest=rest)
