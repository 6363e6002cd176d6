"""Stated user facts by rule, with no model: precise rather than complete (O1).

In: one message of the user, the names of everybody whom the model plays, and the turns before. Out: candidates of the
same shape as a model's. Only what the user states as so of themselves or of their own people counts; what is asked,
requested, supposed, played or quoted never does.

Start at `facts_stated`. `clauses` takes a message apart, `said.py` a clause; each other file knows one subject.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from everlore.language.clauses import Mood, Read, Token, Whose, lows
from everlore.language.clauses.words import ADVERBS
from everlore.language.firstnames import FIRST_NAMES
from everlore.language.words import words
from everlore.reflect.candidate import Candidate, Turn
from everlore.reflect.rules import being, open, others
from everlore.reflect.rules.anchored import of_thing
from everlore.reflect.rules.answers import answered
from everlore.reflect.rules.fragments import fragments
from everlore.reflect.rules.identity import name, name_in
from everlore.reflect.rules.owned import attribute
from everlore.reflect.rules.people import Kin, introduced, is_gone, kin_at, kins_in, mentioned, only_mentioned
from everlore.reflect.rules.phrase import is_number, shown
from everlore.reflect.rules.plainly import put_plainly
from everlore.reflect.rules.referring import brought_up
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import USER, Said, Tense, said_of
from everlore.reflect.rules.telling import told
from everlore.reflect.rules.whole import is_whole
from everlore.reflect.typed import read

__all__ = ["facts_stated"]

_MOST_FACTS = 24
_MOST_NAMED = 14
_AGING = frozenset({("is",), ("'s",), ("turned",), ("just",), ("turns",)})
_PARENTS = words("mom dad mother father grandma grandpa granny nan gran mama papa")
_ONE = {"children": "child", "babies": "baby", "puppies": "puppy", "wolves": "wolf", "ponies": "pony"}
_NAMES_OF: dict[tuple[str, ...], str] = {("his", "name"): "he", ("her", "name"): "she", ("its", "name"): "it"}


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
    reads = [part for each in read(put_plainly(message)) for part in _unfolded(each)]
    found = [each for each in _stated(reads, brought_up(before), people or {}) if is_whole(each.content)]
    found += (
        answered(message, reads, before) if not any(each.content.startswith("User's name") for each in found) else []
    )
    found += _mentions(reads, found)
    return _settled(found, [each for each in assistants if each.lower() != user_name.lower()])


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


def _unfolded(each: Read) -> Iterator[Read]:
    """ "… who is 7 and a son, Jack": after the words about the daughter, the user goes on with whom they have."""
    words = lows(each.predicate)
    for place in range(2, len(words)):
        if lows(each.subject) != ("who",) or words[place] not in {"a", "an"} or words[place - 1] not in {"and", ","}:
            continue
        if kin_at(each.predicate, place) is not None:
            have = Token("have", "have", 0, 0)
            clause = replace(each.clause, whose=Whose.SELF, subject="I")
            yield replace(each, predicate=each.predicate[: place - 1])
            yield replace(each, clause=clause, subject=(), front=(), predicate=(have, *each.predicate[place:]))
            return
    yield each


def _stated(reads: Sequence[Read], known: Kin | None, people: Mapping[str, str]) -> Iterator[Candidate]:
    last, last_sentence = known, 0
    named = {each: Kin(bond, bond.split()[-1], each, 0) for each, bond in people.items() if bond.split()}
    named |= {known.name: known} if known is not None and known.name else {}
    for place, each in enumerate(reads):
        if each.clause.mood is not Mood.STATES:
            # A request states nothing, and yet tells who "she" is in the next sentence.
            if each.clause.mood in {Mood.REQUESTS, Mood.ASKS}:
                last, last_sentence = _last_kin(each) or last, each.sentence
            continue
        after = reads[place + 1] if place + 1 < len(reads) else None
        before = reads[place - 1] if place else None
        if _is_relative(each, before) or _is_taken_back(after):
            continue
        each = _with_span(each)
        yield from _as_one_who(each, after)
        if last is not None:
            yield from _all_named(each, last)
        each = _with_when(each, after)
        yield from _named_by_us(each, last)
        near = last if each.sentence - last_sentence <= 1 else None
        kin = _kin_of(each, near, named, before)
        yield from _of(_spelled_out(each, near), kin)
        spoken_of = _last_kin(each)
        is_one = kin is not None and kin.end == 0 and last is not None and last.is_many and not kin.is_many
        if kin is not None and is_one and kin.name not in named:
            yield from introduced(kin)
            last_sentence = each.sentence
        elif kin is not None or spoken_of is not None:
            last, last_sentence = (kin if kin is not None and spoken_of is None else spoken_of), each.sentence
        named |= {one.name: one for one in (kin, spoken_of) if one is not None and one.name}


def _with_span(each: Read) -> Read:
    """ "twenty years I mended clocks": for so long."""
    low = lows(each.front)
    is_span = len(low) in {2, 3} and low[1] in {"years", "months", "weeks", "decades"} and is_number(each.front[0])
    if not is_span or each.clause.whose is not Whose.SELF:
        return each
    for_ = Token("for", "for", 0, 0)
    first = replace(each.front[0], text=each.front[0].low)
    low = lows(each.predicate)
    end = next((place for place, word in enumerate(low) if word in {",", "and", "but"}), len(low))
    predicate = (*each.predicate[:end], for_, first, each.front[1], *each.predicate[end:])
    return replace(each, front=(), predicate=predicate)


def _is_taken_back(after: Read | None) -> bool:
    """ "… at noon... scratch that, at one": neither of the two is sure."""
    near = lows((*after.front, *after.subject, *after.predicate)[:2]) if after is not None else ()
    return near in {("scratch", "that"), ("strike", "that"), ("make", "that")}


_DETERMINERS = words("a an the this that these those same some any every another only first one")
_NO_OBJECT = words("in on at for with by when since last ago this irl back during before after once again there")
_NEEDING_NONE = words("live work be go come swim drive retire sleep grow move die graduate run cook teach smoke drink")


def _is_relative(each: Read, before: Read | None) -> bool:
    """ "The same one I bought in May", "a guy I've never met": "I" right behind a noun, and no object behind the verb,
    for the noun is the object."""
    if each.clause.whose is not Whose.SELF or not each.subject:
        return False
    if each.front:
        tail = lows(each.front)[-3:]
        return tail[-1] in {"one", "ones", "thing", "guy", "person", "place"} and _lacks_object(each)
    if before is None or before.sentence != each.sentence:
        return False
    if each.lead[-1:] not in {(), ("one",), ("ones",), ("thing",), ("person",), ("place",), ("that",)}:
        return False
    tail = lows((*before.front, *before.subject, *before.predicate))[-3:]
    return (bool(each.lead) or not _DETERMINERS.isdisjoint(tail[:-1])) and _lacks_object(each)


def _lacks_object(each: Read) -> bool:
    said = said_of(each, USER)
    if said is None or said.verb in _NEEDING_NONE:
        return False
    return not said.rest or said.next in _NO_OBJECT or not said.rest[0].is_word


def _with_when(each: Read, after: Read | None) -> Read:
    """ "… when I was ten": the time that the next clause gives belongs to this one."""
    leads = [word for word in after.lead if word in {"when", "until", "till", "since"}] if after is not None else []
    if after is None or after.sentence != each.sentence or not leads:
        return each
    if lows(after.predicate)[:1] not in {("was",), ("were",), ("turned",)} or len(after.predicate) < 2:
        return each
    if leads[0] == "since":
        return _with_since(each, after)
    return replace(each, predicate=(*each.predicate, Token("when", "when", 0, 0), *after.subject, *after.predicate))


def _with_since(each: Read, after: Read) -> Read:
    """ "… since I was nine": in one piece, for it is no clause of its own any more."""
    words = lows(after.predicate)
    end = next((place for place, word in enumerate(words) if word in {"and", "but", ","}), len(words))
    if end > _NEAR:
        return each
    text = shown((*after.subject, *after.predicate[:end])).replace("they was", "they were")
    return replace(each, predicate=(*each.predicate, Token("since", "since", 0, 0), Token(text, text, 0, 0)))


_NEAR = 5
_BEHIND_HER = _NO_OBJECT | words("every most to and , about from a the")


def _spelled_out(each: Read, last: Kin | None) -> Read:
    """ "I only see her at Christmas": whom, where it was just said and stands near the verb."""
    if last is None or last.is_many or each.clause.whose is not Whose.SELF:
        return each
    spelled = list(each.predicate)
    for place, token in enumerate(spelled[:_NEAR]):
        after = spelled[place + 1].low if place + 1 < len(spelled) else ","
        is_one = token.low == "him" or (token.low == "her" and after in _BEHIND_HER)
        if place and is_one and last.answers_to("he" if token.low == "him" else "she"):
            spelled[place] = Token(f"their {last.kind} {last.name}".strip(), last.noun, 0, 0)
    return replace(each, predicate=tuple(spelled))


@rule
def _named_by_us(each: Read, last: Kin | None) -> list[Candidate]:
    """ "We named her Honey"."""
    near = lows(each.predicate[:2])
    is_naming = each.clause.whose is Whose.SELF and near[:1] in {("named",), ("call",), ("called",)}
    if not is_naming or last is None or last.name or near[1:2] not in {("her",), ("him",), ("it",), ("them",)}:
        return []
    found = name_in(each.predicate[2:])
    return introduced(replace(last, name=found)) if found else []


@rule
def _all_named(each: Read, last: Kin) -> list[Candidate]:
    """ "We have three kids: Kofi, Ama and Yaw"."""
    tokens = (*each.front, *each.subject, *each.predicate)
    are_names = all(token.is_capital or token.low in {",", "and"} for token in tokens)
    if not last.is_many or last.name or ":" not in each.lead[:1] or not are_names or not 1 < len(tokens) <= _MOST_NAMED:
        return []
    return introduced(replace(last, name=shown(tokens)))


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


def _last_kin(each: Read) -> Kin | None:
    """Whom the clause spoke of last, beside its subject."""
    words = lows(each.subject)
    if len(words) == 1 and words[0] in _PARENTS:
        # "Mum's coming, she lives in Kerala".
        return Kin(each.subject[0].text.lower(), words[0], "", 0)
    if "'s" in words and words[-1] == "name":
        kin = kin_at(each.subject[: words.index("'s")], 0)
        return Kin(kin.kind, kin.noun, name_in(each.predicate[1:]), 0) if kin else None
    return next(iter(reversed(list(kins_in(each.predicate)))), None) or _had_in(each)


@rule
def _being_one(tokens: Sequence[Token], after: Read) -> list[Candidate]:
    """ "As a teacher, I …", "being a nurse I …"."""
    if len(tokens) > 3 and lows(tokens[:3]) == ("as", "someone", "with"):
        rest = tuple(token for token in tokens[3:] if token.low != ",")
        return told(Said(after, USER, "have", Tense.PRESENT, rest, "have"))
    if len(tokens) < 3 or tokens[0].low not in {"as", "being"} or tokens[1].low not in {"a", "an"}:
        return []
    rest = tuple(token for token in tokens[1:] if token.low != ",")
    return being.stated(Said(after, USER, "be", Tense.PRESENT, rest))


def _had_in(each: Read) -> Kin | None:
    """Whom "I have a sister" brings up, so that "she" is known after it."""
    words = lows(each.predicate)
    if each.clause.whose is not Whose.SELF or not {"have", "got", "adopted", "has"}.intersection(words[:3]):
        return None
    at = next((place for place, word in enumerate(words[:4]) if word in {"a", "an", "one", "two", "three"}), None)
    return kin_at(each.predicate, at) if at is not None else None


def _aged_one(subject: Sequence[Token]) -> Kin | None:
    """ "My 12yo", "my four year old"."""
    low = lows(subject)
    is_short = len(low) == 2 and low[1][:1].isdigit() and low[1].endswith(("yo", "year-old", "yr-old"))
    is_aged = is_short or (low[2:] == ("year", "old") and is_number(subject[1])) or low[2:] == ("years-old",)
    if not is_aged:
        return None
    kind = low[1].removesuffix("yo") + "-year-old" if is_short and low[1].endswith("yo") else shown(subject[1:])
    return Kin(kind, "child", "", len(subject))


def _says_age(predicate: Sequence[Token]) -> bool:
    return lows(predicate)[:1] in _AGING and any(is_number(token) for token in predicate[1:3])


def _one_of(many: Kin, name_of: Token | None) -> Kin | None:
    """ "two sons, Karl who is 8", "two kids. Oskar's 6": one of them, by name."""
    if name_of is None or not name_of.is_capital:
        return None
    noun = _ONE.get(many.noun, many.noun.removesuffix("s"))
    kind = " ".join([*(word for word in many.kind.split()[:-1] if not word.isdigit()), noun])
    return Kin(kind, noun, name_of.text, 0)


def _kin_of(each: Read, last: Kin | None, named: Mapping[str, Kin], before: Read | None) -> Kin | None:
    """Whose facts the clause tells, where its subject is somebody of the user's."""
    if lows(each.subject) == ("who",) and before is not None and _points_elsewhere(before):
        return None
    if len(each.subject) == 1 and each.subject[0].text in named:
        return named[each.subject[0].text]
    if each.clause.whose is not Whose.SELF and not each.subject and each.clause.subject:
        return last
    if lows(each.subject) == ("mine",) and last is not None and not last.name:
        return last
    if lows(each.subject) in _NAMES_OF and last is not None and last.answers_to(_NAMES_OF[lows(each.subject)]):
        return last
    if each.clause.whose is Whose.OWN:
        kin = _both(each.subject) or kin_at(each.subject, 0) or _aged_one(each.subject)
        return kin if kin is not None and _ends_with(kin, each.subject) else None
    if each.clause.whose is Whose.OTHER and lows(each.subject[1:3]) == (",", "my") and each.subject[0].is_capital:
        kin = kin_at(each.subject, 2)
        return Kin(kin.kind, kin.noun, each.subject[0].text, kin.end) if kin is not None and not kin.name else None
    if last is not None and last.is_many and lows(each.subject) == ("who",):
        return _one_of(last, before.predicate[-1] if before is not None and before.predicate else None)
    if last is not None and last.is_many and len(each.subject) == 1 and _says_age(each.predicate):
        return _one_of(last, each.subject[0])
    if each.clause.whose is Whose.OTHER and last is not None:
        subject = lows(each.subject) or lows(each.predicate)[:1]
        if subject == ("who",) or (len(subject) == 1 and last.answers_to(subject[0])):
            return last
    return None


def _both(subject: Sequence[Token]) -> Kin | None:
    """ "My mum and dad": two of theirs as one."""
    low = lows(subject)
    if "and" not in low[1:-1]:
        return None
    at = low.index("and", 1)
    others = subject[at + 1 :] if low[at + 1] == "my" else (subject[0], *subject[at + 1 :])
    first, second = kin_at(subject[:at], 0), kin_at(others, 0)
    if first is None or second is None or first.name or second.name:
        return None
    return Kin(f"{first.kind} and {second.kind}", "parents", "", len(subject))


def _points_elsewhere(before: Read) -> bool:
    """ "Then there's Tobias, who …": somebody new; "it's not my brother who …": somebody else; "I'm the one who …"."""
    if before.clause.whose is Whose.SELF and lows(before.predicate)[:1] == ("am",):
        return True
    return lows(before.subject) == ("there",) or (lows(before.subject) == ("it",) and before.clause.negated)


def _ends_with(kin: Kin, subject: Sequence[Token]) -> bool:
    """ "my mother tongue" is no mother: behind the noun there is room for an adverb or a name, and for nothing else."""
    if kin.end >= len(subject):
        return True
    last = subject[-1]
    is_light = last.low in ADVERBS | {"'s", ",", "all"} or last.is_capital or last.low in FIRST_NAMES
    return kin.end == len(subject) - 1 and is_light


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
    named = _called(each, kin)
    if named is not None:
        yield from introduced(named)
        return
    if each.clause.whose is Whose.OWN or lows(each.subject[1:3]) == (",", "my"):
        yield from introduced(kin)
    said = said_of(each, kin.label, is_many=kin.is_many)
    yield from told(said) if said else ()


def _called(each: Read, kin: Kin) -> Kin | None:
    """ "My dog is called Rex", "her name is Emma"."""
    words = lows(each.predicate)
    if lows(each.subject) in _NAMES_OF:
        return Kin(kin.kind, kin.noun, name_in(each.predicate[1:]) if words[:1] == ("is",) else "", 0)
    if (words[:1] in {("is",), ("'s",), ("are",)} and words[1:2] in {("named",), ("called",)}) or words[:1] in {
        ("named",)
    }:
        rest = each.predicate[words.index("named" if "named" in words[:2] else "called") + 1 :]
        found = name_in(rest)
        return Kin(kin.kind, kin.noun, found, 0) if found else None
    return None


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
    yield from _called_by(each)
    yield from others.stated(each)
    yield from fragments(each)


_NOBODY = words("nobody no-one not never don't")
_AFTER_A_NAME = words(", and but - for btw lol again here please")


@rule
def _called_by(each: Read) -> list[Candidate]:
    """ "Call me Sam", "you can call me Sam", "everybody calls me Sam", "name's Sam"."""
    tokens = (*each.subject, *each.predicate)
    tokens = tokens[1:] if lows(tokens[:2]) == ("the", "name") else tokens
    words = lows(tokens)
    for place, word in enumerate(words[:5]):
        if (
            word in {"call", "calls"}
            and _NOBODY.isdisjoint(words[:place])
            and words[place + 1 : place + 2] == ("me",)
            and len(words) > place + 2
            and tokens[place + 2].is_capital
        ):
            found = name_in(tokens[place + 2 :])
            is_end = (
                len(tokens) == place + 2 + len(found.split())
                or tokens[place + 2 + len(found.split())].low in _AFTER_A_NAME
            )
            return name(found, "Says what to call them.", confidence=0.9) if found and is_end else []
    if words[:2] == ("it", "is") or words[:1] == ("its",):
        return _is_me(tokens[2 if words[0] == "it" else 1 :])
    if (words[:2] in {("name", "is"), ("name", "'s"), ("my", "names")} and len(words) > 2) or (
        words[:1] == ("names",) and len(words) == 2
    ):
        found = name_in(tokens[2:] if len(words) > 2 else tokens[1:])
        return name(found, "Says their name.") if found else []
    return []


@rule
def _is_me(tokens: Sequence[Token]) -> list[Candidate]:
    """ "It's Marcus again"; "it's Katarzyna, not Katarina"."""
    words = lows(tokens)
    is_back = len(words) == 2 and words[0] in FIRST_NAMES and words[1] in {"again", "here"}
    is_right = len(words) == 4 and words[1:3] == (",", "not") and words[0][:2] == words[3][:2] and tokens[0].is_capital
    return name(tokens[0].text.capitalize(), "Says who they are.", confidence=0.9) if is_back or is_right else []


# ── mentions ─────────────────────────────────────────────────────────────────────────────────────


def _mentions(reads: Sequence[Read], found: Sequence[Candidate]) -> Iterator[Candidate]:
    """Somebody of theirs who was only spoken of on the way: "I went there with my daughter Lily"."""
    told_of = " ".join(each.content.lower() for each in found)
    for each in reads:
        tokens: tuple[Token, ...] = (*each.front, *each.subject, *each.predicate)
        if each.clause.mood is Mood.STATES:
            yield from others.of_late(tokens)
        if not _may_mention(each, tokens) or is_gone(tokens, is_self=each.clause.whose is Whose.SELF):
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
        for kin in only_mentioned(tokens):
            if f" {kin.noun}" not in told_of:
                yield from mentioned(kin)
                told_of += f" {kin.noun}"


_OF_WORDS = words("say said mean spell pronounce translate word phrase sentence pretend imagine character story scene")


def _may_mention(each: Read, tokens: Sequence[Token]) -> bool:
    """Whoever asks for a present for their wife has one; how to say "my wife" in French is another matter."""
    if each.clause.mood is Mood.STATES:
        return True
    return each.clause.mood in {Mood.REQUESTS, Mood.ASKS} and _OF_WORDS.isdisjoint(lows(tokens))
