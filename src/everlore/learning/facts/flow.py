"""Finds the facts about the user in one message (F1-F5, F8, O1): by rules at once, and by a model if there is one.

In: the message with the turns before it, the model, and its trust (`trust.py`). Out: facts to save, doubted facts that
wait, and refused ones with reasons. `gate.py` decides between them. If a message states nothing, no model is asked
(F3); if a model's answer is unusable, the facts of the rules stay.

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
from everlore.learning.facts.gate import FactGate
from everlore.learning.facts.prompt import again_ask, fact_ask, read_facts, read_verdicts
from everlore.learning.facts.trust import Trust
from everlore.learning.phrasebooks.english import facts_stated
from everlore.learning.phrasebooks.foreign import facts_told

# The extractor's name if no model was used.
RULES = "rules"

# Moods that our parser may assign wrongly: "should I say that I keep hens?".
_MAY_TELL = frozenset({Mood.ASKS, Mood.SUPPOSES, Mood.REQUESTS, Mood.QUOTES})


async def facts_in(
    source: Source, asker: Asker | None, trust: Trust = Trust.CAREFUL, *, by_rules: bool = True
) -> Extracted:
    """Raises `ModelUnavailable` if the model cannot be reached: the message must be read again later. Without
    `by_rules` only the model reads, and its second question covers all its statements."""
    # In threads, so that a long message or a hundred facts do not delay replies in this process.
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
    """Whether it may state a fact: greetings, questions and requests cost no model call (F3). In other languages, and
    for first-person text, a model may see more than our parser does."""
    clauses = clauses_of(message)
    if any(clause.mood is Mood.STATES for clause in clauses):
        return True
    return is_foreign(message) or any(
        clause.whose is not Whose.OTHER and clause.mood in _MAY_TELL for clause in clauses
    )
