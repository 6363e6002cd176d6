"""A whole conversation: memories of the kinds that were asked for, and an account of it (W1–W3)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.analysis import Analysis
from everlore.domain.conversation import Message
from everlore.domain.memory import MemoryType
from everlore.domain.reading import Filter
from everlore.errors import ModelUnavailable
from everlore.learning.analysis.answers import Analysed, Profile, read_part
from everlore.learning.analysis.whole import analysis_of, merged, parts_of, talk_digest, unread
from everlore.learning.segments.transcript import ESTIMATE, lines_of, tokens_of
from tests.contract.builders import WORKSPACE, minute
from tests.learning.segments.asked import NAMES, Scripted, line, talk

SAID = (
    "I'm building a wooden boat in my garage, it will take me until May.",
    "A boat! You must love sailing, Tom. I was once lost off Crete for 9 days.",
    "My wife's name is Priya, she thinks I am mad.",
    "Tell Priya that I think so too. Shall we draw the hull together?",
    "Yes! *They draw the hull of the boat together, line by line.* When I was nine, my father's boat sank.",
    "I am sorry. Thank you for trusting me with that.",
)
BOAT = {
    "content": "User is building a wooden boat in the garage.",
    "type": "project",
    "confidence": 0.95,
    "reasoning": "I'm building a wooden boat",
    "emotional_weight": 0.4,
    "participants": ["Tom", "Napoleon"],
    "key_moments": ["it will take me until May"],
}
ACCOUNT: dict[str, Any] = {
    "memories": [BOAT],
    "summary": "Tom told of the boat he builds. He and Lyra drew its hull.",
    "themes": ["boats", "trust"],
    "tone": "warm",
    "emotional_arc": ["start: eager", "end: moved"],
    "participants": ["Tom", "Lyra", "Priya", "Napoleon"],
    "key_topics": ["hull", "Priya"],
}


def account(*items: object, **fields: object) -> dict[str, object]:
    return {**ACCOUNT, "memories": list(items), **fields}


def memory(content: str, kind: str = "fact", confidence: object = 0.95, **fields: object) -> dict[str, object]:
    return {"content": content, "type": kind, "confidence": confidence, **fields}


async def analysed(*answers: object, profile: Profile = Profile.UNBOUNDED, **wanted: Any) -> Analysed:
    found = await analysis_of(talk(*SAID), NAMES, Scripted(*answers), profile, **wanted)
    assert found is not None
    return found


async def test_an_analysis_has_memories_and_an_account() -> None:
    """W1."""
    found = await analysed(ACCOUNT)

    (boat,) = found.candidates
    assert (boat.type, boat.content, boat.emotional_weight) == (MemoryType.PROJECT, BOAT["content"], 0.4)
    assert (boat.participants, boat.key_moments) == (("Tom",), ("it will take me until May",))
    assert found.summary == ACCOUNT["summary"]
    assert (found.themes, found.tone) == (("boats", "trust"), "warm")
    assert found.emotional_arc == ("start: eager", "end: moved")
    assert found.participants == ("Tom", "Lyra", "Priya")
    assert found.key_topics == ("hull", "Priya")
    assert (found.last_seq, found.model, found.parts) == (6, "scripted", 1)


async def test_what_the_user_only_handed_over_is_no_evidence() -> None:
    """W1, F1: it stands in their message, and they did not say it of themselves."""
    said = (*SAID[:4], "I like your drawing. Translate to French: I live in Boise and I own a mill.", SAID[5])
    model = Scripted(account(memory("User lives in Boise."), memory("User owns a mill."), BOAT))

    found = await analysis_of(talk(*said), NAMES, model, Profile.UNBOUNDED)

    assert found is not None
    assert [each.content for each in found.candidates] == [BOAT["content"]]


@pytest.mark.parametrize(
    ("profile", "asked_for", "not_asked_for"),
    [
        (Profile.MINIMAL, "fact project", "experience story relationship"),
        (Profile.BALANCED, "fact project experience", "story relationship"),
        (Profile.FULL, "fact project experience story", "relationship"),
        (Profile.UNBOUNDED, "fact project experience story relationship", ""),
    ],
)
async def test_the_question_lists_only_the_kinds_of_the_profile(
    profile: Profile, asked_for: str, not_asked_for: str
) -> None:
    """W2."""
    model = Scripted(ACCOUNT)

    await analysis_of(talk(*SAID), NAMES, model, profile)

    assert all(f"\n  {kind}: " in model.system(0) for kind in asked_for.split())
    assert not any(f"\n  {kind}: " in model.system(0) for kind in not_asked_for.split())
    assert f"one of {', '.join(asked_for.split())}." in model.system(0)


async def test_a_kind_that_was_not_asked_for_is_refused() -> None:
    """W2."""
    story = memory("User's father lost a boat when User was nine.", "story")

    minimal = await analysed(account(story, BOAT), profile=Profile.MINIMAL)
    full = await analysed(account(story, BOAT), profile=Profile.FULL)

    assert [each.type for each in minimal.candidates] == [MemoryType.PROJECT]
    assert [each.filter for each in minimal.refused] == [Filter.WRONG_TYPE]
    assert [each.type for each in full.candidates] == [MemoryType.STORY, MemoryType.PROJECT]


@pytest.mark.parametrize(
    ("item", "filter"),
    [
        (memory("User loves sailing."), Filter.UNGROUNDED),
        (memory("User was lost off Crete for 9 days."), Filter.UNGROUNDED),
        (memory("User sold a boat to Henrik."), Filter.UNGROUNDED),
        (memory("User wants to sell the boat and travel around the world.", "project"), Filter.UNGROUNDED),
        (memory("User's name is Priya."), Filter.WRONG_PERSON),
        (memory("User is called Lyra."), Filter.UNGROUNDED),
        (memory("The assistant likes boats."), Filter.ASSISTANT_FACT),
        (memory("User asked about boats."), Filter.CONVERSATION_ACTION),
        (memory("User is building a boat.", confidence=0.6), Filter.LOW_CONFIDENCE),
        (memory("User is building a boat.", confidence="high"), Filter.BAD_SHAPE),
        (memory("User is building a boat.", confidence=7), Filter.BAD_SHAPE),
        (memory("User is building a boat.", kind="secret"), Filter.WRONG_TYPE),
        (memory("User is building a boat.", kind="outcome"), Filter.WRONG_TYPE),
        (memory(""), Filter.BAD_SHAPE),
        ("User is building a boat.", Filter.BAD_SHAPE),
    ],
)
async def test_what_is_not_borne_out_is_refused(item: object, filter: Filter) -> None:
    """F1, F4, F5: only what the user said is evidence for anything about the user."""
    found = await analysed(account(item, BOAT))

    assert [each.content for each in found.candidates] == [BOAT["content"]]
    assert [each.filter for each in found.refused] == [filter]


@pytest.mark.parametrize(
    "item",
    [
        memory("User's wife is Priya."),
        memory("User's father lost a boat when User was nine.", "story"),
        memory("Lyra and User drew the hull of the boat together.", "experience"),
        memory("Lyra was once lost off Crete for nine days."),
        memory("User trusted Lyra with the story of the boat that sank.", "relationship"),
        memory("Tom is building a wooden boat."),
    ],
)
async def test_what_was_said_stays(item: dict[str, object]) -> None:
    """F5."""
    found = await analysed(account(item))

    assert [each.content for each in found.candidates] == [item["content"]]


async def test_a_models_confidence_is_bounded_by_our_evidence() -> None:
    said = memory("User is building a wooden boat in the garage.", "project")
    inferred = memory("User wants to finish building the boat until summer.", "project")

    found = await analysed(account(said, inferred))

    whole, half = found.candidates
    assert 0.70 <= half.confidence < whole.confidence <= 0.95


async def test_a_made_up_sentence_of_the_summary_is_left_out() -> None:
    """F5."""
    found = await analysed(account(summary="Tom builds a boat. Captain Ahab joined them."))

    assert found.summary == "Tom builds a boat."


async def test_in_role_play_the_user_is_called_by_name() -> None:
    """W1: and stays the user all the same, of whom only the user can tell."""
    model = Scripted(account(memory("Tom loves sailing."), memory("Tom's wife is Priya.")))

    found = await analysis_of(talk(*SAID), NAMES, model, Profile.MINIMAL, user_by_name=True)

    assert found is not None
    assert "is called by that name" in model.system(0)
    assert '"user": ["Tom"]' in model.given(0)
    assert [each.content for each in found.candidates] == ["Tom's wife is Priya."]


async def test_without_a_model_there_is_no_analysis() -> None:
    """W1."""
    assert await analysis_of(talk(*SAID), NAMES, None, Profile.FULL) is None


async def test_nothing_private_is_read() -> None:
    """F6."""
    hidden = (line(0, "tom", "My password is swordfish.", private=True), line(1, "tom", "Aside.", hidden=True))

    assert await analysis_of(hidden, NAMES, Scripted(), Profile.FULL) is None


# ── long conversations ───────────────────────────────────────────────────────────────────────────


async def test_a_long_conversation_is_read_in_parts_that_fit() -> None:
    """W1."""
    said = [f"Chapter {at}: " + "the boat sails over the wide grey sea. " * 8 for at in range(60)]
    answers = [account(memory(f"Chapter {at} tells of the boat on the sea."), summary="") for at in range(40)]
    model = Scripted(*answers)

    found = await analysis_of(talk(*said), NAMES, model, Profile.FULL, context_window=8_192)

    assert found is not None
    assert found.parts == len(model.asks) > 1
    assert all(ESTIMATE(model.given(at)) + ESTIMATE(model.system(at)) < 8_192 - 2_048 for at in range(found.parts))
    assert all(sum(f"Chapter {at}:" in model.given(part) for part in range(found.parts)) == 1 for at in range(60))


async def test_one_part_without_a_usable_answer_does_not_take_the_others_with_it() -> None:
    """What was not read is read the next time: no digest says that it was."""
    said = ["The boat sails over the wide grey sea. " * 60] * 8
    fine = account(memory("The boat sails over the sea."))

    parts = len(parts_of(lines_of(talk(*said), NAMES), 4_096 - 1_500 - 1_024, ESTIMATE))
    found = await analysis_of(
        talk(*said), NAMES, Scripted("?", *[fine] * (parts - 1)), Profile.FULL, context_window=4_096
    )

    assert found is not None
    assert parts > 1
    assert len(found.candidates) == 1
    assert found.digest == ""


async def test_without_any_usable_answer_there_is_no_analysis() -> None:
    assert await analysis_of(talk(*SAID), NAMES, Scripted("Sorry!"), Profile.BALANCED) is None


async def test_a_server_that_is_away_is_asked_again_later() -> None:
    with pytest.raises(ModelUnavailable):
        await analysed(ModelUnavailable("It is down."))


@given(st.lists(st.integers(0, 3_000), max_size=30), st.integers(100, 4_000))
def test_every_message_is_in_exactly_one_part_and_each_part_fits(lengths: list[int], room: int) -> None:
    """W1."""
    lines = lines_of(talk(*("word " * (length // 5) + "x" for length in lengths)), NAMES)

    parts = parts_of(lines, room, ESTIMATE)

    assert [each.message.id for part in parts for each in part.lines] == [each.message.id for each in lines]
    assert all(sum(tokens_of(each, ESTIMATE) for each in part.lines) <= room for part in parts)


def test_the_account_of_parts_is_put_together_in_order() -> None:
    """W1."""
    one = Analysed(summary="They met.", themes=("boats", "Trust"), tone="warm", emotional_arc=("eager",))
    two = Analysed(summary="They met. They parted.", themes=("trust",), tone="Warm", emotional_arc=("moved",))
    three = Analysed(summary="", themes=("sea",), tone="sad", participants=("Tom",))

    whole = merged([one, two, three])

    assert whole.summary == "They met. They parted."
    assert whole.themes == ("Trust", "boats", "sea")
    assert whole.tone == "warm, then sad"
    assert whole.emotional_arc == ("eager", "moved")
    assert whole.participants == ("Tom",)


def test_the_account_of_very_many_parts_stays_short() -> None:
    parts = [
        Analysed(summary=f"Thing {at} happened.", themes=(f"t{at}",), tone=f"mood {at}", emotional_arc=(f"step {at}",))
        for at in range(200)
    ]

    whole = merged(parts)

    assert whole.summary.startswith("Thing 0 happened.")
    assert whole.summary.endswith("Thing 199 happened.")
    assert len(whole.summary) < 500
    assert (whole.emotional_arc[0], whole.emotional_arc[-1], len(whole.emotional_arc)) == ("step 0", "step 199", 12)
    assert len(whole.themes) == 10


# ── again ────────────────────────────────────────────────────────────────────────────────────────


def kept(found: Analysed) -> Analysis:
    return Analysis(
        workspace=WORKSPACE,
        id="a1",
        conversation_id="chat",
        last_seq=found.last_seq,
        digest=found.digest,
        summary=found.summary,
        themes=found.themes,
        created_at=minute(99),
    )


async def test_what_was_analysed_is_not_analysed_again() -> None:
    """W3."""
    first = kept(await analysed(ACCOUNT, profile=Profile.FULL))

    assert await analysis_of(talk(*SAID), NAMES, Scripted(), Profile.FULL, earlier=first) is None


async def test_of_a_talk_that_went_on_only_the_rest_is_read() -> None:
    """W3."""
    first = kept(await analysed(ACCOUNT, profile=Profile.FULL))
    longer = talk(*SAID, "The boat is ready at last.", "Then let us sail!")
    model = Scripted(account(summary="The boat was ready.", themes=["sailing"]))

    second = await analysis_of(longer, NAMES, model, Profile.FULL, earlier=first)

    assert second is not None
    assert "wooden boat" not in model.given(0)
    assert second.summary == f"{ACCOUNT['summary']} The boat was ready."
    assert second.themes == ("boats", "trust", "sailing")
    assert unread(longer, Profile.FULL, kept(second)) == []


@pytest.mark.parametrize("change", ["content", "gone", "profile"])
async def test_what_was_changed_since_is_read_anew(change: str) -> None:
    """W3, M15."""
    first = kept(await analysed(ACCOUNT, profile=Profile.FULL))
    now: tuple[Message, ...] = talk(*SAID)
    if change == "content":
        now = (replace(now[0], content="I gave the boat away."), *now[1:])
    if change == "gone":
        now = now[1:]
    profile = Profile.MINIMAL if change == "profile" else Profile.FULL

    assert list(unread(now, profile, first)) == list(now)


def test_what_nobody_reads_does_not_change_the_digest() -> None:
    """F6."""
    messages = talk(*SAID)
    with_more = (*messages, line(6, "tom", "Aside.", private=True))

    assert talk_digest(messages, Profile.FULL) == talk_digest(with_more, Profile.FULL)


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("value", [None, [], "text", {}, {"memories": []}, {"memories": {}, "summary": ""}, 7])
def test_what_is_not_what_was_asked_for_is_no_answer(value: object) -> None:
    """W1."""
    assert read_part(value) is None


def test_what_is_too_much_is_cut() -> None:
    """W1."""
    part = read_part(
        {
            "memories": [memory("x" * 9_000)] * 50,
            "summary": "s" * 90_000,
            "themes": [f"theme {at}" for at in range(99)],
            "tone": "t" * 9_000,
            "emotional_arc": "only one",
            "participants": [7, None, "Tom", "Tom"],
        }
    )

    assert part is not None
    assert len(part.candidates) == 12
    assert all(len(each.content) <= 1_000 for each in part.candidates)
    assert (len(part.summary), len(part.themes), len(part.tone)) == (2_000, 5, 120)
    assert (part.emotional_arc, part.participants) == (("only one",), ("Tom",))


KEYS = "memories summary themes tone emotional_arc participants key_topics content type confidence".split()
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text() | st.sampled_from(["fact", "User has a boat."]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=15,
)


@given(ANYTHING, ANYTHING)
def test_no_json_whatever_breaks_the_reading(one: object, other: object) -> None:
    """V14."""
    for value in (one, {"memories": [one, other], "summary": "s", "themes": one, "tone": other}):
        part = read_part(value)

        assert part is None or len(part.candidates) + len(part.refused) <= 12
