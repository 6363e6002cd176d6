"""What is learnt of messages in other languages, without a model (O1)."""

from datetime import UTC, datetime

import pytest

from everlore.domain.claim import Claim, Slot
from everlore.language.glossary import CODES, spoken
from everlore.learning.candidate import Source
from everlore.learning.facts.flow import facts_in
from everlore.learning.phrasebooks.foreign import book, facts_told

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
        # What the user wants to be called, and what friends call them
        ("Nenn mich bitte einfach Sammy!", ["User goes by Sammy"]),
        ("Ich heiße Samantha, aber alle nennen mich Sammy.", ["User goes by Sammy", "User's name is Samantha"]),
        ("Llámame Sammy.", ["User goes by Sammy"]),
        ("Mis amigos me llaman Sammy.", ["User goes by Sammy"]),
        ("Appelle-moi Sammy.", ["User goes by Sammy"]),
        ("Mes amis m'appellent Sammy", ["User goes by Sammy"]),
        ("Chiamami Sammy.", ["User goes by Sammy"]),
        ("I miei amici mi chiamano Sammy.", ["User goes by Sammy"]),
        ("Noem me maar Sammy.", ["User goes by Sammy"]),
        ("Mijn vrienden noemen me Sammy.", ["User goes by Sammy"]),
        ("Pode me chamar de Sammy.", ["User goes by Sammy"]),
        ("Meus amigos me chamam de Sammy.", ["User goes by Sammy"]),
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
        "Nenn mich nicht Sammy.",
        "No me llames Sammy.",
        "Ne m'appelle pas Sammy.",
        "Non chiamarmi Sammy.",
        "Noem me niet Sammy.",
        "Não me chame de Sammy.",
        # Asked
        "Wohne ich eigentlich in Bremen?",
        "Nennst du mich Sammy?",
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
    ("message", "facts"),
    [
        # A job, where and when
        ("Ich arbeite als Glasbläser in Kassel", ["User works as a Glasbläser in Kassel"]),
        ("Ich arbeite als Köchin in Teilzeit", ["User works as a cook"]),
        ("Trabajo de camarera en Málaga los fines de semana", ["User works at weekends as a waitress in Málaga"]),
        ("Faccio il liutaio a Cremona da 10 anni", ["User has been a liutaio in Cremona for 10 years"]),
        ("Ik werk als molenaar in Zwolle sinds 2019", ["User has worked as a molenaar in Zwolle since 2019"]),
        # With whom
        ("Moro em Braga com a minha avó", ["User lives in Braga with their grandmother"]),
        ("Abito con mia sorella a Pisa", ["User lives in Pisa with their sister"]),
        (
            "Ich wohne mit meiner Frau und unseren zwei Kindern in Ulm",
            ["User lives in Ulm with their wife and children"],
        ),
        ("Vivimos juntos en Cádiz", ["User lives in Cádiz"]),
        ("Vivo con mis padres", ["User lives with their parents"]),
        # What is studied, where and when
        ("Estudio derecho por las noches en Vigo", ["User studies law in Vigo in the evenings"]),
        ("Ik studeer 's avonds rechten in Gent", ["User studies law in Gent in the evenings"]),
        ("Ich studiere in Tübingen", ["User studies in Tübingen"]),
        # An age just reached, or soon
        ("Gestern bin ich 40 geworden", ["User is 40 years old"]),
        ("Ieri ho compiuto 30 anni", ["User is 30 years old"]),
        ("Acabo de cumplir 30", ["User is 30 years old"]),
        ("Je viens d'avoir 30 ans", ["User is 30 years old"]),
        ("Ik ben net 30 geworden", ["User is 30 years old"]),
        ("Ich werde im Mai 30", ["User turns 30 in May"]),
        # A new animal
        ("Je viens d'adopter un chien. Il s'appelle Filou", ["User has a dog named Filou"]),
        ("Abbiamo preso un gatto, si chiama Zorro", ["User has a cat named Zorro"]),
        ("Wir haben gerade einen Hund bekommen und er heißt Bruno", ["User has a dog named Bruno"]),
        ("We hebben net een hond gekregen, hij heet Takkie", ["User has a dog named Takkie"]),
        # Jobs, homes and weddings of others
        ("O meu pai é pescador em Peniche", ["User's father is a fisherman in Peniche"]),
        (
            "Mijn zus Lotte is vorige week getrouwd met Bas",
            ["User has a sister named Lotte", "User's sister Lotte got married to Bas"],
        ),
        ("Mia sorella si sposa a giugno", ["User's sister is getting married in June"]),
        ("Mon frère est routier", ["User's brother is a truck driver"]),
        # What is feared
        ("Ich habe Angst vor Spinnen und Gewittern", ["User is afraid of spiders and thunderstorms"]),
        ("Ho paura dei fantasmi", ["User is afraid of fantasmi"]),
        ("Tenho pavor de baratas", ["User is afraid of cockroaches"]),
        ("Mi hija tiene miedo a la oscuridad", ["User's daughter is afraid of the dark"]),
        # Where they go
        ("En octubre me voy a Dublín", ["User is going to Dublín in October"]),
        ("A settembre parto per Londra", ["User is going to Londra in September"]),
        ("In oktober ga ik naar Praag", ["User is going to Praag in October"]),
        ("In oktober ga ik naar Praag verhuizen", ["User is moving to Praag in October"]),
        # One's own, or one of many
        ("Meine Freundin Lea ist 30", ["User has a girlfriend named Lea", "User's girlfriend Lea is 30 years old"]),
        ("Mein bester Freund wohnt in Jena", ["User's best friend lives in Jena"]),
        ("Een vriendin van mij woont in Gent", ["User's friend lives in Gent"]),
        ("Una amiga mía vive en Lugo", ["User's friend lives in Lugo"]),
    ],
)
def test_what_is_told_beside_it_is_kept(message: str, facts: list[str]) -> None:
    assert told(message) == facts


@pytest.mark.parametrize(
    "message",
    [
        "Ich bin Lehrerin gewesen",
        "Ik ben leraar geweest",
        "Ich habe einen Hund gesehen",
        "We hebben een hond gehad",
        "Ik heb een kat gezien",
        "Wir haben einen Hund bekommen, als ich klein war",
        "Adoptamos un perro cuando era niña",
        "Trabajo de noche",
        "Trabajo de lunes a viernes",
        "Lavoro come un matto",
        "Trabajo como una mula",
        "Tengo 10 años de experiencia",
        "Ich habe keine Angst vor Hunden",
        "No tengo miedo a las arañas",
        "Je n'ai pas peur des clowns",
        "Ik ben niet bang voor honden",
        "Ich habe Angst, dass du gehst",
        "Ho paura di perderti",
        "Tengo miedo de lo que viene",
        "Talvez em março vou para Lisboa",
        "Si en octubre me voy a Dublín, te aviso",
        "En octubre me fui a Dublín",
        "Im Mai bin ich nach Lissabon geflogen",
        "¿Vivo con mis padres?",
        "Mi madre cree que tengo miedo a las arañas",
        "Meine Oma meint, ich habe Angst vor Hunden",
        "Ich möchte einen Hund adoptieren",
        "Vorrei prendere un gatto",
        "Mein Ex Freund Tim wohnt in Jena",
        "Mi ex marido es camionero",
        "Ich bin eine, die gerne lacht",
        "Wir wohnen nicht zusammen in Mainz",
        "Vivíamos juntos en Cádiz",
        "Moraria em Braga com a minha avó",
        "Als ich klein war, wohnte ich bei meiner Oma",
        "Mia sorella non si è sposata",
        "Ik ga niet in oktober naar Praag",
        "Ho fatto la lista a Giulia",
        "Faccio la lista a Giulia",
        "Ich arbeite nicht als Koch in Kassel",
        "Fiz 3 anos de inglês",
        "Cumplí 30 años de servicio",
        "Ik wil een hond nemen",
        "Ho preso un gatto di peluche",
        "Tengo un perro de peluche",
        "J'ai peur de la suite",
    ],
)
def test_what_is_over_denied_or_no_more_than_wished_is_not_learnt(message: str) -> None:
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
    assert {each.what for each in book(code).own} == {each.what for each in book("de").own}
    assert {each.what for each in book(code).theirs} == {each.what for each in book("de").theirs}
    assert book(code).words.keys() == book("de").words.keys()


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
        ("User lives in Bremen", "Ich wohne in Bremen", "phrasebook.lives")
    ]
    assert extracted.model == "rules"
    assert not extracted.doubted


async def test_a_secret_is_no_fact_in_any_language() -> None:
    extracted = await facts_in(Source(content="Me llamo Ana y mi contraseña es Bollo99xx", at=NOW), None)
    assert [each.content for each in extracted.candidates] == ["User's name is Ana"]


@pytest.mark.parametrize(
    ("message", "claim"),
    [
        ("Ich wohne in Bremen", Claim(slot=Slot.HOME, value="Bremen", quote="Ich wohne in Bremen")),
        ("Mi hermana Ana es enfermera", Claim(subject="user's sister Ana", slot=Slot.OCCUPATION, value="a nurse")),
        ("Je suis allergique aux noix", Claim(slot=Slot.ALLERGY, value="nuts")),
        ("Ho due figli", Claim(slot=Slot.FAMILY_SIZE, topic="children", value="two")),
    ],
)
def test_a_phrase_knows_what_it_claims(message: str, claim: Claim) -> None:
    found = next(each.claim for each in facts_told(message) if each.claim is not None and each.claim.slot is claim.slot)

    assert (found.subject, found.topic, found.value) == (claim.subject, claim.topic, claim.value)
    assert found.quote
