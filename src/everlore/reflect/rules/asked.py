"""A short answer put as a whole sentence: asked where they live, whoever says "Ghent" says "I live in Ghent".

In: the words of a question, and those of the answer. Out: what the answer says in full, for the other rules to read;
nothing where it is not clear what was asked, or where that is not what was answered. The question is no evidence: it
only tells which sentence the answer completes (F1, F8).

Start at `in_full`. What is asked stands in `_QUESTIONS`, and beside it what the answer tells, and of which sort it is.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from everlore.language.clauses import Token, lows
from everlore.language.clauses.words import is_past_form
from everlore.language.firstnames import FIRST_NAMES
from everlore.language.lists import listed
from everlore.language.verbs import base_of_past
from everlore.language.words import KEPT, LANGUAGES, NATIONS, PLACES, STATES_OF, WORKS, words
from everlore.reflect.rules.frames import place_in
from everlore.reflect.rules.identity import OLDEST, YOUNGEST, name_in
from everlore.reflect.rules.people import Kin
from everlore.reflect.rules.phrase import cut, is_number, is_telling, items, shown

_MOST_OF_JOB = 4
_MOST_OF_NAME = 3
_MOST_OF_VALUE = 6
_DENYING = words("no not never neither none nope nah")
AGREEING = words("yes yeah yep yup yea sure always indeed")
_VAGUE = _DENYING | AGREEING | listed("talk.vague")
_SOME = listed("grammar.before_an_answer")
_AFTER_A_NAME = listed("names.behind_when_asked")
_NEAR = words("outside near around by close in at")


@dataclass(frozen=True, slots=True)
class Answer:
    """`words`: its own, up to the end of its first sentence; `message`: all that was written; `kin`: of whom the talk
    is, where it is of somebody."""

    words: tuple[Token, ...]
    message: tuple[str, ...]
    kin: Kin | None = None

    @property
    def plain(self) -> tuple[Token, ...]:
        """Without the capital of a sentence."""
        first = self.words[0]
        is_name = first.low in NATIONS | LANGUAGES | PLACES | FIRST_NAMES or first.text[1:] != first.low[1:]
        is_name = is_name or (len(self.words) > 1 and self.words[1].is_capital)
        return self.words if is_name else (Token(first.low, first.low, first.start, first.end), *self.words[1:])

    @property
    def is_bare(self) -> bool:
        """Yes or no, and nothing that would go into a sentence."""
        return self.words[0].low in _DENYING | AGREEING


# ── sorts of answers: the words that go into the sentence, or none ───────────────────────────────


def _name(answer: Answer) -> str:
    found = answer.words
    if answer.kin is not None and answer.kin.is_many:
        return shown(found, capital=True) if not answer.is_bare else ""
    end = next((place for place, token in enumerate(found) if place and token.low in _AFTER_A_NAME), len(found))
    # "I forgot already" is no name.
    is_deed = len(found) > 1 and not found[1].is_capital and base_of_past(found[0].low) is not None
    return name_in(found[:end]) if end <= _MOST_OF_NAME and not answer.is_bare and not is_deed else ""


def _age(answer: Answer) -> str:
    number = answer.words[0].low
    return number if number.isdecimal() and YOUNGEST <= int(number[:4]) <= OLDEST else ""


def _number(answer: Answer) -> str:
    return shown(answer.plain) if is_number(answer.words[0]) else ""


def _count(answer: Answer) -> str:
    """A number alone: "two", "three of them"."""
    low = lows(answer.words)
    # "One of each" is two.
    is_plain = low[1:2] in {(), ("of",), (",",), ("in",)} and low[1:3] != ("of", "each")
    return low[0] if is_number(answer.words[0]) and is_plain else ""


def _whom(answer: Answer) -> str:
    held = cut(answer.plain, comma=False)
    return shown(held) if held and not answer.is_bare and not KEPT.isdisjoint(lows(held)) else ""


def _choice(answer: Answer) -> str:
    held = cut(answer.plain)
    return shown(held).lower() if _is_value(held) and len(held) < _FEW else ""


def _place(answer: Answer) -> str:
    found = answer.words
    near = found[0].low if found[0].low in _NEAR else "in"
    where = place_in(found[1:] if found[0].low in _NEAR | {"from"} else found)
    if answer.is_bare or not where or not is_telling(where) or where[0].low in _VAGUE | {"with"}:
        return ""
    is_common = where[0].low in {"a", "an", "the"}
    return f"{near} {shown(answer.plain if is_common and near == 'in' else where, capital=not is_common)}"


def _origin(answer: Answer) -> str:
    return _place(answer).partition(" ")[2]


def _job(answer: Answer) -> str:
    found = answer.plain[1:] if answer.words[0].low in {"a", "an"} else answer.plain
    end = next((place for place, token in enumerate(found) if token.low == ","), len(found))
    found = found[:end]
    is_job = 0 < len(found) <= _MOST_OF_JOB and (found[-1].low in WORKS or found[-1].low.endswith(_WORKING))
    return f"{'an' if found[0].low[0] in 'aeiou' else 'a'} {shown(found)}" if is_job else ""


_WORKING = ("er", "or", "ist", "ian", "ant", "man", "woman", "smith", "wright")


def _thing(answer: Answer) -> str:
    held = _without_some(cut(answer.plain, comma=False))
    return shown(held) if _is_value(held) and not is_past_form(held[0].low) else ""


def _refused(answer: Answer) -> str:
    """ "Not prawns"."""
    is_not = answer.words[0].low == "not" and len(answer.words) > 1
    return _thing(replace(answer, words=answer.words[1:]) if is_not else answer)


def _things(answer: Answer) -> tuple[str, ...]:
    plain = [token for token in answer.plain if token.low not in {"some", "mostly", "mainly", "lots", "loads"}]
    found = [_without_some(item) for item in items(plain)]
    return tuple(shown(item) for item in found if _is_value(item))


def _span(answer: Answer) -> str:
    """ "Going on nine years", "since 2010"."""
    low = lows(answer.words)
    if low[0] == "since" and len(low) > 1:
        return shown(answer.words)
    start = 2 if low[:2] == ("going", "on") else 1 if low[0] in {"for", "about", "nearly", "almost", "over"} else 0
    is_years = len(low) > start + 1 and is_number(answer.words[start]) and low[start + 1] in {"years", "months", "year"}
    return f"for {' '.join(low[start:])}" if is_years else ""


def _state(answer: Answer) -> str:
    return shown(cut(answer.plain)) if answer.words[0].low in STATES_OF else ""


def _whose(answer: Answer) -> str:
    """ "Mother in law", "my boss"."""
    found = answer.plain[1:] if answer.words[0].low in {"my", "a", "the"} else answer.plain
    end = next((place for place, token in enumerate(found) if token.low == ","), len(found))
    is_close = lows(found[1:3]) == ("in", "law") or end == 1
    return shown(found[:end]) if found and found[0].low in KEPT and is_close else ""


def _when(answer: Answer) -> str:
    found = cut(answer.words, comma=False, keep_when=True)
    return shown(found) if 0 < len(found) <= _MOST_OF_VALUE and any(map(str.isdecimal, shown(found))) else ""


def _never(answer: Answer) -> str:
    """A bare "no" says too little; "never" and "not since my thirties" are meant."""
    low = lows(answer.words)
    is_meant = low[0] == "never" or low[:2] in {("not", "since"), ("not", "any-more")}
    return "never" if is_meant else ""


def _yes(answer: Answer) -> str:
    """Nor does a bare "yes" say much; who goes on has understood the question."""
    return "yes" if answer.message[0] in AGREEING and len(answer.message) > _FEW else ""


_FEW = 3


def _is_value(held: Sequence[Token]) -> bool:
    return bool(held) and is_telling(held) and len(held) <= _MOST_OF_VALUE and held[0].low not in _VAGUE


def _without_some(item: Sequence[Token]) -> tuple[Token, ...]:
    start = 0
    while start < len(item) - 1 and item[start].low in _SOME:
        start += 1
    return tuple(item[start:])


# ── questions ────────────────────────────────────────────────────────────────────────────────────

_Sort = Callable[[Answer], str | tuple[str, ...]]
_OWN = "|".join(sorted(listed("traits.asked_for")))
_DONE = "|".join(sorted(listed("verbs.asked_for")))
_KEPT = "|".join(sorted(KEPT, key=len, reverse=True))
_ANY = r"(?:any |an? |much |many )?"
_LIVING = r"(?: for work| for a living| when .*)?"
_HAVE = rf"(?:do you have|have you got) {_ANY}"
_SISTERS = r"brothers (?:or|and) sisters"
_STATE = r"are you (?:\w+ )?(?P<x>married|single|divorced|engaged|retired|vegan|vegetarian)"
# What an answer tells, with its words for {} and what was asked about for {x}; of which sort it must be; and how the
# questions end that are answered so. The first that fits counts.
_ROWS: tuple[tuple[str, _Sort, tuple[str, ...]], ...] = (
    ("My name is {}.", _name, ("your (?:full |first |real )?name", "i call you")),
    ("My name is {}.", _name, ("am i (?:talking|speaking) (?:to|with)",)),
    ("My {x} is called {}.", _name, (rf"your (?P<x>(?:\w+ )?(?:{_KEPT})) (?:'s names?|called|named)",)),
    ("My {kin} is called {}.", _name, ("(?:name|call) (?:him|her|it|them)", "(?:his|her|its|their) names?")),
    ("I am {} years old.", _age, ("how old are you", "your age")),
    ("My {x} is {}.", _number, (rf"how old (?:is|are) your (?P<x>(?:\w+ )?(?:{_KEPT}))",)),
    ("My {kin} is {}.", _number, ("how old (?:is|are) (?:he|she|it|they)",)),
    ("I have been {x} {}.", _span, (r"how long have you been (?P<x>(?!here|there)[\w ]+)",)),
    ("{x} is my {}.", _whose, (r"who is (?P<x>(?!he |she |it |that |your )\w+)",)),
    ("I have {} {x}.", _count, (rf"{_HAVE}(?P<x>{_KEPT}|{_SISTERS})", rf"how many (?P<x>{_KEPT}) do you have")),
    ("I have {}.", _whom, (rf"{_HAVE}(?:{_KEPT}|{_SISTERS})",)),
    ("My favorite {x} is {}.", _thing, (r"(?:what|which|who|and) (?:(?:is|are) )?your favorite (?P<x>[\w ]+)",)),
    ("My {x} is {}.", _thing, (rf"your (?P<x>(?:\w+ )?(?:{_OWN}))",)),
    ("I am from {}.", _origin, ("where (?:are|do) you (?:originally )?(?:come )?from",)),
    ("I live {}.", _place, ("where (?:do you live|are you living|is home)",)),
    ("I am {x} {}.", _place, ("where are you (?P<x>based|staying)",)),
    ("I grew up {}.", _place, ("where did you grow up",)),
    ("I was born {}.", _place, ("where were you born",)),
    ("I {x} {}.", _place, ("where do you (?P<x>work|study)",)),
    ("I work as {}.", _job, (f"what do you do{_LIVING}", "your (?:job|profession|occupation)")),
    ("My {x} works as {}.", _job, (f"what does your (?P<x>{_KEPT}) do{_LIVING}",)),
    ("I like {}.", _things, (r"(?:what|which) .*\bdo you (?:like|enjoy|love|listen to|do for fun)",)),
    ("I like {}.", _things, ("(?:what|which) .*are you into", "what are your hobbies")),
    ("I prefer {}.", _choice, ("do you prefer .* or .*", r"^\w+ or \w+")),
    ("I am {x} {}.", _thing, (r"are you (?P<x>(?:afraid|scared|terrified|proud|fond) of|good at)",)),
    ("I am allergic to {}.", _thing, ("any allergies(?: .*)?", "are you allergic to any.*")),
    ("I do not eat {}.", _refused, (r"anything (?:that )?you (?:can not|do not|never|would never)\b.*\beat",)),
    ("I am {x} {}.", _thing, (r"are you (?P<x>studying|training|learning|teaching|building|taking)",)),
    ("I am {}.", _state, (_STATE,)),
    ("I have been {x} {}.", _span, (_STATE,)),
    ("I do not {x}.", _never, (rf"do you (?P<x>(?:{_DONE}) {_ANY}\w+(?: \w+)?|smoke|drink|drive|gamble)",)),
    ("I have never been to {x}.", _never, (r"have you (?:ever )?been to (?P<x>[\w ]+)",)),
    ("I {x} {}.", _thing, (rf"(?:what|which) (?:\w+ ){{0,2}}do you (?P<x>{_DONE})",)),
    ("I {x} {}.", _thing, (rf"do you (?P<x>{_DONE}) {_ANY}\w+",)),
    ("I {x}.", _yes, ("do you (?:still )?(?P<x>live with .*|work (?:at|as|for|in) .*|speak .*)",)),
    ("My {x} is on {}.", _when, (r"when (?:and where )?is (?:the|your) (?P<x>wedding|surgery|exam|birthday|flight)",)),
)  # fmt: skip
_QUESTIONS = tuple((re.compile(f"(?:^|.* )(?:{ask})"), tells, sort) for tells, sort, asks in _ROWS for ask in asks)
_BEFORE = re.compile(r"^(?:[\w' ]{1,80} , )+(?=(?:what|which|who|where|when|how|do|are|is|have|any|did) )")
_BEHIND = re.compile(
    r"(?: , (?:if|or|by|though|because|and) .*| , \w+| by the way| if you .*| these days| right now| at the moment"
    r"| nowadays| now| at all| exactly| again| in your free time| then| there| yourself)+$"
)
_TURNED = {"your": "my", "you": "i", "yourself": "myself", "yours": "mine"}


def in_full(question: Sequence[Token], answer: Answer) -> str:
    asked = _BEHIND.sub("", _BEFORE.sub("", " ".join(lows(question))))
    for asks, tells, sort in _QUESTIONS:
        found = asks.fullmatch(asked)
        if found is not None and ("{kin}" not in tells or answer.kin is not None):
            told = sort(answer)
            values = told if isinstance(told, tuple) else (told,)
            sentence = " ".join(_filled(tells, found, value, question, answer) for value in values if value)
            if sentence:
                return sentence
    return ""


def _filled(tells: str, found: re.Match[str], value: str, question: Sequence[Token], answer: Answer) -> str:
    about = next((each for each in found.groupdict().values() if each), "")
    typed = {token.low: token.text for token in question if token.is_capital}
    turned = [_TURNED.get(word, typed.get(word, word)) for word in about.split() if word not in {"any", "much"}]
    kin = answer.kin.kind if answer.kin is not None else ""
    return tells.format(value, x=_of_which(" ".join(turned), answer), kin=kin)


def _of_which(about: str, answer: Answer) -> str:
    """ "Four! All boys."."""
    if about in {"children", "kids"}:
        return next((word for word in answer.message[1:5] if word in {"boys", "girls"}), about)
    return "siblings" if about.startswith("brothers ") else about
