"""Aligns the lines that a client sent with the stored ones: which are the same, changed, new, or missing. Pure.

Clients trim the beginning of a conversation, edit and delete lines, cut a reply where they stopped it, write a name
before a line, and insert notes of their own. The result is the alignment with the highest score, and of equal ones the
nearest to the end.

Most requests continue the log or ask for its last reply again, line by line: these are recognised at once. The others
are compared in chunks from the end, so that a long conversation costs no more than a short one.

Start at `laid_over`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

# Lines compared at a time, and how many more of the log, some of which may be missing.
_STRETCH = 40
_BEYOND = 60
# One or two words do not identify a text.
_LONG = 20
_SAME, _SAME_SHORT, _ALIKE, _CHANGED, _GAP, _AFTER = 10, 4, 6, -3, -2, -1
# The most that missing lines at the end cost, however many were deleted.
_MOST_AFTER = -3


# The speaker, as group chats write it before a line.
_SPEAKER = re.compile(r"[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,3}: ")


def plain(text: str) -> str:
    """Without the differences that clients make: they trim, change line ends, and write names before lines."""
    words = " ".join(text.split())
    speaker = _SPEAKER.match(words)
    return words[speaker.end() :] if speaker and speaker.end() < len(words) else words


@dataclass(frozen=True)
class SentLine:
    """A line that a client sent. `by`: a third speaker, in a group."""

    is_user: bool
    text: str
    by: str = ""

    @cached_property
    def plain(self) -> str:
        return plain(self.text)


@dataclass(frozen=True)
class KnownLine:
    """A line of the log as a client knows it. `versions`: all versions of a reply. `is_ours`: it came through `/v1`, so
    that the client has seen it; it may not know lines that were said elsewhere."""

    id: str
    is_user: bool
    text: str
    versions: tuple[str, ...] = ()
    is_ours: bool = True
    # For a user's line: its reply, even an empty one; and whether that is complete.
    reply_id: str = ""
    is_answered: bool = True
    # Not part of the conversation any more; a client that sends it again restores it.
    is_withdrawn: bool = False

    @cached_property
    def plain(self) -> str:
        return plain(self.text)

    @cached_property
    def plain_versions(self) -> tuple[str, ...]:
        return tuple(plain(each) for each in self.versions)


# The index of a line in the sent lines, and in the log; None if it is only in the other.
Pair = tuple[int | None, int | None]


def is_same(sent: SentLine, kept: KnownLine) -> bool:
    if sent.is_user != kept.is_user:
        return False
    return sent.plain == kept.plain or sent.plain in kept.plain_versions


def is_alike(sent: SentLine, kept: KnownLine) -> bool:
    """One is the beginning of the other: a reply that was stopped, or that was continued elsewhere."""
    if sent.is_user or kept.is_user:
        return False
    short, long = sorted((sent.plain, kept.plain), key=len)
    return len(short) >= _LONG and long.startswith(short)


def laid_over(sent: Sequence[SentLine], log: Sequence[KnownLine]) -> list[Pair]:
    """Every line of `sent`, and every line of the log from the first common one, each once, in order."""
    return at_once(sent, log) or _compared(sent, log)


def without_withdrawn(sent: Sequence[SentLine], log: Sequence[KnownLine]) -> tuple[KnownLine, ...]:
    """The log without withdrawn lines, except those that the client sends again."""
    if not any(each.is_withdrawn for each in log):
        return tuple(log)
    again = {j for i, j in _compared(sent, log) if i is not None and j is not None}
    return tuple(each for j, each in enumerate(log) if not each.is_withdrawn or j in again)


def at_once(sent: Sequence[SentLine], log: Sequence[KnownLine]) -> list[Pair] | None:
    """The whole log or its end, followed by the request; or all of it except the last reply."""
    again = len(log) - 1
    if log and not log[-1].is_user and _run(sent, len(sent), log, again) == len(sent) <= again:
        return [*((at, again - len(sent) + at) for at in range(len(sent))), (None, again)]
    before = len(sent) - 1
    if 0 < before <= len(log) and _run(sent, before, log, len(log)) == before:
        return [*((at, len(log) - before + at) for at in range(before)), (before, None)]
    return None


def _run(sent: Sequence[SentLine], sent_end: int, log: Sequence[KnownLine], log_end: int) -> int:
    """How many lines before these two positions are the same."""
    count = 0
    while count < min(sent_end, log_end) and is_same(sent[sent_end - 1 - count], log[log_end - 1 - count]):
        count += 1
    return count


def _compared(sent: Sequence[SentLine], log: Sequence[KnownLine]) -> list[Pair]:
    """Chunk by chunk, from the end."""
    found: list[Pair] = []
    sent_end, log_end = len(sent), len(log)
    is_open = True
    while sent_end:
        sent_start, log_start = max(sent_end - _STRETCH, 0), max(log_end - _STRETCH - _BEYOND, 0)
        part = _aligned(sent[sent_start:sent_end], log[log_start:log_end], is_open=is_open)
        part = [(_moved(at, sent_start), _moved(other, log_start)) for at, other in part]
        if sent_start == 0:
            return [*part, *found]
        # The first half of a chunk is compared again together with the lines before it.
        cut = next((place for place, (at, other) in enumerate(part) if _is_middle(at, other, sent_start)), None)
        if cut is None:
            return [*((at, None) for at in range(sent_start)), *part, *found]
        (sent_end, log_end), found = _ends(part[cut]), [*part[cut:], *found]
        is_open = False
        if (run := _run(sent, sent_end, log, log_end)) > 0:
            found = [*((sent_end - run + at, log_end - run + at) for at in range(run)), *found]
            sent_end, log_end = sent_end - run, log_end - run
    return found


def _moved(place: int | None, by: int) -> int | None:
    return None if place is None else place + by


def _is_middle(at: int | None, other: int | None, start: int) -> bool:
    return at is not None and other is not None and at >= start + _STRETCH // 2


def _ends(pair: Pair) -> tuple[int, int]:
    at, other = pair
    assert at is not None
    assert other is not None
    return at, other


def _worth(sent: SentLine, kept: KnownLine) -> int | None:
    """The score for taking them as the same line; None if they cannot be."""
    if sent.is_user != kept.is_user:
        return None
    if is_same(sent, kept):
        # Of two equal lines, prefer the one that is still part of the conversation.
        return (_SAME if len(sent.plain) >= _LONG else _SAME_SHORT) - kept.is_withdrawn
    if kept.is_withdrawn:
        return None
    return _ALIKE if is_alike(sent, kept) else _CHANGED


def _aligned(sent: Sequence[SentLine], log: Sequence[KnownLine], *, is_open: bool) -> list[Pair]:
    """The alignment with the highest score. Lines of the log before it cost nothing: they were trimmed. After it, if
    the end is open, new lines cost nothing, and lines of the log little."""
    after_sent, after_log, least = (0, _AFTER, _MOST_AFTER) if is_open else (_GAP, _GAP, -len(log) * _STRETCH)
    rows, columns = len(sent), len(log)
    # Withdrawn lines are expected to be missing.
    gaps = [0 if each.is_withdrawn else _GAP for each in log]
    shown_after = [sum(not each.is_withdrawn for each in log[j:]) for j in range(columns + 1)]
    # best[i][j]: the score of the first i and j lines, with the last of both paired, or with no pairs at all.
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    came: list[list[str]] = [[""] * (columns + 1) for _ in range(rows + 1)]
    for i in range(1, rows + 1):
        best[i][0], came[i][0] = best[i - 1][0] + _GAP, "sent"
        for j in range(1, columns + 1):
            ways = [(best[i - 1][j] + _GAP, "sent"), (best[i][j - 1] + gaps[j - 1], "log")]
            worth = _worth(sent[i - 1], log[j - 1])
            if worth is not None:
                ways.append((best[i - 1][j - 1] + worth, "both"))
            best[i][j], came[i][j] = max(ways)
    # `>=`: nearest to the end. A change at the end is left to the caller, which reads the gap there.
    end, most = (0, columns), rows * after_sent
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            if came[i][j] == "both" and (_worth(sent[i - 1], log[j - 1]) or 0) > 0:
                total = best[i][j] + (rows - i) * after_sent + max(shown_after[j] * after_log, least)
                if total >= most:
                    end, most = (i, j), total
    return _traced(came, end, rows, columns)


def _traced(came: list[list[str]], end: tuple[int, int], rows: int, columns: int) -> list[Pair]:
    i, j = end
    behind: list[Pair] = [*((at, None) for at in range(i, rows)), *((None, at) for at in range(j, columns))]
    if i == 0:
        return behind
    found: list[Pair] = []
    while i > 0:
        match came[i][j]:
            case "both":
                i, j = i - 1, j - 1
                found.append((i, j))
            case "log":
                j -= 1
                found.append((None, j))
            case _:
                i -= 1
                found.append((i, None))
    return [*reversed(found), *behind]
