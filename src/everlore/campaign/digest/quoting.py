"""A session told without a model: its own sentences, the weightiest of each scene (G3, O1).

In: lines of a log. Out: a `Digest` that is true because it only repeats, the same for the same words. Start at
`quoted`."""

import re
from collections.abc import Collection, Sequence

from everlore.campaign.digest.digest import MOST, Digest, DigestItem
from everlore.campaign.digest.noticing import is_beside, naming, narrated, noticed, telling
from everlore.campaign.digest.scenes import scenes_in
from everlore.domain.memory import MemoryType
from everlore.learning.segments.transcript import TranscriptLine, clip
from everlore.learning.segments.vetting import sentences_of

_OF_SCENE = 3
_MOST_LINE = 160
_MOST_PARAGRAPH = 900
_TELLING = 5
# Among so many narrations at the beginning of a scene is the one that says what it is about.
_OPENINGS = 4
# What a session came to is told first of all by these.
_LEADING = (MemoryType.DECISION_POINT, MemoryType.DISCOVERY, MemoryType.MOMENT)


def quoted(lines: Sequence[TranscriptLine], narrators: frozenset[str], names: Collection[str]) -> Digest | None:
    """None where nothing was said that could be told."""
    if not lines:
        return None
    items = noticed(lines, narrators, names)
    scenes = [_scene(each, narrators, naming(names)) for each in scenes_in(lines, narrators)]
    told = tuple(each for each in scenes if each is not None)
    if not told and not items:
        return None
    return Digest(
        summary=_summary(told, items),
        line=_line(told, items),
        items=(*_spread(told, MOST[MemoryType.SCENE]), *items),
        sources=tuple(each.message.id for each in lines),
    )


def notes(lines: Sequence[TranscriptLine]) -> tuple[DigestItem, ...]:
    """What a game master wrote for themselves: every statement of it is meant to be known again."""
    found = {
        sentence.casefold(): DigestItem(
            MemoryType.FACT, narrated(line, sentence, frozenset({line.name})), (line.message.id,)
        )
        for line in lines
        for sentence in sentences_of(line.text)
        if len(sentence.split()) >= _TELLING and not sentence.rstrip().endswith("?") and not is_beside(sentence)
    }
    return tuple(found.values())[: MOST[MemoryType.FACT]]


def _scene(
    lines: Sequence[TranscriptLine], narrators: frozenset[str], names: re.Pattern[str] | None
) -> DigestItem | None:
    """How it began, and the weightiest of what was said in it."""
    said = [
        (at, line, sentence)
        for at, line in enumerate(lines)
        for sentence in sentences_of(line.text)
        if len(sentence.split()) >= _TELLING and not is_beside(sentence)
    ]
    if not said:
        return None
    weights = [telling(sentence, names) + (line.name in narrators) for _, line, sentence in said]
    narrations = [at for at, (_, line, _) in enumerate(said) if line.name in narrators] or [0]
    opening = said[max(narrations[:_OPENINGS], key=lambda at: (weights[at], -at))]
    ranked = sorted(range(len(said)), key=lambda at: (-weights[at], -at))
    others = [said[at] for at in ranked if said[at] is not opening]
    chosen = sorted([opening, *others[: _OF_SCENE - 1]], key=lambda each: said.index(each))
    return DigestItem(
        MemoryType.SCENE,
        " ".join(_ended(narrated(line, sentence, narrators)) for _, line, sentence in chosen),
        tuple(dict.fromkeys(line.message.id for _, line, _ in chosen)),
        max(telling(sentence, names) for _, _, sentence in chosen),
    )


def _summary(scenes: Sequence[DigestItem], items: Sequence[DigestItem]) -> str:
    """How it began; what was decided and found out; how it ended, and what is open."""
    leading = [each for each in items if each.kind in _LEADING]
    threads = [each for each in items if each.kind is MemoryType.PLOT_THREAD]
    first, last = scenes[:1], scenes[1:][-1:]
    paragraphs = (_paragraph(first), _paragraph(leading[:6]), _paragraph([*last, *threads[:3]]))
    return "\n\n".join(each for each in paragraphs if each)


def _paragraph(items: Sequence[DigestItem]) -> str:
    return clip(" ".join(dict.fromkeys(_ended(each.text) for each in items)), _MOST_PARAGRAPH)


def _line(scenes: Sequence[DigestItem], items: Sequence[DigestItem]) -> str:
    """The weightiest thing that was decided or found out, or happened; of equals the latest."""
    came_of_it = [each for each in items if each.kind in _LEADING[:2]]
    leading = came_of_it or [each for each in items if each.kind in _LEADING] or [*scenes]
    best = max(enumerate(leading), key=lambda each: (each[1].weight, each[0]))[1] if leading else items[0]
    return clip(best.text, _MOST_LINE)


def _spread(scenes: Sequence[DigestItem], most: int) -> tuple[DigestItem, ...]:
    """Where there are too many, the weightiest, in their order."""
    kept = sorted(range(len(scenes)), key=lambda at: (-scenes[at].weight, at))[:most]
    return tuple(scenes[at] for at in sorted(kept))


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…", "”", "'")) else f"{text}."
