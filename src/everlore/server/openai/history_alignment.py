"""Aligns the messages of a client with a log: what was edited, withdrawn, added, and what is asked for. Pure.

The client's messages are authoritative for its branch: a line with another text was edited, a missing one withdrawn, a
new one said. The last line asks for a reply, for another version of the existing reply, or for its continuation. Lines
between lines of the log were never part of the conversation: they are notes of the client, for the model only. Lines
that were said elsewhere, as on the page, after everything that the client knows, are left alone.

A request continues a log only if they share the beginning or more than common phrases: "hey", and a reply that could
begin any conversation, do not tell which conversation is meant.

Start at `meaning`, and at `fit`, which says whether the log is the one that is meant.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from everlore.server.openai.line_alignment import KnownLine, Pair, SentLine, is_alike, is_same, laid_over

# Lines that are the same by chance are short; one long reply is not.
_ENOUGH = 10
_LONG_WORTH, _SHORT_WORTH, _LONG = 10, 3, 20
# A reply of this length belongs to one conversation, whatever it answers.
_TELLING = 120
# The last exchange may be rewritten.
_LAST_EXCHANGE = 2


class RequestedAction(StrEnum):
    """What the last line asks for."""

    SAY = "say"
    AGAIN = "again"
    GO_ON = "go on"


class Fit(StrEnum):
    """Whether a log is meant: all of it, only its beginning, or not."""

    SAME = "same"
    BRANCH = "branch"
    OTHER = "other"


class Naming(StrEnum):
    """How a client names the conversation: itself, only the speaker, or not at all."""

    TALK = "talk"
    PERSON = "person"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryAlignment:
    """`new` is saved, and its last line is the request if `act` is SAY. `gone` and `restored` leave and rejoin the
    conversation. `forked_at`: the last line before any change or withdrawal. `worth`: how much both have in common,
    without common phrases; `has_users_words`: that includes lines of the user; `lost`: how many lines of the log would
    change. `knows_beginning`: both begin with the same greeting or the same line of the user."""

    act: RequestedAction = RequestedAction.SAY
    reply_id: str = ""
    changed: tuple[tuple[str, str], ...] = ()
    gone: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    new: tuple[SentLine, ...] = ()
    notes: tuple[str, ...] = ()
    forked_at: str = ""
    worth: int = 0
    has_users_words: bool = False
    lost: int = 0
    is_whole: bool = False
    knows_beginning: bool = False

    @property
    def rewrites(self) -> bool:
        return bool(self.changed or self.gone)


def meaning(
    sent: Sequence[SentLine],
    log: Sequence[KnownLine],
    *,
    known_notes: Collection[str] = (),
    is_all: bool = True,
    is_whole_talk: bool = False,
) -> HistoryAlignment:
    """`known_notes`: lines that were recognised as notes before, as `SentLine.plain`. `is_all`: the log is complete,
    not only its end. `is_whole_talk`: so are the sent messages; nothing was trimmed."""
    aside = [line for line in sent[:-1] if line.is_user and line.plain in known_notes]
    if sent[-1].is_user and sent[-1].plain in known_notes and len(sent) > len(aside) + 1:
        aside.append(sent[-1])
    talk = [line for line in sent if line not in aside]
    pairs = laid_over(talk, log)
    pairs = _with_beginning(talk, log, pairs) if is_all else pairs
    if is_whole_talk:
        first = min((j for _, j in pairs if j is not None), default=len(log))
        pairs = [*((None, j) for j in range(first)), *pairs]
    found = _read(talk, log, pairs, is_all=is_all)
    return replace(found, notes=(*(line.text for line in aside), *found.notes))


def _read(
    sent: Sequence[SentLine], log: Sequence[KnownLine], pairs: Sequence[Pair], *, is_all: bool
) -> HistoryAlignment:
    end = max((place for place, pair in enumerate(pairs) if _is_common(pair, sent, log)), default=-1)
    inside, behind = pairs[: end + 1], pairs[end + 1 :]
    changed = [_change(sent[i], log[j]) for i, j in inside if i is not None and j is not None]
    gone = [j for i, j in inside if i is None and j is not None and not log[j].is_withdrawn]
    restored = [j for i, j in inside if i is not None and j is not None and log[j].is_withdrawn]
    telling = _telling(sent, log, inside, is_all=is_all)
    notes = [i for i, j in inside if j is None and i is not None]
    last = inside[-1][1] if inside else None
    asked = _asked(sent, log, [i for i, _ in behind if i is not None], _touchable(log, behind), last)
    wandering = _wandering(sent, log, notes, {j for _, j in pairs if j is not None} - set(gone))
    found = HistoryAlignment(
        act=asked.act,
        reply_id=asked.reply_id,
        changed=(*(each for each in changed if each), *asked.changed),
        gone=(*(log[j].id for j in (*wandering, *gone)), *asked.gone),
        restored=tuple(log[j].id for j in restored),
        new=asked.new,
        notes=tuple(sent[i].text for i in notes),
        worth=sum(_worth(log[j]) for _, j in telling),
        has_users_words=any(sent[i].is_user for i, _ in telling),
        lost=len(gone) + len([each for each in changed if each]) + len(asked.changed) + len(asked.gone),
        is_whole=_is_whole(inside, log),
        knows_beginning=bool(inside) and inside[0] == (0, 0) and _is_common((0, 0), sent, log),
    )
    return _without_wanderers(replace(found, forked_at=_forked_at(log, found)), log)


def fit(
    found: HistoryAlignment,
    sent: Sequence[SentLine],
    log: Sequence[KnownLine],
    named: Naming,
    *,
    is_all: bool = True,
    is_step: bool = False,
    is_whole_talk: bool = False,
) -> Fit:
    """`is_all` and `is_whole_talk`: the log and the sent messages are complete, not only their ends. `is_step`: results
    of tools were sent, so that the reply was begun before."""
    if not log or (is_whole_talk and named is Naming.TALK):
        return Fit.SAME
    if is_whole_talk and not found.knows_beginning:
        return Fit.OTHER
    is_begun_alike = is_all and found.is_whole and found.act is RequestedAction.AGAIN
    if len(sent) == 1 and sent[0].is_user:
        return _fit_of_one(log, named, is_begun_alike=is_begun_alike, is_step=is_step)
    if is_all and found.is_whole:
        return Fit.SAME
    if named is Naming.TALK:
        is_known = found.worth > 0 or all(line.is_user for line in sent)
        return Fit.SAME if is_known or (found.knows_beginning and found.lost <= _LAST_EXCHANGE) else Fit.OTHER
    if found.worth < _ENOUGH or (found.lost and not found.has_users_words):
        return Fit.OTHER
    if found.lost <= max(_LAST_EXCHANGE, found.worth // _LONG_WORTH):
        return Fit.SAME
    return Fit.BRANCH if found.forked_at else Fit.OTHER


def alone(found: HistoryAlignment, line: SentLine, log: Sequence[KnownLine]) -> HistoryAlignment:
    """A client that names the conversation may send one line only: it continues the conversation, unless the same line
    is still unanswered, or is all there is."""
    is_again = found.act is RequestedAction.AGAIN and (found.is_whole or not _asked_last(log).is_answered)
    return found if is_again and not found.gone else HistoryAlignment(new=(line,), notes=found.notes)


def _fit_of_one(log: Sequence[KnownLine], named: Naming, *, is_begun_alike: bool, is_step: bool) -> Fit:
    """Many conversations begin with the same word: without a name, only one whose reply failed is continued."""
    if named is Naming.TALK:
        return Fit.SAME
    is_again = is_begun_alike and (named is Naming.PERSON or is_step or not _asked_last(log).is_answered)
    return Fit.SAME if is_again else Fit.OTHER


def _asked_last(log: Sequence[KnownLine]) -> KnownLine:
    return next((each for each in reversed(log) if each.is_user), log[-1])


def _with_beginning(sent: Sequence[SentLine], log: Sequence[KnownLine], pairs: list[Pair]) -> list[Pair]:
    """If as many lines, in the same roles, come before the first common one, the beginning was edited, not trimmed."""
    first = next(((i, j) for i, j in pairs if i is not None and j is not None), (0, 0))
    count = first[0]
    if count != first[1] or any(sent[at].is_user != log[at].is_user for at in range(count)):
        return pairs
    return [*((at, at) for at in range(count)), *pairs[count:]]


# ── the lines in common ──────────────────────────────────────────────────────────────────────────


def _is_common(pair: Pair, sent: Sequence[SentLine], log: Sequence[KnownLine]) -> bool:
    i, j = pair
    return i is not None and j is not None and (is_same(sent[i], log[j]) or is_alike(sent[i], log[j]))


def _telling(
    sent: Sequence[SentLine], log: Sequence[KnownLine], inside: Sequence[Pair], *, is_all: bool
) -> list[tuple[int, int]]:
    """The common lines that identify a conversation: no greeting, and nothing of the opening of both."""
    common = [(i, j) for i, j in inside if i is not None and j is not None and _is_common((i, j), sent, log)]
    opening, log_opening = _opening(sent), _opening(log) if is_all else 0
    found = [(i, j) for i, j in common if not (j == 0 and not log[j].is_user) and (i >= opening or j >= log_opening)]
    # A new conversation may open with an exchange from the middle of another one.
    is_chance = sent[0].is_user and all(i < opening for i, _ in found)
    return [] if is_chance and sum(sent[i].is_user for i, _ in found) < 2 else found


def _opening(lines: Sequence[SentLine | KnownLine]) -> int:
    """The length of the opening: the lines before the first distinctive one."""
    return next((at for at, each in enumerate(lines) if _says_something(each)), len(lines))


def _says_something(line: SentLine | KnownLine) -> bool:
    return len(line.plain) >= (_LONG if line.is_user else _TELLING)


def _worth(kept: KnownLine) -> int:
    return _LONG_WORTH if not kept.is_user and len(kept.plain) >= _LONG else _SHORT_WORTH


def _is_whole(inside: Sequence[Pair], log: Sequence[KnownLine]) -> bool:
    """The whole log except its last reply was sent, without changes."""
    places = [j for i, j in inside if i is not None and j is not None]
    if len(places) != len(inside) or not places or places[0] != 0 or inside[0][0] != 0:
        return False
    left = log[len(places) :]
    return not left or (len(left) == 1 and not left[0].is_user and log[places[-1]].is_user)


def _change(sent: SentLine, kept: KnownLine) -> tuple[str, str] | None:
    return None if sent.plain == kept.plain else (kept.id, sent.text)


def _forked_at(log: Sequence[KnownLine], found: HistoryAlignment) -> str:
    touched = {*(id for id, _ in found.changed), *found.gone}
    first = next((place for place, each in enumerate(log) if each.id in touched), None)
    return log[first - 1].id if first else ""


# ── the lines after them ─────────────────────────────────────────────────────────────────────────


def _touchable(log: Sequence[KnownLine], behind: Sequence[Pair]) -> list[int]:
    """The lines at the end that the client has seen but did not send."""
    return [j for _, j in behind if j is not None and log[j].is_ours and not log[j].is_withdrawn]


def _asked(
    sent: Sequence[SentLine], log: Sequence[KnownLine], tail: Sequence[int], left: Sequence[int], last: int | None
) -> HistoryAlignment:
    if not sent[-1].is_user:
        gone = tuple(log[j].id for j in left)
        if tail or last is None:
            return HistoryAlignment(act=RequestedAction.GO_ON, gone=gone, new=tuple(sent[i] for i in tail))
        return HistoryAlignment(act=RequestedAction.GO_ON, reply_id=log[last].id, gone=gone)
    if not tail and last is not None:
        return _again(log, left, last)
    return _rewritten(sent, log, tail, left)


def _again(log: Sequence[KnownLine], left: Sequence[int], asked: int) -> HistoryAlignment:
    """The line exists: another version of its reply is requested, and later lines are withdrawn."""
    reply_id = log[asked].reply_id
    gone = tuple(log[j].id for j in left if log[j].id != reply_id)
    if reply_id:
        return HistoryAlignment(act=RequestedAction.AGAIN, reply_id=reply_id, gone=gone)
    return HistoryAlignment(gone=(log[asked].id, *gone), new=(SentLine(is_user=True, text=log[asked].text),))


def _rewritten(
    sent: Sequence[SentLine], log: Sequence[KnownLine], tail: Sequence[int], left: Sequence[int]
) -> HistoryAlignment:
    """Replaces the old lines one by one. The last one is an edit if only its reply came after it; otherwise the old
    lines are withdrawn, and it is a new message."""
    changed: list[tuple[str, str]] = []
    gone: list[str] = []
    rest = list(left)
    for place, i in enumerate(tail):
        while rest and log[rest[0]].is_user != sent[i].is_user:
            gone.append(log[rest.pop(0)].id)
        if not rest:
            return HistoryAlignment(changed=tuple(changed), gone=tuple(gone), new=tuple(sent[i] for i in tail[place:]))
        if place < len(tail) - 1:
            changed.append((log[rest.pop(0)].id, sent[i].text))
    asked, after = log[rest[0]], [log[j].id for j in rest[1:]]
    if asked.reply_id and after in ([], [asked.reply_id]):
        changed.append((asked.id, sent[tail[-1]].text))
        return HistoryAlignment(
            act=RequestedAction.AGAIN, reply_id=asked.reply_id, changed=tuple(changed), gone=tuple(gone)
        )
    return HistoryAlignment(changed=tuple(changed), gone=(*gone, asked.id, *after), new=(sent[tail[-1]],))


# ── notes that move ──────────────────────────────────────────────────────────────────────────────


def _wandering(
    sent: Sequence[SentLine], log: Sequence[KnownLine], notes: Sequence[int], paired: Collection[int]
) -> list[int]:
    """Lines of the log that turned out to be notes: the client has moved them since."""
    texts = {sent[i].plain for i in notes if sent[i].is_user}
    return [j for j, each in enumerate(log) if j not in paired and each.is_user and each.plain in texts]


def _without_wanderers(found: HistoryAlignment, log: Sequence[KnownLine]) -> HistoryAlignment:
    """A note that the client always puts at the end is the last line of every request: it looks new there, and
    withdrawn at its old place. The user's message is the line before it."""
    went = {each.plain for each in log if each.id in found.gone and each.is_user}
    staying = tuple(line for line in found.new if not (line.is_user and line.plain in went))
    if len(staying) == len(found.new) or not staying or not staying[-1].is_user:
        return found
    moved = tuple(line.text for line in found.new if line not in staying)
    return replace(found, new=staying, notes=(*found.notes, *moved), lost=max(found.lost - len(moved), 0))
