"""From turn to turn the beginning of a prompt stays, byte for byte, so that providers need not read it again (P13);
and what was decided long ago stays in it (P10)."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from everlore.compose.builtins import find_built_in
from everlore.compose.context import Note
from everlore.compose.inherit import ResolvedTemplate, resolve
from everlore.compose.prompt import Prompt
from everlore.domain.conversation import Message
from everlore.domain.recalled import LastSession
from everlore.models.chat import Said
from tests.compose.stage import (
    REAL_TOKENS,
    TOKENS,
    answered,
    composed,
    in_block,
    recalled,
    said,
    scene,
    system_of,
    template,
    text_of,
)
from tests.contract.builders import memory, summary

TURNS = 60
DECISION = "I promise to marry you in May."


def _built_in(id: str) -> ResolvedTemplate:
    found = find_built_in(id)
    assert found
    return resolve(found, find_built_in)


def _message(seq: int) -> Message:
    """Of varied length; some matter more than others."""
    words = f"Message {seq}. " + "They spoke of the sea and of the weather. " * (seq * 7 % 9)
    return (said if seq % 2 else answered)(words if seq % 13 else f"{words} {DECISION}", seq)


def _turn(written: ResolvedTemplate, number: int, tokenizer: Any, **config: Any) -> Prompt:
    """Other memories with every turn, and now and then none; a reminder every third turn."""
    memories = [recalled(f"m{number}-{place}", f"Ann knows {number * place} things.") for place in range(number % 8)]
    context = scene(
        *(_message(seq) for seq in range(1, 2 * number)),
        memories=memories,
        last_session=LastSession("They parted.") if number % 5 else None,
        notes=[Note("reminder", "Be brief. " * 10)] if number % 3 == 0 else [],
        config=config,
    )
    return composed(written, context, tokenizer)


@dataclass(frozen=True)
class _Pair:
    """A prompt and the one of the next turn."""

    before: Prompt
    after: Prompt

    @property
    def is_step(self) -> bool:
        return _first(self.before) != _first(self.after)

    @property
    def shared(self) -> int:
        """How many messages of the first are the same in the second."""
        pairs = zip(self.before.messages, self.after.messages, strict=False)
        return next((place for place, (one, other) in enumerate(pairs) if one != other), len(self.before.messages))


def _first(prompt: Prompt) -> int:
    """The first message that stands there word for word, in its place."""
    return next(each.first for each in prompt.account.messages if each.role != "system")


def _latest_of_user(messages: tuple[Said, ...]) -> int:
    return max(place for place, each in enumerate(messages) if each.role == "user")


WINDOWS: dict[str, dict[str, Any]] = {
    "pruned": {},
    "small": {"context_window": 4_096},
    "smallest": {"context_window": 2_048},
    "unpruned": {"prune": False, "context_window": 8_192},
    "unpruned and small": {"prune": False, "context_window": 4_096},
    "large": {"prune": False, "context_window": 128_000},
}


@cache
def _prompts(window: str, tokenizer: Any) -> list[Prompt]:
    written = _built_in("base-roleplay")
    return [_turn(written, number, tokenizer, **WINDOWS[window]) for number in range(1, TURNS + 1)]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("tokenizer", [TOKENS, REAL_TOKENS], ids=["bytes", "real"])
def test_between_two_steps_all_but_the_latest_message_stays(window: str, tokenizer: Any) -> None:
    """P13: the system's words too; what changes with every turn stands after all that was there before."""
    pairs = [_Pair(before, after) for before, after in pairwise(_prompts(window, tokenizer))]

    changed = [
        turn
        for turn, pair in enumerate(pairs, start=1)
        if not pair.is_step and pair.shared < _latest_of_user(pair.before.messages)
    ]
    assert changed == []


@pytest.mark.parametrize("window", WINDOWS)
def test_steps_go_forward_and_are_rare(window: str) -> None:
    """P13: the talk never begins earlier than in the turn before. Where but a handful of messages fit, each turn is
    a step; else one in four at most."""
    firsts = [_first(prompt) for prompt in _prompts(window, TOKENS)]

    assert firsts == sorted(firsts)
    assert len(set(firsts)) - 1 <= TURNS // 4 or window == "smallest"


def test_most_of_a_prompt_was_there_in_the_turn_before() -> None:
    """P13: in tokens."""
    shares = sorted(_reused(_Pair(before, after)) for before, after in pairwise(_prompts("pruned", REAL_TOKENS)))

    assert shares[len(shares) // 2] > 0.7
    assert sum(share > 0.5 for share in shares) > 0.8 * len(shares)


def _reused(pair: _Pair) -> float:
    reused = sum(REAL_TOKENS.count(each.content) + 6 for each in pair.after.messages[: pair.shared])
    return reused / pair.after.account.used


@pytest.mark.parametrize("id", ["base-roleplay", "sms-chat", "director", "companion", "agent", "game-master"])
def test_memories_of_another_turn_leave_the_start_of_every_built_in_template_as_it_is(id: str) -> None:
    """P13."""
    history = [_message(seq) for seq in range(1, 42)]

    def system(place: int) -> str:
        return system_of(
            _built_in(id), *history, memories=[recalled(f"m{place}")], notes=[Note("reminder", f"{place}")]
        )

    assert system(1) == system(2)
    assert "Ann knows" not in system(1)


def test_a_memory_in_an_introduction_does_not_change_what_was_said_before() -> None:
    """P13: wherever a template has its slot, the talk before the latest message stays."""
    written = template({"a": "A."}, roles={"user": {"content": ["I am Ann.", "${memory.context}"]}})
    history = [_message(seq) for seq in range(1, 12)]

    one, other = (composed(written, scene(*history, memories=[recalled(f"m{place}")])).messages for place in (1, 2))

    assert one[:-1] == other[:-1]
    assert one[-1] != other[-1]


# ── what was decided long ago ────────────────────────────────────────────────────────────────────


def _long_talk() -> list[Message]:
    return [said(DECISION if seq == 3 else "lol", seq) for seq in range(1, 401)]


@pytest.mark.parametrize("window", [2_048, 4_096, 8_192, 200_000])
@pytest.mark.parametrize("framing", ["block", "markdown"])
def test_a_decision_at_the_beginning_of_a_long_talk_stays_word_for_word(window: int, framing: str) -> None:
    """P10: while what says nothing is only named."""
    written = template({"a": "You are Mira."}, framing=framing)

    prompt = composed(written, scene(*_long_talk(), config={"context_window": window}))

    told = {(each.first, each.last): each.fidelity for each in prompt.account.messages if each.role == "system"}
    assert told[1, 2] == "placeholder"
    assert told[3, 3] == "full"
    assert {fidelity for span, fidelity in told.items() if span != (3, 3)} == {"placeholder"}
    assert f"3 Ann: {DECISION}" in prompt.messages[0].content
    assert "lol" not in prompt.messages[0].content


def test_a_decision_under_a_summary_is_quoted() -> None:
    """P10: the summary stands for all of its messages, and the decision stays in its own words."""
    told_before = summary("s", "They met, and laughed a lot.", first_seq=1, last_seq=100)

    prompt = composed(template({"a": "You are Mira."}), scene(*_long_talk(), summaries=[told_before]))

    first, *others = [each for each in prompt.account.messages if each.role == "system"]
    assert (first.first, first.last, first.fidelity, first.message_ids) == (1, 100, "compressed", ("m3",))
    assert {each.fidelity for each in others} == {"placeholder"}
    [data] = in_block(prompt.messages[0].content, "history")
    assert data["earlier"][0] == f"1–100: They met, and laughed a lot. Word for word: 3 Ann: “{DECISION}”."


def test_what_was_learnt_is_named_where_the_message_is_not_shown() -> None:
    """P10."""
    fact = memory("f", "Rex is afraid of dogs.", source_message_ids=("m7",))
    history = [said("lol", seq, weight=0) for seq in range(1, 101)]

    prompt = composed(template({"a": "You are Mira."}), scene(*history, learnt=[fact]))

    [data] = in_block(prompt.messages[0].content, "history")
    assert data["earlier"] == ["1–80: not shown here. Learnt then: Rex is afraid of dogs."]


def test_each_old_message_is_told_exactly_once() -> None:
    """P10."""
    summaries = [
        summary("s1", "They met.", first_seq=1, last_seq=100),
        summary("s2", "They met and parted.", first_seq=50, last_seq=150, level=1),
        summary("s3", "They will meet.", first_seq=350, last_seq=500),
    ]

    prompt = composed(template({"a": "You are Mira."}), scene(*_long_talk(), summaries=summaries))

    spans = [(each.first, each.last) for each in prompt.account.messages]
    assert [seq for first, last in spans for seq in range(first, last + 1)] == list(range(1, 401))
    assert "They will meet." not in text_of(prompt)
