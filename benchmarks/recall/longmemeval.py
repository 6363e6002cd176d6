"""LongMemEval: each question brings its own haystack of sessions and names those that hold the answer.

So each question is a case. `answer_session_ids` are the gold sessions; turns marked `has_answer` are the gold turns.
A question without such turns is measured by session alone. Questions whose id ends in `_abs` ask for what never was.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from benchmarks.recall.cases import Case, Document, Query, Reading, Turn, checked, document_of
from everlore.errors import BadAsk

_DATE = re.compile(r"(\d{4})/(\d{2})/(\d{2})\D+(\d{2}):(\d{2})")
ABSTENTION = "_abs"


@dataclass(frozen=True, slots=True)
class _Haystack:
    turns: tuple[Turn, ...]
    with_answer: frozenset[str]


def read_longmemeval(data: bytes, name: str) -> Reading:
    dropped: Counter[str] = Counter()
    found = [_case(record, dropped) for record in document_of(data, name).items()]
    return checked(Reading(tuple(case for case in found if case is not None), dropped), name)


def _case(record: Document, dropped: Counter[str]) -> Case | None:
    id = record["question_id"].word
    haystack = _haystack(record)
    known = {turn.session for turn in haystack.turns}
    named = [each.word for each in record["answer_session_ids"].items()]
    sessions = frozenset(named) & known
    if missing := len(set(named) - known):
        dropped["gold sessions that do not exist"] += missing
    if not sessions:
        dropped["questions without gold"] += 1
        return None
    query = Query(
        id=id,
        text=record["question"].text,
        category=record["question_type"].word,
        gold=haystack.with_answer,
        gold_sessions=sessions,
        scored=not id.endswith(ABSTENTION),
    )
    return Case(id, haystack.turns, (query,))


def _haystack(record: Document) -> _Haystack:
    turns: list[Turn] = []
    with_answer: set[str] = set()
    for turn, has_answer in _turns(record):
        turns.append(turn)
        if has_answer:
            with_answer.add(turn.id)
    return _Haystack(tuple(turns), frozenset(with_answer))


def _turns(record: Document) -> Iterator[tuple[Turn, bool]]:
    sessions = list(record["haystack_sessions"].items())
    ids = [each.word for each in record["haystack_session_ids"].items()]
    dates = [_date(each.text) for each in record["haystack_dates"].items()] if record.get("haystack_dates") else []
    if len(ids) != len(sessions) or len(dates) not in (0, len(sessions)):
        raise BadAsk(f"{record.where}: there are {len(sessions)} sessions, {len(ids)} ids and {len(dates)} dates.")
    for at, (session, id) in enumerate(zip(sessions, ids, strict=True)):
        for number, said in enumerate(session.items()):
            marked = said.get("has_answer")
            turn = Turn(
                # With the place of the session: a haystack may hold the same one twice.
                id=f"{id}/{at}/{number}",
                text=said["content"].text,
                speaker=said["role"].text,
                date=dates[at] if dates else None,
                session=id,
            )
            yield turn, marked is not None and marked.value is True


def _date(text: str) -> str | None:
    """ "2023/05/20 (Sat) 02:21"."""
    found = _DATE.match(text)
    if found is None:
        return None
    try:
        return datetime(*map(int, found.groups())).strftime("%Y-%m-%dT%H:%M")  # type: ignore[arg-type]  # noqa: DTZ001 - five numbers
    except ValueError:
        return None
