"""Decides which facts of a message are saved, which wait for review, and which are refused (F4, F5). Pure.

In: statements of the rules, then those of a model, with its trust. Out: an `Extracted`. No statement of a model becomes
active without a verbatim quote of the user, whatever the trust. Statements that the rules confirm are accepted at once;
others by the model's trust or its second answer, or they wait. `tidied` puts a model's statement into our form first.

Start at `FactGate`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from everlore.domain.reading import Filter, Refusal
from everlore.language.lists import listed
from everlore.learning.answers import line_in
from everlore.learning.candidate import AnswerTally, Candidate, Extracted, Source
from everlore.learning.claims import introduced
from everlore.learning.clauses import Mood
from everlore.learning.facts.checks import unsaid, unsupported
from everlore.learning.facts.claims import contradiction_in
from everlore.learning.facts.filters import called
from everlore.learning.facts.names import find_unsaid
from everlore.learning.facts.prompt import MOST_FACTS
from everlore.learning.facts.quotes import Evidence, find_evidence, stands_in
from everlore.learning.facts.trust import Trust
from everlore.learning.facts.words import words_of
from everlore.learning.phrasebooks.statements import parsed
from everlore.learning.saving.likeness import read, says_same

MOST_CHARS = 300
_MOST_REASON = 500

_AROUND = " \t\"'“”‘’«»`*_#-–—•·;,"
# No sentence end after an initial or an abbreviation: "J. R. Tolkien", "St. Petersburg", "Dr. Who".
_SENTENCE_END = re.compile(r"(?<![A-Z])[.!?]+\s+(?=[A-Z\"“])")
_SHORT_FORMS = tuple(listed("typing.short_forms"))
_USER = re.compile(
    r"^(?:the |this |our )?[\[{<(]{0,2}(?:user|human|speaker)[\]}>)]{0,2}(?P<own>(?:['’]s)?)(?:\s*:)?(?=\s)",
    re.IGNORECASE,
)

_ATTRIBUTE = re.compile(r"^User (?=(?:(?:full|first|last) )?(?:name|nickname|age|birthday|job|gender) (?:is|was) )")


def tidied(candidate: Candidate, user_name: str = "", theirs: Mapping[str, str] = MappingProxyType({})) -> Candidate:
    """The statement in our form. `user_name`: a name that a model may use for the user; `theirs`: relations of named
    people, so that "Bram is a butcher" becomes a statement about their brother Bram."""
    line = (line_in(candidate.content, 4 * MOST_CHARS) or "").strip(_AROUND)
    line = _named(_first_sentence(line), user_name)
    line = _USER.sub(lambda found: "User's" if found.group("own") else "User", line, count=1)
    content = _cut(_of_theirs(_ATTRIBUTE.sub("User's ", line), theirs))
    return replace(candidate, content=content, reasoning=line_in(candidate.reasoning, _MOST_REASON) or "")


def _first_sentence(line: str) -> str:
    ends = (match.start() for match in _SENTENCE_END.finditer(line))
    end = next((at for at in ends if not line[:at].endswith(_SHORT_FORMS)), len(line))
    return line[:end].rstrip(" .!…")


def _cut(line: str) -> str:
    if len(line) <= MOST_CHARS:
        return line
    return line[: MOST_CHARS + 1].rpartition(" ")[0][:MOST_CHARS] or line[:MOST_CHARS]


def _named(line: str, user_name: str) -> str:
    name = " ".join(user_name.split())
    if not name or not line.lower().startswith(name.lower()) or line[len(name) : len(name) + 1].isalnum():
        return line
    return f"User{line[len(name) :]}"


def _of_theirs(line: str, theirs: Mapping[str, str]) -> str:
    name = next((each for each in theirs if re.match(rf"{re.escape(each)}(?:['’]s)? (?!and\b)", line)), "")
    return f"User's {theirs[name]} {line}" if name else line


_MOST_SHOWN = 200
# Maximum number of doubted statements per message.
_MOST_DOUBTED = 5
# Upper limit for the confidence of a statement that only a model found.
_INFERRED = 0.85
_FIGURATIVE = "it may be a figure of speech, or true of one day only"
# "swims like a fish", "gets called late at night".
_FIGURE = re.compile(r"\b(?<!feels )like an? \w|^User (?:\w{3,9}ly )?gets \w{2,}ed\b")
_PREPOSITIONS = frozenset(
    "about as at behind by for from in like named near of on since to under until when while with".split()
)
_UNCONFIRMED = "the rules do not say so"
_UNPROVEN = "the words it is said to rest on are not in the message"
# Refusals for statements that no reader of the message would make.
_DAMNING = frozenset(
    "conversation_action assistant_fact prompt_leak demographic_guess unknown not_about_user bad_shape".split()
)


@dataclass(slots=True)
class FactGate:
    """`source`: only the user's own words; `message`: all that was sent. `questioned`: waits for the model's second
    answer; `doubted`: waits for a person, or for being said again."""

    source: Source
    message: str
    kept: list[Candidate] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    questioned: list[Candidate] = field(default_factory=list)
    doubted: list[Candidate] = field(default_factory=list)
    tally: Counter[str] = field(default_factory=Counter)

    def add_rule_facts(self, candidates: Iterable[Candidate]) -> None:
        """The rules do not guess, so their facts must not contain names or numbers that were not said."""
        for candidate in candidates:
            words = candidate.quote or find_evidence(candidate, self.source).words
            doubted = replace(candidate, quote=words, doubt=_FIGURATIVE)
            why = Refusal(candidate.content, Filter.UNGROUNDED, _FIGURATIVE)
            is_figure = _FIGURE.search(candidate.content) is not None
            found = self._put_off(doubted, why) if is_figure else self._new(candidate)
            self._keep(unsaid(candidate.content, self.source, words) or found)

    def add_model_facts(self, items: Sequence[Candidate | Refusal], trust: Trust) -> None:
        """If an answer of an untrusted model contains one impossible statement, its doubted ones are refused too,
        because a model that invents one line invents others."""
        doubted, refused = len(self.doubted), len(self.refused)
        self.tally["stated"] += len(items)
        people = self._people(items)
        for item in items:
            self._keep(item if isinstance(item, Refusal) else self._judged(item, trust, people))
        if trust is Trust.STRICT and any(each.filter in _DAMNING for each in self.refused[refused:]):
            self.refused += [Refusal(each.content, Filter.UNRELIABLE) for each in self.doubted[doubted:]]
            del self.doubted[doubted:]

    def settle(self, verdicts: Mapping[int, bool] | None) -> None:
        """Applies the model's verdicts on its own statements: yes, no, or none."""
        for place, each in enumerate(self.questioned):
            said = None if verdicts is None else verdicts.get(place)
            if said:
                self._keep(self._new(replace(each, doubt="", confidence=min(each.confidence, _INFERRED))))
            else:
                self.tally["taken_back"] += said is False
                why = Filter.UNGROUNDED if said is None else Filter.TAKEN_BACK
                self._keep(self._put_off(each, Refusal(each.content, why, each.doubt)))
        self.questioned.clear()

    def extracted(self, model: str) -> Extracted:
        # Drop refusals of statements that were accepted in another reading.
        stands = {each.content for each in (*self.kept, *self.doubted)}
        refused = tuple(self._without_names(each) for each in self.refused if each.content not in stands)
        return Extracted(tuple(self.kept), refused, model, tuple(self.doubted), AnswerTally(**self.tally))

    def _people(self, items: Sequence[Candidate | Refusal]) -> dict[str, str]:
        """Relations of named people to the user, known before or stated in the same answer."""
        stated = [each.content for each in (*self.kept, *items) if isinstance(each, Candidate)]
        known = {**self.source.people, **dict(filter(None, (introduced(parsed(each)) for each in stated)))}
        played = set(called(self.source.assistants))
        return {name: kin for name, kin in known.items() if name.lower() not in played}

    def _judged(self, candidate: Candidate, trust: Trust, people: Mapping[str, str]) -> Candidate | Refusal | None:
        """None if it is already accepted in other words, or will be asked about."""
        neat = tidied(candidate, _own_name(self.source), people)
        evidence = find_evidence(neat, self.source)
        self.tally["misquoted"] += bool(neat.quote) and not evidence.is_verbatim
        contradiction = contradiction_in(neat)
        if not contradiction and self._is_kept(neat):
            return None
        refusal = self._not_own(neat, evidence) or unsupported(neat, self.source, evidence)
        if refusal is not None:
            self.tally["unspoken"] += refusal.filter is Filter.UNGROUNDED
            return refusal
        is_stated = evidence.is_verbatim and evidence.mood is Mood.STATES and not contradiction
        if trust is Trust.PLAIN and is_stated:
            return self._new(replace(neat, confidence=min(neat.confidence, _INFERRED)))
        return self._doubted(neat, evidence, contradiction, trust)

    def _doubted(self, neat: Candidate, evidence: Evidence, contradiction: str, trust: Trust) -> Refusal | None:
        """Puts the statement to the model again, or to a person; refuses an unquoted one of an untrusted model."""
        unsure = find_unsaid(neat.content, self.source, evidence.words) if evidence.is_verbatim else None
        doubt = contradiction or (f"{unsure.text!r} may not have been said" if unsure else _UNCONFIRMED)
        doubted = replace(neat, quote=evidence.words, doubt=doubt if evidence.is_verbatim else _UNPROVEN)
        is_asked_again = trust is Trust.PLAIN or (trust is Trust.CAREFUL and not unsure)
        if evidence.is_verbatim and is_asked_again:
            self.questioned.append(doubted)
            return None
        why = Refusal(neat.content, Filter.UNGROUNDED, doubted.doubt)
        return self._put_off(doubted, why) if evidence.is_verbatim or trust is not Trust.STRICT else why

    def _not_own(self, neat: Candidate, evidence: Evidence) -> Refusal | None:
        """A refusal if the quote is in the message but not in the user's own words: pasted, or to be translated."""
        if evidence.is_verbatim or stands_in(self.source.content, neat.quote):
            return None
        if not stands_in(self.message, neat.quote):
            return None
        return Refusal(neat.content, Filter.NOT_STATED, f"“{neat.quote[:_MOST_SHOWN]}” was handed over, not said")

    def _put_off(self, doubted: Candidate, why: Refusal) -> Refusal | None:
        """Adds it to the doubted statements, once, if the quoted words state something."""
        if any(_says_no_more(doubted, each) for each in self.doubted):
            return None
        if len(self.doubted) >= _MOST_DOUBTED or find_evidence(doubted, self.source).mood is not Mood.STATES:
            return why
        self.doubted.append(doubted)
        return None

    def _keep(self, found: Candidate | Refusal | None) -> None:
        if isinstance(found, Refusal):
            self.refused.append(found)
        elif found is not None:
            self.kept.append(found)

    def _new(self, found: Candidate) -> Candidate | Refusal | None:
        """Of two wordings of one fact the longer one is kept."""
        if self._is_kept(found):
            return None
        shorter = [each for each in self.kept if _says_no_more(each, found)]
        if shorter:
            found = replace(found, confidence=max(each.confidence for each in (*shorter, found)))
            self.kept = [each for each in self.kept if each not in shorter]
        return found if len(self.kept) < MOST_FACTS else Refusal(found.content, Filter.OVER_THE_CAP)

    def _is_kept(self, found: Candidate) -> bool:
        """A fact found twice gets the higher confidence of the two."""
        for place, each in enumerate(self.kept):
            if _says_no_more(found, each):
                self.kept[place] = replace(each, confidence=max(each.confidence, found.confidence))
                return True
        return False

    def _without_names(self, refusal: Refusal) -> Refusal:
        """Withholds a name known from elsewhere that was not said here: it must disappear with its source (M15)."""
        said, shown = self.source.content.lower(), f"{refusal.content} {refusal.note}".lower()
        elsewhere = (name.lower() for name in self.source.people if name.lower() not in said)
        return replace(refusal, content="(withheld)", note="") if any(name in shown for name in elsewhere) else refusal


def _says_no_more(one: Candidate, other: Candidate) -> bool:
    is_beginning = _is_beginning(one.content, other.content)
    return is_beginning or says_same(read(one.content, one.claim), read(other.content, other.claim))


def _is_beginning(one: str, other: str) -> bool:
    """ "User keeps bees" and "User keeps bees behind the barn", but not "likes coffee" and "likes coffee cake"."""
    short, long = words_of(one), words_of(other)
    return long[: len(short)] == short and long[len(short) : len(short) + 1] != [] and long[len(short)] in _PREPOSITIONS


def _own_name(source: Source) -> str:
    """Empty if an assistant has the same name, because it is ambiguous then."""
    name = source.user_name.strip()
    return "" if name.lower() in {each.strip().lower() for each in source.assistants} else name
