"""Renders a chat for a model's background prompt: as readers see it, as data, and cut to fit the model's window.

In: messages and the names of their authors. Out: lines, and a safe block of them. Private, hidden, unfinished and
system messages are left out. Each line is JSON of its own, so that nobody can fake a line of another speaker (S-6). If
it is too long, each message keeps its beginning and end.

Start at `lines_of`; then `fitted` and `as_block`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from everlore.domain.blocks import resource
from everlore.domain.bounds import Json
from everlore.domain.conversation import Author, Message, MessageState, is_users_own, said_by
from everlore.domain.display import display
from everlore.domain.weight import weigh
from everlore.language.own_words import own_words
from everlore.models.bytes_tokenizer import BytesTokenizer

Count = Callable[[str], int]
# For callers without the model's tokenizer.
ESTIMATE: Count = BytesTokenizer().count

GAP = " […] "
_NOTE = f"Where{GAP}stands, or messages are missing, something was left out for want of room."
_MOST_NAME_CHARS = 80
_MOST_SETTING_CHARS = 2_000
_MOST_NAMES = 20
# Maximum lengths of a message, tried in order until all messages fit.
_CLIPS = (20_000, 8_000, 4_000, 2_000, 1_000, 500, 250)
# Tokens of the JSON around a line, including escapes.
FRAME_TOKENS = 14
_LEAST_TOKENS = 500
_ESCAPES = 1.1
_UNNAMED = {Author.USER: "User", Author.ASSISTANT: "Character", Author.NARRATOR: "Narrator"}


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One message: its speaker, and the text that a reader sees."""

    message: Message
    name: str
    text: str

    @property
    def is_user(self) -> bool:
        return is_users_own(self.message)

    @property
    def own_text(self) -> str:
        """Without text that the user only passed on; other speakers' text is their own."""
        return own_words(self.text) if self.is_user else self.text

    @property
    def weight(self) -> int:
        return weigh(self.text) if self.message.weight is None else self.message.weight


@dataclass(frozen=True, slots=True)
class FittedTranscript:
    """`is_whole`: no line was shortened or left out."""

    lines: tuple[TranscriptLine, ...]
    is_whole: bool = True


def lines_of(messages: Sequence[Message], names: Mapping[str, str]) -> tuple[TranscriptLine, ...]:
    """`names`: of the people, by id."""
    shown = ((each, display(each.content).text.strip()) for each in messages if is_read(each))
    return tuple(TranscriptLine(message, _name(message, names), text) for message, text in shown if text)


def clip(text: str, most_chars: int) -> str:
    """The beginning and the end, cut between words, with a gap between them."""
    if len(text) <= most_chars:
        return text
    room = max(most_chars - len(GAP), 2)
    head, tail = text[: room * 3 // 5], text[len(text) - (room - room * 3 // 5) :]
    return _whole_words(head) + GAP + _whole_words(tail[::-1])[::-1]


def room_in(window: int, taken: int) -> int:
    """The tokens left for the chat. Even a window that is too small gets part of it."""
    return max(window - taken, min(_LEAST_TOKENS, window // 2))


def fitted(lines: Sequence[TranscriptLine], room_tokens: int, count: Count) -> FittedTranscript:
    """Shortens messages as little as possible. If even short ones are too many, the most important stay."""
    shortened: tuple[TranscriptLine, ...] = ()
    for most_chars in _CLIPS:
        shortened = tuple(replace(line, text=clip(line.text, most_chars)) for line in lines)
        if sum(tokens_of(line, count) for line in shortened) <= room_tokens:
            break
    else:
        shortened = _weightiest(shortened, room_tokens, count)
    return FittedTranscript(shortened, is_whole=shortened == tuple(lines))


def tokens_of(line: TranscriptLine, count: Count) -> int:
    return int(count(f"{line.name} {line.text}") * _ESCAPES) + FRAME_TOKENS


def as_block(talk: FittedTranscript, *, setting: str = "", numbered: bool = False, **more: object) -> str:
    """The block for a prompt; with numbers from 1 if an answer cites messages. `more`: further data about the chat."""
    data: Json = {"between": speakers(talk.lines)}
    if setting.strip():
        data["setting"] = clip(setting.strip(), _MOST_SETTING_CHARS)
    data |= more
    lines = [{"from": line.name, "text": line.text} for line in talk.lines]
    data["messages"] = [{"n": at, **each} for at, each in enumerate(lines, 1)] if numbered else lines
    if not talk.is_whole:
        data["note"] = _NOTE
    return resource("conversation", "conversation", data)


def speakers(lines: Sequence[TranscriptLine]) -> list[str]:
    """The names of the speakers, in order of appearance."""
    return list(dict.fromkeys(line.name for line in lines))[:_MOST_NAMES]


def is_read(message: Message) -> bool:
    if message.private or message.hidden or message.author not in _UNNAMED:
        return False
    return message.state in (MessageState.COMPLETE, MessageState.STOPPED)


def _name(message: Message, names: Mapping[str, str]) -> str:
    given = said_by(message) or names.get(message.person_id or "", "")
    # Names come from imported characters, and may contain anything.
    return " ".join(given[: 2 * _MOST_NAME_CHARS].split())[:_MOST_NAME_CHARS] or _UNNAMED[message.author]


def _whole_words(text: str) -> str:
    """Without a word that was cut at the end, if most of the text remains."""
    kept = text.rstrip().rpartition(" ")[0]
    return kept if len(kept) > len(text) // 2 else text


def _weightiest(lines: Sequence[TranscriptLine], room_tokens: int, count: Count) -> tuple[TranscriptLine, ...]:
    """In order; of equally important lines the latest, because they show the outcome."""
    kept: set[int] = set()
    for at in sorted(range(len(lines)), key=lambda at: (lines[at].weight, at), reverse=True):
        cost = tokens_of(lines[at], count)
        if cost > room_tokens:
            break
        kept.add(at)
        room_tokens -= cost
    return tuple(line for at, line in enumerate(lines) if at in kept)
