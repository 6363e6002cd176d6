"""What a client means by the lines that it sent, beside a log that could be theirs. Pure.

What it sends is the truth of its branch: a line that reads otherwise was edited, one that is missing is withdrawn, one
that is new was said. The last line asks: for a reply, for another version of the reply that there is, or for more.
Lines that stand between lines of the log were never part of the talk: notes of the client, for the model alone.
What was said elsewhere, as on the page, after all that the client knows, is left alone.

A request continues a log only where it shares its own beginning with it, or more than canned lines: "hey", and a reply
that any talk could begin with, say nothing about which talk is meant.

Start at `meaning`, and at `fit`, which says whether the log is the one that is meant.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from everlore.server.openai.line_alignment import KnownLine, Pair, SentLine, is_alike, is_same, laid_over

# Lines alone that are the same by chance are short; one long reply is not.
_ENOUGH = 10
_LONG_WORTH, _SHORT_WORTH, _LONG = 10, 3, 20
# A reply of this length is written for one talk, whatever it answers.
_TELLING = 120
# The last exchange, rewritten.
_LAST_EXCHANGE = 2


class RequestedAction(StrEnum):
    """What the last line asks for."""

    SAY = "say"
    AGAIN = "again"
    GO_ON = "go on"


class Fit(StrEnum):
    """Whether a log is meant: it is, or only its beginning is, or it is another."""

    SAME = "same"
    BRANCH = "branch"
    OTHER = "other"


class Naming(StrEnum):
    """How a client names the conversation: itself, only who speaks, or not at all."""

    TALK = "talk"
    PERSON = "person"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryAlignment:
    """`new` is to be kept, and the last of it asks where `act` is to say something. `gone` and `restored` leave and
    rejoin the talk. `forked_at`: the last line before anything was changed or withdrawn. `worth`: how much both have in
    common, canned lines aside; `has_users_words`: lines of the user's are among that; `lost`: how many lines of the log
    would be others. `knows_beginning`: both begin with the same greeting or the same line of the user's."""

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
    """`known_notes`: what was found before to be no part of the talk, as `SentLine.plain` has it. `is_all`: the log is
    whole, and not only the end of a longer one. `is_whole_talk`: so is what was sent; nothing of it was trimmed."""
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
    """`is_all` and `is_whole_talk`: the log and what was sent are whole, and not only the ends of longer ones.
    `is_step`: results of tools came with it, so that its reply was begun before."""
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
    """Who names the talk need not send all of it: one line alone goes on with it, unless the reply to the same line
    never came, or there is nothing else."""
    is_again = found.act is RequestedAction.AGAIN and (found.is_whole or not _asked_last(log).is_answered)
    return found if is_again and not found.gone else HistoryAlignment(new=(line,), notes=found.notes)


def _fit_of_one(log: Sequence[KnownLine], named: Naming, *, is_begun_alike: bool, is_step: bool) -> Fit:
    """Many a talk begins with the same word: without a name, only one that failed is taken up again."""
    if named is Naming.TALK:
        return Fit.SAME
    is_again = is_begun_alike and (named is Naming.PERSON or is_step or not _asked_last(log).is_answered)
    return Fit.SAME if is_again else Fit.OTHER


def _asked_last(log: Sequence[KnownLine]) -> KnownLine:
    return next((each for each in reversed(log) if each.is_user), log[-1])


def _with_beginning(sent: Sequence[SentLine], log: Sequence[KnownLine], pairs: list[Pair]) -> list[Pair]:
    """As many lines before the first that both have, in the same roles: the beginning was edited, and not trimmed."""
    first = next(((i, j) for i, j in pairs if i is not None and j is not None), (0, 0))
    count = first[0]
    if count != first[1] or any(sent[at].is_user != log[at].is_user for at in range(count)):
        return pairs
    return [*((at, at) for at in range(count)), *pairs[count:]]


# ── what the lines have in common ────────────────────────────────────────────────────────────────


def _is_common(pair: Pair, sent: Sequence[SentLine], log: Sequence[KnownLine]) -> bool:
    i, j = pair
    return i is not None and j is not None and (is_same(sent[i], log[j]) or is_alike(sent[i], log[j]))


def _telling(
    sent: Sequence[SentLine], log: Sequence[KnownLine], inside: Sequence[Pair], *, is_all: bool
) -> list[tuple[int, int]]:
    """What both have in common that tells one talk from another: no greeting, and nothing of how both open."""
    common = [(i, j) for i, j in inside if i is not None and j is not None and _is_common((i, j), sent, log)]
    opening, log_opening = _opening(sent), _opening(log) if is_all else 0
    found = [(i, j) for i, j in common if not (j == 0 and not log[j].is_user) and (i >= opening or j >= log_opening)]
    # A new talk may open with an exchange that another one had on its way.
    is_chance = sent[0].is_user and all(i < opening for i, _ in found)
    return [] if is_chance and sum(sent[i].is_user for i, _ in found) < 2 else found


def _opening(lines: Sequence[SentLine | KnownLine]) -> int:
    """How many lines a talk opens with: those before the first that says something of its own."""
    return next((at for at, each in enumerate(lines) if _says_something(each)), len(lines))


def _says_something(line: SentLine | KnownLine) -> bool:
    return len(line.plain) >= (_LONG if line.is_user else _TELLING)


def _worth(kept: KnownLine) -> int:
    return _LONG_WORTH if not kept.is_user and len(kept.plain) >= _LONG else _SHORT_WORTH


def _is_whole(inside: Sequence[Pair], log: Sequence[KnownLine]) -> bool:
    """All of the log but its last reply was sent, and nothing of it otherwise."""
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


# ── what comes after it ──────────────────────────────────────────────────────────────────────────


def _touchable(log: Sequence[KnownLine], behind: Sequence[Pair]) -> list[int]:
    """The lines at the end that the client has seen, and that it lacks now."""
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
    """The line is there: its reply is wanted anew, and what was said after that is gone."""
    reply_id = log[asked].reply_id
    gone = tuple(log[j].id for j in left if log[j].id != reply_id)
    if reply_id:
        return HistoryAlignment(act=RequestedAction.AGAIN, reply_id=reply_id, gone=gone)
    return HistoryAlignment(gone=(log[asked].id, *gone), new=(SentLine(is_user=True, text=log[asked].text),))


def _rewritten(
    sent: Sequence[SentLine], log: Sequence[KnownLine], tail: Sequence[int], left: Sequence[int]
) -> HistoryAlignment:
    """Line by line instead of those that were there. The last one is an edit where only its reply came after it; else
    what was there is gone, and it is said."""
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


# ── notes that wander ────────────────────────────────────────────────────────────────────────────


def _wandering(
    sent: Sequence[SentLine], log: Sequence[KnownLine], notes: Sequence[int], paired: Collection[int]
) -> list[int]:
    """Lines of the log that turned out to be notes: the client has moved them since."""
    texts = {sent[i].plain for i in notes if sent[i].is_user}
    return [j for j, each in enumerate(log) if j not in paired and each.is_user and each.plain in texts]


def _without_wanderers(found: HistoryAlignment, log: Sequence[KnownLine]) -> HistoryAlignment:
    """A note that always stands at the end is the last line of every request: it is said again, and gone from where it
    was. What the user says is before it."""
    went = {each.plain for each in log if each.id in found.gone and each.is_user}
    staying = tuple(line for line in found.new if not (line.is_user and line.plain in went))
    if len(staying) == len(found.new) or not staying or not staying[-1].is_user:
        return found
    moved = tuple(line.text for line in found.new if line not in staying)
    return replace(found, new=staying, notes=(*found.notes, *moved), lost=max(found.lost - len(moved), 0))
