"""What one user message tells about the user (F1-F5, F8, O1): by rules at once, and by a model where there is one.

In: the message with what stood before it, and who may be asked. Out: the facts that stand, and those that were refused
and why. Rules and model pass the same filters; what a model says must rest on a clause besides (`grounding.py`), and an
answer that is mostly refused is not believed at all. Where a message states nothing, no model is asked (F3); where one
answers rubbish, what the rules found stays.

Start at `facts_in`.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import structlog

from everlore.domain.memory import Category
from everlore.domain.reading import Filter, Refusal
from everlore.errors import ModelMisbehaved, ModelUnavailable
from everlore.reflect.answers import json_in, line_in, list_in, log_unusable, share_in
from everlore.reflect.candidate import Asker, Candidate, Extracted, Source
from everlore.reflect.clauses import Mood, clauses_of
from everlore.reflect.facts.claims import is_same_statement
from everlore.reflect.facts.evidence import Evidence, evidence_of
from everlore.reflect.facts.filters import refusal_of, ruled_refusal_of
from everlore.reflect.facts.grounding import settled, unheard
from everlore.reflect.facts.prompt import MOST_FACTS, fact_ask
from everlore.reflect.facts.wording import tidied
from everlore.reflect.rules import facts_stated

log = structlog.get_logger(__name__)

# Nobody states a hundred things in a message; what is behind them is not even looked at.
_MOST_LOOKED_AT = 100
_MOST_CHARS = 1_200
_MOST_SHOWN = 200


async def facts_in(source: Source, asker: Asker | None) -> Extracted:
    """`ModelUnavailable` where the model cannot be reached: the message is to be read again later."""
    # In threads: a long message, or a hundred facts, must not hold up whoever waits for a reply in this process.
    sieve = await asyncio.to_thread(_ruled_sieve, source)
    if asker is None or not sieve.evidence.grounds:
        return sieve.extracted("rules")
    try:
        answered = await asker.ask(fact_ask(source), read_facts)
    except ModelUnavailable:
        raise
    except ModelMisbehaved as error:
        log.warning("facts.model_misbehaved", model=asker.name, error=str(error))
        return sieve.extracted("rules")
    await asyncio.to_thread(sieve.pour_doubted, answered)
    return sieve.extracted(asker.name)


def _ruled_sieve(source: Source) -> "_Sieve":
    sieve = _Sieve(source, evidence_of(source))
    sieve.pour_ruled(_ruled(source))
    return sieve


def is_worth_reading(message: str) -> bool:
    """Whether anything is stated in it: greetings, questions and requests cost no model call (F3)."""
    return any(clause.mood is Mood.STATES for clause in clauses_of(message))


def read_facts(answer: str) -> list[Candidate | Refusal] | None:
    """What a model answered, item by item; None where it is not the JSON that was asked for."""
    items = list_in(json_in(answer), "facts")
    if items is None:
        log_unusable(answer, what="facts")
        return None
    read = [_item(item) for item in items[:_MOST_LOOKED_AT]]
    return read + [Refusal(_shown(item), Filter.OVER_THE_CAP) for item in items[_MOST_LOOKED_AT:]]


def _item(item: object) -> Candidate | Refusal:
    fields = item if isinstance(item, dict) else {}
    content = line_in(fields.get("content"), _MOST_CHARS)
    category = _category(fields.get("category"))
    confidence = share_in(fields.get("confidence"))
    reasoning = line_in(fields.get("reasoning"), _MOST_CHARS)
    if not content or category is None or confidence is None or reasoning is None:
        return Refusal(_shown(item), Filter.BAD_SHAPE)
    return Candidate(content=content, category=category, confidence=confidence, reasoning=reasoning)


def _category(given: object) -> Category | None:
    return next((each for each in Category if each.value == given), None)


def _shown(item: object) -> str:
    """Its statement where it has one: what it is beyond that says little, and may be long."""
    content = item.get("content") if isinstance(item, dict) else item
    return line_in(content, _MOST_SHOWN) or type(item).__name__


def _ruled(source: Source) -> Sequence[Candidate]:
    return facts_stated(source.content, assistants=source.assistants, user_name=source.user_name, before=source.before)


@dataclass(slots=True)
class _Sieve:
    """Keeps what passes, once, and in the words in which it came first: those of the rules."""

    source: Source
    evidence: Evidence
    kept: list[Candidate] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    # Places of what was kept already, and was said again.
    _agreed: set[int] = field(default_factory=set)

    def pour_ruled(self, candidates: Iterable[Candidate]) -> None:
        """The rules took the message apart themselves, and guess nothing: what they find must pass the filters, hold
        no name or number that was not said, and not be somebody else's. Where something is only quoted or not meant,
        they are asked like anybody."""
        if self.evidence.repeats or self.evidence.jests:
            return self.pour(candidates)
        for candidate in candidates:
            neat = tidied(candidate, _own_name(self.source))
            refusal = ruled_refusal_of(neat, self.source) or unheard(neat, self.source) or self._others(neat)
            self._keep(refusal or self._new(neat))
        return None

    def _others(self, candidate: Candidate) -> Refusal | None:
        found = settled(candidate, self.evidence)
        return found if isinstance(found, Refusal) and found.filter is Filter.WRONG_PERSON else None

    def pour(self, items: Iterable[Candidate | Refusal]) -> None:
        for item in items:
            self._keep(item if isinstance(item, Refusal) else self._sieved(item))

    def _keep(self, found: Candidate | Refusal | None) -> None:
        if isinstance(found, Refusal):
            self.refused.append(found)
        elif found is not None:
            self.kept.append(found)

    def pour_doubted(self, items: Sequence[Candidate | Refusal]) -> None:
        """A model's answer that is mostly refused is not believed in the rest either: who makes things up in one
        line does so in the next. What it has in common with the rules stays."""
        known, refused = len(self.kept), len(self.refused)
        self._agreed.clear()
        self.pour(items)
        stood = len(self.kept) - known + len(self._agreed)
        if is_unreliable(self.refused[refused:], stood):
            self.refused += [Refusal(each.content, Filter.UNRELIABLE) for each in self.kept[known:]]
            del self.kept[known:]

    def _sieved(self, candidate: Candidate) -> Candidate | Refusal | None:
        """None where it is kept already, in other words."""
        neat = tidied(candidate, _own_name(self.source))
        refusal = refusal_of(neat, self.source)
        if refusal is not None:
            return refusal
        found = settled(neat, self.evidence)
        return found if isinstance(found, Refusal) else self._new(found)

    def _new(self, found: Candidate) -> Candidate | Refusal | None:
        if self._is_kept(found):
            return None
        if len(self.kept) >= MOST_FACTS:
            return Refusal(found.content, Filter.OVER_THE_CAP)
        return found

    def _is_kept(self, found: Candidate) -> bool:
        """What two agree on is as certain as the surer of them says."""
        for place, each in enumerate(self.kept):
            if is_same_statement(found.content, each.content):
                self.kept[place] = replace(each, confidence=max(each.confidence, found.confidence))
                self._agreed.add(place)
                return True
        return False

    def extracted(self, model: str) -> Extracted:
        for why, times in Counter(refusal.filter for refusal in self.refused).items():
            # Without the words: what a message says stays out of the log.
            log.info("facts.refused", filter=why.value, times=times, model=model)
        return Extracted(tuple(self.kept), tuple(self.refused), model)


def is_unreliable(refused: Sequence[Refusal], stood: int) -> bool:
    """Whether so much of an answer fell that the rest is not worth believing. Each thing counts once, however often
    it was said. What was doubted by the model itself, or only came too late, does not speak against it; what our own
    eyes may have missed does so by a third."""
    fell = {(each.content.lower(), each.filter) for each in refused if each.filter not in _BLAMELESS}
    damning = sum(why in _DAMNING for _, why in fell)
    return 3 * damning + len(fell) - damning > 3 * stood


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
_BLAMELESS = frozenset({Filter.LOW_CONFIDENCE, Filter.OVER_THE_CAP})


def _own_name(source: Source) -> str:
    """Not where an assistant has the same name: who is meant by it could not be told."""
    name = source.user_name.strip()
    return "" if name.lower() in {each.strip().lower() for each in source.assistants} else name
