"""Splits a message into the user's own words and text that the user only passed on (trust, F1, F5). Pure.

In: a message as typed. Out: its passages in order, each either the user's own words or someone else's text: fenced, in
tags, between rules of dashes, quoted line by line, under an email header or a label, or introduced by a request to work
on it ("Translate: …"). The structure decides; the few words that introduce a text are data (`own_words.toml`).
`clauses/plain.py` handles quotations and speakers within a line.

Start at `passages_of`.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from everlore.language.lists import data_in

MOST_READ = 12_000
_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)[^\n]*$", re.MULTILINE)
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[a-zA-Z][\w:.-]{0,40})(?:\s[^<>\n]{0,200})?>")
# Formatting tags, as rich text editors insert them.
_FORMATTING = frozenset(
    "a b br code del div em font h1 h2 h3 h4 i ins li mark ol p s small span strong sub sup u ul".split()
)
# "---", "=== TICKET ===", "[START]", alone on a line.
_RULE = re.compile(
    r"^[ \t]*(?:(?P<sign>[-=_*~#+/])(?P=sign){2,}(?:[^\n]{0,60}(?P=sign){3,})?|\[/?[A-Z][A-Z _-]{2,30}\])[ \t]*$",
    re.MULTILINE,
)
_QUOTED_LINES = re.compile(r"^[ \t]{0,8}>[^\n]*\n?", re.MULTILINE)
# A quotation that begins a line and may span several lines.
_QUOTED_BLOCK = re.compile(
    r"^[ \t]*(?:\"[^\"]{1,4000}\"|[“„][^“”„]{1,4000}[“”]|«[^«»]{1,4000}»)[.!?]?[ \t]*$", re.MULTILINE
)
_LABEL = re.compile(
    r"^[ \t#*_]{0,6}(?P<label>[^\W\d_][\w'/ -]{0,40}?)[*_]{0,2}[ \t]?[:：][*_]{0,2}(?=\s|$)", re.MULTILINE
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
# A sentence with its closing punctuation, or the rest of its line.
_SENTENCE = re.compile(r"[^\n.!?:：]+(?:[.:](?!\s|$|[\"'“„«*_])[^\n.!?:：]*)*(?P<end>[.!?]+|[:：]|(?=\n)|$)")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "‹": "›", "「": "」"}
_LEFT_OUT = "…"
_BEFORE_OWN = frozenset({"my", "to"})
_MOST_LABEL_WORDS = 3
# How many words after a pointer ("this") the text may be named: "this short cover letter".
_NEAR = 3
# A request verb must be among the first words of its sentence.
_HEAD = 4


@dataclass(frozen=True, slots=True)
class TextPassage:
    text: str
    is_own: bool


Span = tuple[int, int]


@lru_cache(maxsize=32)
def passages_of(message: str) -> tuple[TextPassage, ...]:
    """The whole message, cut where the author changes. Never raises, whatever the input."""
    spans = _united([*_marked(message), *_labelled(message)])
    spans = _united([*spans, *_introduced(message, spans)])
    passages: list[TextPassage] = []
    at = 0
    for start, end in [*spans, (len(message), len(message))]:
        passages += [TextPassage(message[at:start], True), TextPassage(message[start:end], False)]
        at = end
    return tuple(each for each in passages if each.text.strip())


def own_words(message: str) -> str:
    """The user's own words within the first 12,000 characters, with a marker where other text was cut out. Applying it
    twice changes nothing more."""
    passages = passages_of(message[:MOST_READ])
    if all(each.is_own for each in passages):
        return message[:MOST_READ]
    return "\n".join(each.text if each.is_own else _LEFT_OUT for each in passages)


# ── blocks recognized by their markup ────────────────────────────────────────────────────────────


def _marked(text: str) -> Iterator[Span]:
    fences = [match.span() for match in _FENCE.finditer(text)]
    for place in range(0, len(fences), 2):
        yield fences[place][0], fences[place + 1][1] if place + 1 < len(fences) else len(text)
    yield from _tagged(text)
    rules = [match.span() for match in _RULE.finditer(text)]
    if len(rules) > 1:
        yield rules[0][0], rules[-1][1]
    yield from (match.span() for match in _QUOTED_LINES.finditer(text))
    yield from (match.span() for match in _QUOTED_BLOCK.finditer(text) if "\n" in match.group().strip())


def _tagged(text: str) -> Iterator[Span]:
    opened: dict[str, int] = {}
    for match in _TAG.finditer(text):
        name = match["name"].lower()
        if name in _FORMATTING:
            continue
        if not match["close"]:
            opened.setdefault(name, match.start())
        elif name in opened:
            yield opened.pop(name), match.end()


def _labelled(text: str) -> Iterator[Span]:
    """ "Ticket: …" up to the next blank line or label; after an email header, the whole rest."""
    labels = list(_LABEL.finditer(text))
    for place, match in enumerate(labels):
        words = _words(match["label"])
        ends = labels[place + 1].start() if place + 1 < len(labels) else len(text)
        if words[-1:] and words[-1] in _list("heads"):
            yield match.start(), len(text)
        elif 0 < len(words) <= _MOST_LABEL_WORDS and words[-1] in _list("texts") - _OWN_LABELS:
            blank = _BLANK_LINE.search(text, _first_word(text, match.end()))
            yield match.start(), min(ends, blank.start() if blank else ends)


# The user says "Context: I'm a nurse", unless they asked for work on a text.
_OWN_LABELS = frozenset({"context", "answer", "answers", "summary", "notes", "request", "query"})


# ── texts introduced by a sentence ───────────────────────────────────────────────────────────────


def _introduced(text: str, marked: Sequence[Span]) -> Iterator[Span]:
    """The text that a sentence of the user introduces: the next block or quotation, or else the whole rest."""
    at = 0
    while at < len(text):
        sentence = _SENTENCE.search(text, at)
        if sentence is None:
            return
        inside = next((span for span in marked if span[0] <= sentence.start() < span[1]), None)
        if inside is not None:
            at = inside[1]
            continue
        at = max(sentence.end(), at + 1)
        asked = _Asking(sentence, text)
        start = _first_word(text, at)
        if asked.is_about_above:
            yield 0, sentence.start()
        elif (asked.introduces or asked.reports) and not any(span[0] <= start < span[1] for span in marked):
            at = _end_of_quotation(text, start) or (len(text) if asked.introduces else _end_of_report(text, start))
            yield start, at


class _Asking:
    """A sentence of the user, and whether a text follows it."""

    def __init__(self, sentence: re.Match[str], text: str) -> None:
        self._words = _words(sentence.group())
        self._before = text[: sentence.start()]
        self._is_own = any(word in _list("selves") for word in self._words)
        self._is_question = sentence["end"].startswith("?")
        self._has_colon = sentence["end"] in (":", "：")
        self._rest = text[sentence.end() :]
        self._ends_line = self._rest.lstrip(" \t")[:1] in ("\n", "")

    @property
    def introduces(self) -> bool:
        if not self._rest.strip() or not self._words:
            return False
        if self._has_colon:
            is_named = self._ends_line and (self._names_text() or self._is_this())
            return self._has_order() or self._points() or self._presents() or is_named
        if not self._ends_line or self._words[0] in _list("selves"):
            return False
        return self._presents() or self._points_at_place() or self._orders_work()

    def _orders_work(self) -> bool:
        """ "Proofread this", "can you shorten this letter?"."""
        if self._has_order() and not _list("pointers").isdisjoint(self._words):
            return True
        is_ordered = self._has_order() or self._has_order("weak_orders")
        return (self._is_question and self._points()) or (is_ordered and self._points("pointers", "articles"))

    @property
    def is_about_above(self) -> bool:
        return self._has_order() and any(word in _list("above") for word in self._words)

    def _has_order(self, name: str = "orders") -> bool:
        """Whether a request verb leads the sentence and addresses the reader: "I translate novels" requests nothing."""
        words = self._words
        if len(words) == 1 and words[0] in _list("alone"):
            return False
        for place, word in enumerate(words):
            if word in _list(name):
                before = words[:place]
                # "I translate novels", "my summary", "let me rephrase", "to sum up".
                is_told = not (_list("selves") | _list("self_objects") | _BEFORE_OWN).isdisjoint(before[-2:])
                is_head = place < _HEAD or any(each in _list("others") for each in before)
                is_of_me = words[place + 1 : place + 2] and words[place + 1] in _list("self_objects")
                if is_head and not is_told and not is_of_me:
                    return True
        return False

    def _points(self, *names: str) -> bool:
        words, pointers = self._words, frozenset().union(*map(_list, names or ("pointers",)))
        near = (words[place + 1 : place + 1 + _NEAR] for place, word in enumerate(words) if word in pointers)
        return any(not _list("texts").isdisjoint(each) for each in near) or self._points_at_place()

    def _points_at_place(self) -> bool:
        """ "The text below", "of the following"; not "following problem"."""
        for place, word in enumerate(self._words):
            if word in _list("places"):
                behind, before = self._words[place + 1 : place + 1 + _NEAR], self._words[max(place - 2, 0) : place]
                if not behind or not _list("texts").isdisjoint((*behind, *before)):
                    return True
        return False

    def _presents(self) -> bool:
        """ "Here is an email"; after a text was mentioned, "here it is"."""
        if self._words[0] not in _list("presents") or not _OWN_LABELS.isdisjoint(self._words):
            return False
        is_short = self._has_colon and self._ends_line and len(self._words) <= _NEAR
        spoken_of = (*self._words, *(_words(self._before) if is_short else ()))
        return not _list("texts").isdisjoint(spoken_of)

    def _names_text(self) -> bool:
        """ "Feedback on my pupil's essay:"; but "My notes:" introduces the user's own text."""
        return self._words[-1] in _list("texts") - _OWN_LABELS and self._words[0] != "my"

    def _is_this(self) -> bool:
        pairs = pairwise(self._words)
        return any(word in _list("pointers") and after in _list("being") for word, after in pairs) and not self._is_own

    @property
    def reports(self) -> bool:
        """ "My landlord just wrote me:"; but "as I said:" introduces the user's own text."""
        if not self._has_colon or self._is_own or not _list("others").isdisjoint(self._words):
            return False
        at = max((place for place, word in enumerate(self._words) if word in _list("said")), default=-1)
        behind = self._words[at + 1 :]
        return at > 0 and all(word in _list("self_objects") | _list("pointers") for word in behind)


def _first_word(text: str, start: int) -> int:
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def _end_of_quotation(text: str, start: int) -> int:
    """The end of the quotation that begins at `start`; 0 if none begins there or it is never closed."""
    if text.startswith(_LEFT_OUT, start):
        return start + 1
    closing = _QUOTES.get(text[start : start + 1])
    return text.find(closing, start + 1) + 1 if closing else 0


def _end_of_report(text: str, start: int) -> int:
    """The end of reported speech without quotation marks: its sentence, or its paragraph if it says "I"."""
    sentence = _SENTENCE.match(text, start)
    if sentence is not None and _list("selves").isdisjoint(_words(sentence.group())):
        return sentence.end()
    blank = _BLANK_LINE.search(text, start)
    return blank.start() if blank else len(text)


def _united(spans: Sequence[Span]) -> list[Span]:
    united: list[Span] = []
    for start, end in sorted(spans):
        if united and start <= united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    return _WORD.findall("".join(sign for sign in plain if not unicodedata.combining(sign)))


@cache
def _list(name: str) -> frozenset[str]:
    return frozenset(data_in(__package__, "own_words.toml")[name].split())
