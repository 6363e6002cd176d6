"""What people speak, play and know, and what they eat, drink, read and make as a rule. What they do again and again is
told by its time (`lasting.py`)."""

from collections.abc import Sequence

from everlore.domain.memory import Category
from everlore.language.clauses import Token, lows
from everlore.language.lists import listed
from everlore.language.words import CODE, HABITS, INSTRUMENTS, LANGUAGES, SKILLS, SPORTS, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.frames import NOW_TENSES
from everlore.reflect.rules.phrase import cut, is_soon, shown, value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, Tense

_MOST = 10
_MOVES = listed("grammar.where_to")


@rule
def stated(said: Said) -> list[Candidate]:
    return _speaking(said) or _playing(said) or _knowing(said) or _consuming(said)


_TONGUE_TENSES = NOW_TENSES | {Tense.CAN, Tense.PAST, Tense.USED}


@rule
def _speaking(said: Said) -> list[Candidate]:
    """ "I speak French and a little German"."""
    if said.verb not in {"speak", "learn", "study", "understand", "sign"} or said.tense not in _TONGUE_TENSES:
        return []
    held = value(said.rest, comma=False, keep_when=True)
    names_one = any(token.low in LANGUAGES | {"sign"} for token in held[:6])
    names_one = names_one or (said.verb == "speak" and any(token.low == "languages" for token in held[:4]))
    if not names_one or len(held) > _MOST or is_soon(held):
        return []
    return said.tells(_languages(held), Category.SKILL, "Says what they speak or learn.")


def _languages(held: Sequence[Token]) -> str:
    return " ".join(word.capitalize() if word in LANGUAGES - {"asl"} else word for word in shown(held).split(" "))


_NO_INSTRUMENT = listed("things.no_instrument")


@rule
def _playing(said: Said) -> list[Candidate]:
    """ "I play the piano", "I play in a band", "I've been playing chess for years"."""
    if said.verb != "play" or said.tense not in _TONGUE_TENSES | {Tense.PERFECT}:
        return []
    held = value(said.rest, comma=False, keep_when=True)
    near = lows(held[:6])
    is_told = not (INSTRUMENTS | SPORTS | {"games"}).isdisjoint(near)
    is_told = is_told or (near[:2] in {("in", "a"), ("for", "the"), ("on", "a"), ("in", "the")} and len(near) > 2)
    # An instrument, whatever it is called.
    is_told = is_told or (near[:1] == ("the",) and len(held) == 2 and near[1] not in _NO_INSTRUMENT)
    if not is_told or len(held) > _MOST or is_soon(held) or (near[0] in {"a", "with"} and near[1:2] != ("lot",)):
        return []
    if said.tense is Tense.GOING and {"professionally", "for", "in"}.isdisjoint(near):
        return []
    category = Category.EXPERIENCE if said.tense in {Tense.USED, Tense.PAST} else Category.SKILL
    return said.tells(held, category, "Says what they play.")


_TONGUES = (LANGUAGES | CODE | {"sign"}) - {"go", "c", "r", "switch", "excel"}
_FINITE = words("is are was were has can will")
_MOST_KNOWN = 7


@rule
def _knowing(said: Said) -> list[Candidate]:
    """ "I know how to sail", "I know some Python"."""
    if said.verb != "know" or said.tense is not Tense.PRESENT:
        return []
    if lows(said.rest[:2]) == ("how", "to"):
        held = value(said.rest[2:])
        is_skill = bool(held) and held[0].low in SKILLS | HABITS and len(held) <= _MOST_KNOWN
        return said.tells(f"how to {shown(held)}", Category.SKILL, "Says what they can do.") if is_skill else []
    held = value(said.rest)
    is_tongue = not _TONGUES.isdisjoint(lows(held[:4])) and _FINITE.isdisjoint(lows(held))
    is_tongue = is_tongue and held[0].low not in {"the", "a", "that"} and len(held) <= _MOST_KNOWN
    return said.tells(_languages(held), Category.SKILL, "Says what they know.") if is_tongue else []


_KEPT_TO = words("eat drink smoke drive cook")
_NOT_MEANT = listed("grammar.not_meant")
_MAKING = listed("verbs.making")
_NOT_GENERIC = listed("grammar.not_generic") | listed("verbs.no_making")
_MOST_GENERIC = 5


@rule
def _consuming(said: Said) -> list[Candidate]:
    """ "I don't eat meat", "I can't eat gluten", "I only drink tea", "I listen to jazz": what somebody keeps to."""
    is_unable = said.tense is Tense.CAN and said.is_denied and said.verb in {"eat", "drink"}
    is_usual = said.tense is Tense.PRESENT and said.verb in _MAKING | _KEPT_TO | {"listen"}
    if not is_usual and not is_unable:
        return []
    held = value(said.rest[1:] if said.verb == "listen" else said.rest)
    if said.is_denied:
        is_told = said.verb in _KEPT_TO and (held or (not cut(said.rest) and said.verb != "eat"))
        is_told = is_told and not (held and held[0].low in _NOT_MEANT)
        category = Category.PERSONAL_INFO if is_unable else Category.PREFERENCE
        return said.tells(held, category, "Says what they do not do.", confidence=0.9) if is_told else []
    is_much = lows(said.rest[:3]) == ("a", "lot", "of") or "only" in lows(said.read.predicate[:2])
    if not held or not (is_much or _is_generic(said, held)):
        return []
    text = f"to {shown(held)}" if said.verb == "listen" else shown(held)
    return said.tells(text, Category.PREFERENCE, "Says what they keep to.", confidence=0.85)


def _is_generic(said: Said, held: Sequence[Token]) -> bool:
    """No article and no number before the noun: not this or that thing, but the sort. "I read fantasy novels"."""
    first = held[0].low
    is_sort = first not in _NOT_GENERIC and first.isalpha() and not first.endswith("ly")
    is_sort = is_sort and (_MOVES | {"while", "as", "then"}).isdisjoint(lows(held))
    return is_sort and len(held) <= _MOST_GENERIC and not said.read.lead and not said.read.front
