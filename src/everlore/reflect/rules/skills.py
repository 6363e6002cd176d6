"""Skills and habits: what people can do, speak and play, and what they do again and again.

The simple present of an English verb tells a habit, but players tell their moves in it too ("I open the door"). So a
verb counts only where it is one of a hobby, or where the clause says how often.
"""

from collections.abc import Sequence
from itertools import pairwise

from everlore.domain.memory import Category
from everlore.reflect.candidate import Candidate
from everlore.reflect.clauses import Token, lows
from everlore.reflect.rules.frames import NOW_TENSES
from everlore.reflect.rules.phrase import cut, is_soon, shown, value
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, Tense
from everlore.reflect.rules.times import says_how_often, says_now
from everlore.reflect.rules.words import CODE, HABITS, LANGUAGES, SKILLS, SPORTS, TEAMS_AND_TUNES, words

_MOST = 10
_AGAIN = words(
    "every each daily weekly weekends everyday nightly mornings evenings mondays tuesdays wednesdays thursdays fridays "
    "saturdays sundays yearly monthly regularly"
)
_DOING = words(
    "play read watch eat drink cook run swim walk bike cycle go listen write draw paint sing dance practice practise "
    "train make do wake sleep travel volunteer take exercise meditate bake ride visit fish hunt climb jog hike garden "
    "use get spend attend help take call wear skip keep lift stretch pray golf surf ski fast commute"
)
_NO_HABIT = words("it that this you them him her there here up down into toward towards at away over out off back")
_MOVES = words("toward towards into away onto behind forward closer inside around across along past")


@rule
def stated(said: Said) -> list[Candidate]:
    return _speaking(said) or _not_eating(said) or _playing(said) or _knowing(said) or _habit(said) or _learning(said)


@rule
def _speaking(said: Said) -> list[Candidate]:
    """ "I speak French and a little German"."""
    if said.verb not in {"speak", "learn", "study", "understand", "sign"} or said.tense not in NOW_TENSES | {
        Tense.CAN,
        Tense.PAST,
        Tense.USED,
    }:
        return []
    held = value(said.rest, comma=False, keep_when=True)
    names_one = any(token.low in LANGUAGES | {"sign"} for token in held[:6]) or (
        said.verb == "speak" and any(token.low in {"languages", "bilingual"} for token in held[:4])
    )
    if not names_one or len(held) > _MOST or is_soon(held):
        return []
    return said.tells(_languages(held), Category.SKILL, "Says what they speak or learn.")


def _languages(held: Sequence[Token]) -> str:
    return " ".join(word.capitalize() if word in LANGUAGES - {"asl"} else word for word in shown(held).split(" "))


_NO_INSTRUMENT = words("game games part role fool victim field market lottery system card hero villain song same")


@rule
def _playing(said: Said) -> list[Candidate]:
    """ "I play the piano", "I play in a band", "I've been playing chess for years"."""
    if (
        said.verb != "play"
        or said.tense not in NOW_TENSES | {Tense.CAN, Tense.USED, Tense.PERFECT, Tense.PAST}
        or not said.rest
    ):
        return []
    held = value(said.rest, comma=False, keep_when=True)
    near = [token.low for token in held[:6]]
    is_told = (
        any(low in TEAMS_AND_TUNES | SPORTS for low in near)
        or any(
            pair in {("video", "games"), ("board", "games"), ("card", "games"), ("computer", "games")}
            for pair in pairwise(near)
        )
        or (near[:2] in (["in", "a"], ["for", "the"], ["on", "a"], ["in", "the"]) and len(near) > 2)
        # An instrument, whatever it is called.
        or (near[:1] == ["the"] and len(held) == 2 and near[1] not in _NO_INSTRUMENT)
    )
    if (
        not held
        or len(held) > _MOST
        or not is_told
        or is_soon(held)
        or (near[0] in {"a", "with"} and near[1:2] != ["lot"])
    ):
        return []
    if (said.tense is Tense.GOING and not any(low in {"professionally", "for", "in"} for low in near)) or (
        said.tense is Tense.PAST and len(held) < 3
    ):
        return []
    category = Category.EXPERIENCE if said.tense in {Tense.USED, Tense.PAST} else Category.SKILL
    return said.tells(held, category, "Says what they play.")


@rule
def _not_eating(said: Said) -> list[Candidate]:
    """ "I can't eat shellfish"."""
    held = (
        value(said.rest) if said.tense is Tense.CAN and said.is_denied and said.verb in {"eat", "drink", "have"} else ()
    )
    is_told = (
        0 < len(held) <= 4
        and held[0].low not in {"the", "my", "all", "another", "any", "much", "enough", "more", "nice", "fun", "both"}
        and not is_soon(held)
    )
    return said.tells(held, Category.PERSONAL_INFO, "Says what they cannot eat.", confidence=0.9) if is_told else []


_TONGUES = (LANGUAGES | CODE | {"sign"}) - {"go", "c", "r", "switch", "excel"}


@rule
def _knowing(said: Said) -> list[Candidate]:
    """ "I know how to sail", "I know some Python", "I code in Rust"."""
    words_ = lows(said.rest)
    if said.verb == "know" and said.tense is Tense.PRESENT and words_:
        held = value(said.rest[2:] if words_[:2] == ("how", "to") else said.rest)
        if words_[:2] == ("how", "to") and held and held[0].low in SKILLS | HABITS and len(held) <= 7:
            return said.tells(f"how to {shown(held)}", Category.SKILL, "Says what they know how to do.")
        is_tongue = (
            not any(token.low in {"is", "are", "was", "were", "has", "can", "will"} for token in held)
            and any(token.low in _TONGUES for token in held[:4])
            and words_[0] not in {"the", "a", "that"}
        )
        return (
            said.tells(_languages(held), Category.SKILL, "Says what they know.")
            if held and is_tongue and len(held) <= 7
            else []
        )
    if said.verb in {"code", "program"} and said.tense in NOW_TENSES and said.next in {"in", "with"}:
        held = value(said.rest[1:])
        return said.tells(f"{said.next} {shown(held)}", Category.SKILL, "Says what they program in.") if held else []
    return []


# ── habits ───────────────────────────────────────────────────────────────────────────────────────


_NEEDS_A_SORT = words("wear drive own dive camp fish swim dance sing paint code")


_NEEDS_MORE = words("wear own drive dive foster coach collect paint sing dance program code stream fish")


@rule
def _habit(said: Said) -> list[Candidate]:
    if said.tense is not Tense.PRESENT:
        return []
    if (
        said.verb == "have"
        and said.often
        and any(token.low in {"breakfast", "lunch", "dinner"} for token in said.rest[1:])
    ):
        held = value(said.rest, keep_when=True)
        return said.tells(held, Category.PREFERENCE, "Says what they usually have.", confidence=0.9) if held else []
    is_regular = (bool(said.often) and said.verb in _DOING | HABITS) or says_how_often(said)
    if said.verb not in HABITS and not (is_regular and said.verb in _DOING):
        return _consuming(said)
    held = value(said.rest, keep_when=True)
    if (
        (cut(said.rest) and not held)
        or len(held) > _MOST
        or is_soon(held)
        or says_now(held)
        or any(token.low in _MOVES for token in held)
    ):
        return []
    if not held and ((said.verb in _NEEDS_MORE and not said.often) or said.verb not in HABITS):
        return []
    if said.verb in _NEEDS_A_SORT and not _is_habitual(said, held):
        return []
    if held and _is_of_this(said, held[0].low, is_regular=is_regular):
        return []
    if said.verb in _OBJECTS_NEEDED and (not held or (held[0].low in _AGAIN | {"all", "a"} and held[0].low != "a")):
        return []
    category = (
        Category.PERSONAL_INFO if said.verb in {"drive", "wear", "own", "commute", "smoke"} else Category.PREFERENCE
    )
    return said.tells(f"{shown(held)} {_front(said)}", category, "Says what they do regularly.", confidence=0.9)


def _is_of_this(said: Said, first: str, *, is_regular: bool) -> bool:
    """Of one occasion: "I wear my cloak", "I run at the troll"."""
    if first in _NO_HABIT:
        return not (first == "at" and said.verb in {"volunteer", "camp", "coach", "tutor"}) and not (
            first in {"up", "out"} and is_regular
        )
    return first in {"the", "this", "my"} and not is_regular and said.verb != "coach"


_OBJECTS_NEEDED = words("eat drink watch make do take use get visit wear listen attend keep spend call help")


def _front(said: Said) -> str:
    """How often, where it stood first: "every morning I run"."""
    front = cut(said.read.front)
    text = shown(front) if any(token.low in _AGAIN for token in front) and len(front) <= 4 else ""
    return text[:1].lower() + text[1:]


_WORN_ALWAYS = words("glasses contacts size braces hijab wig hearing dentures uniform contact")


def _is_habitual(said: Said, held: Sequence[Token]) -> bool:
    first = held[0].low if held else ""
    if said.verb == "wear":
        return says_how_often(said) or bool(said.often) or any(token.low in _WORN_ALWAYS for token in held[:3])
    if said.verb == "drive":
        return (
            first in {"a", "an", "my", "for"} and not any(token.low in {"to", "nail"} for token in held[:4])
        ) or says_how_often(said)
    if said.verb == "own":
        return True
    return (
        not held
        or first not in {"the", "a", "an", "this", "my", "for", "to"}
        or says_how_often(said)
        or bool(said.often)
    )


@rule
def _consuming(said: Said) -> list[Candidate]:
    """ "I don't eat meat", "I don't drink", "I only drink tea", "I don't smoke": what somebody keeps to."""
    if said.tense is not Tense.PRESENT or said.verb not in _MAKING | {"smoke", "drive", "listen"}:
        return []
    if said.verb == "listen":
        return _listening(said)
    held = value(said.rest)
    if said.is_denied and (
        not cut(said.rest)
        or (held and held[0].low not in {"much", "that", "enough", "well", "a", "the", "my", "any", "from", "with"})
        or (held and held[0].low == "any" and len(held) > 1)
    ):
        is_told = said.verb in {"eat", "drink", "smoke", "drive", "cook"} and (held or said.verb not in {"eat"})
        return said.tells(held, Category.PREFERENCE, "Says what they do not do.", confidence=0.9) if is_told else []
    if not said.is_denied and _is_generic(said, held):
        return said.tells(held, Category.PREFERENCE, "Says what they do.", confidence=0.85)
    lots = (
        lows(said.rest[:2]) in {("too", "much"), ("lots", "of")}
        or lows(said.rest[:3]) == ("a", "lot", "of")
        or any(token.low == "only" for token in said.read.predicate[:2])
    )
    return (
        said.tells(held, Category.PREFERENCE, "Says what they keep to.", confidence=0.9)
        if lots and held and len(held) <= 7
        else []
    )


_MAKING = words(
    "eat drink cook watch read write make build grow breed raise restore repair design develop draw sculpt study bake "
    "brew sell"
)
_NOT_GENERIC = words(
    "the a an this that these those my your his her its our their some any more it them him me us up down in on at to "
    "with for from about as all every each another both no not out over off back into when how what and or so too very "
    "well of by between around people here there again now like better love sure fun sense plans friends way room eye "
    "contact progress money haste peace war noise dinner lunch breakfast food water camp fire notes minds signs myself "
    "yourself one two three"
)


def _is_generic(said: Said, held: Sequence[Token]) -> bool:
    """No article and no number before the noun: not this or that thing, but the sort. "I read fantasy novels"."""
    is_short = 0 < len(held) <= 5 and said.verb in _MAKING - {"study"}
    return (
        is_short
        and not said.read.lead
        and held[0].low not in _NOT_GENERIC
        and held[0].low.isalpha()
        and not held[0].low.endswith("ly")
        and not any(token.low in _MOVES | {"while", "as", "then"} for token in held)
    )


@rule
def _listening(said: Said) -> list[Candidate]:
    held = value(said.rest[1:]) if said.next == "to" else ()
    is_taste = (
        held and held[0].low not in {"the", "a", "my", "some", "what", "people", "his", "her", "their", "every", "your"}
    ) or lows(held[:2]) == ("a", "lot")
    return (
        said.tells(f"to {shown(held)}", Category.PREFERENCE, "Says what they listen to.", confidence=0.9)
        if is_taste and len(held) <= 6
        else []
    )


@rule
def _learning(said: Said) -> list[Candidate]:
    """ "I'm learning to knit"."""
    held = value(said.rest, keep_when=True)
    is_told = said.verb == "learn" and said.tense in {Tense.GOING, Tense.LONG} and 0 < len(held) <= _MOST
    if not is_told or is_soon(held) or held[0].low in {"a", "from", "more", "about", "so", "the"}:
        return []
    return said.tells(held, Category.SKILL, "Says what they are learning.", confidence=0.9)
