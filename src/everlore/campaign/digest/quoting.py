"""Digests a session without a model: quotes its narration in order (G3, O1).

In: lines of a log. Out: a `Digest` that only repeats what was said; the same input gives the same digest. Talk about
rules, dice and the evening is left out. Decisions, facts, discoveries and threads need a model. Start at `quoted`."""

import re
from collections.abc import Sequence

from everlore.campaign.digest.digest import MOST, Digest, DigestItem
from everlore.campaign.digest.scenes import scenes_in
from everlore.campaign.digest.signs import sign
from everlore.domain.memory import MemoryType
from everlore.domain.weight import weigh
from everlore.learning.segments.transcript import TranscriptLine, clip
from everlore.learning.segments.vetting import sentences_of

_OF_SCENE = 4
_MOST_CHARS = 320
_MOST_LINE = 160
_MOST_PARAGRAPH = 900
_LEAST_WORDS = 5
_MOST_ANSWER = 3
_MOST_READ = 20_000
# The narration that says what a scene is about is among its first ones.
_OPENINGS = 3
_MARKUP = str.maketrans({"*": None, "_": None, "`": None, "#": None})
_QUOTES = re.compile('[“”"„]')
# The sentence splitter may leave a closing quotation mark on its own.
_SPLIT_QUOTE = re.compile(r"([.!?…]) ([\"”])(?= |$)")
_ASIDE = re.compile(r"^\s*(?:\(\(|\[|//)")


def quoted(lines: Sequence[TranscriptLine], narrators: frozenset[str]) -> Digest | None:
    """None if nothing was said that can be quoted."""
    scenes = [each for each in (_scene(lines, narrators) for lines in scenes_in(lines)) if each is not None]
    if not scenes:
        return None
    return Digest(
        summary=_summary(scenes),
        line=_shortened(scenes[-1].text, _MOST_LINE),
        items=_spread(scenes, MOST[MemoryType.SCENE]),
        sources=tuple(each.message.id for each in lines),
    )


def notes(lines: Sequence[TranscriptLine]) -> tuple[DigestItem, ...]:
    """A game master's own notes: every statement in them is kept as a fact."""
    found = {
        sentence.casefold(): DigestItem(MemoryType.FACT, _plain(sentence), (line.message.id,))
        for line in lines
        for sentence in sentences_of(line.text)
        if _tells(sentence) and not sentence.rstrip().endswith("?")
    }
    return tuple(found.values())[: MOST[MemoryType.FACT]]


def is_table_talk(sentence: str) -> bool:
    """Whether it is about the game or the evening, not about the story."""
    head = sentence[:200].replace("’", "'")
    return _ASIDE.match(head) is not None or sign("table talk", after=r"(?!\w)").search(head) is not None


# ── scenes ───────────────────────────────────────────────────────────────────────────────────────


def _scene(lines: Sequence[TranscriptLine], narrators: frozenset[str]) -> DigestItem | None:
    """The opening and the most important narrations of a scene, in order. Without a narrator all lines count."""
    told = [(line, text) for line in lines if not narrators or line.name in narrators if (text := narration(line.text))]
    if not told:
        return None
    weights = [weigh(text) for _, text in told]
    opening = max(range(min(len(told), _OPENINGS)), key=lambda at: (weights[at], -at))
    others = sorted((at for at in range(opening + 1, len(told))), key=lambda at: (-weights[at], -at))
    chosen = [told[at] for at in sorted([opening, *others[: _OF_SCENE - 1]])]
    return DigestItem(
        MemoryType.SCENE,
        " ".join(text for _, text in chosen),
        tuple(dict.fromkeys(line.message.id for line, _ in chosen)),
        max(weights),
    )


def narration(text: str) -> str:
    """The narration in a message; empty if it asks for dice rolls or only answers."""
    told = [each for each in sentences_of(text[:_MOST_READ]) if each.strip() and not is_table_talk(each)]
    while told and told[-1].rstrip(" *)").endswith("?"):
        # A question at the end is addressed to the players.
        told.pop()
    while told and len(told[0].split()) <= _MOST_ANSWER and not _QUOTES.search(told[0]):
        # "You do." is an answer.
        told.pop(0)
    plain = _plain(" ".join(told))
    return plain if _tells(plain) else ""


def _tells(text: str) -> bool:
    return len(text.split()) >= _LEAST_WORDS and not is_table_talk(text) and text.upper() != text


def _plain(text: str) -> str:
    """On one line, cut to the maximum length, without unpaired quotation marks."""
    plain = " ".join(text.translate(_MARKUP).split())
    if len(plain) > _MOST_CHARS:
        kept = ""
        for sentence in sentences_of(plain):
            if kept and len(kept) + len(sentence) > _MOST_CHARS:
                break
            kept = f"{kept} {sentence}".strip()
        plain = clip(kept, _MOST_CHARS)
    plain = _SPLIT_QUOTE.sub(r"\1\2", plain)
    if len(_QUOTES.findall(plain)) % 2:
        plain = _QUOTES.sub("", plain)
    return plain if plain.endswith((".", "!", "?", "…", "”", '"', "'")) else f"{plain}."


# ── summary ──────────────────────────────────────────────────────────────────────────────────────


def _summary(scenes: Sequence[DigestItem]) -> str:
    """The scenes in order, in two paragraphs."""
    half = (len(scenes) + 1) // 2
    room = _MOST_PARAGRAPH // half
    parts = (scenes[:half], scenes[half:])
    return "\n\n".join(" ".join(_shortened(each.text, room) for each in part) for part in parts if part)


def _shortened(text: str, most: int) -> str:
    """As many of its first sentences as fit, and at least one."""
    first, *others = sentences_of(text)
    kept = clip(first, min(most, _MOST_CHARS))
    for sentence in others:
        if len(kept) + len(sentence) > most:
            break
        kept += f" {sentence}"
    return _plain(kept)


def _spread(items: Sequence[DigestItem], most: int) -> tuple[DigestItem, ...]:
    """At most `most` items: the most important ones, in order."""
    kept = sorted(range(len(items)), key=lambda at: (-items[at].weight, at))[:most]
    return tuple(items[at] for at in sorted(kept))
