"""What is made of talks, written down when the village has lived: memories that were learnt of lines, analyses, what
they did with each other, and what was read and refused. Nobody recalls the papers; whoever may look into a talk may
look at them. And some memories become others'.

Later edits of a line would follow what was learnt of it (M15), which is tested elsewhere: nothing is done after this.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from everlore.domain.analysis import Analysis
from everlore.domain.conversation import Summary
from everlore.domain.event import Event, EventType
from everlore.domain.interaction import Interaction, InteractionType
from everlore.domain.memory import Origin
from everlore.domain.reading import Extractor, Filter, Reading
from everlore.store.port import Put
from tests.leaks.ledger import Fact, Line, Scrap, State, Talk
from tests.leaks.village import Village
from tests.turn.world import HERE

_LEARNT = 60
_PASSED_OVER = 40


async def written(village: Village) -> None:
    for _ in range(_LEARNT):
        await _learnt(village)
    shared = [each for each in village.ledger.facts.values() if each.id not in village.ledger.told]
    for fact in village.dice.sample(shared, min(len(shared), _PASSED_OVER)):
        await _passes_over(village, fact)
    for talk in list(village.ledger.talks.values()):
        for make in (_analysis, _interaction, _reading):
            await _paper(village, talk, make)
        if not talk.private:
            await _scraps(village, talk)
    await village.mind.works()


async def _learnt(village: Village) -> None:
    """Of one line or two, and not always about those who were there."""
    ledger, dice = village.ledger, village.dice
    lines = list(ledger.lines.values())
    of_humans = [each for each in lines if ledger.talks[each.talk].user in ledger.humans]
    line = dice.choice(of_humans if of_humans and dice.random() < 0.7 else lines)
    near = [each.id for each in ledger.lines.values() if each.talk == line.talk and each.id != line.id]
    sources = (line.id, *dice.sample(near, min(len(near), 1)))
    persons = frozenset(dice.sample(ledger.persons, dice.choice([1, 2, 2, 3])))
    if dice.random() < 0.5:
        persons |= {ledger.talks[line.talk].user}
    handle, state = village.handle(), State(village.mind.clock(), village.two_words(), persons, talk=line.talk)
    kept = await village.mind.lore.remember(
        village.said_of(handle, state),
        persons=tuple(sorted(persons)),
        conversation_id=line.talk,
        source_message_ids=sources,
        origin=Origin.EXTRACTOR,
    )
    ledger.facts[kept.id] = Fact(kept.id, handle, [state])
    ledger.sources[kept.id] = sources


async def _passes_over(village: Village, fact: Fact) -> None:
    """From those whose memory it was to others: what it said before is not theirs, and what it says from then on is
    not for those who had it, though it stood in prompts of theirs."""
    ledger = village.ledger
    others = frozenset(village.dice.sample(sorted(set(ledger.persons) - fact.now.persons), 2))
    words, later = village.two_words(), village.two_words()
    changes: list[dict[str, Any]] = [{"words": words}, {"persons": others}, {"words": later}]
    for change in changes:
        village.mind.clock.pass_time(60)
        state = replace(fact.now, since=village.mind.clock(), **change)
        content = village.said_of(fact.handle, state)
        await village.mind.lore.edit(fact.id, content=content, persons=tuple(sorted(state.persons)))
        fact.states.append(state)
    ledger.moments.append(village.mind.clock())


async def _paper(village: Village, talk: Talk, make: Callable[..., Any]) -> None:
    words = village.two_words()
    lines = [each for each in village.ledger.lines.values() if each.talk == talk.id]
    at = village.mind.clock()
    paper = Scrap(f"{make.__name__} {talk.id}", words, talk.everybody, at, talk.id)
    known = {"workspace": HERE, "id": paper.id, "conversation_id": talk.id, "created_at": at}
    made = make(known, talk, lines, " and ".join(sorted(words)))
    if made is not None:
        await village.mind.store.apply(village.mind.scope, [Put(made)])
        village.ledger.papers[paper.id] = paper


async def _scraps(village: Village, talk: Talk) -> None:
    """These are recalled, by those who took part."""
    at, persons = village.mind.clock(), tuple(sorted(talk.present))
    for kind in ("event", "summary"):
        words = village.two_words()
        scrap = Scrap(f"{kind} {talk.id}", words, talk.present, at, talk.id, is_summary=kind == "summary")
        content = f"They came upon {' and '.join(sorted(words))}."
        known: dict[str, Any] = {"workspace": HERE, "id": scrap.id, "conversation_id": talk.id, "created_at": at}
        if kind == "event":
            some, others = persons[:1], persons[1:]
            of_event: dict[str, Any] = {"type": EventType.OBSERVATION, "at": at}
            made: Any = Event(**known, **of_event, content=content, actors=some, participants=others)
        else:
            made = Summary(**known, content=content, first_seq=1, last_seq=2, persons=persons)
        await village.mind.store.apply(village.mind.scope, [Put(made)])
        village.ledger.scraps[scrap.id] = scrap


def _analysis(known: dict[str, Any], talk: Talk, _lines: list[Line], text: str) -> Analysis:
    return Analysis(**known, summary=f"All of it was about {text}.", participants=(talk.user, *talk.cast))


def _interaction(known: dict[str, Any], talk: Talk, _lines: list[Line], text: str) -> Interaction:
    return Interaction(
        **known,
        type=InteractionType.HELP,
        description=f"One helped the other with {text}.",
        actor_id=talk.user,
        interactor_id=talk.cast[0],
        started_at=known["created_at"],
    )


def _reading(known: dict[str, Any], _talk: Talk, lines: list[Line], text: str) -> Reading | None:
    if not lines:
        return None
    item = {"content": f"User may like {text}.", "filter": Filter.NOT_STATED.value, "note": ""}
    refused: dict[str, Any] = {"items": [item], "counts": {Filter.NOT_STATED.value: 1}}
    return Reading(
        **known, message_id=lines[0].id, extractor=Extractor.FACTS, model="rules", has_refused=True, refused=refused
    )
