"""What people ask about themselves, and by which words a statement shows that it answers. Data only.

An aspect is found by its `asks`, in the order of the table; a memory that claims something of its `slots` answers it
well. A statement of which nobody knows what it claims does by one of its `proofs`, and perhaps by one of its `hints` or
its shape.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from everlore.domain.claim import Slot
from everlore.language.lists import listed
from everlore.language.words import AILMENTS
from everlore.models.voice.stems import phrases, stem_set

_NO_ILLNESS = listed("body.no_illness")


class Shape(StrEnum):
    """What an answer looks like, whatever its words."""

    NONE = "none"
    NAME = "name"
    AGE = "age"
    PLACE = "place"
    DATE = "date"


@dataclass(frozen=True, slots=True, kw_only=True)
class Aspect:
    """`shaped`: proofs only where the statement also has the shape; `by_shape`: the shape alone is a hint.

    `unless`: statements that say the opposite. `tell`: what the user could tell to answer it. `own_words`: words
    of a question that only ask for the aspect. `is_many`: several statements may be true together.
    """

    asks: tuple[str, ...]
    slots: frozenset[Slot] = frozenset()
    proofs: tuple[str, ...] = ()
    shaped: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    shape: Shape = Shape.NONE
    by_shape: bool = False
    tell: str
    own_words: frozenset[str] = frozenset()
    is_many: bool = False


WORK = Aspect(
    asks=phrases(
        "my job | job | i work | work | for a live | my live | profession | occupation | career | employ | "
        "what do i do | what i do | i do for"
    ),
    proofs=phrases(
        "work | job | teach | profession | occupation | employ | career | earn | my boss | retired | was fired | "
        "got fired | been fired | fired me | sacked | laid off | made redundant | unemployed | resigned | was hired | "
        "got hired | was promoted | got promoted"
    ),
    hints=phrases("i am a | i am an | im a | im an | user is a | user is an | is a | is an | became | run | manager"),
    slots=frozenset({Slot.OCCUPATION, Slot.EMPLOYER, Slot.WORKPLACE}),
    tell="what you do for a living",
    own_words=stem_set("job work live profession occupation career employ do for place field"),
)
_PROFESSIONS = (
    "accountant actor actress architect artist author baker banker barber barista beekeeper builder butcher captain "
    "carpenter cashier chef chemist cleaner clerk coach consultant cook dancer dentist designer detective developer "
    "doctor driver economist editor electrician engineer farmer firefighter fisherman gardener hairdresser journalist "
    "judge lawyer lecturer librarian manager mechanic midwife miner musician nurse painter paramedic pharmacist "
    "photographer physicist pilot plumber poet policeman policewoman politician postman priest professor programmer "
    "psychologist researcher sailor salesman scientist secretary singer soldier student surgeon tailor teacher "
    "therapist translator vet waiter waitress welder writer"
)
# "Am I a doctor?" is answered by what one is.
BEING = replace(
    WORK,
    asks=phrases(" | ".join(f"am i {article} {name}" for article in ("a", "an") for name in _PROFESSIONS.split())),
    own_words=WORK.own_words | stem_set(_PROFESSIONS),
)
STUDY = Aspect(
    asks=phrases("study | school | university | college | major | degree | grade am i"),
    proofs=phrases("study | studied | student | major | degree | graduated | learn | phd"),
    hints=phrases("school | university | college"),
    slots=frozenset({Slot.STUDY}),
    tell="what you study",
    own_words=stem_set("study school university college major degree"),
)
AGE = Aspect(
    asks=phrases("how old | my age | old am i | old i am | age"),
    proofs=phrases("years old"),
    shaped=phrases("is | am | im | turned | aged | age | became"),
    shape=Shape.AGE,
    slots=frozenset({Slot.AGE, Slot.BIRTH_YEAR}),
    tell="how old you are",
    own_words=stem_set("old age year"),
)
BIRTHDAY = Aspect(
    asks=phrases(
        "birthday | when was i born | when i was born | birth | date of birth | what year was i born | born on"
    ),
    proofs=phrases("birthday"),
    shaped=phrases("born"),
    shape=Shape.DATE,
    slots=frozenset({Slot.BIRTHDAY, Slot.BIRTH_YEAR}),
    tell="when your birthday is",
    own_words=stem_set("birthday born birth date year day month"),
)
ORIGIN = Aspect(
    asks=phrases(
        "am i from | i am from | im from | i come from | was i born | i was born | grow up | grew up | origin | "
        "hometown | my raised | i raised | country am i"
    ),
    proofs=phrases("am from | im from | come from | came from | is from | grew up | hometown | raised in"),
    shaped=phrases("born"),
    shape=Shape.PLACE,
    slots=frozenset({Slot.ORIGIN}),
    tell="where you come from",
    own_words=stem_set("from come born grow grew up origin hometown raised country city town place"),
)
HOME = Aspect(
    asks=phrases("live | home | reside | i base | my city | my town | city | my address | i stay"),
    proofs=phrases(
        "live | move to | reside | base in | home is | my home | my apartment | relocated | settled in | move from"
    ),
    shape=Shape.PLACE,
    by_shape=True,
    unless=phrases(
        "grew up | born | hometown | raised | come from | am from | im from | for a living | earn my living"
    ),
    slots=frozenset({Slot.HOME}),
    tell="where you live",
    own_words=stem_set("live home reside base city town address country place stay move state street"),
)
ALLERGY = Aspect(
    asks=phrases("allergic | allergy | intolerant"),
    proofs=phrases("allergic | allergy | intolerant | cant eat | cannot eat"),
    slots=frozenset({Slot.ALLERGY}),
    tell="what you are allergic to",
    own_words=stem_set("allergic allergy intolerant"),
    is_many=True,
)
FEAR = Aspect(
    asks=phrases("afraid | scared | fear | phobia | frighten"),
    proofs=phrases("afraid | scared | fear | phobia | terrified | frighten"),
    tell="what you are afraid of",
    own_words=stem_set("afraid scared fear phobia frighten"),
    is_many=True,
)
DISLIKE = Aspect(
    asks=phrases("hate | dislike | not like | dont like | dont i like | cant stand | detest"),
    proofs=phrases(
        "hate | dislike | not like | dont like | doesnt like | cant stand | detest | cannot stand | cant bear | "
        "cant abide | not a fan"
    ),
    slots=frozenset({Slot.DISLIKE}),
    tell="what you dislike",
    own_words=stem_set("hate dislike like stand detest dont cant"),
    is_many=True,
)
LIKE = Aspect(
    asks=phrases(
        "like | love | enjoy | favorite | favourite | hobby | free time | spare time | interest | fond | "
        "prefer | for fun | passion | into"
    ),
    proofs=phrases(
        "like | love | enjoy | favorite | favourite | hobby | fond | prefer | fan of | im into | am into | "
        "is into | passion | adore"
    ),
    unless=DISLIKE.proofs,
    slots=frozenset({Slot.LIKE, Slot.FAVORITE}),
    tell="what you like",
    own_words=stem_set(
        "like love enjoy favorite favourite hobby free spare time interest fond prefer fun passion into do"
    ),
    is_many=True,
)
# Asked for in the words of work: "what do I do for fun".
HOBBY = replace(LIKE, asks=phrases("for fun | free time | spare time | hobby | leisure | to relax"))
LANGUAGE = Aspect(
    asks=phrases("language | i speak"),
    proofs=phrases("speak | language | fluent | bilingual | native"),
    slots=frozenset({Slot.LANGUAGE}),
    tell="which languages you speak",
    own_words=stem_set("language speak"),
    is_many=True,
)
PLAN = Aspect(
    asks=phrases("my plan | i plan | plan | my goal | goal | i go to do | i want to | upcoming | look forward"),
    proofs=phrases(
        "plan | go to | want to | hope to | tomorrow | next week | next month | next year | goal | intend | "
        "will | look forward"
    ),
    slots=frozenset({Slot.PLAN, Slot.GOAL}),
    tell="what you plan",
    own_words=stem_set("plan goal want upcoming look forward go do weekend"),
    is_many=True,
)
BOND = Aspect(
    asks=phrases("married | am i single | relationship | am i dating | am i seeing | am i with | am i engaged"),
    proofs=phrases(
        "married | wife | husband | spouse | girlfriend | boyfriend | my partner | user partner | fiance | fiancee | "
        "im single | am single | is single | divorced | widowed | engaged | dating"
    ),
    slots=frozenset({Slot.PARTNER, Slot.RELATIONSHIP_STATUS}),
    tell="whether you are with somebody",
    own_words=stem_set("married single relationship dating seeing engaged with anyone anybody someone somebody"),
)
HEALTH = Aspect(
    asks=phrases("health | healthy | illness | disease | medical | wrong with me | i suffer | do i suffer | ail"),
    proofs=phrases(" | ".join([*sorted(AILMENTS - _NO_ILLNESS), "diagnosed", "surgery", "operation", "medication"])),
    tell="how your health is",
    own_words=stem_set("health healthy illness disease medical wrong suffer condition problem issue wise ail"),
    is_many=True,
)
NAME = Aspect(
    asks=phrases("name | i call | am i call | call | who am i | who i am"),
    proofs=phrases("name | call | nickname"),
    shape=Shape.NAME,
    by_shape=True,
    slots=frozenset({Slot.NAME, Slot.NICKNAME}),
    tell="your name",
    own_words=stem_set("name call first full nickname surname last real"),
)
# The first that is asked for counts: "what do I do for a living" is about work, not about a home.
ASPECTS = (
    HOBBY, BEING, WORK, STUDY, AGE, BIRTHDAY, ORIGIN, NAME, ALLERGY, FEAR, HEALTH, DISLIKE, LANGUAGE, PLAN, HOME, BOND,
    LIKE,
)  # fmt: skip
# In these it is plain what is asked for, and what is not.
TOLD_APART = frozenset[Slot]().union(*(each.slots for each in ASPECTS))
IDENTITY = (NAME, AGE, HOME, WORK, ORIGIN, BIRTHDAY)
# How somebody says their own name.
OWN_NAME = phrases(
    "my name | im call | i am call | call me | i go by | user name | user is call | user is name | "
    "user goes by | user go by"
)
# Facts of one's own that are told of a thing: "my birthday is", "user's job is".
OWN_FACTS = (
    *OWN_NAME,
    *phrases(
        " | ".join(
            f"{whose} {fact}"
            for whose in ("my", "user")
            for fact in "birthday age job home favorite favourite hobby goal plan profession native major hometown "
            "apartment allergy address occupation fear phobia work career".split()
        )
    ),
    *phrases("scares me | frightens me | terrifies me | interests me | fascinates me | annoys me | bores me"),
)
