"""What makes a title and an icon of a conversation (V7): the question to a model, and what is made of its answer.

A title has at most 40 characters and ends at the end of a word. Where no model gives a usable one, the
beginning of the first user message does. Start at `title_prompt`.
"""

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from everlore.converse.icons import DEFAULT_ICON, ICONS
from everlore.domain.blocks import block
from everlore.domain.bounds import Json
from everlore.domain.conversation import Conversation, Message
from everlore.domain.display import display
from everlore.models.chat import Said

MOST_CHARS = 40
UNTITLED = "New conversation"

# Enough for any title; what is behind it is not even looked at.
_MOST_WORDS = 60
_MOST_READ = 1_000
_MOST_QUOTED = 1_000
_AROUND = " \t\"'“”‘’«»„`*_#~-–—:;,.…|<>[]{}()"
_JOINER = "\u200d"
_NON_JOINER = "\u200c"  # spelling in Persian and others

SCHEMA: Json = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "icon": {"type": "string", "enum": sorted(ICONS)}},
    "required": ["title", "icon"],
    "additionalProperties": False,
}
_INSTRUCTIONS = (
    "You name conversations. Read the beginning of one and answer with a JSON object and nothing else: "
    '{"title": "…", "icon": "…"}. '
    f"The title says what it is about, in its own language, with at most {MOST_CHARS} characters and without "
    "quotation marks. The icon is one of: "
)


@dataclass(frozen=True, slots=True)
class Title:
    title: str
    icon: str = DEFAULT_ICON


def title_prompt(talk: Sequence[tuple[bool, str]]) -> tuple[Said, ...]:
    """`talk`: for each of the first messages whether the user wrote it, and what it says."""
    lines = [f"{'User' if is_user else 'Character'}: {text[:_MOST_QUOTED]}" for is_user, text in talk]
    return (
        Said("system", _INSTRUCTIONS + ", ".join(sorted(ICONS)) + "."),
        Said("user", block("conversation", "\n".join(lines))),
    )


def parse_title(answer: str) -> Title | None:
    """None unless the answer is the object that was asked for, bare or in a code fence."""
    try:
        given = json.loads(_unfenced(display(answer).text))
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict) or not isinstance(given.get("title"), str):
        return None
    title = _tidy(given["title"])
    return Title(title, _icon(given.get("icon"))) if title else None


def fallback_title(first_user_message: str) -> Title:
    return Title(_tidy(first_user_message) or UNTITLED)


def is_made_of(conversation: Conversation, messages: Sequence[Message]) -> bool:
    """Whether the title was made of any of these. One that was made before it was noted of what is known by its words:
    it is the beginning of the first user message."""
    if conversation.titled_from:
        return any(each.id in conversation.titled_from for each in messages)
    given = conversation.title
    return bool(given) and any(fallback_title(display(each.content).text).title == given for each in messages)


def _unfenced(text: str) -> str:
    text = text.strip()
    if not (text.startswith("```") and text.endswith("```")):
        return text
    return text[3:-3].removeprefix("json").strip()


def _icon(given: object) -> str:
    name = given.strip().lower().replace(" ", "_").replace("-", "_") if isinstance(given, str) else ""
    return name if name in ICONS else DEFAULT_ICON


def _tidy(text: str) -> str:
    """One line without decoration, cut to size."""
    line = " ".join(text.split(maxsplit=_MOST_WORDS)[:_MOST_WORDS])[:_MOST_READ]
    shown = " ".join("".join(sign for sign in line if _is_shown(sign)).split())
    return _cut(shown.strip(_AROUND)).strip(_AROUND)


def _is_shown(sign: str) -> bool:
    """No control signs, and none that would turn the direction of what stands beside the title."""
    return sign in (" ", _JOINER, _NON_JOINER) or not unicodedata.category(sign).startswith("C")


def _cut(text: str) -> str:
    if len(text) <= MOST_CHARS:
        return text
    whole_words, space, _ = text[: MOST_CHARS + 1].rpartition(" ")
    return whole_words if space else text[: _between_signs(text)]


def _between_signs(text: str) -> int:
    """The last place, at most `MOST_CHARS` in, that does not tear an accent or a joined emoji apart."""
    for end in range(MOST_CHARS, 0, -1):
        if not _clings(text[end]) and text[end - 1] != _JOINER:
            return end
    return MOST_CHARS


def _clings(sign: str) -> bool:
    return sign == _JOINER or unicodedata.category(sign) in ("Mn", "Me", "Mc", "Sk")
