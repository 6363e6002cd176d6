"""Suggests where a chapter could end (G8): goals reached, the story moves, the cast changes, time jumps.

In: the lines of a session, its chapter, and the names of its characters. Out: a suggestion with reasons, or none. Pure,
without a model. Start at `boundary_in`.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from everlore.campaign.digest.signs import sign
from everlore.domain.campaign import Chapter
from everlore.domain.words import query_terms
from everlore.learning.segments.transcript import TranscriptLine, clip
from everlore.learning.segments.vetting import sentences_of

# Minimum confidence for a suggestion.
_ENOUGH = 0.5
_SAID, _GOAL, _LEAP, _JOURNEY, _CAST = 0.4, 0.4, 0.3, 0.25, 0.15
# Number of consecutive narrations that are read together for a goal.
_TOGETHER = 3
# Share of a goal's words that must recur when it is reached.
_SAME = 0.5
_LAST_PART = 0.6
_LEAST_CAST = 3
_MOST_CHARS = 200
_MOST_NAMES = 2_000


@dataclass(frozen=True, slots=True)
class Sign:
    """One reason for a chapter end, and the message that gives it."""

    reason: str
    text: str
    message_id: str
    weight: float


@dataclass(frozen=True, slots=True)
class Boundary:
    signs: tuple[Sign, ...]
    confidence: float

    @property
    def message_id(self) -> str:
        """The message after which the chapter could end: the last one that gives a reason."""
        return self.signs[-1].message_id


def boundary_in(
    lines: Sequence[TranscriptLine], chapter: Chapter | None, narrators: frozenset[str], names: Collection[str]
) -> Boundary | None:
    """A suggested chapter end in this session, if there is enough reason for one."""
    signs = [*_goals(lines, chapter, narrators), *_of_narration(lines, narrators), *_cast(lines, names)]
    # The same reason counts once (two journeys); each goal is a reason of its own.
    best = {each.reason: each for each in sorted(signs, key=lambda each: each.weight)}
    confidence = min(sum(each.weight for each in best.values()), 1.0)
    if confidence < _ENOUGH:
        return None
    order = {line.message.id: at for at, line in enumerate(lines)}
    return Boundary(tuple(sorted(best.values(), key=lambda each: order[each.message_id])), round(confidence, 2))


def _goals(lines: Sequence[TranscriptLine], chapter: Chapter | None, narrators: frozenset[str]) -> list[Sign]:
    """Goals reached after the first third of the session; before that they are only set."""
    told = [line for line in lines[len(lines) // 3 :] if not narrators or line.name in narrators]
    found: list[Sign] = []
    for goal in chapter.goals if chapter else ():
        wanted = set(query_terms(goal))
        for first in range(len(told)):
            together = told[first : first + _TOGETHER]
            text = " ".join(line.text for line in together)
            said = set(query_terms(text, most=800))
            if wanted and len(wanted & said) >= _SAME * len(wanted) and sign("reached").search(text):
                last = together[-1]
                found.append(_sign(f"a goal of the chapter seems to be reached: {goal}", last, last.text, _GOAL))
                break
    return found


def _of_narration(lines: Sequence[TranscriptLine], narrators: frozenset[str]) -> list[Sign]:
    """Signs in narration in the last part of a session; a journey at the beginning only leads into it."""
    late = lines[int(len(lines) * _LAST_PART) :]
    found: list[Sign] = []
    for line in late:
        if narrators and line.name not in narrators:
            continue
        for sentence in sentences_of(line.text):
            if sign("ends").search(sentence):
                found.append(_sign("it is said that a part of the story ends", line, sentence, _SAID))
            if sign("leaps").search(sentence):
                found.append(_sign("time leaps", line, sentence, _LEAP))
            if sign("moves").search(sentence):
                found.append(_sign("the story moves elsewhere", line, sentence, _JOURNEY))
    return found


def _cast(lines: Sequence[TranscriptLine], names: Collection[str]) -> list[Sign]:
    """Whether the characters named at the end differ from those named before."""
    pattern = _naming(names)
    if pattern is None or len(lines) < 2 * _LEAST_CAST:
        return []
    cut = int(len(lines) * _LAST_PART)
    before = {each.casefold() for line in lines[:cut] for each in pattern.findall(line.text)}
    after = [(each.casefold(), line) for line in lines[cut:] for each in pattern.findall(line.text)]
    new = [(name, line) for name, line in after if name not in before]
    if len({name for name, _ in new}) < _LEAST_CAST:
        return []
    return [_sign("others take the stage", new[0][1], new[0][1].text, _CAST)]


def _naming(names: Collection[str]) -> re.Pattern[str] | None:
    """A pattern that matches any of these names."""
    known = sorted({re.escape(name) for name in names if len(name) > 1}, key=len, reverse=True)[:_MOST_NAMES]
    return re.compile(rf"\b(?:{'|'.join(known)})\b", re.IGNORECASE) if known else None


def _sign(reason: str, line: TranscriptLine, text: str, weight: float) -> Sign:
    return Sign(reason, clip(" ".join(text.split()), _MOST_CHARS), line.message.id, weight)
