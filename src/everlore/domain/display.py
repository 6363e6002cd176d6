"""The visible part of a message: its content without thoughts, metrics, reminders, keyframes and context (V4).

In: raw content, whole or as a stream. Out: the text to show, and what was removed. Text without marks stays the same;
text inside a code fence, and a mark right after a backtick, is only text. Applying it twice changes nothing.

One scanner serves both modes, so that a streamed reply is shown exactly like the saved one. It reads each character a
bounded number of times, whatever the input, and holds back at most `MOST_HELD` visible characters: those that may be
the beginning of a mark.

Start at `display`, or at `DisplayStream` for a reply that is still being written.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from everlore.domain.blocks import NEXT_EPISODE
from everlore.domain.tokens import with_told

_MOST_ATTRIBUTES = 300
_MOST_TOKEN = 2_000
MOST_HELD = _MOST_TOKEN + len("${audio.")


class MediaKind(StrEnum):
    IMAGE = "image"
    AUDIO = "audio"


@dataclass(frozen=True, slots=True)
class MediaMark:
    """`${image.TAG}` requests a picture, `${audio.TEXT}` speech; `text` is the part after the dot."""

    kind: MediaKind
    text: str

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of an image: `${image.smile,beach}`."""
        return tuple(tag.strip() for tag in self.text.split(",") if tag.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class Displayed:
    text: str
    thoughts: str = ""
    has_thoughts: bool = False
    has_metrics: bool = False
    has_keyframe: bool = False
    has_media: bool = False
    media: tuple[MediaMark, ...] = ()
    # The reply ends its episode (V8).
    ends_episode: bool = False


def display(content: str, told: Mapping[str, str] | None = None) -> Displayed:
    """Displays a finished message. An unclosed block ends at its last closing tag, or else at the end. `told`: the
    texts of the memories that replace their tokens, by id; other tokens are removed."""
    known = told or {}
    stream = DisplayStream()
    stream.add(with_told(content, lambda id: f"“{known[id]}”" if id in known else ""))
    return stream.end()


def without_thoughts(content: str) -> str:
    """The raw text, without the blocks of its author's thoughts."""
    if _THOUGHT.search(content) is None:
        return content
    stream = DisplayStream(_ONLY_THOUGHTS)
    stream.add(content)
    return stream.end().text


def with_opened_thoughts(content: str) -> str:
    """Adds the opening tag of thoughts if the server sent only the closing one: some servers put the opening tag into
    the prompt."""
    first = _THINKING.search(content)
    is_only_closed = first is not None and first["close"] and content.count("```", 0, first.start()) % 2 == 0
    return f"<{first['tag']}>{content}" if first is not None and is_only_closed else content


def shown_so_far(content: str) -> str:
    """The part of an unfinished message that is final: more content only appends to it."""
    return DisplayStream().add(content)


# ── marks ────────────────────────────────────────────────────────────────────────────────────────

# No mark extends past the end of its line, or past a character that starts another of its sort. So at most one of each
# sort is open at any position, and a line break ends them all.
_TAGS = ("think", "thinking", "thought", "metrics", "reminder", "keyframe", "mcp:context")
_NOTES = ("metrics", "reminder", "keyframe")
_TOKENS = tuple(f"${{{kind}." for kind in MediaKind)
_FENCE = 3
_FENCE_SIGNS = ("`", "~")
_MOST_INDENT = 3
_FLAGS = re.ASCII | re.IGNORECASE
_ATTRIBUTES = rf"[ \t][^<>\n]{{0,{_MOST_ATTRIBUTES}}}"


def _tag(names: str) -> str:
    # `(?<!`<)` and the like: a mark right after a backtick is only quoted.
    return rf"<(?<!`<)(?P<close>/)?(?P<tag>{names})(?P<attributes>{_ATTRIBUTES})?(?P<empty>/)?>"


_MARK = re.compile(
    _tag("|".join(_TAGS))
    + rf"|\((?<!`\()(?P<note>{'|'.join(_NOTES)})[ \t]{{0,4}}[:{{\[]"
    + rf"|\$(?<!`\$)\{{(?P<media>image|audio)\.(?P<text>[^{{}}\n]{{1,{_MOST_TOKEN}}})\}}"
    + rf"|(?P<marker>\#(?<!`\#){re.escape(NEXT_EPISODE[1:])})"
    + r"|(?P<fence>`{3,}|~{3,})",
    _FLAGS,
)
_THOUGHT_TAGS = "think|thinking|thought"
_THOUGHT = re.compile(r"<(?:think|thought)", _FLAGS)
# The same groups as `_MARK`, but only thoughts and code fences ever match.
_ONLY_THOUGHTS = re.compile(
    _tag(_THOUGHT_TAGS) + r"|(?P<note>(?!))(?P<media>)(?P<text>)(?P<marker>)|(?P<fence>`{3,}|~{3,})", _FLAGS
)
_PARENTHESES = re.compile(r"\(|(?P<close>\))")
_THINKING = re.compile(_tag(_THOUGHT_TAGS), _FLAGS)
_EDGES = {
    **{tag: re.compile(_tag(tag), _FLAGS) for tag in _TAGS},
    **dict.fromkeys(("think", "thinking", "thought"), _THINKING),
}
_HALF_TAG = re.compile(rf"</?([a-z:]*)({_ATTRIBUTES})?/?", _FLAGS)
_HALF_TOKEN = re.compile(r"[^{}\n]*")


def _open_from(text: str, start: int) -> int:
    """The start of the earliest incomplete mark at the end of `text`, or else its end."""
    start = max(start, len(text) - MOST_HELD)
    places = [
        at
        for sign, is_half in _HALVES
        if (at := text.rfind(sign, start)) >= 0 and text[at - 1 : at] != "`" and is_half(text[at:].lower())
    ]
    return min(places, default=_fence_from(text, start))


def _tag_from(text: str, start: int) -> int:
    at = text.rfind("<", max(start, len(text) - MOST_HELD))
    return at if at >= 0 and _is_half_tag(text[at:].lower()) else len(text)


def _fence_from(text: str, start: int) -> int:
    """The start of one or two characters that may become a code fence, or else the end."""
    if text[-1:] not in _FENCE_SIGNS:
        return len(text)
    at = len(text.rstrip(text[-1]))
    return at if start <= at and len(text) - at < _FENCE else len(text)


def _is_half_tag(part: str) -> bool:
    found = _HALF_TAG.fullmatch(part)
    if found is None:
        return False
    name, attributes = found.groups()
    return name in _TAGS or (attributes is None and any(tag.startswith(name) for tag in _TAGS))


def _is_half_note(part: str) -> bool:
    name = part[1:].rstrip(" \t")
    return name in _NOTES or (name == part[1:] and any(note.startswith(name) for note in _NOTES))


def _is_half_token(part: str) -> bool:
    is_text = part.startswith(_TOKENS) and _HALF_TOKEN.fullmatch(part, len(_TOKENS[0])) is not None
    return is_text or any(token.startswith(part) for token in _TOKENS)


def _is_half_marker(part: str) -> bool:
    return NEXT_EPISODE.startswith(part.upper())


_HALVES = (
    ("<", _is_half_tag),
    ("(", _is_half_note),
    ("${", _is_half_token),
    ("$", _is_half_token),
    ("#", _is_half_marker),
)


# ── scanning ─────────────────────────────────────────────────────────────────────────────────────


class DisplayStream:
    """A message that is being received. `add` returns the additional text to show; `end` returns the whole result."""

    def __init__(self, marks: re.Pattern[str] = _MARK) -> None:
        """`marks`: what is removed from the text."""
        self._marks = marks
        self._page = _Page()
        self._text = ""
        self._at = 0
        self._block: _Block | None = None
        self._line: list[str] | None = None
        self._fence = ""
        self._found: set[str] = set()
        self._thoughts: list[str] = []
        self._media: list[MediaMark] = []

    def add(self, piece: str) -> str:
        # Keeps the character before the held ones, because a mark right after a backtick is none.
        seen = max(self._at - 1, 0)
        self._text = self._text[seen:] + piece
        self._at -= seen
        self._scan(is_last=False)
        return self._page.take()

    def end(self) -> Displayed:
        self._scan(is_last=True)
        while self._block is not None:
            # Text after the last closing tag of an unclosed block is shown: a model that mentions a tag in its thoughts
            # opens one more than it closes.
            self._text, self._at = self._finish(*self._block.broken_off()), 0
            self._scan(is_last=True)
        return Displayed(
            text=self._page.end(),
            thoughts="\n\n".join(thought for thought in self._thoughts if thought),
            has_thoughts="thoughts" in self._found,
            has_metrics="metrics" in self._found,
            has_keyframe="keyframe" in self._found,
            has_media=bool(self._media),
            media=tuple(self._media),
            ends_episode="marker" in self._found,
        )

    def _scan(self, *, is_last: bool) -> None:
        held = len(self._text)
        while self._at < held:
            if self._block is not None:
                held = self._scan_block(self._block, is_last=is_last)
            elif self._line is not None:
                self._scan_line(self._line)
            else:
                held = self._scan_plain(is_last=is_last)

    def _scan_plain(self, *, is_last: bool) -> int:
        """Scans up to the next mark. Returns the position from which the text must wait for more."""
        text = self._text
        held = len(text) if is_last else _open_from(text, self._at)
        mark = self._marks.search(text, self._at)
        if mark is None or mark.start() >= held:
            self._put(held)
            return held
        self._put(mark.start())
        if mark["fence"]:
            self._meet_fence(mark)
        else:
            self._page.cut()
            self._at = mark.end()
            self._meet(mark)
        return len(text)

    def _put(self, end: int) -> None:
        self._page.put(self._text[self._at : end])
        self._at = end

    def _meet_fence(self, mark: re.Match[str]) -> None:
        if self._page.is_at_line_start():
            self._line = []
        else:
            self._put(mark.end())

    def _meet(self, mark: re.Match[str]) -> None:
        if mark["media"]:
            self._media.append(MediaMark(MediaKind(mark["media"].lower()), mark["text"].strip()))
        elif mark["marker"]:
            self._found.add("marker")
        elif mark["note"]:
            self._block = _Block(mark["note"].lower(), _PARENTHESES)
        elif mark["tag"] and not mark["close"]:
            name = mark["tag"].lower()
            block = _Block(_kind(name, mark["attributes"] or ""), _EDGES[name])
            if _is_empty(mark):
                self._finish(block.kind, "", "")
            else:
                self._block = block

    def _scan_line(self, line: list[str]) -> None:
        """A line that starts, is in, or ends a code fence: all of it is text."""
        end = self._text.find("\n", self._at)
        line.append(self._text[self._at : end] if end >= 0 else self._text[self._at :])
        self._put(end if end >= 0 else len(self._text))
        if end >= 0:
            self._fence = _fence_after("".join(line), self._fence)
            self._put(end + 1)
            self._line = [] if self._fence else None

    def _scan_block(self, block: "_Block", *, is_last: bool) -> int:
        text = self._text
        held = len(text) if is_last else _tag_from(text, self._at)
        for edge in block.edges.finditer(text, self._at):
            if block.passes(edge, self._at):
                self._finish(block.kind, "".join(block.inner) + text[self._at : edge.start()], "")
                self._at = edge.end()
                return len(text)
        block.keep(text[self._at : held])
        self._at = held
        return held

    def _finish(self, kind: str, inner: str, rest: str) -> str:
        self._block = None
        self._found.add(kind)
        if kind == "thoughts":
            self._thoughts.append(_THINKING.sub("", inner).strip())
        return rest


def _kind(tag: str, attributes: str) -> str:
    if tag == "mcp:context":
        return next((note for note in _NOTES if note in attributes.lower()), tag)
    return tag if tag in _NOTES else "thoughts"


def _is_empty(tag: re.Match[str]) -> bool:
    return bool(tag["empty"]) or (tag["attributes"] or "").endswith("/")


def _fence_after(line: str, fence: str) -> str:
    """The open fence after a whole line, or an empty text."""
    bare = line.strip()
    run = bare[: len(bare) - len(bare.lstrip(bare[:1]))] if bare else ""
    if fence:
        is_closing = bare == run and run.startswith(fence) and len(line) - len(line.lstrip()) <= _MOST_INDENT
        return "" if is_closing else fence
    # A line that starts and ends its code (```x```) opens no fence.
    return "" if run[:1] == "`" and "`" in bare[len(run) :] else run


class _Block:
    """A block that is not closed yet, with its content so far."""

    def __init__(self, kind: str, edges: re.Pattern[str]) -> None:
        self.kind = kind
        self.edges = edges
        self.inner: list[str] = []
        self._size = 0
        self._depth = 1
        self._last_close = (0, 0)

    def passes(self, edge: re.Match[str], start: int) -> bool:
        """Counts a tag of a text that continues at `start`; true for the one that closes the block."""
        if edge["close"]:
            self._depth -= 1
            self._last_close = (self._size + edge.start() - start, self._size + edge.end() - start)
        elif edge.re is _PARENTHESES or not _is_empty(edge):
            self._depth += 1
        return self._depth == 0

    def keep(self, text: str) -> None:
        self.inner.append(text)
        self._size += len(text)

    def broken_off(self) -> tuple[str, str, str]:
        """Its kind, its content, and the text after its last closing tag, if there is one."""
        whole = "".join(self.inner)
        start, end = self._last_close
        return (self.kind, whole[:start], whole[end:]) if end else (self.kind, whole, "")


class _Page:
    """The shown text: plain text, joined where something was removed.

    White space waits until the following text is known. Of the spaces around a removed part the wider one stays; the
    text begins and ends without any.
    """

    def __init__(self) -> None:
        self._shown: list[str] = []
        self._taken = 0
        self._tail = ""
        self._space: list[str] = []
        self._before_cut: str | None = None

    def put(self, text: str) -> None:
        body = text.strip()
        if not body:
            self._space.append(text)
            return
        start = len(text) - len(text.lstrip())
        self._space.append(text[:start])
        shown = self._joint() + body
        self._shown.append(shown)
        self._tail = (self._tail + shown)[-MOST_HELD:]
        self._space = [text[start + len(body) :]]
        self._before_cut = None

    def cut(self) -> None:
        self._before_cut = self._widest()
        self._space = []

    def is_at_line_start(self) -> bool:
        line = (self._tail + self._joint()).rpartition("\n")[2]
        return len(line) <= _MOST_INDENT and not line.strip(" ")

    def take(self) -> str:
        """The text that was added since the last call."""
        new = "".join(self._shown[self._taken :])
        self._taken = len(self._shown)
        return new

    def end(self) -> str:
        rest = "".join(self._space) if self._before_cut is None else ""
        return "".join(self._shown) + rest

    def _joint(self) -> str:
        space = self._widest()
        if self._before_cut is None:
            return space
        if not self._shown:
            return ""
        left = self._tail + space
        # The parts around a removed block must not form a mark: "<th", a thought, "ink>".
        return space if _open_from(left, 0) == len(left) else "\n"

    def _widest(self) -> str:
        space = "".join(self._space)
        spaces = [space] if self._before_cut is None else [self._before_cut, space]
        return max(spaces, key=lambda each: (each.count("\n"), len(each)))
