"""Which questions an answer of few words fits: a name, a place, a number, or what somebody plays, likes or fears.

In: `Asked`, a question's words and the answer's. Out: candidates, and none where the question's kind is not clear.

Start at `fitting`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from everlore.domain.memory import Category
from everlore.language.clauses import Read, Token, lows, tokens_of
from everlore.language.clauses.words import is_past_form
from everlore.language.firstnames import FIRST_NAMES
from everlore.language.lists import listed, phrases_listed
from everlore.language.verbs import base_of_past, third
from everlore.language.words import KEPT, LANGUAGES, NATIONS, PLACES, STATES_OF, WORKS, words
from everlore.reflect.candidate import Candidate
from everlore.reflect.rules.frames import place_in
from everlore.reflect.rules.identity import OLDEST, YOUNGEST, name_in
from everlore.reflect.rules.people import Kin, having, introduced
from everlore.reflect.rules.phrase import cut, is_number, is_telling, items, shown
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import USER, Said, Tense
from everlore.reflect.rules.telling import told
from everlore.reflect.rules.traits import HOLDS

_SURE = 0.85
_MOST_OF_JOB = 4
_MOST_OF_NAME = 3
_MOST_OF_VALUE = 6


@dataclass(frozen=True, slots=True)
class Asked:
    """`answer`: its bare words; `message`: all words of the message; `kin`: of whom the talk is, where it is."""

    question: tuple[Token, ...]
    answer: tuple[Token, ...]
    message: tuple[str, ...]
    read: Read
    kin: Kin | None

    @property
    def words(self) -> tuple[str, ...]:
        return lows(self.question)

    @property
    def plain(self) -> tuple[Token, ...]:
        """The answer without the capital of a sentence."""
        first = self.answer[0]
        is_name = first.low in NATIONS | LANGUAGES | PLACES | FIRST_NAMES or first.text[1:] != first.low[1:]
        is_name = is_name or (len(self.answer) > 1 and self.answer[1].is_capital)
        return self.answer if is_name else (Token(first.low, first.low, first.start, first.end), *self.answer[1:])

    @property
    def value(self) -> tuple[Token, ...]:
        """What it says, where that is something: "sometimes" and "no" are not."""
        held = _without_some(cut(self.plain, comma=False))
        return held if _is_value(held) else ()

    @property
    def denies(self) -> bool:
        return self.answer[0].low in _DENYING

    def has(self, *phrases: str) -> bool:
        return any(f" {each} " in f" {' '.join(self.words)} " for each in phrases)

    def said(self, verb: str, rest: Sequence[Token], tense: Tense = Tense.PRESENT) -> Said:
        return Said(self.read, USER, verb, tense, tuple(rest), verb)


_DENYING = words("no not never neither none nope nah")
_VAGUE = _DENYING | listed("talk.vague")
_SOME = listed("grammar.before_an_answer")


def _is_value(held: Sequence[Token]) -> bool:
    return bool(held) and is_telling(held) and len(held) <= _MOST_OF_VALUE and held[0].low not in _VAGUE


def _without_some(item: Sequence[Token]) -> tuple[Token, ...]:
    start = 0
    while start < len(item) - 1 and item[start].low in _SOME:
        start += 1
    return tuple(item[start:])


def fitting(asked: Asked) -> list[Candidate]:
    found = next((found for each in _RULES if (found := each(asked)) is not None), [])
    return [replace(each, confidence=min(each.confidence, _SURE)) for each in found]


def _candidate(content: str, category: Category = Category.PERSONAL_INFO) -> Candidate:
    return Candidate(content=content, category=category, confidence=_SURE, reasoning="Answers what they were asked.")


# ── who ──────────────────────────────────────────────────────────────────────────────────────────

_AFTER_A_NAME = listed("names.behind_when_asked")


@rule
def _name(asked: Asked) -> list[Candidate] | None:
    """ "What's your name?", and of one of theirs "What's your dog's name?"."""
    is_own = asked.has("i call you", "am i talking", "am i speaking", "your name")
    is_theirs = asked.kin is not None and not asked.kin.name and asked.words[-1] in {"name", "names", "called", "named"}
    if not is_own and not is_theirs:
        return None
    answer = asked.answer
    end = next((place for place, token in enumerate(answer) if place and token.low in _AFTER_A_NAME), len(answer))
    # "I forgot already" is no name.
    is_deed = len(answer) > 1 and not answer[1].is_capital and base_of_past(answer[0].low) is not None
    is_name = end <= _MOST_OF_NAME and not asked.denies and not is_deed
    found = name_in(answer[:end]) if is_name else ""
    if is_own or asked.kin is None or not found:
        return [_candidate(f"User's name is {found}")] if found else []
    return introduced(replace(asked.kin, name=shown(answer, capital=True) if asked.kin.is_many else found))


@rule
def _age(asked: Asked) -> list[Candidate] | None:
    if not asked.has("how old", "your age"):
        return None
    number = asked.answer[0].low
    if asked.has("are you", "your age"):
        is_age = number.isdigit() and YOUNGEST <= int(number[:4]) <= OLDEST
        return [_candidate(f"User is {number} years old")] if is_age else []
    if asked.kin is None or not is_number(asked.answer[0]):
        return []
    return told(replace(asked.said("be", asked.answer), label=asked.kin.label))


@rule
def _whom(asked: Asked) -> list[Candidate] | None:
    """ "Do you have any children?" "Four! All boys." """
    at = next((place for place, word in enumerate(asked.words) if word in KEPT), None)
    if at is None or not asked.has("do you have", "have you got", "how many"):
        return None
    answer = asked.plain
    if is_number(answer[0]) and (len(answer) == 1 or answer[1].low in {"of", ",", "in"}):
        noun = next((word for word in asked.message[1:5] if word in {"boys", "girls"}), asked.words[at])
        answer = (Token(answer[0].low, answer[0].low, 0, 0), Token(noun, noun, 0, 0))
    return having(asked.said("have", answer))


# ── where, and as what ───────────────────────────────────────────────────────────────────────────

_WHERE = {
    "live": ("lives", "in"), "living": ("lives", "in"), "based": ("is based", "in"), "from": ("is from", ""),
    "staying": ("is staying", "in"), "grow": ("grew up", "in"), "work": ("works", "at"), "study": ("studies", "in"),
}  # fmt: skip
_NEAR = words("outside near around by close in at")


@rule
def _home(asked: Asked) -> list[Candidate] | None:
    verb, near = next((_WHERE[word] for word in asked.words if word in _WHERE), ("", ""))
    if "where" not in asked.words or not verb:
        return None
    answer = asked.answer
    near = answer[0].low if near and answer[0].low in _NEAR else near
    where = place_in(answer[1:] if answer[0].low in _NEAR | {"from"} else answer)
    if asked.denies or not where or not is_telling(where) or where[0].low in _VAGUE | {"with"}:
        return []
    text = shown(asked.plain, capital=False) if where[0].low in {"a", "an", "the"} else shown(where, capital=True)
    return [_candidate(" ".join(f"User {verb} {near} {text}".split()))]


@rule
def _job(asked: Asked) -> list[Candidate] | None:
    asks = asked.has("do you do for work", "do you do for a living", "your job", "your profession", "your occupation")
    is_own = asks or asked.words[-4:] == ("what", "do", "you", "do")
    is_kins = asked.kin is not None and asked.words[-1:] == ("do",) and asked.has("does")
    if not is_own and not is_kins:
        return None
    answer = asked.plain[1:] if asked.answer[0].low in {"a", "an"} else asked.plain
    if not answer or answer[-1].low not in WORKS or len(answer) > _MOST_OF_JOB:
        return []
    article = "an" if answer[0].low[0] in "aeiou" else "a"
    label = asked.kin.label if is_kins and asked.kin is not None else USER
    category = Category.PERSONAL_INFO if label == USER else Category.RELATIONSHIP
    return [_candidate(f"{label} works as {article} {shown(answer)}", category)]


# ── what they like, do and are ───────────────────────────────────────────────────────────────────

_OWN = listed("traits.asked_for")


@rule
def _own(asked: Asked) -> list[Candidate] | None:
    """ "What's your star sign?" "Scorpio"; "And your favorite color?" "Green"."""
    what = asked.question[asked.words.index("your") + 1 :] if "your" in asked.words else ()
    if lows(what[:1]) == ("favorite",):
        return favorite(shown(what[1:4]), cut(asked.plain))
    if not 0 < len(what) < _MOST_OF_NAME or what[-1].low not in _OWN:
        return None
    held = cut(asked.answer)
    return [_candidate(f"User's {shown(what)} is {shown(held)}")] if _is_value(held) else []


@rule
def favorite(kind: str, rest: Sequence[Token]) -> list[Candidate]:
    held = cut(rest, comma=False)
    content = f"User's favorite {' '.join(kind.lower().split())} is {shown(held)}"
    return [_candidate(content, Category.PREFERENCE)] if _is_value(held) else []


_LIKED_BY = tuple(" ".join(phrase) for phrase in phrases_listed("tastes.asked_by"))


@rule
def _tastes(asked: Asked) -> list[Candidate] | None:
    """ "What kind of music are you into?" "Metal and some synthwave"."""
    if {"what", "which"}.isdisjoint(asked.words) or not asked.has(*_LIKED_BY):
        return None
    answer = [token for token in asked.plain if token.low not in {"some", "mostly", "mainly", "lots", "loads"}]
    found = [_without_some(item) for item in items(answer)]
    return [_candidate(f"User likes {shown(item)}", Category.PREFERENCE) for item in found if _is_value(item)]


@rule
def _prefers(asked: Asked) -> list[Candidate] | None:
    """ "Do you prefer mornings or evenings?" "Evenings"."""
    is_choice = asked.has("prefer") or (len(asked.words) == _MOST_OF_NAME and asked.words[1] == "or")
    if not is_choice or "or" not in asked.words:
        return None
    held = cut(asked.plain)
    is_one = bool(held) and held[-1].low in asked.words and held[-1].low != "or"
    return [_candidate(f"User prefers {shown(held).lower()}", Category.PREFERENCE)] if is_one else []


@rule
def _states(asked: Asked) -> list[Candidate] | None:
    """ "What are you afraid of?" "Moths"; "Are you married?" "Divorced", "Nine years now"."""
    pair = next((pair for pair in HOLDS if asked.has(f"you {pair[0]} {pair[1]}")), None)
    if pair is not None:
        content = f"User is {pair[0]} {pair[1]} {shown(asked.value)}"
        return [_candidate(content, HOLDS[pair])] if asked.value else []
    state = next((word for word in asked.words if word in STATES_OF and asked.has("are you")), "")
    if not state:
        return None
    if asked.answer[0].low in STATES_OF:
        return told(asked.said("be", cut(asked.plain)))
    return [_candidate(f"User is {state}")] if _is_span(asked.answer) else []


def _is_span(answer: Sequence[Token]) -> bool:
    """ "Going on nine years", "since 2010"."""
    rest = lows(answer)
    start = 2 if rest[:2] == ("going", "on") else 1 if rest[0] in {"for", "about", "nearly", "almost", "over"} else 0
    is_years = len(answer) > start + 1 and is_number(answer[start]) and rest[start + 1] in {"years", "months", "year"}
    return is_years or (rest[0] == "since" and len(rest) > 1)


_DONE = listed("verbs.asked_for")
_GOING_ON = words("studying training learning teaching building")


@rule
def _doing(asked: Asked) -> list[Candidate] | None:
    """ "Do you play any instruments?" "A bit of ukulele"; "What are you studying?" "Marine engineering"."""
    if asked.words[-1:] and asked.words[-1] in _GOING_ON and asked.has("what are you"):
        return [_candidate(f"User is {asked.words[-1]} {shown(asked.value)}")] if asked.value else []
    at = next((place for place, word in enumerate(asked.words) if place > 1 and word in _DONE), None)
    if at is None or asked.words[at - 2 : at] != ("do", "you"):
        return None
    verb = asked.words[at]
    if asked.denies:
        return _not_doing(asked, verb, asked.question[at + 1 :])
    if not asked.value or is_past_form(asked.value[0].low):
        return []
    text = shown(asked.value)
    return told(asked.said(verb, tokens_of(text))) or [_candidate(f"User {third(verb)} {text}", Category.PREFERENCE)]


@rule
def _not_doing(asked: Asked, verb: str, of: Sequence[Token]) -> list[Candidate]:
    """A bare "no" says too little; "not since my thirties" is meant."""
    is_meant = asked.answer[0].low == "never" or lows(asked.answer[:2]) in {("not", "since"), ("not", "any-more")}
    what = shown([token for token in of if token.low not in {"any", "much", "a", "lot", "of"}])
    is_short = 0 < len(what.split()) <= _MOST_OF_NAME
    return [_candidate(f"User does not {verb} {what}", Category.PREFERENCE)] if is_meant and is_short else []


@rule
def _long(asked: Asked) -> list[Candidate] | None:
    """ "How long have you been married?" "Twelve years"."""
    if not asked.has("how long have you been"):
        return None
    what = asked.question[asked.words.index("been") + 1 :]
    is_clear = 0 < len(what) <= _MOST_OF_VALUE and {"you", "your", "there", "here", "this", "it"}.isdisjoint(lows(what))
    span = shown(asked.answer) if asked.answer[0].low in {"since", "for"} else f"for {shown(asked.answer).lower()}"
    is_told = is_clear and _is_span(asked.answer)
    return [_candidate(f"User has been {shown(what)} {span}", Category.EXPERIENCE)] if is_told else []


_RULES: tuple[Callable[[Asked], list[Candidate] | None], ...] = (
    _name, _age, _whom, _long, _own, _home, _job, _tastes, _prefers, _states, _doing,
)  # fmt: skip
