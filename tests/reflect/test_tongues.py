"""What is learnt of messages in other languages, without a model (O1)."""

from datetime import UTC, datetime

import pytest

from everlore.language.tongues.telling import spoken
from everlore.language.tongues.tongue import CODES, tongue
from everlore.reflect.candidate import Source
from everlore.reflect.facts.flow import facts_in
from everlore.reflect.tongues import facts_told

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def told(message: str) -> list[str]:
    return sorted(each.content for each in facts_told(message))


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        # German
        (
            "Hallo, ich heiße Jonas und wohne seit 2015 in Bremen.",
            ["User has lived in Bremen since 2015", "User's name is Jonas"],
        ),
        (
            "Ich bin 41 und arbeite als Elektriker bei Siemens.",
            ["User is 41 years old", "User works as an electrician at Siemens"],
        ),
        (
            "Meine Tochter Mila ist 7 und spielt Geige.",
            [
                "User has a daughter named Mila",
                "User's daughter Mila is 7 years old",
                "User's daughter Mila plays violin",
            ],
        ),
        ("Ich habe zwei Katzen, die heißen Tom und Jerry", ["User has two cats named Tom and Jerry"]),
        ("Mein Geburtstag ist am 3. Mai.", ["User's birthday is on May 3"]),
        # Spanish
        (
            "Me llamo Ana, tengo 33 años y vivo en Sevilla desde hace 5 años.",
            ["User has lived in Sevilla for 5 years", "User is 33 years old", "User's name is Ana"],
        ),
        ("Trabajo como enfermera en el hospital", ["User works as a nurse at a hospital"]),
        ("Soy vegetariana y alérgica a las nueces.", ["User is allergic to nuts", "User is vegetarian"]),
        ("Mi hermano Luis vive en Quito.", ["User has a brother named Luis", "User's brother Luis lives in Quito"]),
        # French
        (
            "Je m'appelle Chloé, 27 ans, et j’habite à Nantes depuis 2019",
            ["User has lived in Nantes since 2019", "User is 27 years old", "User's name is Chloé"],
        ),
        (
            "Ma sœur Inès est avocate à Bordeaux",
            ["User has a sister named Inès", "User's sister Inès is a lawyer in Bordeaux"],
        ),
        ("Je ne mange pas de viande", ["User does not eat meat"]),
        # Italian
        ("Lavoro come cuoco da 12 anni", ["User has worked as a cook for 12 years"]),
        ("Suono la chitarra e non bevo alcol.", ["User does not drink alcohol", "User plays guitar"]),
        ("Mi trasferisco a Trieste in aprile", ["User is moving to Trieste in April"]),
        # Dutch
        (
            "hoi! ik ben Bram, 38, en ik woon in Utrecht",
            ["User is 38 years old", "User lives in Utrecht", "User's name is Bram"],
        ),
        ("Mijn zus Eva woont in Groningen", ["User has a sister named Eva", "User's sister Eva lives in Groningen"]),
        ("Ik ben allergisch voor pinda's en katten.", ["User is allergic to peanuts and cats"]),
        # Portuguese
        (
            "Me chamo Rita, tenho 45 anos e moro em Recife há 10 anos.",
            ["User has lived in Recife for 10 years", "User is 45 years old", "User's name is Rita"],
        ),
        ("Tenho três gatos, Mimi, Lua e Sol.", ["User has three cats named Mimi, Lua and Sol"]),
        ("Meu pai morreu", ["User's father died"]),
    ],
)
def test_a_plain_statement_is_learnt_in_six_languages(message: str, facts: list[str]) -> None:
    assert told(message) == facts


@pytest.mark.parametrize(
    "message",
    [
        # Denied, or over
        "Ich wohne nicht mehr in Bremen.",
        "Ya no vivo en Sevilla, por suerte",
        "Je n'habite plus à Nantes",
        "Non vivo a Trieste",
        "Ik woon niet in Utrecht",
        "Não moro em Recife",
        # Asked
        "Wohne ich eigentlich in Bremen?",
        "¿vivo en Sevilla o qué?",
        # Supposed, dreamt, played
        "Wenn ich in Rom wohne, bin ich froh",
        "Soñé que vivo en Marte y tengo dos gatos",
        "Imagine que j'habite à Rome",
        "facciamo finta che io vivo a Oslo",
        "Du bist mein Bruder Karl und wir leben in Oslo",
        # Said by others
        'Er sagte: "Ich heiße Jonas und wohne in Bremen."',
        "« J'habite à Nantes », crie le voisin",
        "una señora le dice al guardia: mi marido es abogado",
        # No place, no name
        "Ich wohne in einer WG",
        "vivo en casa de mis padres",
        "Ich glaube, meine Schwester Geburtstag feiert",
        "De hond van mijn zus is diabetisch",
    ],
)
def test_what_is_not_stated_as_so_is_not_learnt(message: str) -> None:
    assert told(message) == []


@pytest.mark.parametrize(
    "message",
    [
        "I live in La Paz and my sister is called Ines.",
        "My name is Ich Bin, from the band Die Da",
        "We had paella in Sevilla, que rico! I am from Leeds.",
        "",
        "😀😀😀",
        "ok",
    ],
)
def test_english_is_left_to_those_who_read_it(message: str) -> None:
    assert told(message) == []


def test_who_types_small_has_a_home_too() -> None:
    assert told("vivo en guadalajara y tengo 22 años") == ["User is 22 years old", "User lives in Guadalajara"]


def test_words_that_we_have_none_for_stay_as_they_are() -> None:
    assert told("Ich arbeite als Glasbläser bei uns im Ort") == ["User works as a Glasbläser"]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("ich weiß nicht ob das so ist", "de"),
        ("no sé si es así pero me gusta", "es"),
        ("je ne sais pas si c'est vrai", "fr"),
        ("non so se è così ma mi piace", "it"),
        ("ik weet niet of dat zo is", "nl"),
        ("não sei se é assim mas gosto", "pt"),
    ],
)
def test_a_language_is_known_by_its_small_words(message: str, code: str) -> None:
    assert spoken(message) == [code]


@pytest.mark.parametrize("code", CODES)
def test_every_language_tells_the_same_things_by_the_same_kinds_of_words(code: str) -> None:
    assert {each.what for each in tongue(code).own} == {each.what for each in tongue("de").own}
    assert {each.what for each in tongue(code).theirs} == {each.what for each in tongue("de").theirs}
    assert tongue(code).words.keys() == tongue("de").words.keys()


@pytest.mark.parametrize(
    "piece", ["ich bin ", "seit 3 jahren ", "Anna und ", "a, ", "meine Schwester ", "und ", "gegen a, b "]
)
def test_a_message_that_repeats_itself_is_read_to_its_end(piece: str) -> None:
    assert isinstance(told("ich bin und der das ist mein " + piece * 800), list)


async def test_it_passes_the_filters_and_is_quoted() -> None:
    """O1: with the same output shape, filters and confidences. What says its own words again adds nothing."""
    source = Source(content="Ich wohne in Bremen. Ich wohne in Bremen!", at=NOW)
    extracted = await facts_in(source, None)
    assert [(each.content, each.quote, each.rule) for each in extracted.candidates] == [
        ("User lives in Bremen", "Ich wohne in Bremen", "tongues.lives")
    ]
    assert extracted.model == "rules"
    assert not extracted.doubted


async def test_a_secret_is_no_fact_in_any_language() -> None:
    extracted = await facts_in(Source(content="Me llamo Ana y mi contraseña es Bollo99xx", at=NOW), None)
    assert [each.content for each in extracted.candidates] == ["User's name is Ana"]
