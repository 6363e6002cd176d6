"""What is no statement of the user's about themselves teaches nothing (F1, F3, F4, O1)."""

import pytest

from everlore.reflect.rules import facts_stated


def _check_nothing(message: str) -> None:
    assert [each.content for each in facts_stated(message, assistants=("Nova",))] == []


@pytest.mark.parametrize(
    "message",
    [
        "Hello Nova!",
        "Good morning Nova, I am ready",
        "Hi Sarah",
        "Thanks Emma!",
        "Do you like pizza?",
        "What is my name?",
        "Do you think I'm too old at 45?",
        "I live in Ohio?",
        "How do I say I am allergic to nuts in Spanish?",
        "send me a photo",
        "I want you to write a poem",
        "Write an email to my boss saying I'm sick",
        "Tell me where I was born",
        "Stop calling me Sarah",
        "let me think",
    ],
)
def test_greetings_questions_and_requests(message: str) -> None:
    _check_nothing(message)


@pytest.mark.parametrize(
    "message",
    [
        "I'm tired",
        "I'm back",
        "I'm fine, thanks",
        "I'm sorry",
        "im so done with today",
        "I'm in a hurry",
        "I'm at the airport",
        "I'm a bit tired",
        "I'm going to bed",
        "we are going to LOSE, I know it",
        "clocked off at five",
        "I've been knitting away since nine",
        "no time for my normal Sundays",
        "the shelf that I knocked down myself in 2003",
        "I'll be right back",
        "I'm going to the store",
        "I'm cooking pasta tonight",
        "I'm working late today",
        "I'm studying for a test",
        "I just got home",
        "I went for a walk",
        "I had pizza for lunch",
        "I lost my keys",
        "I have a headache",
        "I have a meeting in ten minutes",
        "I can't drive tonight, I've had a drink",
        "I want a pizza now",
        "I want to go home",
        "I want to know more about black holes",
        "I want to be happy",
        "I'd like a coffee please",
        "I need help with my code",
        "My day was good",
        "my head hurts",
        "My mom is calling",
    ],
)
def test_moments(message: str) -> None:
    _check_nothing(message)


@pytest.mark.parametrize(
    "message",
    [
        "I like your idea",
        "I love you",
        "I like that",
        "I love the way you talk",
        "I enjoy talking to you",
        "I don't like the tone",
        "I prefer the second one",
        "I'm into you",
        "I'm a fan of yours",
        "I'm interested in your opinion",
        "My favorite part is the ending",
        "You are Nova",
        "I'm talking to Nova",
        "I like Nova",
        "I'm Nova",
        "you said you have a sister",
    ],
)
def test_the_talk_and_the_assistant(message: str) -> None:
    _check_nothing(message)


@pytest.mark.parametrize(
    "message",
    [
        "if I were rich I would live in Paris",
        "I wish I had a dog",
        "I'd love to!",
        "I might move to Spain",
        "Maybe I'm an introvert",
        "I could never be a vegetarian",
        "I almost moved to Spain",
        "Suppose I have three apples",
        "What if I lived in Paris?",
        "yeah right, I love mondays",
        "oh great, I just love waiting in line",
        "I love waiting in line /s",
        "I'm just kidding, I live in a castle",
        "Sure, and I'm the King of Norway",
        "I'm from the future lol",
    ],
)
def test_what_is_supposed_or_meant_in_jest(message: str) -> None:
    _check_nothing(message)


@pytest.mark.parametrize(
    "message",
    [
        'She said "I live in Rome"',
        "She was like, I'm from Texas",
        "They said I was too old",
        "He asked me if I am married",
        "In the book the hero says I am your father",
        "'I live in Rome,' he said",
        "Bob: I live in Rome",
        "> I live in Rome",
        "♪ I'm just a poor boy, nobody loves me ♪",
        'e.g. "My name is John"',
        "translate: I live in Berlin",
        "Please proofread this: My name is Tom and I live in Leeds. I have two kids.",
        "Fix the grammar: I has two dog and I lives in Rome",
        "Dear Sir, my name is John Smith and I am writing to apply.",
        "Here is the article:\n\nThe mayor was happy. My name is Jean and I live in Lyon.",
        '```\nname = "Bob"\n# I live in Rome\n```',
        "2024-01-01 12:00:00 INFO my name is Bob",
    ],
)
def test_the_words_of_others_and_material(message: str) -> None:
    _check_nothing(message)


@pytest.mark.parametrize(
    "message",
    [
        "*I draw my sword*",
        "*draws sword* I am Aragorn, son of Arathorn",
        "write a story where I am a pirate",
        "pretend I'm a king. I live in a castle",
        "Let's roleplay. I'm a detective in London.",
        "My character is named Thorin",
        "In the game I am a level 20 wizard",
        "I open the door and attack the goblin",
        "I run toward the castle",
        "I drink the potion",
        "I study the inscription on the door",
        "I collect the gold coins",
        "I go to the school gate and look around",
        "I have 50 gold",
        "I speak to the guard in Elvish",
        "I play my land and pass",
        "I tell the guard that my name is Garrick.",
        "I pretend to be a nurse.",
    ],
)
def test_played_parts(message: str) -> None:
    _check_nothing(message)


@pytest.mark.parametrize(
    "message",
    [
        "I'm all ears",
        "I live for this",
        "I live in fear",
        "I work hard",
        "I have no idea",
        "I have a question",
        "I have a dream",
        "I was born ready",
        "I'm a mess",
        "I'm the captain now",
        "I'm 100% sure",
        "I'm 5 minutes away",
        "I'm used to it",
        "I can't wait",
        "I hate to say it",
        "Call me crazy but this works",
        "I have a class called Dog",
        "I have a Dog class that extends Animal",
        "My code is in Python",
        "My name is on the list",
        "We live in a society",
        "the food I love is gone",
    ],
)
def test_idioms_and_things_that_only_look_like_facts(message: str) -> None:
    _check_nothing(message)


@pytest.mark.parametrize(
    "message",
    [
        "She lives in Oslo.",
        "His sister lives in Oslo",
        "Her brother Tom is a lawyer",
        "Some people love cats",
        "Paris is big",
    ],
)
def test_people_who_are_not_the_users(message: str) -> None:
    _check_nothing(message)


def test_facts_of_somebody_close_are_never_the_users_own() -> None:
    """F4: content is about whom it was said of."""
    contents = [each.content for each in facts_stated("My brother is a doctor and he lives in Rome.")]

    assert contents == ["User's brother is a doctor", "User's brother lives in Rome"]


def test_what_is_denied_never_turns_positive() -> None:
    contents = [each.content for each in facts_stated("I'm not a teacher and I don't live in Rome")]

    assert contents == ["User is not a teacher", "User does not live in Rome"]


def test_a_user_may_have_the_name_of_the_one_they_talk_to() -> None:
    """F1: the assistant's name can never become the user's, unless the user is known by it."""
    assert facts_stated("My name is Sam", assistants=["Sam"]) == []
    assert facts_stated("My name is Sam", assistants=["Sam"], user_name="Sam") != []


@pytest.mark.parametrize(
    "message",
    [
        # What was dreamt, up to the waking.
        "had the oddest dream. so I'm married to a cellist and we have nine cats. then I was a judge in Peru.",
        # Spoken on a stage.
        "Admiral, the hull is breached and I have a husband on Titan.",
        # Which one, only the talk itself told; and what stood before the preposition is gone.
        "my ex took the sofa and I got the lamp",
        "I'm the only one in my street",
        "the neighbour I've been lending tools to for years",
        "it was the glue I was afraid of the whole week",
        "I was a teenager",
    ],
)
def test_what_is_dreamt_played_or_cut_short(message: str) -> None:
    _check_nothing(message)


def test_who_wakes_speaks_of_themselves_again() -> None:
    message = "had the oddest dream. we had nine cats. woke up laughing. I live in Leeds."

    assert [each.content for each in facts_stated(message)] == ["User lives in Leeds"]
