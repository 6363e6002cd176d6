"""The benchmark of extraction (Q1): its labelled set, its matching rule, its counting, and its bad model."""

import json
import re
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.extract.bad_model import BadModel, answer, seen_in
from benchmarks.extract.cases import PARTS, Case, Fact, Spoken, built_in, of_part, read_cases
from benchmarks.extract.matching import claims_of, contradicts, presupposes, states, ungrounded
from benchmarks.extract.personas import read_utterances, score_personas
from benchmarks.extract.scoring import EVERYDAY, Verdict, is_hallucinated, judge, score
from everlore.domain.memory import Category
from everlore.errors import BadAsk, ModelMisbehaved
from everlore.learning.candidate import Candidate, Extracted
from everlore.models.chat import Ask, Said

TAGS = (
    "answer assistant change code context correction ephemeral family friend goal greeting habit health hedge home "
    "hypothetical idiom long lyrics mood multi name negation number past pasted pets plan preference question quoted "
    "reported request roleplay sarcasm skill sloppy smalltalk thanks third work everyday"
).split()
HALVES = ("dev", "test")


# ── the labelled set ─────────────────────────────────────────────────────────────────────────────


def is_silent(case: Case) -> bool:
    return all(fact.is_optional for fact in case.facts)


def test_the_set_has_enough_messages_in_every_part() -> None:
    cases = built_in()

    parts = Counter(case.part for case in cases)
    silent = sum(is_silent(case) for case in cases)

    assert parts["dev"] >= 350
    assert parts["fresh"] == 320
    assert parts["judge"] == 120
    assert set(parts) == set(PARTS)
    assert abs(parts["dev"] - parts["test"]) <= 1
    assert 0.40 <= silent / len(cases) <= 0.55


def test_the_halves_alternate_and_stay_what_they_are() -> None:
    cases = built_in()

    halves = [case.part for case in cases if case.part in HALVES]

    assert halves == [HALVES[at % 2] for at in range(len(halves))]
    assert len({case.id for case in cases}) == len(cases)


@pytest.mark.parametrize("part", HALVES)
def test_ordinary_messages_are_a_stratum_of_both_halves(part: str) -> None:
    everyday = [case for case in of_part(built_in(), part) if EVERYDAY in case.tags]

    assert len(everyday) == 80
    assert 0.40 <= sum(is_silent(case) for case in everyday) / len(everyday) <= 0.50


@pytest.mark.parametrize("part", PARTS)
def test_every_part_has_facts_that_are_stated_and_some_that_are_implied(part: str) -> None:
    facts = [fact for case in of_part(built_in(), part) for fact in case.facts if not fact.is_optional]

    assert 0.05 <= sum(fact.is_implied for fact in facts) / len(facts) <= 0.25


def test_somebody_who_is_merely_mentioned_is_no_required_fact() -> None:
    """Where "my wife" says something, that she exists may be given or left."""
    mere = re.compile(
        r"User has (?:a|an) (husband|wife|boyfriend|girlfriend|partner|mother|father|brother|sister|boss)"
    )
    says_so = re.compile(r"\b(?:have|has|had|got|get|gotten)\b", re.IGNORECASE)

    required = [
        (case.id, fact.content)
        for case in built_in()
        for fact in case.facts
        if mere.fullmatch(fact.content) and not fact.is_optional and not says_so.search(case.message)
    ]

    assert required == []


@pytest.mark.parametrize("part", HALVES)
def test_both_halves_have_every_kind_of_message_and_of_fact(part: str) -> None:
    cases = of_part(built_in(), part)

    assert {tag for case in cases for tag in case.tags} >= set(TAGS)
    assert {fact.category for case in cases for fact in case.facts} == set(Category)


def test_every_labelled_fact_is_a_sentence_about_the_user_that_the_rule_can_read() -> None:
    wordings = [wording for case in built_in() for fact in case.facts for wording in fact.wordings]

    assert [each for each in wordings if not each.startswith(("User ", "User's "))] == []
    assert [each for each in wordings if not states(each, each)] == []


def test_no_message_is_twice_in_a_part() -> None:
    messages = Counter((case.part, *case.messages) for case in built_in())

    assert [message for message, count in messages.items() if count > 1] == []


# ── the matching rule ────────────────────────────────────────────────────────────────────────────


SAME = [
    ("User lives in Seattle, Washington", "User lives in Seattle"),
    ("The user lives in Seattle", "User lives in Seattle"),
    ("User is based in Seattle", "User lives in Seattle"),
    ("User resides in Seattle", "User lives in Seattle"),
    ("User has lived in Chicago for nearly twelve years", "User lives in Chicago"),
    ("User loves sushi", "User likes sushi"),
    ("User enjoys eating sushi", "User likes sushi"),
    ("User is a fan of sushi", "User likes sushi"),
    ("User is into sushi", "User likes sushi"),
    ("User's favourite food is sushi", "User likes sushi"),
    ("User hates mushrooms", "User does not like mushrooms"),
    ("User can't stand mushrooms", "User dislikes mushrooms"),
    ("User is not a fan of mushrooms", "User dislikes mushrooms"),
    ("User used to live in New York", "User no longer lives in New York"),
    ("User doesn't drink coffee anymore", "User no longer drinks coffee"),
    ("User stopped drinking coffee", "User no longer drinks coffee"),
    ("User quit smoking", "User used to smoke"),
    ("User works as a nurse", "User is a nurse"),
    ("User is a nurse and lives in Leeds", "User lives in Leeds"),
    ("User is a nurse who lives in Leeds", "User is a nurse"),
    ("User is from Melbourne, not Sydney", "User is from Melbourne"),
    ("User likes tea but hates coffee", "User dislikes coffee"),
    ("User is 34", "User is 34 years old"),
    ("User is a 34-year-old", "User is 34"),
    ("User is thirty", "User is 30 years old"),
    ("User has 2 cats", "User owns two cats"),
    ("User's birthday is March 3", "User's birthday is on March 3rd"),
    ("User's sister is named Emma", "User has a sister named Emma"),
    ("User's sister's name is Emma", "User has a sister called Emma"),
    ("User has a sister, Emma", "User has a sister named Emma"),
    ("User has two daughters named Ines and Carla", "User has a daughter named Carla"),
    ("User has a hamster who is two", "User's hamster is 2 years old"),
    ("User's dad's from Yorkshire", "User's father is from Yorkshire"),
    ("User is not applying to med school any more", "User is no longer applying to med school"),
    ("User's house is an old school, no heating", "User's house is an old school"),
    ("User goes by Seun", "User's name is Seun"),
    ("User's daughter Ines is 9 years old", "User's daughter is 9"),
    ("User's daughter is 9", "User's daughter Ines is 9"),
    ("User's child is 9", "User's daughter is 9"),
    ("User's mom has Alzheimer's disease", "User's mum has Alzheimer's"),
    ("User's father passed away in 2019", "User's dad died in 2019"),
    ("User hopes to open a bookshop", "User wants to open a bookshop"),
    ("User will move to Texas", "User plans to move to Texas"),
    ("User is moving to Texas in August", "User will move to Texas"),
    ("User cannot swim", "User can't swim"),
    ("User visited Iceland in 2018", "User went to Iceland in 2018"),
    ("User has been to Iceland", "User visited Iceland"),
    ("User was raised in Nebraska", "User grew up in Nebraska"),
    ("User lives in Malmo", "User lives in Malmö"),
    ("User's folks own a pub", "User's parents own a pub"),
    ("User's nan is Scottish", "User's grandmother is Scottish"),
    ("User's missus sings", "User's wife sings"),
    ("User's stepdad sails", "User's stepfather sails"),
    ("User's auntie lives in Cork", "User's aunt lives in Cork"),
    ("User has 2 flatmates", "User has two roommates"),
    ("User has five hens", "User has 5 chickens"),
    ("User has ferrets", "User owns ferrets"),
    ("User's wife is Hannah", "User has a wife named Hannah"),
    ("User is Tom", "User's name is Tom"),
    ("User has a poodle named Rex", "User has a dog named Rex"),
    ("User is thirty-two", "User is 32"),
    ("User skates 2x a month", "User skates two times a month"),
    ("User is an Ajax supporter", "User is an Ajax fan"),
    ("User is interested in history", "User likes history"),
    ("User has a phobia of clowns", "User is afraid of clowns"),
    ("User suffers from migraines", "User has migraines"),
    ("User was diagnosed with gout", "User has gout"),
    ("User knows how to swim", "User can swim"),
    ("User's sister is expecting a baby", "User's sister is pregnant"),
    ("User would like to move to Turin", "User wants to move to Turin"),
    ("User prefers tea over coffee", "User likes tea"),
    ("User prefers tea to coffee", "User prefers tea"),
    ("User prefers going to bed early", "User likes going to bed"),
]
DIFFERENT = [
    ("User lives in Oslo", "User lives in Bergen"),
    ("User lives in Oslo", "User's sister lives in Oslo"),
    ("User's sister lives in Oslo", "User lives in Oslo"),
    ("User's brother lives in Oslo", "User's sister lives in Oslo"),
    ("User's wife is a locksmith", "User's husband is a locksmith"),
    ("User's daughter is 9", "User's child is 9"),
    ("User's daughter Carla is 9", "User's daughter Ines is 9"),
    ("Emma lives in Oslo", "User's sister Emma lives in Oslo"),
    ("User likes mushrooms", "User does not like mushrooms"),
    ("User does not like mushrooms", "User likes mushrooms"),
    ("User hates mushrooms", "User likes mushrooms"),
    ("User lives in New York", "User used to live in New York"),
    ("User used to live in New York", "User lives in New York"),
    ("User works at Google", "User worked at Google"),
    ("User worked at Google", "User works at Google"),
    ("User drinks coffee", "User no longer drinks coffee"),
    ("User wants to live in Oslo", "User lives in Oslo"),
    ("User lives in Oslo", "User wants to live in Oslo"),
    ("User likes Oslo", "User lives in Oslo"),
    ("User visited Oslo", "User lives in Oslo"),
    ("User moved to Denver", "User moved from Denver"),
    ("User has a dog", "User has a dog named Rex"),
    ("User has three cats", "User has two cats"),
    ("User has two daughters named Ines", "User has a daughter named Ines"),
    ("User is 43", "User is 34"),
    ("User is a nurse", "User is not a nurse"),
    ("User's sister Emma lives in Paris", "User has a sister named Emma"),
    ("User asked about Oslo", "User lives in Oslo"),
    ('User said "I live in Oslo"', "User lives in Oslo"),
    ("User: I live in Oslo", "User lives in Oslo"),
    ("User I live in Oslo", "User lives in Oslo"),
    ("I live in Oslo", "User lives in Oslo"),
    ("User uses she/her pronouns", "User uses they/them pronouns"),
    ("User likes tea", "User likes they/them"),
    ("User does not work at Google", "User does not have a job"),
    ("User prefers tea over coffee", "User likes coffee"),
    ("User prefers coffee to tea", "User prefers tea to coffee"),
    ("User's wife is a pilot", "User has a wife named Hannah"),
    ("User's wife is Greek", "User has a wife named Hannah"),
    ("User has a dog named Rex", "User has a cat named Rex"),
    ("User is fifty-two", "User is 32"),
    ("User likes clowns", "User is afraid of clowns"),
    ("User", "User likes tea"),
    ("User likes tea", "User"),
    ("", "User likes tea"),
    ("User likes tea", ""),
]


@pytest.mark.parametrize(("predicted", "gold"), SAME)
def test_the_same_in_other_words_is_stated(predicted: str, gold: str) -> None:
    assert states(predicted, gold)


@pytest.mark.parametrize(("predicted", "gold"), DIFFERENT)
def test_another_person_value_polarity_or_time_is_not_stated(predicted: str, gold: str) -> None:
    assert not states(predicted, gold)


def test_a_subject_with_its_name_presupposes_the_name_and_states_something_else() -> None:
    predicted = "User's sister Emma lives in Oslo"

    assert presupposes(predicted, "User has a sister named Emma")
    assert presupposes(predicted, "User has a sister")
    assert presupposes("User has two daughters named Ines and Carla", "User has two daughters")
    assert not presupposes(predicted, "User has a sister named Olga")
    assert not presupposes(predicted, "User has a brother")


def test_what_was_once_contradicts_what_is() -> None:
    assert contradicts("User is a line cook", "User used to be a line cook")
    assert contradicts("User likes jazz", "User does not like jazz")
    assert not contradicts("User used to be a cook", "User used to be a cook")
    assert not contradicts("User likes jazz", "User likes opera")
    assert not contradicts("User prefers tea to coffee", "User does not like coffee")
    assert not contradicts("User cried when their sister was ill", "User has a sister")


def test_words_that_nobody_said_are_ungrounded() -> None:
    said = ["i live w my mum in leeds, got 2 cats"]

    assert ungrounded("User lives in Leeds with their mother", said) == frozenset()
    assert ungrounded("User has two cats", said) == frozenset()
    assert ungrounded("User lives in Leeds with three dogs", said) == {"3", "dog"}


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for each in (text, f"User {text}", f"User's {text}"):
        assert isinstance(claims_of(each), tuple)
        assert isinstance(states(each, "User likes tea"), bool)


# ── counting ─────────────────────────────────────────────────────────────────────────────────────


def case(id: str, *said: str, facts: Sequence[Fact] = (), tags: tuple[str, ...] = ()) -> Case:
    """A conversation whose turns alternate and end with the user's."""
    roles = ["user" if (len(said) - at) % 2 else "assistant" for at in range(len(said))]
    spoken = tuple(Spoken(role, text) for role, text in zip(roles, said, strict=True))
    return Case(id=id, messages=spoken, facts=tuple(facts), tags=tags)


def verdicts(case: Case, *contents: str) -> list[Verdict]:
    return [each.verdict for each in judge(case, [Candidate(content=content) for content in contents]).judged]


EMMA = case(
    "emma",
    "My sister Emma lives in Oslo. I used to be a cook.",
    facts=[
        Fact("User has a sister named Emma", Category.RELATIONSHIP),
        Fact("User's sister Emma lives in Oslo", Category.RELATIONSHIP),
        Fact("User used to be a cook", Category.EXPERIENCE, ("User was a cook",)),
        Fact("User knows how to cook", Category.SKILL, is_optional=True),
    ],
    tags=("family", "past"),
)
BUS = case("bus", "I'm on the bus. Is Oslo nice?", tags=("question",))
TEA = case("tea", "I love tea.", facts=[Fact("User likes tea", Category.PREFERENCE)], tags=("preference",))


def test_a_conversation_is_judged_by_its_facts() -> None:
    said = (
        "User's sister Emma lives in Oslo",
        "User was a cook",
        "User knows how to cook",
        "User is a cook",
        "User lives in Oslo",
        "User has a dog named Max",
        "User was a cook.",
    )

    assert verdicts(EMMA, *said) == [
        Verdict.RIGHT,
        Verdict.RIGHT,
        Verdict.OPTIONAL,
        Verdict.NOT_STATED,
        Verdict.NOT_STATED,
        Verdict.HALLUCINATED,
        Verdict.REPEATED,
    ]


def test_a_right_prediction_covers_the_name_in_its_subject() -> None:
    right = judge(EMMA, [Candidate(content="User's sister Emma lives in Oslo")])
    wrong = judge(EMMA, [Candidate(content="User's sister Emma lives in Paris")])

    assert [fact.content for fact in right.missed] == ["User used to be a cook"]
    assert len(wrong.missed) == 3


def test_less_than_a_fact_is_neither_right_nor_wrong() -> None:
    assert verdicts(EMMA, "User has a sister") == [Verdict.OPTIONAL]
    assert verdicts(EMMA, "User has a brother") == [Verdict.HALLUCINATED]


def test_what_is_added_must_have_been_said() -> None:
    tea = case(
        "tea",
        "Do you like tea, like Bruno does?",
        "Yes, every morning!",
        facts=[Fact("User likes tea", Category.PREFERENCE)],
    )

    assert verdicts(tea, "User likes tea every morning") == [Verdict.RIGHT]
    assert verdicts(tea, "User likes tea with 3 sugars") == [Verdict.HALLUCINATED]
    assert verdicts(tea, "User likes tea with Bruno") == [Verdict.HALLUCINATED]


def test_a_fact_that_is_turned_round_makes_the_rest_of_a_sentence_wrong() -> None:
    knees = Case(
        id="knees",
        messages=(Spoken("user", "I used to be a line cook before my knees gave out."),),
        facts=(
            Fact("User used to be a line cook"),
            Fact("User has bad knees", alternatives=("User's knees gave out",), is_optional=True),
        ),
    )

    assert verdicts(knees, "User is a line cook whose knees gave out") == [Verdict.NOT_STATED]


@pytest.mark.parametrize(
    ("predicted", "is_made_up"),
    [
        ("User likes tea", False),
        ("User likes tea and tea biscuits", False),
        ("User has a dog", True),
        ("User lives in Oslo", True),
        ("User drinks 4 cups of tea", True),
        ("Nova is a helpful assistant", True),
    ],
)
def test_what_stands_on_nothing_is_made_up(predicted: str, is_made_up: bool) -> None:
    assert is_hallucinated(predicted, ["I love tea, with biscuits, in cups."]) is is_made_up


async def test_the_report_counts() -> None:
    """Q1: precision, recall, hallucination rate, memories per 50 messages."""
    answers = {
        "emma": ["User's sister Emma lives in Oslo", "User is a cook", "User knows how to cook"],
        "bus": ["User has a dog named Max"],
        "tea": ["User loves tea"],
    }

    async def extract(case: Case) -> Extracted:
        facts = (Candidate(content=content, category=Category.PREFERENCE) for content in answers[case.id])
        return Extracted(tuple(facts))

    report = (await score([EMMA, BUS, TEA], extract)).document()

    assert (report["n"], report["facts"], report["predictions"], report["right"], report["optional"]) == (3, 4, 5, 2, 1)
    assert report["precision"] == 0.5
    assert report["recall"] == 0.75
    assert report["hallucinated"] == 0.2
    assert report["junk_per_100"] == 66.67
    assert report["memories_per_50"] == 83.33
    assert report["by_category"]["relationship"] == {"n": 2, "predictions": 0, "precision": 1.0, "recall": 1.0}
    assert report["by_category"]["experience"]["recall"] == 0.0
    assert report["by_category"]["preference"] == {"n": 1, "predictions": 5, "precision": 0.5, "recall": 1.0}
    assert report["by_tag"]["question"]["wrong"] == 1
    assert [(each["id"], each["why"]) for each in report["wrong"]] == [
        ("emma", Verdict.NOT_STATED),
        ("bus", Verdict.HALLUCINATED),
    ]
    assert [each["content"] for each in report["missed"]] == ["User used to be a cook"]


async def test_what_a_rule_brings_is_counted_by_its_name() -> None:
    """Q1: what is true and need not be said is neither right nor wrong, and what a model said has no rule."""
    said = {
        "emma": [("User has a sister named Emma", "people.introduced"), ("User lives in Oslo", "home.stated")],
        "bus": [("User is on the bus", "home.stated")],
        "tea": [("User likes tea", "")],
    }

    async def extract(case: Case) -> Extracted:
        return Extracted(tuple(Candidate(content=content, rule=rule) for content, rule in said[case.id]))

    report = (await score([EMMA, BUS, TEA], extract)).document()

    assert report["by_rule"] == {
        "home.stated": {"said": 2, "right": 0, "wrong": 2},
        "people.introduced": {"said": 1, "right": 1, "wrong": 0},
    }


QUIT = case(
    "quit",
    "Haven't had a cigarette in six months!! I'm a baker.",
    facts=[
        Fact("User quit smoking", Category.PREFERENCE, is_implied=True),
        Fact("User is a baker", Category.PERSONAL_INFO),
        Fact("User is proud", Category.PERSONAL_INFO, is_optional=True, is_implied=True),
    ],
    tags=(EVERYDAY,),
)


async def test_what_is_stated_and_what_is_implied_are_counted_apart() -> None:
    """Q1: the recall over all facts, and beside it that of the stated and that of the implied ones."""

    async def extract(case: Case) -> Extracted:
        return Extracted((Candidate(content="User is a baker"),) if case is QUIT else ())

    report = (await score([QUIT, TEA, BUS], extract)).document()

    assert (report["facts"], report["facts_stated"], report["facts_implied"]) == (3, 2, 1)
    assert (report["recall"], report["recall_stated"], report["recall_implied"]) == (0.3333, 0.5, 0.0)
    assert [(each["content"], each["implied"]) for each in report["missed"]] == [
        ("User quit smoking", True),
        ("User likes tea", False),
    ]


async def test_ordinary_messages_are_counted_apart() -> None:
    async def extract(case: Case) -> Extracted:
        return Extracted((Candidate(content="User is a baker"),))

    strata = (await score([QUIT, TEA, BUS], extract)).document()["by_stratum"]

    assert list(strata) == ["everyday", "others"]
    assert strata["everyday"] == {
        "n": 1,
        "facts": 2,
        "facts_stated": 1,
        "facts_implied": 1,
        "predictions": 1,
        "precision": 1.0,
        "recall": 0.5,
        "recall_stated": 1.0,
        "recall_implied": 0.0,
        "wrong": 0,
    }
    assert (strata["others"]["n"], strata["others"]["recall"], strata["others"]["wrong"]) == (2, 0.0, 2)


async def test_nothing_said_is_nothing_wrong() -> None:
    async def silent(_: Case) -> Extracted:
        return Extracted()

    report = await score([EMMA, BUS], silent)

    assert (report.precision, report.recall, report.hallucinated, report.junk_per_100) == (1.0, 0.0, 0.0, 0.0)


async def test_an_extractor_that_says_the_labels_is_perfect() -> None:
    async def oracle(case: Case) -> Extracted:
        return Extracted(tuple(Candidate(content=fact.content, category=fact.category) for fact in case.facts))

    report = await score(built_in(), oracle)

    assert (report.precision, report.recall, report.category_agreement) == (1.0, 1.0, 1.0)


# ── files ────────────────────────────────────────────────────────────────────────────────────────


def test_a_file_needs_only_what_the_schema_names() -> None:
    line = {
        "id": 7,
        "assistant": "Ada",
        "messages": [{"role": "user", "content": "I love tea"}, {"role": "assistant", "content": "Me too"}],
        "facts": [{"content": "User likes tea", "category": "preference"}],
    }

    found = read_cases(f"\ufeff{json.dumps(line)}\n\n".encode(), name="mine.jsonl")

    assert [(each.id, each.message, each.part, each.tags) for each in found] == [("7", "I love tea", "", ())]
    assert found[0].facts == (Fact("User likes tea", Category.PREFERENCE),)


def test_a_fact_is_stated_and_required_unless_it_says_otherwise() -> None:
    fact = {"content": "User quit smoking", "implied": True, "optional": False}
    line = {"messages": [{"role": "user", "content": "No cigarette since May"}], "facts": [fact]}

    found = read_cases(json.dumps(line).encode(), name="mine.jsonl")

    assert found[0].facts == (Fact("User quit smoking", is_implied=True),)


GOOD = '{"messages": [{"role": "user", "content": "hi"}], "facts": []}'


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ("{", "is not JSON"),
        ("[]", "holds a list"),
        ('{"facts": []}', "messages is missing, not a list"),
        ('{"messages": [], "facts": []}', "nothing to read"),
        ('{"messages": [7], "facts": []}', "a message is 7"),
        ('{"messages": [{"role": "robot", "content": "hi"}], "facts": []}', "the role 'robot'"),
        ('{"messages": [{"role": "user", "content": null}], "facts": []}', "content is missing"),
        ('{"messages": [{"role": "user", "content": "hi"}]}', "facts is missing"),
        ('{"messages": [{"role": "user", "content": "hi"}], "facts": ["x"]}', "a fact is 'x'"),
        ('{"messages": [{"role": "user", "content": "hi"}], "facts": [{"content": " "}]}', "has no content"),
        (
            '{"messages": [{"role": "user", "content": "hi"}], "facts": [{"content": "User", "category": "hobby"}]}',
            "the category 'hobby'. Known: personal_info",
        ),
        (
            '{"messages": [{"role": "user", "content": "hi"}], "facts": [{"content": "User", "implied": "yes"}]}',
            "implied is 'yes', not true or false",
        ),
        (
            '{"messages": [{"role": "user", "content": "hi"}], "facts": [{"content": "User", "optional": 1}]}',
            "optional is 1, not true or false",
        ),
    ],
)
def test_a_bad_line_is_named_with_its_number(bad: str, complaint: str) -> None:
    with pytest.raises(BadAsk) as error:
        read_cases(f"{GOOD}\n{bad}\n".encode(), name="mine.jsonl")

    assert "Line 2 of 'mine.jsonl'" in str(error.value)
    assert complaint in str(error.value)


def test_a_file_without_cases_or_with_an_id_twice_is_refused() -> None:
    twice = '{"id": "a", "messages": [{"role": "user", "content": "hi"}], "facts": []}\n' * 2

    for data, complaint in ((b"\n", "holds no case"), (b"\xff", "is not UTF-8"), (twice.encode(), "the id 'a'")):
        with pytest.raises(BadAsk, match=complaint):
            read_cases(data, name="mine.jsonl")


def test_a_part_that_no_case_has_is_refused() -> None:
    with pytest.raises(BadAsk, match="No case has the part 'dev'"):
        of_part([TEA], "dev")


# ── the other shape ──────────────────────────────────────────────────────────────────────────────


def triplet(text: str, tail: Sequence[int], label: str) -> str:
    return json.dumps({"triplets": [{"tokens": text.split(), "head": [0], "tail": list(tail), "label": label}]})


async def test_tails_are_found_where_a_prediction_holds_their_words() -> None:
    lines = [triplet("i love dogs and tea .", [2], "like"), triplet("i love dogs and tea .", [4], "like")]
    utterances = read_utterances("\n".join([*lines, triplet("i run", [1], "hobby")]).encode(), name="p.jsonl")

    async def extract(case: Case) -> Extracted:
        return Extracted((Candidate(content="User likes dogs"),) if "dogs" in case.message else ())

    report = (await score_personas(utterances, extract)).document()

    assert [each.text for each in utterances] == ["i love dogs and tea.", "i run"]
    assert (report["n"], report["tails"], report["recall"]) == (2, 3, 0.3333)
    assert (report["predictions_per_utterance"], report["predictions_with_a_tail"]) == (0.5, 1.0)
    assert report["by_label"] == {"like": {"n": 2, "recall": 0.5}, "hobby": {"n": 1, "recall": 0.0}}
    assert [each["tail"] for each in report["missed"]] == ["tea", "run"]


@pytest.mark.parametrize("bad", [GOOD, '{"triplets": [{"tokens": ["a"], "tail": [4], "label": "x"}]}'])
def test_a_line_without_triplets_is_named(bad: str) -> None:
    with pytest.raises(BadAsk, match=r"Line 1 of 'p\.jsonl' is no line of triplets"):
        read_utterances(bad.encode(), name="p.jsonl")


# ── the bad model ────────────────────────────────────────────────────────────────────────────────


def question(message: str, *, before: str = "", assistant: str = "Nova") -> Ask:
    """A question as a model gets it: instructions, then data in JSON."""
    blocks = [{"assistants": [assistant]}, {"turns": [{"text": before}]}, {"text": message}]
    data = "\n".join(f"<data>\n{json.dumps(each)}\n</data>" for each in blocks)
    return Ask(messages=(Said("system", 'Write down facts, as in "User likes marzipan".'), Said("user", data)))


def test_the_bad_model_sees_what_is_in_the_question() -> None:
    seen = seen_in(question("I live in Oslo", before="I am a robot", assistant="Ada"))

    assert (seen.message, seen.before, seen.assistant) == ("I live in Oslo", ("I am a robot",), "Ada")
    assert "marzipan" in seen.instructions
    assert seen_in(Ask(messages=(Said("user", "I live in Oslo"),))).message == "I live in Oslo"


def test_the_bad_model_answers_the_same_each_time() -> None:
    asks = [question(case.message) for case in built_in()]

    assert [answer(ask) for ask in asks] == [answer(ask) for ask in asks]


def test_the_bad_model_misbehaves_in_every_way_and_is_right_now_and_then() -> None:
    asked = [
        question(f"I used to live in Oslo but I don't like it. My sister has {number} dogs.", before="I am a nurse.")
        for number in range(400)
    ]
    answers = [answer(ask) for ask in asked]
    everything = "\n".join(answers)

    for claim in (
        "User used to live in Oslo",
        "User lives in Oslo",
        "User does like it",
        "User has 7 dogs",
        "User is a nurse",
        "User's name is Nova",
        "User likes marzipan",
        "User is a helpful assistant",
        "User seems friendly",
        "User said hello",
        "User asked about",
        "is unknown",
    ):
        assert claim in everything, claim
    assert any(each.startswith("```") for each in answers)
    assert any(_is_json(each) for each in answers)
    assert 0.1 < sum(not _is_json(each) for each in answers if not each.startswith("```")) / len(answers) < 0.5
    assert max(each.count("content") for each in answers) > 30


async def test_the_bad_model_is_an_asker_that_may_fail() -> None:
    asked = [question(case.message) for case in built_in()[:60]]
    failed = 0

    for ask in asked:
        try:
            assert await BadModel().ask(ask, lambda text: text if _is_json(text) else None)
        except ModelMisbehaved:
            failed += 1

    assert 0 < failed < len(asked)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
