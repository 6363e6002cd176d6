"""Segments in which nothing happens are known without a model (K2); stories and people's affairs are not lost."""

import pytest

from everlore.domain.conversation import Message
from everlore.learning.segments.keyframes import is_trivial
from tests.growth import outgrows_its_text
from tests.learning.segments.asked import BETRAYAL, SMALL_TALK, line, talk

# Twelve of each sort, and more; the words of small talk were chosen with some of them in mind.
NOTHING = [
    SMALL_TALK,
    ("hey", "hey you :)", "what's up", "not much, you?", "same lol", "haha", "ok brb", "sure"),
    ("Good morning", "Good morning! Did you sleep well?", "Yeah pretty well.", "Any plans?", "Nah, just relaxing."),
    ("It is raining again.", "It has been raining all week.", "I know, it's so grey.", "I like the sound of it."),
    ("Thanks for your help!", "You're very welcome.", "Really, thank you so much.", "Any time!", "Bye"),
    ("ok", "ok", "lol", "haha", "yes", "no", "maybe", "hm"),
    ("*smiles*", "*smiles back*", "Nice to see you.", "Nice to see you too.", "*nods*", "*sips coffee*"),
    ("Would you like some tea?", "Yes please, with milk.", "Here you go.", "Thank you, this is really good."),
    ("lol that's so funny", "I know right", "hahaha I can't", "😂😂", "omg"),
    ("How was your day?", "Oh, the usual. Busy but okay.", "Mine was long too.", "At least it's over now."),
    ("Hallo!", "Hallo, wie geht's?", "Gut, danke, und dir?", "Auch gut.", "Schön.", "Tschüss!"),
    ("¡Hola!", "Hola, ¿qué tal?", "Bien, gracias.", "Me alegro.", "Hasta luego", "Adiós"),
    ("What's your favourite colour?", "I think blue, and you?", "Green, probably.", "Green is nice too."),
    ("Good evening.", "Good evening. A cold night.", "Indeed it is.", "Can I get you something to drink?", "Please."),
    ("...", "!!!", "❤️"),
]
SOMETHING = [
    BETRAYAL,
    ("*She draws her sword and steps in front of the door.*", "*I lunge at her.*", "*She kicks me back.*"),
    ("*He slips the letter under the door and runs.*", "*I pick it up and read it, trembling.*", "*He hides.*"),
    ("*He leans in and kisses her.*", "*She freezes, then kisses him back.*", "I have wanted this.", "*He smiles.*"),
    ("I decided to leave the guild.", "Why would you do that?", "They lied to us.", "I see."),
    ("My sister Anna moved to Lisbon last year.", "Oh, how is she?", "She is fine.", "Good."),
    ("Will you marry me?", "Yes! Yes, I will.", "*He puts the ring on her finger.*"),
    ("*The cave yawns ahead.*", "*I light a torch and go in.*", "*Something growls in the dark.*"),
    ("I'm allergic to peanuts, so please no satay.", "Noted! What about noodles?", "Great."),
    ("You told everyone what I said to you.", "I did not!", "Don't lie to me. I trusted you.", "I was angry."),
    ("Ich habe gestern den Schlüssel der Burg gestohlen.", "Du hast was getan?", "Der König darf es nie erfahren."),
    ("明日の夜、駅前で会いましょう。", "彼女は来月、京都に引っ越すことになりました。", "寂しくなりますね。"),
    ("How much for the horse?", "Forty silver.", "Thirty, and I shoe it myself.", "Thirty-five.", "Deal."),
    ("Can you help me with a loop in Python?", "Use a for loop over the list.", "It raises a TypeError on None."),
    ("He's gone.", "Who?", "The boy. He took the boat.", "In this storm?", "We have to go after him."),
    ("She's lying.", "How can you tell?", "Her hands shake when she talks about the fire.", "We ask her again."),
]


@pytest.mark.parametrize("said", NOTHING, ids=lambda said: ascii(said[0]))
def test_a_talk_about_nothing_is_trivial(said: tuple[str, ...]) -> None:
    """K2."""
    assert is_trivial(talk(*said))


@pytest.mark.parametrize("said", SOMETHING, ids=lambda said: ascii(said[0]))
def test_a_talk_in_which_something_happens_is_not(said: tuple[str, ...]) -> None:
    """K2."""
    assert not is_trivial(talk(*said))


def test_one_promise_among_thirty_lines_of_small_talk_is_enough() -> None:
    """K2."""
    small = list(SMALL_TALK * 5)

    assert is_trivial(talk(*small))
    assert not is_trivial(talk(*small[:14], "I promise to bring your ring back.", *small[15:]))


def test_what_nobody_may_read_does_not_count() -> None:
    """F6: a private or hidden message is not read, and neither are a model's thoughts."""
    weighty = "I promise to marry Elena on Friday."

    def among(message: Message) -> bool:
        return is_trivial([*talk("Hi!", "Hello."), message])

    assert not among(line(2, "tom", weighty))
    assert among(line(2, "tom", weighty, private=True))
    assert among(line(2, "tom", weighty, hidden=True))
    assert among(line(2, "lyra", f"<think>{weighty}</think>Hello."))


def test_the_weight_that_a_message_was_given_is_taken() -> None:
    assert not is_trivial([line(0, "tom", "Hello.", weight=7)])


def test_nothing_at_all_is_trivial() -> None:
    assert is_trivial([])


@pytest.mark.parametrize("piece", ["a b ", "((((", "🐉.", "é '", "*\n"])
def test_long_rubbish_takes_no_more_than_its_length(piece: str) -> None:
    """S-8."""
    assert not outgrows_its_text(lambda text: is_trivial([line(1, "tom", text)]), piece, 100_000)
