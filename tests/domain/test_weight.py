"""How much a message matters later (P10): by tables of what people write, and by what must always hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.weight import IMPORTANT, MOST, weigh

TWO_MEGABYTES = 2_000_000
# What a reader would say of each message: nobody misses it, it says little, it says something, it must stay.
NOTHING, LITTLE, SOME, MUCH = (0, 0), (0, IMPORTANT - 1), (1, IMPORTANT - 1), (IMPORTANT, MOST)

# The rules were made to fit these.
KNOWN = [
    # Nobody misses these.
    ("lol", NOTHING),
    ("ok", NOTHING),
    ("haha yes", NOTHING),
    ("😂😂😂", NOTHING),
    ("good morning!", NOTHING),
    ("*smiles*", NOTHING),
    ("", NOTHING),
    ("...", NOTHING),
    ("Hmm, okay then.", NOTHING),
    ("thank you so much!!", NOTHING),
    ("👍 nice", NOTHING),
    ("Hahahaha", NOTHING),
    ("Yeah, sure.", NOTHING),
    ("*nods slowly*", NOTHING),
    ("Hi there :)", NOTHING),
    ("brb", NOTHING),
    ("wow, really?", NOTHING),
    ("jaja", NOTHING),
    ("lmao 🤣", NOTHING),
    ("k", NOTHING),
    ("Good night, sleep well!", NOTHING),
    ("yes please", NOTHING),
    ("oh no", NOTHING),
    ("*giggles*", NOTHING),
    ("ja genau", NOTHING),
    ("!!!", NOTHING),
    ("❤️", NOTHING),
    ("alright alright", NOTHING),
    ("hello?", NOTHING),
    ("no worries", NOTHING),
    ("omg stop 😭", NOTHING),
    ("mhm", NOTHING),
    ("haha you're the best", NOTHING),
    ("*sighs*", NOTHING),
    ("yeah no totally", NOTHING),
    ("Have a great day!", NOTHING),
    ("you're welcome!", NOTHING),
    ("wait what", NOTHING),
    ("aww that's so sweet of you", NOTHING),
    ("*blushes and looks away*", NOTHING),
    ("danke dir, bis später!", NOTHING),
    ("one sec", NOTHING),
    ("ikr 😂", NOTHING),
    ("gn ❤️", NOTHING),
    ("well well well", NOTHING),
    ("*laughs softly*", NOTHING),
    ("Awesome!", NOTHING),
    ("haha same here tbh", NOTHING),
    ("okay okay you got me", NOTHING),
    ("Ugh.", NOTHING),
    ("welcome back!", NOTHING),
    ("see you soon, take care!", NOTHING),
    ("vale, gracias", NOTHING),
    ("why though", NOTHING),
    # Words, but nothing that is needed later.
    ("How are you today?", LITTLE),
    ("It is raining again.", LITTLE),
    ("What should we have for dinner?", LITTLE),
    ("That sounds lovely, tell me more about it.", LITTLE),
    ("*She leans back in her chair and watches the rain run down the window.*", LITTLE),
    ("Let's see.", LITTLE),
    ("The weather has been strange all week, do you think it will snow?", LITTLE),
    ("I think I see what you mean.", LITTLE),
    ("You will like it there.", LITTLE),
    ("I am fine, thanks for asking.", LITTLE),
    ("What is your favourite colour?", LITTLE),
    ("The soup is a little too salty.", LITTLE),
    ("*He pours two cups of tea and hands one over.*", LITTLE),
    ("Could you say that again?", LITTLE),
    ("I don't know what to say.", LITTLE),
    ("That is so funny, I can't stop laughing.", LITTLE),
    ("Go on, I'm listening.", LITTLE),
    ("Let me think about it for a moment.", LITTLE),
    ("So what happened after that?", LITTLE),
    ("Honestly the movie was kind of boring.", LITTLE),
    ("*The fire crackles while the others sleep, and somewhere an owl calls.*", LITTLE),
    ("I can't believe how cold it is in here.", LITTLE),
    ("Sounds like you had quite the adventure!", LITTLE),
    ("I will be right back, the kettle is boiling.", LITTLE),
    ("Isn't it funny how time flies?", LITTLE),
    ("I was just about to ask you the same thing.", LITTLE),
    ("What do you usually do on weekends?", LITTLE),
    ("I'm a bit tired but otherwise okay.", LITTLE),
    ("The stew smells wonderful, who made it?", LITTLE),
    ("*He wipes the counter with a rag, humming something under his breath.*", LITTLE),
    ("I'll have another coffee, please.", LITTLE),
    ("It was nothing, really, anyone would have done it.", LITTLE),
    ("I love this song so much.", LITTLE),
    ("Can we talk about something else?", LITTLE),
    ("We had a good laugh about it afterwards.", LITTLE),
    ('*Her eyes narrow. "And what exactly do you want from me?" she asks, stepping closer to the fire.*', LITTLE),
    # Names, numbers, somebody's own affairs; but nothing is settled, and nobody's life changes.
    ("The bridge was built by the dwarves under King Torvald.", SOME),
    ("There are 14 goblins in the cave.", SOME),
    ("I have two cats.", SOME),
    ("Do you know where Mira keeps the key?", SOME),
    ("Das Haus am See gehört meiner Tante.", SOME),
    ("Mi hermano vive en Sevilla desde hace años.", SOME),
    ("Old Bram runs the tavern by the harbour.", SOME),
    ("The tower has 312 steps.", SOME),
    ("My back hurts a bit today.", SOME),
    ("Did Captain Reyes survive the storm?", SOME),
    ("Gestern habe ich Frau Weber auf dem Markt getroffen.", SOME),
    ("Ayer fui al mercado con Lucía.", SOME),
    ("The innkeeper Hilda waters down her ale.", SOME),
    ("We walked about twelve miles in the snow.", SOME),
    ("Is the ferry to Korsholm still running?", SOME),
    ("My knees are not what they used to be.", SOME),
    ("Hier im Dorf gibt es nur einen Bäcker.", SOME),
    ("Elle habite à Lyon avec ses deux enfants.", SOME),
    ("彼女は来月、京都に引っ越すことになりました。", SOME),
    ("Have you ever been to Norway?", SOME),
    ("The road to Ashford is blocked by fallen trees.", SOME),
    ("She charges 3 coins for a bowl of soup.", SOME),
    ("Professor Lindqvist taught there before the war.", SOME),
    ("Meine Oma backt jeden Sonntag Apfelkuchen.", SOME),
    ("J'ai rencontré Camille au marché ce matin.", SOME),
    # Decisions, promises, agreements, plans, rules, and the facts of a life: they must stay.
    ("Let's meet at the old mill at midnight.", MUCH),
    ("I decide to spare the dragon.", MUCH),
    ("I've decided: I'm leaving the guild.", MUCH),
    ("We agreed to split the treasure in three.", MUCH),
    ("I promise I will never tell anyone.", MUCH),
    ("I will marry you, Elena.", MUCH),
    ("From now on you call me Captain.", MUCH),
    ("Deal.", MUCH),
    ("It's a deal!", MUCH),
    ("ok, let's go with the blue one then", MUCH),
    ("I swear on my mother's grave I'll find him.", MUCH),
    ("We're going to move to Lisbon in March.", MUCH),
    ("You have my word.", MUCH),
    ("The plan is simple: we enter through the sewers at dawn.", MUCH),
    ("*She draws her sword and swears an oath to avenge her father.*", MUCH),
    ("Let us never speak of this again.", MUCH),
    ("I quit my job yesterday.", MUCH),
    ("My name is Tom.", MUCH),
    ("I am allergic to peanuts.", MUCH),
    ("My sister Anna moved to Lisbon in 2019.", MUCH),
    ("I'm getting married on June 12th!", MUCH),
    ("The ransom is 5,000 gold pieces, due on 3 May.", MUCH),
    ("I promise to bring your ring back.", MUCH),
    ("Alright, then we are agreed: no magic inside the city.", MUCH),
    ("I choose the left door.", MUCH),
    ("Let's call him Biscuit.", MUCH),
    ("We will attack the fortress at dawn.", MUCH),
    ("I vow to serve Queen Isolde until my death.", MUCH),
    ("Never call me that again.", MUCH),
    ("My birthday is on the 4th of October.", MUCH),
    ("I'm pregnant.", MUCH),
    ("My brother Daniel died last winter.", MUCH),
    ("I was born in Kraków in 1988.", MUCH),
    ("I'll pay you 200 silver if you keep quiet.", MUCH),
    ("We have a deal, Silas.", MUCH),
    ("I am vegetarian, so no meat for me please.", MUCH),
    ("I accepted the job offer in Berlin.", MUCH),
    ("Remember: the password is swordfish.", MUCH),
    ("Tomorrow we leave for the mountains.", MUCH),
    ("Fine, you win: the amulet is yours.", MUCH),
    ("We should book the flights for the 14th, I'll do it tonight.", MUCH),
    ("I take back what I said: the marriage is off.", MUCH),
    ("You may stay in the castle, but the east wing is forbidden.", MUCH),
    ("My daughter Lena starts school in September.", MUCH),
    ("I got the job at the hospital!!", MUCH),
    ("I can't eat gluten, it makes me really ill.", MUCH),
    ("So it's settled, Thursday at seven at Marco's.", MUCH),
    ("Don't ever lie to me again.", MUCH),
    ("I'm a nurse, I work nights in Leeds.", MUCH),
    ("I hereby name you Warden of the North.", MUCH),
    ("The safe word is pineapple.", MUCH),
    ("Count me in, I'll bring the rope and the lanterns.", MUCH),
    ("I killed the duke. It was me.", MUCH),
    ("She said yes! We set the date for 8 August.", MUCH),
    ("My phone number is 0171 555 0199.", MUCH),
    ("I lost my husband two years ago.", MUCH),
    ("We're naming the puppy Waffles.", MUCH),
    ("Okay so we're doing Italy this summer, two weeks in Puglia.", MUCH),
    ("You're hired, you start on Monday.", MUCH),
    ("My mom passed away when I was nine.", MUCH),
    ("I'm scared of the dark, always have been.", MUCH),
    ("I grew up on a farm outside Cork with four brothers.", MUCH),
    ("Then we are enemies, you and I, until the end.", MUCH),
    ("I forgive you, Marcus. Let it be forgotten.", MUCH),
    ("Take the ring. It belongs to you now.", MUCH),
    ("No more lies between us, okay? That's my condition.", MUCH),
    ("I passed the exam with 92 percent!", MUCH),
    ("My wifi password is hunter2.", MUCH),
    ("I've been sober for six months now.", MUCH),
    ("Please always answer me in Spanish.", MUCH),
    ("The meeting got moved to Friday 10:30.", MUCH),
    ("I dumped Kyle last night, it's over.", MUCH),
    ("Let it be known that the gates stay closed after sunset.", MUCH),
    ("I'm diabetic, so I have to watch my sugar.", MUCH),
]

# The rules have never been changed for any of these, and must not be: so they tell how good the rules are.
UNSEEN = [
    ("yesss", NOTHING),
    ("pfft whatever", NOTHING),
    ("🙃", NOTHING),
    ("Good evening, sir.", NOTHING),
    ("*waves*", NOTHING),
    ("that's hilarious 😂😂", NOTHING),
    ("oh wow okay", NOTHING),
    ("no idea", NOTHING),
    ("You too!", NOTHING),
    ("*shrugs and grins*", NOTHING),
    ("thanks a lot, really appreciate it", NOTHING),
    ("hmmmm not sure", NOTHING),
    ("nee, alles gut", NOTHING),
    ("What did you dream about?", LITTLE),
    ("The candles have almost burnt down.", LITTLE),
    ("I'm sorry, I didn't mean to interrupt.", LITTLE),
    ("*Steam rises from the cup as she blows on it, thinking.*", LITTLE),
    ("I'll get my coat.", LITTLE),
    ("That must have been so hard for you.", LITTLE),
    ("Tell me a story about the sea.", LITTLE),
    ("I feel a bit better already.", LITTLE),
    ("Maybe we could sit outside for a while?", LITTLE),
    ("Your hair looks different. Did you cut it?", LITTLE),
    ("There is something in the air tonight.", LITTLE),
    ("Mayor Hobbs keeps bees behind the town hall.", SOME),
    ("It took them 40 days to cross the desert.", SOME),
    ("Who told Lysandra about the tunnel?", SOME),
    ("Our neighbour plays the trumpet at six in the morning.", SOME),
    ("Am Bahnhof steht seit Wochen ein altes Fahrrad.", SOME),
    ("El gato de Marta duerme encima de la nevera.", SOME),
    ("On se retrouve devant la gare à 18h30.", SOME),
    ("Okay, final answer: we adopt the grey kitten.", MUCH),
    ("I promised my grandmother I would finish school.", MUCH),
    ("I'm moving in with Priya next month.", MUCH),
    ("Consider it done. I will deliver the letter to Ostrava by Friday.", MUCH),
    ("My therapist says I have an anxiety disorder.", MUCH),
    ("We split up. I'm staying at my brother's place.", MUCH),
    ("I hate surprises, please don't throw me a party.", MUCH),
    ("*He kneels.* My sword is yours, my queen, until my last breath.", MUCH),
    ("You betrayed me, Corvin, and I will not forget it.", MUCH),
    ("I'm 34 and I work as a plumber in Graz.", MUCH),
    ("The treasure is buried under the third oak behind the chapel.", MUCH),
    ("Let's use Postgres for this and drop Redis.", MUCH),
    ("I bought the house on Elm Street!", MUCH),
    ("If you bring me the seal, I'll set your people free.", MUCH),
    ("My dad has Alzheimer's.", MUCH),
    ("We got engaged on Saturday!", MUCH),
    ("Stop calling me kid, my name's Roxanne.", MUCH),
    ("Our anniversary is the 9th of February.", MUCH),
    ("I can't come on Tuesday, I have a dentist appointment at 3pm.", MUCH),
    ("Fine. I'm never speaking to you again.", MUCH),
]


@pytest.mark.parametrize(("text", "expected"), KNOWN, ids=ascii)
def test_a_message_weighs_what_a_reader_would_say(text: str, expected: tuple[int, int]) -> None:
    """P10."""
    assert _fits(text, expected)


def test_messages_that_the_rules_were_not_made_for_are_mostly_weighed_right() -> None:
    """P10: what is missed is missed by weighing too little, so that no small talk takes the place of a decision."""
    wrong = [(text, expected, weigh(text)) for text, expected in UNSEEN if not _fits(text, expected)]

    assert len(wrong) <= len(UNSEEN) / 5
    assert [each for each in wrong if each[2] > each[1][1]] == []


def _fits(text: str, expected: tuple[int, int]) -> bool:
    least, most = expected
    return least <= weigh(text) <= most


@pytest.mark.parametrize("text", [text for text, expected in KNOWN if expected == MUCH and text.count(".") == 1])
def test_a_question_weighs_less_than_the_same_words_as_a_statement(text: str) -> None:
    """P10."""
    assert weigh(text.replace(".", "?")) < weigh(text)


@pytest.mark.parametrize(
    ("plain", "richer"),
    [
        ("I promise to come.", "I promise to come on Friday."),
        ("I promise to come.", "I promise to come with Elena."),
        ("I promise to come.", "I promise to bring 40 men."),
        ("We agreed on the price.", "We agreed on the price: $200."),
        ("The ship is late.", "The ship for Tarsis is late."),
        ("The ship is late.", "The ship is 3 hours late."),
    ],
)
def test_names_numbers_times_and_money_add_to_the_weight(plain: str, richer: str) -> None:
    """P10."""
    assert weigh(richer) > weigh(plain)


@pytest.mark.parametrize(
    "text",
    [
        "Ich habe den Schlüssel unter die Matte gelegt.",
        "Nunca había visto un dragón tan pequeño en este valle.",
        "Il neige depuis ce matin et la route est fermée.",
        "Завтра я еду к брату в Казань.",
        "我明天要去北京看我妈妈",
        "明日の夜、駅前で会いましょう。",
        "سأزور أختي في القاهرة غدا صباحا",
    ],
)
def test_other_languages_weigh_something_too(text: str) -> None:
    """P10."""
    assert weigh(text) > 0


def test_the_weightiest_sentence_decides_wherever_it_stands() -> None:
    """P10."""
    talk = "It is raining. The tea is cold by now. "

    assert weigh(talk + "I promise to stay. " + talk) == weigh("I promise to stay.")


def test_a_word_at_the_beginning_of_a_sentence_or_a_speech_is_no_name() -> None:
    assert weigh('Look. Listen. "Come here." (Rain.) *Waits.* She asked: Why.') == 0


def test_a_number_does_not_swallow_the_end_of_its_sentence() -> None:
    assert weigh("I promise to bring 40. Is that enough?") == weigh("I promise to bring 40.")


def test_shouting_names_nobody() -> None:
    assert weigh("go AWAY you FOOL") == 0


def test_thoughts_of_a_model_do_not_count() -> None:
    """V4: only what a reader sees."""
    assert weigh("<think>I promise that I will marry Elena.</think>lol") == 0


@given(st.text(max_size=300))
def test_any_text_has_a_weight(text: str) -> None:
    assert 0 <= weigh(text) <= MOST


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "A ",
        "é",
        "漢字",
        "!",
        "?!",
        "\n",
        "*",
        '"',
        "1.",
        "$",
        "’a-",
        "ok ",
        "i have ",
        "let's ",
        "never ",
        "\u0301",
    ],
    ids=ascii,
)
def test_the_longest_message_of_one_thing_is_weighed(unit: str) -> None:
    """S-8: with the square of the length, one of these would take hours."""
    text = unit * (TWO_MEGABYTES // len(unit))

    assert 0 <= weigh(text) <= MOST
