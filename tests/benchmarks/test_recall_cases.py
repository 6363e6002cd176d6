"""The readers of `bench recall` (R13): public formats, what is repaired in them, and what is said of broken files."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.recall.cases import Case, OffTopicQuestion, Query, Turn, first
from benchmarks.recall.files import read_cases
from benchmarks.recall.locomo import read_locomo, read_observations
from benchmarks.recall.longmemeval import read_longmemeval
from benchmarks.recall.turn_lines import read_turns
from everlore.errors import BadAsk


def _bytes(value: Any) -> bytes:
    return json.dumps(value).encode()


# ── LoCoMo ───────────────────────────────────────────────────────────────────────────────────────


def _locomo(*qa: dict[str, Any]) -> list[dict[str, Any]]:
    said = [
        {"speaker": "Ada", "dia_id": "D1:1", "text": "I sold the boat."},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a photo of a red kite"},
    ]
    later = [{"speaker": "Ada", "dia_id": "D10:1", "text": "I miss it."}]
    talk = {
        "speaker_a": "Ada",
        "speaker_b": "Ben",
        "session_10_date_time": "no date at all",
        "session_10": later,
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": said,
    }
    return [{"sample_id": "conv-1", "conversation": talk, "qa": list(qa)}]


def _qa(**fields: Any) -> dict[str, Any]:
    return {"question": "What did Ada sell?", "evidence": ["D1:1"], "category": 4} | fields


def test_locomo_sessions_come_in_order_with_dates_and_captions() -> None:
    """R13: captions are part of what was said."""
    (case,) = read_locomo(_bytes(_locomo(_qa())), "f").cases

    assert [turn.id for turn in case.turns] == ["D1:1", "D1:2", "D10:1"]
    assert case.turns[1].text == "Look! [shares a photo of a red kite]"
    assert [turn.session for turn in case.turns] == ["S1", "S1", "S10"]
    assert [turn.date for turn in case.turns] == ["2023-05-08T13:56", "2023-05-08T13:56", None]
    assert case.turns[0].spoken == "Ada: I sold the boat."


def test_locomo_notes_are_read_as_memories_with_the_questions_that_they_answer() -> None:
    """R13: what was noted of a turn answers what the turn answers; where nothing was, nobody is asked."""
    (record,) = _locomo(_qa(), _qa(question="And the kite?", evidence=["D1:2"]), _qa(evidence=["D1:1", "D10:1"]))
    notes = {
        "session_10_observation": {"Ada": [["Ada misses the boat.", ["D10:1", "D1:1"]]]},
        "session_1_observation": {"Ada": [["Ada sold her boat.", "D1:1"]], "Ben": []},
    }

    reading = read_observations(_bytes([record | {"observation": notes}]), "f")

    (case,) = reading.cases
    assert [(turn.id, turn.text, turn.speaker, turn.date) for turn in case.turns] == [
        ("S1/0", "Ada sold her boat.", "Ada", "2023-05-08T13:56"),
        ("S10/1", "Ada misses the boat.", "Ada", None),
    ]
    assert [query.gold for query in case.queries] == [{"S1/0", "S10/1"}, {"S1/0", "S10/1"}]
    assert reading.dropped == {"questions of which not all was noted": 1}


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ([], "'f', 1., observation, session_1_observation, Ada, 1.: the note is empty"),
        (["boat"], ""),
        ([7, "D1:1"], "should be a text"),
        ("Ada sold her boat.", "should be a list"),
    ],
)
def test_a_note_that_cannot_be_read_is_named_with_its_place(note: Any, said: str) -> None:
    """R13: one without turns answers nothing, and is a memory all the same."""
    (record,) = _locomo(_qa())
    right = ["Ada sold her boat.", "D1:1"]
    data = _bytes([record | {"observation": {"session_1_observation": {"Ada": [note, right]}}}])

    if said:
        with pytest.raises(BadAsk, match=re.escape(said)):
            read_observations(data, "f")
    else:
        (case,) = read_observations(data, "f").cases
        assert [turn.text for turn in case.turns] == ["boat", "Ada sold her boat."]


@pytest.mark.parametrize("format", ["beam", "longmemeval"])
def test_memories_are_not_asked_of_sets_that_have_none(format: str, tmp_path: Path) -> None:
    """R13."""
    with pytest.raises(BadAsk, match="--memories takes locomo or turns"):
        read_cases(tmp_path, format, memories=True)


@pytest.mark.parametrize(
    ("evidence", "gold"),
    [
        (["D1:1; D10:01"], {"D1:1", "D10:1"}),
        (["D:1:2"], {"D1:2"}),
        (["D1:1", "D1:1", "D7:3"], {"D1:1"}),
    ],
)
def test_locomo_evidence_is_repaired(evidence: list[str], gold: set[str]) -> None:
    """R13: several ways to write an id; ids of turns that do not exist are dropped."""
    (case,) = read_locomo(_bytes(_locomo(_qa(evidence=evidence))), "f").cases

    assert case.queries[0].gold == gold


def test_locomo_questions_without_evidence_are_counted_and_not_asked() -> None:
    reading = read_locomo(_bytes(_locomo(_qa(), _qa(evidence=["D7:3"]), _qa(evidence=[]))), "f")

    assert reading.queries == 1
    assert reading.dropped == {"questions without gold": 2, "gold turns that do not exist": 1}


def test_locomo_adversarial_questions_stand_apart() -> None:
    """R13: reported, and kept out of the whole."""
    (case,) = read_locomo(_bytes(_locomo(*(_qa(category=number) for number in (1, 2, 3, 4, 5)))), "f").cases

    assert [query.category for query in case.queries] == [
        *("multi-hop", "temporal", "open-domain", "single-hop", "adversarial")
    ]
    assert [query.scored for query in case.queries] == [True, True, True, True, False]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b'[\n{"sample_id":\n', "Line 3 of 'talk.json' is not JSON: Expecting value"),
        (b"\xff", "'talk.json' is not UTF-8"),
        (b"{}", "'talk.json': '{}' should be a list."),
        (b'[{"qa": []}]', "'talk.json', 1.: there is no 'sample_id'."),
        (_bytes(_locomo(_qa(category=9))), "'talk.json', 1., qa, 1., category: 9 is no category of LoCoMo."),
        (_bytes(_locomo(_qa(question=3))), "'talk.json', 1., qa, 1., question: '3' should be a text."),
        (_bytes(_locomo()), "'talk.json' holds no question with a known answer."),
        (_bytes(_locomo(_qa()) * 2), "'talk.json' has two cases with the id 'conv-1'."),
    ],
)
def test_a_broken_locomo_file_is_named_with_the_place(data: bytes, sentence: str) -> None:
    with pytest.raises(BadAsk) as raised:
        read_locomo(data, "talk.json")

    assert sentence in str(raised.value)


# ── LongMemEval ──────────────────────────────────────────────────────────────────────────────────


def _question(**fields: Any) -> dict[str, Any]:
    return {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Which degree do I have?",
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
        "haystack_session_ids": ["s1", "s2"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I graduated in law.", "has_answer": True},
                {"role": "assistant", "content": "!"},
            ],
            [{"role": "user", "content": "Hello."}],
        ],
        "answer_session_ids": ["s1"],
    } | fields


def test_longmemeval_makes_a_case_of_each_question() -> None:
    """R13: gold turns where they are marked, gold sessions always."""
    (case,) = read_longmemeval(_bytes([_question()]), "f").cases

    assert case.queries == (
        Query(
            id="q1",
            text="Which degree do I have?",
            category="single-session-user",
            gold=frozenset({"s1/0/0"}),
            gold_sessions=frozenset({"s1"}),
        ),
    )
    assert [(turn.id, turn.session, turn.speaker) for turn in case.turns] == [
        ("s1/0/0", "s1", "user"),
        ("s1/0/1", "s1", "assistant"),
        ("s2/1/0", "s2", "user"),
    ]
    assert case.turns[0].date == "2023-05-20T02:21"


def test_longmemeval_without_marked_turns_is_measured_by_session() -> None:
    sessions = [[{"role": "user", "content": "I graduated in law."}], [{"role": "user", "content": "Hello."}]]

    (case,) = read_longmemeval(_bytes([_question(haystack_sessions=sessions)]), "f").cases

    assert case.queries[0].gold == frozenset()
    assert case.queries[0].gold_sessions == {"s1"}


def test_longmemeval_questions_to_abstain_from_stand_apart() -> None:
    reading = read_longmemeval(
        _bytes([_question(question_id="q1_abs"), _question(question_id="q2", answer_session_ids=["gone"])]), "f"
    )

    assert [case.queries[0].scored for case in reading.cases] == [False]
    assert reading.dropped == {"gold sessions that do not exist": 1, "questions without gold": 1}


def test_a_haystack_whose_lists_differ_in_length_is_refused() -> None:
    with pytest.raises(BadAsk, match=r"'f', 1\.: there are 2 sessions, 1 ids and 2 dates"):
        read_longmemeval(_bytes([_question(haystack_session_ids=["s1"])]), "f")


# ── BEAM ─────────────────────────────────────────────────────────────────────────────────────────


def test_beam_is_read_from_its_folders_in_order(tmp_path: Path) -> None:
    """R13: marks behind the messages are taken off, dates hold until the next one."""
    for number in ("10", "2"):
        home = tmp_path / number
        home.mkdir()
        messages = [
            {"id": 0, "role": "user", "content": "I build a boat. ->-> 1,3", "time_anchor": "March-15-2024"},
            {"id": 1, "role": "assistant", "content": "Which one?"},
        ]
        (home / "chat.json").write_bytes(_bytes([{"batch_number": 1, "turns": [messages]}]))
        questions = {
            "facts": [{"question": "What do I build?", "source_chat_ids": {"first": [0], "second": ["1", 99]}}],
            "abstention": [{"question": "Who is my aunt?", "source_chat_ids": []}],
        }
        (home / "probing_questions.json").write_bytes(_bytes(questions))
    (tmp_path / "notes.txt").write_text("not a chat")

    reading = read_cases(tmp_path, "beam")

    assert [case.id for case in reading.cases] == ["beam-2", "beam-10"]
    case = reading.cases[0]
    assert [(turn.id, turn.text, turn.date) for turn in case.turns] == [
        ("0", "I build a boat.", "2024-03-15T00:00"),
        ("1", "Which one?", "2024-03-15T00:00"),
    ]
    assert [(query.category, query.gold) for query in case.queries] == [("facts", frozenset({"0", "1"}))]
    assert reading.dropped == {"gold turns that do not exist": 2, "questions without gold": 2}


def test_a_folder_without_chats_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadAsk, match="has no numbered folder in it"):
        read_cases(tmp_path, "beam")
    with pytest.raises(BadAsk, match="is no folder that can be read"):
        read_cases(tmp_path / "gone", "beam")


# ── one's own ────────────────────────────────────────────────────────────────────────────────────


def _line(**fields: Any) -> dict[str, Any]:
    return {
        "case": "one",
        "turns": [{"id": "a", "text": "I sold the boat.", "speaker": "Ada", "date": "2024-05-01", "session": "1"}],
        "queries": [{"id": "q", "text": "What was sold?", "gold": ["a"], "category": "single-hop"}],
    } | fields


def test_turns_need_little() -> None:
    """R13: an id and a text, a question and its gold."""
    bare = {"turns": [{"id": 7, "text": "Hello."}], "queries": [{"text": "Who?", "gold": [7]}]}

    reading = read_turns(_bytes(_line()) + b"\n\n" + _bytes(bare) + b"\n", "f")

    assert [case.id for case in reading.cases] == ["one", "2"]
    assert reading.cases[0].turns[0].at is not None
    assert reading.cases[1].turns == (Turn(id="7", text="Hello."),)
    assert reading.cases[1].queries == (Query(id="1", text="Who?", category="all", gold=frozenset({"7"})),)


def test_gold_that_does_not_exist_is_counted() -> None:
    queries = [{"text": "?", "gold": ["a", "z"]}, {"text": "?", "gold": ["z"]}]

    reading = read_turns(_bytes(_line(queries=queries)), "f")

    assert reading.queries == 1
    assert reading.dropped == {"gold turns that do not exist": 2, "questions without gold": 1}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"{", "Line 2 of 'f' is not JSON"),
        (b"[]", "Line 2 of 'f': '[]' should be an object."),
        (_bytes(_line(case="two", turns=None)), "Line 2 of 'f': there is no 'turns'."),
        (_bytes(_line(case="two", turns=[{"id": "a"}])), "Line 2 of 'f', turns, 1.: there is no 'text'."),
        (
            _bytes(_line(case="two", turns=[{"id": "a", "text": "x", "date": "in May"}])),
            "Line 2 of 'f', turns, 1., date: 'in May' is no date.",
        ),
        (
            _bytes(_line(case="two", turns=[{"id": "a", "text": "x"}] * 2)),
            "Case 'two' of 'f' has two turns with the id 'a'.",
        ),
    ],
)
def test_a_broken_line_is_named(line: bytes, sentence: str) -> None:
    with pytest.raises(BadAsk) as raised:
        read_turns(_bytes(_line()) + b"\n" + line, "f")

    assert sentence in str(raised.value)


def test_only_the_first_questions_are_asked() -> None:
    queries = tuple(Query(id=str(number), text="?", category="all") for number in range(3))
    cases = [Case("a", (), queries), Case("b", (), queries)]

    assert [len(case.queries) for case in first(cases, 4)] == [3, 1]
    assert [case.id for case in first(cases, 3)] == ["a"]
    assert [len(case.queries) for case in first(cases, None)] == [3, 3]


def test_a_case_may_say_what_nothing_in_it_bears_on() -> None:
    """R13."""
    line = {"turns": [{"id": "a", "text": "Ada likes tea."}], "queries": [{"text": "tea?", "gold": ["a"]}]}

    (plain,) = read_turns(_bytes(line), "f").cases
    (more,) = read_turns(_bytes(line | {"off_topic": [{"kind": "small talk", "text": "lol"}]}), "f").cases

    assert plain.off_topic == ()
    assert more.off_topic == (OffTopicQuestion("small talk", "lol"),)
    assert first([more], 1)[0].off_topic == more.off_topic
