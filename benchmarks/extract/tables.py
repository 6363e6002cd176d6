"""The words that the matching rule knows: which verbs say the same, which nouns name a person or an animal,
which words carry no value. Data only; `matching.py` uses it, and docs/extraction-bench.md shows it.
"""

# Written in many ways, counted as one word. Looked up before stemming.
SAME_WORDS: dict[str, str] = {
    word: first
    for first, others in {
        "mother": "mum mom mama mummy mommy ma mam mumsy",
        "father": "dad daddy papa pa pops",
        "parents": "folks",
        "grandmother": "grandma gran nan nana nanna granny nonna abuela oma",
        "grandfather": "grandpa granddad grandad gramps nonno abuelo opa",
        "stepmother": "stepmum stepmom",
        "stepfather": "stepdad",
        "aunt": "auntie aunty",
        "sister": "sis",
        "brother": "bro",
        "girlfriend": "gf",
        "boyfriend": "bf",
        "husband": "hubby",
        "wife": "missus wifey",
        "son": "lad",
        "child": "kid kids children kiddo kiddos",
        "baby": "newborn infant",
        "friend": "mate buddy pal bestie bff",
        "colleague": "coworker workmate",
        "roommate": "flatmate housemate",
        "boss": "manager",
        "dog": "puppy pup puppies doggo doggy pooch mutt",
        "cat": "kitten kitty moggy",
        "rabbit": "bunny bunnies",
        "chicken": "hen",
        "people": "persons",
        "favorite": "favourite fave fav",
        "color": "colour",
        "license": "licence",
        "center": "centre",
        "theater": "theatre",
        "practice": "practise practises practised practising practices",
        "celiac": "coeliac",
        "gray": "grey",
        "neighbor": "neighbour",
        "allergic": "allergy allergies",
        "university": "uni",
        "math": "maths mathematics",
        "department": "dept",
        "college": "collage",
        "school": "schools",
        "hour": "hr hrs",
        "year": "yr yrs",
        "month": "mth mths",
        "week": "wk wks",
        "minute": "min mins",
        "kilogram": "kg kilo kilos kgs kilograms",
        "eldest": "oldest",
        "film": "movie movies films",
        "apartment": "flat flats apt apts",
        "tv": "telly television",
        "bike": "bicycle",
        "motorbike": "motorcycle",
        "holiday": "vacation",
        "vegetarian": "veggie",
        "pound": "quid",
        "dollar": "bucks",
        "christmas": "xmas",
        "january": "jan",
        "february": "feb",
        "march": "mar",
        "april": "apr",
        "june": "jun",
        "july": "jul",
        "august": "aug",
        "september": "sept sep",
        "october": "oct",
        "november": "nov",
        "december": "dec",
        "monday": "mon mondays",
        "tuesday": "tue tues tuesdays",
        "thursday": "thu thurs thursdays",
        "friday": "fri fridays",
        "sunday": "sun sundays",
        "alcohol": "booze",
        "developer": "dev devs",
        "photographer": "photography",
        "boy": "boys",
    }.items()
    for word in others.split()
}
NUMBERS: dict[str, str] = {
    word: str(value)
    for value, words in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
    for word in (words,)
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90"}
NUMBERS |= {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "twice": "2", "both": "2"}

# Persons and animals: a fact about them has them as its subject, not the user.
RELATIONS = frozenset(
    "mother father parent parents sister brother sibling siblings twin son sons daughter daughters child baby boy girl "
    "grandmother grandfather grandparent grandparents grandson granddaughter grandchild aunt uncle cousin niece nephew "
    "husband wife spouse partner ex ex-wife ex-husband fiancé fiancée fiance fiancee girlfriend boyfriend family "
    "in-laws mother-in-law father-in-law sister-in-law brother-in-law daughter-in-law son-in-law stepmother stepfather "
    "stepson stepdaughter stepbrother stepsister godson goddaughter godmother godfather eldest youngest teenager "
    "toddler friend friends colleague colleagues boss roommate neighbor landlord landlady teacher doctor therapist "
    "client student employee employees apprentice business-partner dog dogs cat cats tomcat rabbit hamster horse "
    "parrot budgie canary bird fish tortoise turtle chicken duck snake lizard gecko pony donkey goat pig "
    "sheep cow ferret gerbil guinea-pig puppy kitten greyhound whippet lurcher labrador poodle terrier spaniel "
    "retriever husky corgi beagle collie dachshund pug bulldog rottweiler chihuahua dalmatian schnauzer pet".split()
)
# A vaguer word for the subject still says the truth: "User's child" for what is known of the daughter.
VAGUER: dict[str, frozenset[str]] = {
    "child": frozenset("son daughter baby boy girl eldest youngest teenager toddler stepson stepdaughter".split()),
    "baby": frozenset("son daughter child".split()),
    "spouse": frozenset("husband wife".split()),
    "partner": frozenset("husband wife spouse girlfriend boyfriend fiancé fiancée fiance fiancee".split()),
    "parent": frozenset("mother father".split()),
    "grandparent": frozenset("grandmother grandfather".split()),
    "grandchild": frozenset("grandson granddaughter".split()),
    "sibling": frozenset("brother sister twin".split()),
    "dog": frozenset(
        "greyhound whippet lurcher labrador poodle terrier spaniel retriever husky corgi beagle collie dachshund pug "
        "bulldog rottweiler chihuahua dalmatian schnauzer".split()
    ),
    "cat": frozenset(("tomcat",)),
    "bird": frozenset("parrot budgie canary chicken duck".split()),
    "pet": frozenset(
        "dog cat rabbit hamster horse parrot budgie canary bird fish tortoise turtle chicken snake lizard gecko ferret "
        "gerbil guinea-pig".split()
    ),
    "friend": frozenset(("roommate",)),
}
# Of these the closer word says the truth too, whoever is meant.
KINDS = frozenset("dog cat bird pet".split())
# What the user is called is said of the user, as everything else that the user has.
NAME_NOUNS = frozenset("name nickname surname".split())

# Verbs and nouns that frame a value, by what they say. The words of one line are equal.
FRAMES: dict[str, str] = {
    word: frame
    for frame, words in {
        "be": "is are am was were be been being becomes become became",
        "have": "has have had having own owns owned owning got gets get possesses possess suffer suffers suffering",
        "like": "like likes liked liking love loves loved loving enjoy enjoys enjoyed enjoying adore adores adored fan "
        "fond favorite prefer prefers preferred preferring keen sucker obsessed go-to passionate interested "
        "supports supporter supporting "
        "dislike dislikes disliked hate hates hated hating detest detests loathe loathes despise despises",
        "live": "live lives lived living reside resides resided residing based",
        "work": "work works worked working job employed employment",
        "name": "named called name nickname surname goes-by known-as",
        "die": "die died dead dies deceased passed-away",
        "raise": "raised grew-up grow-up grown-up",
        "speak": "speak speaks spoke speaking fluent",
        "study": "study studies studied studying degree major majoring majored",
        "visit": "visit visits visited visiting travelled traveled travel travels",
        "learn": "learn learns learned learnt learning",
        "play": "play plays played playing player",
        "fear": "fear fears feared fearing afraid scared frightened terrified phobia",
    }.items()
    for word in words.split()
}
WEAK_FRAMES = frozenset({"be", "have"})
DISLIKES = frozenset(
    "dislike dislikes disliked hate hates hated hating detest detests loathe loathes despise despises".split()
)

# More than one word, and the one that it counts as. Applied in this order to the words of a sentence.
PHRASES: tuple[tuple[str, str], ...] = (
    ("they them", "theythem"),
    ("she her", "sheher"),
    ("he him", "hehim"),
    ("is dead", "died"),
    ("cancer free", "cancerfree"),
    ("wants to be called", "is called"),
    ("would like to be called", "is called"),
    ("prefers to be called", "is called"),
    ("would like to", "wants to"),
    ("would love to", "wants to"),
    ("no longer", "used-to"),
    ("used to be able to", "used-to"),
    ("used to", "used-to"),
    ("is into", "is fond"),
    ("are into", "are fond"),
    ("is mad about", "is fond"),
    ("is crazy about", "is fond"),
    ("moved away from", "moved-from"),
    ("moved from", "moved-from"),
    ("moved here from", "moved-from"),
    ("grew up", "grew-up"),
    ("grow up", "grow-up"),
    ("grown up", "grown-up"),
    ("passed away", "passed-away"),
    ("goes by", "goes-by"),
    ("known as", "known-as"),
    ("can not stand", "dislikes"),
    ("can not bear", "dislikes"),
    ("does not care for", "dislikes"),
    ("work as", "be"),
    ("works as", "is"),
    ("worked as", "was"),
    ("working as", "being"),
    ("has a job as", "is"),
    ("has been to", "has visited"),
    ("have been to", "have visited"),
    ("went to", "visited"),
    ("has been diagnosed with", "has"),
    ("was diagnosed with", "has"),
    ("got diagnosed with", "has"),
    ("knows how to", "can"),
    ("know how to", "can"),
    ("is able to", "can"),
    ("is pregnant", "is expecting"),
    ("expecting a baby", "expecting"),
    ("expecting a child", "expecting"),
    ("split up with", "broke up with"),
    ("other half", "partner"),
    ("better half", "partner"),
    ("significant other", "partner"),
    ("little one", "child"),
    ("years old", ""),
    ("year old", ""),
    ("quit", "stopped"),
    ("gave up", "stopped"),
    ("given up", "stopped"),
    ("real life", "irl"),
    ("best friend", "friend"),
    ("business partner", "business-partner"),
    ("mother in law", "mother-in-law"),
    ("father in law", "father-in-law"),
    ("sister in law", "sister-in-law"),
    ("brother in law", "brother-in-law"),
    ("daughter in law", "daughter-in-law"),
    ("son in law", "son-in-law"),
    ("in laws", "in-laws"),
    ("guinea pig", "guinea-pig"),
    ("guinea pigs", "guinea-pig"),
    ("ex wife", "ex-wife"),
    ("ex husband", "ex-husband"),
    ("high school", "highschool"),
    ("hs", "highschool"),
)

# What says when or whether, and carries no value of its own.
WISHES = frozenset(
    "want wants wanted hope hopes hoped hoping plan plans planned planning intend intends intending wish wishes dream "
    "dreams dreaming aim aims aiming will would wil might may could should must need needs considering thinking "
    "saving trying tries goal aspires".split()
)
PAST_FORMS = frozenset(
    "was were had did went grew left lost met broke ran won wrote taught sold bought got became made took saw found "
    "began fell drove ate built chose came felt flew gave kept knew rode said sang slept spoke spent stood swam "
    "thought wore quit split grew-up passed-away used-to moved-from formerly previously cut put led held "
    "heard told brought caught sent shut burnt".split()
)
PARTICIPLES = PAST_FORMS | frozenset(
    "been gone done seen written known given taken broken driven eaten fallen flown grown ridden run spoken sung swum "
    "worn become begun chosen drawn drunk forgotten gotten hidden shown stolen had come".split()
)
NEGATIONS = frozenset("not never no none neither nor without nobody nothing".split())
# What is over, whatever the tense of the verb beside it.
OVER = frozenset("used-to formerly previously anymore stopped".split())
ADVERBS = frozenset(
    "also currently now just really still always recently once already often usually probably originally previously "
    "formerly mostly very quite rather mainly sometimes generally typically both actually finally even only".split()
)
AUXILIARIES = frozenset("do does did can cannot has have had is are am was were be been being will would".split())
# Words without a value. Prepositions are among them: the frame and the value words tell enough.
EMPTY = frozenset(
    "a an the this that these those some any their his her its my our your them they he she it him user i me we us "
    "themselves himself herself of in on at to for from with by as about into over up out off than then so too and or "
    "but if because since until till during while after before when where who whom which whose there here one's s "
    "around near between through per each every ago there's self own will very much many lot lots bit kind sort "
    "someone something thing things anything everything well more most really just also currently now still "
    "always recently once already often usually probably originally mostly quite rather mainly sometimes generally "
    "actually finally even only like-that used-to stopped anymore mr mrs ms miss dr identifies considers consider "
    "finds find feels feel thinks think believes believe says said states stated likely possibly perhaps maybe".split()
)

# What happens in the talk is no fact, whatever was said; and whoever speaks of "my" speaks for somebody.
SAYING = frozenset(
    "said says asked asks mentioned mentions told tells greeted thanked requested responded replied "
    "stated states expressed".split()
)
FIRST_PERSON = frozenset("i my me im i'm i've i'd i'll ive mine".split())
