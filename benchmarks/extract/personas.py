"""A public shape of labelled utterances: triplets of which only the tail, the value, is compared.

JSON Lines of `{"triplets": [{"tokens": […], "head": […], "tail": […], "label": "…"}]}`, where head and tail are places
among the tokens. Their labels were made by a crowd and are noisy: tails are cut short, and much that is stated is not
labelled. So a tail counts as found when some prediction holds its words, and no precision is claimed.

Start at `score_personas`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.extract.by_rule import brought
from benchmarks.extract.cases import Case, Spoken, json_lines
from benchmarks.extract.matching import ungrounded
from benchmarks.extract.scoring import Extract
from everlore.domain.words import query_terms
from everlore.errors import BadAsk
from everlore.learning.candidate import Candidate

_NO_SPACE_BEFORE = frozenset(". , ! ? ; : ) ' n't 's 'm 're 've 'll 'd".split())
_MOST_MISSED = 200
CAVEAT = "The labels of this set are noisy: read the recall beside other extractors', not as it stands."


@dataclass(frozen=True, slots=True)
class Tail:
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Utterance:
    id: str
    text: str
    tails: tuple[Tail, ...]

    @property
    def case(self) -> Case:
        return Case(id=self.id, messages=(Spoken("user", self.text),), assistant="")


@dataclass(frozen=True, slots=True)
class Heard:
    utterance: Utterance
    predictions: tuple[Candidate, ...]

    @property
    def missed(self) -> list[Tail]:
        said = [each.content for each in self.predictions]
        return [tail for tail in self.utterance.tails if not any(holds(each, tail.text) for each in said)]

    @property
    def matched(self) -> list[tuple[Candidate, bool]]:
        """Each prediction, and whether it holds a tail."""
        tails = self.utterance.tails
        return [(each, any(holds(each.content, tail.text) for tail in tails)) for each in self.predictions]


@dataclass(frozen=True, slots=True)
class PersonaReport:
    heard: tuple[Heard, ...]

    @property
    def tails(self) -> int:
        return sum(len(each.utterance.tails) for each in self.heard)

    @property
    def predictions(self) -> int:
        return sum(len(each.predictions) for each in self.heard)

    @property
    def found(self) -> int:
        return self.tails - sum(len(each.missed) for each in self.heard)

    def document(self) -> dict[str, Any]:
        utterances = len(self.heard)
        strange = sum(
            bool(ungrounded(one.content, [each.utterance.text])) for each in self.heard for one in each.predictions
        )
        matched = [one for each in self.heard for one in each.matched]
        missed = [
            {"id": each.utterance.id, "label": tail.label, "tail": tail.text, "message": each.utterance.text}
            for each in self.heard
            for tail in each.missed
        ]
        return {
            "n": utterances,
            "tails": self.tails,
            "recall": _ratio(self.found, self.tails),
            "predictions": self.predictions,
            "predictions_per_utterance": _ratio(self.predictions, utterances),
            "predictions_with_a_tail": _ratio(sum(has_tail for _, has_tail in matched), self.predictions),
            "ungrounded": _ratio(strange, self.predictions),
            "caveat": CAVEAT,
            "by_label": self.by_label(),
            "by_rule": brought(matched),
            "missed": missed[:_MOST_MISSED],
        }

    def by_label(self) -> dict[str, Any]:
        counts: dict[str, list[int]] = {}
        for each in self.heard:
            missed = each.missed
            for tail in each.utterance.tails:
                count = counts.setdefault(tail.label, [0, 0])
                count[0] += 1
                count[1] += tail not in missed
        common = sorted(counts.items(), key=lambda item: (-item[1][0], item[0]))
        return {label: {"n": n, "recall": _ratio(found, n)} for label, (n, found) in common}


async def score_personas(
    utterances: Sequence[Utterance], extract: Extract, *, told: Callable[[], None] = lambda: None
) -> PersonaReport:
    heard = []
    for utterance in utterances:
        found = await extract(utterance.case)
        heard.append(Heard(utterance, found.candidates))
        told()
    return PersonaReport(tuple(heard))


def holds(prediction: str, tail: str) -> bool:
    """Whether all words of the tail that tell anything are in the prediction."""
    return set(query_terms(tail)) <= set(query_terms(prediction, most=100))


def read_utterances(data: bytes, *, name: str) -> list[Utterance]:
    """One for each different text, with the tails of all its triplets."""
    tails: dict[str, list[Tail]] = {}
    for number, document in json_lines(data, name=name):
        for text, tail in _triplets(document, number, name):
            tails.setdefault(text, []).append(tail)
    if not tails:
        raise BadAsk(f"{name!r} holds no triplet. Choose --format labelled for cases of ours.")
    numbered = enumerate(tails.items(), 1)
    return [Utterance(f"u{number}", text, tuple(dict.fromkeys(found))) for number, (text, found) in numbered]


def _triplets(document: Mapping[str, Any], number: int, name: str) -> list[tuple[str, Tail]]:
    try:
        return [_triplet(each) for each in document["triplets"]]
    except (KeyError, TypeError, IndexError, AttributeError):
        raise BadAsk(
            f"Line {number} of {name!r} is no line of triplets with tokens, tail and label. "
            "Choose --format labelled for cases of ours."
        ) from None


def _triplet(triplet: Mapping[str, Any]) -> tuple[str, Tail]:
    tokens = [token.strip() for token in triplet["tokens"]]
    tail = " ".join(tokens[place] for place in triplet["tail"])
    return _written(tokens), Tail(str(triplet["label"]), tail)


def _written(tokens: Sequence[str]) -> str:
    """The tokens as somebody would have typed them."""
    text = ""
    for token in tokens:
        text += token if not text or token in _NO_SPACE_BEFORE else f" {token}"
    return text


def _ratio(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
