"""LoCoMo: two persons talk over many sessions; each question names the turns that hold its evidence.

Captions of shared photos are part of what was said, as in the retrieval runs of the paper. Evidence is written in
several ways ("D8:6; D9:17", "D:11:26", "D30:05"), which are all read; ids of turns that do not exist are dropped, and
so are questions that have no evidence left. Adversarial questions ask for what never was: they are shown apart.

`read_observations` takes what the set notes of each session, single statements with the turns that they come from: the
memories of a good note-taker.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from benchmarks.recall.cases import Case, Document, Query, Reading, Turn, checked, document_of
from everlore.errors import BadAsk

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
ADVERSARIAL = "adversarial"
_SESSION = re.compile(r"session_(\d+)")
_OBSERVATION = re.compile(r"session_(\d+)_observation")
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


def read_locomo(data: bytes, name: str) -> Reading:
    dropped: Counter[str] = Counter()
    cases = tuple(_case(record, dropped) for record in document_of(data, name).items())
    return checked(Reading(cases, dropped), name)


def _case(record: Document, dropped: Counter[str]) -> Case:
    id = record["sample_id"].word
    turns = tuple(_turns(record["conversation"]))
    known = {turn.id for turn in turns}
    found = [_query(qa, f"{id}/q{number}", known, dropped) for number, qa in enumerate(record["qa"].items())]
    return Case(id, turns, tuple(query for query in found if query is not None))


def read_observations(data: bytes, name: str) -> Reading:
    """A question is asked where each turn of its evidence was noted; whatever was noted of these turns answers it."""
    dropped: Counter[str] = Counter()
    cases = tuple(_observed(record, dropped) for record in document_of(data, name).items())
    return checked(Reading(cases, dropped), name)


def _observed(record: Document, dropped: Counter[str]) -> Case:
    whole = _case(record, dropped)
    dates = {turn.session: turn.date for turn in whole.turns}
    notes: list[Turn] = []
    noted: dict[str, set[str]] = {}
    for session, speaker, note in _notes(record["observation"]):
        text, *sources = note.items()
        kept = Turn(
            id=f"{session}/{len(notes)}", text=text.text, speaker=speaker, date=dates.get(session), session=session
        )
        notes.append(kept)
        for source in _ids_in(sources):
            noted.setdefault(source, set()).add(kept.id)
    asked = [query for query in whole.queries if query.gold <= noted.keys()]
    dropped["questions of which not all was noted"] += len(whole.queries) - len(asked)
    queries = [replace(query, gold=frozenset(id for turn in query.gold for id in noted[turn])) for query in asked]
    return Case(whole.id, tuple(notes), tuple(queries))


def _notes(observation: Document) -> Iterator[tuple[str, str, Document]]:
    """The session, of whom it is, and the note with its turns."""
    numbers = sorted(int(found[1]) for key in observation.keys if (found := _OBSERVATION.fullmatch(key)))
    for number in numbers:
        session = observation[f"session_{number}_observation"]
        for speaker in session.keys:
            for note in session[speaker].items():
                if not note.value:
                    raise BadAsk(f"{note.where}: the note is empty. Correct the file.")
                yield f"S{number}", speaker, note


def _turns(talk: Document) -> Iterator[Turn]:
    for number in sorted(int(found[1]) for key in talk.keys if (found := _SESSION.fullmatch(key))):
        date = talk.get(f"session_{number}_date_time")
        for turn in talk[f"session_{number}"].items():
            yield Turn(
                id=turn["dia_id"].word,
                text=_said(turn),
                speaker=turn["speaker"].text,
                date=_date(date.text) if date else None,
                session=f"S{number}",
            )


def _said(turn: Document) -> str:
    text, caption = turn.get("text"), turn.get("blip_caption")
    said = text.text if text else ""
    return (f"{said} [shares {caption.text}]" if caption and caption.text else said).strip()


def _date(text: str) -> str | None:
    """ "1:56 pm on 8 May, 2023"."""
    try:
        return datetime.strptime(text.strip(), "%I:%M %p on %d %B, %Y").strftime("%Y-%m-%dT%H:%M")  # noqa: DTZ007 - the set has no zones
    except ValueError:
        return None


def _query(qa: Document, id: str, known: set[str], dropped: Counter[str]) -> Query | None:
    evidence = qa.get("evidence")
    named = list(_ids_in(evidence.items() if evidence else ()))
    gold = frozenset(named) & known
    if missing := len(set(named) - known):
        dropped["gold turns that do not exist"] += missing
    if not gold:
        dropped["questions without gold"] += 1
        return None
    category = _category(qa["category"])
    return Query(id=id, text=qa["question"].text, category=category, gold=gold, scored=category != ADVERSARIAL)


def _ids_in(evidence: Iterable[Document]) -> Iterator[str]:
    """Of turns, written one by one or as lists."""
    for each in evidence:
        for session, turn in _EVIDENCE.findall(str(each.value)):
            yield f"D{int(session)}:{int(turn)}"


def _category(given: Document) -> str:
    if given.value not in CATEGORIES:
        raise BadAsk(f"{given.where}: {given.value!r} is no category of LoCoMo. They are the numbers 1 to 5.")
    return CATEGORIES[given.value]
