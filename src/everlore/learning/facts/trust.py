"""How far a model's statements are trusted (F5), by measurement. Pure.

A model is probed with messages whose facts are known (`model_records.py`), and errors in its later statements are
counted. The result is one of three levels: *plain* (evidence is enough), *careful* (statements that our own reading
cannot confirm are put to the model again) or *strict* (only statements that our own reading confirms). Until it is
probed: careful.

Start at `trust_of`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter

from everlore.learning.candidate import AnswerTally


class Trust(StrEnum):
    PLAIN = "plain"
    CAREFUL = "careful"
    STRICT = "strict"


MEANINGS: dict[Trust, str] = {
    Trust.PLAIN: "what it says with its evidence is kept",
    Trust.CAREFUL: "what the reading of rules cannot confirm is put to it once more",
    Trust.STRICT: "only what the reading of rules confirms is kept",
}


@dataclass(frozen=True, slots=True)
class Probed:
    """Results of a probe: `messages` asked about, `unusable` answers, `wanted` facts and those `found`; the number
    `stated`, and how many of them were `wrong`."""

    messages: int = 0
    unusable: int = 0
    wanted: int = 0
    found: int = 0
    stated: int = 0
    wrong: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The record of one model at one address. `prompt`: version of the prompts it was probed with. `since`: errors in
    later statements; `withdrawn`: how many a person rejected or corrected."""

    model: str
    address: str = ""
    prompt: str = ""
    probed: Probed | None = None
    since: AnswerTally = field(default_factory=AnswerTally)
    withdrawn: int = 0


# Minimum shares in a probe: of right statements for careful (all for plain), of found facts for plain, of usable
# answers.
_LEAST_RIGHT = 0.75
_LEAST_FOUND = 0.6
_LEAST_USABLE = 0.8
# Later statements count from this number on; plain and careful allow up to these shares of errors.
_LEAST_STATED = 40
_MOST_AMISS_PLAIN = 0.06
_MOST_AMISS_CAREFUL = 0.3


def trust_of(record: Record | None, fixed: Trust | None = None) -> Trust:
    if fixed is not None:
        return fixed
    if record is None or record.probed is None:
        return Trust.CAREFUL
    return max(_by_probe(record.probed), _by_conduct(record), key=_ORDER.index)


_ORDER = (Trust.PLAIN, Trust.CAREFUL, Trust.STRICT)


def _by_probe(probed: Probed) -> Trust:
    usable = 1 - probed.unusable / probed.messages if probed.messages else 0.0
    right = 1 - probed.wrong / probed.stated if probed.stated else 1.0
    if usable < _LEAST_USABLE or right < _LEAST_RIGHT:
        return Trust.STRICT
    found = probed.found / probed.wanted if probed.wanted else 0.0
    return Trust.PLAIN if probed.wrong == 0 and found >= _LEAST_FOUND else Trust.CAREFUL


def _by_conduct(record: Record) -> Trust:
    stated = record.since.stated
    if stated < _LEAST_STATED:
        return Trust.PLAIN
    amiss = (record.since.unspoken + record.since.misquoted / 2 + record.withdrawn) / stated
    if amiss > _MOST_AMISS_CAREFUL:
        return Trust.STRICT
    return Trust.PLAIN if amiss <= _MOST_AMISS_PLAIN else Trust.CAREFUL


def with_tally(record: Record, tally: AnswerTally) -> Record:
    """The record including one more answer."""
    sums = {each.name: getattr(record.since, each.name) + getattr(tally, each.name) for each in fields(AnswerTally)}
    return replace(record, since=AnswerTally(**sums))


_RECORDS = TypeAdapter(Record)


def record_json(record: Record) -> dict[str, Any]:
    return asdict(record)


def record_of(kept: Mapping[str, Any]) -> Record:
    """Reads what `record_json` wrote; fields missing in older versions are 0."""
    return _RECORDS.validate_python({"model": "", "since": {}} | {name: kept[name] for name in kept if kept[name]})
