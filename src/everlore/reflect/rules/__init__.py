"""Stated user facts by rule, with no model: precise rather than complete (O1).

In: one message of the user, the names of everybody whom the model plays, and the turns before. Out: candidates of the
same shape as a model's. Only what the user states as so of themselves or of their own people counts; what is asked,
requested, supposed, played or quoted never does.

Start at `facts_stated`. `clauses` takes a message apart, `said.py` a clause; `joining.py` knows what a clause owes its
neighbours, `whose.py` of whom it tells, and each other file one subject.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from everlore.language.clauses import Mood, Read, Token, Whose, lows
from everlore.language.lists import listed
from everlore.reflect.candidate import Candidate, Turn
from everlore.reflect.rules import being, open, others, traits
from everlore.reflect.rules.anchored import of_thing
from everlore.reflect.rules.answers import answered
from everlore.reflect.rules.fragments import fragments
from everlore.reflect.rules.identity import name_in
from everlore.reflect.rules.joining import is_relative, is_taken_back, spelled_out, unfolded, with_span, with_when
from everlore.reflect.rules.named import all_named, called_by, named_by_us, theirs
from everlore.reflect.rules.owned import attribute
from everlore.reflect.rules.people import (
    Kin,
    has_died,
    introduced,
    is_gone,
    kin_at,
    kins_in,
    mentioned,
    only_mentioned,
    whereabouts,
)
from everlore.reflect.rules.phrase import shown
from everlore.reflect.rules.plainly import put_plainly
from everlore.reflect.rules.referring import brought_up
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import USER, Said, Tense, said_of
from everlore.reflect.rules.telling import told
from everlore.reflect.rules.whole import is_whole
from everlore.reflect.rules.whose import by_name, called, kin_of, last_kin, named_first
from everlore.reflect.typed import read

__all__ = ["facts_stated"]

_MOST_FACTS = 24
# How sure an answer is that only the question explains.
_ASKED = 0.85


def facts_stated(
    message: str,
    *,
    assistants: Sequence[str] = (),
    user_name: str = "",
    before: Sequence[Turn] = (),
    people: Mapping[str, str] | None = None,
) -> list[Candidate]:
    """Deterministic; never raises. The same fact is given once, the first wording of it. `people`: whoever of theirs is
    known by name, and what they are to the user ("brother")."""
    reads = [part for each in read(put_plainly(message)) for part in unfolded(each)]
    found = [each for each in _stated(reads, brought_up(before), people or {}) if is_whole(each.content)]
    found += _answering(answered(message, reads, before), found)
    found += _mentions(reads, found)
    return _settled(found, [each for each in assistants if each.lower() != user_name.lower()])


def _answering(sentence: str, found: Sequence[Candidate]) -> Iterator[Candidate]:
    """What a short answer says in full; who told their name in the same breath is not asked for it."""
    has_name = any(each.content.startswith("User's name") for each in found)
    for each in _stated(read(sentence), None, {}) if sentence and not has_name else ():
        if is_whole(each.content):
            yield replace(each, confidence=min(each.confidence, _ASKED), reasoning="Answers what they were asked.")


def _settled(found: Sequence[Candidate], assistants: Sequence[str]) -> list[Candidate]:
    others = {part for each in assistants for part in (each.lower(), *each.lower().split()[:1])} - {""}
    kept: dict[str, Candidate] = {}
    for each in found:
        if not _names_one_of(each.content, others) and is_whole(each.content):
            kept.setdefault(each.content.lower(), each)
    return list(kept.values())[:_MOST_FACTS]


def _names_one_of(content: str, others: set[str]) -> bool:
    """The assistant, who is never what a fact about the user names."""
    words = {word.strip(".,'\"!?").removesuffix("'s") for word in content.lower().split()}
    return not others.isdisjoint(words) or any(" " in other and other in content.lower() for other in others)


def _stated(reads: Sequence[Read], known: Kin | None, people: Mapping[str, str]) -> Iterator[Candidate]:
    last, last_sentence = known, 0
    named = {each: Kin(bond, bond.split()[-1], each, 0) for each, bond in people.items() if bond.split()}
    named |= {known.name: known} if known is not None and known.name else {}
    for place, each in enumerate(reads):
        if each.clause.mood is not Mood.STATES:
            # A request or a wish states nothing, and yet tells who "she" is in the next sentence.
            if each.clause.mood in {Mood.REQUESTS, Mood.ASKS, Mood.SUPPOSES}:
                spoken_of = last_kin(each) or kin_of(each, None, named, None)
                last, last_sentence = spoken_of or last, each.sentence
            continue
        after = reads[place + 1] if place + 1 < len(reads) else None
        before = reads[place - 1] if place else None
        if is_relative(each, before) or is_taken_back(after):
            continue
        each = with_span(each)
        yield from _as_one_who(each, after)
        if (those := all_named(each, last)) is not None:
            yield from introduced(those)
            last, named = those, named | by_name(those)
        each = with_when(each, after)
        yield from named_by_us(each, last)
        near = last if each.sentence - last_sentence <= 1 else None
        kin = kin_of(each, near, named, before)
        yield from _of(spelled_out(each, near), kin)
        spoken_of = last_kin(each)
        is_one = kin is not None and kin.end == 0 and last is not None and last.is_many and not kin.is_many
        if kin is not None and is_one and kin.name not in named:
            yield from introduced(kin)
            last_sentence = each.sentence
        elif kin is not None or spoken_of is not None:
            last, last_sentence = (kin if kin is not None and spoken_of is None else spoken_of), each.sentence
        for one in (kin, spoken_of):
            named |= by_name(one) if one is not None else {}


@rule
def _as_one_who(each: Read, after: Read | None) -> list[Candidate]:
    if each.clause.whose is Whose.SELF:
        return _grown_up(each) or _being_one(each.front, each)
    is_led = after is not None and (
        (after.clause.mood is Mood.STATES and after.clause.whose is Whose.SELF)
        or (after.sentence == each.sentence and "i" in lows((*after.subject, *after.predicate[:3])))
    )
    return _being_one(each.predicate, after) if after is not None and is_led else []


@rule
def _grown_up(each: Read) -> list[Candidate]:
    """ "Growing up in Alaska, I …"."""
    tokens = each.predicate[1:] if lows(each.predicate[:2]) == ("am", "growing") else each.front
    if lows(tokens[:3]) != ("growing", "up", "in"):
        return []
    rest = tuple(token for token in tokens[1:] if token.low != ",")
    return told(Said(each, USER, "grow", Tense.PAST, rest, "grew"))


@rule
def _being_one(tokens: Sequence[Token], after: Read) -> list[Candidate]:
    """ "As a teacher, I …", "being a nurse I …"."""
    if len(tokens) > 3 and lows(tokens[:3]) == ("as", "someone", "with"):
        rest = tuple(token for token in tokens[3:] if token.low != ",")
        return told(Said(after, USER, "have", Tense.PRESENT, rest, "have"))
    if len(tokens) < 3 or tokens[0].low not in {"as", "being"}:
        return []
    said = Said(after, USER, "be", Tense.PRESENT, tuple(token for token in tokens[1:] if token.low != ","))
    return (
        being.stated(said) if tokens[1].low in {"a", "an"} else traits.lasting(said) if tokens[0].low == "being" else []
    )


def _of(each: Read, kin: Kin | None) -> Iterator[Candidate]:
    if each.clause.whose is Whose.SELF:
        said = said_of(each, USER)
        yield from told(said) if said else ()
    elif kin is not None:
        yield from _of_kin(each, kin)
    elif each.clause.whose is Whose.OWN:
        yield from _of_own(each)
    else:
        yield from _of_other(each)


def _of_kin(each: Read, kin: Kin) -> Iterator[Candidate]:
    named = called(each, kin)
    if named is not None:
        yield from introduced(named)
        return
    if (each.clause.whose is Whose.OWN or named_first(each.subject)) and not has_died(each.predicate):
        yield from introduced(kin)
        yield from whereabouts(kin, each.subject)
    said = said_of(each, kin.label, is_many=kin.is_many)
    yield from told(said) if said else ()


def _of_own(each: Read) -> Iterator[Candidate]:
    """ "My favorite color is green", "my sister's name is Emma"."""
    words = lows(each.subject)
    if "'s" in words and words[-1] == "name" and lows(each.predicate)[:1] == ("is",):
        kin = kin_at(each.subject[: words.index("'s")], 0)
        found = name_in(each.predicate[1:])
        yield from introduced(Kin(kin.kind, kin.noun, found, 0)) if kin and found else ()
        return
    said = said_of(each, USER) or Said(each, USER, "", Tense.PRESENT)
    subject = each.subject[1:] if words[:1] in {("my",), ("our",)} else each.subject
    held = attribute(said, subject) or open.valued(said, subject)
    yield from held or of_thing(replace(said, label=f"User's {shown(subject)}"))


def _of_other(each: Read) -> Iterator[Candidate]:
    yield from called_by(each)
    yield from theirs(each)
    yield from others.stated(each)
    yield from fragments(each)


# ── mentions ─────────────────────────────────────────────────────────────────────────────────────


def _mentions(reads: Sequence[Read], found: Sequence[Candidate]) -> Iterator[Candidate]:
    """Somebody of theirs who was only spoken of on the way: "I went there with my daughter Lily"."""
    told_of = " ".join(each.content.lower() for each in found)
    for each in reads:
        tokens: tuple[Token, ...] = (*each.front, *each.subject, *each.predicate)
        if each.clause.mood is Mood.STATES:
            yield from others.of_late(tokens)
        if not _may_mention(each, tokens):
            continue
        yield from others.ailing(tokens)
        for kin in only_mentioned(tokens) if not is_gone(tokens, is_self=True) else ():
            if f" {kin.noun}" not in told_of:
                yield from mentioned(kin)
                told_of += f" {kin.noun}"
        if is_gone(tokens, is_self=each.clause.whose is Whose.SELF):
            continue
        yield from (
            each for each in open.introduced(tokens) if f"named {each.content.split()[-1].lower()}" not in told_of
        )
        for kin in kins_in(tokens):
            if kin.name and f"named {kin.name.lower()}" not in told_of:
                yield from introduced(kin)
            elif not kin.name and f" {kin.noun}" not in told_of:
                yield from mentioned(kin)
                told_of += f" {kin.noun}"


_OF_WORDS = listed("talk.of_words")


def _may_mention(each: Read, tokens: Sequence[Token]) -> bool:
    """Whoever asks for a present for their wife has one; how to say "my wife" in French is another matter."""
    if each.clause.mood is Mood.STATES:
        return True
    return each.clause.mood in {Mood.REQUESTS, Mood.ASKS} and _OF_WORDS.isdisjoint(lows(tokens))
