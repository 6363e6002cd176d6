"""Reads a message in one pass: pieces, sentences, parts, and the mood and subject of each part.

Start at `clauses_of`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from everlore.learning.clauses.clause import Clause, Mood
from everlore.learning.clauses.moods import is_jest, is_other_world, is_sum, moods_of, opens_fiction
from everlore.learning.clauses.plain import PlainPiece, is_gesture, pieces_of
from everlore.learning.clauses.splitting import ClausePart, parts_of, sentences_of
from everlore.learning.clauses.subjects import ClauseSubject, subject_of, with_my
from everlore.learning.clauses.tokens import ClauseToken, tokens_of, written

_MOST_CLAUSES = 200
# Up to this many sentences, one joke makes the whole message a joke; in longer ones only its sentence.
_FEW_SENTENCES = 3
_SENTENCE = re.compile(r"[^.!?\n]*\w[^.!?\n]*")


def clauses_of(message: str) -> list[Clause]:
    """The clauses of a message. Never raises, whatever the input."""
    pieces = pieces_of(message)
    reader = _Reader(_whole_mood(pieces))
    for piece in pieces:
        reader.found += reader.read_line(piece.text, piece.mood)
    return reader.found[:_MOST_CLAUSES]


def _whole_mood(pieces: list[PlainPiece]) -> Mood | None:
    """The mood of a message that is role-play or a joke as a whole."""
    own = " ".join(piece.text for piece in pieces if piece.mood is None)
    is_acted = any(piece.mood is Mood.PLAYS and not is_gesture(piece.text) for piece in pieces)
    if is_acted or is_other_world(own):
        return Mood.PLAYS
    is_short = len(_SENTENCE.findall(own)) <= _FEW_SENTENCES
    return Mood.SUPPOSES if (is_short and is_jest(own)) or is_sum(own) else None


class _Reader:
    """Reads the pieces; the mood that a request sets ("translate:", "pretend") holds until the end of the message."""

    def __init__(self, whole: Mood | None) -> None:
        self.found: list[Clause] = []
        self._held = whole
        self._before: ClauseSubject | None = None
        self._sentence = 0

    def read_line(self, line: str, mood: Mood | None) -> Iterator[Clause]:
        for sentence in sentences_of(tokens_of(line)):
            # A quotation between parts does not start a new sentence of the user's.
            self._sentence += mood is None
            parts = parts_of(sentence)
            text = " ".join(token.text for token in sentence.tokens)
            is_played = is_jest(text) and not sentence.asks
            for part, own in zip(parts, moods_of(sentence, parts), strict=True):
                meant = Mood.SUPPOSES if is_played and own is Mood.STATES else own
                if own is Mood.STATES and self._held is not None:
                    meant = self._held
                yield self._clause(line, part, mood or meant)
                if mood is None and self._held is None:
                    self._held = opens_fiction(part, own)

    def _clause(self, line: str, part: ClausePart, mood: Mood) -> Clause:
        part = replace(part, tokens=with_my(part.tokens))
        subject = subject_of(part, self._before)
        self._before = subject
        return Clause(
            text=written(line, part.tokens),
            mood=mood,
            whose=subject.whose,
            pronoun=subject.text,
            lead=part.lead,
            front=part.tokens[: subject.start],
            subject=part.tokens[subject.start : subject.end],
            predicate=_predicate(part, subject),
            sentence=self._sentence,
        )


def _predicate(part: ClausePart, subject: ClauseSubject) -> tuple[ClauseToken, ...]:
    """The predicate including implied words, without the capital from the start of the sentence."""
    tokens = part.tokens[subject.end :]
    if not subject.implied or not tokens or not tokens[0].text[1:].islower():
        return (*subject.implied, *tokens)
    first = ClauseToken(tokens[0].low, tokens[0].low, tokens[0].start, tokens[0].end)
    return (*subject.implied, first, *tokens[1:])
