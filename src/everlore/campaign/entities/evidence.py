"""Decides from all messages together whether a capitalized word is a name.

In: every occurrence of a word or a run of words. Out: the confidence from 0 to 1 that it is a name. A word that also
occurs in lower case, is capitalized only at the start of sentences, or belongs to game rules, the calendar or the real
world is none.

Start at `Spellings` and `confidence_of`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from everlore.campaign.entities.forms import form_of, is_title, plain_words
from everlore.campaign.entities.runs import Run
from everlore.campaign.entities.text import tokens_of
from everlore.campaign.entities.words import is_english, listed
from everlore.language.numbers import CARDINALS
from everlore.language.words import FIRST_NAMES

# Minimum confidence for a name.
LEAST = 0.5
_NEVER = ("calendar", "gameterms", "peoples", "outside")
_SURELY = 0.97
# Shorter words that only begin sentences are exclamations.
_LEAST_CHARS = 4
_NUMBERS = frozenset("hundred thousand million dozen couple score th".split())
# "Noooo", "Pfft", "Brr".
_NOISE = re.compile(r"(.)\1\1|^[^aeiouyáéíóúäöüà-ÿ\d]{3,}$")
_ROLLED = frozenset("cast casts casting roll rolls rolled check checks save saves test tests dc points skill".split())


class Spellings:
    """Counts how often each word is written in lower case."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._small: Counter[str] = Counter()
        for text in texts:
            self._small.update(token.lower for token in tokens_of(text) if token.text[:1].islower())

    def small(self, word: str) -> int:
        return self._small[word.lower().replace("’", "'")]


def confidence_of(runs: Sequence[Run], spellings: Spellings, speakers: frozenset[str] = frozenset()) -> float:
    """Confidence that all these runs of the same words are a name."""
    if any(run.is_link for run in runs):
        return 1.0
    words = [word for word in _words_of(runs[0].name) if word.lower() not in listed("small")]
    if not words or _is_excluded(words, speakers) or _is_of_the_game(words, runs):
        return 0.0
    sure = sum(run.is_sure for run in runs)
    first = len(runs) - sure
    if len(words) == 1:
        return _one_word(words[0], runs, sure, first, spellings)
    return _many_words(words, runs, sure, first)


def _words_of(name: str) -> list[str]:
    """ "Moss-green" is one word, which only begins a sentence; "Anya-Ru" and "Mill-Gate" are two."""
    is_one = " " not in name and "-" in name and name.partition("-")[2].islower()
    return [name] if is_one else name.replace("-", " ").split()


def _is_excluded(words: Sequence[str], speakers: frozenset[str]) -> bool:
    plain = [word.lower().replace("’", "'").removesuffix("'s") for word in words]
    if all(word in speakers for word in plain):
        return True
    return all(_says_nothing(word) for word in plain) or not any(word[:1].isalpha() for word in plain)


def _says_nothing(word: str) -> bool:
    """A number, a day, a game term, an exclamation, or a word that only begins sentences."""
    lists = any(word in listed(name) for name in (*_NEVER, "firstwords"))
    return lists or word.removesuffix("s") in listed("calendar") or _is_number(word) or bool(_NOISE.search(word))


def _is_number(word: str) -> bool:
    return word in CARDINALS or word.removesuffix("s") in _NUMBERS


def _is_of_the_game(words: Sequence[str], runs: Sequence[Run]) -> bool:
    """Game terms that dice are rolled for: "Spirit Points", "Animal Handling", "a Nerve test"."""
    if any(run.article == "the" or run.owns for run in runs):
        return False
    terms = listed("gameterms")
    if len(words) > 1 and (words[0].lower() in terms or words[-1].lower() in terms):
        return all(is_english(word) or word.lower() in terms for word in words) or words[-1].lower() in _ROLLED
    return all(map(is_english, words)) and any(_is_rolled(run) for run in runs)


def _is_rolled(run: Run) -> bool:
    """ "A Nerve test", "Nerve 14", "roll Nerve"."""
    after, before = run.after[:1], run.before[-1:]
    return bool(after and (after[0] in _ROLLED or after[0].isdigit())) or bool(before and before[0] in _ROLLED)


def _one_word(word: str, runs: Sequence[Run], sure: int, first: int, spellings: Spellings) -> float:
    small = spellings.small(word)
    with_the = sum(run.is_sure and run.article == "the" for run in runs)
    if is_title(word) or word.lower() in listed("roles"):
        # A word always used with "the" is what someone is called: "The Ferrywoman".
        return 0.55 if with_the > 1 and not small and not is_title(word) else 0.0
    acts = sum(run.after[:1] != () and run.after[0] in listed("personverbs") for run in runs)
    if is_english(word):
        return _plain_word(runs, sure, acts, small)
    if small > sure + first:
        return 0.3
    if word.lower() in FIRST_NAMES and sure + first == 1 and not runs[0].owns:
        # May be a real person, such as a friend who could not come tonight.
        return 0.45
    if sure:
        return min(0.95, 0.8 + 0.04 * (sure + first) - 0.1 * small)
    if len(word) < _LEAST_CHARS and not acts and first == 1:
        return 0.4
    return min(0.85, 0.55 + 0.1 * first + 0.1 * bool(acts) - 0.1 * small)


def _plain_word(runs: Sequence[Run], sure: int, acts: int, small: int) -> float:
    """A dictionary word is a name if it is used as one repeatedly, or with an article."""
    if small > sure:
        return 0.3
    if sure:
        with_the = any(run.article == "the" for run in runs)
        return min(0.85, 0.4 + 0.08 * sure + 0.08 * with_the + 0.1 * bool(acts) - 0.08 * small)
    return 0.55 if acts > 1 else 0.2


def _many_words(words: Sequence[str], runs: Sequence[Run], sure: int, first: int) -> float:
    plain = sum(is_english(word) for word in words)
    form = form_of(runs[0].name)
    if not sure and first == 1 and is_title(words[0]) and not form.titles:
        # "Captain of the Watch. Tall, grey.": a rank, until somebody is called so.
        return 0.4
    base = 0.88 if plain < len(words) else 0.72
    if form.titles and form.core:
        base = max(base, 0.85)
    if not sure:
        base -= 0.1 + 0.1 * (plain == len(words))
    with_the = any(run.article == "the" for run in runs)
    return min(_SURELY, base + 0.04 * (sure + first - 1) + 0.05 * with_the)


def plain_speakers(speakers: Iterable[str]) -> frozenset[str]:
    """The words of speakers' names: speakers are known already and are no finds."""
    return frozenset(word for speaker in speakers for word in plain_words(speaker))
