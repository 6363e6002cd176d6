"""Which conversation a client means, and what of its lines is new, changed or gone (V11, V2): a table of cases."""

from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.server.openai.history_alignment import Fit, HistoryAlignment, Naming, RequestedAction, alone, fit, meaning
from everlore.server.openai.line_alignment import KnownLine, SentLine

GREETING = "*She looks up from her charts.* Come in."
LONG = "The ferry to Grey Point leaves at {} in the morning."


def line(text: str) -> SentLine:
    """`u …` is the user's, `a …` the character's."""
    return SentLine(is_user=text.startswith("u"), text=text[2:])


def log_of(*texts: str, elsewhere: int = 0, failed: bool = False) -> list[KnownLine]:
    """The last `elsewhere` lines were said on the page; `failed`: the last line has a reply without a word."""
    kept: list[KnownLine] = []
    for at, text in enumerate(texts):
        follows = texts[at + 1] if at + 1 < len(texts) else ""
        is_last = at == len(texts) - 1
        reply = f"m{at + 1}" if follows.startswith("a") or (is_last and failed) else ""
        is_user = text.startswith("u")
        kept.append(
            KnownLine(
                id=f"m{at}",
                is_user=is_user,
                text=text[2:],
                is_ours=at < len(texts) - elsewhere,
                reply_id=reply if is_user else "",
                is_answered=not (is_last and failed),
            )
        )
    return kept


def talk(count: int, start: int = 0) -> list[str]:
    """So many exchanges."""
    return [
        each
        for n in range(start, start + count)
        for each in (f"u Question number {n}, if I may?", f"a {LONG.format(n)}")
    ]


@dataclass(frozen=True)
class Case:
    sent: list[str]
    kept: list[str]
    act: RequestedAction = RequestedAction.SAY
    reply: str = ""
    changed: tuple[tuple[str, str], ...] = ()
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    elsewhere: int = 0
    failed: bool = False


def _of(n: int) -> str:
    return LONG.format(n)


CASES = {
    "the whole talk goes on": Case([*talk(2), "u Next?"], talk(2), new=("Next?",)),
    "a client that trims goes on": Case([*talk(2, 8), "u Next?"], talk(10), new=("Next?",)),
    "it may begin with a reply": Case([*talk(2, 8)[1:], "u Next?"], talk(10), new=("Next?",)),
    "a swipe": Case(talk(10)[12:-1], talk(10), RequestedAction.AGAIN, "m19"),
    "a swipe of the first reply": Case(talk(1)[:1], talk(1), RequestedAction.AGAIN, "m1"),
    "a retry after a failure": Case(
        [*talk(1), "u Next?"], [*talk(1), "u Next?"], RequestedAction.AGAIN, "m3", failed=True
    ),
    "the last line was edited": Case(
        [*talk(2)[:-2], "u Another question?"],
        talk(2),
        RequestedAction.AGAIN,
        "m3",
        changed=(("m2", "Another question?"),),
    ),
    "a line in the middle was edited": Case(
        [*talk(1), "u My brother is called Tam.", *talk(3)[3:], "u Next?"],
        talk(3),
        changed=(("m2", "My brother is called Tam."),),
        new=("Next?",),
    ),
    "a reply was edited": Case(
        [*talk(2)[:-1], "a No ferry leaves at all.", "u Next?"],
        talk(2),
        changed=(("m3", "No ferry leaves at all."),),
        new=("Next?",),
    ),
    "an exchange in the middle was deleted": Case(
        [*talk(2), *talk(2, 3), "u Next?"], talk(5), gone=("m4", "m5"), new=("Next?",)
    ),
    "the last exchanges were deleted": Case(
        [*talk(3), "u Next?"], talk(6), gone=("m6", "m7", "m8", "m9", "m10", "m11"), new=("Next?",)
    ),
    "deleted, and the reply before is wanted anew": Case(
        talk(3)[:-1], talk(5), RequestedAction.AGAIN, "m5", gone=("m6", "m7", "m8", "m9")
    ),
    "a reply that was stopped is known by its beginning": Case(
        [*talk(1), "u Next?", f"a {_of(7)[:30]}", "u And then?"],
        [*talk(1), "u Next?", f"a {_of(7)}"],
        changed=(("m3", _of(7)[:30]),),
        new=("And then?",),
    ),
    "more of the last reply": Case(talk(4)[2:], talk(4), RequestedAction.GO_ON, "m7"),
    "more of a reply that was stopped": Case(
        [*talk(1), "u Next?", f"a {_of(7)[:30]}"],
        [*talk(1), "u Next?", f"a {_of(7)}"],
        RequestedAction.GO_ON,
        "m3",
        changed=(("m3", _of(7)[:30]),),
    ),
    "more of words that the client put there": Case(
        [*talk(1), "u Next?", "a Well,"], talk(1), RequestedAction.GO_ON, new=("Next?", "Well,")
    ),
    "names before lines": Case(
        ["u Ada: Question number 0, if I may?", f"a Nova: {_of(0)}", "u Ada: Next?"], talk(1), new=("Ada: Next?",)
    ),
    "a note of the client between the lines": Case(
        [*talk(2), "u [Author's note: it rains.]", *talk(1, 2), "u Next?"],
        talk(3),
        new=("Next?",),
        notes=("[Author's note: it rains.]",),
    ),
    "a note that stands at the end of every request": Case(
        [*talk(2), "u Next?", "u [It rains.]"],
        [*talk(1), "u Question number 1, if I may?", "u [It rains.]", f"a {_of(1)}"],
        gone=("m3",),
        new=("Next?",),
        notes=("[It rains.]",),
    ),
    "a note that began as the first line": Case(
        [*talk(2), "u [It rains.]", *talk(1, 2), "u Next?"],
        ["u [It rains.]", *talk(3)],
        gone=("m0",),
        new=("Next?",),
        notes=("[It rains.]",),
    ),
    "what the client brings along is new": Case(
        [*talk(3), "u Next?"],
        talk(1),
        new=("Question number 1, if I may?", _of(1), "Question number 2, if I may?", _of(2), "Next?"),
    ),
    "what was said on the page since stays": Case([*talk(1), "u Next?"], talk(3), elsewhere=4, new=("Next?",)),
    "the same short line again": Case(
        ["u Yes.", f"a {_of(1)}", "u Yes.", f"a {_of(2)}", "u Yes."],
        ["u Yes.", f"a {_of(1)}", "u Yes.", f"a {_of(2)}"],
        new=("Yes.",),
    ),
    "two lines of the user in a row": Case([*talk(1), "u Next?", "u Well?"], talk(1), new=("Next?", "Well?")),
    "an edit far up in a long talk": Case(
        ["u Edited.", *talk(200)[1:], "u Next?"], talk(200), changed=(("m0", "Edited."),), new=("Next?",)
    ),
    "a deletion far up in a long talk": Case(
        [*talk(5), *talk(194, 6), "u Next?"], talk(200), gone=("m10", "m11"), new=("Next?",)
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_client_means(name: str) -> None:
    """V2, V11."""
    case = CASES[name]
    log = log_of(*case.kept, elsewhere=case.elsewhere, failed=case.failed)

    found = meaning([line(each) for each in case.sent], log)

    assert (found.act, found.reply_id) == (case.act, case.reply)
    assert found.changed == case.changed
    assert found.gone == case.gone
    assert tuple(each.text for each in found.new) == case.new
    assert found.notes == case.notes


def test_a_version_of_a_reply_is_known_as_well_as_the_chosen_one() -> None:
    """V2: whoever goes back to an earlier swipe has edited nothing."""
    first, reply = log_of(*talk(1))
    reply = KnownLine(
        id=reply.id, is_user=False, text=reply.text, versions=("Not before noon, I am afraid.", reply.text)
    )

    found = meaning(
        [line(talk(1)[0]), SentLine(False, "Not before noon, I am afraid."), line("u Next?")], [first, reply]
    )

    assert found.changed == (("m1", "Not before noon, I am afraid."),)
    assert [each.text for each in found.new] == ["Next?"]


def test_a_known_note_is_no_line() -> None:
    note = "[It rains.]"
    sent = [*map(line, talk(2)[:-1]), SentLine(True, note)]

    found = meaning(sent, log_of(*talk(2)), known_notes=[note])

    assert (found.act, found.reply_id, found.notes) == (RequestedAction.AGAIN, "m3", (note,))


# ── whether the log is meant ─────────────────────────────────────────────────────────────────────

_GREETED = [f"a {GREETING}", *talk(4)]

_CANNED = ["u hey", "a Hello! How can I help you today?", "u Convert 5 miles to km"]
_SHORT = [each for n in range(3) for each in ("u And then?", f"a {LONG.format(n)}")]

FITS = [
    # what was sent, what is kept, how it is named, whether it is meant
    ("goes on", [*talk(2), "u Next?"], talk(2), Naming.NOTHING, Fit.SAME),
    ("trimmed", [*talk(2, 8), "u Next?"], talk(10), Naming.NOTHING, Fit.SAME),
    ("trimmed to one reply", [talk(10)[-1], "u Next?"], talk(10), Naming.NOTHING, Fit.SAME),
    ("a short reply tells nothing", ["a Yes.", "u Next?"], [*talk(3), "u Sure?", "a Yes."], Naming.NOTHING, Fit.OTHER),
    ("the last exchange rewritten", [*talk(1), "u Other?"], talk(2), Naming.NOTHING, Fit.SAME),
    ("most of it is another", [*talk(1), "u Other?"], talk(9), Naming.NOTHING, Fit.BRANCH),
    ("most of it is another, named", [*talk(1), "u Other?"], talk(9), Naming.TALK, Fit.SAME),
    ("only a greeting in common", [f"a {GREETING}", "u Hello!"], _GREETED, Naming.NOTHING, Fit.OTHER),
    ("only a greeting in common, named", [f"a {GREETING}", "u Hello!"], _GREETED, Naming.TALK, Fit.OTHER),
    ("a greeting that was not answered", [f"a {GREETING}", "u Hello!"], [f"a {GREETING}"], Naming.NOTHING, Fit.SAME),
    (
        "the first line edited",
        [f"a {GREETING}", "u Hi!"],
        [f"a {GREETING}", "u Hello!", f"a {_of(1)}"],
        Naming.TALK,
        Fit.SAME,
    ),
    (
        "canned lines in common",
        _CANNED,
        ["u Hi, I am Ada and new here.", *_CANNED[1:2], *talk(3)],
        Naming.NOTHING,
        Fit.OTHER,
    ),
    ("canned lines in common, named", _CANNED, [*_CANNED[:2], *talk(3)], Naming.TALK, Fit.OTHER),
    ("the same canned beginning", _CANNED, [*_CANNED[:2], *talk(3)], Naming.NOTHING, Fit.OTHER),
    ("the same canned beginning of a short talk", _CANNED, [*_CANNED[:2], *talk(1)], Naming.NOTHING, Fit.OTHER),
    ("a canned exchange on the way", _CANNED, [*talk(3), *_CANNED[:2], *talk(1, 3)], Naming.NOTHING, Fit.OTHER),
    ("a canned exchange at the end", _CANNED, [*talk(3), *_CANNED[:2]], Naming.NOTHING, Fit.OTHER),
    ("a canned greeting of the client", _CANNED[1:], [*_CANNED[:2], *talk(3)], Naming.NOTHING, Fit.OTHER),
    ("goes on after canned lines", _CANNED, _CANNED[:2], Naming.NOTHING, Fit.SAME),
    ("short lines, trimmed", [*_SHORT[2:], "u More!"], [*talk(3), *_SHORT], Naming.NOTHING, Fit.SAME),
    ("the first line edited, unnamed", ["u Other?", *talk(2)[1:], "u Next?"], talk(2), Naming.NOTHING, Fit.SAME),
    ("all but the first reply is another", ["u Other?", talk(1)[1], "u Next?"], talk(5), Naming.NOTHING, Fit.OTHER),
    ("nothing in common", talk(3, 5)[:-1], talk(4), Naming.NOTHING, Fit.OTHER),
    ("nothing in common, named", talk(3, 5)[:-1], talk(4), Naming.TALK, Fit.OTHER),
    ("one line, named", ["u Next?"], talk(4), Naming.TALK, Fit.SAME),
    ("one line", ["u Next?"], talk(4), Naming.NOTHING, Fit.OTHER),
    ("one line by a known person", ["u Next?"], talk(4), Naming.PERSON, Fit.OTHER),
    ("the first line again", talk(1)[:1], talk(1), Naming.NOTHING, Fit.OTHER),
    ("the first line again by a known person", talk(1)[:1], talk(1), Naming.PERSON, Fit.SAME),
]


@pytest.mark.parametrize(("name", "sent", "kept", "named", "expected"), FITS, ids=[each[0] for each in FITS])
def test_which_log_is_meant(name: str, sent: list[str], kept: list[str], named: Naming, expected: Fit) -> None:
    """V11."""
    lines, log = [line(each) for each in sent], log_of(*kept)

    assert fit(meaning(lines, log), lines, log, named) is expected


@pytest.mark.parametrize(
    ("sent", "failed", "act"),
    [
        ("u Next?", False, RequestedAction.SAY),
        ("u Question number 1, if I may?", False, RequestedAction.SAY),
        ("u Question number 1, if I may?", True, RequestedAction.AGAIN),
    ],
)
def test_one_line_alone_goes_on_unless_its_reply_never_came(sent: str, failed: bool, act: RequestedAction) -> None:
    log = log_of(*talk(2)[: 3 if failed else 4], failed=failed)

    assert alone(meaning([line(sent)], log), line(sent), log).act is act


# ── whatever is sent ─────────────────────────────────────────────────────────────────────────────

_TEXTS = st.lists(
    st.sampled_from(["u Yes.", "u No.", f"u {_of(1)}", "a Yes.", f"a {_of(2)}", f"a {_of(3)}"]), max_size=9
)


@settings(max_examples=300)
@given(sent=_TEXTS.filter(bool), kept=_TEXTS)
def test_the_log_becomes_what_was_sent(sent: list[str], kept: list[str]) -> None:
    """V2: no line twice, and none lost: what is kept afterwards ends with what the client has, notes aside."""
    log = log_of(*kept)
    found = meaning([line(each) for each in sent], log)

    after = _applied(found, log)
    said = _said(sent)

    assert len(after) >= len(said) - len(found.notes)
    ends = after[len(after) - len(said) + len(found.notes) :]
    assert _is_part(ends, said)
    assert Counter(text for _, text in said) - Counter(text for _, text in ends) == Counter(found.notes)


def _is_part(some: list[tuple[bool, str]], all_of: list[tuple[bool, str]]) -> bool:
    """In the same order."""
    rest = iter(all_of)
    return all(each in rest for each in some)


def _said(texts: list[str]) -> list[tuple[bool, str]]:
    return [(each.startswith("u"), each[2:]) for each in texts]


def _applied(found: HistoryAlignment, log: list[KnownLine]) -> list[tuple[bool, str]]:
    changed = dict(found.changed)
    staying = [each for each in log if each.id not in found.gone]
    kept = [(each.is_user, changed.get(each.id, each.text)) for each in staying if each.id != _replaced(found)]
    return [*kept, *((each.is_user, each.text) for each in found.new)]


def _replaced(found: HistoryAlignment) -> str:
    return found.reply_id if found.act is RequestedAction.AGAIN else ""
