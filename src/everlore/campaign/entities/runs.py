"""Finds candidates for names in a message: runs of capitalized words, and explicit links.

In: a text. Out: `Run`s with the words around them. `evidence` decides which are names, once all messages are read.
Start at `runs_in`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from everlore.campaign.entities.forms import is_title
from everlore.campaign.entities.links import Link, links_in, shorter
from everlore.campaign.entities.text import TextToken, tokens_of
from everlore.campaign.entities.words import is_english, listed

_NUMERAL = re.compile(r"(?:II|III|IV|V|VI|VII|VIII|IX|X|XI|XII)$")
# Contractions and dropped letters ("Don't", "Runnin'") are no names.
_CUT = re.compile(r"(?:n't|'d|'ll|'re|'ve|'m|in')$")
_OF = frozenset(("of", "of the"))
# Between two names these separate a place; they are part of a name only after an article, or between dictionary words.
_LOOSE = frozenset(("in", "on", "at", "in the", "on the", "at the", "the"))
_SAINTS = frozenset(("st", "saint"))
_MOST_WORDS = 7
_ARTICLES = frozenset(("the", "a", "an"))


@dataclass(frozen=True)
class Run:
    """`name`: as written, without an article; `before` and `after`: the nearest words, in lower case.

    `is_sure`: linked, or capitalized although it does not begin a sentence.
    """

    name: str
    start: int
    end: int
    is_sure: bool
    is_link: bool = False
    article: str = ""
    owns: bool = False
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return len(self.name.split())


def runs_in(text: str) -> list[Run]:
    tokens = tokens_of(text)
    links = links_in(text)
    found = [Run(link.name, link.start, link.end, is_sure=True, is_link=True) for link in links if not link.is_handle]
    found += [_of_handle(link) for link in links if link.is_handle]
    taken = [(link.start, link.end) for link in links]
    at = 0
    while at < len(tokens):
        end = _end_of_run(tokens, at)
        if end > at and not any(start < tokens[at].end and tokens[at].start < stop for start, stop in taken):
            run = _trimmed(text, tokens, at, end)
            if run is not None:
                found.append(run)
        at = max(end, at + 1)
    return sorted(found, key=lambda each: each.start)


def _of_handle(link: Link) -> Run:
    """Without a word behind it that begins a sentence: "@Ysolde Are you there?"."""
    kept = next((each for each in shorter(link) if not _begins(each.name.split()[-1])), link)
    first, _, rest = kept.name.partition(" ")
    article = first if first in _ARTICLES and rest else ""
    return Run(rest if article else kept.name, kept.start, kept.end, is_sure=True, is_link=True, article=article)


def _begins(word: str) -> bool:
    return word.lower() in listed("firstwords")


def _end_of_run(tokens: Sequence[TextToken], at: int) -> int:
    """The index after the run that begins here; `at` itself if none does."""
    if not _can_begin(tokens[at]):
        return at
    end = at + 1
    while end < len(tokens) and end - at < _MOST_WORDS:
        if not tokens[end].joined:
            break
        if _can_go_on(tokens, at, end):
            end += 1
            continue
        bridge = _bridge(tokens, at, end)
        if not bridge:
            break
        end += bridge + 1
    return end


def _can_begin(token: TextToken) -> bool:
    return token.is_capital and not token.is_shouted and len(token.text) > 1 and not _CUT.search(token.lower)


def _can_go_on(tokens: Sequence[TextToken], at: int, end: int) -> bool:
    token = tokens[end]
    if token.text.isdigit():
        # "Gate 7" is a place; "Ilka 12" is what she rolled, "Courage 2" what is on her sheet.
        return len(token.text) <= 3 and end - at == 1 and tokens[at].lower in listed("places")
    if _NUMERAL.match(token.text):
        return True
    return _can_begin(token) and not token.opens


def _bridge(tokens: Sequence[TextToken], at: int, end: int) -> int:
    """The number of small words between this run and its next capital; 0 if the run ends here."""
    small: list[str] = []
    for token in tokens[end : end + 3]:
        if not token.joined:
            return 0
        if token.lower in listed("small"):
            small.append(token.lower)
            continue
        has_the = at > 0 and tokens[at - 1].lower == "the"
        holds = _can_begin(token) and _holds(tokens[at:end], " ".join(small), has_the=has_the)
        return len(small) if small and holds else 0
    return 0


def _holds(words: Sequence[TextToken], small: str, *, has_the: bool) -> bool:
    plain = [is_english(word.text) or is_title(word.text) for word in words]
    if small in _OF:
        # "Captain Ysolde Marr of Karth": the name is complete without the place.
        return plain[-1] or len(words) == 1
    if small in _LOOSE:
        return all(plain) and len(words) == 1 and has_the
    return not words[-1].owns


def _trimmed(text: str, tokens: Sequence[TextToken], at: int, end: int) -> Run | None:
    while at < end and _is_no_beginning(tokens, at, end):
        at += 1
    if at == end:
        return None
    first = tokens[at]
    stop = tokens[end - 1].end
    if (
        first.lower in _SAINTS
        and tokens[end - 1].owns
        and end - at == 2
        and not (end < len(tokens) and tokens[end].joined)
    ):
        # "At St Brede's." is a church or an inn.
        stop += 2
    # The capital after a word that only opened the sentence is deliberate: "In Karth", "Then Old Tam".
    before = tuple(each.lower for each in tokens[max(0, at - 4) : at])
    after = tuple(each.lower for each in tokens[end : end + 4])
    article = before[-1] if before and before[-1] in _ARTICLES and first.joined else ""
    return Run(
        text[first.start : stop],
        first.start,
        stop,
        is_sure=not first.opens,
        article=article,
        owns=tokens[end - 1].owns,
        before=before if not first.opens else (),
        after=after if end < len(tokens) and not tokens[end].opens else (),
    )


def _is_no_beginning(tokens: Sequence[TextToken], at: int, end: int) -> bool:
    token = tokens[at]
    if token.lower in _ARTICLES or not token.is_capital:
        return True
    if token.owns and token.lower in listed("firstwords"):
        # "It's Brana", "She's of the Zumri".
        return True
    has_more = at + 1 < end
    if token.lower.split("-")[0] in listed("firstwords"):
        return token.opens and not (has_more and tokens[at + 1].lower in listed("small"))
    return False
