"""The closed word classes of English that tell where a clause begins, and what it does."""

from everlore.language.verbs import is_irregular

SELVES = frozenset({"i", "we"})
PRONOUNS = frozenset({"i", "we", "you", "he", "she", "they", "it"})
BE = frozenset({"am", "is", "are", "was", "were", "be", "been", "being"})
AUXILIARIES = BE | frozenset(
    "have has had do does did will would can could should may might must shall used going".split()
)
ADVERBS = frozenset(
    "really just also actually always usually often sometimes currently now still even never ever only already "
    "mostly mainly generally normally typically occasionally rarely seldom hardly absolutely totally truly "
    "definitely certainly honestly personally recently lately probably basically simply very so quite pretty "
    "rather kind sort of kinda too both all obviously clearly finally originally previously formerly secretly "
    "literally genuinely especially particularly regularly frequently primarily presently happily proudly sure "
    "sorta almost nearly officially temporarily permanently eventually soon thankfully luckily unfortunately "
    "sadly do did greatly deeply strongly dearly professionally".split()
)
CONJUNCTIONS = frozenset({"and", "but", "or", "so", "plus", "then", "yet", "nor"})
SUBORDINATORS = frozenset(
    "because since although though while when if unless until whereas before after whenever where as once even "
    "whether that which who whose".split()
)
ASKING = frozenset({"what", "who", "where", "when", "why", "how", "which", "whose", "whom", "wbu", "hbu", "what's"})
ASKING_FOR = frozenset("any anyone anybody thoughts ideas tips suggestions recommendations advice".split())
INVERTING = frozenset(
    "do does did are is was were am have has had can could will would should may might shall must".split()
)
# Said at the front of a statement, and no part of it.
LEADS = frozenset(
    "yes yeah yep yup yea ya nope nah no ok okay oh ah aw aww wow well hmm hm um uh er so and but also plus "
    "anyway anyways haha hahaha hehe lol lmao rofl xd hey hi hello hiya howdy sup greetings thanks thank sure "
    "right true exactly agreed cool nice great awesome good sweet sorry honestly actually basically btw fyi "
    "tbh imo personally look listen see alas hopefully fortunately unfortunately luckily sadly otherwise then "
    "besides moreover currently now maybe perhaps still absolutely definitely indeed same obviously ugh yay "
    "ooh omg damn gosh welp alright fine interesting wonderful amazing because although though while since or "
    "as usually normally sometimes often lately recently nowadays originally professionally finally first "
    "second secondly lastly additionally furthermore however til ngl tbf fwiw afaik turns-out tldr update fr lowkey "
    "highkey ps idk tbqh iirc deffo innit".split()
)
GREETINGS = frozenset("hi hello hey hiya howdy sup greetings yo morning evening afternoon hallo hola heya".split())
# An order or a request begins with one of these.
ORDERS = frozenset(
    "please tell send show give write make help explain describe draw translate summarize summarise rewrite "
    "proofread correct fix imagine pretend suppose say ask remember forget stop continue start go come let "
    "lets create generate list find search compare define paraphrase repeat roleplay act sing consider answer "
    "add remove change edit check convert calculate compute solve suggest recommend teach guess don't keep "
    "take read open close wait look listen call play set put try use turn give name think note finish complete "
    "format code implement review analyze analyse wish complete do meet talk follow hold bring run feel "
    "imagine picture assume grant excuse forgive pardon".split()
)
# After these orders, what follows in the message is material and not a statement.
MATERIAL_ORDERS = frozenset(
    "translate rewrite proofread paraphrase correct summarize summarise edit format convert repeat reword rephrase "
    "analyze analyse review improve polish spellcheck transcribe".split()
)
PRETENDING = frozenset("imagine pretend suppose assume roleplay role-play picture".split())
MADE_UP = frozenset(
    "story poem scene song novel script tale fanfic fanfiction roleplay role-play rp lyrics character dialogue dialog "
    "monologue limerick haiku screenplay sketch verse rap fiction persona sample example dummy template".split()
)
REPORTING = frozenset(
    "said says say saying told tells tell telling claims claimed claim thinks thought think believes believed "
    "insists insisted asked asks wrote writes joked jokes jokingly swears swore replied shouted whispered "
    "assumes assumed keeps wonders wondered calls called quoted quotes reads goes argued argues complains "
    "complained suggested suggests reckons hopes wants pretends pretended heard".split()
)
# "Love hiking": no order begins with these.
TASTES = frozenset("love hate adore loathe despise dislike detest enjoy prefer".split())
WOULD = frozenset("would could might should may".split())
# Finite verbs that may stand without "I" after "and" or a comma, because the subject was named before.
ELIDING = frozenset(
    "am have love like hate enjoy prefer adore dislike despise loathe detest live work study own speak want "
    "need teach was used moved grew graduated worked lived studied got became started went came bought adopted "
    "married collect drive play watch listen read eat drink cook bake paint draw write run swim hike volunteer "
    "can could do did had 've 'm attend visit visited travel traveled travelled learned learnt met wear sing "
    "dance knit sew garden code program raise raised speak smoke ride run make made spend go fish hunt camp "
    "train practice practise suffer hope plan know never always usually often currently also recently still "
    "just really use take keep support vote lift sell build clean coach walk restore fix brew grow".split()
)
THIRD_PERSON_VERBS = frozenset(
    "is was has had lives lived works worked loves loved likes liked hates hated enjoys enjoyed plays played "
    "studies studied owns owned speaks spoke wants wanted teaches taught runs ran goes went got does did moved "
    "collects drives drove can will are were have live work love like hate enjoy play study own speak want "
    "teach run go do makes made died passed graduated graduates turned turns turning became becomes attends "
    "attended bakes cooks paints sings dances writes wrote reads eats drinks smokes collects trains volunteers "
    "travels grew came comes left suffers needs prefers knows raised married divorced bought retired recently "
    "just really also never always used calls passed serves served says said thinks told keeps hopes started "
    "stays sleeps barks eats".split()
)

# Past forms that are more often something else: "a bit", "a rose", "I read".
_RARELY_PAST = frozenset("bit bore hit lit misread put read rose said shut slew slit thought used died dyed".split())
_NO_PAST = frozenset(
    "need speed indeed hundred breed weed seed feed bleed exceed succeed proceed bored tired excited confused stressed "
    "annoyed worried scared interested exhausted disappointed supposed shocked surprised amazed gutted chuffed "
    "knackered relieved thrilled embarrassed delighted naked wicked sacred red agreed speed shed mixed related "
    "advanced fixed updated attached noted cooked frozen baked fried roasted grilled mashed".split()
)


def is_past_form(low: str) -> bool:
    """ "got", "survived"; no feeling ("bored") and no base form ("need")."""
    is_regular = low.endswith("ed") and len(low) > len("used") and low.isalpha() and low not in _NO_PAST
    return is_regular or (is_irregular(low) and low not in _RARELY_PAST)
