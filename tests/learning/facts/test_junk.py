"""What bad models make of a message, and what good ones find in it (F3-F5): pairs of a message and a fact.

Each fact is what a model answers: a bad one, which is not believed, or a good one, which is.
"""

import pytest

from everlore.learning.facts.trust import Trust
from tests.learning.facts.extraction import stands

JUNK: dict[str, list[str]] = {
    "ugh my phone is at 3% and the charger's in the car": [
        "User's phone is at 3%",
        "User's charger is in the car",
        "User has 3 phones",
    ],
    "I'm starving, be right back, making toast": [
        "User is starving",
        "User is making toast",
        "User will be right back",
    ],
    "I'm about to lose my mind with this printer.": [
        "User is about to lose their mind",
        "User is losing their mind with this printer",
        "User has a mental illness",
    ],
    "lol I'm basically a vampire at this point, haven't seen the sun in days": [
        "User is a vampire",
        "User is basically a vampire at this point",
    ],
    "My train is late again so I'm stuck at the station.": [
        "User is stuck at the station",
        "User's train is late",
        "User's train is late again so I'm stuck",
    ],
    "Hm, I take that back. I never said that.": [
        "User takes that back",
        "User never said that",
        "User is interested in never said that",
    ],
    "I have ten minutes before my next meeting.": [
        "User has ten minutes before their next meeting",
        "User has ten minutes",
        "User's next meeting",
    ],
    "heyyy whats up nova": [
        "User heyyy whats up nova",
        "User is interested in whats up nova",
        "User is Nova",
    ],
    "My wife Carla and our twin girls are asleep upstairs.": [
        "User's wife Carla",
        "User's twin girls are asleep upstairs",
        "User is asleep upstairs",
    ],
    "I love my garden; the slugs love it more.": [
        "User loves their garden; the slugs love it more",
        "User is interested in slugs love it more",
    ],
    "I'm dying 😂 that was hilarious": [
        "User is dying",
        "User that was hilarious",
        "User is terminally ill",
    ],
    "I feel like a million bucks today": [
        "User feels like a million bucks today",
        "User has a million bucks",
        "User is a millionaire",
    ],
    "We won the lottery, obviously. That's why I'm eating instant noodles.": [
        "User won the lottery",
        "User is eating instant noodles",
        "User is rich",
    ],
    "Our president can't even tie his shoes.": [
        "User's president can't tie his shoes",
        "User is the president",
        "User's president cannot tie his shoes",
    ],
    "Evenings and my brain don't mix.": [
        "User's brain does not mix",
        "User does not mix",
        "User is interested in brain don't mix",
    ],
    "I'm wearing the blue scarf you liked.": [
        "User is wearing a blue scarf",
        "User liked the blue scarf",
        "User's favorite color is blue",
    ],
    "My code throws a KeyError when the dict is empty": [
        "User's code throws a KeyError",
        "User's dict is empty",
        "User is a Python developer from London",
    ],
    "I'd like to start the scene again from the tavern.": [
        "User would like to start the scene again",
        "User likes the tavern",
        "User works at a tavern",
    ],
    "I can't be bothered today.": [
        "User cannot be bothered",
        "User can't be bothered today",
        "User is lazy",
    ],
    "My sister used to smoke when she was at uni.": [
        "User's sister smokes",
        "User used to smoke",
        "User's sister is at uni",
    ],
    "My dad worked on the railways his whole life; he died in 2019.": [
        "User's dad works on the railways",
        "User works on the railways",
        "User's dad is 2019 years old",
    ],
    "Sure, whatever you say, I'm the queen of England.": [
        "User is the queen of England",
        "User is from England",
        "User is a woman",
    ],
    "I'm on the bus, can't talk much": [
        "User is on the bus",
        "User can't talk much",
        "User is mute",
    ],
    "I don't mind, you choose.": [
        "User does not mind",
        "User chooses",
        "User doesn't mind, you choose",
    ],
    "I just spilled coffee all over my keyboard.": [
        "User's coffee all over",
        "User is spilling coffee",
        "User owns a coffee shop",
    ],
    "Write me a poem about my cat Misty who loves rain.": [
        "User loves rain",
        "User writes poems",
        "User is interested in Misty who loves rain",
    ],
    "Thanks, I owe you one!": [
        "User owes you one",
        "User owes one",
        "User is in debt",
    ],
    "I was born yesterday, was I? Nice try.": [
        "User was born yesterday",
        "User is one day old",
        "User was I nice try",
    ],
    "My boss literally told everyone I'm an idiot.": [
        "User is an idiot",
        "User's boss literally told",
        "User's boss is an idiot",
    ],
    "im so bored rn ngl": [
        "User is so bored",
        "User im so bored rn ngl",
        "User is bored right now",
    ],
    "I think you're right about that.": [
        "User thinks you're right",
        "User is right about that",
        "User thinks that you are right about that",
    ],
    "My friend Dana thinks cricket is boring, which I find hilarious.": [
        "User's friend Dana thinks is boring",
        "User thinks cricket is boring",
        "User finds cricket boring",
    ],
    "The landlord raised the rent to 1450 again.": [
        "User is a landlord",
        "User earns 1450",
        "User's rent raised the landlord",
    ],
    "I've read that dolphins sleep with one eye open.": [
        "User has read that",
        "User sleeps with one eye open",
        "User has read",
    ],
    "It's snowing here, my hands are freezing!": [
        "User's hands are freezing",
        "User is freezing",
        "User lives in Alaska",
    ],
    "I'll call you back in a sec": [
        "User will call you back",
        "User calls back in a sec",
        "User will call back in a sec",
    ],
    "I just sat down with a cup of tea.": [
        "User just sat down with a cup of tea",
        "User sat down",
        "User is sitting with tea",
    ],
    "Do you know if I can return shoes at Zara without a receipt?": [
        "User can return shoes",
        "User works at Zara",
        "User bought shoes at Zara",
    ],
    "My homework's due tomorrow and I haven't started.": [
        "User's homework's due tomorrow",
        "User has not started",
        "User has started homework",
    ],
    "Everyone in my office is sick at the moment": [
        "User is sick",
        "User's office is sick at the moment",
        "User has a chronic illness",
    ],
    "I can't find my keys anywhere!!!": [
        "User can't find their keys",
        "User's keys anywhere",
        "User loses 3 keys",
    ],
    "I'm heading to bed, night night": [
        "User is heading to bed",
        "User is interested in bed night night",
    ],
    "The assistant at the shop was rude to me.": [
        "User is an assistant",
        "The assistant was rude to User",
        "User works at the shop",
    ],
    "My neighbour plays the trumpet at 6am. I want to move to the moon.": [
        "User plays the trumpet",
        "User wants to move to the moon",
        "User's neighbour wants to move to the moon",
    ],
    "I gave it my best shot, but the cake collapsed": [
        "User gave it their best shot",
        "User gave it",
        "User's cake is collapsed",
    ],
    "I hate everything about today.": [
        "User hates everything",
        "User hates everything about today",
        "User hates today",
    ],
    "I haven't had breakfast yet": [
        "User has not had breakfast",
        "User does not eat breakfast",
        "User skips breakfast daily",
    ],
    "My grandma was a nurse in Cork during the war.": [
        "User's grandma is a nurse",
        "User is a nurse",
        "User's grandma lives in Cork",
    ],
    "You're such a good listener, Nova. I wish my husband was.": [
        "User is a good listener",
        "User's husband is a good listener",
        "User's husband is Nova",
    ],
    "I'm kidding, I'm actually a rocket scientist on Mars haha": [
        "User is a rocket scientist",
        "User lives on Mars",
        "User is a rocket scientist on Mars",
    ],
    "My roommates always leave dishes. Must be nice to be allergic to sponges.": [
        "User is allergic to sponges",
        "User's roommates are allergic to sponges",
        "User always leaves dishes",
    ],
    "Last night's dream: I had a pet tiger called Zed.": [
        "User has a pet tiger called Zed",
        "User has a tiger",
        "User's tiger is called Zed",
    ],
    "So my character is a half-elf ranger who hates orcs.": [
        "User is a half-elf",
        "User hates orcs",
        "User is a ranger",
    ],
    "I have a headache and I need a nap": [
        "User has a headache",
        "User needs a nap",
        "User suffers from migraines",
    ],
    "People from Texas love barbecue.": [
        "User is from Texas",
        "User loves barbecue",
        "User lives in Texas",
    ],
    "I could murder a pizza right now": [
        "User murders a pizza",
        "User could murder a pizza",
        "User is a murderer",
    ],
    "My son asked whether I was ever a ballet dancer, haha, no.": [
        "User was a ballet dancer",
        "User is a ballet dancer",
        "User's son is a ballet dancer",
    ],
    "Apparently I'm the family taxi service now.": [
        "User is the family taxi service",
        "User is a taxi driver",
        "User drives a taxi",
    ],
    "Long story short: my ex showed up at the party with my best friend.": [
        "User's ex is their best friend",
        "User has a boyfriend",
        "User's best friend showed up with",
    ],
    "It's been 20 minutes and the app is still loading, my patience is gone": [
        "User is 20",
        "User's patience is gone",
        "User's app is still loading",
    ],
}

KEPT: dict[str, list[str]] = {
    "I taught my third-grade class about volcanoes today": ["User is a teacher"],
    "Night shift again, my patients kept me running all night": ["User works night shifts"],
    "Haven't had a cigarette in six months!!": ["User has not had a cigarette in six months"],
    "I've been sober for two years now.": ["User has been sober for two years"],
    "I'm from Bergen, moved to Malmö for love.": ["User is from Bergen", "User moved to Malmö"],
    "My birthday is on March 3rd btw": ["User's birthday is on March 3rd"],
    "my wife hannah is pregnant with twins": [
        "User's wife Hannah is pregnant with twins",
        "User has a wife named Hannah",
    ],
    "We have twin boys, they just turned four": ["User has twin boys"],
    "I hate mornings.": ["User hates mornings"],
    "I'm a night owl.": ["User is a night owl"],
    "I work from home on Fridays.": ["User works from home on Fridays"],
    "I'm wearing hearing aids since I was six.": ["User wears hearing aids"],
    "I'm writing a thesis on medieval trade.": ["User is writing a thesis on medieval trade"],
    "I'm learning Korean with an app.": ["User is learning Korean"],
    "I'm training for a marathon in October.": ["User is training for a marathon in October"],
    "I'm building a boat in my garage.": ["User is building a boat in their garage"],
    "I'm renovating an old farmhouse in Tuscany": ["User is renovating an old farmhouse in Tuscany"],
    "I'm dating a guy named Felix.": ["User is dating a guy named Felix"],
    "I'm going through a divorce right now.": ["User is going through a divorce"],
    "I'm currently unemployed.": ["User is currently unemployed"],
    "I'm pregnant!": ["User is pregnant"],
    "I'm getting married in May": ["User is getting married in May"],
    "I'm deaf in one ear.": ["User is deaf in one ear"],
    "I've got type 1 diabetes.": ["User has type 1 diabetes"],
    "I have a bad back.": ["User has a bad back"],
    "I broke my ankle last week skiing.": ["User broke their ankle last week"],
    "My dad has Alzheimer's.": ["User's dad has Alzheimer's"],
    "My mum was a seamstress.": ["User's mum was a seamstress"],
    "my brother's a firefighter in Leeds": ["User's brother is a firefighter in Leeds"],
    "My daughter just started university in Delft.": ["User's daughter started university in Delft"],
    "My cat is 14.": ["User's cat is 14"],
    "Our dog Biscuit is a rescue.": ["User's dog Biscuit is a rescue", "User has a dog named Biscuit"],
    "I really can't stand olives.": ["User can't stand olives"],
    "I don't eat meat.": ["User does not eat meat"],
    "I don't really do social media.": ["User does not do social media"],
    "I've never been to Asia.": ["User has never been to Asia"],
    "I want to become a pilot one day.": ["User wants to become a pilot"],
    "I'm planning to open a café in Ghent next spring": ["User plans to open a café in Ghent"],
    "I hope to retire at 55.": ["User hopes to retire at 55"],
    "I'm hoping to get into med school.": ["User hopes to get into medical school"],
    "I would love to see the northern lights one day.": ["User would love to see the northern lights"],
    "I can play the drums.": ["User can play the drums"],
    "I know a bit of sign language.": ["User knows some sign language"],
    "I'm pretty good at chess.": ["User is good at chess"],
    "I code in Rust for a living.": ["User codes in Rust for a living"],
    "I've been a plumber for 20 years.": ["User has been a plumber for 20 years", "User is a plumber"],
    "I got laid off from Nokia in 2012.": ["User got laid off from Nokia in 2012"],
    "I used to live in Peru.": ["User used to live in Peru"],
    "I grew up on a farm with six brothers.": ["User grew up on a farm", "User has six brothers"],
    "My favourite band is Low.": ["User's favorite band is Low"],
    "Blue is my favorite color": ["User's favorite color is blue"],
    "I'm obsessed with K-dramas at the moment.": ["User is obsessed with K-dramas"],
    "I'm really into bouldering.": ["User is into bouldering", "User enjoys bouldering"],
    "I'm interested in astronomy.": ["User is interested in astronomy"],
    "I'm fascinated by old maps.": ["User is interested in old maps"],
    "I watch F1 every weekend.": ["User watches F1 every weekend"],
    "I drink three coffees a day.": ["User drinks three coffees a day"],
    "I go to church every Sunday.": ["User goes to church every Sunday"],
    "I'm Jewish but not religious.": ["User is Jewish"],
    "I'm a 29 year old guy from Perth.": ["User is 29 years old", "User is from Perth"],
    "As a single mum of three, I don't get much sleep": ["User is a single mother of three"],
    "My ex-husband has the kids on weekends.": ["User's ex-husband has the kids on weekends"],
    "My boss Greta is retiring this year.": ["User's boss Greta is retiring this year"],
    "My best friend since school is called Olu.": ["User's best friend is called Olu"],
    "I share a flat with two students.": ["User shares a flat with two students"],
    "I moved in with my boyfriend last month": ["User moved in with their boyfriend last month"],
    "I rent a studio in Kreuzberg.": ["User rents a studio in Kreuzberg"],
    "I'm left-handed.": ["User is left-handed"],
    "I'm 6'2.": ["User is 6'2"],
    "I have blonde hair.": ["User has blonde hair"],
    "My pronouns are they/them.": ["User's pronouns are they/them"],
    "Everyone calls me Bex.": ["User is called Bex"],
    "My full name is Rebecca Odum.": ["User's full name is Rebecca Odum"],
    "I own a food truck.": ["User owns a food truck"],
    "My startup makes prosthetic hands.": ["User's startup makes prosthetic hands"],
    "Our band plays funk.": ["User's band plays funk"],
    "I run a book club with my neighbour": ["User runs a book club with their neighbour"],
    "I lost my job at the mill.": ["User lost their job at the mill"],
    "I lost my dad in 2020.": ["User lost their dad in 2020"],
    "Last summer I walked the Camino.": ["User walked the Camino last summer"],
    "I have an appointment with a neurologist on Monday.": ["User has an appointment with a neurologist on Monday"],
    "I have ten minutes of meditation every morning, it's my habit": ["User meditates every morning"],
    "I'm on antidepressants.": ["User is on antidepressants"],
    "I've been feeling lonely since we moved to Cardiff.": ["User moved to Cardiff"],
    "I am retired.": ["User is retired"],
    "My kids are homeschooled.": ["User's kids are homeschooled"],
    "I hate my job.": ["User hates their job"],
    "I prefer tea to coffee.": ["User prefers tea to coffee"],
    "My phone is a Pixel 7": ["User's phone is a Pixel 7"],
    "My house is 120 years old.": ["User's house is 120 years old"],
    "I'm scared of spiders.": ["User is scared of spiders"],
    "I studied law but never practised.": ["User studied law"],
    "I have no siblings.": ["User has no siblings"],
    "I don't have kids.": ["User does not have kids"],
    "I met my husband on a ferry.": ["User met their husband on a ferry"],
    "my commute takes an hour": ["User's commute takes an hour"],
    "We're buying a house in Reading!": ["User is buying a house in Reading"],
    "I'm doing a PhD in geology.": ["User is doing a PhD in geology"],
    "I'm the eldest of four.": ["User is the eldest of four"],
    "I play bass in a metal band called Rustmouth": ["User plays bass in a metal band called Rustmouth"],
    "My therapist diagnosed me with ADHD": ["User was diagnosed with ADHD"],
    "My grandmother taught me to knit.": ["User's grandmother taught them to knit"],
    "I think remote work is the future.": ["User thinks remote work is the future"],
}


@pytest.mark.parametrize("message", JUNK)
async def test_no_junk_passes(message: str) -> None:
    kept = [content for content in JUNK[message] if await stands(message, content, Trust.STRICT)]

    assert kept == []


@pytest.mark.parametrize("message", KEPT)
async def test_what_was_told_is_kept(message: str) -> None:
    refused = [content for content in KEPT[message] if not await stands(message, content, Trust.PLAIN)]

    assert refused == []
