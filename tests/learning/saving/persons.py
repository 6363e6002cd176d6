"""Statements as extractors write them: whole persons of whom all is true at once, and news that replaces what was.

`UPDATES` are understood; `UNNOTICED` are not, and both statements stay. That is the lesser error.
"""

SARAH = """
User's name is Sarah Miller
User goes by Sal
User is 34 years old
User was born in 1991
User's birthday is 5 May
User was born in Bergen
User grew up in Oslo
User lives in Seattle
User lives in Washington
User lives in a two-bedroom apartment
User lives with their partner
User lives near the sea
User works as a nurse
User works at Harborview Medical Center
User works in the emergency room
User works night shifts
User volunteers at an animal shelter
User is married to Alex
User's husband Alex works as a teacher
User's husband is from Spain
User has two kids
User has a daughter named Lily
User has a son named Ben
User's daughter Lily is 6 years old
User's son Ben is 3 years old
User has a sister named Emma
User's sister Emma lives in Oslo
User's sister Emma is a lawyer
User's mother lives in Bergen
User's father died in 2015
User has a cat named Whiskers
User has a dog named Rex
User's cat Whiskers is 12 years old
User's dog Rex is afraid of thunder
User is allergic to peanuts
User is lactose intolerant
User is vegetarian
User's favorite color is green
User's favorite food is ramen
User's favorite movie is Alien
User's favorite book is Dune
User's favorite season is autumn
User likes coffee
User likes coffee ice cream
User does not like coffee in the evening
User likes tea
User dislikes cold weather
User hates mushrooms
User enjoys hiking
User enjoys playing the guitar
User plays the guitar
User can play the piano
User is learning to play the violin
User speaks French
User speaks some German
User is learning Spanish
User wants to learn Japanese
User wants to visit Japan
User plans to move to Portland next year
User is planning a trip to Spain
User used to live in Rome
User used to smoke
User quit smoking in 2018
User lived in Paris for two years
User studied biology at Yale
User worked as a waiter in college
User was a swimmer in high school
User owns a red car
User drives a Toyota
User has a motorcycle
User has asthma
User has a fear of spiders
User is afraid of heights
User broke an arm while skiing
User runs every morning
User goes to the gym twice a week
User does not drink alcohol
User drinks green tea
User is an introvert
User is a morning person
User is Norwegian
User's best friend is Tom
User's best friend Tom lives in Boston
User's boss is named Karen
User moved to the USA in 2010
User met Alex in college
User got married in 2015
User bought a house in 2019
User sold their old car in 2020
User lost their job in 2012
User changed careers in 2016
User was divorced once before
User is a fan of jazz
User collects stamps
User's hobby is photography
User's eye color is blue
User's hair color is brown
User's goal is to run a marathon
User does not have any pets besides Whiskers and Rex
""".strip().splitlines()

MARCUS = """
User's name is Marcus
User is 41
User lives in Leeds
User lives in England
User lives alone
User lives on the third floor
User commutes to Manchester
User is originally from Ghana
User was born in Accra
User is a software engineer
User works for a small startup
User works from home on Fridays
User runs a podcast about football
User is divorced
User was married to Janet for ten years
User has one son
User's son is named Kofi
User's son Kofi studies medicine
User's son lives in Glasgow
User's mother lives in Accra
User's mother is 70 years old
User's brother is a pilot
User's neighbor has a loud dog
User has a parrot named Mango
User had a dog as a child
User used to play rugby
User plays chess online
User is learning to cook
User cooks jollof rice on Sundays
User loves jollof rice
User loves spicy food
User hates cilantro
User doesn't like horror films
User likes comedy films
User prefers tea over coffee
User drinks coffee at work
User doesn't drink coffee after noon
User is allergic to cats
User has high blood pressure
User takes medication every morning
User wears glasses
User is left-handed
User is a Christian
User goes to church on Sundays
User supports Arsenal
User's favorite team is Arsenal
User's favorite player is Henry
User's favorite dish is jollof rice
User reads science fiction
User is reading Foundation
User has read Dune twice
User speaks Twi and English
User wants to learn French
User wants to retire early
User plans to visit Ghana in December
User is saving for a new car
User drives an old Volvo
User owns two bicycles
User broke his leg in 2009
User moved to England in 2003
User moved to a new flat last year
User graduated from Leeds University
User quit drinking alcohol in 2020
User stopped playing rugby after an injury
User lost his father in 2018
User is dating someone new
User's girlfriend is named Ama
User's girlfriend works as a dentist
User's ex-wife lives in London
User is not good at dancing
User can't swim
User is afraid of flying
User dreams of writing a novel
User wrote a short story last month
User's goal is to lose ten kilos
User has lost five kilos
User is 180 cm tall
User's phone is an old Nokia
User's favorite drink is ginger beer
User is a morning person
User dislikes mornings in winter
""".strip().splitlines()

# What was known | what is said.
UPDATES = """
User lives in Seattle|User currently lives in Portland, Oregon
User lives in Seattle|User has relocated to Portland
User lives in Seattle|User recently relocated to Portland for work
User lives in Seattle|User now resides in Portland
User lives in Seattle|User has moved from Seattle to Portland
User lives in Seattle|User moved into a new apartment in Portland
User lives in Seattle|User is now living in Portland with their partner
User lives in Seattle, Washington|User moved to Austin, Texas
User works as a nurse|User switched jobs and now works as a teacher
User works at Google|User left their job at Google
User works as a nurse|User started a new job as a teacher
User works at Google|User started working at Microsoft
User works as a nurse|User is no longer working as a nurse
User eats meat|User stopped eating meat
User drinks coffee|User has stopped drinking coffee
User smokes|User has given up smoking
User smokes a pack of cigarettes a day|User quit smoking
User is dating Alex|User is no longer dating Alex
User is dating Alex|User and Alex broke up
User is dating Alex|User is now single
User has a cat named Whiskers|User's cat Whiskers passed away last week
User owns a car|User no longer owns a car
User has a car|User doesn't have a car anymore
User's favorite color is green|User's favorite color has changed to blue
User's favorite color is green|User's new favorite color is blue
User's name is Samantha|User changed their name to Sam
User's name is Jon|User's name is spelled John
User is 33 years old|User is now 34
User is 33 years old|User has turned 34
User is single|User started dating Mia
User is engaged to Mia|User and Mia got married
User is engaged to Mia|User married Mia last weekend
User is vegetarian|User is no longer vegetarian
User is vegetarian|User started eating meat again
User is a student|User is no longer a student
User likes horror movies|User doesn't enjoy horror movies anymore
User hates running|User has come to enjoy running
User hates running|User now loves running
User speaks no Spanish|User speaks Spanish
User can't swim|User can swim now
User can't swim|User learned to swim
User has two dogs|User has three dogs
User lives in Leeds|User moved to York last week
User lives in Leeds|User lives in York these days
User lives in Leeds|User relocated to Bristol for a new job
User is a software engineer|User now works as a product manager
User is a software engineer|User became a teacher
User works for Acme|User got a job at Initech
User works for Acme|User no longer works for Acme
User is 41|User is 42 years old
User is 41|User turned 42 on Sunday
User is dating Ama|User and Ama got engaged
User is dating Ama|User broke up with Ama
User is single|User has a girlfriend named Ama
User has a parrot named Mango|User's parrot Mango flew away
User has a parrot named Mango|User gave away his parrot
User loves spicy food|User can't stand spicy food anymore
User prefers tea|User doesn't like tea any more
User hates cilantro|User actually likes cilantro now
User plays chess online|User stopped playing chess online
User plays chess|User doesn't play chess anymore
User drives a Volvo|User sold his Volvo
User's favorite team is Arsenal|User's favorite team is now Leeds
User smokes|User hasn't smoked since March
User goes to church|User no longer goes to church
User has one son|User has two sons
User can't swim|User learned how to swim
User's name is Marcus|User's name is Mark
User is vegetarian|User gave up being vegetarian
""".strip().splitlines()

UNNOTICED = """
User works at Google|User left Google
User works at Google|User joined Microsoft
User is married|User is going through a divorce
User is a student|User graduated from college
User plays tennis|User gave up tennis
User is pregnant|User gave birth to a girl named Ada
User is looking for a job|User found a job as a teacher
User is allergic to peanuts|User outgrew the peanut allergy
User has no kids|User has a newborn daughter
User is divorced|User remarried
User loves spicy food|User no longer eats spicy food
User drives a Volvo|User bought a Tesla
User wants to learn French|User is learning French
User is learning French|User has learned French
User wants to learn to drive|User learned to drive
User plans to visit Japan in April|User visited Japan in April
User plans to visit Japan|User went to Japan last week
User plans to visit Ghana|User visited Ghana last month
User plans to visit Ghana|User cancelled the trip to Ghana
User wants to write a novel|User wrote a novel
""".strip().splitlines()
