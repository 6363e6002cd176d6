"""Finds what an English message plainly states about the user and their people, as claims (O1). Pure; never raises.

In: one user message, the names of the model's characters, and the turns before. Out: candidates, each with its claim
and sentence. A clause is matched with the phrases of `english.toml`; if none matches, it is rendered in the third
person without a slot, if its content lasts. Questions, wishes, quotes, role-play and suppositions never count:
`learning.clauses` marks them. A short answer ("Ghent" after "Where do you live?") is completed to a sentence first; the
question is no evidence, and only tells which sentence (F1, F8).

Start at `facts_stated`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from everlore.domain.claim import USER, Claim, Slot
from everlore.language.lists import listed, pattern
from everlore.language.names import first_name
from everlore.language.words import KEPT, NATIONS, STATES_OF
from everlore.learning.candidate import Candidate, EarlierMessage
from everlore.learning.clauses import Clause, ClauseToken, Mood, Whose, clauses_of, lows
from everlore.learning.clauses.moods import is_other_world
from everlore.learning.phrasebooks.facts import Subject, candidate, mention, named, nicknamed, of_kin, told
from everlore.learning.phrasebooks.persons import Kin, introduced_name, kins_in, last_of, name_in, subject_of
from everlore.learning.phrasebooks.phrases import questions, spellings
from everlore.learning.phrasebooks.predicates import Predicate, VerbForm, predicate_of
from everlore.learning.phrasebooks.statements import ended_claim, owned_claim, subject_named
from everlore.learning.phrasebooks.wording import held, is_telling, shown

_MOST_FACTS = 24
_MOST_READ = 12_000
_MOST_CHARS = 300
_ANSWERED = 0.85
_WHOM = frozenset("her him it them".split())
_WHOSE = frozenset("his her its".split())
# Before "call me": the user asks for it, or others do.
_BESIDE_CALL = frozenset("please just so but and you can could will".split())
_CALLERS = listed("names.callers")
_GONE = re.compile(r"\b(?:died|dead|passed (?:away|on|in|last|when|this)|passed$)")
_GREETING = len("Good morning! ")
_MOST_TOPIC = 4
_OF_BOTH = listed("talk.of_both")
_MUTUAL = listed("verbs.mutual")
_ATTRIBUTES = (
    listed("traits.attributes") | listed("tastes.attributes") | listed("life.attributes") | listed("work.attributes")
)
_NO_VALUE = listed("traits.moods") | listed("traits.no_value")
_KINDS_OF_NAME = listed("names.kinds")


def facts_stated(
    message: str,
    *,
    assistants: Sequence[str] = (),
    user_name: str = "",
    before: Sequence[EarlierMessage] = (),
    people: Mapping[str, str] | None = None,
) -> list[Candidate]:
    """Repeated facts are returned once, in their first wording. `people`: known relatives by name, and their relation
    to the user ("brother")."""
    played = {
        part
        for each in assistants
        if each.lower() != user_name.lower()
        for part in (each.lower(), first_name(each.lower()))
    }
    reader = _Reader(people or {}, _last_in(before))
    found: dict[str, Candidate] = {}
    stated = list(reader.read(clauses_of(_spelled_out(message))))
    if answer := sentence_answered(message, before):
        stated += [_as_answer(each, message) for each in reader.read(clauses_of(answer))]
    for each in stated:
        words = {word.strip(".,'\"!?").removesuffix("'s") for word in each.content.lower().split()}
        if played.isdisjoint(words) and len(each.content) <= _MOST_CHARS:
            found.setdefault(each.content.lower(), each)
    return list(found.values())[:_MOST_FACTS]


def _as_answer(candidate: Candidate, message: str) -> Candidate:
    """The quoted evidence is the answer; the question only completes it."""
    quote = message.strip()
    claim = candidate.claim and replace(candidate.claim, quote=quote)
    return replace(candidate, quote=quote, claim=claim, confidence=min(candidate.confidence, _ANSWERED))


def _spelled_out(message: str) -> str:
    message = message[:_MOST_READ]
    for said, plain in spellings("spelling"):
        message = said.sub(plain, message)
    return message


def _last_in(before: Sequence[EarlierMessage]) -> Kin | None:
    """The person the user mentioned last in an earlier message, for "she" and the like."""
    for turn in reversed(before):
        if turn.is_user:
            return next((kin for each in reversed(clauses_of(turn.content)) if (kin := last_of(each))), None)
    return None


class _Reader:
    """Reads clause by clause and remembers the people mentioned."""

    def __init__(self, people: Mapping[str, str], last: Kin | None) -> None:
        self._named = {name: Kin(bond, bond.split()[-1], name) for name, bond in people.items() if bond.split()}
        self._last = last
        self._last_at = 0

    def read(self, reads: Sequence[Clause]) -> Iterator[Candidate]:
        for place, each in enumerate(reads):
            after = reads[place + 1] if place + 1 < len(reads) else None
            if each.mood is Mood.STATES:
                yield from self._clause(_with_when(each, after))
            elif each.mood in {Mood.REQUESTS, Mood.ASKS, Mood.SUPPOSES}:
                # A request for a poem for "my wife" implies a wife, and "she" in the next sentence means her.
                if each.mood is not Mood.SUPPOSES:
                    yield from _mentions(each)
                self._remember(each, last_of(each) or subject_of(each, None, self._named))

    def _clause(self, each: Clause) -> Iterator[Candidate]:
        near = self._last if each.sentence - self._last_at <= 1 else None
        kin = subject_of(each, near, self._named)
        yield from self._named_now(each, near)
        if kin is not None:
            yield from self._of_kin(each, kin)
        elif each.whose is Whose.SELF:
            yield from of_user(each)
        elif each.whose is Whose.OWN:
            yield from of_own(each)
        else:
            yield from of_other(each)
        yield from _mentions(each)
        self._remember(each, last_of(each) or kin)

    def _remember(self, each: Clause, kin: Kin | None) -> None:
        if kin is not None:
            self._last, self._last_at = kin, each.sentence

    def _named_now(self, each: Clause, last: Kin | None) -> Iterator[Candidate]:
        """ "We named her Honey", "her name is Emma"."""
        if last is None or last.name:
            return
        words, found = lows((*each.subject, *each.predicate)[:3]), ""
        is_naming = words[:1] in {("named",), ("call",), ("called",)} and words[1:2] != () and words[1] in _WHOM
        if is_naming or (words[1:] == ("name", "is") and words[0] in _WHOSE):
            found = name_in((*each.subject, *each.predicate)[2 if is_naming else 3 :])
        if found:
            self._remember(each, replace(last, name=found))
            yield mention(replace(last, name=found), each)

    def _of_kin(self, each: Clause, kin: Kin) -> Iterator[Candidate]:
        predicate = predicate_of(each.predicate, is_many=kin.is_many)
        if predicate is None:
            return
        if predicate.verb == "be" and predicate.form is VerbForm.NOW:
            found = "" if kin.name else introduced_name(predicate.rest)
            if predicate.next in {"named", "called"}:
                found = name_in(predicate.rest[1:], is_many=kin.is_many)
            if found:
                self._remember(each, replace(kin, name=found))
                yield mention(replace(kin, name=found), each)
                return
        is_gone = _GONE.search(" ".join(lows(each.predicate[:3]))) is not None
        ended = ended_claim(kin.kind, kin.name, quote=each.text) if is_gone else None
        for fact in told(each, predicate, of_kin(kin)):
            yield replace(fact, claim=ended or fact.claim)


def _mentions(each: Clause) -> Iterator[Candidate]:
    """A named relative anywhere in the clause: "I went there with my daughter Lily"."""
    tokens = (*each.front, *each.subject, *each.predicate)
    if _GONE.search(" ".join(lows(tokens))):
        return
    for kin in kins_in(tokens):
        # "What is my sister called again?" contains no name: in a question, a name must be capitalized.
        if kin.name and (each.mood is not Mood.ASKS or kin.name in each.text):
            yield mention(kin, each)


def _with_when(each: Clause, after: Clause | None) -> Clause:
    """ "… when I was ten": adds the time in the next clause to this one."""
    leads = [word for word in after.lead if word in {"when", "until", "till", "since"}] if after is not None else []
    if after is None or after.sentence != each.sentence or not leads:
        return each
    text = f"{leads[0]} {shown((*after.subject, *after.predicate))}".replace("they was", "they were")
    return replace(each, predicate=(*each.predicate, ClauseToken(text, text.lower(), 0, 0)))


# ── statements of one clause, by its subject ─────────────────────────────────────────────────────


def of_user(each: Clause) -> Iterator[Candidate]:
    predicate = predicate_of(each.predicate)
    if predicate is None:
        return
    is_one = each.pronoun.lower() == "i"
    if predicate.verb == "be" and predicate.form is VerbForm.NOW and is_one and not predicate.is_denied:
        # Many names end in "s", but so do teams' names: accept those only in the first words of a message.
        is_opening = not predicate.next.endswith("s") or (bool(each.subject) and each.subject[0].start <= _GREETING)
        is_first = is_opening and each.sentence <= 2 and (not each.lead or each.lead[0] in listed("talk.greetings"))
        if name := introduced_name(predicate.rest, is_first=is_first):
            yield named(name, each)
    if each.pronoun == "we" and lows(each.subject)[:1] in {("we",), ()} and not _we_tell(predicate):
        return
    if "and" in lows(each.subject) and predicate.verb not in listed("verbs.alone"):
        # "Me and Dan broke up": the user did not do it alone.
        return
    yield from told(each, predicate, Subject())


def _we_tell(predicate: Predicate) -> bool:
    """ "We" may mean user and character: actions possible in the chat are not surely the user's."""
    text = shown(predicate.rest)
    if predicate.verb == "be":
        is_state = predicate.next in STATES_OF | NATIONS | {"a", "an", "from", "expecting", "based"}
        return predicate.form is VerbForm.NOW and (is_state or bool(re.match(r"(?:fully )?remote|in [A-Z]", text)))
    # The other person was not named here.
    is_mutual = "together" in text or (predicate.is_denied and predicate.verb in _MUTUAL)
    return not is_mutual and (predicate.verb not in _OF_BOTH | _MUTUAL or predicate.form is not VerbForm.WOULD)


def of_own(each: Clause) -> Iterator[Candidate]:
    """ "My favorite color is green", "my name is Sarah", "my sister's husband is a pilot"."""
    predicate = predicate_of(each.predicate)
    is_so = predicate is not None and predicate.verb == "be" and predicate.form is VerbForm.NOW
    if predicate is None or not each.subject or not is_so or predicate.is_denied:
        return
    subject = each.subject[each.subject[0].low in {"my", "our"} :]
    words = lows(subject)
    if "'s" in words:
        yield from _of_theirs(each, predicate, subject)
        return
    value = held(predicate.rest)
    if words[-1:] in {("name",), ("names",)} and _KINDS_OF_NAME.issuperset(words[:-1]):
        if name := name_in(predicate.rest):
            yield named(name, each)
        return
    if not is_telling(value) or len(words) > _MOST_TOPIC or not _is_told_of_own(words, value):
        return
    claim = owned_claim(USER, shown(subject), predicate.turned(rest=value))
    content = f"User's {shown(subject)} {'are' if each.predicate[0].low == 'are' else 'is'} {shown(value)}"
    yield candidate(each, content, claim or Claim(slot=Slot.ATTRIBUTE, topic=shown(subject), value=shown(value)))


def _is_told_of_own(words: Sequence[str], value: Sequence[ClauseToken]) -> bool:
    """ "My favorite food is rice", "my goal is to write"; not "my phone is on the table", "my plan is fine"."""
    first, last = value[0].low, words[-1]
    is_known = last in _ATTRIBUTES or (value[0].is_capital and value[0].text[1:].islower())
    if {"favorite", "favorites"}.isdisjoint(words) and not is_known:
        return False
    is_aim = first == "to" and last in listed("life.attributes")
    is_doing = first.endswith("ing") and last not in listed("life.done")
    is_where = first in {"on", "at"} and last not in {"birthday", "anniversary"}
    return not is_where and not is_doing and (first not in _NO_VALUE or is_aim)


def _of_theirs(each: Clause, predicate: Predicate, subject: Sequence[ClauseToken]) -> Iterator[Candidate]:
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


def of_other(each: Clause) -> Iterator[Candidate]:
    """ "Call me Sam", "everyone calls me Tobi"."""
    tokens = (*each.subject, *each.predicate)
    words = lows(tokens)
    at = words.index("me") if "me" in words[1:6] else 0
    if at and words[at - 1] in {"call", "calls"} and not {"not", "never", "nobody"}.intersection(words[:at]):
        found = name_in(tokens[at + 1 :])
        is_asked = any(callers.issuperset(words[: at - 1]) for callers in (_BESIDE_CALL, _CALLERS))
        if found and is_asked and tokens[at + 1].is_capital and len(tokens) <= at + 1 + len(found.split()) + 2:
            yield nicknamed(found, each)


# ── short answers ────────────────────────────────────────────────────────────────────────────────

_MOST_OF_TURN = 200
_MOST_OF_ANSWER = 6


def sentence_answered(message: str, before: Sequence[EarlierMessage]) -> str:
    """The sentence that the message completes: "I live in Ghent."; empty if it is no short answer."""
    if not before or before[-1].is_user or len(message) > _MOST_OF_TURN or "?" in message:
        return ""
    asked = before[-1].content[-_MOST_OF_TURN:].replace("’", "'")
    if asked.count("?") != 1 or "*" in asked or is_other_world(asked):
        return ""
    question = re.split(r"[.!\n:]", asked.partition("?")[0])[-1].strip()
    begun = _answer("lead").sub("", message.replace("’", "'").strip(), count=1)
    answer = _answer("ends").split(begun)[0].strip(" ,\"'")
    if not answer or len(answer.split()) > _MOST_OF_ANSWER or _answer("none").search(answer):
        return ""
    for asking, answering, says in questions():
        found, fits = asking.search(question), answering.fullmatch(answer)
        if found and fits:
            said = fits.groupdict().get("a") or answer
            return says.format(a=said, x=found.groupdict().get("x", "")).replace(" a a", " an a")
    return ""


def _answer(name: str) -> re.Pattern[str]:
    return pattern(__package__, f"answers.{name}")
