"""What one clause states, by whom it is about: the user, what is theirs, or nobody by name ("nurse here, 34"). Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from everlore.domain.claim import USER, Claim, Slot
from everlore.language.lists import listed
from everlore.language.words import KEPT, NATIONS, STATES_OF
from everlore.learning.candidate import Candidate
from everlore.learning.clauses import ClauseToken, ParsedClause, lows
from everlore.learning.phrasebooks.chains import with_another
from everlore.learning.phrasebooks.facts import Subject, candidate, mention, named, told
from everlore.learning.phrasebooks.persons import introduced_name, kins_in, name_in
from everlore.learning.phrasebooks.predicates import Predicate, VerbForm, predicate_of
from everlore.learning.phrasebooks.statements import owned_claim, subject_named
from everlore.learning.phrasebooks.wording import held, is_telling, shown

_GREETING = len("Good morning! ")
_MOST_TOPIC = 4
_OF_BOTH = listed("talk.of_both")
_MUTUAL = listed("verbs.mutual")
_ATTRIBUTES = (
    listed("traits.attributes") | listed("tastes.attributes") | listed("life.attributes") | listed("work.attributes")
)
_NO_VALUE = listed("traits.moods") | listed("traits.no_value")
_KINDS_OF_NAME = listed("names.kinds")


def of_user(each: ParsedClause) -> Iterator[Candidate]:
    predicate = predicate_of(each.predicate)
    if predicate is None:
        return
    is_one = each.clause.subject.lower() == "i"
    if predicate.verb == "be" and predicate.form is VerbForm.NOW and is_one and not predicate.is_denied:
        # Many a name ends in "s", and every team does: of these only the first words are believed.
        is_opening = not predicate.next.endswith("s") or (bool(each.subject) and each.subject[0].start <= _GREETING)
        is_first = is_opening and each.sentence <= 2 and (not each.lead or each.lead[0] in listed("talk.greetings"))
        if name := introduced_name(predicate.rest, is_first=is_first):
            yield named(name, each)
    if each.clause.subject == "we" and lows(each.subject)[:1] in {("we",), ()} and not _we_tell(predicate):
        return
    yield from told(each, with_another(each, predicate), Subject())


def _we_tell(predicate: Predicate) -> bool:
    """ "We" may be the two who talk: what they could have done here is not the user's for sure."""
    text = shown(predicate.rest)
    if predicate.verb == "be":
        is_state = predicate.next in STATES_OF | NATIONS | {"a", "an", "from", "expecting", "based"}
        return predicate.form is VerbForm.NOW and (is_state or bool(re.match(r"(?:fully )?remote|in [A-Z]", text)))
    # Who the other one is was not said here.
    is_mutual = "together" in text or (predicate.is_denied and predicate.verb in _MUTUAL)
    return not is_mutual and (predicate.verb not in _OF_BOTH | _MUTUAL or predicate.form is not VerbForm.WOULD)


def of_own(each: ParsedClause) -> Iterator[Candidate]:
    """ "My favorite color is green", "my name is Sarah", "my sister's husband is a pilot"."""
    predicate = predicate_of(each.predicate)
    if predicate is None or not each.subject or predicate.verb != "be" or predicate.form is not VerbForm.NOW:
        return
    subject = each.subject[1:] if each.subject[0].low in {"my", "our"} else each.subject
    words = lows(subject)
    if "'s" in words:
        yield from _of_theirs(each, predicate, subject)
        return
    value = held(predicate.rest)
    if words[-1:] in {("name",), ("names",)} and _KINDS_OF_NAME.issuperset(words[:-1]):
        if (name := name_in(predicate.rest)) and not predicate.is_denied:
            yield named(name, each)
        return
    is_favorite = not {"favorite", "favorites"}.isdisjoint(words)
    is_known = words[-1] in _ATTRIBUTES or any(each.is_capital and each.text[1:].islower() for each in value[:1])
    if predicate.is_denied or not is_telling(value) or len(words) > _MOST_TOPIC or not (is_favorite or is_known):
        return
    is_aim = value[0].low == "to" and words[-1] in listed("life.attributes")
    is_doing = value[0].low.endswith("ing") and words[-1] not in listed("life.done")
    is_where = value[0].low in {"on", "at"} and words[-1] not in {"birthday", "anniversary"}
    if is_where or is_doing or (value[0].low in _NO_VALUE and not is_aim):
        return
    claim = owned_claim(USER, shown(subject), predicate.turned(rest=value))
    content = f"User's {shown(subject)} {'are' if each.predicate[0].low == 'are' else 'is'} {shown(value)}"
    yield candidate(each, content, claim or Claim(slot=Slot.ATTRIBUTE, topic=shown(subject), value=shown(value)))


def _of_theirs(each: ParsedClause, predicate: Predicate, subject: Sequence[ClauseToken]) -> Iterator[Candidate]:
    words = lows(subject)
    at = words.index("'s")
    kin = next(kins_in((ClauseToken("my", "my", 0, 0), *subject[:at])), None)
    if kin is None:
        return
    if words[at + 1 :] == ("name",):
        if name := name_in(predicate.rest):
            yield mention(replace(kin, name=name), each)
    elif words[-1] in KEPT:
        named = Subject(f"{subject_named(kin.kind, kin.name)}'s {words[-1]}", f"User's {shown(subject)}")
        yield from told(each, predicate, named)


def of_other(each: ParsedClause) -> Iterator[Candidate]:
    """ "Call me Sam"."""
    tokens = (*each.subject, *each.predicate)
    words = lows(tokens)
    at = words.index("me") if "me" in words[1:6] else 0
    if at and words[at - 1] in {"call", "calls"} and not {"not", "never", "nobody"}.intersection(words[:at]):
        found = name_in(tokens[at + 1 :])
        if found and tokens[at + 1].is_capital and len(tokens) <= at + 1 + len(found.split()) + 2:
            yield named(found, each)
