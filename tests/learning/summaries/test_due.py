"""What is summed up next, and that nothing is left out or told twice, whatever happens to a talk (C7)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.domain.conversation import Conversation, Message, MessageState, Summary
from everlore.domain.covering import cover, covered_to
from everlore.learning.summaries.due import (
    ROW,
    Stretch,
    SummaryLimits,
    covering,
    holes,
    is_past,
    persons_of,
    row_due,
    stretch_due,
    stretch_in,
    summary_id,
)
from tests.soak import IS_LONG, look

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
LIMITS = SummaryLimits(20, 8_000)
SEARCH = settings(deadline=None, derandomize=not IS_LONG, database=None, max_examples=look(60, 500))
TALK = Conversation(
    workspace="here", id="talk", system_ids=("mira", "rex"), user_id="user", created_at=NOON, updated_at=NOON
)


def message(seq: int, *, tokens: int = 20, present: tuple[str, ...] = (), **fields: object) -> Message:
    made = Message(
        workspace="here",
        id=f"m{seq}",
        conversation_id="talk",
        seq=seq,
        content=f"Line {seq}.",
        tokens=tokens,
        present=present,
        created_at=NOON,
        updated_at=NOON,
    )
    return replace(made, **fields)  # type: ignore[arg-type]


def summary(first: int, last: int, level: int = 0, persons: tuple[str, ...] = ("mira", "user")) -> Summary:
    return Summary(
        workspace="here",
        id=summary_id("talk", level, first, last),
        conversation_id="talk",
        level=level,
        first_seq=first,
        last_seq=last,
        content=f"{first} to {last}",
        persons=persons,
        created_at=NOON + timedelta(seconds=last),
    )


def lines(first: int, last: int, **fields: object) -> list[Message]:
    return [message(seq, **fields) for seq in range(first, last + 1)]  # type: ignore[arg-type]


def due(messages: Sequence[Message], after: int = 0, limits: SummaryLimits = LIMITS) -> tuple[int, int] | None:
    stretch = stretch_due(TALK, after, messages, limits)
    return (stretch.first, stretch.last) if stretch else None


# ── when, and how much ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("count", "tokens", "expected"),
    [
        (20, 20, None),
        (21, 20, (1, 10)),
        (22, 20, (1, 11)),
        (8, 1_000, None),
        (9, 1_000, (1, 4)),
        (2, 5_000, (1, 1)),
        (1, 9_000, None),
        (0, 0, None),
    ],
)
def test_the_older_half_is_due_past_twenty_messages_or_eight_thousand_tokens(
    count: int, tokens: int, expected: tuple[int, int] | None
) -> None:
    """C7."""
    assert due(lines(1, count, tokens=tokens)) == expected


def test_one_summary_takes_twenty_messages_or_four_thousand_tokens_at_most() -> None:
    """C7: of a talk that was never summed up, the beginning."""
    assert due(lines(1, 100)) == (1, 20)
    assert due(lines(1, 100, tokens=900)) == (1, 4)
    assert due(lines(1, 9, tokens=90_000)) == (1, 1)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (SummaryLimits(0, 0), None),
        (SummaryLimits(0, 8_000), None),
        (SummaryLimits(6, 0), (1, 6)),
        (SummaryLimits(0, 300), (1, 7)),
    ],
)
def test_either_limit_can_be_switched_off(limits: SummaryLimits, expected: tuple[int, int] | None) -> None:
    """V6."""
    assert due(lines(1, 18), limits=limits) == expected


def test_without_a_count_a_message_weighs_what_its_length_says() -> None:
    """C7: imported messages have no count of their tokens."""
    long = [replace(message(seq), content="word " * 4_000, tokens=None) for seq in (1, 2)]

    assert due(long) == (1, 1)


def test_a_reply_that_is_being_written_is_not_summed_up() -> None:
    """V2."""
    talk = lines(1, 22)
    talk[8] = replace(talk[8], state=MessageState.STREAMING)

    assert due(talk) is None


def test_a_summary_begins_where_the_last_one_ended_also_if_the_next_messages_are_gone() -> None:
    """C7: no gap is left where messages were deleted."""
    assert due(lines(14, 40), after=10) == (11, 26)


# ── who was there ────────────────────────────────────────────────────────────────────────────────


def stretch_of(messages: Sequence[Message]) -> Stretch:
    found = stretch_due(TALK, 0, messages, LIMITS)
    assert found is not None
    return found


def test_a_summary_is_for_those_who_were_there_for_all_of_it() -> None:
    """R11, V13: who came late learns nothing of what was said before."""
    alone = ("user", "mira")
    late = stretch_of([*lines(1, 3, present=alone), *lines(4, 30, present=(*alone, "rex"))])

    assert late.persons == ("mira", "user")


def test_a_stretch_ends_where_somebody_comes_or_goes() -> None:
    """V13: so that those who came have a summary of what they were there for."""
    first = stretch_of([*lines(1, 6, present=("user", "mira")), *lines(7, 40)])
    second = stretch_due(TALK, first.last, lines(7, 40), LIMITS)

    assert (first.last, first.persons) == (6, ("mira", "user"))
    assert second is not None
    assert second.persons == ("mira", "rex", "user")


def test_no_summary_is_for_nobody() -> None:
    """R11: where two stretches share nobody, they are two; strangers keep theirs."""
    apart = [*lines(1, 2, present=("mira",)), *lines(3, 30, present=("rex",))]
    strangers = lines(1, 30, present=("ghost",))

    assert (stretch_of(apart).last, stretch_of(apart).persons) == (2, ("mira",))
    assert stretch_of(strangers).persons == ("ghost",)


# ── summaries of summaries ───────────────────────────────────────────────────────────────────────


def row(count: int, level: int = 0, first: int = 1, size: int = 10) -> list[Summary]:
    return [summary(first + size * n, first + size * n + size - 1, level) for n in range(count)]


def test_more_than_eight_in_a_row_become_one() -> None:
    """C7: the oldest eight."""
    assert row_due(row(ROW)) == ()
    assert row_due(row(ROW + 1)) == tuple(row(ROW))


def test_those_that_a_higher_one_covers_are_in_no_row() -> None:
    """C7."""
    assert row_due([*row(12), summary(1, 80, 1)]) == ()
    assert row_due([*row(17), summary(1, 80, 1)]) == tuple(row(8, first=81))


def test_what_is_left_of_one_that_was_withdrawn_becomes_one_again() -> None:
    """C7: between two higher ones no long row is left behind."""
    higher = [summary(81, 160, 1)]

    assert row_due([*row(16), *higher]) == tuple(row(8))
    assert row_due([*row(1, size=80), *row(8, first=81), *higher]) == ()


def test_low_rows_come_before_high_ones() -> None:
    """C7: a higher one is made of all that it covers."""
    tops = row(9, level=1, size=80)

    assert row_due([*tops, *row(9, first=721)]) == tuple(row(8, first=721))
    assert row_due(tops) == tuple(tops[:8])


def test_a_summary_of_summaries_is_for_those_who_were_there_for_all_of_them() -> None:
    """R11."""
    late = [replace(each, persons=("mira", "rex", "user")) for each in row(6, first=31)]
    mixed = [*row(3), *late]

    assert persons_of(row_due(mixed)) == ("mira", "user")


def test_summaries_that_nobody_was_there_for_together_stay_apart() -> None:
    """R11."""
    mine = [replace(each, persons=("mira",)) for each in row(1)]
    yours = [replace(each, persons=("rex",)) for each in row(9, first=11)]

    assert row_due([*mine, *yours]) == tuple(yours[:8])


# ── whatever happens ─────────────────────────────────────────────────────────────────────────────


@dataclass
class Story:
    """A talk to which anything happens; what is due is summed up until nothing is."""

    messages: dict[int, Message] = field(default_factory=dict)
    summaries: dict[str, Summary] = field(default_factory=dict)
    count: int = 0
    up_to: int = 0

    def says(self, tokens: int, present: tuple[str, ...]) -> None:
        self.count += 1
        self.messages[self.count] = message(self.count, tokens=tokens, present=present)

    def loses(self, seq: int, *, is_gone: bool) -> None:
        gone = covering(self.summaries.values(), seq, seq)
        self.up_to = max(self.up_to, covered_to([each for each in gone if not each.level]))
        for each in gone:
            del self.summaries[each.id]
        if is_gone:
            del self.messages[seq]

    def sums_up(self) -> None:
        for _ in range(1_000):
            if not self._one():
                return
        raise AssertionError("There is no end to it.")

    def _one(self) -> bool:
        kept = list(self.summaries.values())
        stretch = self._hole(kept) or stretch_due(TALK, covered_to(kept), self._from(covered_to(kept) + 1), LIMITS)
        if stretch is not None:
            self._keep(replace(summary(stretch.first, stretch.last), persons=stretch.persons))
            return True
        parts = row_due(kept)
        if parts:
            made = summary(parts[0].first_seq, parts[-1].last_seq, parts[0].level + 1)
            self._keep(replace(made, persons=persons_of(parts)))
        return bool(parts)

    def _hole(self, kept: list[Summary]) -> Stretch | None:
        end = covered_to(kept)
        for first, last in holes(kept, max(self.up_to, end)):
            inside = [each for each in self._from(first) if each.seq <= last]
            if inside:
                return stretch_in(TALK, (first, last if last < end else inside[-1].seq), inside, LIMITS)
        return None

    def _from(self, first: int) -> list[Message]:
        return [self.messages[seq] for seq in sorted(self.messages) if seq >= first]

    def _keep(self, made: Summary) -> None:
        assert made.id not in self.summaries, "it was there already"
        assert made.persons
        self.summaries[made.id] = made

    def check(self) -> None:
        kept = list(self.summaries.values())
        end = covered_to(kept)
        tops = cover(kept, 1, end)
        told = [seq for each in tops for seq in range(each.first_seq, each.last_seq + 1)]
        assert len(told) == len(set(told)), "told twice"
        assert {seq for seq in self.messages if seq <= end} <= set(told), "left out"
        left = [each for seq, each in self.messages.items() if seq > end]
        assert not is_past(len(left), sum(each.tokens or 0 for each in left), LIMITS)
        for each in kept:
            for seq in range(each.first_seq, each.last_seq + 1):
                if seq in self.messages and self.messages[seq].present:
                    assert set(each.persons) <= set(self.messages[seq].present), "told to somebody who was away"


_THERE = st.sampled_from([(), ("user", "mira"), ("user", "mira", "rex"), ("user", "rex"), ("mira",), ("rex",)])
_STEP = st.one_of(
    st.tuples(st.just("say"), st.integers(1, 60), st.sampled_from([5, 50, 900, 9_000]), _THERE),
    st.tuples(st.sampled_from(["lose", "edit"]), st.integers(0, 10**6)),
    st.tuples(st.just("lose many"), st.integers(0, 10**6), st.integers(1, 30)),
    st.tuples(st.just("rest")),
)


@SEARCH
@given(st.lists(_STEP, max_size=30))
def test_every_message_is_told_once_and_to_nobody_who_was_away(steps: list[tuple[object, ...]]) -> None:
    """C7, R11: for any history, the highest summaries cover the old part without gap or overlap."""
    story = Story()
    for step in steps:
        match step:
            case ("say", int(count), int(tokens), present):
                for _ in range(count):
                    story.says(tokens, present)  # type: ignore[arg-type]
            case ("lose" | "edit" as what, int(place)) if story.messages:
                seqs = sorted(story.messages)
                story.loses(seqs[place % len(seqs)], is_gone=what == "lose")
            case ("lose many", int(place), int(count)) if story.messages:
                seqs = sorted(story.messages)
                for seq in seqs[place % len(seqs) :][:count]:
                    story.loses(seq, is_gone=True)
            case ("rest",):
                story.sums_up()
                story.check()
    story.sums_up()
    story.check()


def test_a_very_long_talk_has_few_summaries_at_the_top() -> None:
    """C7: five thousand messages enter a prompt as some dozens of sentences."""
    story = Story()
    for _ in range(500):
        for _ in range(10):
            story.says(20, ())
        story.sums_up()

    kept = list(story.summaries.values())
    story.check()
    assert len(cover(kept, 1, covered_to(kept))) <= 3 * ROW
    assert max(each.level for each in kept) == 2
