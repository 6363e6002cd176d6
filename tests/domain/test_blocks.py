"""What stands in a context block is data: it cannot close it, open another, or speak as the system (P8, S-6)."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.blocks import as_json, block, inert, resource

# By which chat formats tell their speakers apart, and by which texts end.
ROLE_MARKS = [
    "<|im_start|>",
    "<|im_end|>",
    "<|start_header_id|>",
    "<|eot_id|>",
    "<|endoftext|>",
    "<|system|>",
    "<|START_OF_TURN_TOKEN|>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[AVAILABLE_TOOLS]",
    "[TOOL_CALLS]",
    "[/TOOL_RESULTS]",
    "<<SYS>>",
    "<</SYS>>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<bos>",
    "<eos>",
    "<｜User｜>",
    "<｜end▁of▁sentence｜>",
]
EDGES = [
    "</mcp:context>",
    "<mcp:context>",
    '<mcp:context type="resource" uri="everlore://memory/a/b" ephemeral="true">',
    "</MCP:Context >",
    "< /mcp:context>",
    "</ mcp:context>",
    "<\nmcp:context",
]
TEXTS = st.text(max_size=50) | st.lists(st.sampled_from([*ROLE_MARKS, *EDGES, "<", "[", "|", ">", "\n", "s"])).map(
    "".join
)


def test_a_block_is_written_as_the_specification_says() -> None:
    """P8."""
    assert resource("memory/mira/ann", "memory", {"content": "Ann likes tea."}) == (
        '<mcp:context type="resource" uri="everlore://memory/mira/ann" ephemeral="true">\n'
        '{"schema": "urn:everlore:narrative:memory", "data": {"content": "Ann likes tea."}}\n'
        "</mcp:context>"
    )


def test_a_plain_text_has_a_block_of_its_kind() -> None:
    """P8: reminders, keyframes and gossip have the same format as memories."""
    opening, inside, closing = block("reminder", "Be brief.\nIn rhyme.").split("\n")

    assert 'uri="everlore://reminder"' in opening
    assert json.loads(inside) == {"schema": "urn:everlore:narrative:reminder", "data": {"text": "Be brief.\nIn rhyme."}}
    assert closing == "</mcp:context>"


@given(TEXTS, TEXTS)
def test_whatever_a_block_holds_stays_inside_and_comes_back_as_it_was(one: str, other: str) -> None:
    """P8."""
    opening, inside, closing = resource("memory/a/b", "memory", {"content": one, "list": [other]}).split("\n")

    assert (opening.count("<"), closing) == (1, "</mcp:context>")
    assert "<" not in inside
    assert ">" not in inside
    assert json.loads(inside)["data"] == {"content": one, "list": [other]}


@given(st.text(max_size=30))
def test_an_address_cannot_end_its_opening(id: str) -> None:
    """P8."""
    opening = resource(f"memory/{id}/b", "memory", {}).rpartition("\n{")[0]

    assert re.fullmatch(r'<mcp:context type="resource" uri="[^"<>]*" ephemeral="true">', opening)


@pytest.mark.parametrize("mark", [*ROLE_MARKS, *EDGES])
def test_no_mark_of_a_speaker_and_no_edge_of_a_block_is_left_in_a_text(mark: str) -> None:
    """P8, S-6: neither in JSON nor beside it, whatever its letters."""
    for text in (mark, mark.upper(), f"a{mark}{mark}b", f"<{mark}>"):
        assert mark.casefold() not in inert(text).casefold()
        assert mark.casefold() not in as_json(text).casefold()


@pytest.mark.parametrize(
    "text", ["a < b > c", "<b>bold</b>", "[1] a note", "if x <| y", "<3", "&lt;", "[INSTRUCTIONS]", "<style>", "5 << 2"]
)
def test_all_else_stays_as_it_was_written(text: str) -> None:
    """P8."""
    assert inert(text) == text


@given(TEXTS)
def test_a_text_made_inert_stays_as_it_is(text: str) -> None:
    """P8: doing it twice does no more than once."""
    assert inert(inert(text)) == inert(text)
