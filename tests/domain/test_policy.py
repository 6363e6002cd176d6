"""Who may write what, how deep each caller sees, and what is kept from guests (C3, C4, C12)."""

import pytest

from everlore.domain.event import EventType
from everlore.domain.policy import (
    Mode,
    Role,
    Visibility,
    can_write,
    context_depth,
    policy_tables,
    should_capture_tool,
    tools_shown,
    visibility,
)

# As the specification has it. INTERACT is the event of a conversation as a whole (K5).
WRITES: dict[Mode, set[EventType]] = {
    Mode.DUAL: set(EventType),
    Mode.AGENT: {
        EventType.TOOL_INVOCATION,
        EventType.CODE_APPROVAL,
        EventType.CODE_REJECTION,
        EventType.SUMMARY,
    },
    Mode.EMULATION: set(),
    Mode.ENVIRONMENT: {EventType.CONVERSATION, EventType.INTERACT, EventType.SUMMARY},
}
DEPTHS: dict[Role, dict[Mode, int]] = {
    Role.OWNER: {Mode.DUAL: 12, Mode.AGENT: 6, Mode.EMULATION: 3, Mode.ENVIRONMENT: 6},
    Role.MEMBER: {Mode.DUAL: 8, Mode.AGENT: 6, Mode.EMULATION: 3, Mode.ENVIRONMENT: 6},
    Role.GUEST: {Mode.DUAL: 3, Mode.AGENT: 3, Mode.EMULATION: 3, Mode.ENVIRONMENT: 3},
    Role.ANONYMOUS: {Mode.DUAL: 2, Mode.AGENT: 2, Mode.EMULATION: 2, Mode.ENVIRONMENT: 2},
}


@pytest.mark.parametrize("event", EventType)
@pytest.mark.parametrize("mode", Mode)
def test_a_mode_writes_exactly_what_its_row_of_the_table_says(mode: Mode, event: EventType) -> None:
    """C3, C12."""
    assert can_write(mode, event) is (event in WRITES[mode])


def test_every_event_that_can_be_captured_has_a_type() -> None:
    """C1, and INTERACT of K5."""
    assert {event.value for event in EventType} == {
        "conversation", "interact", "tool_invocation", "file_read", "file_write", "code_approval",
        "code_rejection", "observation", "reflection", "dream", "task", "summary",
    }  # fmt: skip


@pytest.mark.parametrize("tool", ["search", "fs_write", "conversational_response", ""])
def test_emulation_captures_no_tool_at_all(tool: str) -> None:
    """C3: read-only."""
    assert not should_capture_tool(Mode.EMULATION, tool)


def test_an_ambient_setting_captures_no_tools() -> None:
    """C12."""
    assert not should_capture_tool(Mode.ENVIRONMENT, "search")


def test_for_an_agent_a_plain_reply_is_no_tool() -> None:
    """C3."""
    assert should_capture_tool(Mode.AGENT, "search")
    assert not should_capture_tool(Mode.AGENT, "conversational_response")


@pytest.mark.parametrize("tool", ["search", "conversational_response"])
def test_dual_mode_captures_every_tool(tool: str) -> None:
    """C3, C11."""
    assert should_capture_tool(Mode.DUAL, tool)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("mode", Mode)
def test_depth_is_the_lesser_of_what_mode_and_role_allow(mode: Mode, role: Role) -> None:
    """C4."""
    assert context_depth(mode, role) == DEPTHS[role][mode]


@pytest.mark.parametrize(
    ("depth", "shown"), [(0, 0), (1, 0), (2, 0), (3, 1), (6, 4), (8, 6), (12, 10), (13, 10), (100, 10)]
)
def test_two_fewer_tools_than_memories_are_shown_and_ten_at_most(depth: int, shown: int) -> None:
    """C4."""
    assert tools_shown(depth) == shown


@pytest.mark.parametrize("role", [Role.GUEST, Role.ANONYMOUS])
def test_strangers_see_no_paths_no_approvals_no_summaries_and_nothing_of_the_owner(role: Role) -> None:
    """C4, C12: and what they do see is redacted."""
    assert visibility(role) == Visibility(
        summaries=False, file_paths=False, approval_ids=False, owner_history=False, redacted=True
    )


def test_the_owner_sees_everything_unredacted() -> None:
    """C4."""
    assert visibility(Role.OWNER) == Visibility(
        summaries=True, file_paths=True, approval_ids=True, owner_history=True, redacted=False
    )


def test_a_member_sees_what_is_shared_but_not_what_is_the_owners() -> None:
    """C4."""
    seen = visibility(Role.MEMBER)

    assert seen.summaries
    assert not seen.owner_history
    assert not seen.approval_ids


def test_the_printed_tables_say_what_the_functions_decide() -> None:
    """C12: the tables in the docs come from the code."""
    lines = policy_tables().splitlines()

    assert "| event | dual | agent | emulation | environment |" in lines
    assert "| file_read | yes | – | – | – |" in lines
    assert "| tool_invocation | yes | yes | – | – |" in lines
    assert "| member | 8 (tools 6) | 6 (tools 4) | 3 (tools 1) | 6 (tools 4) |" in lines
    assert "| file_paths | yes | yes | – | – |" in lines
    assert len([line for line in lines if line.split(" | ")[0].strip("| ") in set(EventType)]) == len(EventType)
