"""What composing a prompt costs, and how much of it a provider need not read again (P13).

    python -m benchmarks.compose --turns 100 --messages 5000 --json compose.json

A talk grows turn by turn, with other memories recalled each time: how much of each prompt is the beginning of the
one before, byte for byte? Beside it, made of the same sections, the two orders that most programs use. Then the
time that a long talk takes, once its tokens are counted. Everything is made up, and no model is asked.

Start at `run`.
"""

import asyncio
import gc
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Annotated

import typer

from benchmarks.bars import Bar
from benchmarks.corpus import PAIR_SIZE, START, WORKSPACE, Corpus, make_corpus, make_questions
from benchmarks.measure import say
from benchmarks.report import bars_table, both, table
from benchmarks.timing import Arm, Timing, interleaved
from everlore.compose.account import SectionState
from everlore.compose.budget import budget_of
from everlore.compose.builtins import find_built_in
from everlore.compose.context import Context
from everlore.compose.inherit import ResolvedTemplate, resolve
from everlore.compose.prompt import Prompt, compose
from everlore.compose.talk import messages_read
from everlore.domain.config import ConversationConfig, config_of
from everlore.domain.conversation import Author, Message
from everlore.domain.memory import Memory
from everlore.domain.person import Person
from everlore.domain.recalled import Recalled
from everlore.domain.weight import IMPORTANT, weigh
from everlore.models.chat import Said
from everlore.models.tiktoken_tokenizer import TiktokenTokenizer
from everlore.models.tokenizer import CountedOnce, Tokenizer

# What composing a prompt may take at the longest talk.
COMPOSE_MS = 50.0
OURS = "Everlore"
FIRST = "memories first"
LAST = "memories after the template"
_SMALL, _MIDDLE, _LARGE = 8_192, 32_768, 200_000
_TEMPLATE = "Base Roleplay"
_TOKENIZER = "o200k_base"
_SEED = 7
# What a turn recalls in the product; how many are recalled, and may be told, where time is measured.
_RECALLED = 20
_MANY_RECALLED = 200
_MANY_TOKENS = 10_000
# How many of the latest messages a plain program sends.
_SLIDING = 20
# One message in so many says something that matters later.
_WEIGHTY_EVERY = 6
_TRAITS = 12

# From a prompt and the messages before it to the same in another order.
_Order = Callable[[Prompt, Sequence[Message]], Sequence[Said]]


@dataclass(frozen=True, slots=True)
class Reuse:
    """`mean` and `median` are shares of a prompt's tokens that the prompt before began with; `anew` is how many
    tokens it did not, on average."""

    mean: float
    median: float
    anew: float


@dataclass(frozen=True, slots=True)
class Growing:
    """A talk that grows, in each of the orders."""

    window: int
    prune: bool
    orders: Mapping[str, Reuse]

    def ratio(self, order: str) -> float:
        """How many times as much of a prompt was there before as in that order; endless if nothing was."""
        theirs = self.orders[order].mean
        return self.orders[OURS].mean / theirs if theirs else float("inf")


@dataclass(frozen=True, slots=True)
class Speed:
    """`sizes` are messages of the talk, from few to many."""

    window: int
    prune: bool
    sizes: Mapping[int, Timing]

    def per_message(self, fewer: int) -> float:
        """The time for one message of the longest talk, as a multiple of that of a shorter one."""
        most = max(self.sizes)
        return (self.sizes[most].p50_ms / most) / (self.sizes[fewer].p50_ms / fewer)


@dataclass(frozen=True, slots=True)
class Found:
    turns: int
    messages: int
    growing: tuple[Growing, ...]
    speeds: tuple[Speed, ...]

    @property
    def bars(self) -> list[Bar]:
        return [
            Bar(
                "compose",
                f"p95 at {self.messages:,} messages, {_label(each)}, ms",
                each.sizes[self.messages].p95_ms,
                COMPOSE_MS,
            )
            for each in self.speeds
        ]


async def run(turns: int, messages: int, rounds: int) -> Found:
    template, tokenizer = _template(), TiktokenTokenizer(_TOKENIZER)
    growing = []
    for window in (_SMALL, _MIDDLE):
        for prune in (True, False):
            say(f"{turns} turns in a window of {window:,}, {_pruning(prune)}")
            growing.append(_grow(turns, config_of({"context_window": window, "prune": prune}), template, tokenizer))
    say(f"composing up to {messages:,} messages, {rounds} times each")
    return Found(turns, messages, tuple(growing), await _speeds(messages, rounds, template, tokenizer))


def _template() -> ResolvedTemplate:
    document = find_built_in(_TEMPLATE)
    assert document is not None
    return resolve(document, find_built_in)


# ── what is talked about ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Talk:
    """Between a character and a user. `learnt` are memories that came of it, in the order of the messages."""

    character: Person
    user: Person
    messages: tuple[Message, ...]
    learnt: tuple[Memory, ...]

    def context(self, config: ConversationConfig, history: Sequence[Message], memories: Sequence[Memory]) -> Context:
        there = {message.id for message in history}
        return Context(
            character=self.character,
            user=self.user,
            names={self.character.id: self.character.name, self.user.id: self.user.name},
            config=config,
            conversation_id="talk",
            history=history,
            memories=[Recalled(memory, score=1 / place) for place, memory in enumerate(memories, start=1)],
            learnt=[each for each in self.learnt if there.issuperset(each.source_message_ids)],
        )


@cache
def _corpus() -> Corpus:
    return make_corpus(PAIR_SIZE, _SEED)


def _talk(count: int) -> _Talk:
    """So many messages, in turn; the last one is the user's."""
    corpus = _corpus()
    character, user = _persons(corpus)
    said = _lines(corpus, count)
    messages = tuple(
        _message(text, seq, user if _is_users(seq, count) else character) for seq, text in enumerate(said, start=1)
    )
    sources = [message.id for message in messages if (message.weight or 0) >= IMPORTANT]
    learnt = [replace(memory, source_message_ids=(id,)) for memory, id in zip(corpus.memories, sources, strict=False)]
    return _Talk(character, user, messages, tuple(learnt[:_MANY_RECALLED]))


def _is_users(seq: int, count: int) -> bool:
    return (count - seq) % 2 == 0


def _persons(corpus: Corpus) -> tuple[Person, Person]:
    by_id = {person.id: person for person in corpus.persons}
    character, user = by_id[corpus.pair.high], by_id[corpus.pair.low]
    with_card = replace(
        character,
        description=_prose(corpus.texts[:_TRAITS]),
        personality=_prose(corpus.texts[_TRAITS : 2 * _TRAITS]),
        speech_pattern="Short sentences, seldom a question, and a proverb where one fits.",
        scenario=_prose(corpus.texts[2 * _TRAITS : 3 * _TRAITS]),
    )
    return with_card, user


def _lines(corpus: Corpus, count: int) -> list[str]:
    """A user asks and tells a little; a reply is some sentences long."""
    random = Random(f"talk {count} {_SEED}")
    questions = make_questions(count, _SEED)
    weighty = [text for text in corpus.texts if weigh(text) >= IMPORTANT]
    light = [text for text in corpus.texts if weigh(text) < IMPORTANT]
    lines = []
    for seq, question in enumerate(questions, start=1):
        asks = _is_users(seq, count)
        sentences = random.choices(light, k=random.randint(0, 2) if asks else random.randint(3, 8))
        if random.randrange(_WEIGHTY_EVERY) == 0:
            sentences.append(random.choice(weighty))
        lines.append(" ".join([_prose(sentences), question] if asks else [_prose(sentences)]).strip())
    return lines


def _prose(sentences: Sequence[str]) -> str:
    return " ".join(f"{sentence}." for sentence in sentences)


def _message(text: str, seq: int, by: Person) -> Message:
    return Message(
        workspace=WORKSPACE,
        id=f"m{seq}",
        conversation_id="talk",
        seq=seq,
        author=Author.ASSISTANT if by.kind == "character" else Author.USER,
        person_id=by.id,
        content=text,
        weight=weigh(text),
        created_at=START,
        updated_at=START,
    )


# ── a talk that grows ────────────────────────────────────────────────────────────────────────────


def _grow(turns: int, config: ConversationConfig, template: ResolvedTemplate, tokenizer: Tokenizer) -> Growing:
    talk, counted = _talk(2 * turns - 1), CountedOnce(tokenizer)
    random = Random("recalled")
    prompts: dict[str, list[str]] = {name: [] for name in _ORDERS}
    for turn in range(1, turns + 1):
        said = talk.messages[: 2 * turn - 1]
        context = talk.context(config, _read(said, config), random.sample(_corpus().memories, _RECALLED))
        prompt = compose(template, context, budget_of(config), counted)
        for name, order in _ORDERS.items():
            prompts[name].append(_flat(order(prompt, said)))
    orders = {name: reuse_of(texts, tokenizer) for name, texts in prompts.items()}
    return Growing(budget_of(config).window, config.prune, orders)


def _read(messages: Sequence[Message], config: ConversationConfig) -> list[Message]:
    """What a turn reads of a talk, as a turn does: the latest messages, and of those before what matters."""
    latest = messages_read(config)
    weighty = [each for each in messages[:-latest] if (each.weight or 0) >= IMPORTANT]
    return [*weighty, *messages[-latest:]]


def _as_sent(prompt: Prompt, _messages: Sequence[Message]) -> Sequence[Said]:
    return prompt.messages


def _memories_first(prompt: Prompt, messages: Sequence[Message]) -> Sequence[Said]:
    memories, others = _sections(prompt)
    return [Said("system", "\n\n".join([*memories, *others])), *_latest(messages)]


def _memories_last(prompt: Prompt, messages: Sequence[Message]) -> Sequence[Said]:
    memories, others = _sections(prompt)
    return [Said("system", "\n\n".join([*others, *memories])), *_latest(messages)]


_ORDERS: Mapping[str, _Order] = {OURS: _as_sent, FIRST: _memories_first, LAST: _memories_last}


def _sections(prompt: Prompt) -> tuple[list[str], list[str]]:
    """Those with memories in them, and the others."""
    there = [each for each in prompt.account.sections if each.state is not SectionState.LEFT_OUT]
    memories = [each.text for each in there if each.part == "recall"]
    return memories, [each.text for each in there if each.part != "recall"]


def _latest(messages: Sequence[Message]) -> list[Said]:
    return [Said("user" if each.author is Author.USER else "assistant", each.content) for each in messages[-_SLIDING:]]


def _flat(messages: Sequence[Said]) -> str:
    return "\n".join(f"{said.role}\n{said.content}" for said in messages)


def reuse_of(prompts: Sequence[str], tokenizer: Tokenizer) -> Reuse:
    """From the second prompt on, each beside the one before it."""
    wholes = [tokenizer.count(after) for _, after in pairwise(prompts)]
    kept = [tokenizer.count(_beginning(before, after)) for before, after in pairwise(prompts)]
    shares = [part / whole for part, whole in zip(kept, wholes, strict=True)]
    return Reuse(fmean(shares), median(shares), fmean(wholes) - fmean(kept))


def _beginning(before: str, after: str) -> str:
    """What both begin with."""
    parted = (at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other)
    return after[: next(parted, min(len(before), len(after)))]


# ── a long talk ──────────────────────────────────────────────────────────────────────────────────


async def _speeds(messages: int, rounds: int, template: ResolvedTemplate, tokenizer: Tokenizer) -> tuple[Speed, ...]:
    talk, sizes = _talk(messages), sizes_up_to(messages)
    memories = _corpus().memories[-_MANY_RECALLED:]
    configs = [
        config_of({"context_window": window, "prune": prune, "memory_budget": _MANY_TOKENS})
        for window in (_MIDDLE, _LARGE)
        for prune in (True, False)
    ]
    arms: dict[str, Arm] = {
        _arm_name(config, size): _arm(template, talk.context(config, talk.messages[:size], memories), tokenizer)
        for config in configs
        for size in sizes
    }
    # The corpus is the benchmark's: to look through it for garbage is not part of composing.
    gc.collect()
    gc.freeze()
    try:
        timings = await interleaved(arms, rounds)
    finally:
        gc.unfreeze()
    return tuple(
        Speed(budget_of(config).window, config.prune, {size: timings[_arm_name(config, size)] for size in sizes})
        for config in configs
    )


def sizes_up_to(messages: int) -> tuple[int, ...]:
    """A tenth, a fifth, two fifths, and all."""
    return (messages // 10, messages // 5, messages * 2 // 5, messages)


def _arm_name(config: ConversationConfig, size: int) -> str:
    return f"{config.context_window} {config.prune} {size}"


def _arm(template: ResolvedTemplate, context: Context, tokenizer: Tokenizer) -> Arm:
    # Counts are kept for each arm, as if it had a process of its own: many talks of one process would share them.
    counted = CountedOnce(tokenizer)

    async def arm(_number: int) -> None:
        compose(template, context, budget_of(context.config), counted)

    return arm


# ── the report ───────────────────────────────────────────────────────────────────────────────────


def text_of(found: Found) -> str:
    return "\n\n".join([_growing_table(found), _speeds_table(found), bars_table(found.bars)])


def _growing_table(found: Found) -> str:
    columns = found.growing
    rows = [
        *([f"{name}, mean / median", *(_shares(each.orders[name]) for each in columns)] for name in columns[0].orders),
        *(
            [f"mean, as a multiple of {name}", *(f"{each.ratio(name):.1f}" for each in columns)]
            for name in (FIRST, LAST)
        ),
        *(
            [f"{name}, tokens to be read anew", *(f"{each.orders[name].anew:,.0f}" for each in columns)]
            for name in columns[0].orders
        ),
    ]
    return table([f"already in the prompt before, {found.turns} turns", *map(_label, columns)], rows)


def _shares(reuse: Reuse) -> str:
    return f"{reuse.mean:.1%} / {reuse.median:.1%}"


def _speeds_table(found: Found) -> str:
    few, fewer, some, most = sizes_up_to(found.messages)
    rows = [
        [_label(each), *(both(each.sizes[size]) for size in (few, fewer, some, most)), f"{each.per_message(fewer):.2f}"]
        for each in found.speeds
    ]
    head = [f"composing, {_MANY_RECALLED} memories recalled, ms", *(f"{size:,}" for size in (few, fewer, some, most))]
    return table([*head, f"per message, {most:,} : {fewer:,}"], rows)


def _label(each: Growing | Speed) -> str:
    return f"{each.window:,}, {_pruning(each.prune)}"


def _pruning(prune: bool) -> str:
    return "pruned" if prune else "unpruned"


def json_of(found: Found) -> str:
    bars = [asdict(bar) | {"holds": bar.holds} for bar in found.bars]
    return json.dumps(asdict(found) | {"bars": bars}, indent=2)


def main(
    turns: Annotated[int, typer.Option(min=2, help="Turns of the talk that grows.")] = 100,
    messages: Annotated[int, typer.Option(min=10, help="Messages of the longest talk.")] = 5_000,
    rounds: Annotated[int, typer.Option(min=1, help="Prompts composed of each talk.")] = 50,
    json: Annotated[str, typer.Option(help="Write JSON to this file, or to - instead of the report.")] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a bar is missed.")] = False,
) -> None:
    """Measure how much of a prompt stays from turn to turn, and what composing it takes."""
    found = asyncio.run(run(turns, messages, rounds))
    print(json_of(found) if json == "-" else text_of(found))
    if json not in ("", "-"):
        Path(json).write_text(json_of(found) + "\n")
    raise typer.Exit(1 if strict and not all(bar.holds for bar in found.bars) else 0)


if __name__ == "__main__":
    typer.run(main)
