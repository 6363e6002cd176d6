"""Which questions an answer of few words fits: a name, a place, a number, or what somebody plays, likes or fears.

In: `Asked`, a question's words and the answer's. Out: candidates, and none where the question's kind is not clear.

Start at `fitting`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from everlore.domain.memory import Category
from everlore.reflect.candidate import Candidate
from everlore.reflect.clauses import Read, Token, lows, tokens_of
from everlore.reflect.clauses.words import is_past_form
from everlore.reflect.rules.firstnames import FIRST_NAMES
from everlore.reflect.rules.frames import place_in
from everlore.reflect.rules.identity import OLDEST, YOUNGEST, name_in
from everlore.reflect.rules.people import Kin, having, introduced
from everlore.reflect.rules.phrase import cut, is_number, is_telling, items, shown
from everlore.reflect.rules.rule import rule
from everlore.reflect.rules.said import USER, Said, Tense
from everlore.reflect.rules.telling import told
from everlore.reflect.rules.verbs import third
from everlore.reflect.rules.words import KEPT, LANGUAGES, NATIONS, PLACES, STATES_OF, WORKS, words

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

    def has(self, phrase: str) -> bool:
        return f" {phrase} " in f" {' '.join(self.words)} "

    def said(self, verb: str, rest: Sequence[Token], tense: Tense = Tense.PRESENT) -> Said:
        return Said(self.read, USER, verb, tense, tuple(rest), verb)


def fitting(asked: Asked) -> list[Candidate]:
    for each in _RULES:
        found = each(asked)
        if found is not None:
            return [replace(each, confidence=min(each.confidence, _SURE)) for each in found]
    return []


def _candidate(content: str, category: Category) -> Candidate:
    return Candidate(content=content, category=category, confidence=_SURE, reasoning="Answers what they were asked.")


@rule
def favorite(kind: str, rest: Sequence[Token]) -> list[Candidate]:
    held = cut(rest, comma=False)
    if not held or not is_telling(held) or len(held) > _MOST_OF_VALUE or held[0].low in _DENYING:
        return []
    return [_candidate(f"User's favorite {' '.join(kind.lower().split())} is {shown(held)}", Category.PREFERENCE)]


_DENYING = words("no not never neither none nope nah")
_AFTER_A_NAME = words("is works but to for though please will , here")
_VAGUE = words(
    "sometimes often rarely occasionally every when whenever depends lots loads tons plenty too very yes no not never "
    "maybe good bad fine great okay well quite really pretty kind sort once twice daily weekly all any none enough "
    "much many more less here there now then soon later ages years since because only"
)


# ── who ──────────────────────────────────────────────────────────────────────────────────────────


@rule
def _name(asked: Asked) -> list[Candidate] | None:
    if not any(map(asked.has, ("i call you", "am i talking", "am i speaking", "your name"))):
        return None
    answer = asked.answer
    end = next((place for place, token in enumerate(answer) if place and token.low in _AFTER_A_NAME), len(answer))
    found = name_in(answer[:end]) if end <= _MOST_OF_NAME else ""
    return [_candidate(f"User's name is {found}", Category.PERSONAL_INFO)] if found and not _denies(asked) else []


@rule
def _kin_name(asked: Asked) -> list[Candidate] | None:
    """ "What's your dog's name?" "Pickle"."""
    is_name = asked.words[-1:] in {("name",), ("called",), ("names",), ("named",)} and not asked.has("your name")
    if not is_name or asked.kin is None or asked.kin.name:
        return None
    found = name_in(asked.answer) if len(asked.answer) <= _MOST_OF_NAME else ""
    found = shown(asked.answer, capital=True) if asked.kin.is_many else found
    return introduced(replace(asked.kin, name=found)) if found and not _denies(asked) else []


@rule
def _age(asked: Asked) -> list[Candidate] | None:
    if not asked.has("how old") and not asked.has("your age"):
        return None
    number = asked.answer[0].low
    if asked.has("are you") or asked.has("your age"):
        is_age = number.isdigit() and YOUNGEST <= int(number[:4]) <= OLDEST
        return [_candidate(f"User is {number} years old", Category.PERSONAL_INFO)] if is_age else []
    if asked.kin is None or not is_number(asked.answer[0]):
        return []
    return told(replace(asked.said("be", asked.answer), label=asked.kin.label))


@rule
def _whom(asked: Asked) -> list[Candidate] | None:
    """ "Do you have any children?" "Four! All boys." """
    at = next((place for place, word in enumerate(asked.words) if word in KEPT), None)
    is_having = any(map(asked.has, ("do you have", "have you got", "grow up with", "how many")))
    if at is None or not is_having:
        return None
    answer = asked.plain
    is_count = is_number(answer[0]) and (len(answer) == 1 or answer[1].low in {"of", ",", "in"})
    if is_count:
        noun = next((word for word in asked.message[1:5] if word in {"boys", "girls"}), asked.words[at])
        answer = (Token(answer[0].low, answer[0].low, 0, 0), Token(noun, noun, 0, 0))
    return having(asked.said("have", answer))


# ── where, and as what ───────────────────────────────────────────────────────────────────────────

_WHERE = {"live": "lives", "living": "lives", "based": "is based", "from": "is from", "staying": "is staying"}
_NEAR = words("outside near around by close in at")


@rule
def _home(asked: Asked) -> list[Candidate] | None:
    if asked.words[:1] != ("where",) and not asked.has("where are you") and not asked.has("where do you live"):
        return None
    verb = next((_WHERE[word] for word in asked.words if word in _WHERE), "")
    answer = _named(asked.answer)
    near = answer[0].low if answer[0].low in _NEAR else "" if answer[0].low == "from" else "in"
    answer = answer[1:] if answer[0].low in _NEAR | {"from"} else answer
    where = place_in(answer)
    if _denies(asked) or not where or not is_telling(where) or where[0].low in _VAGUE | {"with"}:
        return []
    text = shown(asked.plain, capital=False) if where[0].low in {"a", "an", "the"} else shown(where, capital=True)
    if verb:
        return [
            _candidate(
                " ".join(f"User {verb} {near if verb != 'is from' else ''} {text}".split()), Category.PERSONAL_INFO
            )
        ]
    return _did_where(asked, near or "in", text)


_DID = {"go to school": "went to school", "grow up": "grew up", "study": "studied", "go to uni": "went to uni"}


@rule
def _did_where(asked: Asked, near: str, text: str) -> list[Candidate]:
    for phrase, told_as in _DID.items():
        if asked.has(f"did you {phrase}"):
            return [_candidate(f"User {told_as} {near} {text}", Category.EXPERIENCE)]
    verb = next((verb for verb in ("work", "study", "teach") if asked.has(f"do you {verb}")), "")
    near = "at" if verb == "work" and near == "in" else near
    return [_candidate(f"User {third(verb)} {near} {text}", Category.PERSONAL_INFO)] if verb else []


def _named(answer: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "Little place called Ystrad Mynach"."""
    at = next((place for place, token in enumerate(answer[:5]) if token.low == "called"), None)
    return answer[at + 1 :] if at is not None and at + 1 < len(answer) else answer


@rule
def _job(asked: Asked) -> list[Candidate] | None:
    is_own = any(
        map(
            asked.has,
            ("do you do for work", "do you do for a living", "your job", "your profession", "your occupation"),
        )
    ) or asked.words[-4:] == ("what", "do", "you", "do")
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


@rule
def _favorite(asked: Asked) -> list[Candidate] | None:
    at = next((place for place, word in enumerate(asked.words) if word == "favorite"), None)
    if at is None or not asked.has("your favorite"):
        return None
    return favorite(shown(asked.question[at + 1 : at + 4]), cut(asked.plain))


_LIKED_BY = (
    "are you into",
    "do you like",
    "do you enjoy",
    "do you love",
    "do you listen to",
    "your hobbies",
    "for fun",
)


@rule
def _tastes(asked: Asked) -> list[Candidate] | None:
    """ "What kind of music are you into?" "Metal and some synthwave"."""
    if not {"what", "which"}.intersection(asked.words) or not any(map(asked.has, _LIKED_BY)):
        return None
    answer = [token for token in asked.plain if token.low not in {"some", "mostly", "mainly", "lots", "loads"}]
    found = [_plain(item) for item in items(answer)] if not _denies(asked) else []
    return [
        _candidate(f"User likes {shown(item)}", Category.PREFERENCE)
        for item in found
        if item and is_telling(item) and len(item) <= _MOST_OF_VALUE and item[0].low not in _VAGUE
    ]


_SMALL = words("some mostly a bit of little lots loads mainly just also the odd occasional")


def _plain(item: Sequence[Token]) -> tuple[Token, ...]:
    start = 0
    while start < len(item) - 1 and item[start].low in _SMALL:
        start += 1
    return tuple(item[start:])


@rule
def _prefers(asked: Asked) -> list[Candidate] | None:
    """ "Do you prefer mornings or evenings?" "Evenings"."""
    is_choice = asked.has("prefer") or (len(asked.words) == _MOST_OF_NAME and asked.words[1] == "or")
    if not is_choice or "or" not in asked.words:
        return None
    held = cut(asked.plain)
    is_one = bool(held) and held[-1].low in asked.words and held[-1].low != "or"
    return [_candidate(f"User prefers {shown(held).lower()}", Category.PREFERENCE)] if is_one else []


_HELD = {
    ("afraid", "of"): Category.PREFERENCE, ("scared", "of"): Category.PREFERENCE,
    ("allergic", "to"): Category.PERSONAL_INFO,
    ("interested", "in"): Category.PREFERENCE, ("good", "at"): Category.SKILL, ("bad", "at"): Category.SKILL,
    ("fluent", "in"): Category.SKILL, ("obsessed", "with"): Category.PREFERENCE,
}  # fmt: skip


@rule
def _states(asked: Asked) -> list[Candidate] | None:
    """ "What are you afraid of?" "Moths"; "Are you married?" "Divorced"."""
    pair = next((pair for pair in _HELD if asked.has(f"you {pair[0]} {pair[1]}")), None)
    if pair is not None:
        held = cut(asked.plain, comma=False)
        is_value = held and is_telling(held) and len(held) <= _MOST_OF_VALUE and held[0].low not in _VAGUE
        return [_candidate(f"User is {pair[0]} {pair[1]} {shown(held)}", _HELD[pair])] if is_value else []
    at = asked.words.index("are") if "are" in asked.words else -1
    state = (
        next((word for word in asked.words[at + 2 : at + 4] if word in STATES_OF), "") if asked.has("are you") else ""
    )
    if not state:
        return None
    if asked.answer[0].low in STATES_OF:
        return told(asked.said("be", cut(asked.plain)))
    return [_candidate(f"User is {state}", Category.PERSONAL_INFO)] if _is_span(asked.answer) else []


def _is_span(answer: Sequence[Token]) -> bool:
    """ "Going on nine years", "since 2010", "for ages"."""
    rest = lows(answer)
    start = 2 if rest[:2] == ("going", "on") else 1 if rest[0] in {"for", "about", "nearly", "almost", "over"} else 0
    is_years = len(answer) > start + 1 and is_number(answer[start]) and rest[start + 1] in {"years", "months", "year"}
    return is_years or (rest[0] == "since" and len(rest) > 1)


_DONE = words(
    "play speak drink eat smoke drive collect watch read follow support teach study cook write practice own use sell"
)


@rule
def _doing(asked: Asked) -> list[Candidate] | None:
    """ "Do you play any instruments?" "A bit of ukulele"; "Do you drink alcohol?" "Not since my thirties"."""
    at = next((place for place, word in enumerate(asked.words) if place > 1 and word in _DONE), None)
    if at is None or asked.words[at - 2 : at] != ("do", "you"):
        return None
    verb = asked.words[at]
    if _denies(asked):
        return _not_doing(asked, verb, asked.question[at + 1 :])
    held = _plain(cut(asked.plain, comma=False))
    if not held or not is_telling(held) or len(held) > _MOST_OF_VALUE:
        return []
    if held[0].low in _VAGUE or is_past_form(held[0].low):
        return []
    rest = tuple(tokens_of(shown(held)))
    return told(asked.said(verb, rest)) or [_candidate(f"User {third(verb)} {shown(held)}", Category.PREFERENCE)]


@rule
def _not_doing(asked: Asked, verb: str, of: Sequence[Token]) -> list[Candidate]:
    """A bare "no" says too little; "not since my thirties" is meant."""
    first, after = asked.answer[0].low, asked.answer[1].low if len(asked.answer) > 1 else ""
    is_meant = first == "never" or (first == "not" and after in {"since", "any-more", "for", "at", "ever"})
    what = shown([token for token in of if token.low not in {"any", "much", "a", "lot", "of"}])
    is_short = 0 < len(what.split()) <= _MOST_OF_NAME
    return [_candidate(f"User does not {verb} {what}", Category.PREFERENCE)] if is_meant and is_short else []


def _denies(asked: Asked) -> bool:
    return asked.answer[0].low in _DENYING


_STUDIED = words("studying training learning teaching building")


@rule
def _going_on(asked: Asked) -> list[Candidate] | None:
    """ "What are you studying?" "Marine engineering"."""
    form = asked.words[-1] if asked.words else ""
    if form not in _STUDIED or not asked.has("what are you"):
        return None
    held = cut(asked.plain, comma=False)
    is_value = held and is_telling(held) and len(held) <= _MOST_OF_VALUE and held[0].low not in _VAGUE
    return [_candidate(f"User is {form} {shown(held)}", Category.PERSONAL_INFO)] if is_value else []


_OWN = words("sign major birthday hometown degree religion nationality diet surname nickname ethnicity zodiac team")


@rule
def _own(asked: Asked) -> list[Candidate] | None:
    """ "What's your star sign?" "Scorpio"; "When is your birthday?" "9th of November"."""
    at = next((place for place, word in enumerate(asked.words) if word == "your"), None)
    if at is None or not 1 < len(asked.words) - at <= _MOST_OF_NAME or asked.words[-1] not in _OWN:
        return None
    held = cut(asked.answer)
    is_value = held and is_telling(held) and len(held) <= _MOST_OF_VALUE and held[0].low not in _VAGUE
    what = shown(asked.question[at + 1 :])
    return [_candidate(f"User's {what} is {shown(held)}", Category.PERSONAL_INFO)] if is_value else []


@rule
def _long(asked: Asked) -> list[Candidate] | None:
    """ "How long have you been married?" "Twelve years"."""
    if not asked.has("how long have you been"):
        return None
    what = asked.question[asked.words.index("been") + 1 :]
    is_clear = 0 < len(what) <= _MOST_OF_VALUE and {"you", "your", "there", "here", "this", "it"}.isdisjoint(lows(what))
    if not is_clear or not _is_span(asked.answer):
        return []
    span = shown(asked.answer)
    span = span if asked.answer[0].low in {"since", "for"} else f"for {span.lower()}"
    return [_candidate(f"User has been {shown(what)} {span}", Category.EXPERIENCE)]


_RULES: tuple[Callable[[Asked], list[Candidate] | None], ...] = (
    _name, _kin_name, _age, _whom, _long, _own, _home, _job, _favorite, _tastes, _prefers, _states, _doing, _going_on,
)  # fmt: skip
