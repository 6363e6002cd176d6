"""What one user message tells about the user (F1-F5, F8, O1): by rules at once, and by a model where there is one.

In: the message with what stood before it, who may be asked, and how far they are trusted (`trust.py`). Out: the facts
that stand, those that are doubted and wait, and those that were refused and why. Whatever a model says must rest on
words of the user, with names and numbers that were said (`quoting.py`, `spoken.py`). What the rules say too stands at
once; the rest stands by the model's trust, by its second answer, or waits. Where a message states nothing, no model is
asked (F3); where one answers rubbish, what the rules found stays.

Start at `facts_in`.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

import structlog

from everlore.domain.memory import Category
from everlore.domain.reading import Filter, Refusal
from everlore.errors import ModelMisbehaved, ModelUnavailable
from everlore.language.clauses import Mood, Whose
from everlore.language.foreign import is_foreign
from everlore.language.own_words import own_words
from everlore.models.chat import Ask
from everlore.reflect.answers import json_in, line_in, list_in, log_unusable, share_in
from everlore.reflect.candidate import Asker, Candidate, Extracted, Source, Tally
from everlore.reflect.facts.agreeing import contradiction_in
from everlore.reflect.facts.doubts import doubt_of
from everlore.reflect.facts.filters import called
from everlore.reflect.facts.meant import unmeant
from everlore.reflect.facts.prompt import MOST_FACTS, again_ask, fact_ask
from everlore.reflect.facts.quoting import Rest, holds, rest_of
from everlore.reflect.facts.support import unsaid, unsupported
from everlore.reflect.facts.trust import Trust
from everlore.reflect.facts.wording import tidied
from everlore.reflect.rules import facts_stated
from everlore.reflect.saving.frames import parsed
from everlore.reflect.saving.kin import introduced
from everlore.reflect.saving.likeness import are_opposed, read, says_same
from everlore.reflect.tongues import facts_told
from everlore.reflect.typed import clauses_of

log = structlog.get_logger(__name__)

# Who extracted, where no model did.
RULES = "rules"

# Nobody states a hundred things in a message; what is behind them is not even looked at.
_MOST_LOOKED_AT = 100
_MOST_CHARS = 1_200
_MOST_SHOWN = 200
# What our reading takes for no statement, and a better one may: "should I say that I keep hens?".
_MAY_TELL = frozenset({Mood.ASKS, Mood.SUPPOSES, Mood.REQUESTS, Mood.QUOTES})
# Of one message, so much is put before a person at most.
_MOST_DOUBTED = 5
# What only a model has read is never more certain than this.
_INFERRED = 0.85
_UNCONFIRMED = "the rules do not say so"
_UNPROVEN = "the words it is said to rest on are not in the message"

T = TypeVar("T")


async def facts_in(
    source: Source, asker: Asker | None, trust: Trust = Trust.CAREFUL, *, by_rules: bool = True
) -> Extracted:
    """`ModelUnavailable` where the model cannot be reached: the message is to be read again later. Without `by_rules`
    the model is on its own, and is asked about everything."""
    # In threads: a long message, or a hundred facts, must not hold up whoever waits for a reply in this process.
    own = replace(source, content=await asyncio.to_thread(own_words, source.content))
    sieve = await asyncio.to_thread(_ruled_sieve, own, source.content) if by_rules else _Sieve(own, source.content)
    if asker is None or (by_rules and not is_worth_reading(own.content)):
        return sieve.extracted(RULES)
    answered = await _asked(asker, fact_ask(source), read_facts)
    if answered is None:
        return sieve.extracted(RULES)
    await asyncio.to_thread(sieve.pour_model, answered, trust)
    if sieve.questioned:
        asked = [each.content for each in sieve.questioned]
        verdicts = await _asked(asker, again_ask(source, asked), partial(read_verdicts, most=len(asked)))
        await asyncio.to_thread(sieve.settle, verdicts)
    return sieve.extracted(asker.name)


async def _asked(asker: Asker, ask: Ask, parse: Callable[[str], T | None]) -> T | None:
    """None where the answer is of no use."""
    try:
        return await asker.ask(ask, parse)
    except ModelUnavailable:
        raise
    except ModelMisbehaved as error:
        log.warning("facts.model_misbehaved", model=asker.name, error=str(error))
        return None


def _ruled_sieve(source: Source, message: str) -> "_Sieve":
    sieve = _Sieve(source, message)
    sieve.pour_ruled(_ruled(source))
    sieve.pour_told(facts_told(source.content))
    return sieve


def is_worth_reading(message: str) -> bool:
    """Whether anything may be stated in it: greetings, questions and requests cost no model call (F3). Where somebody
    speaks of themselves, or in a language that we do not read, a model may see more than we do."""
    clauses = clauses_of(message)
    if any(clause.mood is Mood.STATES for clause in clauses):
        return True
    return is_foreign(message) or any(
        clause.whose is not Whose.OTHER and clause.mood in _MAY_TELL for clause in clauses
    )


def read_facts(answer: str) -> list[Candidate | Refusal] | None:
    """What a model answered, item by item; None where it is not the JSON that was asked for."""
    items = list_in(json_in(answer), "facts")
    if items is None:
        log_unusable(answer, what="facts")
        return None
    read = [_item(item) for item in items[:_MOST_LOOKED_AT]]
    return read + [Refusal(_shown(item), Filter.OVER_THE_CAP) for item in items[_MOST_LOOKED_AT:]]


def read_verdicts(answer: str, most: int) -> dict[int, bool] | None:
    """What a model says of its own statements, by their place; None where it is not the JSON that was asked for."""
    items = list_in(json_in(answer), "verdicts")
    if items is None:
        log_unusable(answer, what="verdicts")
        return None
    found: dict[int, bool] = {}
    for item in items[:_MOST_LOOKED_AT]:
        number, said = (item.get("number"), item.get("said")) if isinstance(item, dict) else (None, None)
        if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= most and isinstance(said, bool):
            # Said both ways, it is not said.
            found[number - 1] = said and found.get(number - 1, True)
    return found


def _item(item: object) -> Candidate | Refusal:
    """Evidence is a quote, or at least a reason."""
    fields = item if isinstance(item, dict) else {}
    content = line_in(fields.get("content"), _MOST_CHARS)
    category = _category(fields.get("category"))
    confidence = share_in(fields.get("confidence"))
    quote = line_in(fields.get("quote", "" if "reasoning" in fields else None), _MOST_CHARS)
    reasoning = line_in(fields.get("reasoning", quote), _MOST_CHARS)
    if not content or category is None or confidence is None or reasoning is None or quote is None:
        return Refusal(_shown(item), Filter.BAD_SHAPE)
    return Candidate(
        content=content,
        category=category,
        confidence=confidence,
        reasoning=reasoning,
        quote=quote,
        about=line_in(fields.get("about", ""), _MOST_SHOWN) or "",
        holds=line_in(fields.get("holds", ""), _MOST_SHOWN) or "",
    )


def _category(given: object) -> Category | None:
    return next((each for each in Category if each.value == given), None)


def _shown(item: object) -> str:
    """Its statement where it has one: what it is beyond that says little, and may be long."""
    content = item.get("content") if isinstance(item, dict) else item
    return line_in(content, _MOST_SHOWN) or type(item).__name__


def _ruled(source: Source) -> Sequence[Candidate]:
    return facts_stated(
        source.content,
        assistants=source.assistants,
        user_name=source.user_name,
        before=source.before,
        people=source.people,
    )


@dataclass(slots=True)
class _Sieve:
    """Keeps what passes, once, and in the words in which it came first: those of the rules. `source` holds only the
    user's own words, `message` all that was sent. `questioned` waits for a second answer of the model, `doubted` for a
    person, or for being said again. `theirs`: who has which name."""

    source: Source
    message: str
    kept: list[Candidate] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    questioned: list[Candidate] = field(default_factory=list)
    doubted: list[Candidate] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    theirs: dict[str, str] = field(default_factory=dict)

    def pour_ruled(self, candidates: Iterable[Candidate]) -> None:
        """The rules took the message apart themselves, and guess nothing: what they find must pass the filters, hold
        no name or number that was not said, and be meant."""
        for candidate in candidates:
            neat = tidied(candidate, _own_name(self.source))
            words = rest_of(neat, self.source).words
            self._keep(unsaid(neat, self.source) or self._not_meant(neat, words) or self._unless_doubted(neat, words))

    def pour_told(self, candidates: Iterable[Candidate]) -> None:
        """In the language of the message, whichever it is: the phrase that was heard is quoted."""
        for candidate in candidates:
            neat = tidied(candidate, _own_name(self.source))
            self._keep(unsaid(neat, self.source) or self._not_meant(neat, neat.quote) or self._new(neat))

    def _not_meant(self, neat: Candidate, words: str) -> Refusal | None:
        why = unmeant(words, self.source)
        return Refusal(neat.content, why, "it is not meant as it stands") if why else None

    def _unless_doubted(self, neat: Candidate, words: str) -> Candidate | Refusal | None:
        doubt = doubt_of(neat, is_foreign=is_foreign(self.source.content))
        if not doubt:
            return self._new(neat)
        return self._put_off(replace(neat, quote=words, doubt=doubt), Refusal(neat.content, Filter.UNGROUNDED, doubt))

    def _keep(self, found: Candidate | Refusal | None) -> None:
        if isinstance(found, Refusal):
            self.refused.append(found)
        elif found is not None:
            self.kept.append(found)

    # ── what a model says ──

    def pour_model(self, items: Sequence[Candidate | Refusal], trust: Trust) -> None:
        """As far as it is trusted. Of a stranger's answer that holds what nobody writes who read the message, nothing
        is put before a person either: who makes things up in one line does so in the next."""
        doubted, refused = len(self.doubted), len(self.refused)
        self.tally = Tally(stated=len(items))
        stated = [each.content for each in (*self.kept, *items) if isinstance(each, Candidate)]
        known = {**self.source.people, **dict(filter(None, (introduced(parsed(each)) for each in stated)))}
        played = set(called(self.source.assistants))
        self.theirs = {name: kin for name, kin in known.items() if name.lower() not in played}
        for item in items:
            self._keep(item if isinstance(item, Refusal) else self._weighed(item, trust))
        if trust is Trust.STRICT and any(each.filter in _DAMNING for each in self.refused[refused:]):
            self.refused += [Refusal(each.content, Filter.UNRELIABLE) for each in self.doubted[doubted:]]
            del self.doubted[doubted:]

    def _weighed(self, candidate: Candidate, trust: Trust) -> Candidate | Refusal | None:
        """None where it is kept already, in other words, or is to be asked about."""
        neat = tidied(candidate, _own_name(self.source), self.theirs)
        rest = rest_of(neat, self.source)
        self._count(misquoted=bool(neat.quote) and not rest.is_verbatim)
        parted = contradiction_in(neat) or self._opposed(neat)
        if not parted and self._is_kept(neat):
            return None
        refusal = self._not_theirs(neat, rest) or unsupported(neat, self.source, rest)
        if refusal is not None:
            self._count(unspoken=refusal.filter is Filter.UNGROUNDED)
            return refusal
        if trust is Trust.PLAIN and not parted and rest.is_evidence:
            return self._new(replace(neat, confidence=min(neat.confidence, _INFERRED)))
        doubted = replace(neat, quote=rest.words, doubt=parted or _UNCONFIRMED)
        if trust is not Trust.STRICT and rest.is_evidence:
            self.questioned.append(doubted)
            return None
        if trust is not Trust.STRICT:
            # Whatever the model says when it is asked again, the user did not say it in these words.
            unproven = replace(doubted, doubt=_UNPROVEN)
            return self._put_off(unproven, Refusal(neat.content, Filter.UNGROUNDED, _UNPROVEN))
        # Of a model that is not believed, only what it can show is worth a person's time.
        why = Refusal(neat.content, Filter.UNGROUNDED, doubted.doubt)
        return self._put_off(doubted, why) if rest.is_verbatim else why

    def _not_theirs(self, neat: Candidate, rest: Rest) -> Refusal | None:
        """What it quotes stands in the message, and is none of the user's own words: pasted, or to be translated."""
        if rest.is_verbatim or holds(self.source.content, neat.quote) or not holds(self.message, neat.quote):
            return None
        return Refusal(neat.content, Filter.NOT_STATED, f"“{neat.quote[:_MOST_SHOWN]}” was handed over, not said")

    def _opposed(self, neat: Candidate) -> str:
        """Where the rules read the opposite in the same message, one of the two has misread it."""
        said = read(neat.content)
        is_opposed = any(are_opposed(said, read(each.content)) for each in self.kept if each.rule)
        return "the rules read the opposite" if is_opposed else ""

    def settle(self, verdicts: Mapping[int, bool] | None) -> None:
        """What the model says of its own statements when it is asked again: yes, no, or nothing."""
        for place, each in enumerate(self.questioned):
            said = None if verdicts is None else verdicts.get(place)
            if said is None:
                self._keep(self._put_off(each, Refusal(each.content, Filter.UNGROUNDED, each.doubt)))
            elif said:
                self._keep(self._new(replace(each, doubt="", confidence=min(each.confidence, _INFERRED))))
            else:
                self._count(taken_back=True)
                self._keep(self._put_off(each, Refusal(each.content, Filter.TAKEN_BACK, each.doubt)))
        self.questioned.clear()

    def _put_off(self, doubted: Candidate, why: Refusal) -> Refusal | None:
        """Kept for a person to see, where the words that it rests on are stated."""
        if len(self.doubted) >= _MOST_DOUBTED or rest_of(doubted, self.source).mood is not Mood.STATES:
            return why
        self.doubted.append(doubted)
        return None

    # ── what all of them must pass ──

    def _new(self, found: Candidate) -> Candidate | Refusal | None:
        if self._is_kept(found):
            return None
        if len(self.kept) >= MOST_FACTS:
            return Refusal(found.content, Filter.OVER_THE_CAP)
        return found

    def _is_kept(self, found: Candidate) -> bool:
        """What two agree on is as certain as the surer of them says."""
        for place, each in enumerate(self.kept):
            if says_same(read(found.content), read(each.content)):
                self.kept[place] = replace(each, confidence=max(each.confidence, found.confidence))
                return True
        return False

    def _count(self, *, unspoken: bool = False, misquoted: bool = False, taken_back: bool = False) -> None:
        so_far = self.tally
        self.tally = replace(
            so_far,
            unspoken=so_far.unspoken + unspoken,
            misquoted=so_far.misquoted + misquoted,
            taken_back=so_far.taken_back + taken_back,
        )

    def _told(self, refusal: Refusal) -> Refusal:
        """A name that is known from elsewhere, and was not said here, goes with whatever said it (M15)."""
        said, told = self.source.content.lower(), f"{refusal.content} {refusal.note}".lower()
        elsewhere = (name.lower() for name in self.source.people if name.lower() not in said)
        return replace(refusal, content="(withheld)", note="") if any(name in told for name in elsewhere) else refusal

    def extracted(self, model: str) -> Extracted:
        for why, times in Counter(refusal.filter for refusal in self.refused).items():
            # Without the words: what a message says stays out of the log.
            log.info("facts.refused", filter=why.value, times=times, model=model)
        # What one did not get through with, another may have.
        stands = {each.content for each in (*self.kept, *self.doubted)}
        refused = tuple(self._told(each) for each in self.refused if each.content not in stands)
        return Extracted(tuple(self.kept), refused, model, tuple(self.doubted), self.tally)


# Nobody who read the message writes such a thing down.
_DAMNING = frozenset(
    {
        Filter.CONVERSATION_ACTION,
        Filter.ASSISTANT_FACT,
        Filter.PROMPT_LEAK,
        Filter.DEMOGRAPHIC_GUESS,
        Filter.UNKNOWN,
        Filter.NOT_ABOUT_USER,
        Filter.BAD_SHAPE,
    }
)


def _own_name(source: Source) -> str:
    """Not where an assistant has the same name: who is meant by it could not be told."""
    name = source.user_name.strip()
    return "" if name.lower() in {each.strip().lower() for each in source.assistants} else name
