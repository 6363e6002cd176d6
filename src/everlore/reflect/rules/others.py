"""Clauses whose subject is neither "I" nor "my …", and which tell of the user all the same.

"Mum's a nurse" is the user's mother, "Shanice from work" a colleague; "the baby's due in May" is theirs, and so is a
taste in "autumn > summer" or "country music does nothing for me".

Start at `stated`.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from everlore.domain.memory import Category
from everlore.reflect.candidate import Candidate
from everlore.reflect.clauses import Read, Token, lows
from everlore.reflect.rules import bonds, home, identity, past, plans, skills, tastes, traits, work
from everlore.reflect.rules.people import Kin, bare_kin, introduced
from everlore.reflect.rules.phrase import cut, is_telling, shown
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import Said, said_of
from everlore.reflect.rules.times import says_now
from everlore.reflect.rules.words import MONTHS, words

Rule = Callable[[Said], list[Candidate]]

_MOST = 6
_OF_KIN: tuple[Rule, ...] = (
    identity.aged,
    traits.lasting,
    traits.ailing,
    bonds.stated,
    plans.stated,
    home.moving,
    tastes.stated,
    skills.stated,
    home.stated,
    work.stated,
    past.stated,
)


@rule
def stated(read: Read) -> list[Candidate]:
    return _of_bare_kin(read) or _from_work(read) or _due(read) or _compared(read) or _judged(read)


# ── people without "my" ──────────────────────────────────────────────────────────────────────────


@rule
def _of_bare_kin(read: Read) -> list[Candidate]:
    """ "Dad's from Leeds", "nan died in January"."""
    tokens = (*read.subject, *read.predicate)
    kin = bare_kin(tokens)
    if kin is None or read.front:
        return []
    predicate = _has(tokens[kin.end :])
    said = said_of(_with_predicate(read, predicate), kin.label) if predicate else None
    found = next((told for each in _OF_KIN if (told := each(said))), []) if said is not None else []
    return [*introduced(kin), *found]


def _has(predicate: Sequence[Token]) -> Sequence[Token]:
    """ "'s been" and "'s got" are of "has"."""
    if lows(predicate[:1]) == ("'s",) and lows(predicate[1:2]) in {("been",), ("got",)}:
        return (Token("has", "has", predicate[0].start, predicate[0].end), *predicate[1:])
    return predicate


def _with_predicate(read: Read, predicate: Sequence[Token]) -> Read:
    return Read(read.clause, read.lead, read.front, read.subject, tuple(predicate), read.sentence)


@rule
def _from_work(read: Read) -> list[Candidate]:
    """ "Shanice from work is leaving"."""
    tokens = (*read.subject, *read.predicate)
    if len(tokens) < 3 or not tokens[0].is_capital or not tokens[0].text.isalpha():
        return []
    where = lows(tokens[1:3])
    kind = {"work": "colleague", "school": "schoolfriend", "uni": "friend", "church": "friend"}.get(where[1])
    if where[0] != "from" or kind is None or tokens[0].low in {"i", "back", "home", "people", "someone", "everyone"}:
        return []
    return introduced(Kin(kind, "colleague", tokens[0].text, 3))


# ── dates ────────────────────────────────────────────────────────────────────────────────────────

_BOOKED = words(
    "surgery operation op wedding flight interview appointment exam exams scan chemo baby graduation funeral hearing "
    "defence defense viva honeymoon audition biopsy induction"
)
_DATE = MONTHS | words(
    "monday tuesday wednesday thursday friday saturday sunday christmas easter halloween next week month year summer"
)


@rule
def _due(read: Read) -> list[Candidate]:
    """ "The baby's due on Halloween", "surgery's booked for 14 January"."""
    tokens = (*read.subject, *read.predicate)
    low = lows(tokens)
    start = 1 if low[:1] == ("the",) else 0
    if len(low) < start + 4:
        return []
    if low[start] not in _BOOKED or low[start + 1] not in {"is", "'s", "are"}:
        return _delivered(read)
    held = cut(tokens[start + 2 :], keep_when=True)
    if not held or len(held) > _MOST or held[0].low not in {"due", "booked", "scheduled", "on", "in", "set"}:
        return []
    if not any(token.low in _DATE or token.low[:1].isdigit() for token in held):
        return []
    be = "are" if low[start + 1] == "are" else "is"
    return _fact(f"User's {low[start]} {be} {shown(held)}", Category.PERSONAL_INFO, "Says when it is.")


_TASKS = words("essay assignment homework rent bill payment report paper library tax coursework project")


@rule
def _delivered(read: Read) -> list[Candidate]:
    """ "Book two is due on the 30th": a thing of no other person, and a date."""
    subject, low = read.subject, lows(read.predicate)
    is_due = low[:2] in {("is", "due"), ("'s", "due"), ("are", "due"), ("comes", "out")} and not read.front
    held = cut(read.predicate[1:], keep_when=True)
    if not is_due or not 0 < len(subject) <= _MOST - 2 or not 2 < len(held) <= _MOST:
        return []
    is_own = _NO_THING.isdisjoint(lows(subject)) and subject[0].low not in {"your", "his", "her", "their"}
    is_dated = any(token.low in _DATE or token.low[:1].isdigit() for token in held)
    if not is_own or not is_dated or not _TASKS.isdisjoint(lows(subject)):
        return []
    what = shown(subject[1:] if subject[0].low == "the" else subject)
    be = "are" if low[0] == "are" else "is"
    return _fact(f"User's {what[:1].lower() + what[1:]} {be} {shown(held)}", Category.GOAL, "Says when it is due.")


# ── tastes ───────────────────────────────────────────────────────────────────────────────────────

_NO_THING = words("it that this these those he she they you we there what which who nothing everything")


@rule
def _compared(read: Read) -> list[Candidate]:
    """ "Autumn > summer", "tea over coffee any day"."""
    tokens = (*read.front, *read.subject, *read.predicate)
    low = lows(tokens)
    mark = next((place for place, word in enumerate(low[:_MOST]) if word in {">", ">>", ">>>", "over"}), 0)
    if not mark or (low[mark] == "over" and not _is_always(low)) or "<" in low:
        return []
    while low[mark + 1 : mark + 2] == (">",):
        tokens, low = (*tokens[:mark], *tokens[mark + 1 :]), (*low[:mark], *low[mark + 1 :])
    first, second = cut(tokens[:mark]), cut(_before_always(tokens[mark + 1 :]))
    is_pair = _is_thing(first) and _is_thing(second)
    content = f"User prefers {shown(first)} to {shown(second)}"
    return _fact(content, Category.PREFERENCE, "Puts one above the other.") if is_pair else []


def _is_always(low: Sequence[str]) -> bool:
    return ("any", "day") in set(pairwise(low)) or "always" in low or ("every", "time") in set(pairwise(low))


def _before_always(tokens: Sequence[Token]) -> Sequence[Token]:
    ends = words("any always every all hands")
    end = next((place for place, token in enumerate(tokens) if place and token.low in ends), len(tokens))
    return tokens[:end]


def _is_thing(tokens: Sequence[Token]) -> bool:
    return (
        0 < len(tokens) <= 4
        and is_telling(tokens)
        and tokens[0].low not in _NO_THING
        and all(len(token.low) > 1 and token.low.replace("-", "").replace("'", "").isalpha() for token in tokens)
    )


_HIS_OWN = {
    ("my", "jam"): "likes", ("my", "thing"): "likes", ("my", "happy", "place"): "loves", ("my", "bag"): "likes",
    ("my", "cup", "of", "tea"): "likes", ("my", "guilty", "pleasure"): "likes", ("my", "comfort", "food"): "likes",
    ("my", "kryptonite"): "cannot resist", ("my", "life"): "loves", ("my", "love"): "loves", ("my", "bread"): "likes",
    ("my", "idea", "of", "fun"): "likes", ("my", "idea", "of", "hell"): "hates", ("my", "worst", "nightmare"): "hates",
    ("my", "pet", "peeve"): "hates", ("my", "nemesis"): "hates", ("my", "everything"): "loves",
}  # fmt: skip
_GIVES = words("headaches headache migraines migraine hives heartburn rash anxiety nightmares")


@rule
def _judged(read: Read) -> list[Candidate]:
    """ "Country music does nothing for me", "karaoke is my jam", "cats give me hives"."""
    subject, predicate = _parted(read)
    held = cut(subject)
    if not _is_thing(held) or held[0].low in {"my", "your", "the", "our"}:
        return []
    low = lows(predicate)
    thing = shown(held)
    if low[:1] in {("do",), ("does",)} and "nothing" in low[1:3] and low[-2:] == ("for", "me"):
        return _fact(f"User does not like {thing}", Category.PREFERENCE, "Says that it leaves them cold.")
    if low[:1] in {("is",), ("are",), ("'s",)}:
        return _called_mine(thing, low[1:])
    if low[1:2] == ("me",) and low[0] in _STIRS and not says_now(predicate):
        return _stirred(thing, low)
    if low[:2] in {("give", "me"), ("gives", "me")} and _GIVES.intersection(low[2:5]):
        return _fact(f"User gets {shown(cut(predicate[2:]))} from {thing}", Category.PERSONAL_INFO, "Says so.")
    return []


def _parted(read: Read) -> tuple[Sequence[Token], Sequence[Token]]:
    """The thing and what it does, also where its verb is one that only "me" after it gives away."""
    tokens = (*read.subject, *read.predicate)
    at = next((place for place, word in enumerate(lows(tokens[:_MOST])) if place > 1 and word == "me"), 0)
    is_stir = at and (tokens[at - 1].low in _STIRS or tokens[at - 1].low in {"give", "gives"})
    return (tokens[: at - 1], tokens[at - 1 :]) if is_stir else (read.subject, read.predicate)


# What a thing does to somebody, and what that makes of it.
_STIRS = {
    **dict.fromkeys(words("annoy annoys irritate irritates bother bothers bore bores disgusts disgust"), "dislikes"),
    **dict.fromkeys(words("scare scares terrify terrifies frighten frightens spook spooks"), "is scared of"),
    **dict.fromkeys(words("fascinate fascinates relax relaxes soothe soothes"), "likes"),
    **dict.fromkeys(words("drive drives freak freaks creep creeps gross grosses"), ""),
}
_STIRRED_BY = {
    ("crazy",): "dislikes", ("mad",): "dislikes", ("nuts",): "dislikes", ("insane",): "dislikes",
    ("up", "the", "wall"): "dislikes", ("out",): "is scared of",
}  # fmt: skip


@rule
def _stirred(thing: str, low: Sequence[str]) -> list[Candidate]:
    """ "Traffic drives me crazy", "clowns freak me out"."""
    verb = _STIRS[low[0]] or next((_STIRRED_BY[key] for key in _STIRRED_BY if tuple(low[2 : 2 + len(key)]) == key), "")
    verb = "dislikes" if low[0] in {"gross", "grosses"} else verb
    return _fact(f"User {verb} {thing}", Category.PREFERENCE, "Says what it does to them.") if verb else []


@rule
def _called_mine(thing: str, low: Sequence[str]) -> list[Candidate]:
    is_denied = "not" in low[:2]
    at = low.index("my") if "my" in low[:4] else None
    verb = next((_HIS_OWN[key] for key in _HIS_OWN if at is not None and tuple(low[at : at + len(key)]) == key), "")
    if not verb or (is_denied and verb != "likes"):
        return []
    shown_verb = "does not like" if is_denied else verb
    return _fact(f"User {shown_verb} {thing}", Category.PREFERENCE, "Says what it is to them.")


@rule
def _fact(content: str, category: Category, reason: str) -> list[Candidate]:
    return [Candidate(content=content, category=category, confidence=0.85, reasoning=reason)]
