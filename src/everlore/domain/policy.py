"""Permissions: what each caller may write, request, and see (C3, C4, C12).

A few functions decide everything; no other code branches on mode or role. Each looks up a table below, and
`policy_tables` prints those tables into the docs.
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
    """Kinds of requests: is the server there, which characters it has, chat, use of one's own memories, and
    administration."""

    LOOK = "look"
    MEET = "meet"
    TALK = "talk"
    OWN = "own"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Visibility:
    """What a role may see besides the memories themselves. Without `owner_history`, callers see only their own
    conversations and what they know themselves."""

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
# A plain reply is what an agent says, not what it does.
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
# Roles whose key may name the people behind it by default; and what these people may do.
_SPEAKS_FOR_MANY = frozenset({Role.OWNER})
_SPOKEN_FOR: dict[Role, Role] = {role: Role.MEMBER if role is Role.OWNER else role for role in Role}
_MOST_TOOLS = 10
# The default token budget for memories, which the depths below are made for.
USUAL_BUDGET = 500


def can_write(mode: Mode, event_type: EventType) -> bool:
    return event_type in _WRITES[mode]


def writes_all(mode: Mode) -> bool:
    """Whether a mode also writes records other than events: persons, settings, templates, tokens."""
    return _WRITES[mode] == frozenset(EventType)


def may(role: Role, act: Act) -> bool:
    return act in _MAY[role]


def should_capture_tool(mode: Mode, tool: str) -> bool:
    if not can_write(mode, EventType.TOOL_INVOCATION):
        return False
    return mode is Mode.DUAL or tool != _NOT_A_TOOL


def is_at_work(mode: Mode) -> bool:
    """Whether it is a mode of agents: their actions are recorded, their words are not."""
    return can_write(mode, EventType.TOOL_INVOCATION) and not can_write(mode, EventType.CONVERSATION)


def context_depth(mode: Mode, role: Role) -> int:
    """How many memories a prompt may have: the lesser of the limits of mode and role."""
    return min(_OWNER_DEPTH[mode], _ROLE_DEPTH[role])


def is_held_back(mode: Mode, role: Role) -> bool:
    """Whether a larger budget does not raise the limit: true for callers below the maximum depth."""
    return context_depth(mode, role) < max(_ROLE_DEPTH.values())


def most_recalled(mode: Mode, role: Role, budget: int) -> int:
    """How many memories may be recalled for a turn. At the maximum depth the limit applies to the default budget, and
    grows with a larger one."""
    depth = context_depth(mode, role)
    return depth if is_held_back(mode, role) else max(depth, depth * budget // USUAL_BUDGET)


def tools_shown(depth: int) -> int:
    return min(max(depth - 2, 0), _MOST_TOOLS)


def visibility(role: Role) -> Visibility:
    return _VISIBLE[role]


def is_guest(role: Role) -> bool:
    """Whether the caller sees only what is public."""
    return visibility(role).redacted


def trust_of(role: Role) -> str:
    """What a caller may access: the whole workspace, a part of it, or what is public."""
    return _TRUST[role]


def speaks_for_many(role: Role) -> bool:
    """Whether a key of this role may name the people who speak through it, by default."""
    return role in _SPEAKS_FOR_MANY


def role_of_people(role: Role) -> Role:
    """The role of people who speak through a key of this role: never more than the key, and never an administrator."""
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
