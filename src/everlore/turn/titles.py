"""Makes the title and icon of a conversation (V7): the prompt for a model, and the parsing of its answer.

A title has at most 40 characters and ends at the end of a word, with an ellipsis if it was cut. If no model gives a
usable one, the first meaningful sentence of the user becomes the title, without its greeting and, if too long, without
its later clauses; its words choose the icon. Start at `title_prompt` and `fallback_title`.
"""

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from everlore.domain.blocks import block
from everlore.domain.bounds import Json
from everlore.domain.conversation import Conversation, Message
from everlore.domain.display import display
from everlore.domain.words import is_common
from everlore.models.chat import Said
from everlore.turn.icons import DEFAULT_ICON, ICONS, icon_for

MOST_CHARS = 40
UNTITLED = "New conversation"

# Enough for any title; the words after these are ignored.
_MOST_WORDS = 60
_MOST_READ = 1_000
_MOST_QUOTED = 1_000
_AROUND = " \t\"'“”‘’«»„`*_#~-–—:;,.…|<>[]{}()"
# Greetings and polite openings, in languages that are easy to recognise.
_OPENING = re.compile(
    r"(?:(?:hi+|hello+|hey+|hiya|yo|greetings|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen|abend)|"
    r"bonjour|salut|hola|buenos días|ciao|olá)(?: there| again| everyone| all)?"
    r"(?:,? (?-i:[A-Z])[\w'’-]+(?=[,.!…–—-]|$))?(?:[,.!…\s–—-]+|$)|"
    r"\*[^*]{1,300}\*\s+(?=\S)|"
    r"(?:so|well|ok|okay|um|yes|sure|thanks|thank you|please|quick question)(?:, (?-i:[A-Z])[\w'’-]+(?=[.!]))?"
    r"(?:[,:.!…\s–—-]+)|"
    r"(?:can|could|would|will) you (?:please )?(?:help me (?:with|to)|tell me(?: about)?|explain(?: to me)?) (?=\w)|"
    r"i(?:[’']d like| want| wanted| would like| need) to (?:ask|know|learn|talk|tell you)(?: you)?"
    r"(?: about| if| whether)? (?=\w)|"
    r"(?:my name is|i[’']?m|i am) (?-i:[A-Z])[\w'’-]+,? (?:and )?(?=(?:i|my|we)\b))",
    re.IGNORECASE,
)
_INTRODUCTION = re.compile(
    r"(?:my name is|i[’']?m|i am|call me) (?!(?:dr|mrs?|ms|prof)\b)(?-i:[A-Z])[\w'’-]+[ ,.!]", re.IGNORECASE
)
# Where a sentence that is too long may be cut.
_CLAUSE = re.compile(r"[,;:–—]? (?:[–—-] |and |but |because |since |so |when |while |although |where |which )|[,;:–—] ")
_LEAST_CLAUSE = 12
_SENTENCE = re.compile(r".+?[.!?…]+[*_\"”’)]*(?=\s)")
_LEAST_SENTENCE = 8
_JOINER = "\u200d"
_NON_JOINER = "\u200c"  # used in the spelling of Persian and other languages

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
    """`talk`: for each of the first messages whether the user wrote it, and its text."""
    lines = [f"{'User' if is_user else 'Character'}: {text[:_MOST_QUOTED]}" for is_user, text in talk]
    return (
        Said("system", _INSTRUCTIONS + ", ".join(sorted(ICONS)) + "."),
        Said("user", block("conversation", "\n".join(lines))),
    )


def parse_title(answer: str) -> Title | None:
    """None unless the answer is the requested object, bare or in a code fence."""
    try:
        given = json.loads(_unfenced(display(answer).text))
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict) or not isinstance(given.get("title"), str):
        return None
    title = _tidy(given["title"])
    return Title(title, _icon(given.get("icon"))) if title else None


def fallback_title(*user_messages: str) -> Title:
    """A title from the user's first messages; greetings are skipped."""
    subjects = [_subject(text) for text in user_messages]
    subject = next(filter(None, subjects), "") or next(filter(None, map(_tidy, user_messages)), "")
    return Title(
        _first_clauses(_plain(subject)) or UNTITLED, icon_for(" ".join(user_messages)[:_MOST_READ]) or DEFAULT_ICON
    )


def _first_clauses(sentence: str) -> str:
    """As many clauses of the sentence as fit; if the first is too long, its beginning."""
    if len(sentence) <= MOST_CHARS:
        return sentence
    ends = [found.start() for found in _CLAUSE.finditer(sentence, _LEAST_CLAUSE, MOST_CHARS + 6)]
    end = max((each for each in ends if each <= MOST_CHARS), default=0)
    if end:
        return sentence[:end].strip(_AROUND)
    words = _cut(sentence, MOST_CHARS - 1).split()
    while len(words) > 1 and is_common(words[-1]):
        words.pop()
    return " ".join(words).strip(_AROUND) + "…"


def _subject(text: str) -> str:
    """The first sentence without greetings and polite openings; empty if nothing remains."""
    line = " ".join(text.split(maxsplit=_MOST_WORDS)[:_MOST_WORDS])[:_MOST_READ]
    rest = line
    while found := _OPENING.match(rest):
        rest = rest[found.end() :]
    if not rest.strip(_AROUND + "!?"):
        return ""
    if rest != line:
        rest = rest[:1].upper() + rest[1:]
    sentence = _SENTENCE.match(rest)
    if sentence and _INTRODUCTION.match(rest):
        # A name is not the subject if something follows it.
        rest = rest[sentence.end() :].strip()
        sentence = _SENTENCE.match(rest)
    first = sentence.group() if sentence else rest
    # "No. 5" and the like are not a sentence yet.
    return first if len(first) >= _LEAST_SENTENCE else rest


def is_made_of(conversation: Conversation, messages: Sequence[Message]) -> bool:
    """Whether the title was made of any of these messages. Older titles did not record this and are recognised by their
    words: the beginning of the first user message."""
    if conversation.titled_from:
        return any(each.id in conversation.titled_from for each in messages)
    given = conversation.title
    texts = [display(each.content).text for each in messages]
    return bool(given) and any(given in (_tidy(text, mark=""), fallback_title(text).title) for text in texts)


def _unfenced(text: str) -> str:
    text = text.strip()
    if not (text.startswith("```") and text.endswith("```")):
        return text
    return text[3:-3].removeprefix("json").strip()


def _icon(given: object) -> str:
    name = given.strip().lower().replace(" ", "_").replace("-", "_") if isinstance(given, str) else ""
    return name if name in ICONS else DEFAULT_ICON


def _tidy(text: str, mark: str = "…") -> str:
    """Cut to the maximum length, with a mark if it was cut."""
    whole = _plain(text)
    return whole if len(whole) <= MOST_CHARS else _cut(whole, MOST_CHARS - len(mark)).strip(_AROUND) + mark


def _plain(text: str) -> str:
    """One line without decoration."""
    line = " ".join(text.split(maxsplit=_MOST_WORDS)[:_MOST_WORDS])[:_MOST_READ]
    shown = " ".join("".join(sign for sign in line if _is_shown(sign)).split())
    return shown.strip(_AROUND)


def _is_shown(sign: str) -> bool:
    """No control characters, and none that would change the text direction next to the title."""
    return sign in (" ", _JOINER, _NON_JOINER) or not unicodedata.category(sign).startswith("C")


def _cut(text: str, most: int) -> str:
    whole_words, space, _ = text[: most + 1].rpartition(" ")
    return whole_words if space else text[: _between_signs(text, most)]


def _between_signs(text: str, most: int) -> int:
    """The last position, at most `most`, that does not split an accent or a joined emoji."""
    for end in range(most, 0, -1):
        if not _clings(text[end]) and text[end - 1] != _JOINER:
            return end
    return most


def _clings(sign: str) -> bool:
    return sign == _JOINER or unicodedata.category(sign) in ("Mn", "Me", "Mc", "Sk")
