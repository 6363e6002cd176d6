"""Which entries of lorebooks fire, as SillyTavern and character cards define it (V18)."""

import time
from typing import Any

import pytest

from everlore.compose.lore import Fired, Logic, LorebookRules, LoreRule, fire, within_budget


def entry(uid: str = "a", **fields: Any) -> LoreRule:
    return LoreRule(uid=uid, **{"keys": ("lamp",), "content": f"About {uid}."} | fields)


def book(*entries: LoreRule, **fields: Any) -> LorebookRules:
    return LorebookRules(**{"id": "b", "name": "LorebookRules", "entries": entries} | fields)


def fired(*books: LorebookRules, lines: tuple[str, ...] = ("Ann: Look at the lamp.",), seed: str = "s") -> list[str]:
    return [each.entry.uid for each in fire(books, lines, seed=seed)]


@pytest.mark.parametrize(
    ("fields", "line", "fires"),
    [
        ({}, "Ann: Look at the LAMPS.", True),
        ({}, "Ann: Look at the sea.", False),
        ({"case_sensitive": True}, "Ann: Look at the Lamp.", False),
        ({"case_sensitive": True}, "Ann: Look at the lamp.", True),
        ({"whole_words": True}, "Ann: two lamps", False),
        ({"whole_words": True}, "Ann: a lamp!", True),
        ({"whole_words": True, "keys": ("old lamp",)}, "Ann: gold lamps", True),
        ({"keys": ("/l[ai]mps?/",)}, "Ann: limp", True),
        ({"keys": ("/lamp/",)}, "Ann: LAMP", False),
        ({"keys": ("/lamp/i",)}, "Ann: LAMP", True),
        ({"keys": ("/(lamp/",)}, "Ann: lamp", False),
        ({"keys": ("l.mp",), "is_pattern": True}, "Ann: Lump", True),
        ({"keys": ("l.mp",)}, "Ann: lump", False),
        ({"keys": ("", " ")}, "Ann: anything at all", False),
        ({"is_enabled": False}, "Ann: lamp", False),
        ({"is_constant": True, "keys": ()}, "Ann: nothing of it", True),
        ({"excluded_keys": ("sea",)}, "Ann: a lamp at sea", False),
        ({"probability": 0}, "Ann: lamp", False),
        ({"delay": 2}, "Ann: lamp", False),
        ({"content": " "}, "Ann: lamp", False),
    ],
)
def test_an_entry_fires_for_its_keys(fields: dict[str, Any], line: str, fires: bool) -> None:
    """V18."""
    assert fired(book(entry(**fields)), lines=(line,)) == (["a"] if fires else [])


@pytest.mark.parametrize(
    ("logic", "line", "fires"),
    [
        (Logic.AND_ANY, "lamp and oil", True),
        (Logic.AND_ANY, "lamp", False),
        (Logic.AND_ALL, "lamp and oil", False),
        (Logic.AND_ALL, "lamp, oil and wick", True),
        (Logic.NOT_ANY, "lamp", True),
        (Logic.NOT_ANY, "lamp and oil", False),
        (Logic.NOT_ALL, "lamp and oil", True),
        (Logic.NOT_ALL, "lamp, oil and wick", False),
    ],
)
def test_secondary_keys_narrow_it_down(logic: Logic, line: str, fires: bool) -> None:
    """V18: and never without a primary key."""
    chosen = book(entry(secondary_keys=("oil", "wick"), logic=logic))

    assert fired(chosen, lines=(line,)) == (["a"] if fires else [])
    assert fired(chosen, lines=("oil and wick",)) == []


def test_only_so_many_of_the_latest_messages_are_looked_through() -> None:
    """V18: as the book says, or the entry."""
    lines = ("the lamp", "the sea", "the wind")
    entries = (entry("book"), entry("deep", scan_depth=3), entry("none", scan_depth=0))

    assert fired(book(*entries), lines=lines) == ["deep"]
    assert fired(book(*entries, scan_depth=3), lines=lines) == ["book", "deep"]


def test_what_an_entry_says_can_fire_another() -> None:
    """V18: where the book says so, and neither of the two forbids it."""
    first = entry("first", content="The lamp hangs in the tower.")
    second = entry("second", keys=("tower",), content="The tower has a cellar.")
    third = entry("third", keys=("cellar",))

    assert fired(book(first, second, third)) == ["first"]
    assert fired(book(first, second, third, is_recursive=True)) == ["first", "second", "third"]
    quiet = entry("first", content=first.content, prevent_recursion=True)
    assert fired(book(quiet, second, third, is_recursive=True)) == ["first"]
    shut = entry("second", keys=("tower",), exclude_recursion=True)
    assert fired(book(first, shut, is_recursive=True)) == ["first"]
    late = entry("late", delay_until_recursion=True)
    assert fired(book(late)) == []
    assert fired(book(first, late, is_recursive=True)) == ["first", "late"]


def test_of_a_group_one_fires() -> None:
    """V18: by its weight, or the one that overrides; always the same for the same turn."""
    chosen = book(entry("a", groups=("g",)), entry("b", groups=("g",)), entry("c"))

    draws = [tuple(fired(chosen, seed=str(seed))) for seed in range(40)]

    assert set(draws) == {("a", "c"), ("b", "c")}
    assert draws == [tuple(fired(chosen, seed=str(seed))) for seed in range(40)]
    override = book(entry("a", groups=("g",)), entry("b", groups=("g",), group_override=True))
    assert {tuple(fired(override, seed=str(seed))) for seed in range(20)} == {("b",)}


def test_chance_is_as_often_as_it_says() -> None:
    """V18."""
    chosen = book(entry(probability=30))

    count = sum(bool(fired(chosen, seed=str(seed))) for seed in range(1_000))

    assert 240 < count < 360


def test_a_sticky_entry_stays_and_rests_after_it() -> None:
    """V18: for so many messages each."""
    chosen = book(entry(sticky=2, cooldown=2), scan_depth=1)
    lines = ["lamp", "one", "two", "lamp", "lamp", "lamp"]

    told = [bool(fired(chosen, lines=tuple(lines[:count]))) for count in range(1, len(lines) + 1)]

    assert told == [True, True, True, False, False, True]


def test_what_has_no_room_is_named_and_the_last_in_order_stays() -> None:
    """V18: a higher order stands further down, and goes last; a book has a budget of its own."""
    entries = (entry("low", order=1), entry("high", order=9), entry("free", order=5, ignore_budget=True))
    each = fire([book(*entries, token_budget=10)], ["lamp"], seed="")

    def cost(_: Fired) -> int:
        return 10

    assert [one.entry.uid for one in each] == ["low", "free", "high"]
    kept, unfit = within_budget(each, 100, cost)
    assert [one.entry.uid for one in kept] == ["free", "high"]
    assert [(one.fired.entry.uid, "budget" in one.why) for one in unfit] == [("low", True)]
    kept, unfit = within_budget(each, 15, cost)
    assert [one.entry.uid for one in kept] == ["high"]
    assert len(unfit) == 2


def test_no_pattern_of_another_takes_long() -> None:
    """S-8."""
    started = time.monotonic()

    assert fired(book(entry(keys=("/(a+)+$/",))), lines=("a" * 5_000 + "b",)) == []

    assert time.monotonic() - started < 2
