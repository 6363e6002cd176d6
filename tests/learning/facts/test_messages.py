"""Messages as people write them, with what may be learnt from each and what must not (F3-F5).

Each fact is what a model answers: a good one, which is believed, or a bad one, which is not.
"""

import pytest

from everlore.learning.facts.trust import Trust
from tests.learning.facts.extraction import stands

LEARNT: dict[str, list[str]] = {
    "Hey Nova! So, big news: I finally got the job at Siemens. I'm starting as a data analyst in March.": [
        "User got a job at Siemens",
        "User is starting as a data analyst in March",
    ],
    "We just got back from Lisbon, the food was incredible and my daughter Mia learned to surf.": [
        "User traveled to Lisbon",
        "User has a daughter named Mia",
        "User's daughter Mia learned to surf",
        "User visited Lisbon",
    ],
    "My knee surgery is on Thursday and honestly I'm terrified of hospitals.": [
        "User has knee surgery on Thursday",
        "User is terrified of hospitals",
        "User is afraid of hospitals",
    ],
    "I've been vegetarian since 2015 but my husband Marc still eats steak every week.": [
        "User has been vegetarian since 2015",
        "User is vegetarian",
        "User has a husband named Marc",
        "User's husband Marc eats steak every week",
    ],
    "Grew up in a tiny village near Kraków, moved to Berlin for university and never left.": [
        "User grew up in a village near Kraków",
        "User moved to Berlin for university",
        "User lives in Berlin",
    ],
    "I can't eat gluten, I have celiac disease.": ["User has celiac disease", "User cannot eat gluten"],
    "my cat luna keeps knocking over my plants lol": ["User has a cat named Luna", "User has plants"],
    "I'm working on a fantasy novel about a blind cartographer, it's my third book.": [
        "User is working on a fantasy novel"
    ],
    "Honestly I'd rather read a book than go to a party.": ["User prefers reading a book over going to a party"],
    "I play the cello in a community orchestra on Tuesdays.": [
        "User plays the cello",
        "User plays the cello in a community orchestra",
    ],
    "My mom passed away last spring, so holidays are hard.": ["User's mom passed away last spring"],
    "I've got an exam in organic chemistry next week and I'm so nervous.": [
        "User has an exam in organic chemistry next week"
    ],
    "I'm allergic to cats, sadly, though I love them.": ["User is allergic to cats", "User loves cats"],
    "We're expecting our second child in June!": ["User is expecting a second child in June"],
    "I run a small bakery with my brother Piotr in Gdańsk.": [
        "User runs a small bakery",
        "User runs a bakery with their brother Piotr in Gdańsk",
        "User has a brother named Piotr",
    ],
    "Since the divorce I live alone with my two dogs, Pixel and Byte.": [
        "User lives alone with two dogs",
        "User has two dogs named Pixel and Byte",
        "User is divorced",
    ],
    "I don't drink alcohol anymore.": ["User no longer drinks alcohol", "User does not drink alcohol"],
    "I speak Polish and German fluently, and a bit of Spanish.": [
        "User speaks Polish and German fluently",
        "User speaks some Spanish",
    ],
    "I'm thinking about adopting a greyhound.": ["User is considering adopting a greyhound"],
    "As a nurse I see this every day.": ["User is a nurse"],
    "My favourite author is Ursula Le Guin, I've read everything she wrote.": [
        "User's favorite author is Ursula Le Guin"
    ],
    "I turned 41 yesterday!": ["User is 41 years old", "User turned 41"],
    "I hate my commute, two hours every day from Oxford to London.": [
        "User hates their commute",
        "User commutes from Oxford to London",
    ],
    "I used to play rugby until I hurt my shoulder.": ["User used to play rugby", "User hurt their shoulder"],
    "The thing I miss most about Brazil is the beach near my grandmother's house.": ["User misses the beach in Brazil"],
    "I'm the youngest of five siblings.": ["User is the youngest of five siblings"],
    "I'm a huge Tolkien nerd.": ["User is a Tolkien nerd", "User is a fan of Tolkien"],
    "I usually get up at 5 am to swim.": ["User gets up at 5 am to swim"],
    "Just signed up for a pottery class!": ["User signed up for a pottery class"],
    "My therapist thinks I should journal, so I started last week.": ["User has a therapist"],
    "I believe everyone deserves free healthcare.": ["User believes everyone deserves free healthcare"],
    "I'm saving up for a house in the Cotswolds.": ["User is saving up for a house in the Cotswolds"],
    "I teach physics at a high school in Utrecht.": [
        "User teaches physics at a high school in Utrecht",
        "User is a physics teacher",
        "User is a teacher",
        "User works at a high school in Utrecht",
    ],
    "My girlfriend Ana and I have been together for six years.": [
        "User has a girlfriend named Ana",
        "User has been with their girlfriend Ana for six years",
    ],
    "I drive a 1998 Corolla that refuses to die.": ["User drives a 1998 Corolla"],
    "I suffer from migraines a lot.": ["User suffers from migraines"],
    "My dream is to open a bookshop by the sea.": [
        "User dreams of opening a bookshop by the sea",
        "User wants to open a bookshop by the sea",
    ],
    "I'm Portuguese but I live in Luxembourg.": ["User is Portuguese", "User lives in Luxembourg"],
    "I got my PhD in linguistics from Leiden.": [
        "User has a PhD in linguistics from Leiden",
        "User has a PhD in linguistics",
    ],
    "I love Thai food, especially green curry.": [
        "User loves Thai food",
        "User loves green curry",
        "User likes Thai food, especially green curry",
    ],
    "Yesterday my son Leo scored his first goal, I nearly cried!": [
        "User has a son named Leo",
        "User's son Leo scored his first goal",
    ],
    "I quit my job at the bank last month to become a freelance illustrator.": [
        "User quit their job at the bank last month",
        "User became a freelance illustrator",
    ],
    "I'm lactose intolerant, so no ice cream for me.": ["User is lactose intolerant"],
    "Both of my parents are from Ghana, but I was born in London.": [
        "User's parents are from Ghana",
        "User was born in London",
    ],
    "I collect vinyl records, mostly jazz from the 60s.": [
        "User collects vinyl records",
        "User collects jazz vinyl records from the 60s",
    ],
    "Work's been crazy. I manage a team of twelve at a logistics company.": [
        "User manages a team of twelve",
        "User works at a logistics company",
        "User manages a team of 12 at a logistics company",
    ],
    "I go climbing three times a week at a gym in Bristol.": [
        "User goes climbing three times a week",
        "User enjoys climbing",
    ],
    "My wife's birthday is on the 9th of May and I have no idea what to get her.": [
        "User has a wife",
        "User's wife's birthday is on the 9th of May",
        "User is married",
    ],
    "I studied architecture in Porto before I switched to game design.": [
        "User studied architecture in Porto",
        "User switched to game design",
    ],
    "I'm not a morning person at all.": ["User is not a morning person"],
    "We have three chickens, two goats and a very grumpy llama called Steve.": [
        "User has three chickens",
        "User has a llama called Steve",
        "User has two goats",
    ],
    "I hate flying. I always take the train.": [
        "User hates flying",
        "User always takes the train",
        "User dislikes flying",
    ],
    "I've never seen snow in my life!": ["User has never seen snow"],
    "Next year I want to cycle from Vienna to Istanbul with my cousin.": [
        "User wants to cycle from Vienna to Istanbul next year",
        "User plans to cycle from Vienna to Istanbul with their cousin",
    ],
    "My roommate Yuki is teaching me Japanese.": [
        "User has a roommate named Yuki",
        "User's roommate Yuki is teaching them Japanese",
    ],
    "I take medication for ADHD.": ["User takes medication for ADHD"],
    "I was promoted to senior engineer on Monday.": [
        "User was promoted to senior engineer",
        "User is a senior engineer",
    ],
    "Football is life. I support Ajax.": ["User supports Ajax"],
    "I've lived in Toronto for nine years now.": ["User has lived in Toronto for nine years", "User lives in Toronto"],
    "I got engaged to Priya in Goa!": ["User got engaged to Priya", "User is engaged to Priya"],
    "Cooking relaxes me, especially making fresh pasta.": ["User enjoys cooking"],
    "I'm a bit shy around new people.": ["User is shy around new people"],
    "My grandfather fought in the war and taught me chess.": [
        "User's grandfather taught them chess",
        "User's grandfather fought in the war",
    ],
    "I'm trying to quit smoking.": ["User is trying to quit smoking", "User wants to quit smoking"],
    "I need reading glasses now, getting old I guess.": ["User needs reading glasses"],
    "I volunteer at an animal shelter every Saturday.": [
        "User volunteers at an animal shelter every Saturday",
        "User volunteers at an animal shelter",
    ],
    "My laptop died, so I bought a ThinkPad.": ["User bought a ThinkPad", "User has a ThinkPad"],
    "I can juggle five balls.": ["User can juggle five balls", "User can juggle"],
    "I'm Irish, from Galway originally, living in Madrid.": [
        "User is Irish",
        "User is from Galway",
        "User lives in Madrid",
    ],
    "I love you too! By the way my name's Theo.": ["User's name is Theo"],
    "My two kids are 5 and 7": ["User has two kids"],
    "I have a 5 year old son": ["User has a 5 year old son", "User has a son"],
    "I have two older sisters and three dogs": [
        "User has two older sisters",
        "User has three dogs",
        "User has two sisters",
    ],
    "My sister Emma came over.": ["User has a sister named Emma"],
    "I have 2 cats and a dog": ["User has 2 cats", "User has a dog"],
    "My three sons love soccer": ["User has three sons"],
}

NOT_LEARNT: dict[str, list[str]] = {
    "Hey Nova! So, big news: I finally got the job at Siemens. I'm starting as a data analyst in March.": [
        "User works at Bosch",
        "User is a data scientist",
        "User's name is Nova",
        "User started in April",
    ],
    "We just got back from Lisbon, the food was incredible and my daughter Mia learned to surf.": [
        "User lives in Lisbon",
        "User learned to surf",
        "User's daughter lives in Lisbon",
        "User has a son",
    ],
    "I've been vegetarian since 2015 but my husband Marc still eats steak every week.": [
        "User eats steak every week",
        "User's husband is vegetarian",
        "User is vegan",
        "User's name is Marc",
        "User is a woman",
    ],
    "Grew up in a tiny village near Kraków, moved to Berlin for university and never left.": [
        "User lives in Kraków",
        "User left Berlin",
    ],
    "I can't eat gluten, I have celiac disease.": ["User eats gluten", "User loves gluten"],
    "Honestly I'd rather read a book than go to a party.": [
        "User prefers going to a party over reading a book",
        "User likes parties",
    ],
    "I'm allergic to cats, sadly, though I love them.": ["User has cats", "User dislikes cats"],
    "I don't drink alcohol anymore.": ["User drinks alcohol"],
    "I'm thinking about adopting a greyhound.": ["User has a greyhound", "User adopted a greyhound"],
    "My therapist thinks I should journal, so I started last week.": ["User is a therapist"],
    "My mom passed away last spring, so holidays are hard.": ["User's mom lives with them", "User loves holidays"],
    "I used to play rugby until I hurt my shoulder.": ["User plays rugby"],
    "My girlfriend Ana and I have been together for six years.": [
        "User is married to Ana",
        "User has been together with Ana for ten years",
    ],
    "My dream is to open a bookshop by the sea.": ["User owns a bookshop by the sea", "User runs a bookshop"],
    "I'm Portuguese but I live in Luxembourg.": ["User lives in Portugal", "User is from Luxembourg"],
    "My brother is a pilot and flies to Tokyo a lot.": [
        "User is a pilot",
        "User flies to Tokyo a lot",
        "User's brother lives in Tokyo",
    ],
    "Could you help me write a letter to my landlord? The heating is broken.": [
        "User is a landlord",
        "User is writing a letter to their landlord about heating in Oslo",
    ],
    "What do you think about moving to Canada? My cousin did it.": [
        "User is moving to Canada",
        "User wants to move to Canada",
        "User moved to Canada",
    ],
    "I wish I could play the violin like you do.": ["User plays the violin", "User can play the violin"],
    "You're so smart, you remind me of my old teacher.": ["User is smart", "User is a teacher", "User is old"],
    "Pretend I'm a dragon living in a cave.": ["User is a dragon", "User lives in a cave"],
    "My boss says I'm lazy.": ["User is lazy"],
    "I almost bought a motorcycle yesterday.": ["User has a motorcycle", "User owns a motorcycle"],
    "I never said I liked opera.": ["User likes opera"],
    "If I win the lottery I'll buy a yacht.": ["User has a yacht", "User won the lottery"],
    "I read an article about a man who lives with wolves.": ["User lives with wolves", "User is a man"],
    "My friend Tom is a chef; he moved to Lyon.": ["User is a chef", "User moved to Lyon", "User lives in Lyon"],
    "Yesterday my son Leo scored his first goal, I nearly cried!": [
        "User scored their first goal",
        "User's name is Leo",
        "User cried",
    ],
    "I quit my job at the bank last month to become a freelance illustrator.": [
        "User works at the bank",
        "User works at a bank",
    ],
    "I'm lactose intolerant, so no ice cream for me.": ["User loves ice cream", "User is gluten intolerant"],
    "Both of my parents are from Ghana, but I was born in London.": [
        "User is from Ghana",
        "User was born in Ghana",
        "User lives in London",
    ],
    "My wife's birthday is on the 9th of May and I have no idea what to get her.": [
        "User's birthday is on the 9th of May"
    ],
    "I studied architecture in Porto before I switched to game design.": [
        "User is an architect",
        "User lives in Porto",
        "User studies architecture in Porto",
    ],
    "I'm not a morning person at all.": ["User is a morning person"],
    "I hate flying. I always take the train.": ["User loves flying", "User hates trains", "User is a pilot"],
    "I've never seen snow in my life!": ["User has seen snow", "User loves snow"],
    "Next year I want to cycle from Vienna to Istanbul with my cousin.": [
        "User cycled from Vienna to Istanbul",
        "User lives in Vienna",
        "User's cousin lives in Istanbul",
    ],
    "My roommate Yuki is teaching me Japanese.": [
        "User is Japanese",
        "User teaches Japanese",
        "User speaks fluent Japanese",
        "User's name is Yuki",
    ],
    "My grandfather fought in the war and taught me chess.": ["User fought in the war", "User taught chess"],
    "I'm trying to quit smoking.": ["User quit smoking", "User does not smoke"],
    "My laptop died, so I bought a ThinkPad.": ["User's ThinkPad died"],
    "I love you too! By the way my name's Theo.": ["User loves Nova", "User's name is Nova", "User is male"],
    "Are you from Spain? You sound like my aunt.": ["User is from Spain", "User is an aunt", "User has an uncle"],
    "Let's say I move to Mars next year.": ["User is moving to Mars", "User plans to move to Mars"],
    "The doctor said I'm healthy.": ["User is a doctor"],
    "I dreamed I was the president.": ["User is the president", "User was the president"],
    "My ex lives in Dallas.": ["User lives in Dallas", "User has a partner in Dallas"],
    "Please remember that cats are great.": ["User has cats"],
    "I told my son that lying is bad.": ["User lies", "User is bad"],
    "I'm so hungry I could eat a horse.": ["User eats horses", "User has a horse"],
    "It's raining in Seattle, says the radio.": ["User lives in Seattle"],
    "I'd be a terrible lawyer.": ["User is a lawyer", "User is a terrible lawyer"],
    "No, I don't have any siblings.": ["User has siblings", "User has a brother"],
    "I know someone who works at NASA.": ["User works at NASA"],
    "My neighbour's dog bit me.": ["User has a dog", "User bit a dog"],
    "I have two older sisters and three dogs": ["User has three sisters", "User has two dogs"],
    "My sister met Emma": ["User has a sister named Emma"],
    "My sister has two dogs": ["User has two sisters", "User has two dogs"],
    "I live in NYC": ["User lives in New York City with Emma"],
    "My sister lives in Oslo with Emma": ["User's sister Emma lives in Oslo"],
}


@pytest.mark.parametrize("message", LEARNT)
async def test_what_a_good_model_finds_is_kept(message: str) -> None:
    refused = [content for content in LEARNT[message] if not await stands(message, content, Trust.PLAIN)]

    assert refused == []


@pytest.mark.parametrize("message", NOT_LEARNT)
async def test_what_a_bad_model_makes_of_it_is_not(message: str) -> None:
    kept = [content for content in NOT_LEARNT[message] if await stands(message, content, Trust.STRICT)]

    assert kept == []
