"""The macros that cards are written with (V9), which nobody can smuggle anything into (S-6, S-8)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.macros import expand

HALF_A_MEGABYTE = 500_000


def told(text: str, *, char: str = "Mira", user: str = "Bob", seed: str = "chat", turn: str = "1") -> str:
    return expand(text, char=char, user=user, seed=seed, turn=turn)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{char}} greets {{user}}.", "Mira greets Bob."),
        ("{{CHAR}} and {{ User }}", "Mira and Bob"),
        ("<char>, <BOT> and <User>", "Mira, Mira and Bob"),
        ("a{{// nobody sees this}}b", "ab"),
        ("a{{//nor this}}b", "ab"),
        ("a{{comment: or {{user}} }}b", "ab"),
        ("a{{hidden_key:dragon}}b", "ab"),
        ("{{reverse:Hello}}", "olleH"),
        ("{{reverse:{{user}}}}", "boB"),
        ("{{random:only}}", "only"),
        ("{{pick:{{char}}}}", "Mira"),
        ("{{random:one\\, two}}", "one, two"),
        ("{{random::a,b}}", "a,b"),
        ("{{roll:1}} {{roll:d1}} {{ROLL:D1}} {{roll:3d1}}", "1 1 1 3"),
        ("{{{char}}}", "{Mira}"),
        ("<div>{{char}}</div>", "<div>Mira</div>"),
        ("", ""),
        ("no macros { here } at <all>", "no macros { here } at <all>"),
    ],
)
def test_known_macros_are_replaced(text: str, expected: str) -> None:
    """V9."""
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "{{getvar::mood}}",
        "{{original}}",
        "{{charming}}",
        "{{user:x}}",
        "{{bot}}",
        "{{roll:}}",
        "{{roll:d0}}",
        "{{roll:six}}",
        "{{roll:999d6}}",
        "{{}}",
        "{{ }}",
        "{{char",
        "char}}",
        "}}{{",
        "{{char}",
        "{char}}",
        "\\,",
    ],
)
def test_what_is_no_macro_of_ours_stays_as_it_is(text: str) -> None:
    """V9."""
    assert told(text) == text


def test_an_unknown_macro_stays_around_the_known_one_in_it() -> None:
    assert told("{{setvar::who::{{user}}}}") == "{{setvar::who::Bob}}"
    assert told("{{ unfinished {{user}}") == "{{ unfinished Bob"


@pytest.mark.parametrize("macro", ["random", "pick"])
def test_a_choice_is_one_of_its_options(macro: str) -> None:
    """V9."""
    seen = {told(f"{{{{{macro}:red,green, blue }}}}", seed=str(at)) for at in range(100)}

    assert seen == {"red", "green", "blue"}


def test_a_pick_stays_the_same_in_a_conversation_while_random_goes_on() -> None:
    """V9."""
    turns = [str(at) for at in range(50)]

    assert len({told("{{pick:a,b,c,d}}", turn=turn) for turn in turns}) == 1
    assert len({told("{{random:a,b,c,d}}", turn=turn) for turn in turns}) == 4
    assert len({told("so: {{pick:a,b,c,d}} or so", turn=turn) for turn in turns}) == 1


def test_two_rolls_in_one_text_are_two_rolls() -> None:
    rolled = [told("{{roll:1000000}} {{roll:1000000}}", turn=str(at)).split() for at in range(20)]

    assert any(one != other for one, other in rolled)


@pytest.mark.parametrize(("dice", "least", "most"), [("6", 1, 6), ("d6", 1, 6), ("2d6", 2, 12)])
def test_a_roll_is_within_its_dice(dice: str, least: int, most: int) -> None:
    """V9."""
    rolled = {int(told(f"{{{{roll:{dice}}}}}", turn=str(at))) for at in range(400)}

    assert rolled == set(range(least, most + 1))


@given(st.text(), st.text())
def test_the_same_words_always_come_to_the_same(text: str, seed: str) -> None:
    assert told(text, seed=seed) == told(text, seed=seed)


@given(st.text(alphabet="{}<>:,\\/ acdehilmnoprsuvy|_"))
def test_no_text_breaks_it_and_one_without_macros_stays_as_it_is(text: str) -> None:
    assert told(text) == text or "{{" in text or "<" in text


@pytest.mark.parametrize(
    "name", ["{{char}}", "{{user}}", "<user>", "a,b,c", "//", "random:x", "{{", "}}", "char", "{{roll:6}}"]
)
def test_a_name_is_never_read_as_a_macro_or_a_list(name: str) -> None:
    """S-6."""
    assert told("{{user}}", user=name) == name
    assert told("<user>", user=name) == name
    assert told("{{random:{{user}}}}", user=name) == name
    assert told("{{pick:<user>}}", user=name) == name
    assert told("{{{{user}}}}", user=name) == f"{{{{{name}}}}}"


@given(user=st.text(alphabet="{}<>:,/ acehmnrsu", max_size=20), char=st.text(alphabet="{}<>:,/ acehmnrsu", max_size=20))
def test_names_come_through_unchanged_whatever_is_around_them(user: str, char: str) -> None:
    """S-6."""
    assert told("{{char}}|{{user}}|<bot>", char=char, user=user) == f"{char}|{user}|{char}"


@pytest.mark.parametrize(
    "unit", ["{{", "}}", "{{random:", "{{random:a,", "<user>", "{", "{{user}}", "{{//", "{{{", "}", "{{reverse:", "\\,"]
)
def test_hostile_text_takes_no_more_steps_than_it_has_characters(unit: str) -> None:
    """S-8: an implementation that copies at each level would not come to an end here."""
    many = HALF_A_MEGABYTE // len(unit)

    for text in (unit * many, f"{{{{random:{unit * many}}}}}", "{{" * many + unit + "}}" * many):
        assert len(told(text)) <= 2 * len(text)


def test_braces_deeper_than_anybody_nests_are_text() -> None:
    deep = "{{reverse:" * 40 + "{{user}}" + "}}" * 40

    assert re.search(r"\{\{user\}\}|\}\}resu\{\{", told(deep))
