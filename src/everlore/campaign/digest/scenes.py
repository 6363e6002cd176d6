"""Splits a session into scenes (G3). Pure, without a model.

A rule, a heading or a long pause begins a new scene; a scene without any of them ends after some lines. Start at
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


def scenes_in(lines: Sequence[TranscriptLine]) -> tuple[tuple[TranscriptLine, ...], ...]:
    """The lines of each scene."""
    scenes: list[list[TranscriptLine]] = []
    for line in lines:
        if not scenes or _begins(scenes[-1], line):
            scenes.append([])
        scenes[-1].append(line)
    return tuple(tuple(each) for each in _without_crumbs(scenes))


def _begins(scene: Sequence[TranscriptLine], line: TranscriptLine) -> bool:
    if _RULE.search(line.text[:_HEAD_CHARS]) or len(scene) >= _LONGEST:
        return True
    return line.message.created_at - scene[-1].message.created_at > _PAUSE


def _without_crumbs(scenes: Sequence[list[TranscriptLine]]) -> list[list[TranscriptLine]]:
    """Joins a scene of only a few lines to the one before it."""
    kept: list[list[TranscriptLine]] = []
    for scene in scenes:
        if kept and len(scene) < _SHORTEST - 1:
            kept[-1] += scene
        else:
            kept.append(scene)
    return kept
