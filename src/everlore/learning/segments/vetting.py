"""Checks whether a statement about a chat is supported by what was said, whichever model made it (F4, F5).

In: the statement, the words said, and the people present. Out: a refusal, or None. Its names and numbers must have been
said; of a longer statement also at least one word. A statement that people talked, or about a model's instructions, is
not worth keeping. Pure, in linear time.

Start at `told_in` and `refusal_of`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from everlore.domain.reading import Filter, Refusal
from everlore.domain.words import query_terms, terms_of
from everlore.language.lists import listed, pattern
from everlore.language.numbers import numbers_in
from everlore.learning.candidate import Candidate

_MOST_CHARS = 20_000
_MOST_TERMS = 1_000
# A shorter statement may use other words than the chat.
_TELLING = 5

# A word, a number, the end of a sentence, or punctuation before a new start.
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
    """The words and numbers that were said, and names that may be used without having been said."""

    terms: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]

    def knows(self, word: str) -> bool:
        parts = terms_of(word)
        return bool(parts) and all(part in self.terms or part in self.names for part in parts)

    def share(self, words: Sequence[str]) -> float:
        """The share of these stems that was said; 1 if there are none."""
        return sum(1 for word in words if word in self.terms) / len(words) if words else 1.0


def _pattern(name: str) -> re.Pattern[str]:
    return pattern(__package__, f"vetting.{name}")


def told_in(texts: Iterable[str], names: Iterable[str] = ()) -> SaidWords:
    """`names`: of the participants and the setting."""
    terms: set[str] = set()
    numbers: set[str] = set()
    for text in texts:
        terms.update(terms_of(text))
        # Add the words of names as `names_in` finds them, because statements are checked by the same function.
        terms.update(part for name in names_in(text) for part in terms_of(name))
        numbers.update(_number_forms(text))
    given = tuple(names)
    numbers.update(form for name in given for form in _number_forms(name))
    return SaidWords(frozenset(terms), frozenset(numbers), frozenset(part for name in given for part in terms_of(name)))


def refusal_of(content: str, told: SaidWords, *, may_be_talk: bool = False) -> Refusal | None:
    """The first reason against it. `may_be_talk`: it may merely say that people talked."""
    text = content[:_MOST_CHARS]
    small = text.lower().replace("’", "'")
    if _pattern("leaks").search(small):
        return Refusal(content, Filter.PROMPT_LEAK, "it speaks of a model's instructions")
    if _pattern("nothing").match(small.strip(" .")) or pattern(__package__, "vetting.not_given").search(small):
        return Refusal(content, Filter.UNKNOWN, "it says that there is nothing to say")
    if not may_be_talk and all(is_mere_talk(sentence) for sentence in sentences_of(text)):
        return Refusal(content, Filter.CONVERSATION_ACTION, "it only says that people talked")
    unheard = unheard_of(text, told)
    return Refusal(content, Filter.UNGROUNDED, f"nobody said {unheard}") if unheard else None


def sifted(
    found: Iterable[Candidate | Refusal], against: Callable[[Candidate], Refusal | None]
) -> tuple[list[Candidate], list[Refusal]]:
    """The candidates that pass, and the refusals of the others."""
    judged = [(each, each if isinstance(each, Refusal) else against(each)) for each in found]
    kept = [each for each, refusal in judged if refusal is None and isinstance(each, Candidate)]
    return kept, [refusal for _, refusal in judged if refusal is not None]


def borne_out(text: str, told: SaidWords, *, may_be_talk: bool = True) -> tuple[str, tuple[Refusal, ...]]:
    """The supported sentences of a text, and refusals of the others, so that an invented one does not discard the rest.
    By default a summary may say that people talked."""
    against = [(each, refusal_of(each, told, may_be_talk=may_be_talk)) for each in sentences_of(text)] if text else []
    kept = " ".join(sentence for sentence, refusal in against if refusal is None)
    return kept, tuple(refusal for _, refusal in against if refusal is not None)


def is_mere_talk(sentence: str) -> bool:
    """Whether it only says that there was a chat, or its subject, without any result."""
    small = sentence.strip().lower().replace("’", "'")[:1_000]
    return _pattern("talked").match(small) is not None and not pattern(__package__, "vetting.happened").search(small)


def unheard_of(text: str, told: SaidWords) -> str:
    """The first name or number that nobody said, or else all words; empty if all was said."""
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
    """The content words of a text as stems, without the participants' names."""
    return tuple(stem for stem in query_terms(text, _MOST_TERMS) if stem not in told.names)


def sentences_of(text: str) -> list[str]:
    """Split after full stops; never empty strings."""
    found = [sentence.strip() for sentence in _SENTENCE.findall(text.strip())]
    joined: list[str] = []
    for sentence in found:
        # "Dr. Reed", "5.5 gold": a full stop after a title, or not before a new start, ends no sentence.
        if joined and (_ends_in_title(joined[-1]) or not _is_start(sentence)):
            joined[-1] = f"{joined[-1]}{'' if sentence[:1].isdecimal() else ' '}{sentence}"
        elif sentence:
            joined.append(sentence)
    return joined or [text.strip()]


def names_in(text: str) -> list[str]:
    """Words capitalized within a sentence, and first words followed by a verb for people."""
    return [token for token in _capitalised(_TOKEN.findall(text)) if token.lower().partition("'")[0] not in _TITLES]


def _capitalised(tokens: Sequence[str]) -> Iterator[str]:
    for before, token, after in zip([".", *tokens], tokens, [*tokens[1:], "."], strict=False):
        if not token[0].isupper() or token.lower() in _FUNCTION_WORDS:
            continue
        if before not in _NO_WORD or _opens_with_name(token, after):
            yield token


def _opens_with_name(token: str, after: str) -> bool:
    """Whether the first word of a sentence is a name, judged by the words after it."""
    bare = token.lower().replace("’", "'").removesuffix("'s")
    if bare in _FUNCTION_WORDS or bare in _THINGS or bare.endswith(_NOUN_ENDS) or "'" in bare:
        return False
    if token.endswith(("'s", "’s")) or (after[0].isupper() and after.lower() not in _FUNCTION_WORDS):
        return True
    is_plural = bare.endswith("s") and not bare.endswith(("us", "as", "is", "os", "ss"))
    return after in _DOES or (after.endswith("ed") and not is_plural)


def _capitals_tell_nothing(text: str) -> bool:
    """German capitalizes all nouns, and titles nearly all words."""
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
