"""Whether what a clause says holds for long: a habit, a trait, an event of a life; or passes with the hour.

In: a clause taken apart (`Said`). Out: yes or no. Both answers are careful: `lasts` is yes only where a
class of words says so, and `is_of_the_moment` likewise, so that neither is the denial of the other.

Start at `lasts`.
"""

from collections.abc import Callable, Sequence

from everlore.language import lasting as known
from everlore.language.clauses import Token, lows
from everlore.language.firstnames import FIRST_NAMES
from everlore.language.lists import listed, phrases_listed, tabled
from everlore.language.people import PLURAL_PETS
from everlore.language.verbs import base_of_gerund
from everlore.language.words import AILMENTS, BELONGINGS, KEPT, KINDS, NATIONS, STATES_OF, WORKS, words
from everlore.reflect.rules.phrase import is_number
from everlore.reflect.rules.said import Said, Tense
from everlore.reflect.rules.times import (
    head_of,
    is_for_life,
    is_for_long,
    is_idiom,
    names_date,
    plain,
    says_how_often,
    says_now,
    to_comma,
)

_NEAR = 7

# ── what passes ──────────────────────────────────────────────────────────────────────────────────


def is_of_the_moment(said: Said) -> bool:
    """Positively known to pass: a doing of now, a thought about the talk, an idiom."""
    if is_idiom(said.read.predicate):
        return True
    if said.verb == "be":
        return False
    if said.tense is Tense.GOING:
        return not _is_pursuit(said) and not names_date(said)
    if said.verb == "have":
        return said.tense is Tense.PRESENT and _is_passing_thing(said.rest) and head_of(said.rest) not in APPOINTMENTS
    if said.verb in known.EVENTS or says_how_often(said) or said.tense is Tense.USED or _is_repeated(said):
        return False
    if said.verb in known.THINKING:
        is_way_of_life = said.verb in known.TOIL | {"believe"} and is_sort(said)
        return not is_way_of_life and not _never_yet(said) and not _eats(said)
    return says_now(said.rest) and not is_for_long(said.rest)


def _is_repeated(said: Said) -> bool:
    """ "I've seen Hamilton four times", "I've read every Discworld book"."""
    if said.tense is not Tense.PERFECT or said.verb not in {"see", "watch", "read", "play", "do", "visit", "climb"}:
        return False
    low = lows(said.rest)
    is_each = low[:1] == ("every",) and _is_named(said.rest)
    return is_each or (len(low) > 2 and low[-1] == "times" and is_number(said.rest[-2]))


def _eats(said: Said) -> bool:
    """ "My partner eats meat": of somebody else it is how they live."""
    return not said.is_user and said.tense is Tense.PRESENT and said.verb in {"eat", "drink", "run"}


def _is_passing_thing(rest: Sequence[Token]) -> bool:
    return not rest or head_of(rest) in known.PASSING_THINGS or rest[0].low in {"to", "you", "your", "it", "that"}


# ── what lasts ───────────────────────────────────────────────────────────────────────────────────


def lasts(said: Said) -> bool:
    """Whether a class of words says that it holds for long."""
    if is_of_the_moment(said) or _is_of_code(said):
        return False
    match said.tense:
        case Tense.PRESENT if said.verb == "be":
            is_one = said.next in {"a", "an"} and _is_told_exactly(said) and said.rest[1].low not in _FIGURES
            return is_one or _is_lasting_state(said.rest) or (not said.is_user and _is_told_of(said))
        case Tense.PRESENT if said.verb == "have":
            return is_belonging(said)
        case Tense.PRESENT:
            return is_habit(said)
        case Tense.PAST if said.verb == "be":
            return _was_for_long(said) or (said.next in _HOLDING and _is_told_exactly(said))
        case Tense.PERFECT if said.verb == "be":
            return _has_been(said)
        case Tense.PERFECT:
            has_had = said.verb == "have" and is_ailment(said.rest[:4])
            return (
                has_had
                or _is_repeated(said)
                or is_event(said)
                or is_for_long(said.rest)
                or _never_yet(said)
                or _is_told_exactly(said)
            )
        case Tense.PAST:
            return is_event(said) or is_for_life(said.rest) or _is_told_exactly(said)
        case Tense.LONG:
            return is_for_long(said.rest) or _is_pursuit(said)
        case Tense.GOING:
            return _is_pursuit(said) or (names_date(said) and said.next not in _OF_THIS | {"ready"})
        case Tense.USED:
            return said.verb not in known.THINKING
        case Tense.CAN:
            return is_ability(said)
        case Tense.FUTURE:
            return said.verb not in known.THINKING and names_date(said) and said.next not in _OF_THIS
        case Tense.WOULD:
            return False


def _is_told_exactly(said: Said) -> bool:
    """With a name or a date: who says exactly where, when or with whom tells a piece of a life."""
    rest = to_comma(said.rest)
    low = lows(rest)
    if said.is_denied or said.next in _OF_THIS - {"over", "up", "out", "off", "back"} or "it" in low:
        return False
    if len(rest) == 1 and rest[0].low in FIRST_NAMES:
        # "I met Rosa": who says no more of it tells an hour, not a life.
        return False
    is_errand = says_now(rest) or low[-3:] == ("for", "the", "night") or (said.verb == "get" and said.next == "to")
    is_named = any(_is_name(token) and rest[at - 1].low not in KEPT for at, token in enumerate(rest))
    return not is_errand and (is_named or names_date(said))


def _is_name(token: Token) -> bool:
    return token.is_capital and token.text[1:2].islower()


def _is_told_of(said: Said) -> bool:
    """What somebody of theirs is: a sort of person, somewhere by name, held by something. A mood is none of these."""
    rest = plain(said.rest)
    if len(rest) < 2 or says_now(rest) or rest[0].low in _OF_THIS:
        return False
    if rest[0].low in {"a", "an"}:
        return rest[1].low not in _FIGURES
    if rest[0].low in _HOLDING | {"from"}:
        return any(_is_name(token) for token in rest[1:])
    return rest[1].low in _HOLDING and rest[0].low not in known.MOODS - _MAY_HOLD and len(rest) > 2


_HOLDING = listed("grammar.holding") - {"from"}
_MAY_HOLD = listed("traits.may_hold")
_FIGURES = listed("traits.figures")


def _is_of_code(said: Said) -> bool:
    """ "I have two tables in my database": true for as long as the work on it; "for a living" is another matter."""
    return (
        not known.OF_CODE.isdisjoint(lows(to_comma(said.rest)))
        and not says_how_often(said)
        and not is_for_long(said.rest)
    )


def _never_yet(said: Said) -> bool:
    """ "I've never seen the sea", "I haven't spoken to him in a year"."""
    if not said.is_denied or said.verb in known.THINKING - {"see", "eat", "drink", "miss"}:
        return False
    low = lows(said.rest)
    if {"such", "more", "so", "better", "this", "that", "yet", "it", "any", "anything", "like"}.intersection(low):
        return False
    return said.is_never or (
        low[-3:-2] == ("in",) and low[-1] in {"years", "months", "year", "decades", "weeks", "days"}
    )


def _has_been(said: Said) -> bool:
    is_long = is_for_long(said.rest) and said.next not in {"since", "for", "up", "awake", "here"}
    is_one = said.next in {"a", "an"} and head_of(said.rest) in WORKS | KINDS
    return is_long or is_one or _never_been(said) or (said.next in known.STANDING_PAST and len(said.rest) > 1)


def _never_been(said: Said) -> bool:
    """ "I've never been abroad", "never been on a plane"."""
    where = said.next in {"abroad", "to", "on", "married", "outside", "drunk", "kissed"} or said.next.endswith("ing")
    return said.is_never and where and len(said.rest) < _NEAR


APPOINTMENTS = listed("time.appointments")


def is_belonging(said: Said) -> bool:
    """Things that people keep: known ones, named ones ("a Steam Deck"), counted ones, and appointments with a date."""
    rest, head = said.rest, head_of(said.rest)
    if head in APPOINTMENTS:
        return not said.is_denied and (names_date(said) or "tomorrow" in lows(rest))
    if _is_passing_thing(rest) or says_now(rest) or (len(rest) > 1 and rest[0].low in {"my", "the", "this"}):
        return False
    if head in BELONGINGS | AILMENTS | KEPT or (head in known.BODY and not known.AILING.isdisjoint(lows(rest[:3]))):
        return True
    if said.is_denied or not known.OF_THE_TASK.isdisjoint(lows(rest[1:4])):
        return False
    is_named = _is_named(rest)
    is_model = len(rest) > 1 and rest[1].low[:1].isdecimal() and rest[1].low.isalnum()
    is_counted = is_number(rest[0]) and rest[0].low != "one" and head.endswith("s") and len(rest) > 1
    return (rest[0].low in {"a", "an"} and (is_named or is_model)) or is_counted or is_for_long(rest)


def _is_named(rest: Sequence[Token]) -> bool:
    return any(token.is_capital and token.text[:2].isalpha() for token in rest[1:5])


_OF_THIS = listed("grammar.of_this")
_MOVING = listed("grammar.where_to") - {"around", "across"} | {"slowly", "quickly", "quietly"}


def _is_verb(said: Said) -> bool:
    """Of one other person, a verb in the present ends in "s"."""
    is_third = said.is_user or said.is_many or said.is_denied or said.form.endswith("s") or said.verb in {"have", "be"}
    return said.verb.replace("-", "").isalpha() and said.verb not in _OF_THIS | {"my", "our", "the"} and is_third


def is_habit(said: Said) -> bool:
    """The simple present. Of somebody else it tells a habit nearly always; of the user it may be a move in a game."""
    if said.next in _OF_THIS or not _MOVING.isdisjoint(lows(said.rest)) or says_now(said.rest) or not _is_verb(said):
        return False
    if says_how_often(said):
        return said.verb not in known.THINKING - {"run", "eat", "drink", "go", "sleep", "call", "see"}
    if said.verb in known.PLANNED and names_date(said) and not (said.verb == "get" and said.next == "to"):
        return True
    own = _OWN_HABITS.get(said.verb)
    if own is not None:
        return own(said)
    is_move = said.next in {"the", "to", "with", "at"}
    if said.is_user and not is_move and said.verb not in known.THINKING and _is_told_exactly(said):
        return True
    return _is_standing(said) if said.is_user else _is_theirs(said)


# Verbs that tell a habit only with the right words after them.
_OWN_HABITS: dict[str, Callable[[Said], bool]] = {
    "get": lambda said: said.is_user and is_ailment(said.rest[:4]),
    "go": lambda said: said.next.endswith("ing") and not said.is_denied,
    "struggle": lambda said: said.next == "with" and is_ailment(said.rest[:5]),
    "start": lambda _: False,
}


def _is_theirs(said: Said) -> bool:
    is_known = said.verb not in known.THINKING or _eats(said)
    return is_known and said.verb not in {"love", "like"} and not said.next.endswith("ing")


def _is_standing(said: Said) -> bool:
    if said.verb == "do" and said.next in {"the", "all"}:
        # "I do the wiring for the theatre": what is done, and for whom.
        return not {"for", "at"}.isdisjoint(lows(said.rest[2:])) and not {"you", "your"} & set(lows(said.rest))
    if said.verb not in known.STANDING or (said.verb in {"speak", "dance"} and said.next in {"to", "with"}):
        return False
    if said.next in {"the", "my"} and lows(said.rest[:2]) != ("my", "own"):
        return said.verb in {"support", "coach", "manage", "chair", "captain"}
    return said.verb not in known.NEEDS_SORT or is_sort(said)


_NO_SORT = listed("grammar.not_generic") | listed("verbs.no_habit")


_KEPT_ONES = tabled("things.kept_ones") | {"use": BELONGINGS | tabled("things.kept_ones")["use"]}


_NO_KEEPING = listed("traits.no_keeping")


_PLACING = words("for at in on")


_CHORES = words("nothing anything something everything cleaning washing cooking shopping ironing talking thinking")


def _is_trade(said: Said) -> bool:
    """ "I do welding for a shipyard", "I keep homing pigeons"; not "I keep forgetting"."""
    after = lows(said.rest[1:3])
    if said.verb == "keep":
        return after[:1] != () and after[0] in PLURAL_PETS
    return said.next not in _CHORES and after[:1] in {("for",), ("at",), ("in",)}


def is_sort(said: Said) -> bool:
    """No article and no number: not this or that thing but the sort. "I use Arch", "I take lithium"."""
    first = said.next
    if said.verb in {"keep", "do"} and (first in _NO_KEEPING or (first.endswith("ing") and not _is_trade(said))):
        return False
    if lows(said.rest[:2]) == ("my", "own"):
        return len(said.rest) > 2
    if said.verb == "believe":
        return first == "in" and len(said.rest) > 1 and said.rest[1].low not in _OF_THIS
    if said.verb in known.TOIL and _PLACING.isdisjoint(lows(said.rest)):
        return False
    if first in {"a", "an"}:
        is_one = said.verb in {"run", "drive"} and len(said.rest) > 1
        is_one = is_one or (said.verb in {"use", "ride", "play"} and _is_named(said.rest))
        return is_one or not _KEPT_ONES.get(said.verb, frozenset()).isdisjoint(lows(said.rest[1:5]))
    return bool(first) and first not in _NO_SORT and not first.endswith("ly") and said.rest[0].is_word


def is_event(said: Said) -> bool:
    """Something of a life: a verb of the list, with one of its words near."""
    wanted = known.EVENTS.get(said.verb)
    # "Her exam" is her own, where it is said of her.
    fitting = {
        "into",
        "up",
        "out",
        "back",
        "here",
        "over",
        "myself",
        *(() if said.is_user else ("her", "his", "their")),
    }
    if wanted is None or said.next in _OF_THIS - fitting:
        return False
    if said.is_denied and not (said.is_never or said.tense is Tense.PERFECT):
        return False
    own = _OWN_EVENTS.get(said.verb)
    if own is not None:
        return own(said)
    if said.verb in {"get", "have", "buy", "sell", "take"}:
        return not wanted.isdisjoint((head_of(said.rest), *lows(said.rest[:3]))) and not _is_into_trouble(said)
    return not wanted or not wanted.isdisjoint(lows(said.rest[:_NEAR]))


def _near(said: Said) -> bool:
    return not known.EVENTS[said.verb].isdisjoint(lows(said.rest[:_NEAR]))


def _is_no_thing(said: Said) -> bool:
    """ "I quit drinking", unlike "I quit the app"."""
    return said.next not in {"the", "this", "that"} or _is_named(said.rest)


# Verbs whose words alone do not tell an event of a life from an errand.
_OWN_EVENTS: dict[str, Callable[[Said], bool]] = {
    "start": lambda said: _begins_for_long(said) if said.next.endswith("ing") else _near(said),
    "move": lambda said: said.next in known.EVENTS["move"],
    "pass": lambda said: _near(said) and (said.next != "the" or lows(said.rest[1:2]) in {("bar",), ("boards",)}),
    "run": lambda said: _near(said) and said.next in {"a", "an", "the", "my", "our", "for", "two", "three"},
    "stop": lambda said: _near(said) or _begins_for_long(said),
    "quit": _is_no_thing,
    "study": _is_no_thing,
    "survive": _is_no_thing,
    "visit": _is_no_thing,
}


def _is_into_trouble(said: Said) -> bool:
    """ "got into a bad spot", "got to go", "got it done", unlike "got into Oxford"."""
    if said.verb != "get":
        return False
    is_named = any(token.is_capital for token in said.rest)
    is_bad = said.next == "into" and lows(said.rest[1:2]) in {("a",), ("an",), ("the",)} and not is_named
    return is_bad or said.next == "to" or "done" in lows(said.rest)


def _begins_for_long(said: Said) -> bool:
    """ "I started learning the banjo", unlike "I started crying"."""
    base = base_of_gerund(said.next)
    return base in known.STANDING | known.PURSUITS and len(said.rest) > 1 and said.rest[1].low not in _OF_THIS


_MOST_OF_A_LIMIT = 2
_PARTS = words("morning afternoon evening night weekend")
_NO_LIMIT = listed("things.no_limit")


def _is_limit(said: Said) -> bool:
    """ "I can't do celery": what somebody does not bear."""
    held = [word for word in lows(to_comma(said.rest)) if word not in {"at", "all", "the"}]
    is_when = any(word.removesuffix("s") in known.UNITS | _PARTS for word in held)
    is_plain = 0 < len(held) <= _MOST_OF_A_LIMIT and _NO_LIMIT.isdisjoint(held) and not is_when
    return said.is_denied and said.verb == "do" and is_plain


def is_ability(said: Said) -> bool:
    low = lows(said.rest)
    if _is_limit(said):
        return True
    if said.verb not in known.SKILLS_WIDE or not {"you", "your", "it", "this", "that", "me"}.isdisjoint(low):
        return False
    if says_now(said.rest) or not (_MOVING | {"better", "again", "more"}).isdisjoint(low):
        return False
    return said.is_denied or said.verb not in known.SENSES


def _is_pursuit(said: Said) -> bool:
    """Going on for weeks: "I'm doing a masters"."""
    if said.next == "for" and not {"test", "exam", "quiz", "exams", "meeting"}.isdisjoint(lows(said.rest[:4])):
        return False
    if is_for_long(said.rest) or (said.is_denied and said.verb == "work"):
        return True
    if said.verb in known.PURSUITS:
        return said.next not in {"the", "this", "that", "your", "it"} and not says_now(said.rest)
    wanted = known.PURSUED.get(said.verb)
    return wanted is not None and not wanted.isdisjoint(lows(said.rest[:_NEAR])) and not says_now(said.rest)


def _is_lasting_state(rest: Sequence[Token]) -> bool:
    rest = plain(rest)
    if not rest:
        return False
    first = rest[0].low
    if first in known.CURED | NATIONS | STATES_OF:
        return len(rest) == 1 or not rest[1].is_word or rest[1].low in _AFTER_STATE
    if first in known.STANDING_AFTER:
        return not known.STANDING_AFTER[first].isdisjoint(lows(rest[1:5])) and "this" not in lows(rest[1:3])
    if lows(rest[:2]) in _STANDING_PAIRS:
        return True
    if first == "due" and len(rest) > 2:
        return rest[1].low in {"in", "on"} and rest[2].low in known.WHEN
    return is_measure(rest) or is_for_long(rest)


_STANDING_PAIRS = frozenset(phrases_listed("traits.pairs"))


_AFTER_STATE = listed("grammar.behind_an_adjective") | {"after", "these", "until"}


def is_measure(rest: Sequence[Token]) -> bool:
    """ "six foot four", "5'11", "180 cm tall"."""
    low = lows(rest[:6])
    if low and low[0][0].isdecimal() and low[0].endswith(("ft", "cm")):
        return True
    return bool(rest) and is_number(rest[0]) and not {"foot", "feet", "ft", "tall", "cm"}.isdisjoint(low[1:])


def _was_for_long(said: Said) -> bool:
    low = lows(said.rest)
    if not low:
        return False
    if low[0] in known.STANDING_PAST:
        # Where and when is told elsewhere; "born ready" tells nothing.
        return low[0] != "born" or low[1:2] in {("deaf",), ("blind",)}
    if low[0] in known.STANDING_AFTER:
        return not known.STANDING_AFTER[low[0]].isdisjoint(low[1:5])
    return is_for_long(said.rest)


def is_ailment(rest: Sequence[Token]) -> bool:
    return any(token.low in AILMENTS for token in rest)
