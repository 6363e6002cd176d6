"""Sentences that measure an embedding model: unrelated pairs, and the two kinds of things people ask."""

# No question has anything to do with any statement below.
QUESTIONS = """What is the population of Peru?
How do I change a bicycle tube?
Which metal melts at the lowest temperature?
What does this error message mean?
Can you explain the plot of Macbeth?
How many players are on a volleyball team?
What is seven times eight?
When did the Titanic sink?
Where do kangaroos live?
Why do cats purr?
Who designed the Eiffel Tower?
How do I install a printer driver?
What is the best soil for cacti?
How long does it take to fly to Sydney?
What did she say about the meeting?
Is there a pharmacy nearby?
How do plants drink water?
What is the plural of octopus?
Tell me about the history of chess.
Which vitamins are in carrots?
How does a sewing machine work?
What was his favourite song?
When does the shop open on Saturday?
Who taught you to swim?
What are the rules of poker?
How is glass made?
Write a short poem about winter.
What is the tallest building in Asia?
Should I invest in gold?
How do I say thank you in Korean?
What colour is a flamingo?
Where did they spend the holidays?
Why did the engine stop?
What do whales eat?
How did the dinner with her parents go?
Which book are you reading?
What is a good name for a parrot?
How much does a piano weigh?
Did he ever finish the painting?
What happens in the last chapter?""".splitlines()

# As memories and chat turns sound.
STATEMENTS = """My uncle repairs old clocks in his cellar.
The ferry to the island was cancelled because of the storm.
I finally passed my driving test on the third try!
She prefers tea with lemon.
We adopted two kittens from the shelter last weekend.
The committee will vote on the new budget on Monday.
He has worked as a plumber for twenty years.
That concert was amazing, the crowd would not stop singing.
I'm thinking about moving closer to the sea.
Their daughter plays handball for the school team.
The soup needs more pepper.
Yeah, I totally get that, take your time.
Our flight leaves at six in the morning.
He is afraid of spiders.
I started a pottery class and my first bowl cracked in the kiln.
The museum bought a painting by an unknown artist.
She broke her ankle while skiing in February.
Grandpa used to tell us stories about the war.
I have been sleeping badly since the new neighbours arrived.
The dragon guarded the bridge and asked for a riddle.
He owes me fifty euros.
Thanks for the photos, they look great!
The bakery on the corner closes at noon.
I can't eat gluten.
We are renovating the bathroom this spring.
The function returns an empty list when the file is missing.
My favourite sport to watch is snooker.
They met at a friend's wedding in Greece.
The garden is full of snails this year.
I want to write a novel about a lighthouse.
Her brother studies law in Vienna.
The bus was late again today.
He gave a speech about recycling.
I'm proud of you, that took a lot of courage.
The old mill was turned into a library.
My phone fell into the lake.
She sings in a gospel choir every Wednesday.
The doctor told him to drink less coffee.
We planted an apple tree when our son was born.
The knight swore an oath to the queen.
I got the promotion!
The recipe calls for two cups of flour.
It rained during the whole festival.
His grandmother came from Armenia.
We should order a bigger table for the office.
The puppy chewed through my headphones.
I am saving up for a camera.
What are you up to this weekend?""".splitlines()

# What memory can help with …
PERSONAL = """What is my name?
Where is my home?
How old is my brother?
What do my parents do?
Who is my girlfriend?
Which school do my kids go to?
What music do I like?
What's my favourite drink?
When is our anniversary?
Where did I go on holiday last year?
What am I allergic to?
Which hobbies do I have?
What did I tell you about my job?
Do you remember my dog?
What are my plans for the weekend?
When did I move to this town?
Who are my friends?
What did we talk about yesterday?
What makes me happy?
Why was I sad last week?
What do I want to become?
Which sport do I play?
What was my first car?
How did I meet my wife?
What languages do I know?
What do I think about marriage?
When do I get up in the morning?
What is she afraid of?
Where does he work?
What did she buy for her sister?
When did they get married?
Which book did he recommend?
How did her interview go?
What is his favourite restaurant?
What did he promise her?
Who gave her the necklace?
My mother called today.
I had a bad day at work.
I miss my friends.
I'm going to visit my grandmother on Sunday.""".splitlines()

# … and what it cannot.
HELPING = """How do I fix my computer?
Why does my code not compile?
My phone does not charge, what can I do?
How do I cook potatoes?
What is the capital of Spain?
Who invented the steam engine?
What is twelve times twelve?
Explain gravity to me.
Write me a poem.
Translate this sentence into German.
Give me a recipe for bread.
What is the definition of entropy?
How do I install Linux?
What is the weather like in London?
How far is the sun from the earth?
Tell me a joke.
How do I remove a stain from my shirt?
What does this function return?
Why is my internet connection slow?
Summarise the following text.
How many people live in China?
What is the law of supply and demand?
How do I write a letter of application?
What is the best laptop for students?
When did the Second World War end?
How does an engine work?
What are the symptoms of the flu?
How can I lower my electricity bill?
Which tax form do I need?
Convert five miles to kilometres.
What is a synonym for happy?
How do I reset my password?
My car makes a strange noise when I brake.
What is the best way to learn mathematics?
Correct the grammar of my essay.
How do I grow roses in my garden?
Who wrote this opera?
What is the difference between a frog and a toad?
Sort this list for me.
What does HTTP stand for?""".splitlines()
