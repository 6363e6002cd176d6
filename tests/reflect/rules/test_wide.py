"""Ordinary statements with ordinary verbs, of the user and of their people (O1)."""

import pytest

from everlore.reflect.rules import facts_stated


def _said(message: str) -> list[str]:
    return [each.content for each in facts_stated(message, assistants=("Nova",))]


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("I use Arch", "User uses Arch"),
        ("I keep bees", "User keeps bees"),
        ("I bake my own bread", "User bakes their own bread"),
        ("I never finished high school", "User never finished high school"),
        ("I don't teach any more", "User no longer teaches"),
        ("I've had asthma for years", "User has had asthma for years"),
        ("I have never been abroad", "User has never been abroad"),
        ("I did the Jakobsweg in 2012", "User did the Jakobsweg in 2012"),
        ("On Sunday I'm seeing my nephew", "User is seeing their nephew on Sunday"),
        ("I was homeless for two years", "User was homeless for two years"),
        ("My folks ran a paint shop", "User's folks ran a paint shop"),
        ("My brother's in prison", "User's brother is in prison"),
        ("My partner eats meat", "User's partner eats meat"),
        ("My nan died in January", "User's nan died in January"),
        ("My grandad fought in Korea", "User's grandad fought in Korea"),
        ("I'm nearly sixty", "User is nearly sixty years old"),
        ("My eldest is Marguerite", "User's eldest is named Marguerite"),
        ("I'm the only vet in the valley", "User is the only vet in the valley"),
        ("I'm super afraid of wasps", "User is afraid of wasps"),
        ("I've always loved trains", "User has always loved trains"),
        ("I'm a sucker for old maps", "User is a sucker for old maps"),
        ("I don't have any cats or dogs", "User does not have any cats or dogs"),
        ("I stopped going to mass after the scandal", "User stopped going to mass after the scandal"),
        ("I voted Labour my whole life", "User voted Labour their whole life"),
        ("We speak Farsi at home", "User speaks Farsi at home"),
        ("I've got a 2012 Fiesta with a dent in it", "User has a 2012 Fiesta"),
        ("I live by myself", "User lives alone"),
        ("I've seen Hamilton four times", "User has seen Hamilton four times"),
        ("I stack shelves at Asda", "User stacks shelves at Asda"),
        ("I have one kidney", "User has one kidney"),
        ("I've signed up for a pottery course", "User has signed up for a pottery course"),
        ("The Hobbit is one of my favorites", "User's favorites include The Hobbit"),
        ("I'm due in April", "User is due in April"),
        ("I'm considering going freelance", "User is considering going freelance"),
        ("I go by she/her", "User goes by she/her"),
        ("I work in IT", "User works in IT"),
        ("My grandparents came from Lithuania", "User's grandparents came from Lithuania"),
        ("I taught myself to code", "User taught themselves to code"),
        ("I live out here in California", "User lives in California"),
    ],
)
def test_a_statement_is_kept_in_the_third_person(message: str, content: str) -> None:
    assert content in _said(message)


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("My flight to Lisbon is on Tuesday", "User's flight to Lisbon is on Tuesday"),
        ("My nan's 90th is on Saturday", "User's nan's 90th is on Saturday"),
        ("My job is fixing lifts", "User's job is fixing lifts"),
        ("My phone is a Pixel 7", "User's phone is a Pixel 7"),
        ("My Spanish is okay", "User speaks some Spanish"),
        ("My go-to drink is a negroni", "User's go-to drink is a negroni"),
    ],
)
def test_what_belongs_to_the_user_says_what_it_is(message: str, content: str) -> None:
    assert content in _said(message)


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("Mum's from Trinidad", "User's mum is from Trinidad"),
        ("Dad was a coal miner", "User's dad was a coal miner"),
        ("Mum's been diagnosed with dementia", "User's mum has been diagnosed with dementia"),
        ("The baby's due on Halloween", "User's baby is due on Halloween"),
    ],
)
def test_other_subjects_tell_of_the_user_too(message: str, content: str) -> None:
    assert content in _said(message)


@pytest.mark.parametrize(
    "message",
    [
        "Dad jokes are great",
        "The baby is crying",
        "x > y",
        "a > 5 and b < 3",
        "This is my jam",
        "My phone is a brick",
        "My laptop is slow",
        "My eyes are tired",
        "My interview went fine",
        "My code is in C",
        "I'm a professional worrier by now",
        "I have a knot in my stomach",
        "I live in fear",
        "I'm the captain of this ship",
        "I got soaked",
        "I quit the app",
        "The support I got made a huge difference",
        "I love his skills and leadership",
        "I love how it shows the power of art and music",
        "I'm no writer like you",
        "I've got lots of kids' books",
        "Here's a photo of my horse painting",
    ],
)
def test_what_only_looks_alike_states_nothing(message: str) -> None:
    assert _said(message) == []
