"""Splits a session into scenes (G3). Pure, without a model.

A rule, a heading, a jump in time, an arrival or a long pause in the narration begins a new scene. Start at
`scenes_in`."""

import re
from collections.abc import Sequence
from datetime import timedelta

from everlore.learning.segments.transcript import TranscriptLine

_LONGEST = 24
_SHORTEST = 4
_PAUSE = timedelta(hours=2)
# How far into a message a scene can begin.
_HEAD_CHARS = 160
_RULE = re.compile(r"^\s*(?:[-*_=~#] ?){3,}\s*$|^\s*#{1,4} \S|^\s*\[?\(?scene\b", re.IGNORECASE | re.MULTILINE)
_SPAN = r"(?:(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|several|some|a few|many|\d+) )"
JUMP = re.compile(
    rf"^\W*(?:{_SPAN}?(?:minute|hour|day|night|week|month|year|season)s? (?:later|pass(?:es)?|go(?:es)? by|after)\b|"
    r"later(?: that| the| in|,)|(?:early |late )?(?:the )?(?:next|following) (?:day|morning|evening|night|week|month)|"
    r"that (?:same )?(?:night|evening|morning|afternoon)|at (?:dawn|dusk|sunrise|sunset|midnight|noon|nightfall)\b|"
    r"by (?:dawn|dusk|morning|evening|nightfall|midday)|meanwhile|elsewhere|cut to|fade (?:in|to)|"
    r"when (?:the )?(?:morning|dawn|night) (?:comes|falls|breaks)|after (?:a|an|the|your|their|some|several) \w+)",
    re.IGNORECASE,
)
ARRIVAL = re.compile(
    r"\b(?:you|we|they|the (?:party|group|crew|company|heroes)) (?:all |finally |soon |then |now )?"
    r"(?:arrives?|reach(?:es)?|enters?|steps? into|comes? to|return(?:s)? to|gets? (?:back )?to|makes? (?:it|your way|"
    r"their way) to|sails? into|rides? into|descends? into|emerges? (?:from|into|in)|leaves? (?:for|the)|sets? (?:out|"
    r"sail|off) )\b|\bback (?:at|in) the\b",
    re.IGNORECASE,
)


def scenes_in(
    lines: Sequence[TranscriptLine], narrators: frozenset[str] = frozenset()
) -> tuple[tuple[TranscriptLine, ...], ...]:
    """The lines of each scene. `narrators`: the names of the narrators; if empty, anyone may begin a scene."""
    scenes: list[list[TranscriptLine]] = []
    for line in lines:
        if not scenes or _begins(scenes[-1], line, narrators):
            scenes.append([])
        scenes[-1].append(line)
    return tuple(tuple(each) for each in _without_crumbs(scenes))


def is_jump(text: str) -> bool:
    """Whether a narration begins with a jump in time."""
    return JUMP.match(text[:_HEAD_CHARS]) is not None


def _begins(scene: Sequence[TranscriptLine], line: TranscriptLine, narrators: frozenset[str]) -> bool:
    head = line.text[:_HEAD_CHARS]
    if _RULE.search(head) or len(scene) >= _LONGEST:
        return True
    if line.message.created_at - scene[-1].message.created_at > _PAUSE:
        return True
    if len(scene) < _SHORTEST or (narrators and line.name not in narrators):
        return False
    return is_jump(head) or ARRIVAL.search(head) is not None


def _without_crumbs(scenes: Sequence[list[TranscriptLine]]) -> list[list[TranscriptLine]]:
    """Joins a scene of only a few lines to the one before it."""
    kept: list[list[TranscriptLine]] = []
    for scene in scenes:
        if kept and len(scene) < _SHORTEST - 1:
            kept[-1] += scene
        else:
            kept.append(scene)
    return kept
