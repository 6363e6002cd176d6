"""What the last message is: a greeting, a question about whom, a request, a feeling, a statement.

In: a message. Out: an `Asked` that names its kind and, for a question, what it is after. By word lists
alone, in one pass. Start at `understand`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from everlore.models.voice.aspects import ASPECTS, WORK, Aspect
from everlore.models.voice.delicate import is_bad_news, is_in_danger, is_insult, is_wish_to_forget
from everlore.models.voice.phrases import (
    ASKED_REQUESTS,
    ASKING_LEADS,
    CHARACTER_PLACE,
    DEGREES,
    DENIALS,
    ENGLISH,
    EPITHETS,
    FAREWELLS,
    FEELING_LINKS,
    FILLERS,
    GREETINGS,
    HAPPY,
    HELPERS,
    HOW_ARE_YOU,
    LAST_TALKS,
    LAST_TIME_CUES,
    OPINIONS,
    OVERVIEWS,
    QUESTION_WORDS,
    RECALLING,
    REQUESTS,
    SAD,
    SELF,
    SOMEBODY,
    THANKS,
    TOLD_CUES,
    WE,
    YOU,
)
from everlore.models.voice.plain import ends_as_question, sentences, without_lead
from everlore.models.voice.stems import bare_words, has, spaced, stems_of, words_of

_MOST_SMALL_TALK = 7
_CONTRACTED = frozenset({"whats", "whos", "wheres", "whens", "hows"})
_CLAUSE_LEADS = frozenset({"and", "but", "so", "ok", "okay", "well", "oh"})
_SAYING = frozenset({"say", "name", "spell", "recall"})
_BETWEEN_CLAUSES = re.compile(r"\s*[,;–—]\s+(?:(?:and|but)\s+)?|\s+(?:and|but)\s+", re.IGNORECASE)
_MOST_CLAUSES = 12
_NEAR_START = 5
_OWN_STARTS = frozenset({"i", "im", "ive", "my", "we"})
_ARTICLES = frozenset({"a", "an", "some", "anoth"})


class Kind(StrEnum):
    GREETING = "greeting"
    FAREWELL = "farewell"
    THANKS = "thanks"
    OF_USER = "of_user"
    OVERVIEW = "overview"
    TOLD_ABOUT = "told_about"
    LAST_TIME = "last_time"
    OF_CHARACTER = "of_character"
    OPINION = "opinion"
    OTHER_QUESTION = "other_question"
    REQUEST = "request"
    DANGER = "danger"
    INSULT = "insult"
    FORGET = "forget"
    BAD_NEWS = "bad_news"
    SAD = "sad"
    HAPPY = "happy"
    STATEMENT = "statement"
    ELSE = "else"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """`subjects`: stems of what is asked after; `is_of_user`: the user is who it is about, not somebody of theirs.

    `stems` is the question as `stems.spaced` makes it, without what led up to it; `thing` is what it calls "my".
    """

    kind: Kind
    stems: str = ""
    aspect: Aspect | None = None
    subjects: frozenset[str] = frozenset()
    is_of_user: bool = False
    thing: str = ""


def understand(message: str, name: str = "") -> Asked:
    """`name`: of the character who is spoken to."""
    said = parts_of(message)
    # Before all else: in danger nobody is told where they live.
    if is_in_danger(message):
        return Asked(kind=Kind.DANGER)
    last = _kind_of_delicate(said[-1:])
    if last is not None:
        return Asked(kind=last)
    questions = [sentence for sentence in said if is_question(sentence)]
    return _question(questions[-1], name) if questions else Asked(kind=_kind_of_saying(said))


def parts_of(message: str) -> list[str]:
    """Its sentences; "I'm Anna, what's your name?" is a statement and a question, "I moved, bye" one and a farewell."""
    return [part for sentence in sentences(message) for part in _parts(sentence)]


def _parts(sentence: str) -> list[str]:
    before, comma, after = sentence.rpartition(", ")
    first = bare_words(without_lead(after))[:1]
    is_two = ends_as_question(sentence) and bool(first) and set(first) <= QUESTION_WORDS | _CONTRACTED
    if comma and is_two:
        return [before, after]
    return _two_parts(sentence) or [sentence]


def _two_parts(sentence: str) -> list[str]:
    """Split before a last clause that is small talk, or behind a first one that only says what is not so."""
    ends = list(_BETWEEN_CLAUSES.finditer(sentence))[:_MOST_CLAUSES]
    for end in reversed(ends):
        before, after = sentence[: end.start()], sentence[end.end() :]
        if not before.strip():
            continue
        if _parting(after) is not None:
            return [*(_two_parts(before) or [before]), after]
        if _is_denied_first(before, after):
            return [before, after]
    return []


def _is_denied_first(before: str, after: str) -> bool:
    """ "I don't live in Oslo anymore, | I live in Tromsø"."""
    is_own = set(bare_words(after)[:1]) <= _OWN_STARTS and len(words_of(after)) > 2
    return is_own and is_denied(spaced(before))


def is_denied(stems: str) -> bool:
    """Says of the user what is not so: "I don't live in Oslo", "my name is not Anna", "I no longer work"."""
    words = stems.split()
    return bool(_OWN_STARTS & set(words[:1])) and not DENIALS.isdisjoint(words[1:_NEAR_START])


# ── questions ────────────────────────────────────────────────────────────────────────────────────


def is_question(sentence: str) -> bool:
    """Also without a question mark: "what is my name", "tell me where I live"."""
    words = bare_words(without_lead(sentence))[:6]
    if ends_as_question(sentence) or not words:
        return bool(words)
    if words[:2] in (["tell", "me"], ["remind", "me"]):
        return _asks_for_known(words[2:])
    if words[0] in _SAYING:
        return set(words[1:2]) <= QUESTION_WORDS | {"my", "your"}
    if words[0] in QUESTION_WORDS:
        return bool(HELPERS & set(words[1:4])) and not _is_clause(words)
    return words[0] in _CONTRACTED or (words[0] in HELPERS and set(words[1:2]) <= SELF | YOU | WE | SOMEBODY)


def _asks_for_known(rest: Sequence[str]) -> bool:
    """ "tell me my name", "tell me about yourself"; not "tell me a story"."""
    if not rest or rest[0] in QUESTION_WORDS | {"my", "your", "if", "whether"}:
        return True
    return rest[0] not in _ARTICLES - {"some"} and bool((SELF | YOU) & set(rest))


def _is_clause(words: Sequence[str]) -> bool:
    """ "When I was young", "What I did", "How nice": a subordinate clause or an exclamation."""
    return words[0] != "which" and words[1] in SELF | YOU | WE | SOMEBODY | {"a", "nice"}


def _question(sentence: str, name: str) -> Asked:
    whole = stems_of(sentence)
    stems, is_recalling = _without_leads(whole, stems_of(name))
    rest = f" {' '.join(stems)} "
    is_english = not ENGLISH.isdisjoint(whole)
    kind = _kind(stems, rest, is_recalling=is_recalling) if is_english else Kind.OTHER_QUESTION
    # "What did I tell you about my sister's job?" asks about the job.
    about = stems[stems.index("about") + 1 :] if kind is Kind.TOLD_ABOUT and "about" in stems else stems
    aspect = _aspect(f" {' '.join(about)} ")
    subjects = frozenset(_subjects(about, aspect))
    if kind in (Kind.OF_USER, Kind.TOLD_ABOUT) and aspect is None and not subjects:
        kind = Kind.OVERVIEW
    is_of_user = _is_of_user(about, aspect)
    thing = _thing(words_of(sentence))
    return Asked(kind=kind, stems=rest, aspect=aspect, subjects=subjects, is_of_user=is_of_user, thing=thing)


def _without_leads(stems: list[str], name: list[str]) -> tuple[list[str], bool]:
    """What is left of a question behind its leads, and whether they asked to remember."""
    is_recalling = False
    leads = [lead.split() for lead in ASKING_LEADS] + ([name, name[:1]] if name else [])
    while True:
        lead = next((lead for lead in leads if stems[: len(lead)] == lead), None)
        if lead is None:
            return stems, is_recalling
        is_recalling = is_recalling or has(f" {' '.join(lead)} ", RECALLING)
        stems = stems[len(lead) :]


def _kind(stems: Sequence[str], rest: str, *, is_recalling: bool) -> Kind:
    if not stems or rest in OVERVIEWS or _is_overview(stems, rest):
        return Kind.OVERVIEW
    if has(rest, TOLD_CUES) and ("about" in stems or _aspect(rest) is None):
        return Kind.TOLD_ABOUT
    if has(rest, LAST_TALKS) or (has(rest, LAST_TIME_CUES) and WE & set(stems)):
        return Kind.LAST_TIME
    if is_recalling and stems[0] in _ARTICLES:
        return Kind.REQUEST
    return _kind_of_whom(stems, rest, is_recalling=is_recalling)


def _kind_of_whom(stems: Sequence[str], rest: str, *, is_recalling: bool) -> Kind:
    words = set(stems)
    if has(rest, HOW_ARE_YOU) or has(rest, CHARACTER_PLACE):
        return Kind.OF_CHARACTER
    if has(rest, OPINIONS):
        return Kind.OPINION if SELF & words or "think" in words else Kind.OF_CHARACTER
    if any(rest.startswith(request) for request in ASKED_REQUESTS):
        return Kind.REQUEST
    # "Are you my friend?" is asked of the character, although "my" is in it.
    is_of_you = stems[0] in HELPERS and set(stems[1:2]) <= YOU
    if SELF & words and not is_of_you:
        is_naming = is_recalling and _aspect(rest) is None and not QUESTION_WORDS & words
        return Kind.TOLD_ABOUT if is_naming else Kind.OF_USER
    if YOU & words:
        return Kind.OF_CHARACTER
    return Kind.TOLD_ABOUT if is_recalling and not QUESTION_WORDS & words else Kind.OTHER_QUESTION


def _is_overview(stems: Sequence[str], rest: str) -> bool:
    """ "What do you know about me?", "What have I told you so far?", "What do you remember?" """
    is_of_me = "about" in stems and stems[-1] in SELF and has(rest, RECALLING)
    is_told = has(rest, RECALLING) and "about" not in stems and not set(stems) - FILLERS - {"far"}
    return is_told or is_of_me


# "What does my aunt do?"
_TRADE = re.compile(r"what doe? (?:\w{1,30} ){1,3}do")


def _aspect(rest: str) -> Aspect | None:
    found = next((aspect for aspect in ASPECTS if has(rest, aspect.asks)), None)
    return WORK if found is None and _TRADE.fullmatch(rest.strip()) else found


def _subjects(stems: Sequence[str], aspect: Aspect | None) -> list[str]:
    known = FILLERS | (aspect.own_words if aspect else frozenset())
    return [stem for stem in stems if stem not in known]


def _is_of_user(stems: Sequence[str], aspect: Aspect | None) -> bool:
    """ "Where do I live", "my age"; not "where does my sister live"."""
    if {"i", "im", "ive", "id"} & set(stems):
        return True
    return aspect is not None and any(one == "my" and other in aspect.own_words for one, other in pairwise(stems))


def _thing(words: Sequence[str]) -> str:
    """ "sister" of "what is my sister's name"."""
    low = [word.lower() for word in words]
    behind = low[low.index("my") + 1 :] if "my" in low else []
    thing = next((place for place, word in enumerate(behind) if word not in EPITHETS), len(behind))
    return " ".join(behind[: thing + 1]).removesuffix("'s")


# ── everything else ──────────────────────────────────────────────────────────────────────────────


def _kind_of_saying(said: Sequence[str]) -> Kind:
    kind = _kind_of_delicate(said)
    if kind is None and any(is_bad_news(each) for each in said):
        kind = Kind.BAD_NEWS
    return kind or _parting(said[-1] if said else "") or _kind_of_plain_saying(said)


def _kind_of_delicate(said: Sequence[str]) -> Kind | None:
    if any(is_wish_to_forget(each) for each in said):
        return Kind.FORGET
    return Kind.INSULT if any(is_insult(each) for each in said) else None


def _parting(clause: str) -> Kind | None:
    """Thanks or a farewell, also behind an "ok" or an "and"."""
    words = stems_of(clause)[: _MOST_SMALL_TALK + 2]
    lead = next((place for place, word in enumerate(words) if word not in _CLAUSE_LEADS), len(words))
    stems = f" {' '.join(words[lead:])} "
    kinds = ((Kind.THANKS, THANKS), (Kind.FAREWELL, FAREWELLS))
    return next((kind for kind, phrases in kinds if _is_small_talk(stems, phrases)), None)


def _kind_of_plain_saying(said: Sequence[str]) -> Kind:
    stems = spaced(" ".join(said[:3]))
    for kind, phrases in ((Kind.THANKS, THANKS), (Kind.FAREWELL, FAREWELLS), (Kind.GREETING, GREETINGS)):
        if _is_small_talk(stems, phrases):
            return kind
    statement = next((without_lead(each) for each in said if not is_small_talk(without_lead(each))), "")
    return _kind_of_statement(bare_words(statement))


def is_small_talk(sentence: str) -> bool:
    stems = spaced(sentence)
    return any(_is_small_talk(stems, phrases) for phrases in (THANKS, FAREWELLS, GREETINGS))


def _is_small_talk(stems: str, phrases: Sequence[str]) -> bool:
    """Short, and it starts so; what follows tells nothing of the user: "Hi, I'm Anna" is more than a greeting."""
    start = next((phrase for phrase in phrases if stems.startswith(phrase)), None)
    if start is None or len(stems.split()) > _MOST_SMALL_TALK:
        return False
    return not {"i", "im", "my", "ive"} & set(stems[len(start) :].split())


def _kind_of_statement(words: Sequence[str]) -> Kind:
    if not words:
        return Kind.ELSE
    if words[0] in REQUESTS or any(f" {' '.join(words)} ".startswith(request) for request in ASKED_REQUESTS):
        return Kind.REQUEST
    feeling = _feeling(words)
    if feeling in SAD:
        return Kind.SAD
    if feeling in HAPPY:
        return Kind.HAPPY
    return Kind.STATEMENT if len(words) > 1 else Kind.ELSE


def _feeling(words: Sequence[str]) -> str:
    """The word after "I am", "I feel so" …; empty where something else follows."""
    if words[0] not in ("i", "im", "ive"):
        return ""
    links = [place for place, word in enumerate(words[:4]) if word in FEELING_LINKS]
    behind = words[links[-1] + 1 :] if links else []
    return next((word for word in behind if word not in DEGREES), "")
