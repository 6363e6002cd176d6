"""What one user message tells about the user (F1-F5, F8, O1): by rules at once, and by a model where there is one.

In: the message with what stood before it, who may be asked, and how far they are trusted (`trust.py`). Out: the facts
that stand, those that are doubted and wait, and those that were refused and why. What is kept of the facts of both
`gate.py` decides. Where a message states nothing, no model is asked (F3); where one answers rubbish, what the rules
found stays.

Start at `facts_in`.
"""

import asyncio
from dataclasses import replace
from functools import partial

from everlore.language.glossary import is_foreign
from everlore.language.own_words import own_words
from everlore.learning.asking import asked
from everlore.learning.candidate import Asker, Extracted, Source
from everlore.learning.clauses import Mood, Whose, clauses_of
from everlore.learning.facts.answers import read_facts, read_verdicts
from everlore.learning.facts.gate import FactGate
from everlore.learning.facts.prompt import again_ask, fact_ask
from everlore.learning.facts.trust import Trust
from everlore.learning.phrasebooks.english import facts_stated
from everlore.learning.phrasebooks.foreign import facts_told

# Who extracted, where no model did.
RULES = "rules"

# What our reading takes for no statement, and a better one may: "should I say that I keep hens?".
_MAY_TELL = frozenset({Mood.ASKS, Mood.SUPPOSES, Mood.REQUESTS, Mood.QUOTES})


async def facts_in(
    source: Source, asker: Asker | None, trust: Trust = Trust.CAREFUL, *, by_rules: bool = True
) -> Extracted:
    """`ModelUnavailable` where the model cannot be reached: the message is to be read again later. Without `by_rules`
    the model is on its own, and is asked about everything."""
    # In threads: a long message, or a hundred facts, must not delay replies in this process.
    own = replace(source, content=await asyncio.to_thread(own_words, source.content))
    gate = FactGate(own, source.content)
    if by_rules:
        await asyncio.to_thread(_add_rule_facts, gate, own)
    if asker is None or (by_rules and not await asyncio.to_thread(is_worth_reading, own.content)):
        return gate.extracted(RULES)
    answered = await asked(asker, fact_ask(source), read_facts, what="facts")
    if answered is None:
        return gate.extracted(RULES)
    await asyncio.to_thread(gate.add_model_facts, answered, trust)
    if gate.questioned:
        statements = [each.content for each in gate.questioned]
        read = partial(read_verdicts, most=len(statements))
        verdicts = await asked(asker, again_ask(source, statements), read, what="verdicts")
        await asyncio.to_thread(gate.settle, verdicts)
    return gate.extracted(asker.name)


def _add_rule_facts(gate: FactGate, source: Source) -> None:
    stated = facts_stated(
        source.content,
        assistants=source.assistants,
        user_name=source.user_name,
        before=source.before,
        people=source.people,
    )
    gate.add_rule_facts([*stated, *facts_told(source.content)])


def is_worth_reading(message: str) -> bool:
    """Whether anything may be stated in it: greetings, questions and requests cost no model call (F3). Where somebody
    speaks of themselves, or in a language that we do not read, a model may see more than we do."""
    clauses = clauses_of(message)
    if any(clause.mood is Mood.STATES for clause in clauses):
        return True
    return is_foreign(message) or any(
        clause.whose is not Whose.OTHER and clause.mood in _MAY_TELL for clause in clauses
    )
