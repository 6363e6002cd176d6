"""Words that mean nearly the same, for whoever compares a fact with what was said. Data, and one question: `means`.

`means(wanted, said)` is whether a word of a fact is borne out by a word that was said: the same stem, another
form of it (teach, teacher), another spelling (whisky, whiskey), or a word that implies it (husband: married).
Implying goes one way: a husband makes "married" true, but being married makes no husband.
"""

from functools import lru_cache

from everlore.domain.words import terms_of

_LEMMAS = {
    "am": "be", "is": "be", "are": "be", "was": "be", "were": "be", "been": "be", "being": "be", "has": "have",
    "had": "have", "'ve": "have", "got": "get", "gotten": "get", "went": "go", "gone": "go", "taught": "teach",
    "bought": "buy", "drove": "drive", "driven": "drive", "spoke": "speak", "spoken": "speak", "wrote": "write",
    "written": "write", "grew": "grow", "grown": "grow", "met": "meet", "made": "make", "sang": "sing", "sung": "sing",
    "swam": "swim", "ate": "eat", "eaten": "eat", "drank": "drink", "rode": "ride", "ridden": "ride", "flew": "fly",
    "flown": "fly", "took": "take", "taken": "take", "began": "begin", "begun": "begin", "became": "become",
    "built": "build", "sold": "sell", "knew": "know", "known": "know", "thought": "think", "felt": "feel",
    "left": "leave", "lost": "lose", "won": "win", "broke": "break", "broken": "break", "fell": "fall",
    "found": "find", "gave": "give", "given": "give", "ran": "run", "saw": "see", "seen": "see", "did": "do",
    "done": "do", "sent": "send", "spent": "spend", "kept": "keep", "slept": "sleep", "told": "tell", "said": "say",
    "paid": "pay", "held": "hold", "heard": "hear", "learnt": "learn", "came": "come", "chose": "choose",
    "drew": "draw", "drawn": "draw", "forgot": "forget", "hid": "hide", "led": "lead", "lent": "lend", "rose": "rise",
    "sat": "sit", "stood": "stand", "stole": "steal", "threw": "throw", "understood": "understand", "woke": "wake",
    "wore": "wear", "worn": "wear", "brought": "bring", "caught": "catch", "dreamt": "dream", "fought": "fight",
    "hung": "hang", "quit": "quit", "read": "read", "children": "child", "kids": "child", "kid": "child",
    "wives": "wife", "lives": "live", "living": "live", "people": "person", "men": "man", "women": "woman",
    "teeth": "tooth", "feet": "foot", "mice": "mouse", "knives": "knife", "mum": "mom", "mommy": "mom",
    "mummy": "mom", "daddy": "dad", "programme": "program", "colour": "color", "favourite": "favorite",
    "grey": "gray", "theatre": "theater", "centre": "center", "tyre": "tire",
    "jewellery": "jewelry", "tv": "television",
}  # fmt: skip

PAST_FORMS = frozenset(
    word
    for word, lemma in _LEMMAS.items()
    if word != lemma
    and lemma not in {"be", "child", "wife", "person", "man", "woman", "tooth", "foot", "mouse", "knife"}
) - frozenset(
    "lives living mum mommy mummy daddy programme colour favourite grey theatre centre tyre jewellery tv has".split()
)

# What is claimed : any of what, said, bears it out.
_IMPLIED = """
live reside residence : live reside base home move relocate settle apartment flat house rent neighborhood
move relocate : move relocate
work job employ employment career profession occupation : work job employ hire career profession occupation office \
    shift coworker colleague boss company firm startup freelance teach
study student : study student major degree university college school class course phd semester exam
learn : learn study practice lesson class course
speak language fluent bilingual : speak fluent language bilingual native tongue
marry spouse : marry wife husband spouse wedding wed
wife husband : wife husband spouse
spouse partner : wife husband spouse partner boyfriend girlfriend fiance fiancee
child parent : child son daughter baby toddler
sibling : brother sister sibling twin
family relative : family wife husband son daughter child brother sister mother father mom dad parent cousin aunt uncle
mother : mom mother
mom : mom mother
father : dad father
dad : dad father
parent : parent mom dad mother father
grandparent : grandma grandpa grandmother grandfather
pet animal : pet dog cat puppy kitten hamster rabbit parrot fish bird horse snake lizard turtle guinea ferret
dog : dog puppy pup doggo hound terrier retriever poodle shepherd
cat : cat kitten kitty tabby
friend : friend buddy pal bestie mate
boss manager supervisor : boss manager supervisor
coworker colleague : coworker colleague
visit travel trip vacation holiday tour : visit travel trip vacation holiday tour fly backpack back return
visit : go
graduate : graduate degree diploma
university college uni : university college uni campus
program code coding developer programmer programming software : program code coding develop developer programmer \
    software dev
movie film cinema : movie film cinema
show series television : show series television
music musician : music musician song band album concert playlist instrument guitar piano violin drum
photo photography photographer photograph picture : photo picture photograph camera
cook cooking bake : cook bake kitchen recipe
food meal cuisine dish : food meal dish cuisine
exercise fitness gym workout : exercise gym workout lift train
run jog runner : run jog marathon
read reader book novel : read book novel
game gaming gamer : game videogame gaming
bike cycle bicycle cyclist : bike cycle bicycle
hike hiker trek : hike trek trail
doctor physician : doctor physician
lawyer attorney : lawyer attorney
house home apartment flat : house home apartment flat
big large : big large huge
tall height : tall height feet foot ft cm
small little : small little tiny
ill sick disease illness condition : ill sick disease diagnose
allergic allergy : allergic allergy
afraid fear scared phobia : afraid scared fear phobia terrified frightened
experience experienced expert skilled proficient : year decade experience expert skilled professional good great
skill : skill good great talent
birthday born birth : birthday born birth
begin start : begin start
finish complete : finish complete
buy purchase : buy purchase
weekend : weekend saturday sunday
retire : retire retirement pension
divorce : divorce ex
engage fiance fiancee : engage fiance fiancee propose
car vehicle drive driver : car drive vehicle
coffee : coffee espresso latte cappuccino
vegetable veggie : vegetable veggie
win prize award : win prize award trophy
hobby activity pastime : hobby
tired exhausted : tired exhausted
happy glad : happy glad
vacation holiday : vacation holiday
alone single : alone single
opinion believe value : think believe opinion
"""

_ENDINGS = frozenset(
    "s es er or r ist ian an ing ed d y ic al ment ation ition ion tion graphy grapher graph ship ness ful ous ive i e "
    "o a ier ologist ology ly mer ner ter per ger ber der aphi graphi photograph c tist".split()
)
_LEAST_PREFIX = 4
_LEAST_VARIANT = 6


@lru_cache(maxsize=20_000)
def stem_of(word: str) -> str:
    """The stem of one word in small letters: taught and teaching are both teach."""
    low = word.lower()
    found = terms_of(_LEMMAS.get(low, low))
    return found[0] if found else low


def stems_of(text: str) -> frozenset[str]:
    return frozenset(stem_of(word) for word in text.split())


def _read_implied() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for line in _IMPLIED.strip().splitlines():
        claimed, _, said = line.partition(":")
        for stem in stems_of(claimed):
            table[stem] = table.get(stem, frozenset()) | stems_of(said)
    return table


IMPLIED_BY = _read_implied()


def means(wanted: str, said: str) -> bool:
    """Both are stems, and they are not the same one."""
    return said in IMPLIED_BY.get(wanted, ()) or _is_form_of(wanted, said) or _is_spelling_of(wanted, said)


@lru_cache(maxsize=20_000)
def _is_form_of(one: str, other: str) -> bool:
    """teach, teacher; photo, photography; allergy, allergic: the same beginning with different endings."""
    shared = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        shared += 1
    ends = {one[shared:], other[shared:]} - {""}
    # Of short words only an ending of some length tells a form (art, artist) from another word (car, care).
    if shared < _LEAST_PREFIX and (shared < 3 or any(len(end) < 2 for end in ends)):
        return False
    return bool(ends) and ends <= _ENDINGS


@lru_cache(maxsize=20_000)
def _is_spelling_of(one: str, other: str) -> bool:
    """whisky and whiskey, organise and organize: long words that differ in a letter which spellings differ in."""
    short, long = sorted((one.replace("y", "i"), other.replace("y", "i")), key=len)
    if len(short) < _LEAST_VARIANT or len(long) - len(short) > 1 or short[:3] != long[:3]:
        return False
    at = next((place for place, sign in enumerate(short) if long[place] != sign), len(short))
    if short[at:] == long[at + 1 :]:
        return long[at] in "aeiou" or long[at] == long[at - 1]
    return short[at + 1 :] == long[at + 1 :] and {short[at], long[at]} in ({"s", "z"}, {"c", "k"}, {"e", "a"})


# ── the closed classes that a comparison looks through ───────────────────────────────────────────

LIKING = stems_of(
    "like love enjoy prefer adore appreciate favorite fan fond passionate passion interested interest keen obsessed "
    "fascinated sucker enthusiast enthusiastic nerd geek buff addict lover cherish relish dig admire hobby"
)
PRAISING = stems_of(
    "beautiful great amazing awesome wonderful lovely fantastic delicious yummy gorgeous excellent perfect cool nice "
    "fun best good better excited thrilled brilliant stunning incredible pretty cute tasty relaxing soothing superb"
)
DISLIKING = stems_of("hate dislike despise loathe detest abhor avoid")
BLAMING = stems_of(
    "awful terrible horrible disgusting gross boring worst bad ugly overrated annoying dreadful nasty hateful"
)
# Said of a fact as a frame around it; they carry nothing of their own.
FRAMES = stems_of(
    "user name named be have do get a an the and or of in at on to for with from by about as into over under than "
    "that this these those it its their theirs they them he him his she her hers own also very really quite much many "
    "lot lots some any more most such like love enjoy prefer adore appreciate favorite fan fond passionate interested "
    "interest keen hate dislike despise loathe detest want wants plan plans planning hope hopes wish intend aim "
    "aspire dream would will can could should may might used use currently now called call go goes going been who "
    "whom whose which when where while because not no never longer any-more there here both other another each every "
    "within without between year years old age aged find finds consider sort type thing things person someone "
    "something themselves themself himself herself time especially particularly having doing does did just still "
    "already since during has"
)
KINDS = stems_of(
    "programming language music band game movie film show book series team city country cuisine food sport company "
    "university brand region town state car album song novel genre culture"
)
PEOPLE = frozenset(
    "mother mom mum mam mummy mommy father dad daddy parent parents brother brothers sister sisters sibling siblings "
    "son sons daughter daughters child children kid kids baby wife husband spouse partner boyfriend girlfriend fiance "
    "fiancee fiancé fiancée ex grandmother grandma granny nana grandfather grandpa granddad grandparents grandson "
    "granddaughter aunt uncle cousin cousins nephew niece stepmother stepfather stepmom stepdad stepbrother stepsister "
    "friend friends bestie buddy mate roommate roommates flatmate neighbor neighbour neighbors boss manager supervisor "
    "coworker coworkers colleague colleagues teacher professor mentor coach doctor therapist landlord twin twins "
    "family folks in-laws mother-in-law father-in-law brother-in-law sister-in-law dog dogs puppy cat cats kitten pet "
    "pets horse rabbit hamster parrot bird fish student students team".split()
)
HAVING = frozenset(
    "have has had 've get got gotten own owns owned my our adopt adopted adopting buy bought rescue rescued inherited "
    "raise raised raising keep kept welcomed diagnosed suffer suffers expecting received acquired".split()
)
WISHES = frozenset(
    "want wants wanted wanna hope hopes hoping hoped plan plans planning planned wish wishes dream dreams dreaming "
    "would will 'll 'd might maybe perhaps possibly considering consider considers thinking intend intends intending "
    "aim aims aiming aspire aspires goal goals someday going need needs should must could shall aspiration "
    "aspirations ambition ambitions looking".split()
)
# Under way: so far both done and wished for.
STRIVING = stems_of("train learn study practice prepare try apply pursue")
ENDED = frozenset("formerly former previously quit left died passed".split())
LONG_AGO = frozenset("ago once childhood growing kid child younger young back decades".split())
# What makes an end of it, where nothing else says that it is over.
UNDONE_BY = {stem_of("married"): stems_of("divorce separated widow widower widowed ex")}
# Events that leave something which is so ever since: who moved somewhere lives there.
LASTING = stems_of("move adopt buy marry start join become get turn found settle relocate retire graduate divorce born")
HABITS = frozenset(
    "every often always usually times daily weekly weekend weekends regularly spend spending spent each hobby mornings "
    "evenings sundays saturdays fridays collect play played playing whenever constantly lot tons".split()
)
SELVES = frozenset({"i", "me", "my", "mine", "we", "our", "us", "ours", "myself"})
BACKWARD = frozenset(
    "she he they her him them his their it its there this that these those here one ones both mine".split()
)
BEING = frozenset(
    "am is are was were be been being became become becoming feel feeling felt get got getting went gone turned turn "
    "stay stayed remain remained as myself 'm 's 're".split()
)

# The commonest small words of languages that share our letters, without those that are English words too.
FOREIGN = frozenset(
    "ich bin und der das ist mein meine nicht ein eine habe wir mag gerne auch wohne heiße heisse mich mir aus sehr zu "
    "im mit seit hab wird noch bei zum zur weil dass aber arbeite "
    "je suis est le les mon ma mes et une j'ai j'habite j'aime pas nous avec dans ne que qui très du au chez depuis "
    "yo soy es mi el los y una tengo gusta vivo llamo muy con por para tengo años mis en pero porque desde trabajo "
    "sono il mio mia che ho abito piace mi chiamo anni gli della per non di da lavoro "
    "eu sou minha meu não tenho moro gosto uma com muito anos os na em mas trabalho "
    "ik ben mijn het een niet woon hou heb van ook maar met voor werk bij jag är och min mitt inte bor heter jeg og "
    "ikke hedder mam jestem się nie mój moja mieszkam".split()
)
# None that other languages have, too.
ENGLISH = frozenset(
    "i my the and are that it for with have has you your this not our but at did been they she her from by if when "
    "what how of".split()
)
