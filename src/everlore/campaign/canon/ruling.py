"""Applies and undoes a ruling: its changes and its wording (G7). Pure.

In: the dispute, both current memories, and the other memories that repeat the overruled statement. Out: changes that
the store applies together. The ruling is saved as a memory that says in plain words what holds and what does not.
Overruled memories are closed, not deleted, and the proposal keeps their earlier state for an undo.

Start at `ruled` and `taken_back`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from everlore.campaign.canon.disputes import RULING, Dispute, Ruling, ruling_json
from everlore.campaign.canon.judging import told_without
from everlore.domain.bounds import Json
from everlore.domain.memory import LinkKind, Memory, MemoryLink, MemoryType, Origin, Status
from everlore.domain.proposal import Decision, Proposal
from everlore.domain.revision import Why, revise
from everlore.store.port import Amend, Change, Delete, Put

_IMPORTANCE = 9
_MOST_QUOTED = 2_000
# Fields of a memory saved before a ruling, to restore them on undo.
_KEPT = ("status", "valid_from", "valid_to", "superseded_by", "content", "summary")
_TIMES = frozenset({"valid_from", "valid_to"})


@dataclass(frozen=True, slots=True)
class Matter:
    """The input of a ruling. `old`: None if it was deleted or closed meanwhile. `alike`: other active memories that
    repeat the overruled statement; `telling`: scenes and summaries that contain it; `others`: other disputes that hold
    back the new statement."""

    dispute: Dispute
    old: Memory | None
    new: Memory
    alike: Sequence[Memory] = ()
    telling: Sequence[Memory] = ()
    others: Sequence[Dispute] = ()


@dataclass(frozen=True, slots=True)
class Judge:
    """Who rules, when, and with which note; only those who see the proposal see the note, since it may be a secret."""

    by: str
    now: datetime
    new_id: Callable[[], str]
    note: str = ""


def ruled(matter: Matter, ruling: Ruling, judge: Judge) -> list[Change]:
    """The changes: the ruling's memory, then the proposal, then the affected memories."""
    memory = _memory(matter, ruling, judge)
    changed = _changed(matter, ruling, judge)
    before = {each.id: each for each in (*_standing(matter), matter.new, *matter.alike, *matter.telling)}
    outcome: Json = {
        RULING: ruling.value,
        "memory_id": memory.id,
        "note": judge.note,
        "before": [_state(before[each.id]) for each, _ in changed],
        # An overruled statement contradicts nothing else, so its other disputes are settled too.
        "others": [each.proposal.id for each in matter.others] if ruling is Ruling.OLD else [],
    }
    decision = Decision.REJECTED if ruling is Ruling.OLD else Decision.APPROVED
    return [
        Put(memory, by=judge.by),
        _decided(matter.dispute.proposal, decision, outcome, judge),
        *(Put(each, by=judge.by, why=why, note=f"by {memory.id}") for each, why in changed),
        *(Put(each, by=judge.by) for each in _links(memory, matter, judge)),
        *(
            _decided(each.proposal, decision, {RULING: ruling.value, "by": memory.id}, judge)
            for each in (matter.others if ruling is Ruling.OLD else ())
        ),
    ]


def taken_back(dispute: Dispute, memories: Iterable[Memory], others: Iterable[Dispute], judge: Judge) -> list[Change]:
    """Restores the state before the ruling and reopens the dispute. Memories changed since then stay. `others`:
    disputes that the ruling settled as well."""
    kept = dispute.proposal.outcome.get("before")
    states = {str(each.get("id")): each for each in kept if isinstance(each, dict)} if isinstance(kept, list) else {}
    ruling_id = str(dispute.proposal.outcome.get("memory_id", ""))
    there = {each.id: each for each in memories}
    back = [_restored(each, states[each.id], judge.now) for each in there.values() if each.id in states]
    return [
        *(_decided(each.proposal, Decision.PENDING, {}, replace(judge, by="")) for each in (dispute, *others)),
        *(Put(each, by=judge.by) for each in back if each is not None),
        *([Delete(Memory, ruling_id)] if ruling_id in there else []),
    ]


def touched_by(dispute: Dispute) -> list[str]:
    """The ids of the memories that a ruling created or changed."""
    kept = dispute.proposal.outcome.get("before")
    ids = [str(each.get("id")) for each in kept if isinstance(each, dict)] if isinstance(kept, list) else []
    return [*ids, str(dispute.proposal.outcome.get("memory_id", ""))]


def settled_along(dispute: Dispute) -> list[str]:
    """The ids of the other proposals that this ruling settled."""
    kept = dispute.proposal.outcome.get("others")
    return [str(each) for each in kept] if isinstance(kept, list) else []


# ── changes ──────────────────────────────────────────────────────────────────────────────────────


def _changed(matter: Matter, ruling: Ruling, judge: Judge) -> list[tuple[Memory, Why]]:
    standing, new, now = _standing(matter), matter.new, judge.now
    begun = new.valid_from or now
    since = max([begun, *(each.valid_from for each in standing if each.valid_from)])
    match ruling:
        case Ruling.OLD:
            fallen = [(_closed(each, now), Why.REJECTION) for each in (new, *matter.alike)]
            return [*fallen, *_retold(matter, new.content, now)]
        case Ruling.NEW:
            over = [(_superseded(each, new, since, now), Why.SUPERSESSION) for each in (*standing, *matter.alike)]
            return [*over, *_admitted(matter, now), *_retold(matter, matter.dispute.old.text, now)]
        case Ruling.BOTH:
            past = [(revise(each, now, valid_to=since), Why.SUPERSESSION) for each in (*standing, *matter.alike)]
            return [*past, *_admitted(matter, now, valid_from=since)]
    return _admitted(matter, now)


def _standing(matter: Matter) -> list[Memory]:
    return [matter.old] if matter.old is not None else []


def _admitted(matter: Matter, now: datetime, **fields: Any) -> list[tuple[Memory, Why]]:
    """The new statement becomes active, unless it waits for another ruling too."""
    if matter.others:
        return []
    return [(revise(matter.new, now, status=Status.ACTIVE, valid_to=None, **fields), Why.APPROVAL)]


def _closed(memory: Memory, now: datetime) -> Memory:
    return revise(memory, now, status=Status.REJECTED, valid_to=memory.valid_to or now)


def _superseded(old: Memory, new: Memory, since: datetime, now: datetime) -> Memory:
    return revise(old, now, status=Status.SUPERSEDED, valid_to=since, superseded_by=new.id)


def _retold(matter: Matter, fallen: str, now: datetime) -> list[tuple[Memory, Why]]:
    """Removes the overruled sentence from scenes and summaries; closes those that say nothing else."""
    found: list[tuple[Memory, Why]] = []
    for each in matter.telling:
        content, summary = told_without(each.content, [fallen]), told_without(each.summary, [fallen])
        if not content:
            found.append((_closed(each, now), Why.REJECTION))
        elif (content, summary) != (each.content, each.summary):
            found.append((revise(each, now, content=content, summary=summary), Why.CORRECTION))
    return found


# ── wording ──────────────────────────────────────────────────────────────────────────────────────


def _memory(matter: Matter, ruling: Ruling, judge: Judge) -> Memory:
    dispute = matter.dispute
    return Memory(
        workspace=matter.new.workspace,
        id=judge.new_id(),
        content=told(ruling, dispute),
        type=MemoryType.CANON_RULING,
        importance=_IMPORTANCE,
        is_spoiler=dispute.old.is_spoiler or dispute.new.is_spoiler or matter.new.is_spoiler,
        origin=Origin.GM,
        campaign_id=dispute.proposal.campaign_id,
        entity_ids=tuple(dict.fromkeys(id for each in (*_standing(matter), matter.new) for id in each.entity_ids)),
        valid_from=judge.now,
        created_at=judge.now,
        updated_at=judge.now,
        extra={RULING: ruling_json(ruling, dispute)},
    )


def told(ruling: Ruling, dispute: Dispute) -> str:
    """The ruling in plain words, for readers and models."""
    old, new = (_quoted(each) for each in (dispute.old.text, dispute.new.text))
    when = f" (until {dispute.new.session})" if dispute.new.session else ""
    return {
        Ruling.OLD: f"Ruled: it holds that {old}. It is not so that {new}.",
        Ruling.NEW: f"Ruled: it holds that {new}. It is not so that {old}.",
        Ruling.BOTH: f"Ruled: both in their time. It holds now that {new}. It was so before{when} that {old}.",
        Ruling.NONE: f"Ruled: no conflict. It holds that {old}, and also that {new}.",
    }[ruling]


def _quoted(text: str) -> str:
    return f"“{' '.join(text.split()).rstrip('.')[:_MOST_QUOTED]}”"


def _links(memory: Memory, matter: Matter, judge: Judge) -> list[MemoryLink]:
    return [
        MemoryLink(
            workspace=memory.workspace,
            id=judge.new_id(),
            memory_id=memory.id,
            other_id=each.id,
            kind=LinkKind.DERIVED,
            created_at=judge.now,
        )
        for each in (*_standing(matter), matter.new)
    ]


# ── saved state ──────────────────────────────────────────────────────────────────────────────────


def _decided(proposal: Proposal, decision: Decision, outcome: Json, judge: Judge) -> Amend:
    is_open = decision is Decision.PENDING
    fields = {
        "status": decision,
        "decided_by": judge.by,
        "decided_at": None if is_open else judge.now,
        "outcome": outcome,
        "updated_at": judge.now,
    }
    return Amend(Proposal, proposal.id, fields)


def _state(memory: Memory) -> Json:
    kept = {name: _plain(getattr(memory, name)) for name in _KEPT}
    # The revision after the ruling: an undo leaves memories that were changed later.
    return {"id": memory.id, "revision": memory.revision + 1, **kept}


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else str(value) if isinstance(value, Status) else value


def _restored(memory: Memory, state: Json, now: datetime) -> Memory | None:
    if memory.revision != state.get("revision"):
        return None
    fields = {name: _read(name, state.get(name)) for name in _KEPT}
    if fields["status"] is Status.PENDING:
        # A memory cannot return to pending, so it is rejected while its dispute is open.
        fields["status"] = Status.REJECTED
    return revise(memory, now, **fields)


def _read(name: str, value: object) -> object:
    if name == "status":
        return Status(str(value))
    return datetime.fromisoformat(str(value)) if name in _TIMES and value is not None else value
