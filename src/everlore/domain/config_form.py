"""The groups and labels of the form for a conversation's config."""

from collections.abc import Mapping
from enum import StrEnum

from pydantic.config import JsonDict

# The form: groups and fields in display order. Every field is in one group.
GROUPS: Mapping[str, str] = {
    "Chat": "rating start_mode auto_title private stream rewriting",
    "Model": "model temperature top_p max_tokens service_type analyze_model extraction_model context_window "
    "response_reserve",
    "Prompt": "system_prompt template message_trim prune remind_every use_nlp nlp_command assist image_tokens "
    "image_tags audio_tokens",
    "Scene": "include_scene setting episodes command",
    "Memory": "extract_memories review_memories confirm_facts extract_facts extract_segments extraction_style "
    "keyframe_every keyframes_kept memory_extraction_every memory_extraction_max_per_segment "
    "memory_extraction_types memory_extraction_prompt",
    "Recall": "memory_budget recall_recipe memory_shares memory_profile",
    "Gossip": "gossip_enabled gossip_threshold gossip_max_suggestions",
    "Summaries and analysis": "analyze_on_close analyze_past_tokens summarize_past_messages summarize_past_tokens",
}
# Hints for the form beyond JSON Schema, stored in the schema itself.
ADVANCED: JsonDict = {"advanced": True}  # shown in the "Advanced" fold of its group
API_ONLY: JsonDict = {"hidden": True}  # not shown: only programs that use the API need it


def labels(labels: Mapping[StrEnum, str], extra: JsonDict | None = None) -> JsonDict:
    """The choices of a field with their labels, in the order of the form."""
    return {"labels": {value.value: label for value, label in labels.items()}, **(extra or {})}
