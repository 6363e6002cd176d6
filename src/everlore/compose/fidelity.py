"""How the old part of a conversation enters a prompt (P10): verbatim, in short, or as a line saying that it is omitted.

In: the messages before the verbatim part, their summaries, and the memories learned from them. Out: consecutive
entries, each message in exactly one, within the budget. Importance counts as much as age: a decision at the beginning
stays, a "lol" after it does not.

It starts with one placeholder for everything, and replaces parts of it by the most valuable entries as long as they
fit: important messages and summaries first, then the facts that placeholders list, then extracts of the latest
messages. So the work grows with the budget, and not with the length of the conversation.

All entries except FULL ones are single lines, whatever they contain: nothing in them can imitate another entry.

Start at `recall_older`.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

from everlore.domain.conversation import Author, Message, Summary, said_by
from everlore.domain.covering import cover
from everlore.domain.display import display
from everlore.domain.memory import Memory
from everlore.domain.weight import IMPORTANT, MOST, weigh

# Added to the weight of a message that is the source of a memory, and of a pinned one.
_MORE = 3
# A summary replaces many messages: only the most important of them come before it.
_SUMMARY_WEIGHT = 7
# Messages in an extract. Runs begin at multiples of it, so that they stay the same while the conversation grows.
RUN = 8
# After this many in a row that did not fit, hardly any will.
_MOST_MISSES = 32
# Hardly any token has more characters.
_LONGEST_TOKEN = 32
_MOST_FACT = 200
_MOST_EXTRACT = 160
# A message of weight zero with at most this many words is left out of extracts.
_MOST_FILLER_WORDS = 3
# Enough to find a sentence in, whatever the white space.
_MOST_READ = 2_000
# A sentence with some content: "Hm." is joined with the next one.
_SENTENCE = re.compile(rf".{{20,{_MOST_EXTRACT}}}?(?:[.!?…][\"'”»)*]{{0,3}}(?= |$)|[。！？])")
# Every mark that `display` removes begins with one of these; most messages have none, and need no display.
_MARKS = re.compile(r"[<($#]")
_QUOTES = re.compile("[“”„]")
_LEARNT = " Learnt then:"
_WORD_FOR_WORD = " Word for word:"

Cost = Callable[[str], int]
T = TypeVar("T")


class Fidelity(StrEnum):
    FULL = "full"
    COMPRESSED = "compressed"
    PLACEHOLDER = "placeholder"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """The text in the prompt for the messages from `first` to `last`, inclusive."""

    fidelity: Fidelity
    first: int
    last: int
    line: str
    # The messages it quotes: its own, or those under a summary.
    message_ids: tuple[str, ...] = ()
    # The memories it lists.
    facts: tuple[str, ...] = ()
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OlderMessages:
    """The conversation from `first` to `last`, inclusive; empty if `last` is less than `first`.

    `messages` are the fetched ones; some may be missing. `learnt` are memories formed in this conversation, `names`
    maps ids to names. The last `recent` messages get extracts unless a summary covers them.
    """

    messages: Sequence[Message]
    first: int
    last: int
    summaries: Sequence[Summary] = ()
    learnt: Sequence[Memory] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    recent: int = 0


def recall_older(older: OlderMessages, *, budget: int, cost: Cost) -> tuple[HistoryEntry, ...]:
    """Entries without gap or overlap; none if not even one placeholder for everything fits."""
    if older.last < older.first or cost(_unshown(older.first, older.last)) > budget:
        return ()
    talk, room = _Talk(older), budget
    while True:
        entries = _fill(_Draft(talk, room, cost))
        over = sum(entry.tokens for entry in entries) - budget
        if over <= 0:
            return entries
        # The cost of a line is estimated by its parts, and with some tokenizers the line costs more.
        room -= max(min(over, room // 8), 1)


def _fill(draft: "_Draft") -> tuple[HistoryEntry, ...]:
    for alike in draft.talk.ranked:
        _while_they_fit(alike, draft.keep)
    _while_they_fit(draft.talk.facts_beside(draft.quoted), lambda fact: draft.name(*fact))
    _while_they_fit(_recent_runs(draft), lambda run: draft.shorten(*run))
    return draft.entries()


def _while_they_fit(candidates: Iterable[T], put: Callable[[T], bool]) -> None:
    misses = 0
    for candidate in candidates:
        # Continue instead of stopping: a shorter one after it may still fit.
        misses = 0 if put(candidate) else misses + 1
        if misses == _MOST_MISSES:
            return


def _recent_runs(draft: "_Draft") -> Iterator[tuple[int, int]]:
    """The unshown part of the latest messages, latest first, in runs."""
    older = draft.talk.older
    if older.recent <= 0:
        return
    # Whole runs: a run that lost a message each turn would be a different text each turn.
    earliest = max(older.first, older.last - older.recent + 1) // RUN * RUN
    for start in range(older.last // RUN * RUN, earliest - 1, -RUN):
        yield from reversed(draft.unshown(start, start + RUN - 1))


# ── input ────────────────────────────────────────────────────────────────────────────────────────


class _Talk:
    """The messages by number, with their weights, and the memories learned from them."""

    def __init__(self, older: OlderMessages) -> None:
        self.older = older
        self.messages = {each.seq: each for each in older.messages if older.first <= each.seq <= older.last}
        self._sources = {id for memory in older.learnt for id in memory.source_message_ids}
        self._weights = {seq: self._weight(message) for seq, message in self.messages.items()}
        self.ranked = self._ranked()

    def facts_beside(self, quoted: frozenset[str]) -> list[tuple[list[int], Memory]]:
        """Facts with their source messages, latest first: the most important facts first, and without those from a
        `quoted` message."""
        seqs = {message.id: seq for seq, message in self.messages.items() if message.id in self._sources}
        facts = [
            (sorted((seqs[id] for id in memory.source_message_ids if id in seqs), reverse=True), memory)
            for memory in self.older.learnt
            if quoted.isdisjoint(memory.source_message_ids)
        ]
        return sorted(
            (fact for fact in facts if fact[0]), key=lambda fact: (-fact[1].importance, -fact[0][0], fact[1].id)
        )

    def in_short(self, first: int, last: int) -> str:
        """Who said what, without fillers."""
        known = [seq for seq in range(first, last + 1) if seq in self.messages]
        said = [(seq, self.words(seq)[:_MOST_READ]) for seq in known]
        telling = [(seq, words) for seq, words in said if self._weights[seq] or len(words.split()) > _MOST_FILLER_WORDS]
        return " ".join(f"{self.speaker(seq)}: “{_first_sentence(words)}”" for seq, words in telling if words)

    def speaker(self, seq: int) -> str:
        message = self.messages[seq]
        known = self.older.names.get(message.person_id or "") if message.author is not Author.NARRATOR else None
        return _plain(said_by(message) or known or message.author.value.title())

    def words(self, seq: int) -> str:
        """The visible text, without thoughts and other hidden parts."""
        content = self.messages[seq].content
        return (display(content).text if _MARKS.search(content) else content).strip()

    def _weight(self, message: Message) -> int:
        weight = message.weight if message.weight is not None else weigh(message.content)
        learnt, pinned = message.id in self._sources, bool(message.metadata.get("pinned"))
        return min(weight + _MORE * learnt + _MORE * pinned, MOST)

    def _ranked(self) -> list[list[Message | Summary]]:
        """What is worth including, by weight: the most important first; among equals summaries, then the latest."""
        alike: dict[int, list[Message | Summary]] = {weight: [] for weight in range(MOST, IMPORTANT - 1, -1)}
        alike[_SUMMARY_WEIGHT].extend(reversed(cover(self.older.summaries, self.older.first, self.older.last)))
        for seq in sorted(self.messages, reverse=True):
            if self._weights[seq] >= IMPORTANT:
                alike[self._weights[seq]].append(self.messages[seq])
        return list(alike.values())


# ── output ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Part:
    """An item of a line after its head: a fact, or a quoted message."""

    seq: int
    id: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A future entry. `tokens` is the cost of its head and its parts, each counted separately."""

    fidelity: Fidelity
    first: int
    last: int
    head: str
    tokens: int
    lead_in: str = _LEARNT
    parts: tuple[_Part, ...] = ()

    @property
    def line(self) -> str:
        if not self.parts:
            return self.head
        return f"{self.head}{self.lead_in} {'; '.join(part.text for part in self.in_order)}."

    @property
    def in_order(self) -> list[_Part]:
        return sorted(self.parts, key=lambda part: (part.seq, part.id))


class _Draft:
    """Consecutive pieces that fit the budget; at first one placeholder."""

    def __init__(self, talk: _Talk, room: int, cost: Cost) -> None:
        self.talk = talk
        self._cost = cost
        # The cost of an empty line, which a part of a line does not have.
        self._frame = cost("")
        self._lead_in_tokens = {lead_in: cost(lead_in) - self._frame for lead_in in (_LEARNT, _WORD_FOR_WORD)}
        whole = self._placeholder(talk.older.first, talk.older.last)
        self._pieces = [whole]
        self._left = room - whole.tokens

    @property
    def quoted(self) -> frozenset[str]:
        """Messages that are quoted verbatim."""
        return frozenset(id for piece in self._pieces for id in self._message_ids(piece))

    def entries(self) -> tuple[HistoryEntry, ...]:
        return tuple(self._entry(piece) for piece in self._pieces)

    def unshown(self, first: int, last: int) -> list[tuple[int, int]]:
        """The ranges of placeholders between the two."""
        return [
            (max(piece.first, first), min(piece.last, last))
            for piece in self._pieces_within(first, last)
            if piece.fidelity is Fidelity.PLACEHOLDER
        ]

    def keep(self, each: Message | Summary) -> bool:
        # A text that is far too long need not be counted.
        if len(each.content) > max(self._left, 0) * _LONGEST_TOKEN:
            return False
        return self._sum_up(each) if isinstance(each, Summary) else self._quote(each)

    def _quote(self, message: Message) -> bool:
        """Quotes a message: as an entry of its own, or at the end of the summary that covers it."""
        seq, covering = message.seq, self._piece_of(message.seq)
        if covering.fidelity is Fidelity.COMPRESSED:
            return self._put(self._with_parts(covering, self._quotation(seq)))
        line = f"{seq} {self.talk.speaker(seq)}: {self.talk.words(seq)}"
        return self._put(self._piece(Fidelity.FULL, seq, seq, line))

    def _sum_up(self, summary: Summary) -> bool:
        """Replaces everything in its range by the summary; messages that were quoted there stay quoted."""
        first, last = summary.first_seq, summary.last_seq
        line = f"{_span(first, last)}: {_plain(summary.content)}"
        piece = replace(self._piece(Fidelity.COMPRESSED, first, last, line), lead_in=_WORD_FOR_WORD)
        shown = [each.first for each in self._pieces_within(first, last) if each.fidelity is Fidelity.FULL]
        return self._put(self._with_parts(piece, *map(self._quotation, shown)))

    def name(self, seqs: Sequence[int], memory: Memory) -> bool:
        """Lists a fact in the placeholder of its latest source message; summaries already include it."""
        text = _clipped(_plain(memory.summary or memory.content), _MOST_FACT).rstrip(".;")
        for seq in seqs:
            piece = self._piece_of(seq)
            if piece.fidelity is Fidelity.PLACEHOLDER and text:
                return self._put(self._with_parts(piece, self._part(seq, memory.id, text)))
        return True

    def shorten(self, first: int, last: int) -> bool:
        """Replaces a part of a placeholder by an extract, which keeps listing its facts."""
        said = self.talk.in_short(first, last)
        if not said:
            return True
        piece = self._piece(Fidelity.COMPRESSED, first, last, f"{_span(first, last)}: {said}")
        return self._put(self._with_parts(piece, *_between(self._piece_of(first).parts, first, last)))

    def _put(self, piece: _Piece) -> bool:
        """Replaces everything in the piece's range, if it fits."""
        low, high = self._index(piece.first), self._index(piece.last)
        gone = self._pieces[low : high + 1]
        before = self._rest(gone[0], gone[0].first, piece.first - 1)
        after = self._rest(gone[-1], piece.last + 1, gone[-1].last)
        came = [*before, piece, *after]
        more = sum(each.tokens for each in came) - sum(each.tokens for each in gone)
        if more > self._left:
            return False
        self._pieces[low : high + 1] = came
        self._left -= more
        return True

    def _rest(self, placeholder: _Piece, first: int, last: int) -> list[_Piece]:
        """The remainders of a placeholder after a part was taken; other pieces are never split."""
        if first > last:
            return []
        return [self._with_parts(self._placeholder(first, last), *_between(placeholder.parts, first, last))]

    def _index(self, seq: int) -> int:
        return max(bisect_right(self._pieces, seq, key=lambda piece: piece.first) - 1, 0)

    def _piece_of(self, seq: int) -> _Piece:
        return self._pieces[self._index(seq)]

    def _pieces_within(self, first: int, last: int) -> list[_Piece]:
        return self._pieces[self._index(first) : self._index(last) + 1]

    def _placeholder(self, first: int, last: int) -> _Piece:
        return self._piece(Fidelity.PLACEHOLDER, first, last, _unshown(first, last))

    def _piece(self, fidelity: Fidelity, first: int, last: int, head: str) -> _Piece:
        return _Piece(fidelity, first, last, head, self._cost(head))

    def _part(self, seq: int, id: str, text: str) -> _Part:
        return _Part(seq, id, text, self._cost(f" {text};") - self._frame)

    def _quotation(self, seq: int) -> _Part:
        text = f"{seq} {self.talk.speaker(seq)}: “{_plain(self.talk.words(seq))}”"
        return self._part(seq, self.talk.messages[seq].id, text)

    def _with_parts(self, piece: _Piece, *more: _Part) -> _Piece:
        if not more:
            return piece
        lead_in = 0 if piece.parts else self._lead_in_tokens[piece.lead_in]
        tokens = piece.tokens + lead_in + sum(part.tokens for part in more)
        return replace(piece, tokens=tokens, parts=(*piece.parts, *more))

    def _message_ids(self, piece: _Piece) -> tuple[str, ...]:
        if piece.fidelity is Fidelity.FULL:
            return (self.talk.messages[piece.first].id,)
        return tuple(part.id for part in piece.in_order) if piece.lead_in == _WORD_FOR_WORD else ()

    def _entry(self, piece: _Piece) -> HistoryEntry:
        line = piece.line
        return HistoryEntry(
            fidelity=piece.fidelity,
            first=piece.first,
            last=piece.last,
            line=line,
            message_ids=self._message_ids(piece),
            facts=tuple(part.id for part in piece.in_order) if piece.lead_in == _LEARNT else (),
            tokens=self._cost(line) if piece.parts else piece.tokens,
        )


def _between(parts: Iterable[_Part], first: int, last: int) -> list[_Part]:
    return [part for part in parts if first <= part.seq <= last]


def _unshown(first: int, last: int) -> str:
    return f"{_span(first, last)}: not shown here."


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _first_sentence(text: str) -> str:
    line = _plain(text)
    found = _SENTENCE.match(line)
    return found.group() if found else _clipped(line, _MOST_EXTRACT)


def _clipped(line: str, most: int) -> str:
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _plain(text: str) -> str:
    """On one line, and without quotation marks: nothing in it can end its quotation, or begin one."""
    return _QUOTES.sub('"', " ".join(text.split()))
