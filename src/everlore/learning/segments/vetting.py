"""Whether a statement about a talk may be kept, whichever model made it: is it borne out by what was said? (F4, F5)

In: the statement, and what was told: the words, and who was there. Out: why it is refused, or None. Names and
numbers must occur in it; of a statement of some length, at least one word must. What only says that people
talked, or speaks of a model's instructions, tells nothing that is worth keeping. Pure, and of linear time.

Start at `told_in` and `refusal_of`.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from everlore.domain.reading import Filter, Refusal
from everlore.domain.words import query_terms, terms_of
from everlore.language.lists import listed
from everlore.language.numbers import numbers_in
from everlore.learning.candidate import Candidate

_MOST_CHARS = 20_000
_MOST_TERMS = 1_000
# A shorter statement may well be said in other words than the talk was.
_TELLING = 5

# A word, a number, the end of a sentence, or what a new start follows.
_TOKEN = re.compile(r"[^\W\d_][\w'’-]*|\d[\d.,:/]*\w*|[.!?…。！？\n]|[\"“”„«»*:;(—]")
_NO_WORD = frozenset('.!?…。！？\n"“”„«»*:;(—')
_SENTENCE = re.compile(r"[^.!?…。！？\n]+[.!?…。！？]*")

_TITLES = listed("names.no_persons")
_FUNCTION_WORDS = listed("grammar.function_words")
_THINGS = listed("talk.things")
_NOUN_ENDS = tuple(listed("grammar.noun_ends"))
_DOES = listed("verbs.done_by_somebody")
_TITLE_CASE = 0.7
_GERMAN = listed("foreign.german")
_SOME_GERMAN = 2


@dataclass(frozen=True, slots=True)
class SaidWords:
    """The words and numbers that were said, and the words of names that need not be said."""

    terms: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]

    def knows(self, word: str) -> bool:
        parts = terms_of(word)
        return bool(parts) and all(part in self.terms or part in self.names for part in parts)

    def share(self, words: Sequence[str]) -> float:
        """How much of these stems was said; 1 where there are none."""
        return sum(1 for word in words if word in self.terms) / len(words) if words else 1.0


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Of `vetting.toml`."""
    data = tomllib.loads(files(__package__).joinpath("vetting.toml").read_text(encoding="utf-8"))
    written = "|".join(data["patterns"][name])
    for piece, pattern in data["pieces"].items():
        written = written.replace(f"{{{piece}}}", f"(?:{pattern})")
    return re.compile(written)


def told_in(texts: Iterable[str], names: Iterable[str] = ()) -> SaidWords:
    """`names`: of the persons who take part, and of the place it takes place in."""
    terms: set[str] = set()
    numbers: set[str] = set()
    for text in texts:
        terms.update(terms_of(text))
        # What is taken for a name in a statement must be found in the same words when they were said.
        terms.update(part for name in names_in(text) for part in terms_of(name))
        numbers.update(_number_forms(text))
    given = tuple(names)
    numbers.update(form for name in given for form in _number_forms(name))
    return SaidWords(frozenset(terms), frozenset(numbers), frozenset(part for name in given for part in terms_of(name)))


def refusal_of(content: str, told: SaidWords, *, may_be_talk: bool = False) -> Refusal | None:
    """The first thing that stands against it. `may_be_talk`: it may say no more than that people talked."""
    text = content[:_MOST_CHARS]
    small = text.lower().replace("’", "'")
    if _pattern("leaks").search(small):
        return Refusal(content, Filter.PROMPT_LEAK, "it speaks of a model's instructions")
    if _pattern("nothing").match(small.strip(" .")) or _pattern("not_given").search(small):
        return Refusal(content, Filter.UNKNOWN, "it says that there is nothing to say")
    if not may_be_talk and all(is_mere_talk(sentence) for sentence in sentences_of(text)):
        return Refusal(content, Filter.CONVERSATION_ACTION, "it only says that people talked")
    unheard = unheard_of(text, told)
    return Refusal(content, Filter.UNGROUNDED, f"nobody said {unheard}") if unheard else None


def sifted(
    found: Iterable[Candidate | Refusal], against: Callable[[Candidate], Refusal | None]
) -> tuple[list[Candidate], list[Refusal]]:
    """Those that nothing stands against, and why not the others."""
    judged = [(each, each if isinstance(each, Refusal) else against(each)) for each in found]
    kept = [each for each, refusal in judged if refusal is None and isinstance(each, Candidate)]
    return kept, [refusal for _, refusal in judged if refusal is not None]


def borne_out(text: str, told: SaidWords, *, may_be_talk: bool = True) -> tuple[str, tuple[Refusal, ...]]:
    """The sentences of a text that may stand, and why the others may not: one that was made up does not take the others
    with it. That somebody spoke of something is no memory, but it is what a summary of a talk says."""
    against = [(each, refusal_of(each, told, may_be_talk=may_be_talk)) for each in sentences_of(text)] if text else []
    kept = " ".join(sentence for sentence, refusal in against if refusal is None)
    return kept, tuple(refusal for _, refusal in against if refusal is not None)


def is_mere_talk(sentence: str) -> bool:
    """It says that there was a talk, or what it was about, and nothing that came of it."""
    small = sentence.strip().lower().replace("’", "'")[:1_000]
    return _pattern("talked").match(small) is not None and not _pattern("happened").search(small)


def unheard_of(text: str, told: SaidWords) -> str:
    """The first name or number, or else the words, that nobody said; empty where all was said."""
    for number in numbers_in(text):
        if number.must_be_said and not number.is_among(told.numbers):
            return number.written
    names = names_in(text)
    unknown = [name for name in names if not told.knows(name)]
    if unknown and (len(unknown) > len(names) / 2 or not _capitals_tell_nothing(text)):
        return unknown[0]
    words = telling_words(text, told)
    return "any word of it" if len(words) >= _TELLING and not told.share(words) else ""


def telling_words(text: str, told: SaidWords) -> tuple[str, ...]:
    """The stems of a text that say something, without the names of those who take part."""
    return tuple(stem for stem in query_terms(text, _MOST_TERMS) if stem not in told.names)


def sentences_of(text: str) -> list[str]:
    """Cut after full stops, as statements are written; never empty."""
    found = [sentence.strip() for sentence in _SENTENCE.findall(text.strip())]
    joined: list[str] = []
    for sentence in found:
        # "Dr. Reed", "5.5 gold": a full stop after a title, or before what is no new start, ends nothing.
        if joined and (_ends_in_title(joined[-1]) or not _is_start(sentence)):
            joined[-1] = f"{joined[-1]}{'' if sentence[:1].isdecimal() else ' '}{sentence}"
        elif sentence:
            joined.append(sentence)
    return joined or [text.strip()]


def names_in(text: str) -> list[str]:
    """Words with a capital where none is due, and first words that do what only persons do."""
    return [token for token in _capitalised(_TOKEN.findall(text)) if token.lower().partition("'")[0] not in _TITLES]


def _capitalised(tokens: Sequence[str]) -> Iterator[str]:
    for before, token, after in zip([".", *tokens], tokens, [*tokens[1:], "."], strict=False):
        if not token[0].isupper() or token.lower() in _FUNCTION_WORDS:
            continue
        if before not in _NO_WORD or _opens_with_name(token, after):
            yield token


def _opens_with_name(token: str, after: str) -> bool:
    """Whether the first word of a sentence is a name: only what follows can tell."""
    bare = token.lower().replace("’", "'").removesuffix("'s")
    if bare in _FUNCTION_WORDS or bare in _THINGS or bare.endswith(_NOUN_ENDS) or "'" in bare:
        return False
    if token.endswith(("'s", "’s")) or (after[0].isupper() and after.lower() not in _FUNCTION_WORDS):
        return True
    is_plural = bare.endswith("s") and not bare.endswith(("us", "as", "is", "os", "ss"))
    return after in _DOES or (after.endswith("ed") and not is_plural)


def _capitals_tell_nothing(text: str) -> bool:
    """In German every noun has one, and in a title almost every word."""
    words = [token for token in _TOKEN.findall(text) if token[0].isalpha()]
    capitals = sum(1 for token in words if token[0].isupper())
    german = _GERMAN.intersection(word.lower() for word in words)
    return len(words) >= _TELLING and (capitals >= _TITLE_CASE * len(words) or len(german) >= _SOME_GERMAN)


def _number_forms(text: str) -> Iterator[str]:
    return (form for number in numbers_in(text) for form in (number.value, *number.parts))


def _ends_in_title(sentence: str) -> bool:
    return sentence.endswith(".") and sentence.rpartition(" ")[2].lower().rstrip(".") in _TITLES


def _is_start(sentence: str) -> bool:
    return not (sentence[:1].islower() or sentence[:1].isdecimal())
