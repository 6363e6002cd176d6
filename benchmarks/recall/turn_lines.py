"""The plainest format (`turns`): JSON Lines, one case a line, for sets of one's own.

    {"case": "1", "turns": [{"id": "a", "text": "…", "speaker": "Ada", "date": "2026-03-01T12:00", "session": "1"}],
     "queries": [{"id": "q", "text": "…", "gold": ["a"], "category": "single-hop"}]}

A turn needs an id and a text, a query a text and its gold; all else may be left out. "off_topic" may hold what is said
of which nothing there is to the point: [{"kind": "small talk", "text": "…"}].
"""

from collections import Counter
from datetime import datetime

from benchmarks.recall.cases import Case, Document, OffTopicQuestion, Query, Reading, Turn, checked, lines_of
from everlore.errors import BadAsk


def read_turns(data: bytes, name: str) -> Reading:
    dropped: Counter[str] = Counter()
    cases = tuple(_case(line, number, dropped) for number, line in enumerate(lines_of(data, name), 1))
    return checked(Reading(cases, dropped), name)


def _case(line: Document, number: int, dropped: Counter[str]) -> Case:
    turns = tuple(_turn(each) for each in line["turns"].items())
    known = {turn.id for turn in turns}
    found = [_query(each, at, known, dropped) for at, each in enumerate(line["queries"].items(), 1)]
    off_topic = line.get("off_topic")
    return Case(
        _word(line, "case") or str(number),
        turns,
        tuple(query for query in found if query is not None),
        tuple(OffTopicQuestion(each["kind"].text, each["text"].text) for each in off_topic.items())
        if off_topic
        else (),
    )


def _turn(turn: Document) -> Turn:
    date = turn.get("date")
    return Turn(
        id=turn["id"].word,
        text=turn["text"].text,
        speaker=_word(turn, "speaker"),
        date=_iso(date) if date else None,
        session=_word(turn, "session"),
    )


def _query(query: Document, number: int, known: set[str], dropped: Counter[str]) -> Query | None:
    wanted = [each.word for each in query["gold"].items()]
    gold = frozenset(wanted) & known
    if missing := len(set(wanted) - known):
        dropped["gold turns that do not exist"] += missing
    if not gold:
        dropped["questions without gold"] += 1
        return None
    scored = query.get("scored")
    return Query(
        id=_word(query, "id") or str(number),
        text=query["text"].text,
        category=_word(query, "category") or "all",
        gold=gold,
        scored=scored is None or scored.value is True,
    )


def _word(document: Document, name: str) -> str:
    found = document.get(name)
    return found.word if found else ""


def _iso(date: Document) -> str:
    try:
        datetime.fromisoformat(date.text)
    except ValueError:
        raise BadAsk(
            f"{date.where}: {date.text[:40]!r} is no date. Write it as 2026-03-01 or 2026-03-01T12:00."
        ) from None
    return date.text
