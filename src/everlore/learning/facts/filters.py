"""Filters for statements that must not be saved as facts about the user (F4): one per kind, and one for hedged wording.

In: a candidate and its message. Out: the refusal, or None. Pure. A filter checks the wording of the fact, and the
message only for whether the user put it that way. The patterns are data (`filters.toml`).

Start at `refusal_of`. `tidied` in `gate.py` runs before it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import takewhile

from everlore.domain.reading import Filter, Refusal
from everlore.language.lists import listed, pattern, tabled
from everlore.language.names import first_name
from everlore.learning.candidate import Candidate, Source
from everlore.learning.clauses import lows, tokens_of
from everlore.learning.facts.names import find_unsaid
from everlore.learning.facts.translations import is_english

LEAST_CONFIDENCE = 0.70
_MOST_READ = 4_000
_ABOUT_USER = re.compile(r"User(?:'s|’s)? \S")


def refusal_of(candidate: Candidate, source: Source) -> Refusal | None:
    """The first filter that matches; they are ordered so that the most specific reason wins."""
    content = candidate.content
    why = next((why for stops, why in _FILTERS if stops(content, source)), None)
    if why is not None:
        return Refusal(content, why)
    if candidate.confidence < LEAST_CONFIDENCE:
        return Refusal(content, Filter.LOW_CONFIDENCE, f"{candidate.confidence:.2f}")
    is_guess = is_worded_as("hedge", content, source)
    return Refusal(content, Filter.LOW_CONFIDENCE, "a guess by its own words") if is_guess else None


def is_worded_as(name: str, content: str, source: Source) -> bool:
    """Whether the pattern matches, unless the user said the word in its group ("I asked my boss for a raise"); next to
    "you" it still means the chat."""
    found = pattern(__package__, f"filters.{name}").search(content)
    if found is None:
        return False
    heard = f" {' '.join(lows(tokens_of(source.content[:_MOST_READ])))} "
    telling = (re.escape(word.lower()) for word in found.groups() if word)
    return not any(re.search(rf"(?<! you) {word} (?!you |your )", heard) for word in telling)


def is_assistant_fact(content: str, source: Source) -> bool:
    """Also matches "Nova is …" and "User's name is Nova": an assistant's name is never the user's (F1)."""
    low = content.lower().replace("’", "'")
    names = "|".join(re.escape(name) for name in called(source.assistants))
    is_named = names and re.match(rf"(?:{names})(?:'s)?\b|{_CALLED} (?:the name )?\"?(?:{names})\b(?! \w)", low)
    return bool(is_named) or is_worded_as("assistant", content, source)


_CALLED = (
    r"user(?:'s)?(?: (?:full|first|real|nick|given|preferred|user))? ?(?:nickname|name)?(?: is| was| goes| calls)?"
    r"(?: also)?(?: named| called| by| known as| themselves| themself)?"
)


def called(assistants: Iterable[str]) -> Iterator[str]:
    """Full names, and first names if they are long enough."""
    for name in assistants:
        plain = " ".join(name.lower().split())[:80]
        if plain:
            yield plain
            first = first_name(plain)
            if len(first) > 2 and first != plain:
                yield first


def is_not_about_user(content: str, source: Source) -> bool:
    return _ABOUT_USER.match(content) is None or is_worded_as("public", content, source)


# ── demographic guesses ──────────────────────────────────────────────────────────────────────────

_TRAITS = tuple(tabled("traits.guessed").values())
_ATTRIBUTES = listed("traits.sensitive")
_IDENTIFYING = listed("verbs.identifying")
_BEYOND = listed("grammar.beyond")
_SPANS = frozenset({"year", "years", "month", "months"})


def is_demographic_guess(content: str, source: Source) -> bool:
    """Whether it states a trait (sex, origin, belief …) in words that nobody used, or an age that nobody named. Traits
    are only checked in English messages."""
    unsaid = find_unsaid(content, source) if pattern(__package__, "filters.age").search(content) else None
    if unsaid is not None and unsaid.is_certain:
        return True
    said = lows(tokens_of(source.content[:_MOST_READ])) if is_english(source.content) else ()
    return any(
        said and not any(word.removesuffix("s") in trait or word in trait for word in said)
        for trait in _traits_in(lows(tokens_of(content)))
    )


def _traits_in(words: tuple[str, ...]) -> Iterator[frozenset[str]]:
    """Traits of the user only: not "User's old tomcat", "likes old films" or "34 years old"."""
    begins = next((at for at, word in enumerate(words) if word in _IDENTIFYING), len(words))
    if words[1:2] != ("'s",) or words[2] in _ATTRIBUTES:
        what = list(takewhile(lambda word: word not in _BEYOND, words[begins + 1 :]))
        for before, word in zip(["", *what], what, strict=False):
            yield from (trait for trait in _TRAITS if word in trait and before not in _SPANS)


_FILTERS: tuple[tuple[Callable[[str, Source], bool], Filter], ...] = (
    (partial(is_worded_as, "unknown"), Filter.UNKNOWN),
    (partial(is_worded_as, "chat"), Filter.CONVERSATION_ACTION),
    (is_assistant_fact, Filter.ASSISTANT_FACT),
    (partial(is_worded_as, "leaks"), Filter.PROMPT_LEAK),
    (is_not_about_user, Filter.NOT_ABOUT_USER),
    (partial(is_worded_as, "too_old"), Filter.NOT_STATED),
    (is_demographic_guess, Filter.DEMOGRAPHIC_GUESS),
)
