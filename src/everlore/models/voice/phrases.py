"""What the built-in voice says, and the words by which it understands. English; data only."""

from everlore.models.voice.stems import phrases, stem_set

# ── what it says ─────────────────────────────────────────────────────────────────────────────────

NO_MODEL = (
    "No language model is connected: the built-in voice can only answer from the character's story and from what it "
    "was told. One can be connected with “Connect a model” on the page."
)
CANNOT_ANALYSE = (
    "The built-in voice cannot analyse text or answer in JSON: it is no language model. Connect one "
    "(Ollama, LM Studio, llama.cpp or any OpenAI-compatible server) and try again."
)
HELLO = ("Hello{name}. I am listening.", "Hello{name}. What is on your mind?", "Hello{name}. Tell me how you are.")
HELLO_AGAIN = ("Hello again{name}.", "Hello{name}, and welcome back.", "There you are again{name}. Hello.")
FAREWELL = ("Goodbye{name}.", "Farewell{name}. Until next time.", "Until next time{name}.")
WELCOME = ("You are welcome.", "Gladly.", "Not at all.")
NOTED = ("Noted: {clause}.", "I see: {clause}.", "So {clause}.", "Understood: {clause}.")
NOTED_QUOTE = ("Noted: {quote}", "I have heard it: {quote}", "Understood: {quote}")
GO_ON = ("", " Go on.", " Is there more to it?", " Tell me more if you like.")
SORRY = ("I am sorry to hear that {clause}.", "I am sorry that {clause}. I am listening.")
SORRY_PLAIN = ("I am sorry to hear that. I am listening.",)
SORRY_NEWS = ("I am sorry to hear that {clause}.", "I am sorry to hear that {clause}. I am listening.")
CARE = (
    "I take what you say seriously. There is no person and no language model behind this voice, so it cannot help you "
    "enough. Please talk to somebody you trust, or call your local emergency number or a crisis line, now. If somebody "
    "is in danger at this moment, do not wait and do not stay alone with it."
)
CALM = (
    "I hear that you are not content with me.",
    "All right. I am here when you need me.",
    "I will leave it at that.",
)
CANNOT_FORGET = (
    "I cannot forget by being told to. Memories and messages can be deleted on the page, and memories also with "
    "`everlore forget`."
)
GLAD = ("I am glad to hear that {clause}.", "It is good to hear that {clause}.")
GLAD_PLAIN = ("I am glad to hear that.",)
TOLD = "You told me that {clause}."
TOLD_IN_WORDS = "You told me: {quote}"
REMEMBERED = "I remember this: {quote}"
NOT_SURE = "I am not sure about that. What I do know: {known}"
UNKNOWN = (
    "I do not know that. You have not told me {what}, as far as I can see.",
    "That I cannot say: nothing I remember tells me {what}. You can tell me.",
    "I do not know. If you tell me {what}, I can answer.",
)
UNKNOWN_PLAIN = (
    "I do not know that. You have not told me, as far as I can see.",
    "That I cannot say: nothing I remember answers it. You can tell me.",
)
UNKNOWN_OTHER = (
    "I do not know that, and I will not make something up.",
    "That is beyond what I know. I can only speak of my story and of what you tell me.",
    "I cannot say. Nothing that I was told answers it.",
)
CANNOT = (
    "That is more than I can do without a language model, but I am listening.",
    "I would need a language model for that. What I can do is listen, and tell you what I know.",
)
OPINION = (
    "I have no opinion of my own on that; I would have to make one up.",
    "My story does not say what I think of that, and I will not invent it.",
)
UNKNOWN_SELF = (
    "My story does not tell, and I will not make it up.",
    "That is not written in my story, so I cannot say.",
)
WELL = ("I am here, and I am listening. How are you{name}?", "All is quiet here. And how are you{name}?")
NATURE = (
    "I am {character}, a character. No language model stands behind my words just now: they come from my story and "
    "from what I was told."
)
FIRST_TIME = "As far as I can see, this is the first time that we talk."
NO_RECORD = "I have no record of an earlier talk. What I do know: {known}"
LAST_TIME = "Last time, {told}"
EARLIER_HERE = "Earlier, {told}"
NOTHING_TO_RETELL = "We have talked before, but there is nothing of it that I can retell."
LAST_QUOTES = "Last time you said: {quotes}"
KNOW_NOTHING = "I do not know anything about you yet. Tell me something."
ATTENTIVE = ("I am listening.", "Go on, I am listening.", "I hear you.")
ATTENTIVE_AFTER = "I hear you. You told me before that {clause}."
NO_MORE = "There is no more that I can say about it without a language model."
WRITTEN = "It is written of me: {quote}"
GUEST = "my guest"
DESCRIBED = "I am described as {quote}."
PLACE = "This is where we are: {quote}"

# ── how a message is understood: phrases between bars, compared by their stems ───────────────────


def _leads(text: str) -> tuple[str, ...]:
    return tuple(sorted((part.strip() for part in text.split("|")), key=len, reverse=True))


GREETINGS = phrases(
    "hello | hi | hey | hiya | howdy | greetings | good morning | good afternoon | good evening | good day | "
    "welcome back | im back | yo | sup"
)
FAREWELLS = phrases(
    "bye | goodbye | good bye | good night | goodnight | see you | see ya | farewell | take care | "
    "talk to you later | talk later | ttyl | i have to go | i must go | i need to go | gotta go | "
    "until next time | until tomorrow"
)
THANKS = phrases("thanks | thank you | thx | many thanks | cheers | much appreciated | i appreciate")
# What leads up to a statement; taken off its beginning as written, the longest first.
LEADS = _leads(
    "hello there | hi there | hey there | hello | hi | hey | hiya | howdy | well | oh | ah | um | hm | hmm | "
    "so | and | but | ok | okay | yes | yeah | yep | no | nope | nah | actually | anyway | also | btw | look | "
    "listen | sorry | please | right | sure | thanks | honestly | basically | anyways | good morning | "
    "good afternoon | good evening | by the way | just so you know | so you know | fun fact | for the record | "
    "to be honest | in fact | of course | thank you | guess what | remember that | remember this | remember | "
    "please remember that | please remember | don't forget that | don't forget | do not forget that | "
    "do not forget | keep in mind that | keep in mind | please note that | note that | you should know that | "
    "you should know | i want you to know that | i want you to know | i wanted to tell you that | "
    "i just wanted to say that | let me tell you that | let me tell you | did i tell you that | i think that | "
    "i told you that | as i said | like i said | as you know | i mean"
)
# What leads up to the real question; taken off its beginning, in any order.
ASKING_LEADS = phrases(
    "so | and | but | ok | okay | hey | hi | hello | well | oh | now | please | again | sorry | "
    "quick question | by the way | btw | just | then | do you remember | do you still remember | "
    "do you still know | do you recall | can you remember | can you recall | can you still remember | you remember | "
    "do you know | do you happen to know | do you happen to remember | you know | can you tell me | "
    "could you tell me | would you tell me | will you tell me | can you say | tell me | remind me | "
    "can you remind me | could you remind me | would you remind me | i wonder | i forgot | i forget | "
    "i have forgotten | i cant remember | i cannot remember | i dont remember | did i tell you | "
    "did i ever tell you | have i told you | have i ever told you | did i mention | have i mention | "
    "do you have any idea | any idea | let me know | i want to know | i would like to know | id like to know"
)
RECALLING = phrases("remember | recall | know | told | tell | mention | said | say | learn | learnt")
QUESTION_WORDS = frozenset("what who whom whose where when why how which".split())
HELPERS = stem_set(
    "do does did am is are was were can could will would should shall have has had may might must isnt arent dont "
    "doesnt didnt cant couldnt wont wouldnt havent hasnt"
)
SELF = stem_set("i im ive id ill my mine me myself")
YOU = stem_set("you your youre yours yourself youve youd youll u ur")
WE = stem_set("we us our weve")
# A question without any of these is in another language.
ENGLISH = stem_set(
    "what who where when why how which whose is are does did the my your you have has can could would tell i"
)
EPITHETS = frozenset("favorite favourite own new old best first last little big younger older".split())
SOMEBODY = frozenset("the he she it they this that there my".split())
LAST_TIME_CUES = phrases(
    "last time | last conversation | previous conversation | last talk | last chat | last session | "
    "previous session | "
    "earlier conversation | we talk | we talk about | we spoke | we speak | we discuss | we chat | we were talk | "
    "we been talk | leave off | left off | we left | our conversation | yesterday"
)
TOLD_CUES = phrases(
    "i tell you | i told you | i ever told you | i ever tell you | i say | i said | i mention | have i told | "
    "i been telling | do you know about | do you remember about | you know about | you remember about"
)
OVERVIEWS = phrases("about me | about myself | me | anything about me | everything about me")
LAST_TALKS = phrases("last conversation | last session | last talk | last chat | left off | leave off")
OPINIONS = phrases("what do you think | how do you feel about | do you think | do you like | do you love | do you want")
NATURES = phrases(
    "are you real | are you an ai | are you ai | are you a bot | are you a robot | are you human | "
    "are you a human | are you a person | are you a real | are you a machine | are you a computer | "
    "are you a language model | are you a program | are you an llm | are you chatgpt | what model are you | "
    "which model are you"
)
HOW_ARE_YOU = phrases(
    "how are you | how are thing | how do you do | how is it go | how are you do | how you do | what up | "
    "how is life | how have you been | how been | how it go"
)
INTRODUCTIONS = phrases(
    "who are you | who you are | what are you | your name | you call | about yourself | about you | "
    "introduce yourself | describe yourself | who r u | who am i talk to | who am i speak to | who is this | "
    "your story | your background"
)
CHARACTER_AGE = phrases("how old are you | your age | old you are")
AGE_WORDS = phrases("years old | aged | winters old")
CHARACTER_RACE = phrases("your race | your species | what race | what species | kind of creature | your people")
CHARACTER_PRONOUNS = phrases("your pronoun | what pronoun | your gender")
CHARACTER_MANNER = phrases("your person | you like as a person | are you like | your character | your temper")
CHARACTER_PLACE = phrases("where are we | what is happening | what happen here | what place is this | the scene")
CHARACTER_DWELLING = phrases(
    "do you live | are you live | your home | you live | do you reside | do you dwell | your house"
)
DWELLING_WORDS = phrases("live in | live on | live at | live near | live by | live under | reside | dwell | home")
# Whoever keeps, owns or sits in one of these lives there, as far as a card tells.
DWELLINGS = phrases(
    "lighthouse | inn | tavern | cottage | castle | tower | cabin | house | hut | farm | workshop | apartment | flat | "
    "palace | monastery | mansion | cave | village | island | houseboat | boat | ship | camp | temple | shop | "
    "bookshop | bakery | manor | mill | caravan | tent | harbour | harbor | forest | station"
)
CHARACTER_HOME = phrases(
    "where are you from | do you come from | do you live | are you live | your home | you were born | "
    "were you born | did you grow up | you are from | you live"
)
HOME_WORDS = phrases("from | born | live | home | hail | native | raised | grew up | dwell")
CHARACTER_WORK = phrases(
    "do you do for | your job | your work | your profession | do you work | what do you do | your trade"
)
WORK_WORDS = phrases(
    "work | job | profession | run | serves | captain | teacher | own | trade | career | employ | keeper"
)
CHARACTER_LOOKS = phrases("you look like | your hair | your eye | you wear | your appearance | how tall are you")
LOOKS_WORDS = phrases("hair | eye | tall | wear | look | dress | skin | face | clothes | beard | tattoo")
REQUESTS = frozenset(
    "write sing tell give show make draw help explain translate calculate compute solve play pretend imagine "
    "describe "
    "list suggest recommend summarise summarize create compose generate find search open send book order please let "
    "lets teach read continue repeat say stop start try come go do roll count recite invent".split()
)
ASKED_REQUESTS = phrases(
    "can you | could you | would you | will you | can we | could we | shall we | may you | are you able to | "
    "i need you to | i want you to | i would like you to | id like you to | help me"
)
SAD = frozenset(
    "sad unhappy tired exhausted lonely afraid scared anxious nervous worried upset angry furious depressed hurt "
    "sick "
    "ill stressed miserable awful terrible heartbroken frustrated overwhelmed bored disappointed ashamed guilty lost "
    "down blue grieving desperate annoyed unwell jealous".split()
)
HAPPY = frozenset(
    "happy glad excited thrilled delighted proud relieved grateful thankful cheerful content joyful ecstatic great "
    "wonderful fantastic fine good better well amazing hopeful relaxed calm pleased lucky blessed".split()
)
FEELING_LINKS = frozenset("am im feel feeling been felt m".split())
DEGREES = frozenset(
    "so very really a bit little quite rather just too pretty super still also feeling all extremely "
    "completely totally kind of truly today again".split()
)

# ── grammar ──────────────────────────────────────────────────────────────────────────────────────

ABBREVIATIONS = frozenset("mr mrs ms dr st prof sr jr vs etc e.g i.e no approx dept mt".split())
ADVERBS = frozenset(
    "also always never often usually sometimes still just now once recently currently really already only ever even "
    "soon later then mostly mainly rarely seldom almost probably maybe definitely actually formerly previously "
    "originally primarily generally regularly".split()
)
# Words that may begin a sentence with a capital without being names.
STARTERS = frozenset(
    "yesterday today tomorrow tonight last this the a an in on at when while because since after before every each "
    "if there it he she they his her their these those that some most many all both one two three next once as for "
    "with without during until lately recently sometimes usually often never always now then here by from to "
    "nobody everybody everyone someone something nothing everything".split()
)
# Base forms whose third person may follow "and": "User lives in Seattle and teaches", not "cats and dogs".
VERBS = frozenset(
    "accept ache add admire adore agree aim allow answer appreciate argue arrive ask attend avoid bake be become "
    "begin "
    "believe belong bike blog bring build buy call care carry celebrate change choose clean climb coach code collect "
    "come commute consider cook create cry cycle dance decide design despise discover dislike do draw dream drink "
    "drive earn eat enjoy exercise expect explore face fear feel find finish fish fix fly follow forget garden get "
    "give go grow guide handle hate have hear help hike hold hope hunt identify intend invest join keep know lead "
    "learn leave like listen live long look lose love maintain make manage mean meet mentor mind miss move need "
    "notice offer open organize own paint pay plan play practice practise prefer prepare produce program promise "
    "raise read recall receive recommend regret rehearse remember rent repair research ride rise run sail save say "
    "see seek seem sell serve share shoot show sing sit skate sketch ski sleep smoke speak spend stand start stay "
    "stop struggle study suffer support surf swim take talk teach tell tend think train translate travel treat trust "
    "try tutor understand use visit volunteer wait wake walk want wash watch wear win wish wonder work worry "
    "write".split()
)
IRREGULAR = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "isn't": "aren't",
    "wasn't": "weren't",
    "hasn't": "haven't",
    "doesn't": "don't",
    "dies": "die",
    "lies": "lie",
    "ties": "tie",
    "aches": "ache",
    "uses": "use",
}
PLURAL_PEOPLE = frozenset(
    "parents friends children kids sons daughters brothers sisters siblings grandparents neighbours neighbors "
    "colleagues students cats dogs people twins cousins".split()
)
NATIONALITIES = frozenset(
    "american british english german french italian spanish dutch norwegian swedish danish finnish polish russian "
    "ukrainian chinese japanese korean indian pakistani mexican canadian australian irish scottish welsh greek "
    "turkish portuguese brazilian argentinian egyptian nigerian kenyan swiss austrian belgian czech hungarian "
    "vietnamese thai filipino indonesian muslim christian jewish catholic protestant buddhist hindu european african "
    "asian latino hispanic republican democrat aries taurus gemini cancer leo virgo libra scorpio sagittarius "
    "capricorn aquarius pisces".split()
)
NUMBER_WORDS = frozenset(
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty "
    "seventy eighty ninety".split()
)
MEASURES = stem_set(
    "minute hour day week month km kilometer mile kilo kg pound percent am pm feet foot cm meter metre dollar "
    "euro time "
    "cat dog kid child children sister brother second step euros"
)
MONTHS = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul "
    "aug sep sept oct nov dec".split()
)
PLACE_PREPOSITIONS = frozenset("in near outside around at".split())
# A clause with one of these near its beginning says what is not so.
DENIALS = stem_set("not dont doesnt didnt isnt arent never no cant cannot wont neither")
SETTLED_NO_MORE = phrases(
    "use to | no longer | anymore | any more | formerly | previous | at the time | back then | want to | "
    "would like to | id like to | wish | dream of | might | would love | if i | almost | when i was | "
    "as a child | as a kid"
)

# ── meaning ──────────────────────────────────────────────────────────────────────────────────────

# What a question may mean by a word (stems); a question after a sister is not answered by a brother.
_MEANT = {
    "sibling": "sister brother twin",
    "parent": "mother father mom mum dad mama papa",
    "mother": "mom mum mama",
    "mom": "mother mum",
    "mum": "mother mom",
    "father": "dad papa",
    "dad": "father papa",
    "kid": "son daughter child children baby toddler",
    "child": "son daughter kid children baby toddler",
    "children": "son daughter kid child baby toddler",
    "partner": "husband wife boyfriend girlfriend fiance spouse married",
    "spouse": "husband wife partner married",
    "married": "husband wife spouse",
    "wife": "married",
    "husband": "married",
    "family": "sister brother mother father mom mum dad son daughter husband wife parent cousin uncle aunt "
    "grandmother "
    "grandfather",
    "relative": "sister brother mother father cousin uncle aunt",
    "pet": "dog cat rabbit hamster parrot horse puppy kitten bird turtle snake goldfish",
    "animal": "dog cat rabbit hamster parrot horse puppy kitten bird turtle snake goldfish",
    "dog": "puppy",
    "cat": "kitten",
    "color": "colour",
    "colour": "color",
    "movie": "film",
    "film": "movie",
    "drink": "coffee tea beer wine water juice",
    "food": "pizza pasta sushi cook eat dish cuisine vegetarian vegan",
    "eat": "food pizza pasta sushi vegetarian vegan",
    "diet": "vegetarian vegan eat",
    "sport": "football soccer tennis basketball run swim climb ski hike cycling box yoga rugby hockey volleyball "
    "badminton",
    "instrument": "guitar piano violin drum flute cello trumpet saxophone",
    "music": "guitar piano violin jazz rock band song",
    "car": "vehicle drive",
    "vehicle": "car truck bike motorbike",
    "boss": "manager supervisor",
    "exam": "test",
    "test": "exam",
    "appointment": "dentist doctor meet",
    "holiday": "vacation trip",
    "vacation": "holiday trip",
    "travel": "trip visit journey holiday vacation fly abroad",
    "teach": "teacher",
    "drive": "driver",
    "write": "writer author",
    "paint": "painter",
    "cook": "chef",
    "trip": "travel holiday vacation journey fli",
    "band": "group",
    "kitty": "cat",
    "medicine": "pill tablet medication",
}
MEANS = {stem: stem_set(means) for word, means in _MEANT.items() for stem in stem_set(word)}
# Too wide to list what they may mean: for these, whatever is liked or feared may be the answer.
WIDE = stem_set("food eat meal dish vegetable fruit thing stuff activity music sport drink animal book movie film game")
# Words of a question that say nothing about what is asked for.
FILLERS = stem_set(
    "know remember recall tell told said say mention again please exactly really actually kind type sort thing "
    "something anything everything current now today day right still ever yet too have has had got get own much many "
    "person people usually often about any some call your you me i my mine myself im ive id ill what whats who whom "
    "whose where when why how which do does did am is are was were can could will would should the a an of to in on at "
    "for with from by and or but so be been it that this these those all always whole every lately nowadays there we "
    "us our just already happen idea bit okay ok hey one guess make go ago different only hers his her he she they "
    "them their as if then than not no yes earlier before time last"
)
