"""Imports a finished log: who said what, when, and what is for the game master only (G1, G9, G12).

In: a text, or the bytes of a file: a transcript with names before the words, a copy of a chat, Markdown notes, or a
SillyTavern chat. Out: a `Transcript` of lines. No word is lost: unrecognized text becomes narration without a speaker,
and markup around the words is kept in the line's `mark`. Possible secrets are treated as secrets: marks, comments and
sections for the game master are hidden up to their end, or up to the end of the text.

Start at `read_transcript`.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import get_args

from everlore.domain.bounds import Log
from everlore.errors import BadAsk
from everlore.interchange import transcriptmarks
from everlore.interchange.chats import ChatLine, read_chat
from everlore.interchange.report import Notes, Report, counted, shown
from everlore.interchange.transcriptmarks import Head, NameMarking, Watch

MOST_BYTES = 20_000_000
MOST_LINES = 100_000
_MOST_ROWS = 500_000
_MOST_CHARS: int = get_args(Log)[1].most
_MOST_SPEAKERS_TOLD = 12
# In a conversation, one line in this many names its speaker, or this many lines have a recurring speaker.
_TALK_SHARE = 3
_TALK_LINES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """`speaker` is empty in narration. `mark`: the markup before the text. `chat`: the original line of a SillyTavern
    chat."""

    speaker: str
    text: str
    mark: str = ""
    at: datetime | None = None
    gm_only: bool = False
    chat: ChatLine | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    lines: tuple[LogLine, ...]
    report: Report

    @property
    def speakers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.speaker for each in self.lines if each.speaker))


def read_transcript(data: bytes | str, *, known: Collection[str] = (), day: date | None = None) -> Transcript:
    """`known`: names of possible speakers; `day`: the date of times without one."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if len(raw) > MOST_BYTES:
        raise BadAsk(f"The log has {len(raw):,} bytes; the most is {MOST_BYTES:,}. Split it into sessions.")
    notes = Notes()
    if raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" and (chat := _chat(raw)) is not None:
        return chat
    text = _decoded(raw, notes)
    if not text.strip():
        raise BadAsk("There is nothing in the log. Choose another file.")
    if text.count("\n") > _MOST_ROWS:
        raise BadAsk(f"The log has more than {_MOST_ROWS:,} lines. Split it into sessions.")
    reading = _Reading(text.split("\n"), {each.casefold() for each in known}, day)
    lines = tuple(reading.read())
    _note(lines, reading, notes)
    return Transcript(lines=lines, report=notes.report("transcript" if reading.is_talk else "notes"))


def _chat(raw: bytes) -> Transcript | None:
    """A SillyTavern chat, or None if it is no such file."""
    try:
        chat = read_chat(raw)
    except BadAsk:
        return None
    lines = tuple(
        LogLine(speaker=each.name, text=each.content, at=each.at, gm_only=each.hidden, chat=each) for each in chat.lines
    )
    return Transcript(lines=lines, report=chat.report) if lines else None


def _decoded(raw: bytes, notes: Notes) -> str:
    encoding = "utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        text = raw.decode("cp1252", "replace")
        notes.changed.add("The file is not UTF-8; it was read as Windows-1252.")
    if "\x00" in text:
        notes.changed.add("Invalid characters were replaced with \ufffd.")
    return text.replace("\x00", "\ufffd").replace("\r\n", "\n").replace("\r", "\n")


def _note(lines: tuple[LogLine, ...], reading: "_Reading", notes: Notes) -> None:
    spoken = Counter(each.speaker for each in lines if each.speaker)
    who = ", ".join(f"{shown(name)} ({number:,})" for name, number in spoken.most_common(_MOST_SPEAKERS_TOLD))
    more = f" and {len(spoken) - _MOST_SPEAKERS_TOLD:,} more" if len(spoken) > _MOST_SPEAKERS_TOLD else ""
    told = sum(not each.speaker for each in lines)
    notes.kept.add(counted(len(lines), "line") + (f", by {who}{more}." if spoken else "."))
    if told:
        notes.kept.add(f"{counted(told, 'line')} without a speaker.")
    if hidden := sum(each.gm_only for each in lines):
        notes.kept.add(f"{counted(hidden, 'line')} for the game master only.")
    if timed := sum(each.at is not None for each in lines):
        notes.kept.add(f"{counted(timed, 'line')} with a time.")
        notes.changed.add("Times without a time zone are read as UTC.")
    if reading.unread_times:
        notes.warnings.add(
            f"{counted(reading.unread_times, 'time')} could not be read, because the date is missing or ambiguous. "
            "The text is kept; enter the day the session was played."
        )
    if reading.closing:
        notes.warnings.add(
            f"The comment that begins with {reading.closing} is never closed; everything after it is hidden."
        )


@dataclass(slots=True)
class _Draft:
    speaker: str = ""
    mark: str = ""
    at: datetime | None = None
    gm_only: bool = False
    parts: list[str] = field(default_factory=list)
    # A heading belongs to the paragraph below it.
    is_heading: bool = False


class _Reading:
    """Reads a file line by line. Its state is the current speaker, comment and section."""

    def __init__(self, rows: list[str], known: set[str], day: date | None) -> None:
        self._rows = rows
        self._known = known | transcriptmarks.GAME_MASTERS
        small = transcriptmarks.small_names(rows, known)
        heads = [transcriptmarks.head_of(row, small) for row in rows]
        self._speakers = {
            each.name.casefold() for each in heads if each and each.form in (NameMarking.ANGLES, NameMarking.ABOVE)
        }
        self.is_talk = _is_talk(rows, heads)
        order = transcriptmarks.order_of(
            [each.stamp for each in heads if each and each.stamp] + [transcriptmarks.date_of(row) for row in rows]
        )
        self._watch = Watch(order, day)
        self._heads = heads
        self._draft: _Draft | None = None
        self._flows = False
        self._section: int | None = None
        self._in_callout = False
        self._after_blank = True
        self.closing = ""
        self.unread_times = 0

    def read(self) -> Iterator[LogLine]:
        count = 0
        for row, head in zip(self._with_front_matter(), self._heads, strict=True):
            for line in self._row(row, head):
                yield from _cut(line)
                count += 1
                if count > MOST_LINES:
                    raise BadAsk(f"The log has more than {MOST_LINES:,} lines. Split it into sessions.")
        yield from (each for line in self._ended() for each in _cut(line))

    def _with_front_matter(self) -> list[str]:
        """The properties of a note are treated as a comment of its author."""
        rows = self._rows
        if rows and rows[0].strip() == "---":
            end = next((at for at, row in enumerate(rows[1:200], 1) if row.strip() == "---"), 0)
            if end > 1:
                return ["%%", *rows[1:end], "%%", *rows[end + 1 :]]
        return rows

    def _row(self, row: str, head: Head | None) -> Iterator[LogLine]:
        if not self.closing:
            if not row.strip():
                self._blank()
                return
            heading = transcriptmarks.heading_of(row)
            if heading is not None:
                yield from self._headed(row, heading)
                return
            if transcriptmarks.is_rule(row):
                yield from self._begun(_Draft(parts=[row], is_heading=True, gm_only=self._section is not None))
                return
            yield from self._callout(row)
            head = None if self._in_callout else self._judged(row, head)
            if head is not None:
                yield from self._spoken(head)
                row = head.rest
            else:
                row, begun = self._unspoken(row)
                yield from begun
        yield from self._pieces(row)

    def _blank(self) -> None:
        self._in_callout = False
        self._after_blank = True
        if self._flows and self._draft is not None:
            self._draft.parts.append("\n")

    def _headed(self, row: str, heading: tuple[int, str]) -> Iterator[LogLine]:
        level, title = heading
        self._flows = self._in_callout = False
        if self._section is not None and level <= self._section:
            self._section = None
        if self._section is None and transcriptmarks.is_hidden_title(title):
            self._section = level
        if stamp := transcriptmarks.date_of(title):
            self._watch.read(stamp)
        yield from self._begun(_Draft(is_heading=True, gm_only=self._section is not None))
        yield from self._pieces(row)
        if self._draft is not None:
            self._draft.is_heading = True
        self._after_blank = True

    def _callout(self, row: str) -> Iterator[LogLine]:
        if mark := transcriptmarks.callout_mark(row):
            self._in_callout = True
            yield from self._begun(_Draft(mark=mark, gm_only=True, parts=[]))
        elif self._in_callout and not row.lstrip().startswith(">"):
            self._in_callout = False
            self._after_blank = True

    def _judged(self, row: str, head: Head | None) -> Head | None:
        """Decides whether the head names a speaker."""
        if head is None:
            return transcriptmarks.acts(row, lambda name: name.casefold() in self._speakers)
        is_sure = head.form in (NameMarking.ANGLES, NameMarking.ABOVE) or head.name.casefold() in self._known
        return head if is_sure or self.is_talk else None

    def _spoken(self, head: Head) -> Iterator[LogLine]:
        self._flows = head.form is NameMarking.ABOVE
        at = self._time(head.stamp)
        hidden = head.is_hidden or self._section is not None
        yield from self._begun(_Draft(speaker=head.name, mark=head.mark, at=at, gm_only=hidden))
        self._after_blank = False

    def _unspoken(self, row: str) -> tuple[str, list[LogLine]]:
        """A line without a name continues the last speech, or is narration."""
        if self._in_callout:
            mark = transcriptmarks.callout_mark(row)
            return row[len(mark) :] if mark else row, []
        if stamp := transcriptmarks.date_of(row):
            self._watch.read(stamp)
        boxed, mark = transcriptmarks.boxed_stamp(row)
        goes_on = self._draft is not None and not boxed and (self._flows or not self._after_blank)
        goes_on = goes_on or (self._draft is not None and self._draft.is_heading)
        if goes_on and not transcriptmarks.hidden_mark(row):
            return row, []
        hidden = self._section is not None
        begun = list(self._begun(_Draft(mark=mark, at=self._time(boxed), gm_only=hidden, speaker=self._goes_on_as())))
        return row[len(mark) :], begun

    def _goes_on_as(self) -> str:
        return self._draft.speaker if self._flows and self._draft is not None else ""

    def _pieces(self, row: str) -> Iterator[LogLine]:
        """The words of a line, split by visibility."""
        first = True
        if not self.closing and self._draft is not None and (mark := transcriptmarks.hidden_mark(row)):
            yield from self._secret(mark)
            row = row[len(mark) :]
        pieces, self.closing = transcriptmarks.pieces_of(row, self.closing)
        for piece in pieces:
            draft = self._draft
            always = self._section is not None or self._in_callout
            hidden = piece.is_hidden or always or (draft is not None and draft.gm_only and not self._was_inline)
            if draft is None or draft.gm_only is not hidden:
                speaker = draft.speaker if draft is not None else ""
                at = draft.at if draft is not None else None
                yield from self._begun(_Draft(speaker=speaker, at=at, gm_only=hidden))
                self._was_inline = piece.is_hidden and not always
                draft = self._draft
            assert draft is not None
            draft.parts.append(_between(draft.parts, is_row=first) + piece.text)
            first = False
        self._after_blank = False
        if self._draft is not None and any(part.strip() for part in self._draft.parts) and row.strip():
            self._draft.is_heading = False

    _was_inline = False

    def _secret(self, mark: str) -> Iterator[LogLine]:
        """Limits the rest of the paragraph to the game master."""
        draft = self._draft
        assert draft is not None
        if draft.parts and not draft.gm_only:
            yield from self._begun(_Draft(speaker=draft.speaker, mark=mark, at=draft.at, gm_only=True))
        else:
            draft.mark += mark
            draft.gm_only = True
        self._was_inline = False

    def _time(self, stamp: str) -> datetime | None:
        if not stamp:
            return None
        at = self._watch.read(stamp)
        if at is None:
            self.unread_times += 1
            return None
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)

    def _begun(self, draft: _Draft) -> Iterator[LogLine]:
        yield from self._ended()
        self._draft = draft
        self._was_inline = False

    def _ended(self) -> Iterator[LogLine]:
        draft, self._draft = self._draft, None
        if draft is None:
            return
        text = "".join(draft.parts).strip()
        if text or draft.mark.strip():
            yield LogLine(speaker=draft.speaker, text=text, mark=draft.mark, at=draft.at, gm_only=draft.gm_only)


def _is_talk(rows: list[str], heads: list[Head | None]) -> bool:
    found = [each for each in heads if each is not None]
    if any(each.form in (NameMarking.ANGLES, NameMarking.ABOVE) for each in found):
        return True
    filled = sum(bool(row.strip()) for row in rows)
    again = sum(number for number in Counter(each.name.casefold() for each in found).values() if number > 1)
    return len(found) * _TALK_SHARE >= filled > 1 or again >= _TALK_LINES


def _cut(line: LogLine) -> Iterator[LogLine]:
    """Splits a line that is too long for a log."""
    if len(line.text) <= _MOST_CHARS:
        yield line
        return
    at = 0
    while at < len(line.text):
        end = min(at + _MOST_CHARS, len(line.text))
        space = line.text.rfind(" ", at, end) if end < len(line.text) else -1
        end = space + 1 if space > at else end
        mark = line.mark if at == 0 else ""
        yield LogLine(speaker=line.speaker, text=line.text[at:end], mark=mark, at=line.at, gm_only=line.gm_only)
        at = end


def _between(parts: Sequence[str], *, is_row: bool) -> str:
    """The separator before the next part: line breaks stay, and words around a mark stay apart."""
    if not parts:
        return ""
    if is_row:
        return "\n"
    return "" if parts[-1][-1:].isspace() else " "
