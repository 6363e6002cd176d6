"""BEAM: long chats between a user and an assistant, with probing questions that name their source messages.

A folder with one numbered folder for each chat, which holds `chat.json` and `probing_questions.json`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from benchmarks.recall.cases import Case, Document, Query, Reading, Turn, checked, document_of

# What the makers of the set put behind a message, to find it again.
_MARK = re.compile(r"\s*->->\s*[\d,\sN/A]*$")


def read_beam(chats: Mapping[str, tuple[bytes, bytes]], name: str) -> Reading:
    """`chats`: by the name of its folder, what the two files of each chat hold."""
    dropped: Counter[str] = Counter()
    cases = [
        _case(
            id,
            document_of(chat, f"{name}/{id}/chat.json"),
            document_of(questions, f"{name}/{id}/probing_questions.json"),
            dropped,
        )
        for id, (chat, questions) in chats.items()
    ]
    return checked(Reading(tuple(cases), dropped), name)


def _case(id: str, chat: Document, questions: Document, dropped: Counter[str]) -> Case:
    turns = tuple(_turns(chat))
    known = {turn.id for turn in turns}
    return Case(f"beam-{id}", turns, tuple(_queries(id, questions, known, dropped)))


def _turns(chat: Document) -> Iterator[Turn]:
    date: str | None = None
    for batch in chat.items():
        session = f"B{batch['batch_number'].word}"
        for group in batch["turns"].items():
            for message in group.items():
                anchor = message.get("time_anchor")
                # A date holds until the next one.
                date = (_date(anchor.text) if anchor else None) or date
                text = _MARK.sub("", message["content"].text).strip()
                yield Turn(id=message["id"].word, text=text, speaker=message["role"].text, date=date, session=session)


def _date(text: str) -> str | None:
    """ "March-15-2024"."""
    try:
        return datetime.strptime(text, "%B-%d-%Y").strftime("%Y-%m-%dT00:00")  # noqa: DTZ007 - the set has no zones
    except ValueError:
        return None


def _queries(chat: str, questions: Document, known: set[str], dropped: Counter[str]) -> Iterator[Query]:
    for category in questions.keys:
        for number, question in enumerate(questions[category].items()):
            named = list(_flat(question.value.get("source_chat_ids") if isinstance(question.value, dict) else None))
            gold = frozenset(named) & known
            if missing := len(set(named) - known):
                dropped["gold turns that do not exist"] += missing
            if gold:
                text = question["question"].text
                yield Query(id=f"{chat}/{category}{number}", text=text, category=category, gold=gold)
            else:
                dropped["questions without gold"] += 1


def _flat(value: Any) -> Iterator[str]:
    """The ids stand alone, in lists, or in lists by what they are for."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _flat(each)
    elif isinstance(value, int | str) and str(value).strip().isdigit():
        yield str(int(value))
