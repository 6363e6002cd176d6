"""What people state of themselves becomes facts, in their own words and in the third person (O1, F2)."""

import pytest

from everlore.domain.memory import Category
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules import facts_stated

INFO, TASTE, PAST, KIN, GOAL, SKILL = (
    Category.PERSONAL_INFO,
    Category.PREFERENCE,
    Category.EXPERIENCE,
    Category.RELATIONSHIP,
    Category.GOAL,
    Category.SKILL,
)


def _contents(message: str) -> list[str]:
    return [each.content for each in facts_stated(message)]


def _check(message: str, content: str, category: Category) -> None:
    (fact,) = facts_stated(message)

    assert fact.content == content
    assert fact.category is category
    assert fact.confidence >= 0.8
    assert fact.reasoning


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("My name is Sarah", "User's name is Sarah"),
        ("my name is anna", "User's name is Anna"),
        ("my names jake btw", "User's name is Jake"),
        ("Hi! My name's Marcus", "User's name is Marcus"),
        ("I'm Priya", "User's name is Priya"),
        ("Hello! I'm Ines.", "User's name is Ines"),
        ("hi im amy", "User's name is Amy"),
        ("Call me Max.", "User's name is Max"),
        ("You can call me Liz", "User's name is Liz"),
        ("I go by Alex.", "User's name is Alex"),
        ("My last name is O'Brien", "User's last name is O'Brien"),
        ("im 34", "User is 34 years old"),
        ("I'm thirty-four years old", "User is thirty-four years old"),
        ("I'm 19 now!", "User is 19 years old"),
        ("I'm in my late 40s", "User is in their late 40s"),
        ("I turned 30 last week", "User turned 30 last week"),
        ("I'm 6 feet tall", "User is 6 feet tall"),
        ("My birthday is March 3rd", "User's birthday is March 3rd"),
        ("I was born on May 5, 1990.", "User was born on May 5, 1990"),
        ("my pronouns are they/them", "User's pronouns are they/them"),
        ("i live in seattle", "User lives in Seattle"),
        ("I live in Austin, Texas", "User lives in Austin, Texas"),
        ("I live in the US", "User lives in the US"),
        ("Currently living in Osaka.", "User is living in Osaka"),
        ("allergic to peanuts btw", "User is allergic to peanuts"),
        ("I already told you I live in Rome!", "User lives in Rome"),
        ("I live near Edinburgh.", "User lives near Edinburgh"),
        ("I'm from Leeds", "User is from Leeds"),
        ("I'm from a small town near Lyon", "User is from a small town near Lyon"),
        ("I live about an hour from Boston.", "User lives about an hour from Boston"),
        ("Please remember that I'm deaf in one ear", "User is deaf in one ear"),
        ("I LIVE IN SEATTLE", "User lives in Seattle"),
        ("I'm originally from Brazil.", "User is originally from Brazil"),
        ("I was born and raised in Naples", "User was born and raised in Naples"),
        ("I'm based in Denver", "User is based in Denver"),
        ("I don't live in Boston anymore.", "User no longer lives in Boston"),
        ("I'm German", "User is German"),
        ("I'm lactose intolerant", "User is lactose intolerant"),
        ("I'm allergic to cats and shellfish.", "User is allergic to cats and shellfish"),
        ("I have type 1 diabetes.", "User has type 1 diabetes"),
        ("I suffer from migraines.", "User suffers from migraines"),
        ("I can't eat gluten", "User can't eat gluten"),
        ("I'm left-handed", "User is left-handed"),
        ("I have brown hair", "User has brown hair"),
        ("I drive a 2015 Honda Civic", "User drives a 2015 Honda Civic"),
        ("I have a motorcycle", "User has a motorcycle"),
        ("I'm not a morning person.", "User is not a morning person"),
    ],
)
def test_who_they_are_and_where_they_live(message: str, content: str) -> None:
    _check(message, content, INFO)


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I work as a teacher", "User works as a teacher"),
        ("i work at walmart", "User works at walmart"),
        ("I work from home most days", "User works from home most days"),
        ("I no longer work at Google.", "User no longer works at Google"),
        ("I'm a nurse", "User is a nurse"),
        ("I'm an accountant by profession.", "User is an accountant by profession"),
        ("I'm a third-year medical student at Johns Hopkins.", "User is a third-year medical student at Johns Hopkins"),
        ("I'm not a teacher", "User is not a teacher"),
        ("As a teacher, I get summers off.", "User is a teacher"),
        ("I teach high school chemistry.", "User teaches high school chemistry"),
        ("I run a small bakery in Portland.", "User runs a small bakery in Portland"),
        ("I'm studying computer science at MIT", "User is studying computer science at MIT"),
        ("I'm majoring in computer science.", "User is majoring in computer science"),
        ("I'm in 10th grade.", "User is in 10th grade"),
        ("I'm retired", "User is retired"),
        ("I'm currently unemployed.", "User is unemployed"),
        ("I have a PhD in physics.", "User has a PhD in physics"),
        ("I've been a nurse for 12 years", "User has been a nurse for 12 years"),
        ("I myself am a tailor.", "User is a tailor"),
        ("We ourselves own a farm.", "User owns a farm"),
    ],
)
def test_what_they_work_and_study(message: str, content: str) -> None:
    _check(message, content, INFO)


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I like hiking", "User likes hiking"),
        ("i luv pizza", "User loves pizza"),
        ("I really enjoy long walks on the beach", "User enjoys long walks on the beach"),
        ("I don't like mushrooms", "User does not like mushrooms"),
        ("dont like onions", "User does not like onions"),
        ("I can't stand loud chewing.", "User can't stand loud chewing"),
        ("I hate getting up early.", "User hates getting up early"),
        ("I prefer tea over coffee.", "User prefers tea over coffee"),
        ("I don't like coffee any more", "User no longer likes coffee"),
        ("I'm into photography.", "User likes photography"),
        ("I'm not into sports.", "User does not like sports"),
        ("I'm a big fan of Star Wars.", "User is a big fan of Star Wars"),
        ("I'm obsessed with K-pop.", "User is obsessed with K-pop"),
        ("I'm scared of spiders.", "User is scared of spiders"),
        ("My favourite band is Radiohead.", "User's favorite band is Radiohead"),
        ("my fav color is green", "User's favorite color is green"),
        ("Green is my favourite colour.", "User's favorite colour is Green"),
        ("Sushi is one of my favorite foods.", "User's favorite foods include Sushi"),
        ("My hobbies are chess and climbing.", "User's hobbies are chess and climbing"),
        ("In my free time I like to bake.", "User likes to bake"),
        ("I collect vinyl records.", "User collects vinyl records"),
        ("I go to the gym three times a week.", "User goes to the gym three times a week"),
        ("I don't drink alcohol.", "User does not drink alcohol"),
        ("I listen to jazz.", "User listens to jazz"),
        ("I read fantasy novels", "User reads fantasy novels"),
    ],
)
def test_what_they_like_and_do(message: str, content: str) -> None:
    _check(message, content, TASTE)


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I have two kids", "User has two kids"),
        ("I've got a cat named Whiskers", "User has a cat named Whiskers"),
        ("I've got two cats, Luna and Milo.", "User has two cats named Luna and Milo"),
        ("I don't have any siblings", "User does not have any siblings"),
        ("I'm an only child", "User is an only child"),
        ("I'm the youngest of four siblings.", "User is the youngest of four siblings"),
        ("My dog's name is Rex", "User has a dog named Rex"),
        ("Our dog is called Bella.", "User has a dog named Bella"),
        ("my brother is a doctor", "User's brother is a doctor"),
        ("my parents live in Florida", "User's parents live in Florida"),
        ("My grandmother is 92.", "User's grandmother is 92 years old"),
        ("My mother passed away last year.", "User's mother passed away last year"),
        ("I'm married to Alex", "User is married to Alex"),
        ("I got divorced in 2019.", "User got divorced in 2019"),
        ("I live with my parents.", "User lives with their parents"),
        ("i have a bf called Ryan", "User has a boyfriend named Ryan"),
        ("I'm dating a girl named Chloe.", "User is dating a girl named Chloe"),
        ("I went to the park with my daughter Lily", "User has a daughter named Lily"),
        ("We took our daughter to the zoo", "User has a daughter"),
    ],
)
def test_whom_they_have(message: str, content: str) -> None:
    _check(message, content, KIN)


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I want to learn Spanish", "User wants to learn Spanish"),
        ("I plan to visit Iceland next summer", "User plans to visit Iceland next summer"),
        ("I'm going to Iceland next summer", "User is going to Iceland next summer"),
        ("I'd love to visit Japan someday", "User would love to visit Japan someday"),
        ("I hope to open my own restaurant one day.", "User hopes to open their own restaurant one day"),
        ("I'm training for the Boston Marathon.", "User is training for the Boston Marathon"),
        ("I'm saving up for a house.", "User is saving up for a house"),
        ("My dream is to live by the sea.", "User's dream is to live by the sea"),
        ("I'm moving to Spain in the fall.", "User is moving to Spain in the fall"),
        ("I'm thinking of learning Italian.", "User is thinking of learning Italian"),
        ("I've always wanted to learn sailing.", "User has always wanted to learn sailing"),
        ("I will start my PhD in September.", "User will start their PhD in September"),
    ],
)
def test_what_they_plan_and_want(message: str, content: str) -> None:
    _check(message, content, GOAL)


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I speak English, Spanish and a bit of Portuguese.", "User speaks English, Spanish and a bit of Portuguese"),
        ("i speak french", "User speaks French"),
        ("I'm fluent in German.", "User is fluent in German"),
        ("I play the piano", "User plays the piano"),
        ("I can't drive.", "User can't drive"),
        ("I know Python and JavaScript.", "User knows Python and JavaScript"),
        ("I know how to juggle.", "User knows how to juggle"),
        ("I'm good at math.", "User is good at math"),
        ("I'm learning to play the piano.", "User is learning to play the piano"),
    ],
)
def test_what_they_can(message: str, content: str) -> None:
    _check(message, content, SKILL)


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I used to live in New York", "User used to live in New York"),
        ("I used to smoke", "User used to smoke"),
        ("I moved to Portland last month", "User moved to Portland last month"),
        ("We moved to the countryside in 2012", "User moved to the countryside in 2012"),
        ("I grew up in a small town in Ohio.", "User grew up in a small town in Ohio"),
        ("I graduated from MIT", "User graduated from MIT"),
        ("I visited Japan in 2023", "User visited Japan in 2023"),
        ("I've been to Iceland twice.", "User has been to Iceland twice"),
        ("I've never been to Europe.", "User has never been to Europe"),
        ("I ran my first marathon in October.", "User ran their first marathon in October"),
        ("I lost my job in March.", "User lost their job in March"),
        ("I quit smoking two years ago.", "User quit smoking two years ago"),
        ("I served in the Navy for six years.", "User served in the Navy for six years"),
    ],
)
def test_what_they_have_lived_through(message: str, content: str) -> None:
    _check(message, content, PAST)


# ── several in one message ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("message", "contents"),
    [
        (
            "I'm Tom, 34, a nurse from Leeds with two kids",
            [
                "User's name is Tom",
                "User is 34 years old",
                "User is a nurse",
                "User is from Leeds",
                "User has two kids",
            ],
        ),
        (
            "My name is Sarah and I live in Seattle with my husband Tom.",
            [
                "User's name is Sarah",
                "User lives in Seattle",
                "User lives with their husband Tom",
                "User has a husband named Tom",
            ],
        ),
        ("my sister Emma lives in Oslo", ["User has a sister named Emma", "User's sister Emma lives in Oslo"]),
        (
            "I have a sister named Emma. She lives in Oslo and works as a chef.",
            ["User has a sister named Emma", "User's sister Emma lives in Oslo", "User's sister Emma works as a chef"],
        ),
        (
            "I have a daughter, Sophie, who's 7, and a son, Jack, who's 4.",
            [
                "User has a daughter named Sophie",
                "User's daughter Sophie is 7 years old",
                "User has a son named Jack",
                "User's son Jack is 4 years old",
            ],
        ),
        (
            "I have two kids, a dog named Rex and a cat",
            ["User has two kids", "User has a dog named Rex", "User has a cat"],
        ),
        ("I love hiking, swimming and chess", ["User loves hiking", "User loves swimming", "User loves chess"]),
        ("I love mac and cheese", ["User loves mac and cheese"]),
        (
            "Can you plan a party for my daughter Mia? She's turning 6 and she loves unicorns.",
            [
                "User's daughter Mia is turning 6",
                "User's daughter Mia loves unicorns",
                "User has a daughter named Mia",
            ],
        ),
        ("I like wearing red shoes and hats", ["User likes wearing red shoes and hats"]),
        ("im a nurse in leeds and i have 2 kids", ["User is a nurse in leeds", "User has 2 kids"]),
        ("i'm from texas 🤠 i hate mondays lol", ["User is from Texas", "User hates mondays"]),
        ("I'm an American living in Tokyo.", ["User is an American", "User is living in Tokyo"]),
        ("I used to work at Google but now I live in Rome", ["User used to work at Google", "User lives in Rome"]),
        ("What's your favorite food? Mine is donuts", ["User's favorite food is donuts"]),
    ],
)
def test_each_fact_of_a_message_is_one_candidate(message: str, contents: list[str]) -> None:
    assert _contents(message) == contents


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I'm 33, no wait, 34", "User is 34 years old"),
        ("I live in Boston — I mean Austin", "User lives in Austin"),
        ("I live in Boston. Sorry, I meant Austin.", "User lives in Austin"),
        ("I have 2, no, 3 cats.", "User has 3 cats"),
    ],
)
def test_the_last_of_two_wordings_counts(message: str, content: str) -> None:
    assert _contents(message) == [content]


def test_what_is_stated_twice_is_given_once() -> None:
    assert _contents("I like tea. Really, I like tea!") == ["User likes tea"]


def test_what_is_only_implied_is_less_sure() -> None:
    stated: Candidate = facts_stated("I have a wife")[0]
    implied: Candidate = facts_stated("My wife and I watched it")[0]

    assert stated.content == implied.content == "User has a wife"
    assert stated.confidence > implied.confidence >= 0.8
