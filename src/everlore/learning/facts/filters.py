"""What a model must not have saved as a fact about the user (F4): a filter for each kind, and one for doubt.

In: a candidate and the message it came from. Out: the refusal, or None. Pure. A filter looks at how the fact is worded,
and asks the message only whether the user put it that way themselves.

Start at `refusal_of`. `tidied` in `wording.py` comes before it.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import takewhile

from everlore.domain.reading import Filter, Refusal
from everlore.language.lists import listed, tabled
from everlore.language.names import first_name
from everlore.learning.candidate import Candidate, Source
from everlore.learning.clauses import lows, tokens_of
from everlore.learning.facts.names import find_unsaid
from everlore.learning.facts.translations import is_english

LEAST_CONFIDENCE = 0.70
_MOST_READ = 4_000
_ABOUT_USER = re.compile(r"User(?:'s|’s)? \S")


def refusal_of(candidate: Candidate, source: Source) -> Refusal | None:
    """The first filter that stops it. The order tells the truest reason, where several would do."""
    content = candidate.content
    for stops, why in _FILTERS:
        if stops(content, source):
            return Refusal(content, why)
    if candidate.confidence < LEAST_CONFIDENCE:
        return Refusal(content, Filter.LOW_CONFIDENCE, f"{candidate.confidence:.2f}")
    return Refusal(content, Filter.LOW_CONFIDENCE, "a guess by its own words") if is_guess(content, source) else None


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Of `filters.toml`."""
    data = tomllib.loads(files("everlore.learning.facts").joinpath("filters.toml").read_text(encoding="utf-8"))
    written = "|".join(f"(?:{each})" for each in data["patterns"][name])
    for piece, pattern in data["pieces"].items():
        written = written.replace(f"{{{piece}}}", f"(?:{pattern})")
    return re.compile(written, re.IGNORECASE)


def _search(name: str, content: str) -> re.Match[str] | None:
    return _pattern(name).search(content)


def _message(source: Source) -> str:
    return f" {' '.join(lows(tokens_of(source.content[:_MOST_READ])))} "


def _is_users(word: str, source: Source) -> bool:
    return f" {word.lower()} " in _message(source)


def is_conversation_action(content: str, source: Source) -> bool:
    """ "User asked about …". Not where the user tells of having asked somebody: "I asked my boss for a raise"."""
    deed = _search("deed", content)
    if deed and _search("done_to", content):
        # "They've asked me to run the raffle": that is told, and not done in the chat.
        return not _is_users(deed["deed"], source)
    if deed:
        return not _tells_of(deed["deed"].lower(), source)
    aim = _search("aims", content)
    # "I'm so grateful for my kids" is said; "Thanks!" is done.
    return aim is not None and not (aim["said"] and _is_users(aim["said"], source))


def _tells_of(deed: str, source: Source) -> bool:
    """The user says "I asked", and not "I asked you"."""
    told = re.search(rf" i (?:have |had |just |also |always |often |already ){{0,2}}{deed} (\S+)", _message(source))
    return told is not None and told.group(1) not in {"you", "your", ".", ",", "!", "?", "a", "about", "hi", "hello"}


def is_assistant_fact(content: str, source: Source) -> bool:
    if _search("about_assistant", content) or _is_named_as(content, source.assistants):
        return True
    named = _search("is_assistant", content)
    return named is not None and not _is_users(named["said"] or named["the"], source)


_CALLED = (
    r"user(?:'s)?(?: (?:full|first|real|nick|given|preferred|user))? ?(?:nickname|name)?(?: is| was| goes| calls)?"
    r"(?: also)?(?: named| called| by| known as| themselves| themself)?"
)


def _is_named_as(content: str, assistants: Sequence[str]) -> bool:
    """ "Nova is …", and "User's name is Nova": an assistant's name never becomes the user's (F1)."""
    low = content.lower().replace("’", "'")
    for name in called(assistants):
        if re.match(rf"{re.escape(name)}(?:'s)?\b", low):
            return True
        if re.match(rf'{_CALLED} (?:the name )?"?{re.escape(name)}\b(?! \w)', low):
            return True
    return False


def called(assistants: Iterable[str]) -> Iterator[str]:
    """Full names, and first names where they are long enough to be meant."""
    for name in assistants:
        plain = " ".join(name.lower().split())[:80]
        if plain:
            yield plain
            first = first_name(plain)
            if len(first) > 2 and first != plain:
                yield first


def is_prompt_leak(content: str, source: Source) -> bool:
    """Words of instructions to a model, and none of the user's."""
    leak = _search("leaks", content)
    return leak is not None and not _is_users(leak.group().split()[-1], source)


def is_unknown(content: str, source: Source) -> bool:
    found = _search("unknown", content)
    if found is None:
        return False
    # "I love exploring unknown places": a word of the user's own, unless it is what the fact amounts to.
    word = found.group().lower()
    return " " in word or not _is_users(word, source) or content.lower().rstrip(".").endswith(word)


def is_not_about_user(content: str, _: Source) -> bool:
    return _ABOUT_USER.match(content) is None or _search("public", content) is not None


def is_impossible_age(content: str, _: Source) -> bool:
    return _search("too_old", content) is not None


def is_guess(content: str, source: Source) -> bool:
    """ "User may like jazz": unless that is how the user put it."""
    hedge = _search("hedge", content)
    return hedge is not None and not _is_users(hedge["said"], source)


# ── guesses about what somebody is ───────────────────────────────────────────────────────────────

_TRAITS = tuple(tabled("traits.guessed").values())
_ATTRIBUTES = listed("traits.sensitive")
_IDENTIFYING = listed("verbs.identifying")
_BEYOND = listed("grammar.beyond")
_SPANS = frozenset({"year", "years", "month", "months"})


def is_demographic_guess(content: str, source: Source) -> bool:
    """Whether it says what the user is (sex, origin, belief …) in words that nobody used, or how old with a number that
    nobody named. In another language those words are others."""
    unsaid = find_unsaid(content, source) if _search("age", content) else None
    if unsaid is not None and unsaid.is_certain:
        return True
    traits = _traits_in(lows(tokens_of(content)))
    if not traits or not is_english(source.content):
        return False
    said = lows(tokens_of(source.content[:_MOST_READ]))
    return not all(any(word.removesuffix("s") in trait or word in trait for word in said) for trait in traits)


def _traits_in(words: Sequence[str]) -> list[frozenset[str]]:
    """Only of the user, and as what they are: not "User's old tomcat", nor "likes old films", nor 34 years old."""
    begins = next((at for at, word in enumerate(words) if word in _IDENTIFYING), None)
    if begins is None or (words[1:2] == ("'s",) and words[2] not in _ATTRIBUTES):
        return []
    what = list(takewhile(lambda word: word not in _BEYOND, words[begins + 1 :]))
    told = [word for before, word in zip(["", *what], what, strict=False) if before not in _SPANS]
    return [trait for word in told for trait in _TRAITS if word in trait]


_Stop = tuple[Callable[[str, Source], bool], Filter]
_FILTERS: tuple[_Stop, ...] = (
    (is_unknown, Filter.UNKNOWN),
    (is_conversation_action, Filter.CONVERSATION_ACTION),
    (is_assistant_fact, Filter.ASSISTANT_FACT),
    (is_prompt_leak, Filter.PROMPT_LEAK),
    (is_not_about_user, Filter.NOT_ABOUT_USER),
    (is_impossible_age, Filter.NOT_STATED),
    (is_demographic_guess, Filter.DEMOGRAPHIC_GUESS),
)
