"""What a statement claims, as its maker knew it and as a memory keeps it (M1, M7, M15)."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from everlore.domain.claim import CLAIM, Claim, Slot, claim_in, claim_json, with_claim
from everlore.domain.memory import Memory
from everlore.domain.revision import revise
from everlore.language.tense import Tense

_NOW = datetime(2026, 3, 5, 12, tzinfo=UTC)
_MOVED = Claim(
    subject="user's brother Bram",
    slot=Slot.HOME,
    topic="flat",
    value="Leith",
    polarity=False,
    time=Tense.PAST,
    since=datetime(2025, 2, 1, tzinfo=UTC),
    until=_NOW,
    is_change=True,
)


@pytest.mark.parametrize("claim", [Claim(), Claim(slot=Slot.AGE, value="34"), _MOVED])
def test_a_claim_comes_back_as_it_was_kept(claim: Claim) -> None:
    """M1."""
    assert claim_in(with_claim({}, claim)) == claim


def test_only_what_was_said_is_kept_and_never_the_quote() -> None:
    """M15: the words of a message are kept beside its id, so that they can go with it."""
    claim = Claim(slot=Slot.HOME, value="Leith", quote="i live in leith")

    assert claim_json(claim) == {"slot": "home", "value": "Leith"}
    assert claim_in(with_claim({}, claim)) == replace(claim, quote="")


@pytest.mark.parametrize(
    "found", [None, "home", [], {"slot": "castle"}, {"since": "soon"}, {"since": "2026-01-01"}, {"time": "never"}]
)
def test_what_somebody_else_wrote_there_is_no_claim(found: object) -> None:
    assert claim_in({CLAIM: found}) is None


def test_a_claim_goes_with_the_words_that_it_was_made_of() -> None:
    """M6."""
    memory = Memory(
        workspace="home",
        id="m1",
        content="User lives in Leith",
        created_at=_NOW,
        updated_at=_NOW,
        extra=with_claim({"note": 1}, Claim(slot=Slot.HOME, value="Leith")),
    )

    assert claim_in(revise(memory, _NOW, importance=7).extra) is not None
    assert revise(memory, _NOW, content="User lives in Bruges").extra == {"note": 1}
