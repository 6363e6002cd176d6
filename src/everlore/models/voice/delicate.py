"""What is not taken as a plain statement: danger to oneself, bad news, an insult, a wish to be forgotten.

By phrases alone; the words are data below the rules. Whatever `is_unquotable` is never said back, neither at
once nor later. Start at `is_in_danger`.
"""

from collections.abc import Sequence

from everlore.models.voice.phrases import DEGREES, SELF
from everlore.models.voice.plain import sentences, without_lead
from everlore.models.voice.stems import bare_words, has, phrases, spaced, stem_set

_MOST_INSULT = 8
_NEAR = 3


def is_in_danger(message: str) -> bool:
    """Speaks of killing or hurting oneself, or of not wanting to live."""
    said = sentences(message)
    # Joined as well: a line may break in the middle of it.
    return any(_is_harm(spaced(text)) for text in (*said, " ".join(said)))


def _is_harm(stems: str) -> bool:
    for harmless in _HARMLESS:
        stems = stems.replace(harmless, " … ")
    if has(stems, _DEADLY) or (has(stems, _HURTING) and not has(stems, _BY_ACCIDENT)):
        return True
    return any(_goes_on_so(stems, phrase) for phrase in _UNWILLING)


def _goes_on_so(stems: str, phrase: str) -> bool:
    """ "I don't want to live any more"; not "I don't want to live in Oslo"."""
    _, found, after = stems.partition(phrase)
    return bool(found) and set(after.split()[:1]) <= _TAILS


def is_bad_news(sentence: str) -> bool:
    stems = spaced(sentence)
    return not has(stems, _NO_BAD_NEWS) and any(_is_affirmed(stems, phrase) for phrase in _BAD_NEWS)


def _is_affirmed(stems: str, phrase: str) -> bool:
    """ "My dog died"; not "nobody has died"."""
    before, found, _ = stems.partition(phrase)
    return bool(found) and _DENIALS.isdisjoint(before.split()[-_NEAR:])


def is_insult(sentence: str) -> bool:
    said = without_lead(sentence)
    if any(spaced(said).startswith(phrase) for phrase in _OFFENCES):
        return True
    # As written, not by stems: "terribly kind" is no "terrible".
    words = bare_words(said)
    is_short = 0 < len(words) <= _MOST_INSULT
    return is_short and (_is_called(words) or (words[0] in _INSULTS and len(words) <= _NEAR and not SELF & set(words)))


def _is_called(words: Sequence[str]) -> bool:
    """ "You are such a stupid machine", "are you stupid", "you idiot"."""
    behind = [place for place, word in enumerate(words[:2]) if word in _YOU]
    rest = words[behind[0] + 1 :] if behind else []
    return next((word for word in rest if word not in _BETWEEN), "") in _INSULTS


def is_wish_to_forget(sentence: str) -> bool:
    stems = spaced(without_lead(sentence))
    lead = next((lead for lead in _ASKING_TO if stems.startswith(lead)), "")
    rest = f" {stems[len(lead) :].lstrip()}"
    is_of_memory = any(rest.startswith(verb) for verb in _DELETE) and has(rest, _OF_MEMORY)
    return rest.startswith(_FORGET) or is_of_memory


def is_unquotable(sentence: str) -> bool:
    return is_in_danger(sentence) or is_insult(sentence) or is_wish_to_forget(sentence)


def _each(starts: str, ends: str) -> tuple[str, ...]:
    """Every start with every end, each between bars."""
    return phrases("|".join(f"{start} {end}" for start in starts.split("|") for end in ends.split("|")))


# ── danger ───────────────────────────────────────────────────────────────────────────────────────

_ONESELF = "myself | themselves | themself | himself | herself"
_DEADLY = (
    *_each("kill | killing | hang | hanging | shoot | drown | poison | unalive", _ONESELF),
    *_each(
        "end | ending | take | taking | ended",
        "my life | my own life | their life | their own life | his life | her life",
    ),
    *_each("want to | wanna | wish to | rather", "be dead | die"),
    *_each(
        "wish | wishes | wished", "i was dead | i were dead | i could die | i would die | to be dead | they were dead"
    ),
    *_each("wish | wishes | wished", "i was never born | i were never born | i had never been born | i wasnt alive"),
    *phrases(
        "suicide | suicidal | end it all | ending it all | better off dead | better off without me | "
        "no reason to live | nothing to live for | not worth living | tired of living | tired of life | "
        "tired of being alive | self harm | selfharm | hate being alive | want to disappear forever | "
        "want to wake up tomorrow | point of living | point in living | point of life | reason to go on | "
        "reason to keep going | feel like dying | feel like ending it | overdose | overdosed | too many pills | "
        "nobody would miss me | no one would miss me"
    ),
    *_each(
        "jump off | jumping off | jump from | jump in front of",
        "a bridge | the bridge | a building | the roof | a train",
    ),
    # Not only in English: whatever the language, this is not to be said back.
    *phrases(
        "ich will sterben | ich möchte sterben | nicht mehr leben | bringe mich um | mich umbringen | selbstmord | "
        "quiero morir | quiero morirme | suicidarme | matarme | je veux mourir | me suicider | me tuer | "
        "voglio morire | uccidermi | quero morrer | me matar | jeg vil dø | ta livet mitt | jag vill dö | ik wil dood"
    ),
)
_HURTING = _each("hurt | hurting | harm | harming | cut | cutting | burn | burning | starve | starving", _ONESELF)
_BY_ACCIDENT = phrases(
    "accidentally | by accident | by mistake | shaving | cooking | playing | training | running | football | "
    "climbing | fell | the kitchen | slipped"
)
_UNWILLING = _each(
    "dont want to | do not want to | doesnt want to | not want to | no longer want to | dont wanna | dont wish to",
    "live | be alive | exist | wake up | be here | keep living | go on | go on living",
) + _each("cant | cannot", "live | go on | go on living | keep living")
# What may follow where it is life itself that is meant.
_TAILS = stem_set("any anymore more longer like this now and or but so because again ever alive either")
_HARMLESS = phrases(
    "dont want to die | do not want to die | doesnt want to die | not want to die | never want to die | "
    "want to die laughing | rather die than | suicide squad | going to die laughing"
)

# ── bad news ─────────────────────────────────────────────────────────────────────────────────────

_BAD_NEWS = (
    *phrases(
        "died | has died | dying | passed away | is dead | are dead | was killed | were killed | got killed | "
        "cancer | tumor | tumour | stroke | heart attack | miscarriage | dementia | leukemia | diagnosed with | "
        "in hospital | in the hospital | to hospital | to the hospital | intensive care | the funeral | "
        "laid off | made redundant | dismissed from | fired me | was evicted | were evicted | got evicted | "
        "left me | dumped me | cheated on me | broke up | broken up | breaking up | split up | divorced me | "
        "getting divorced | getting a divorce | wants a divorce | accident | car crash | was robbed | got robbed | "
        "were robbed | was stolen | were stolen | got stolen | burned down | burnt down | was attacked | "
        "was assaulted | "
        "got hit by | run over by | put to sleep | had to put down | ran away from home | went bankrupt | house fire | "
        "to be put down | is missing | has gone missing"
    ),
    *_each("was | were | got | been | am | im | getting", "fired | sacked"),
    *_each("broke | failed", "my leg | my arm | my foot | my hip | my back | my wrist | my exam | my test | my exams"),
    *_each(
        "lost",
        "my job | his job | her job | their job | my home | my house | my baby | my mother | my father | my mom | "
        "my mum | my dad | my wife | my husband | my son | my daughter | my brother | my sister | my friend | "
        "my best friend | my grandmother | my grandfather | my grandma | my grandpa | my dog | my cat | the baby",
    ),
    *_each(
        "is | are | was | were | got | fell | became | been | very | really | so | seriously | badly | terminally | "
        "gravely",
        "ill | sick | injured | wounded | paralysed | paralyzed",
    ),
)
_NO_BAD_NEWS = phrases(
    "sick of | dying to | dying for | survived | survivor | beat cancer | cancer free | recovered | remission | "
    "im a cancer | am a cancer | "
    "is a cancer | work in the hospital | work in hospital | works in the hospital | working in the hospital | "
    "born in the hospital | cancer research | cancer researcher | by accident | fired up | home from the hospital | "
    "is about | was about | movie about | film about | book about | story about | in the movie | in the film | "
    "in the book | in the story | in the game"
)
_DENIALS = stem_set("not no nobody never none didnt isnt wasnt werent hasnt havent dont doesnt without almost if")

# ── insults ──────────────────────────────────────────────────────────────────────────────────────

_YOU = frozenset({"you", "youre", "u", "ur"})
_INSULTS = frozenset(
    "useless stupid dumb idiot idiotic moron moronic fool foolish worthless pathetic terrible awful horrible annoying "
    "boring trash garbage rubbish crap crappy shit shitty bastard bitch asshole loser liar ugly ridiculous lame "
    "incompetent brainless disgusting imbecile jerk dumbass retarded suck sucks worst hopeless ignorant clueless "
    "fucking".split()
)
_BETWEEN = DEGREES | stem_set("are re r is such an the one most more utterly absolutely being damn bloody always")
_OFFENCES = phrases(
    "shut up | just shut up | shut it | shut your mouth | fuck you | fuck off | screw you | piss off | get lost | "
    "go to hell | drop dead | i hate you | i really hate you | i despise you | damn you | bite me | "
    "nobody likes you | what an idiot you | bugger off"
)

# ── forgetting ───────────────────────────────────────────────────────────────────────────────────

_ASKING_TO = phrases(
    "please | just | can you | could you | can you please | could you please | would you | would you please | "
    "will you | will you please | i want you to | i need you to | i would like you to | id like you to | you can | "
    "you should | you must | you may | never mind | nevermind | you can just | please just | lets | let us"
)
_FORGET = spaced("forget")
_DELETE = phrases("delete | erase | remove | wipe | clear | unlearn")
_OF_MEMORY = phrases(
    "memory | memories | you know | you remember | i said | i told | i say | message | messages | about me | "
    "conversation | our chat | my data | what i"
)
