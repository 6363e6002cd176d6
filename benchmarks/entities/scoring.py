"""What the finding of names is worth on labelled sets.

A sighting is right where it is the labelled entity by one of its names; a second one for the same entity is wrong. By
mention, each message of each entity counts. A misspelling in a talk is matched where its messages are given to its
entity; one of a pair where it is surely taken for the other name. Two names are merged where one is taken, surely, for
the other, whichever was known first.

Start at `measure`.
"""

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from rapidfuzz.distance import OSA

from benchmarks.entities.mistyping import mistyped
from benchmarks.entities.sets import Labelled, Pair, Sets, Talk
from everlore.campaign.entities.forms import form_of
from everlore.campaign.entities.likeness import LEAST_MISSPELT
from everlore.campaign.entities.matching import Directory, KnownEntity, is_sure, match
from everlore.campaign.entities.names import Sighting, sightings

_MISSPELT = "misspelling"
_Words = tuple[str, ...]


@dataclass
class Counts:
    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)

    def document(self) -> dict[str, Any]:
        return {
            "precision": round(self.precision, 4),
            "recall": round(self.recall, 4),
            "right": self.right,
            "wrong": self.wrong,
            "missed": self.missed,
        }


@dataclass
class Share:
    part: int = 0
    whole: int = 0

    def add(self, is_part: bool) -> None:
        self.part += is_part
        self.whole += 1

    def document(self) -> dict[str, Any]:
        return {"share": round(self.part / self.whole, 4) if self.whole else None, "part": self.part, "of": self.whole}


@dataclass
class Report:
    entities: Counts = field(default_factory=Counts)
    mentions: Counts = field(default_factory=Counts)
    kinds: Share = field(default_factory=Share)
    not_entities: Share = field(default_factory=Share)
    misspellings: Share = field(default_factory=Share)
    same: Share = field(default_factory=Share)
    merged: Share = field(default_factory=Share)
    merged_in_talks: Share = field(default_factory=Share)
    mistyped: Share = field(default_factory=Share)
    mistyped_suggested: Share = field(default_factory=Share)
    wrong: list[dict[str, str]] = field(default_factory=list)
    missed: list[dict[str, str]] = field(default_factory=list)

    def note(self, is_missed: bool, what: str, where: str, text: str) -> None:
        (self.missed if is_missed else self.wrong).append({"what": what, "where": where, "text": text})

    def document(self) -> dict[str, Any]:
        return {
            "entities": self.entities.document(),
            "mentions": self.mentions.document(),
            "kinds_right": self.kinds.document(),
            "words_taken_for_names": self.not_entities.document(),
            "misspellings_matched": self.misspellings.document(),
            "same_names_matched": self.same.document(),
            "distinct_names_merged": self.merged.document(),
            "distinct_names_merged_in_talks": self.merged_in_talks.document(),
            "mistyped_matched": self.mistyped.document(),
            "mistyped_suggested": self.mistyped_suggested.document(),
            "wrong": self.wrong,
            "missed": self.missed,
        }


def measure(sets: Sets) -> dict[str, Any]:
    report = Report()
    for talk in sets.talks:
        _score_talk(talk, report)
    for pair in sets.pairs:
        _score_pair(pair, report)
    counts = {"talks": len(sets.talks), "pairs": len(sets.pairs)}
    return {**counts, "messages": sum(len(talk.messages) for talk in sets.talks), **report.document()}


# ── talks ────────────────────────────────────────────────────────────────────────────────────────


def _score_talk(talk: Talk, report: Report) -> None:
    found = sightings(talk.messages, talk.known)
    labels = _assigned(found, talk.entities)
    for sighting, label in zip(found, labels, strict=True):
        _score_sighting(sighting, label, talk, report)
    for label in talk.entities:
        if not any(label is each for each in labels):
            report.entities.missed += 1
            report.mentions.missed += len(label.messages)
            report.note(True, "entity", talk.id, label.name)
    taken = {words for each in found for words in _forms((each.name, *each.aliases))}
    for word in talk.not_entities:
        report.not_entities.add(_words(word) in taken)
    by_label = {label.name: each for each, label in zip(found, labels, strict=True) if label is not None}
    _score_misspellings(talk, by_label, report)
    _score_merging(talk, report)
    _score_mistyping(talk, report)


def _assigned(found: Sequence[Sighting], labels: Sequence[Labelled]) -> list[Labelled | None]:
    """Each label once, to the sighting that shares most of its names."""
    forms = [_forms(label.forms) for label in labels]
    likeness = sorted(
        (
            (-(_words(sighting.name) in theirs), -len(mine & theirs), at, number)
            for at, sighting in enumerate(found)
            for mine in [_forms((sighting.name, *sighting.aliases))]
            for number, theirs in enumerate(forms)
            if mine & theirs
        )
    )
    assigned: list[Labelled | None] = [None] * len(found)
    used: set[int] = set()
    for _, _, at, number in likeness:
        if assigned[at] is None and number not in used:
            assigned[at] = labels[number]
            used.add(number)
    return assigned


def _score_sighting(sighting: Sighting, label: Labelled | None, talk: Talk, report: Report) -> None:
    named = set(sighting.messages)
    if label is None:
        report.entities.wrong += 1
        report.mentions.wrong += len(named)
        report.note(False, "entity", talk.id, sighting.name)
        return
    report.entities.right += 1
    report.kinds.add(sighting.kind is label.kind)
    report.mentions.right += len(named & label.messages)
    report.mentions.wrong += len(named - label.messages)
    report.mentions.missed += len(label.messages - named)


def _score_misspellings(talk: Talk, found: Mapping[str, Sighting], report: Report) -> None:
    """Of names that have five letters or more, with one letter wrong: whether the messages that have them are there."""
    for label in talk.entities:
        for misspelling in label.misspellings:
            if not _is_one_slip(misspelling, (label.name, *label.aliases)):
                continue
            wanted = re.compile(rf"(?<!\w){re.escape(misspelling)}(?!\w)", re.IGNORECASE)
            places = {each.id for each in talk.messages if wanted.search(each.text)}
            sighting = found.get(label.name)
            is_matched = sighting is not None and places <= set(sighting.messages)
            report.misspellings.add(is_matched)
            if not is_matched:
                report.note(True, "misspelling", talk.id, f"{misspelling} for {label.name}")


def _score_merging(talk: Talk, report: Report) -> None:
    for one, other in combinations(talk.entities, 2):
        is_merged = _is_merged(one.name, other.name)
        report.merged_in_talks.add(is_merged)
        if is_merged:
            report.note(False, "merged", talk.id, f"{one.name} and {other.name}")


def _score_mistyping(talk: Talk, report: Report) -> None:
    """Names of the talk, each mistyped in every way, among all that the talk names; always the same ones."""
    chance = random.Random(talk.id)
    directory = Directory(
        KnownEntity(str(at), each.name, each.aliases, each.kind) for at, each in enumerate(talk.entities)
    )
    for at, label in enumerate(talk.entities):
        for name in mistyped(label.name, chance):
            found = match(name, directory)
            is_right = found is not None and found.id == str(at)
            report.mistyped.add(is_right and is_sure(found))
            report.mistyped_suggested.add(is_right)


def _is_one_slip(misspelling: str, names: Iterable[str]) -> bool:
    wrong = _words(misspelling)
    for name in names:
        for word in _words(name):
            if len(word) >= LEAST_MISSPELT and any(OSA.distance(word, each) == 1 for each in wrong):
                return True
    return False


# ── pairs ────────────────────────────────────────────────────────────────────────────────────────


def _score_pair(pair: Pair, report: Report) -> None:
    is_merged = _is_merged(pair.a, pair.b)
    if not pair.is_same:
        report.merged.add(is_merged)
    elif pair.why == _MISSPELT:
        report.misspellings.add(is_merged)
    else:
        report.same.add(is_merged)
    if is_merged != pair.is_same:
        report.note(pair.is_same, "pair", pair.why, f"{pair.a} / {pair.b}")


def _is_merged(a: str, b: str) -> bool:
    return any(is_sure(match(seen, Directory((KnownEntity("known", known),)))) for seen, known in ((a, b), (b, a)))


def _forms(names: Iterable[str]) -> set[_Words]:
    return {words for name in names if (words := _words(name))}


def _words(name: str) -> _Words:
    return form_of(name.strip("@[]")).words
