"""Which act each tool needs; the policy says who may do it (C3, S-3).

The acts are those of the corresponding routes. A tool that is not listed here is for the owner, so a forgotten one is
closed. All admitted callers see the list of all tools; a call that the role may not make is refused with the reason.
"""

from collections.abc import Mapping

from everlore.domain.policy import Act, Role, may

# To connect at all: without this, not even the tools are listed.
COME_IN = Act.MEET
READ_RESOURCES = Act.OWN
_ACTS: Mapping[str, Act] = {
    "search_memories": Act.OWN,
    "search_memories_by_pair": Act.OWN,
    "search_memories_by_person": Act.OWN,
    "remember": Act.OWN,
    "forget": Act.OWN,
    "extract_memories": Act.OWN,
    "get_context": Act.MEET,
    "capture_event": Act.OWN,
    "change_event": Act.OWN,
    "delete_event": Act.OWN,
    "list_characters": Act.MEET,
    "campaign_recap": Act.RUN,
    "list_campaigns": Act.OWN,
    "previously_on": Act.OWN,
    "ask_campaign": Act.OWN,
    "campaign_world": Act.OWN,
    "campaign_review": Act.OWN,
    "remember_canon": Act.OWN,
    "add_entity": Act.OWN,
    "tie_entities": Act.OWN,
    "decide_proposal": Act.OWN,
    "rule_conflict": Act.OWN,
    "start_session": Act.OWN,
    "end_session": Act.OWN,
    "bring_session_log": Act.OWN,
}


def act_of(tool: str) -> Act:
    return _ACTS.get(tool, Act.RUN)


def tools_table(tools: Mapping[str, str]) -> str:
    """Which tool does what, and for whom, in Markdown: `tools` has the first sentence about each."""
    head = ["tool", "what it does", *(role.value for role in Role)]
    rows = [[f"`{name}`", about, *_roles(act_of(name))] for name, about in tools.items()]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _roles(act: Act) -> list[str]:
    return ["yes" if may(role, act) else "–" for role in Role]
