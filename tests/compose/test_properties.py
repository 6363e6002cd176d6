"""Whatever template, scene and window there are, a prompt keeps every promise (P2, P3, P4, P5, P9, P10, P12, P13, P14).

Templates are drawn as trees of up to three levels, with every kind of variable; talks have up to five thousand
messages, of which one may be as long as a book; windows have from two to two hundred thousand tokens.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from everlore.compose.account import SectionState
from everlore.compose.budget import budget_of
from everlore.compose.context import Context, Note, Tool
from everlore.compose.drawing import circumstances_of
from everlore.compose.inherit import ResolvedTemplate
from everlore.compose.prompt import Prompt, compose
from everlore.compose.values import VARIABLES
from everlore.domain.condition import holds
from everlore.domain.conversation import Message, Summary
from everlore.domain.interaction import InteractionType
from everlore.domain.memory import Memory, MemoryType
from everlore.domain.person import Person
from everlore.domain.recalled import LastSession, Recalled
from everlore.domain.template import RoleName, TemplateDocument
from everlore.models.tokenizer import Tokenizer
from tests.compose.stage import (
    ANN,
    FRAME,
    REAL_TOKENS,
    TOKENS,
    answered,
    blocks_in,
    check_measure,
    document,
    recalled,
    resolved,
    said,
    scene,
    text_of,
)
from tests.compose.values.example import CANON, WORLD, interaction
from tests.contract.builders import memory, summary
from tests.soak import IS_LONG, look
from tests.turn.records import person

SEARCH = settings(deadline=None, derandomize=not IS_LONG, database=None, suppress_health_check=[HealthCheck.too_slow])

# Each section begins with a sign of its own, which costs one token and stands nowhere else.
SIGNS = dict(
    zip("identity rules laws scene memory summary tone world late extra".split(), "一二三四五六七八九十", strict=True)
)
RULES = ("rules", "laws")
# The last sign of the latest message.
END = "終"
WORDS = "over the quiet water they talked about boats, bread and the 3 debts of Tam. "
MEDIA = ("${image.TAG}", "${image.TAG,TAG}", "${audio.TEXT}", "${text}")


# ── templates ────────────────────────────────────────────────────────────────────────────────────

MEMORY_VARIABLES = "context context relationship facts lastSession count m0 m1 named gone".split()
OWN = {
    "own.plain": "Of our own.",
    "own.deep": "${own.plain} ${own.memory} ${system.firstName}",
    "own.memory": "Known: ${memory.facts}",
    "own.round": "${own.trip}",
    "own.trip": "${own.round} and back",
    "own.lost": "${nobody.knows}",
    "setting": "A setting of the template's own.",
    "memory.relationship": "No slot any more.",
}
# Those that are long, framed, or told once; and then any of them.
TELLING = (
    "setting command user.question user.citations tools system.characterDesc campaign.memory summary nobody".split()
)
TELLING += [*OWN, *(f"memory.{name}" for name in MEMORY_VARIABLES)]
CONDITIONS = (
    None,
    None,
    None,
    "always",
    "hasMemories",
    "hasSummary",
    "includeScene and not isGuest",
    {"or": ["hasCampaign", "useNLP"]},
    "not (hasEpisodes or hasTools)",
    "supportsMedia or hasImageTags",
)
YES_NO = (True, False)
MAYBE = (None, True, False)


def _template(dice: Random) -> ResolvedTemplate:
    known: set[str] = set()
    lineage = [_level(dice, level, known) for level in range(dice.randint(1, 3))]
    return resolved(*reversed(lineage))


def _level(dice: Random, level: int, known: set[str]) -> TemplateDocument:
    """One template of the lineage; `known` are the sections that it inherits, and then those that it has."""
    sections: dict[str, Any] = {}
    for name in dice.sample(list(SIGNS), dice.randint(0, 4 if level else 10)):
        if name in known and dice.random() < 0.2:
            sections[name] = {"exclude": True}
            known.discard(name)
        else:
            sections[name] = _section(dice, name, over=name in known)
            known.add(name)
    return document(
        sections,
        name=f"Level {level}",
        extends=f"Level {level - 1}" if level else None,
        framing=dice.choice([None, "block", "markdown"]),
        variables={name: OWN[name] for name in dice.sample(list(OWN), dice.randint(0, 5))},
        roles=_roles(dice, sorted(known)),
    )


def _section(dice: Random, name: str, *, over: bool) -> dict[str, Any]:
    lines = [f"{SIGNS[name]} begins.", *(_line(dice, name) for _ in range(dice.randint(0, 3)))]
    return {
        "override": over,
        "order": dice.choice([None, 0, 1, 2, 3]),
        "required": dice.choice(MAYBE),
        "condition": dice.choice(CONDITIONS),
        "numbered": dice.choice(MAYBE) if name == "laws" else None,
        "content": None if over and dice.choice(YES_NO) else lines,
    }


def _line(dice: Random, name: str) -> str:
    one, other = (f"${{{dice.choice(TELLING if dice.random() < 0.7 else list(VARIABLES))}}}" for _ in range(2))
    lines = [
        f"§ Heading:\n{one}",
        f"§ {one} ({other}), and so on",
        f"§ {one} {other} {one}",
        "§ " + WORDS * dice.choice([1, 3, 250]),
        "§ $${text} ${image.TAG} ${never closed",
        "§ Plain words.",
    ]
    # Rules have each a sign by which they are known.
    return dice.choice(lines if name in RULES else [*lines, "", one, f"{one}{other}"])


def _roles(dice: Random, known: list[str]) -> dict[str, Any]:
    if not known or dice.choice(YES_NO):
        return {}
    spoken: tuple[list[str], ...] = ([], ["I am ${user.firstName}."], ["${memory.context}", "Ready: ${nobody}"])
    return {
        role: {
            "sections": dice.sample(known, min(dice.randint(0, 2), len(known))),
            "content": dice.choice(spoken),
            "consent": dice.choice(YES_NO),
        }
        for role in ("user", "assistant")
    }


# ── scenes ───────────────────────────────────────────────────────────────────────────────────────

# Short ones mostly, now and then one that fills a window.
LENGTHS = (0, 0, 1, 30, 200, 200, 1_000, 5_000, 20_000)
TOGGLES = "include_scene use_nlp image_tokens audio_tokens assist prune".split()
LAST = (None, LastSession("They parted."), LastSession("They parted, and said so. " * 200))


def _words(length: int) -> str:
    return (WORDS * (length // len(WORDS) + 1))[:length].strip()


def _scene(dice: Random) -> Context:
    history, memories = _history(dice), _memories(dice)
    named = {"m0": memories[0]} if memories else {}
    return scene(
        *history,
        character=_character(dice),
        user=dice.choice([ANN, None, person("Ann", id="ann", description_public=_words(3_000))]),
        config=_config(dice),
        memories=memories,
        named=dice.choice([{}, named, {"named": recalled("named", "¤named¤ " + _words(dice.choice(LENGTHS[:-1])))}]),
        last_session=dice.choice(LAST),
        learnt=[_learnt(dice, place) for place in range(dice.randint(0, 5))],
        summaries=[_summary(dice, place) for place in range(dice.randint(0, 3))],
        earlier=history[:3],
        interactions=dice.choice([[], [interaction(InteractionType.HELP)]]),
        canon=dice.choice([None, CANON]),
        world=dice.choice([(), WORLD]),
        tools=dice.choice([[], [Tool("dice", _words(2_000))]]),
        instructions=_words(dice.choice(LENGTHS)),
        notes=[Note("reminder", _words(dice.choice(LENGTHS))) for _ in range(dice.choice([0, 0, 1, 2, 3, 12]))],
        is_guest=dice.choice(YES_NO),
        continuing=dice.choice(YES_NO),
    )


def _history(dice: Random) -> list[Message]:
    count = dice.choice([0, 1, 2, 3, 10, 41, 200, 1_000, 5_000])
    texts = [_words(dice.choice([1, 4, 30, 120] if count >= 1_000 else [1, 30, 120, 400, 3_000])) for _ in range(5)]
    history = [
        (said if seq % 2 else answered)(f"{seq}: {texts[seq % 5]}", seq, weight=seq * 7 % 10)
        for seq in range(1, count + 1)
    ]
    if history:
        history[-1] = said(f"The latest: {_words(dice.choice([10, 300, 20_000, 100_000]))}{END}", count)
    if count > 3 and dice.choice(YES_NO):
        history[count // 2] = answered("A book: " + _words(100_000), count // 2 + 1, weight=9)
    return history


def _memories(dice: Random) -> list[Recalled]:
    sizes = [dice.choice([5, 40, 40, 120, 600, 19_000]) for _ in range(dice.choice([0, 1, 3, 10, 40]))]
    types = [*dice.sample(list(MemoryType), 3), MemoryType.FACT, MemoryType.RELATIONSHIP]
    return [
        recalled(f"m{place}", f"¤{place}¤ {_words(size)}", dice.choice(types), importance=place % 10 + 1)
        for place, size in enumerate(sizes)
    ]


def _learnt(dice: Random, place: int) -> Memory:
    return memory(f"l{place}", f"Learnt: {_words(80)}", source_message_ids=(f"m{dice.randint(1, 200)}",))


def _summary(dice: Random, place: int) -> Summary:
    first = dice.randint(1, 150)
    return summary(f"s{place}", _words(300), first_seq=first, last_seq=first + dice.randint(0, 100), level=place)


def _config(dice: Random) -> dict[str, Any]:
    window = dice.choice([2_048, 2_500, 4_096, 8_192, 16_384, 32_768, 128_000, 200_000])
    return {
        **{name: dice.choice(YES_NO) for name in TOGGLES},
        "context_window": window,
        "response_reserve": dice.choice([None, window]),
        "memory_budget": dice.choice([0, 60, 500, 500, 3_000, 100_000]),
        "message_trim": dice.choice([2, 7, 20, 20, 500]),
        "rating": dice.choice(["E", "M"]),
        "setting": _words(dice.choice(LENGTHS)),
        "nlp_command": _words(dice.choice(LENGTHS)),
        "command": _words(dice.choice(LENGTHS)),
        "image_tags": dice.choice([[], ["sea", "pier"]]),
        "episodes": dice.choice([[], [{"name": "One", "guidance": _words(300)}]]),
    }


def _character(dice: Random) -> Person:
    words = dice.choice([None, None, "Be {{char}}.", "First. {{original}} Last.", "{{original}}" + _words(9_000)])
    last = dice.choice([None, None, "Be brief.", _words(5_000)])
    data = {"system_prompt": words, "post_history_instructions": last}
    return person(
        "Mira",
        age=28,
        description=_words(dice.choice(LENGTHS)),
        personality=_words(dice.choice(LENGTHS)),
        example_dialogue=_words(dice.choice(LENGTHS)),
        extensions={"card": {"data": {name: text for name, text in data.items() if text}}},
    )


# ── promises ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Told:
    template: ResolvedTemplate
    context: Context
    prompt: Prompt
    text: str


def _fits(told: _Told, tokenizer: Tokenizer) -> None:
    """P9, P12: and the account counts right."""
    check_measure(told.prompt, budget_of(told.context.config), tokenizer)


def _blocks_are_whole(told: _Told) -> None:
    """P8."""
    for each in told.prompt.messages:
        blocks_in(each.content)


def _required_sections_are_there(told: _Told) -> None:
    """P9: if they are in use, at least their beginning; and none that is not in use."""
    given = circumstances_of(told.context, has_memories=False, has_summary=False)
    replaced = "original" not in _card_words(told.context)
    for role, spoken in told.template.roles.items():
        for section in spoken.sections:
            uncertain = [name for name in ("hasMemories", "hasSummary") if name in repr(section.condition)]
            if uncertain or (section.name == "identity" and replaced):
                continue
            in_use = holds(section.condition, given) and (role is not RoleName.ASSISTANT or told.context.config.assist)
            assert in_use or SIGNS[section.name] not in told.text, f"{section.name} is not in use, and there"
            if in_use and section.required:
                assert SIGNS[section.name] in told.text, f"{section.name} is required, and not there"


def _card_words(context: Context) -> str:
    card: Any = context.character.extensions["card"]
    return str(card["data"].get("system_prompt", "{{original}}"))


def _nothing_is_there_twice(told: _Told) -> None:
    """P1, P14."""
    assert {sign: told.text.count(sign) for sign in SIGNS.values() if told.text.count(sign) > 1} == {}


def _rules_are_numbered_as_they_are_read(told: _Told) -> None:
    """P4."""
    numbered = "".join(SIGNS[section.name] for section in told.template.sections if section.numbered)
    numbers = re.findall(rf"^(\d+)\. [§{numbered}]", told.text, re.MULTILINE) if numbered else []
    assert [int(number) for number in numbers] == list(range(1, len(numbers) + 1))


def _no_variable_is_left(told: _Told) -> None:
    """P5: but for those that are meant as text; a line that was cut may end in the middle of one."""
    for left in re.findall(r"\$\{[^}\s]*\}?", told.text):
        assert any(token.startswith(left) for token in MEDIA), left


def _nothing_blank_is_left(told: _Told) -> None:
    """P2: no heading of nothing, and no more than one blank line."""
    assert not any("\n\n\n" in each.content for each in told.prompt.messages)
    whole = [each.text for each in told.prompt.account.sections if each.state is SectionState.WHOLE]
    assert not any(re.search(r"Heading:\s*(\n\n|$)", text) for text in whole)


def _each_message_is_there_once(told: _Told) -> None:
    """P10: from the first to the last, if anything is told of the old ones."""
    spans = [(each.first, each.last) for each in told.prompt.account.messages]
    count = len(told.context.history)
    assert spans[-1:] == ([(count, count)] if count else [])
    assert all(before[1] + 1 == after[0] for before, after in pairwise(spans)), spans
    if any(each.role == "system" and each.state != "left_out" for each in told.prompt.account.messages):
        assert spans[0][0] == 1
        assert '"earlier"' in told.text or "## Earlier in this conversation" in told.text


def _the_latest_message_is_there(told: _Told) -> None:
    """V3."""
    if told.context.history:
        assert any(each.content.endswith(END) for each in told.prompt.messages)
        content = told.context.history[-1].content
        # One that is no longer than an eighth of the prompt is there whole, whatever else there is.
        is_short = TOKENS.count(content) + FRAME <= budget_of(told.context.config).prompt // 8
        assert not is_short or content in told.text
    assert all(each.content.strip() for each in told.prompt.messages)


def _every_memory_is_accounted_for(told: _Told) -> None:
    """P14: in the prompt, once; or left out, with a reason."""
    told_of = {each.id: each for each in told.prompt.account.memories}
    assert len(told_of) == len(told.prompt.account.memories)
    for each in told.context.memories:
        account, count = told_of[each.memory.id], told.text.count(each.memory.content.split()[0])
        assert (count, bool(account.left_out)) in ((1, False), (0, True)), account
        assert bool(account.section) is not bool(account.left_out)


def _the_account_says_what_is_there(told: _Told) -> None:
    """P12."""
    for section in told.prompt.account.sections:
        assert section.state is SectionState.LEFT_OUT or section.text in told.text, section.name
        assert section.state is SectionState.WHOLE or section.why


PROMISES: tuple[Callable[[_Told], None], ...] = (
    _blocks_are_whole,
    _required_sections_are_there,
    _nothing_is_there_twice,
    _rules_are_numbered_as_they_are_read,
    _no_variable_is_left,
    _nothing_blank_is_left,
    _each_message_is_there_once,
    _the_latest_message_is_there,
    _every_memory_is_accounted_for,
    _the_account_says_what_is_there,
)


def _check(seed: int, tokenizer: Tokenizer) -> None:
    dice = Random(seed)
    template, context = _template(dice), _scene(dice)
    budget = budget_of(context.config)
    prompt = compose(template, context, budget, tokenizer)
    told = _Told(template, context, prompt, text_of(prompt))
    _fits(told, tokenizer)
    for promise in PROMISES:
        promise(told)
    assert compose(template, context, budget, tokenizer) == prompt


# Drawn from a seed each, and not by hypothesis piece by piece: its examples are too much alike to meet in them.
SEEDS = st.integers(0, 2**48)


# Those below were once found by a longer search.
@settings(SEARCH, max_examples=look(150, 800))
@given(SEEDS)
@example(21_000_346)
@example(21_000_820)
@example(21_001_041)
@example(21_002_014)
@example(31_000_454)
@example(31_000_772)
@example(41_001_160)
@example(41_001_878)
def test_any_prompt_keeps_every_promise(seed: int) -> None:
    """P2, P3, P4, P5, P9, P10, P12, P13, P14."""
    _check(seed, TOKENS)


@settings(SEARCH, max_examples=look(40, 200))
@given(SEEDS)
def test_any_prompt_keeps_every_promise_in_the_tokens_of_a_real_model(seed: int) -> None:
    """P9: where a text costs not quite the sum of its parts."""
    _check(seed, REAL_TOKENS)
