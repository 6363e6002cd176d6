"""How many memories reach a prompt: the budget decides, the depth limits, and the x-ray names what keeps one out."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from everlore.domain.config import config_of
from everlore.domain.conversation import Conversation
from everlore.domain.memory import MemoryType
from everlore.domain.policy import Mode, Role
from everlore.models.tiktoken_tokenizer import TiktokenTokenizer
from everlore.models.tokenizer import CountedOnce
from everlore.store.port import Put
from everlore.turn.xrays import Seen, XRays
from tests.contract.builders import memory
from tests.turn.world import World, world

TOKENS = CountedOnce(TiktokenTokenizer("o200k_base"))
BUDGETS = (25, 40, 60, 80, 100, 150, 200, 226, 250, 300, 400, 500, 700, 1_000, 2_000, 4_000)
QUESTION = "Which crane does the harbour have?"
MANY = 60


async def _knowing_much(**fields: Any) -> tuple[World, Conversation]:
    mind = world()
    mind.resources = replace(mind.resources, tokenizer=TOKENS)
    talk = await mind.sits_down("Mira")
    user = talk.user_id or ""
    kinds = (MemoryType.FACT, MemoryType.DECISION, MemoryType.RELATIONSHIP)
    held = [
        memory(f"m{number:02}", f"The harbour has crane {number}.", workspace="here", persons=("mira", user), **fields)
        for number in range(MANY)
    ]
    await mind.store.apply(mind.scope, [Put(replace(each, type=kinds[number % 3])) for number, each in enumerate(held)])
    return mind, talk


async def _seen(mind: World, talk: Conversation, scope: Any = None, **config: Any) -> Seen:
    x_rays = XRays(scope or mind.scope, mind.resources)
    return await x_rays.would_be(talk.id, QUESTION, config=config_of({"auto_title": False, **config}))


def _told(seen: Seen) -> set[str]:
    return {each["id"] for each in seen.account["memories"] if not each["left_out"]}


def _left(seen: Seen, *limits: str) -> set[str]:
    return {each["id"] for each in seen.account["memories"] if each["left_out"] and each["limited_by"] == limits}


def _warned(seen: Seen) -> str:
    return " ".join(seen.account["warnings"])


@pytest.mark.parametrize("framing", ["block", "markdown"])
async def test_the_larger_the_budget_the_more_memories_and_never_more_than_it_holds(framing: str) -> None:
    """V6, P9, C4: from a budget smaller than the frame of a block up to one that holds them all."""
    mind, talk = await _knowing_much()
    written = {"name": "Short", "framing": framing, "sections": {"memory": {"content": "${memory.context}"}}}
    kept = await mind.lore.templates.create(written)

    counts = []
    for budget in BUDGETS:
        seen = await _seen(mind, talk, memory_budget=budget, context_window=100_000, template=kept.kept.id)
        cost = sum(each["tokens"] for each in seen.account["sections"] if each["part"] == "recall")
        assert cost <= budget, f"{budget}"
        counts.append(len(_told(seen)))

    assert counts == sorted(counts)
    assert counts[BUDGETS.index(60)] >= 1
    assert counts[BUDGETS.index(500)] == 12
    assert counts[BUDGETS.index(1_000)] > 12
    assert counts[-1] == MANY


@pytest.mark.parametrize("budget", [40, 100, 300, 500, 900])
async def test_what_the_x_ray_tells_to_raise_does_bring_them_in(budget: int) -> None:
    """P12."""
    mind, talk = await _knowing_much()

    seen = await _seen(mind, talk, memory_budget=budget, context_window=100_000)
    raised = await _seen(mind, talk, memory_budget=4_000, context_window=100_000)

    left = _left(seen, "memory_budget")
    assert len(left) > 10
    assert f"{len(left)} recalled memories had no room. Raise “Memory budget (tokens)”" in _warned(seen)
    assert left <= _told(raised)


async def test_where_the_window_is_what_is_narrow_it_is_named() -> None:
    """P12, P9: a larger budget would bring nothing there."""
    mind, talk = await _knowing_much()
    narrow = {"context_window": 1_024, "memory_budget": 1_600}

    seen = await _seen(mind, talk, **narrow)
    richer = await _seen(mind, talk, context_window=1_024, memory_budget=3_000)
    wider = await _seen(mind, talk, context_window=100_000, memory_budget=1_600)
    both = await _seen(mind, talk, context_window=100_000, memory_budget=3_000)

    assert _left(seen, "context_window")
    assert len(_told(richer)) <= len(_told(seen))
    assert _left(seen, "context_window") <= _told(wider)
    assert _left(seen, "memory_budget", "context_window") <= _told(both)
    assert _left(seen, "memory_budget") == set()
    assert "Raise “Context window (tokens)” to" in _warned(seen)


@pytest.mark.parametrize(
    ("mode", "role", "most"),
    [
        (Mode.EMULATION, Role.OWNER, 3),
        (Mode.AGENT, Role.OWNER, 6),
        (Mode.DUAL, Role.MEMBER, 8),
        (Mode.DUAL, Role.GUEST, 3),
    ],
)
async def test_no_budget_lifts_the_depth_of_a_mode_or_a_role(mode: Mode, role: Role, most: int) -> None:
    """C4, P12: and the x-ray says that it is the depth."""
    mind, talk = await _knowing_much()
    caller = replace(mind.scope, mode=mode, role=role, person_id=talk.user_id)

    few, usual, seen = [
        await _seen(mind, talk, caller, memory_budget=budget, context_window=100_000) for budget in (60, 500, 4_000)
    ]

    assert 0 < len(_told(few)) <= len(_told(usual)) <= len(_told(seen)) == most
    assert _left(seen, "depth") == {each["id"] for each in seen.account["memories"] if each["left_out"]} != set()
    assert "more than mode and role allow" in _warned(seen)
    assert "Raise" not in _warned(seen)


async def test_memories_of_a_block_that_has_no_room_are_told_as_a_page() -> None:
    """P8, P15: at least half of a budget is for what is remembered, and the x-ray says how it is told."""
    mind, talk = await _knowing_much()

    small = await _seen(mind, talk, memory_budget=80)
    usual = await _seen(mind, talk)

    assert (small.account["framing"], usual.account["framing"]) == ("markdown", "block")
    assert "told as a page" in _warned(small)
    assert "told as a page" not in _warned(usual)
    assert "## What you know" in "".join(each.content for each in small.messages)


# ── shares of the layers ─────────────────────────────────────────────────────────────────────────

LAYERS = ("pair", "character", "cross")
EACH = 25
# What one of them costs at most.
ONE = 65


async def _three_layers(counts: Mapping[str, int]) -> tuple[World, Conversation]:
    """Mira with so many memories of the user, of her own and with Rex; all about the cranes."""
    mind = world()
    mind.resources = replace(mind.resources, tokenizer=TOKENS)
    talk = await mind.sits_down("Mira")
    await mind.meets("Rex")
    persons = {"pair": ("mira", talk.user_id or ""), "character": ("mira",), "cross": ("mira", "rex")}
    held = [
        memory(f"{layer}{number:02}", _about_a_crane(layer, number, shift))
        for shift, layer in enumerate(LAYERS)
        for number in range(counts[layer])
    ]
    owned = [replace(each, workspace="here", persons=persons[each.id.rstrip("0123456789")]) for each in held]
    await mind.store.apply(mind.scope, [Put(each) for each in owned])
    return mind, talk


def _about_a_crane(layer: str, number: int, shift: int) -> str:
    """Long enough that tokens run out before places do."""
    beside = " ".join(f"part {number * 31 + shift + each} of lot {each * number}," for each in range(3))
    return f"The harbour crane of {layer} yard {number} has hook {number * 7 + shift} with {beside} and no brake."


def _by_layer(seen: Seen) -> dict[str, int]:
    told = [each["layer"] for each in seen.account["memories"] if not each["left_out"]]
    return {layer: told.count(layer) for layer in LAYERS}


@pytest.mark.parametrize("budget", [500, 2_000])
@pytest.mark.parametrize("shares", [(60, 20, 20), (20, 60, 20), (20, 20, 60)])
async def test_each_layer_has_the_share_that_was_set(shares: tuple[int, int, int], budget: int) -> None:
    """R1: of tokens, whatever the other layers hold."""
    mind, talk = await _three_layers(dict.fromkeys(LAYERS, EACH))
    written = ", ".join(f"{layer} {share}" for layer, share in zip(LAYERS, shares, strict=True))

    seen = await _seen(
        mind, talk, memory_budget=budget, memory_shares=written, gossip_enabled=True, context_window=100_000
    )

    told = _by_layer(seen)
    grants = {each["name"]: each for each in seen.account["layers"]}
    for layer, share in zip(LAYERS, shares, strict=True):
        grant = grants[layer]
        most_of_all = told[layer] == EACH
        assert most_of_all or grant["used"] > grant["share"] - ONE, (layer, grant)
        assert told[layer] >= min(EACH, sum(told.values()) * share // 100 - 1), told
    assert sum(each["used"] for each in grants.values()) <= budget
    assert max(told, key=lambda layer: told[layer]) == LAYERS[shares.index(60)]


async def test_what_a_layer_does_not_use_flows_on_and_the_account_says_so() -> None:
    """R1, P12."""
    mind, talk = await _three_layers({"pair": 1, "character": EACH, "cross": 0})

    seen = await _seen(mind, talk, memory_budget=500, memory_shares="pair 80, character 20", context_window=100_000)

    grants = {each["name"]: each for each in seen.account["layers"]}
    assert _by_layer(seen)["character"] > 3
    assert grants["pair"]["passed_on"] == grants["pair"]["share"] - grants["pair"]["used"] > 0
    assert grants["character"]["borrowed"] == grants["character"]["used"] - grants["character"]["share"] > 0
    assert grants["character"]["wanted"] > grants["character"]["used"]


@pytest.mark.parametrize("layer", LAYERS)
async def test_a_share_of_nothing_lets_nothing_in(layer: str) -> None:
    """R1: however much room there is."""
    mind, talk = await _three_layers(dict.fromkeys(LAYERS, 4))
    others = [each for each in LAYERS if each != layer]
    written = ", ".join(f"{each} {0 if each == layer else 50}" for each in LAYERS)

    seen = await _seen(
        mind, talk, memory_budget=4_000, memory_shares=written, gossip_enabled=True, context_window=100_000
    )

    assert _by_layer(seen) == {layer: 0} | dict.fromkeys(others, 4)
