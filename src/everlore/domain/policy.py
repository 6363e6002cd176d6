"""Who may write what, ask for what, and how deep each caller sees (C3, C4, C12).

A few functions decide everything; no other code branches on mode or role. Each is a look-up in a
table below, and `policy_tables` prints those tables into the docs.
"""

from dataclasses import dataclass
from enum import StrEnum

from everlore.domain.event import EventType


class Mode(StrEnum):
    DUAL = "dual"
    AGENT = "agent"
    EMULATION = "emulation"
    ENVIRONMENT = "environment"


class Role(StrEnum):
    OWNER = "owner"
    MEMBER = "member"
    GUEST = "guest"
    ANONYMOUS = "anonymous"


class Act(StrEnum):
    """What can be asked of a server: whether it is there, whom it has to talk to, a talk, the use of memories of one's
    own, and to run it."""

    LOOK = "look"
    MEET = "meet"
    TALK = "talk"
    OWN = "own"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Visibility:
    """What a role may be shown beside the memories themselves. Without `owner_history`, whoever asks sees their own
    conversations and what they know themselves, and nothing else of the workspace."""

    summaries: bool
    file_paths: bool
    approval_ids: bool
    owner_history: bool
    redacted: bool


_ACTIONS = frozenset({EventType.TOOL_INVOCATION, EventType.CODE_APPROVAL, EventType.CODE_REJECTION, EventType.SUMMARY})
_AMBIENT = frozenset({EventType.CONVERSATION, EventType.INTERACT, EventType.SUMMARY})
_WRITES: dict[Mode, frozenset[EventType]] = {
    Mode.DUAL: frozenset(EventType),
    Mode.AGENT: _ACTIONS,
    Mode.EMULATION: frozenset(),
    Mode.ENVIRONMENT: _AMBIENT,
}
# A plain reply is what an agent says, not what it did.
_NOT_A_TOOL = "conversational_response"
_OWNER_DEPTH: dict[Mode, int] = {Mode.DUAL: 12, Mode.AGENT: 6, Mode.EMULATION: 3, Mode.ENVIRONMENT: 6}
_ROLE_DEPTH: dict[Role, int] = {Role.OWNER: 12, Role.MEMBER: 8, Role.GUEST: 3, Role.ANONYMOUS: 2}
_SEES_ALL = Visibility(summaries=True, file_paths=True, approval_ids=True, owner_history=True, redacted=False)
_SEES_SHARED = Visibility(summaries=True, file_paths=True, approval_ids=False, owner_history=False, redacted=False)
_SEES_PUBLIC = Visibility(summaries=False, file_paths=False, approval_ids=False, owner_history=False, redacted=True)
_VISIBLE: dict[Role, Visibility] = {
    Role.OWNER: _SEES_ALL,
    Role.MEMBER: _SEES_SHARED,
    Role.GUEST: _SEES_PUBLIC,
    Role.ANONYMOUS: _SEES_PUBLIC,
}
_MAY: dict[Role, frozenset[Act]] = {
    Role.OWNER: frozenset(Act),
    Role.MEMBER: frozenset({Act.LOOK, Act.MEET, Act.TALK, Act.OWN}),
    Role.GUEST: frozenset({Act.LOOK, Act.MEET, Act.TALK}),
    Role.ANONYMOUS: frozenset({Act.LOOK, Act.MEET}),
}
_TRUST: dict[Role, str] = {Role.OWNER: "full", Role.MEMBER: "shared", Role.GUEST: "public", Role.ANONYMOUS: "public"}
# Whose key may name the people who speak behind it, where nobody says otherwise, and what these may do then.
_SPEAKS_FOR_MANY = frozenset({Role.OWNER})
_SPOKEN_FOR: dict[Role, Role] = {role: Role.MEMBER if role is Role.OWNER else role for role in Role}
_MOST_TOOLS = 10
# Tokens of memories in a prompt, where nobody says otherwise: the depths are for as many.
USUAL_BUDGET = 500


def can_write(mode: Mode, event_type: EventType) -> bool:
    return event_type in _WRITES[mode]


def writes_all(mode: Mode) -> bool:
    """Whether a mode also writes what is no event: persons, settings, templates, tokens."""
    return _WRITES[mode] == frozenset(EventType)


def may(role: Role, act: Act) -> bool:
    return act in _MAY[role]


def should_capture_tool(mode: Mode, tool: str) -> bool:
    if not can_write(mode, EventType.TOOL_INVOCATION):
        return False
    return mode is Mode.DUAL or tool != _NOT_A_TOOL


def is_at_work(mode: Mode) -> bool:
    """Whether it is a mode of agents: what they do is written down, and what they say is not."""
    return can_write(mode, EventType.TOOL_INVOCATION) and not can_write(mode, EventType.CONVERSATION)


def context_depth(mode: Mode, role: Role) -> int:
    """How many memories a prompt may hold: the lesser of what the mode and the role allow."""
    return min(_OWNER_DEPTH[mode], _ROLE_DEPTH[role])


def is_held_back(mode: Mode, role: Role) -> bool:
    """Whether the depth is a limit that no budget lifts: for whoever may not look as deep as anybody can."""
    return context_depth(mode, role) < max(_ROLE_DEPTH.values())


def most_recalled(mode: Mode, role: Role, budget: int) -> int:
    """How many memories may come back for a turn. Who may look deepest has a limit for the usual budget alone: it grows
    with a larger one."""
    depth = context_depth(mode, role)
    return depth if is_held_back(mode, role) else max(depth, depth * budget // USUAL_BUDGET)


def tools_shown(depth: int) -> int:
    return min(max(depth - 2, 0), _MOST_TOOLS)


def visibility(role: Role) -> Visibility:
    return _VISIBLE[role]


def is_guest(role: Role) -> bool:
    """Whoever is shown only what is public."""
    return visibility(role).redacted


def trust_of(role: Role) -> str:
    """How far a caller is trusted: with the whole workspace, with a part of it, or with what is public."""
    return _TRUST[role]


def speaks_for_many(role: Role) -> bool:
    """Whether a key of this role may name the people who speak behind it, where neither token nor server say."""
    return role in _SPEAKS_FOR_MANY


def role_of_people(role: Role) -> Role:
    """What people may do who speak behind a key of this role: never more than the key, and never run the place."""
    return _SPOKEN_FOR[role]


def policy_tables() -> str:
    """The four tables of docs/policy.md, in Markdown."""
    return "\n\n".join((_write_table(), _depth_table(), _visibility_table(), _act_table())) + "\n"


def _write_table() -> str:
    rows = [[event.value, *(_tick(can_write(mode, event)) for mode in Mode)] for event in EventType]
    return _markdown(["event", *(mode.value for mode in Mode)], rows)


def _depth_table() -> str:
    rows = []
    for role in Role:
        depths = [context_depth(mode, role) for mode in Mode]
        rows.append([role.value, *(f"{depth} (tools {tools_shown(depth)})" for depth in depths)])
    return _markdown(["depth", *(mode.value for mode in Mode)], rows)


def _visibility_table() -> str:
    facets = list(Visibility.__dataclass_fields__)
    rows = [[facet, *(_tick(getattr(visibility(role), facet)) for role in Role)] for facet in facets]
    return _markdown(["shown", *(role.value for role in Role)], rows)


def _act_table() -> str:
    rows = [[act.value, *(_tick(may(role, act)) for role in Role)] for act in Act]
    return _markdown(["may", *(role.value for role in Role)], rows)


def _tick(claim: bool) -> str:
    return "yes" if claim else "–"


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
