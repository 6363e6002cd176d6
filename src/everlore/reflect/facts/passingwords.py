"""Word lists for what is over by tomorrow, and for what only looks like it. Data; `passing.py` reads them."""

from everlore.reflect.facts.vocabulary import LASTING, stem_of

HABITUAL = frozenset(
    "every always usually often since years months decades each whenever regularly daily weekly nightly lifelong "
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays mornings evenings weekends nights constantly "
    "permanently chronically generally normally typically".split()
)
INTENSE = frozenset(
    "so very really quite pretty rather too just still a bit little absolutely totally completely super extremely "
    "feeling literally basically currently only also already honestly probably somewhat slightly not all now".split()
)
BEING = frozenset("is are was were am be been feels felt feel feeling seems looks".split())
# Somebody's nature, unless a time is named with it.
NATURES = frozenset(
    "patient impatient calm sensitive emotional optimistic pessimistic honest serious moody grumpy restless confident "
    "sentimental jealous lucky enthusiastic skeptical sceptical hyper weird chill relaxed vulnerable free broke high "
    "addicted hooked fascinated captivated intrigued reading listening watching loving enjoying hoping thinking going "
    "strange odd perfect amazing blessed fortunate different depressed home homesick cool".split()
)
OF_OTHERS = frozenset("dead gone ill sick unwell poorly alone away lonely proud well better safe lost moved".split())
MAY_HOLD = frozenset(
    "afraid scared interested good bad great terrible awful keen sensitive hopeless useless mad rubbish terrified "
    "grateful thankful fine able unable best better allowed certain".split()
)
HOLDING = frozenset("of at to in on about with by for before after until without enough".split())
NOWS = (
    ("right", "now"), ("at", "the", "moment"), ("today",), ("tonight",), ("this", "morning"), ("this", "evening"),
    ("this", "afternoon"), ("this", "minute"), ("this", "second"), ("just", "now"), ("rn",), ("atm",),
    ("for", "a", "sec"), ("for", "a", "minute"), ("in", "a", "sec"), ("in", "a", "minute"), ("in", "a", "moment"),
    ("all", "day"), ("all", "morning"), ("till", "payday"), ("until", "payday"), ("again", "so"),
)  # fmt: skip
AT_THE_MOMENT = frozenset(
    "sit stand lie wait eat drink cook wear watch listen head walk type text call hold stare freeze starve shake cry "
    "laugh sweat bleed die kid joke chill relax rest scroll shop clean wash fold iron pack sleep nap wake yawn sneeze "
    "cough reply talk chat ask wonder guess hurt ache burn boil hide shiver tremble panic scream yell smile sigh "
    "stand-by hang sip munch snack nibble charge queue vibe zone stall struggle-with message speak drown "
    "crawl melt".split()
)
DOING = {
    "make": "dinner lunch breakfast tea coffee toast food soup pasta pancakes cookies cake sandwich supper snack sure",
    "have": "dinner lunch breakfast day time fun trouble coffee tea drink beer moment break nap shower bath",
    "go": "home out bed sleep crazy mad insane store shop gym back nuts bananas now away upstairs downstairs",
    "take": "nap break shower bath bus off it pill minute",
    "get": "ready hungry tired cold dressed late bored up there out sleepy sick hot angry annoyed nowhere",
    "lose": "mind patience it",
    "put": "heating kettle shoes coat tv telly music",
    "run": "late out",
    "do": "laundry dishes fine well good ok okay homework great alright chores nothing",
    "drive": "crazy mad insane home",
    "come": "home back",
    "fall": "asleep",
    "look": "at",
}
HAD = frozenset(
    "question questions idea ideas clue feeling point minute minutes moment second seconds sec hour hours headache "
    "cold fever cough hangover flu doubt doubts chance choice option trouble fun blast laugh look guess hunch thought "
    "thoughts suggestion request favor favour bit nap shower bath break bug error errors exception dilemma time fish "
    "urge craving patience energy hiccups ache stomachache update luck day night morning blanket cramp cramps "
    "lot go".split()
)
HAD_THEN = frozenset("day night time week weekend morning evening blast laugh nap dream breakfast lunch dinner".split())
NEEDED = frozenset(
    "nap drink break minute moment help hug coffee sleep rest hand shower lie-down advice favour favor snack beer wine "
    "breather recipe answer".split()
)
WANTED = frozenset("sleep eat rest nap cry scream die pee think talk vent scratch puke".split())
RESUMED = frozenset("start continue try begin end stop skip change talk hear chat restart resume redo know ask".split())
DEEDS = frozenset(
    "wake spill trip sneeze yawn oversleep stub sigh nod shrug smile blink wink giggle chuckle blush gasp guess mean "
    "wonder agree disagree promise apologise apologize beg bet suppose assume mind sit scroll glance stare scream "
    "shout yell roll burn burnt cry smell".split()
)
SAID_SO = frozenset("say said mean meant mind bother bothered wait believe find sleep talk complain".split())
MISLAID = frozenset("keys phone wallet glasses remote charger purse bag shoes passport password".split())
MEALS = frozenset("breakfast lunch dinner coffee supper food water sleep anything".split())
TASK = frozenset(
    "code function script program query loop class method variable array string file files folder paragraph sentence "
    "text email draft message question answer point guess homework assignment spreadsheet dataset prompt input output "
    "result error test tests build server database browser screen wifi internet connection dict list".split()
)
THINGS = frozenset(
    "phone laptop computer pc battery charger printer alarm train bus flight taxi uber tea coffee food dinner lunch "
    "breakfast soup sauce toast pizza pasta cake dough app page keyboard mouse tv package order keys meeting day night "
    "morning week patience mood turn password account login rice oven kettle".split()
)
BODY = frozenset(
    "hands hand head brain feet foot eyes stomach legs leg mouth throat hair knees knee back neck shoulders arms arm "
    "fingers ears nose teeth".split()
)
DEFINING = frozenset({"a", "an", "called", "named", "from", "made"})
# Said of oneself in so many words every day, and never meant to be kept.
FIGURES = tuple(
    tuple(each.split())
    for each in (
        "changed their mind", "a big deal", "a joke", "a nightmare", "attention span of", "be bothered", "be arsed",
        "off their feet", "memory of a goldfish", "nothing to wear", "nothing to do",
        "does not care", "did not care", "mick out of", "their last clean", "zero chill", "lost a bet", "lost the plot",
        "lost the will", "at the end of their tether", "on thin ice", "on the edge of", "a long day", "a rough day",
        "a bad day", "one of those days", "in an hour", "in ten minutes", "in five minutes", "last nerve",
        "out of the blue", "fingers crossed", "a funny turn", "the short straw", "the last straw", "a lottery ticket",
        "a bone to pick", "a lot on their plate", "on their mind", "up the wall", "round the bend", "in knots",
        "for a laugh", "losing the will", "head in the clouds", "under the weather", "over the moon",
        "their heart out", "their head off", "their socks off",
    )
)  # fmt: skip
SETTLED = frozenset("based located employed unemployed single living staying".split())
# What may be close at hand and yet is no matter of the hour: "is about to retire".
TURNS = LASTING | {stem_of(word) for word in "finish have give turn become leave sell open publish launch".split()}
AFTER_MOOD = frozenset(
    ", and but because so about that for with by at in on to of today now right tonight here there again as after "
    "before till until when if since than like or too though inside upstairs downstairs this".split()
) | {""}
HELPING = frozenset("has have had not does do did".split())
ABOUT = frozenset(
    "coffee beer wine drink data hold mobile bath shower car bed kitchen toilet loo sofa couch queue season episode "
    "chapter page level bus train tram taxi plane phone call computer break".split()
)
# With one of these it is no doing of the hour: "is wearing hearing aids", "is going back to university".
PURSUED = frozenset("aids braces school uni university college work rehab brace prosthesis".split())
# "wants to see the pyramids" is a plan; "wants to see" is none.
WORTHY = frozenset("the a an their his her live world more less in".split())
TALKED = frozenset("scene over again story chapter this that it conversation game question about from now".split())
PHRASE_ENDS = frozenset(
    "in with for from at on of about that to who which when and but or because so until before".split()
)
# "will write later": a promise in the talk, unless it names a time.
PROMISED = frozenset(
    "write call text reply try leave check let send tell ask think look wait stop keep use add remove skip put say "
    "report update explain remember follow".split()
)
PLAYED = frozenset("sword swords dagger wand potion dungeon goblin goblins orc orcs torch tavern spellbook".split())
OWNED = frozenset("collect own make forge like love enjoy hate have sell buy study restore".split())
SENSES = frozenset({"hear", "see", "feel", "smell", "taste", "imagine", "tell"})
OF_THE_TALK = frozenset("version option answer draft suggestion response reply idea wording paragraph".split())
LASTING_DEEDS = LASTING - {stem_of("get"), stem_of("turn"), stem_of("start")}
DEED_STEMS = frozenset(stem_of(word) for word in DEEDS)
DATED = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday spring summer autumn winter next year month week christmas easter".split()
)
ATTITUDES = frozenset(stem_of(word) for word in ("hate", "love", "like", "enjoy"))
BROKEN = frozenset(
    "broken down dead loading ringing buzzing freezing killing hurting aching pounding spinning fried burnt burned "
    "cancelled delayed melting boiling burning stuck gone over full empty lagging crashing frozen missing working "
    "closed out".split()
)
KINDS = frozenset("favorite favourite comfort go-to usual first dream new signature".split())
