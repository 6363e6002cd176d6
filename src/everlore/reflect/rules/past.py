"""What is over, and what has happened: "I used to smoke", "I broke my leg", "I ran a marathon in 2019"."""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.reflect.candidate import Candidate
from everlore.reflect.clauses import Token, lows
from everlore.reflect.rules import wide
from everlore.reflect.rules.phrase import is_soon, value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, Tense
from everlore.reflect.rules.words import words

_MOST = 12
_NO_PAST = words(
    "think know say believe wonder feel want like hear see it that this the them you being a these those him her me"
)
# What has to stand near such a verb, so that it is an event of a life and not of an afternoon.
_EVENTS: dict[str, frozenset[str]] = {
    "see": words("live concert"),
    "break": words("leg arm ankle wrist foot hip collarbone back rib ribs nose neck elbow up"),
    "run": words("marathon half-marathon marathons 10k 5k ultramarathon half"),
    "win": words("award prize medal championship contest competition scholarship lottery tournament title"),
    "publish": words("book novel paper poem article story"),
    "write": words("book novel thesis memoir dissertation"),
    "have": words("surgery baby stroke attack miscarriage daughter son transplant operation twins cancer"),
    "lose": words(
        "father mother dad mom brother sister husband wife son daughter parents grandmother grandfather grandma "
        "grandpa dog cat leg house mum baby pounds lbs kg"
    ),
    "buy": words("house home car condo apartment flat boat truck motorcycle farm land"),
    "sell": words("house car business company"),
    "get": words(
        "promoted fired hired laid degree masters phd diagnosed tattoo license licence diploma citizenship scholarship "
        "accepted"
    ),
    "earn": words("degree phd masters master's black diploma bachelor's mba"),
    "learn": words("french spanish german piano guitar italian japanese drive swim english chinese russian knit"),
    "meet": words("wife husband girlfriend boyfriend partner fiance fiancé fiancée president"),
    "found": words("company startup business charity nonprofit"),
    "start": words("company business startup blog podcast band"),
    "become": words(
        "mother father mom dad parent citizen vegan vegetarian doctor nurse teacher manager grandmother grandfather "
        "grandma grandpa lawyer pilot"
    ),
    "climb": words("mount mt everest kilimanjaro mountain fuji rainier"),
    "survive": words("cancer crash war accident stroke"),
    "beat": words("cancer addiction"),
    "quit": words("smoking drinking job alcohol school college vaping"),
    "stop": words("smoking drinking eating playing working"),
    "give": words("birth up"),
    "pass": words("away"),
    "join": words("army navy marines force military band gym club team choir"),
    "play": words("college professionally"),
    "spend": words("years year months childhood summer semester"),
    "take": words("semester sabbatical gap"),
    "compete": words("olympics championship national in"),
    "complete": words("degree marathon phd masters triathlon"),
    "finish": words("degree phd masters marathon school college master's thesis"),
    "serve": words("army navy marines military war force"),
    "enlist": words("in"),
    "donate": words("kidney"),
    "volunteer": words("at in for with"),
    "work": words("as at for in"),
    "study": words("abroad in at"),
    "live": words("in with abroad"),
    "intern": words("at for in"),
    "coach": words("team basketball football soccer"),
    "teach": words("school english college high"),
    "attend": words("college university school"),
    "raise": words("by kids children in"),
    "own": words("a"),
    "major": words("in"),
}


@rule
def stated(said: Said) -> list[Candidate]:
    """The last rule that is asked: what none of the others knows may still last."""
    return _known(said) or wide.stated(said)


@rule
def _known(said: Said) -> list[Candidate]:
    if said.tense is Tense.USED:
        return _used_to(said)
    if said.tense not in {Tense.PAST, Tense.PERFECT}:
        return []
    if said.verb == "be":
        return _was(said)
    if said.verb == "die" and said.tense is Tense.PAST and not said.is_user:
        return said.tells(value(said.rest, keep_when=True), Category.EXPERIENCE, "Says that somebody died.")
    wanted = _EVENTS.get(said.verb)
    held = value(said.rest, keep_when=True)
    if (
        wanted is None
        or not held
        or len(held) > _MOST
        or wanted.isdisjoint(lows(held[:6]))
        or (said.is_denied and said.tense is Tense.PAST and not (said.is_never and said.verb == "learn"))
    ):
        return []
    if (
        said.verb in {"work", "live", "study", "play"}
        and held[0].low not in wanted
        and not wanted & set(lows(held[1:4]))
    ) or is_soon(held):
        return []
    return said.tells(held, Category.EXPERIENCE, "Tells what happened in their life.")


@rule
def _used_to(said: Said) -> list[Candidate]:
    held = value(said.rest, comma=True, keep_when=True)
    if (
        said.verb in _NO_PAST
        or (said.rest and not held)
        or len(held) > _MOST
        or (held and held[-1].low in {"it", "that", "this"})
    ):
        return []
    if said.verb == "live" and {"fear", "moment", "past"} & set(lows(held)):
        return []
    if (said.verb in {"do", "have", "get", "go", "be"} and not held) or (
        said.verb == "be" and held and held[0].low in {"so", "like", "able", "fine", "good", "ok"}
    ):
        return []
    return said.tells(held, Category.EXPERIENCE, "Says what used to be so.")


@rule
def _was(said: Said) -> list[Candidate]:
    """ "I was in the army", "I was diagnosed with", "I was a teacher for ten years" (that one is told by work)."""
    words_ = lows(said.rest[:4])
    is_told = words_[:3] in {
        ("in", "the", "army"),
        ("in", "the", "navy"),
        ("in", "the", "military"),
        ("in", "the", "marines"),
        ("in", "foster", "care"),
        ("in", "a", "band"),
    }
    is_told = (
        is_told
        or words_[:1] in {("homeschooled",), ("adopted",)}
        or words_[:2] in {("laid", "off"), ("fired", "from")}
        or words_[:2] == ("raised", "by")
    )
    held: Sequence[Token] = value(said.rest, keep_when=True)
    return (
        said.tells(held, Category.EXPERIENCE, "Tells what they were.")
        if is_told and held and len(held) <= _MOST
        else []
    )
