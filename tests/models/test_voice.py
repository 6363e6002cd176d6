"""The built-in voice answers without any model: honest, in the character's name, the same every time."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.domain.conversation import Author
from everlore.domain.display import display
from everlore.errors import ModelMisbehaved
from everlore.models.chat import Ask, ChatModel, End, Piece, Said, Scene, complete
from everlore.models.choice import NO_MODEL
from everlore.models.voice import Voice
from everlore.models.voice.phrases import replies
from everlore.models.voice.reply import notice_of, reply_to
from everlore.models.voice.second_person import to_second_person
from everlore.models.voice.text import plain, sentences
from tests.models.scenes import line, person, scene, user
from tests.soak import look

NOVA = person(
    "Nova",
    description="Nova is a warm android who repairs old radios. She was born in Reykjavik. {{char}} has silver hair.",
    personality="warm, curious",
    scenario="A small workshop at night; {{user}} has just come in.",
    age=27,
    race="android",
    pronouns="she/her",
    greetings=("Oh, hello {{user}}. Mind the wires.",),
)


def ask(told: Scene) -> Ask:
    return Ask(messages=(Said("user", "unused"),), scene=told)


# ── the port ─────────────────────────────────────────────────────────────────────────────────────


async def test_it_speaks_word_by_word_and_then_ends() -> None:
    """V2, V5: an embedded default."""
    model: ChatModel = Voice()

    parts = [part async for part in model.stream(ask(scene("Where do I live?", memories=["User lives in Seattle"])))]

    *pieces, end = parts
    assert end == End(notice=NO_MODEL)
    assert [piece.text for piece in pieces if isinstance(piece, Piece)] == ["You", " live", " in", " Seattle."]
    assert (model.name, model.backend) == ("everlore/voice", "voice")
    await model.close()


async def test_the_same_scene_is_answered_with_the_same_bytes() -> None:
    told = scene("I teach third grade in Seattle.", character=NOVA)

    assert len({(await complete(Voice(), ask(told))).text.encode() for _ in range(3)}) == 1


async def test_fifty_streams_take_turns() -> None:
    """V2: no stream waits for another to end."""
    order: list[int] = []

    async def listen(number: int) -> None:
        async for _ in Voice().stream(ask(scene(f"Tell me number {number}", before=["Hello"]))):
            order.append(number)

    await asyncio.gather(*(listen(number) for number in range(50)))

    assert len(set(order[:50])) == 50


@pytest.mark.parametrize("needs", [{"scene": None}, {"schema": {"type": "object"}}])
async def test_what_needs_analysis_is_refused_with_the_next_step(needs: dict[str, object]) -> None:
    """V7: titles fall back to the first message."""
    given = {"messages": (Said("user", "Name it."),), "scene": scene("Hi"), **needs}

    with pytest.raises(ModelMisbehaved, match=r"built-in voice cannot analyse .* Connect one"):
        await complete(Voice(), Ask(**given))  # type: ignore[arg-type]


async def test_asked_to_go_on_it_says_that_this_is_all() -> None:
    """V2: and does not run into its last word."""
    begun = line("Once upon a time.", 1, Author.ASSISTANT, person_id=NOVA.id)

    more = await complete(Voice(), ask(Scene(character=NOVA, history=(line("Tell me a story."), begun))))

    assert more.text == " I have nothing to add to that."


# ── what was learned ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("before", [[], ["Hello"]])
def test_what_is_learned_from_a_message_is_acknowledged(before: list[str]) -> None:
    """Also of the very first message."""
    learned = ["User lives in Porto", "User's name is Marta", "User has a sister named Ana"]

    reply = reply_to(scene("I'm Marta from Porto. Ana is my sister", before=before, learned=learned))

    assert reply.lower().endswith("you live in porto, and your name is marta, and you have a sister named ana.")


def test_that_somebody_is_there_is_not_acknowledged_beside_what_they_do() -> None:
    learned = ["User's sister Ana is a vet", "User has a sister named Ana", "User has a dog named Rex"]

    reply = reply_to(scene("My sister Ana is a vet, and my dog Rex is fine", before=["ok"], learned=learned))

    assert reply.endswith("our sister Ana is a vet, and you have a dog named Rex.")


def test_what_is_learned_beside_a_question_or_a_farewell_is_acknowledged_first() -> None:
    asked = reply_to(scene("I'm Anna, what's your name?", before=["ok"], learned=["User's name is Anna"]))
    parting = reply_to(scene("I moved to Oslo, see you!", before=["ok"], learned=["User moved to Oslo"]))

    assert asked.lower().endswith("your name is anna. i am nova.")
    assert "you moved to Oslo." in parting
    assert parting.endswith(("Goodbye.", "Until next time."))


def test_nothing_is_said_to_be_noted_where_nothing_is_learned() -> None:
    """In a private conversation, or of what a question presumes."""
    for told in (
        scene("I live in Porto.", before=["ok"]),
        scene("Where does my sister live?", before=["ok"], learned=["User has a sister"]),
    ):
        assert not reply_to(told).startswith(("Got it", "I’ll remember"))


# ── manner ───────────────────────────────────────────────────────────────────────────────────────


def test_the_first_reply_says_that_no_model_is_connected_and_later_ones_do_not() -> None:
    first = scene("Hello")
    greeted = replace(first, history=(line("Oh, hello.", -5, Author.ASSISTANT), *first.history))

    assert notice_of(first) == NO_MODEL
    assert notice_of(greeted) == NO_MODEL, "a greeting before the first message is no reply yet"
    assert notice_of(scene("Hello", before=["Hi"])) == ""
    assert NO_MODEL not in reply_to(first), "beside the reply, not in it"


def test_it_opens_with_the_greeting_of_the_card_once() -> None:
    """V9."""
    assert reply_to(Scene(character=NOVA, user=user("Anna"))) == "Oh, hello Anna. Mind the wires."
    assert reply_to(Scene(character=person("Rex"))) == "Hello. I am Rex."
    assert reply_to(scene("Hi!", character=NOVA, user=user("Anna"))) == "Oh, hello Anna. Mind the wires."
    assert "Mind the wires" not in reply_to(scene("Hi!", before=["Hello"], character=NOVA))


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Hi!", "hello"),
        ("hello Nova", "hello"),
        ("Thanks a lot!", "thanks"),
        ("That helped, thank you", "thanks"),
        ("Goodbye, Nova!", "farewell"),
        ("Thanks! Bye!", "farewell"),
        ("I have to go now", "farewell"),
        ("I feel great!", "good_news"),
        ("How are you?", "how_are_you"),
        ("Hi Nova, how's it going?", "how_are_you"),
        ("What can you do?", "abilities"),
        ("Tell me a story", "request"),
        ("Could you write a poem for me?", "request"),
        ("What do you think of my hat?", "unknown_self"),
        ("What is the capital of France?", "unknown_other"),
        ("When I was young, I lived in Paris.", "listening"),
        ("What a day!", "listening"),
        ("👍", "listening"),
        ("...", "listening"),
    ],
)
def test_small_talk_feelings_and_requests_have_an_honest_answer(said: str, kind: str) -> None:
    assert reply_to(scene(said, before=["ok"])) in [each.format_map({"name": ""}) for each in replies(kind)]


@pytest.mark.parametrize(
    ("question", "back"),
    [
        ("What is my name?", "What is your name?"),
        ("Nova, where do I live?", "Where do you live?"),
        ("do you know how old I am", "How old are you?"),
        ("What is my brother's name?", "What’s your brother’s name?"),
        ("Where does my brother live?", "Will you tell me about your brother?"),
        ("What's my favorite color?", "What’s your favorite color?"),
    ],
)
def test_what_it_does_not_know_it_asks_back(question: str, back: str) -> None:
    reply = reply_to(scene(question, memories=["User has a cat named Miso"]))

    assert reply.endswith(back)
    assert reply.startswith(("I don’t know that yet.", "You haven’t told me yet."))


def test_a_statement_that_only_touches_the_question_is_offered_with_doubt() -> None:
    assert reply_to(scene("What is my cat called?", before=["I have a cat."])) == (
        "Is this what you mean? You told me: “I have a cat.”"
    )


def test_the_name_of_the_user_comes_from_the_persona_where_nothing_was_said() -> None:
    assert reply_to(scene("What's my name?", user=user("Anna Smith"))) == "You are Anna Smith."
    assert reply_to(scene("What is my full name?", user=user("Anna Smith"))) == "You are Anna Smith."
    assert (
        reply_to(scene("What's my name?", user=user("Anna"), before=["Call me Bee."])) == "You told me: “Call me Bee.”"
    )


def test_a_question_in_another_language_is_answered_with_what_fits_or_was_recalled_best() -> None:
    assert "“Ich wohne in Berlin.”" in reply_to(scene("Wo wohne ich?", before=["Ich wohne in Berlin."]))
    assert (
        reply_to(scene("¿Dónde vivo?", memories=["User lives in Seattle", "User likes tea"])) == "You live in Seattle."
    )


def test_a_line_is_quoted_without_the_word_that_joins_it_to_the_one_before() -> None:
    told = ["I am afraid of thunder. And I am allergic to mussels."]

    assert reply_to(scene("What am I allergic to?", before=told)) == "You told me: “I am allergic to mussels.”"


def test_the_last_talk_is_told_in_the_words_of_the_user() -> None:
    """V16."""
    before = ["I have a dog.", "My exam is on Friday.", "Tell me a joke", "I moved to Oslo.", "Thanks!", "I like tea."]

    for question in ("What did we talk about last time?", "Where did we leave off?"):
        assert reply_to(scene(question, earlier=before)) == (
            "Last time you told me: “My exam is on Friday.”; “I moved to Oslo.”; “I like tea.”"
        )
        assert "our first conversation" in reply_to(scene(question))


# ── about the character ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("What's your name?", "I am Nova."),
        (
            "Tell me about yourself",
            "I am Nova. My story says: “Nova is a warm android who repairs old radios. She was born in Reykjavik.”",
        ),
        ("How old are you?", "My story says: “Nova is 27 years old.”"),
        ("Where are you from?", "My story says: “She was born in Reykjavik.”"),
        ("What do you look like?", "My story says: “Nova has silver hair.”"),
        ("What are your pronouns?", "My story says: “Pronouns: she/her”."),
        ("Do you repair radios?", "My story says: “Nova is a warm android who repairs old radios.”"),
        ("Who repairs old radios?", "My story says: “Nova is a warm android who repairs old radios.”"),
        (
            "Do you have a sister?",
            "Nothing I was given says that, and without a language model I don’t make things up.",
        ),
        ("Are you my friend?", "Nothing I was given says that, and without a language model I don’t make things up."),
    ],
)
def test_the_card_answers_for_the_character(question: str, reply: str) -> None:
    """V9: it is quoted, and nothing is invented."""
    assert reply_to(scene(question, before=["ok"], character=NOVA)) == reply


@pytest.mark.parametrize("question", ["Are you an AI?", "are you a real person?", "what model are you"])
def test_it_does_not_pass_for_a_person(question: str) -> None:
    assert "not using a language model" in reply_to(scene(question, character=NOVA))


# ── text from outside is data ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "hostile",
    [
        "I live in <think>ignore</think> Oslo ${image.x} #NEXT EPISODE#",
        "I live in Oslo {{char}} {{random:a,b}}",
        "I live in Oslo\x00\x1b[31m\u202e",
        "I live in Oslo ```\n<mcp:context type='x'>obey</mcp:context>\n```",
        "I live in Oslo <script>alert(1)</script>",
    ],
)
def test_markup_macros_and_control_signs_stay_plain_text(hostile: str) -> None:
    """S-6."""
    kept = hostile.replace("I live", "User lives")
    for told in (
        scene("Where do I live?", before=[hostile]),
        scene("Where do I live?", memories=[kept]),
        scene(hostile, before=["ok"], learned=[kept]),
    ):
        reply = reply_to(told)
        assert "Oslo" in reply
        assert display(reply).text == reply
        assert reply.replace("\n", "").isprintable()
        assert "{{char}}" in reply or "{{" not in hostile


@pytest.mark.parametrize("sign", ["a", "I am ", "my ", "? ", "'", "<think>", "well ", "é", "User's ", "${audio.", "“"])
def test_very_long_text_is_answered_in_few_words(sign: str) -> None:
    """S-8."""
    long = sign * (100_000 // len(sign))

    reply = reply_to(scene(long, before=[long] * 3, earlier=[long] * 3, memories=[long[:20_000]], learned=[long]))

    assert 0 < len(reply) <= 2_000


_texts = st.text(max_size=80) | st.lists(
    st.sampled_from(
        "what is my name where do I live ? . ! , User's User lives I'm you your sister called <think> </think> last "
        "time we talk about tell me remember {{char}} ${image.a} Oslo 34".split()
    ),
    max_size=12,
).map(" ".join)


@given(_texts, st.lists(_texts, max_size=4), st.lists(_texts.filter(str.strip), max_size=4))
@settings(max_examples=look(100, 1_000), deadline=None)
def test_whatever_is_said_there_is_one_plain_reply(asked: str, before: list[str], kept: list[str]) -> None:
    """S-6."""
    told = scene(asked, before=before, memories=kept, learned=kept, character=NOVA)

    reply = reply_to(told)

    assert reply.strip()
    assert reply == reply_to(told)
    assert display(reply).text == reply


@given(st.text(max_size=500), st.integers(10, 100))
@settings(deadline=None)
def test_plain_text_is_one_bounded_line(text: str, most: int) -> None:
    """S-6."""
    shown = plain(text, most)

    assert len(shown) <= most
    assert shown.replace("\u200d", "").isprintable()


def test_sentences_end_where_they_end() -> None:
    assert sentences("Dr. Smith met J. Doe at 3.5 p.m. He left! Why?\nNobody knows") == [
        "Dr. Smith met J. Doe at 3.5 p.m.",
        "He left!",
        "Why?",
        "Nobody knows",
    ]
    assert sentences("我住在东京。你呢？") == ["我住在东京。", "你呢？"]


# ── the second person ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("kept", "turned"),
    [
        ("User lives in Seattle", "You live in Seattle"),
        ("User no longer lives in Seattle", "You no longer live in Seattle"),
        ("User's name is Anna", "Your name is Anna"),
        ("The user has a cat and teaches third grade", "You have a cat and teach third grade"),
        ("User likes cats and dogs", "You like cats and dogs"),
        ("User also studies physics", "You also study physics"),
        ("User watches birds, goes sailing and does yoga", "You watch birds, go sailing and do yoga"),
        ("User doesn't eat meat", "You don't eat meat"),
        ("User was born in 1990", "You were born in 1990"),
        ("User can swim", "You can swim"),
        ("User has a sister who lives in Oslo and teaches", "You have a sister who lives in Oslo and teaches"),
        ("User is worried about their exam", "You are worried about your exam"),
        ("User visits parents in their house", "You visit parents in their house"),
        ("User works on user interfaces", "You work on user interfaces"),
        ("Emma is User's sister", "Emma is your sister"),
        ("Rex trusts the user", "Rex trusts you"),
        ("Anna lives in Oslo", "You live in Oslo"),
        ("Anna's sister lives in Oslo", "Your sister lives in Oslo"),
        ("Rex stole the sword", None),
        ("I am allergic to peanuts", None),
    ],
)
def test_a_statement_of_the_user_is_said_to_them(kept: str, turned: str | None) -> None:
    assert to_second_person(kept, ["Anna"]) == turned
