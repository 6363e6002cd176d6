"""What is plainly stated in English becomes claims, and what is not stated is left alone (O1, F2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.claim import Claim, Slot
from everlore.domain.memory import Category
from everlore.language.tense import Tense
from everlore.learning.candidate import EarlierMessage
from everlore.learning.phrasebooks.english import facts_stated


def said(message: str) -> list[str]:
    return [each.content for each in facts_stated(message)]


def claimed(message: str) -> Claim:
    (fact,) = facts_stated(message)
    assert fact.claim is not None
    return fact.claim


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("my name is anna", "User's name is Anna"),
        ("I'm thirty-four years old", "User is thirty-four years old"),
        ("I'm 19 now!", "User is 19 years old"),
        ("I turned 30 last week", "User turned 30 last week"),
        ("My birthday is March 3rd", "User's birthday is March 3rd"),
        ("i live in seattle", "User lives in Seattle"),
        ("Currently living in Osaka.", "User is living in Osaka"),
        ("I already told you I live in Rome!", "User lives in Rome"),
        ("I'm from a small town near Lyon", "User is from a small town near Lyon"),
        ("I don't live in Boston anymore.", "User no longer lives in Boston"),
        ("I'm German", "User is German"),
        ("I have type 1 diabetes.", "User has type 1 diabetes"),
        ("by the way my mum's name is Jean", "User has a mum named Jean"),
        ("we've got this cat called Biscuit", "User has a cat called Biscuit"),
        ("I can't have peanuts", "User can't have peanuts"),
        ("I'm left-handed", "User is left-handed"),
        ("I'm not a morning person.", "User is not a morning person"),
        ("I work from home most days", "User works from home most days"),
        ("I'm a nurse", "User is a nurse"),
        ("I'm an accountant by profession.", "User is an accountant by profession"),
        ("I'm not a teacher", "User is not a teacher"),
        ("I teach high school chemistry.", "User teaches high school chemistry"),
        ("I run a small bakery in Portland.", "User runs a small bakery in Portland"),
        ("I'm majoring in computer science.", "User is majoring in computer science"),
        ("I have a PhD in physics.", "User has a PhD in physics"),
        ("I've been a nurse for 12 years", "User has been a nurse for 12 years"),
        ("I myself am a tailor.", "User is a tailor"),
        ("dont like onions", "User does not like onions"),
        ("I don't like coffee any more", "User no longer likes coffee"),
        ("I'm a big fan of Star Wars.", "User is a big fan of Star Wars"),
        ("I'm scared of spiders.", "User is scared of spiders"),
        ("My favourite band is Radiohead.", "User's favorite band is Radiohead"),
        ("I collect vinyl records.", "User collects vinyl records"),
        ("I go to the gym three times a week.", "User goes to the gym three times a week"),
        ("Next March I'm planning to cycle along the Danube.", "User is planning to cycle along the Danube next March"),
        ("I read fantasy novels", "User reads fantasy novels"),
        ("I've got a cat named Whiskers", "User has a cat named Whiskers"),
        ("I'm an only child", "User is an only child"),
        ("I'm the youngest of four siblings.", "User is the youngest of four siblings"),
        ("my brother is a doctor", "User's brother is a doctor"),
        ("I'm dating a girl named Chloe.", "User is dating a girl named Chloe"),
        ("I hope to open my own restaurant one day.", "User hopes to open their own restaurant one day"),
        ("My dream is to live by the sea.", "User's dream is to live by the sea"),
        ("I'm moving to Spain in the fall.", "User is moving to Spain in the fall"),
        ("I'm thinking of learning Italian.", "User is thinking of learning Italian"),
        ("I've always wanted to learn sailing.", "User has always wanted to learn sailing"),
        ("I will start my PhD in September.", "User will start their PhD in September"),
        ("I speak English, Spanish and a bit of Portuguese.", "User speaks English, Spanish and a bit of Portuguese"),
        ("I play the piano", "User plays the piano"),
        ("I know how to juggle.", "User knows how to juggle"),
        ("I'm learning to play the piano.", "User is learning to play the piano"),
        ("I graduated from MIT", "User graduated from MIT"),
        ("I visited Japan in 2023", "User visited Japan in 2023"),
        ("I lost my job in March.", "User lost their job in March"),
        ("I served in the Navy for six years.", "User served in the Navy for six years"),
        ("I have 2, no, 3 cats.", "User has 3 cats"),
        ("im not vegan anymore", "User is no longer vegan"),
        ("I'm not with Dan anymore", "User is no longer with Dan"),
        ("My surname's Haddad", "User's surname is Haddad"),
        ("I speak Basque at home", "User speaks Basque at home"),
        ("I took up judo at five", "User took up judo at five"),
        ("We live in Racine, WI", "User lives in Racine, WI"),
        ("We moved to Fargo, ND", "User moved to Fargo, ND"),
        ("my brothers a vet", "User's brother is a vet"),
        ("my birthday's on boxing day", "User's birthday is on boxing day"),
        ("Owen (my cousin) lives in Oslo", "User's cousin Owen lives in Oslo"),
        ("went there with Owen, my cousin", "User has a cousin named Owen"),
        ("we're getting a whippet!!", "User is getting a whippet"),
        ("favorite film gotta be Jaws", "User's favorite film is Jaws"),
        ("Mum would never have managed it alone, she's 71", "User's mum is 71 years old"),
        ("I'm deaf in one ear", "User is deaf in one ear"),
        ("Vegan, in bed by nine.", "User is vegan"),
        ("I've been a referee for about six years", "User has been a referee for about six years"),
        ("I did the Jakobsweg in 2012", "User did the Jakobsweg in 2012"),
        ("My parents run a kiosk in Ghent", "User's parents run a kiosk in Ghent"),
        ("We moved from Ghent to Turin six years ago", "User moved from Ghent to Turin six years ago"),
        ("Husband works nights on the ferry.", "User's husband works nights on the ferry"),
        ("My sister's husband is a pilot", "User's sister's husband is a pilot"),
        ("My mother tongue is French", "User's mother tongue is French"),
        ("My uncle is a beekeeper.", "User's uncle is a beekeeper"),
        ("I want to do forestry in Finland.", "User wants to do forestry in Finland"),
        ("I've run four marathons.", "User has run four marathons"),
        ("I quit the shoe factory in may", "User quit the shoe factory in may"),
        ("We're in Dunedin", "User is in Dunedin"),
        ("I do the wiring for the theatre", "User does the wiring for the theatre"),
        ("Now my uncle's had a stroke", "User's uncle has had a stroke"),
        ("I keep bees", "User keeps bees"),
        ("I'm the only vet in the valley", "User is the only vet in the valley"),
        ("I stack shelves at Asda", "User stacks shelves at Asda"),
        ("I go by she/her", "User goes by she/her"),
        ("Everyone calls me Tobi", "User goes by Tobi"),
        ("The problem is that I work nights.", "User works nights"),
        ("I told my boss that I live in Leeds now.", "User lives in Leeds"),
        ("My secret is that I play the tuba.", "User plays the tuba"),
        ("Please call me Sam", "User goes by Sam"),
        ("Just call me Ana.", "User goes by Ana"),
        ("Feel free to call me Lily.", "User goes by Lily"),
        ("My name is Samantha. Call me Sammy.", "User goes by Sammy"),
        ("My friends call me Sammy", "User goes by Sammy"),
        ("My name is Samantha, but my friends call me Sammy.", "User goes by Sammy"),
        ("My two cats are called Tom and Jerry.", "User has two cats named Tom and Jerry"),
        ("My kids are called Tom and Anna and live in Ghent.", "User has kids named Tom and Anna"),
        ("Hey, name's Jack, I live in Rome.", "User's name is Jack"),
        ("Hi, Omar here.", "User's name is Omar"),
        ("I'm not allowed to eat sugar.", "User can't eat sugar"),
        ("I mustn't eat shellfish.", "User can't eat shellfish"),
        ("I have to avoid gluten.", "User avoids gluten"),
        ("I play in a local football team.", "User plays in a local football team"),
        ("Mum's been diagnosed with dementia", "User's mum has been diagnosed with dementia"),
    ],
)
def test_a_plain_statement_is_told_of_the_user(message: str, content: str) -> None:
    assert content in said(message)


@pytest.mark.parametrize(
    "message",
    [
        "Good morning Nova, I am ready",
        "Black lab, name's Sergeant.",
        "Just call me when you arrive",
        "Hey, everyone here is nice.",
        "I'm not allowed to have the code.",
        "I have to avoid the exam.",
        "I play in the garden.",
        "Do you like pizza?",
        "What is my name?",
        "Do you think I'm too old at 45?",
        "I live in Ohio?",
        "I want you to write a poem",
        "Tell me where I was born",
        "Stop calling me Sarah",
        "let me think",
        "I'm 33, no wait, 34",
        "I live in Boston — I mean Austin",
        "I'm tired",
        "I'm fine, thanks",
        "im so done with today",
        "I'm in a hurry",
        "I'm at the airport",
        "clocked off at five",
        "I've been knitting away since nine",
        "no time for my normal Sundays",
        "the shelf that I knocked down myself in 2003",
        "I'm going to the store",
        "I'm cooking pasta tonight",
        "I'm working late today",
        "I'm studying for a test",
        "I lost my keys",
        "I have a meeting in ten minutes",
        "I want a pizza now",
        "I want to go home",
        "I'd like a coffee please",
        "I need help with my code",
        "my head hurts",
        "My mom is calling",
        "I like that",
        "I love the way you talk",
        "I enjoy talking to you",
        "I prefer the second one",
        "I'm a fan of yours",
        "You are Nova",
        "I'm talking to Nova",
        "you said you have a sister",
        "if I were rich I would live in Paris",
        "I'd love to!",
        "I might move to Spain",
        "I could never be a vegetarian",
        "yeah right, I love mondays",
        "oh great, I just love waiting in line",
        "I love waiting in line /s",
        "I'm just kidding, I live in a castle",
        "Sure, and I'm the King of Norway",
        "I'm from the future lol",
        "He asked me if I am married",
        "In the book the hero says I am your father",
        "'I live in Rome,' he said",
        "> I live in Rome",
        "♪ I'm just a poor boy, nobody loves me ♪",
        "translate: I live in Berlin",
        "Fix the grammar: I has two dog and I lives in Rome",
        '```\nname = "Bob"\n# I live in Rome\n```',
        "*I draw my sword*",
        "Let's roleplay. I'm a detective in London.",
        "My character is named Thorin",
        "In the game I am a level 20 wizard",
        "I open the door and attack the goblin",
        "I drink the potion",
        "I study the inscription on the door",
        "I collect the gold coins",
        "I speak to the guard in Elvish",
        "I tell the guard that my name is Garrick.",
        "I pretend to be a nurse.",
        "I'm all ears",
        "I live for this",
        "I work hard",
        "I have no idea",
        "I have a dream",
        "I'm the captain now",
        "I'm 5 minutes away",
        "I can't wait",
        "There is a bakery on our street that I go to every Sunday.",
        "It is a car which I share with nobody.",
        "Call me crazy but this works",
        "Would you call me Sammy?",
        "Don't call me Sammy.",
        "She said call me Sammy.",
        "If my friends call me Sammy, I smile.",
        "My friends used to call me Sammy.",
        "My boss called me Sammy once.",
        '"Call me Sammy," she said.',
        "*Call me Sammy*",
        "In the game my friends call me Sammy.",
        "I miei gatti si chiamano Tom e Jerry.",
        "I have a class called Dog",
        "I have a Dog class that extends Animal",
        "My code is in Python",
        "We live in a society",
        "the food I love is gone",
        "She lives in Oslo.",
        "His sister lives in Oslo",
        "Her brother Tom is a lawyer",
        "Some people love cats",
        "Paris is big",
        "had the oddest dream. so I'm married to a cellist and we have nine cats. then I was a judge in Peru.",
        "I'm the only one in my street",
        "the neighbour I've been lending tools to for years",
        "What's my sister called again?",
        "what's my dog called btw",
    ],
)
def test_what_is_asked_wished_played_or_of_the_moment_is_left_alone(message: str) -> None:
    assert said(message) == []


@pytest.mark.parametrize(
    ("message", "claim"),
    [
        ("I live in Porto", Claim(slot=Slot.HOME, value="Porto")),
        ("I moved to Porto last year", Claim(slot=Slot.HOME, value="Porto", is_change=True)),
        (
            "I used to live in Porto",
            Claim(slot=Slot.HOME, value="Porto", polarity=False, time=Tense.PAST, is_change=True),
        ),
        ("I don't live in Porto anymore", Claim(slot=Slot.HOME, value="Porto", polarity=False, is_change=True)),
        (
            "My sister Emma is a nurse, you know her",
            Claim(subject="user's sister Emma", slot=Slot.OCCUPATION, value="nurse"),
        ),
        ("I'm 34", Claim(slot=Slot.AGE, value="34")),
        ("My dog is called Rex", Claim(slot=Slot.PET, topic="dog", value="Rex")),
        ("my cat Tom died last week", Claim(slot=Slot.PET, topic="cat", value="Tom", polarity=False, is_change=True)),
        ("I have two kids", Claim(slot=Slot.FAMILY_SIZE, topic="kids", value="two")),
        ("I don't have any kids", Claim(slot=Slot.FAMILY_SIZE, topic="kids", value="no")),
        ("I'm married to Alex", Claim(slot=Slot.PARTNER, topic="married", value="Alex")),
        ("I broke up with Alex", Claim(slot=Slot.PARTNER, value="Alex", polarity=False, is_change=True)),
        ("I can't stand olives", Claim(slot=Slot.DISLIKE, value="olives")),
        ("I'm not a fan of olives", Claim(slot=Slot.LIKE, value="olives", polarity=False)),
        ("My favorite color is green", Claim(slot=Slot.FAVORITE, topic="color", value="green")),
        ("I'm allergic to nuts", Claim(slot=Slot.ALLERGY, value="nuts")),
        ("I'm vegan", Claim(slot=Slot.DIET, value="vegan")),
        ("I want to learn Spanish", Claim(slot=Slot.GOAL, value="learn Spanish", time=Tense.FUTURE)),
        ("I quit smoking two years ago", Claim(slot=Slot.HABIT, value="smoke", polarity=False, is_change=True)),
        ("My dad died in 2010", Claim(subject="user's father", value="die in 2010", time=Tense.PAST)),
    ],
)
def test_a_statement_knows_what_it_claims(message: str, claim: Claim) -> None:
    found = [each.claim for each in facts_stated(message) if each.claim is not None]

    assert found[0].quote
    assert [each.subject for each in found][:1] == [claim.subject]
    assert {name: getattr(found[0], name) for name in ("slot", "topic", "value", "polarity", "time", "is_change")} == {
        name: getattr(claim, name) for name in ("slot", "topic", "value", "polarity", "time", "is_change")
    }


def test_a_claim_rests_on_the_words_that_were_said() -> None:
    assert claimed("honestly i live in Porto, how about you").quote == "i live in Porto"


def test_each_piece_of_an_introduction_is_one_fact() -> None:
    assert said("Hi, I'm Ana, 34, a nurse from Leeds with two kids.") == [
        "User's name is Ana",
        "User is 34 years old",
        "User is a nurse",
        "User is from Leeds",
        "User has two kids",
    ]


def test_each_thing_of_a_list_is_one_fact() -> None:
    assert said("I love hiking, chess and old films") == [
        "User loves hiking",
        "User loves chess",
        "User loves old films",
    ]
    assert said("I have two cats, a dog named Rex and a parrot") == [
        "User has two cats",
        "User has a dog named Rex",
        "User has a parrot",
    ]


def test_with_whom_they_live_is_told_with_the_place() -> None:
    assert said("I live in Seattle with my husband Tom") == [
        "User lives in Seattle with their husband Tom",
        "User has a husband named Tom",
    ]


def test_who_she_is_stood_in_the_sentence_before() -> None:
    assert said("I have a sister, Lucy. She has two kids.") == [
        "User has a sister named Lucy",
        "User's sister Lucy has two kids",
    ]


def test_who_she_is_stood_in_an_earlier_message() -> None:
    before = [EarlierMessage(is_user=True, name="Ana", content="My sister Emma called.")]

    assert [each.content for each in facts_stated("She lives in Oslo", before=before)] == [
        "User's sister Emma lives in Oslo"
    ]


def test_who_is_known_by_name_is_told_of_by_what_they_are() -> None:
    found = facts_stated("Bram lives in Ghent", people={"Bram": "brother"})

    assert [each.content for each in found] == ["User's brother Bram lives in Ghent"]


def test_nothing_is_told_of_whom_the_model_plays() -> None:
    assert facts_stated("I love Nova", assistants=["Nova"]) == []


@pytest.mark.parametrize(
    ("message", "category"),
    [
        ("I live in Porto", Category.PERSONAL_INFO),
        ("I love jazz", Category.PREFERENCE),
        ("I moved to Porto in May", Category.EXPERIENCE),
        ("I have two kids", Category.RELATIONSHIP),
        ("I want to learn Spanish", Category.GOAL),
        ("I speak French", Category.SKILL),
    ],
)
def test_a_fact_is_of_a_kind(message: str, category: Category) -> None:
    assert [each.category for each in facts_stated(message)] == [category]


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    """S-8."""
    for each in (*facts_stated(text), *facts_stated(f"I {text}"), *facts_stated(f"my sister {text}")):
        assert each.content.startswith(("User ", "User's "))
        assert each.claim is not None


@pytest.mark.parametrize("piece", ["I am ", "and ", "my sister ", "two cats, ", "who is ", "I have a ", "very "])
def test_a_message_that_repeats_itself_is_read_to_its_end(piece: str) -> None:
    assert isinstance(facts_stated(piece * 800), list)
