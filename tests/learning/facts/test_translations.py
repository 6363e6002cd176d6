"""Names and numbers of messages in other languages and scripts, as an English statement words them (F5)."""

import json

import pytest

from everlore.learning.candidate import Extracted
from everlore.learning.facts.flow import facts_in
from everlore.learning.facts.names import Unsaid, find_unsaid
from everlore.learning.facts.translations import is_english, plain_digits
from everlore.learning.facts.trust import Trust
from tests.learning.facts.extraction import Scripted, answer, item, source

YES = json.dumps({"verdicts": [{"number": 1, "said": True}]})


@pytest.mark.parametrize(
    ("message", "statement"),
    [
        ("Kuzenim İspanya'da yaşıyor", "User's cousin lives in Spain"),
        ("Mieszkam na Węgrzech, a pracuję w Wiedniu", "User works in Vienna"),
        ("Urodziłem się w sierpniu", "User was born in August"),
        ("Min svärmor talar grekiska", "User's mother-in-law speaks Greek"),
        ("У меня дача под Хельсинки", "User has a dacha near Helsinki"),
        ("Моя сестра Катерина поёт", "User's sister Katerina sings"),
        ("أمي من المغرب وعمرها ٦٣ سنة", "User's mother is from Morocco and 63 years old"),
        ("אני גר בצרפת", "User lives in France"),
        ("我在东京住了十五年", "User has lived in Tokyo for 15 years"),
        ("我叫李雷", "User's name is Li Lei"),
        ("弟は七月にイタリアへ行く", "User's brother is going to Italy in July"),
        ("제 이름은 박지훈이고 베트남에 살아요", "User lives in Vietnam"),
        ("मेरा भाई रोहन २०१९ में जापान गया", "User's brother Rohan went to Japan in 2019"),
        ("Ο Γιάννης μένει στην Αθήνα", "User's friend Giannis lives in Athens"),
    ],
)
def test_what_was_said_in_another_language_was_said(message: str, statement: str) -> None:
    assert find_unsaid(statement, source(message)) is None


@pytest.mark.parametrize(
    ("message", "statement", "text"),
    [
        ("Kuzenim İspanya'da yaşıyor", "User's cousin lives in Norway", "Norway"),
        ("Min svärmor talar grekiska", "User's mother-in-law speaks Danish", "Danish"),
        ("弟は七月にイタリアへ行く", "User's brother is going to Italy in May", "May"),
        ("أمي عمرها ٦٣ سنة", "User's mother is 36 years old", "36"),
        ("Mi tío tiene 70 años", "User's uncle is 17 years old", "17"),
        ("My cousin lives in Köln", "User's cousin lives in Vienna", "Vienna"),
    ],
)
def test_what_the_message_says_otherwise_was_certainly_not_said(message: str, statement: str, text: str) -> None:
    assert find_unsaid(statement, source(message)) == Unsaid(text, True)


@pytest.mark.parametrize(
    ("message", "statement", "text"),
    [
        ("Meine Tante wohnt seit Jahren in Köln", "User's aunt lives in Cologne", "Cologne"),
        ("大阪で働いています", "User works in Osaka", "Osaka"),
        ("Kızım otuz yaşında", "User's daughter is 30 years old", "30"),
    ],
)
def test_what_cannot_be_compared_may_have_been_said(message: str, statement: str, text: str) -> None:
    assert find_unsaid(statement, source(message)) == Unsaid(text, False)


async def learned(trust: Trust, message: str, statement: str) -> Extracted:
    return await facts_in(source(message), Scripted(answer(item(statement, quote=message)), YES), trust)


async def test_a_name_that_cannot_be_compared_stands_by_a_trusted_model_and_waits_otherwise() -> None:
    message, statement = "大阪で働いています", "User works in Osaka"

    plain = await learned(Trust.PLAIN, message, statement)
    careful = await learned(Trust.CAREFUL, message, statement)

    assert [each.content for each in plain.candidates] == [statement]
    assert careful.candidates == ()
    assert [(each.content, each.doubt) for each in careful.doubted] == [(statement, "'Osaka' may not have been said")]


@pytest.mark.parametrize("trust", list(Trust))
@pytest.mark.parametrize(
    ("message", "statement"),
    [
        ("The bakery downtown pays me in bread", "User works in a bakery in Osaka"),
        ("Kuzenim İspanya'da yaşıyor", "User's cousin lives in Norway"),
        ("أمي عمرها ٦٣ سنة", "User's mother is 36 years old"),
    ],
)
async def test_invented_names_and_wrong_numbers_are_refused(trust: Trust, message: str, statement: str) -> None:
    found = await learned(trust, message, statement)

    assert (found.candidates, found.doubted) == ((), ())


@pytest.mark.parametrize(
    "message",
    ["I live in Köln", "moved to Ghent last spring", "got fired lol", "starts in june", "so, as I said: Ålesund"],
)
def test_english(message: str) -> None:
    assert is_english(message)


@pytest.mark.parametrize(
    "message",
    [
        "Saya tinggal di Jerman sejak lama sekali",
        "Moja żona jest z Niemiec i uczy matematyki",
        "Jag bor i en liten stad utanför Oslo",
        "私は日本に住んでいます",
        "Я живу в Праге and I love it",
    ],
)
def test_no_english(message: str) -> None:
    assert not is_english(message)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("٢٧", "27"),
        ("२०१९", "2019"),
        ("三十二岁", " 32 岁"),
        ("二〇一五年", " 2015 年"),
        ("十", " 10 "),
        ("两百零五", " 205 "),
    ],
)
def test_digits_of_other_scripts(text: str, plain: str) -> None:
    assert plain_digits(text) == plain
