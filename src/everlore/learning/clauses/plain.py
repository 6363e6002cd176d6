"""Reduces a message to what the user said: removes code, logs, links and blocks, and separates quotations and actions.

In: a message as typed. Out: pieces of text in order, each the user's own words, a role-play action, or someone else's
words. Text that was only passed on is left out (`own_words.py`). A piece ends with its line, but quotations and actions
may be inside one.

Start at `pieces_of`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from everlore.domain.display import display
from everlore.language.lists import listed
from everlore.language.own_words import own_words
from everlore.language.words import PERSONS, WORKS
from everlore.learning.clauses.clause import Mood

# Maximum number of characters of the user's own words that are parsed.
MOST_CHARS = 4_000
_MOST_SPAN = 600
_FEW = 3
_SHOUT = 10

_INLINE_CODE = re.compile(rf"`[^`\n]{{1,{_MOST_SPAN}}}`")
_LINK = re.compile(r"(?:https?://|www\.)\S{1,1000}|\b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]{2,24}", re.IGNORECASE)
_LABELLED_LINK = re.compile(r"\[([^\]\[\n]{1,200})\]\([^()\n]{1,500}\)")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>")
_MACRO = re.compile(r"\{\{[^{}\n]{0,100}\}\}|\$\{[^{}\n]{0,200}\}")
# "My (32M) wife (30F)"
_AGE_AND_SEX = re.compile(r"\s?\(\d{1,3}\s?[mMfF]?\)")
# Prefixes of lines written by a program or another speaker.
_QUOTED_LINE = re.compile(r"^\s{0,8}\|")
_LOG_LINE = re.compile(
    r"^\s{0,8}(?:\[?\d{4}-\d\d-\d\d|\[\d\d?:\d\d|\d\d?:\d\d:\d\d|[$#]\s|>>>"
    r"|(?:ERROR|WARN|WARNING|INFO|DEBUG|Traceback|File \"|at \w+\.)\b"
    r"|(?:def|class|import|from|const|let|var|function|return|SELECT|INSERT)\s.{0,200}(?:[;{=()]|import\b))"
)
_SPEAKER = re.compile(r"^\s{0,8}[*_]{0,2}(?:\[[^\]\n]{1,30}\]\s*)?([A-Za-z][\w' .-]{0,30})[*_]{0,2}:(?=\s|[*_]|$)")
_OWN_LABELS = listed("talk.own_labels")
_SPEAKERS = PERSONS | WORKS | listed("people.behind_a_sort")
_TEXTS = listed("play.made_up") | listed("play.texts")
# "every. single. time.": single words with full stops are emphasis, not sentences.
_STRESSED = re.compile(r"(?:^|(?<=[.!?] ))([A-Za-z']{1,12})\. (?=[a-z']{1,12}\.(?:\s|$))", re.MULTILINE)
# "I myself am a tailor" means "I am a tailor".
_EMPHATIC = re.compile(r"\b(i|we|he|she|they) (?:myself|ourselves|himself|herself|themselves)\b(?= \w)", re.IGNORECASE)
_NOTES = ("♪", "♫", "🎵", "🎶", "🎤")
_LEVEL_QUOTES = str.maketrans(dict.fromkeys("“”„«»", '"') | dict.fromkeys("‘’`´ʼ", "'") | {"\u00a0": " ", "\u200b": ""})
_SPAN = re.compile(
    rf'"([^"\n]{{1,{_MOST_SPAN}}})"'
    rf"|(?<![\w*])\*{{1,3}}([^*\n]{{1,{_MOST_SPAN}}})\*{{1,3}}(?![\w*])"
    rf"|(?<!\w)'([^'\n]{{1,80}}(?:'[a-z]{{1,2}}\b[^'\n]{{1,80}}){{0,4}})'(?!\w)"
    rf"|(?<!\w)_([^_\n]{{1,{_MOST_SPAN}}})_(?!\w)"
)
_PRONOUN = re.compile(r"\b(?:i|i'm|im|my|me|you|your|we|he|she|they)\b", re.IGNORECASE)
_GESTURES = listed("talk.gestures")


@dataclass(frozen=True, slots=True)
class PlainPiece:
    """`mood`: PLAYS for an action, QUOTES for someone else's words; None for the user's own."""

    text: str
    mood: Mood | None = None


def pieces_of(message: str) -> list[PlainPiece]:
    pieces: list[PlainPiece] = []
    # Tokens and blocks for display only are nobody's words.
    own = own_words(display(message).text if "<" in message or "$" in message else message)[:MOST_CHARS]
    # In an all-caps message, capitals carry no information.
    own = own.lower() if own.isupper() and len(own) > _SHOUT else own
    for line in _lines(_without_machinery(own)):
        pieces += [PlainPiece(line, Mood.QUOTES)] if _is_of_another(line) else _spans(line)
    return pieces


def is_gesture(action: str) -> bool:
    """*smiles*: a gesture between the user's own words."""
    words = action.lower().split()
    return 0 < len(words) <= _FEW and words[0].strip(".,!") in _GESTURES


def _without_machinery(text: str) -> str:
    shown = text.translate(_LEVEL_QUOTES) if "<" in text or "$" in text else text
    shown = _LABELLED_LINK.sub(r"\1", _INLINE_CODE.sub(" ", shown)).translate(_LEVEL_QUOTES)
    shown = _EMPHATIC.sub(r"\1", _STRESSED.sub(r"\1 ", shown))
    return _AGE_AND_SEX.sub(" ", _MACRO.sub(" ", _TAG.sub(" ", _LINK.sub(" ", shown))))


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        bare = line.strip()
        if bare and not _QUOTED_LINE.match(line) and not _LOG_LINE.match(line):
            yield bare.lstrip("-•# ") or bare


def _is_of_another(line: str) -> bool:
    """A line of a pasted chat: "Bob: I live in Rome"."""
    if any(note in line for note in _NOTES):
        return True
    match = _SPEAKER.match(line)
    if match is None:
        return False
    label = "-".join(match.group(1).lower().split())
    *before, last = match.group(1).split()
    if before and last.islower() and last not in _SPEAKERS and _TEXTS.isdisjoint(label.split("-")):
        # "pls remember: …" and "Small thing: …" are no names, but "My sister: …" is a person, and "Sample text: …" is
        # not meant.
        return False
    return label not in _OWN_LABELS and label.count("-") <= 1


def _spans(line: str) -> list[PlainPiece]:
    """Splits a line at its actions and quotations. A quoted title or an emphasized word stays in place."""
    pieces: list[PlainPiece] = []
    own, start = "", 0
    for match in _SPAN.finditer(line):
        mood = _mood_of(match)
        own += line[start : match.start()]
        start = match.end()
        if mood is None:
            own += next(group for group in match.groups() if group is not None)
        else:
            pieces.append(PlainPiece(own + " …"))
            pieces.append(PlainPiece(next(group for group in match.groups() if group is not None), mood))
            own = ""
    pieces.append(PlainPiece(own + line[start:]))
    return [piece for piece in pieces if piece.text.strip(" …")]


def _mood_of(match: re.Match[str]) -> Mood | None:
    quoted = match.group(1) or match.group(3)
    if quoted:
        return Mood.QUOTES if _PRONOUN.search(quoted) or quoted.rstrip()[-1:] in ".!?," else None
    acted = match.group(2) or ""
    is_act = is_gesture(acted or match.group(4)) or (" " in acted and not match.group().startswith("**"))
    return Mood.PLAYS if is_act else None
