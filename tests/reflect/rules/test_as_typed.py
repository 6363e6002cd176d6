"""How people type: shortened, without apostrophes, without "I" and "my" (O1)."""

import pytest

from everlore.reflect.rules import facts_stated


def said(message: str, people: dict[str, str] | None = None) -> list[str]:
    return [each.content for each in facts_stated(message, people=people)]


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("i cannae swim", "User can't swim"),
        ("yh i play the banjo", "User plays the banjo"),
        ("my boyf is frm Cork", "User's boyfriend is from Cork"),
        ("i been vegan since school", "User has been vegan since school"),
        ("im not vegan anymore", "User is no longer vegan"),
        ("im not a boatbuilder anymore", "User is no longer a boatbuilder"),
        ("I'm not with Dan anymore", "User is no longer with Dan"),
        ("My surname's Haddad", "User's surname is Haddad"),
        ("youngest works on a ferry", "User's youngest works on a ferry"),
        ("last week was my niece's wedding", "User has a niece"),
        ("I've a fear of geese", "User has a fear of geese"),
    ],
)
def test_words_are_read_as_they_are_typed(message: str, fact: str) -> None:
    """O1."""
    assert fact in said(message)


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("We keep bees at home", "User keeps bees at home"),
        ("I speak Basque at home", "User speaks Basque at home"),
        ("my cousin Ida got into the Academy of Fine Arts", "User's cousin Ida got into the Academy of Fine Arts"),
    ],
)
def test_where_something_is_done_does_not_make_it_pass(message: str, fact: str) -> None:
    """O1."""
    assert fact in said(message)


@pytest.mark.parametrize("message", ["I'm at work", "im at home rn, on the phone", "Ria does every other Friday"])
def test_where_somebody_is_as_they_write_is_no_fact(message: str) -> None:
    """O1."""
    assert said(message, {"Ria": "cousin"}) == []


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("I took up judo at five", "User took up judo at five"),
        ("We live in Racine, WI", "User lives in Racine, WI"),
        ("We moved to Fargo, ND", "User moved to Fargo, ND"),
    ],
)
def test_an_age_is_kept_apart_from_the_clock_and_a_state_from_a_word(message: str, fact: str) -> None:
    """O1."""
    assert fact in said(message)
    assert said("my shift ended at five") == []


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("my dads a welder", "User's dad is a welder"),
        ("my nans from Tralee", "User's nan is from Tralee"),
        ("my brothers a vet", "User's brother is a vet"),
        ("my birthdays on boxing day", "User's birthday is on boxing day"),
        ("my birthday's on boxing day", "User's birthday is on boxing day"),
        ("Our dog's 12 now", "User's dog is 12 years old"),
    ],
)
def test_an_apostrophe_is_not_always_typed(message: str, fact: str) -> None:
    assert fact in said(message)
    assert "User's brother is in Leeds" not in said("my brothers in Leeds love it")


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("the hubby is coeliac", "User's hubby is coeliac"),
        ("the wee one has eczema", "User's wee child has eczema"),
        ("the ferret (Pepper) has a bad hip", "User has a ferret named Pepper"),
        ("the cat is 9 and going deaf", "User's cat is 9 years old"),
        ("Owen (my cousin) lives in Oslo", "User's cousin Owen lives in Oslo"),
        ("went there with Owen, my cousin", "User has a cousin named Owen"),
        ("Rhona is my mother in law", "User has a mother in law named Rhona"),
    ],
)
def test_theirs_is_told_without_my_and_by_name(message: str, fact: str) -> None:
    assert fact in said(message)


@pytest.mark.parametrize(
    "message",
    [
        "the cat has nine lives",
        "the dog barks all night",
        "the husband in the film is a cop",
        "the husband is so creepy in it",
        "I hate how the girlfriend treats him",
        "Coffee is my best friend",
        "my parrot hates it as well",
        "My tutor, who I meet on Fridays, is late",
        "oldest is from 1960",
        "one more exam and then im a plumber",
        "everybody must call me Captain",
        "saw two with Owen",
    ],
)
def test_what_only_looks_like_it_is_not_told(message: str) -> None:
    assert [each for each in said(message) if not each.startswith("User has a")] == []


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("Work in a paper mill in Luton, nights", "User works in a paper mill in Luton"),
        ("am from Nantes and live in Galway", "User is from Nantes"),
        ("5 foot 2, terrified of geese", "User is 5 foot 2"),
        ("5 foot 2, terrified of geese", "User is terrified of geese"),
        ("sober here six years", "User has been sober for six years"),
        ("six brothers. imagine", "User has six brothers"),
        ("three sons, ages 4, 9 and 14", "User has three sons"),
        ("Been in the same bowling team since 2011", "User has been in the same bowling team since 2011"),
        ("I'm fluent in Welsh by now", "User is fluent in Welsh"),
        ("im not in Leeds any more", "User no longer lives in Leeds"),
        ("it rained, so soup tonight, figs are my favorite fruit", "User's favorite fruit is figs"),
    ],
)
def test_words_are_left_out_where_they_are_clear(message: str, fact: str) -> None:
    found = said(message)

    assert fact in found
    assert "User is 14 years old" not in found


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("Rex my old spaniel has arthritis", "User's old spaniel Rex has arthritis"),
        ("my tutor at the college is 31", "User's tutor is 31 years old"),
        ("my newt is sick. she's a crested newt called Olive", "User has a crested newt named Olive"),
        ("my aunt Ada broke her hip", "User's aunt Ada broke her hip"),
        ("Welsh is my first language", "User's first language is Welsh"),
        ("I collect those little spoons from cafes", "User collects little spoons from cafes"),
        ("Don't eat pork meself", "User does not eat pork"),
        ("bought myself a banjo for my 30th", "User bought a banjo for their 30th"),
        ("taught myself Welsh", "User taught themselves Welsh"),
        ("I keep homing pigeons", "User keeps homing pigeons"),
        ("My nephew is 15 on friday", "User's nephew is 15 on friday"),
        ("we have two hens, Olga and Irma, both brown", "User has two hens named Olga and Irma"),
        ("cant do celery at all", "User can't do celery"),
        ("sister and me run a kiosk in Bray", "User runs a kiosk in Bray with their sister"),
        ("we're getting a whippet!!", "User is getting a whippet"),
        ("I'm on cello, Yuri sings", "User plays cello"),
        ("favorite film gotta be Jaws", "User's favorite film is Jaws"),
        ("We have ninety hens outside Derry", "User has ninety hens outside Derry"),
        ("I do welding for a shipyard", "User does welding for a shipyard"),
        ("I want to do joinery at TUS", "User wants to do joinery at TUS"),
        ("my niece in Quito collects stamps", "User's niece is in Quito"),
        ("my wife was at the gate with the bikes", "User has a wife"),
    ],
)
def test_who_and_what_is_meant_is_told_whole(message: str, fact: str) -> None:
    assert fact in said(message)


@pytest.mark.parametrize(
    "message", ["I hardly fish since the accident", "closed the shop early", "i keep forgetting", "cant do fridays"]
)
def test_what_is_hardly_so_or_of_a_day_is_not_told(message: str) -> None:
    assert said(message) == []


def test_a_jest_spoils_its_own_sentence_and_no_long_message() -> None:
    told = said(
        "I weave baskets. My cat is 4. I live on the moon. Just kidding! I live in Ghent. Cats get sarcasm, no?"
    )

    assert "User lives in Ghent" in told
    assert "User's cat is 4 years old" in told
    assert not any("moon" in each for each in told)
    assert said("oh great, i love working sundays 🙄") == []
    assert said("Been in the same bowling team since 2011 🙄") == ["User has been in the same bowling team since 2011"]


def test_brothers_and_sisters_are_siblings() -> None:
    assert "User has two siblings" in said("I have two brothers and sisters who live in Ghent")
    assert "User has six brothers" not in said("six brothers and sisters in all lol")
