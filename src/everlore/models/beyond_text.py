"""What a client requests besides text, and which of it a model cannot deliver. Pure.

A request that cannot be met is refused instead of ignored. Sampling options (seeds, penalties and the like) apply only
to models that sample.

Start at `wants`.
"""

from collections.abc import Sequence
from enum import StrEnum

from everlore.domain.bounds import Json
from everlore.errors import BadAsk
from everlore.models.chat import Ask, Said


class Want(StrEnum):
    TOOLS = "call the tools that were asked for (tool_choice)"
    FORMAT = "answer in another form than prose (response_format)"
    PICTURES = "see pictures"
    SEVERAL = "give several answers at once (n)"
    ODDS = "tell how likely its words were (logprobs)"


def wants(ask: Ask) -> list[Want]:
    extra = ask.extra
    found = {
        Want.TOOLS: extra.get("tool_choice") not in (None, "auto", "none"),
        Want.FORMAT: _is_form(extra.get("response_format")),
        Want.PICTURES: any(has_pictures(said) for said in ask.messages),
        Want.SEVERAL: extra.get("n") not in (None, 1),
        Want.ODDS: bool(extra.get("logprobs")),
    }
    return [want for want, is_wanted in found.items() if is_wanted]


def refuse(who: str, wanted: Sequence[Want], instead: str) -> None:
    if wanted:
        raise BadAsk(f"{who} cannot {', or '.join(wanted)}. {instead}")


def has_pictures(said: Said) -> bool:
    content = (said.raw or {}).get("content")
    return isinstance(content, list) and any(isinstance(part, dict) and part.get("type") != "text" for part in content)


def _is_form(form: object) -> bool:
    return isinstance(form, dict) and form.get("type", "text") != "text"


def schema_of(extra: Json) -> Json | str | None:
    """The required format of an answer: a schema, or `json` for any object."""
    form = extra.get("response_format")
    if not isinstance(form, dict) or form.get("type", "text") == "text":
        return None
    named = form.get("json_schema")
    schema = named.get("schema") if isinstance(named, dict) else None
    return schema if isinstance(schema, dict) else "json"
