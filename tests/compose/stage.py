"""A stage for the composer: templates by hand, two who talk, and what can be read off a prompt."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from everlore.compose.budget import Budget, budget_of
from everlore.compose.context import Context
from everlore.compose.inherit import BadTemplate, ResolvedTemplate, resolve
from everlore.compose.prompt import Prompt, compose
from everlore.domain.config import config_of
from everlore.domain.conversation import Author, Message
from everlore.domain.memory import MemoryType
from everlore.domain.person import Person, PersonKind
from everlore.domain.recalled import Recalled
from everlore.domain.template import Problem, TemplateDocument
from everlore.models.bytes_tokenizer import BytesTokenizer
from everlore.models.tiktoken_tokenizer import TiktokenTokenizer
from everlore.models.tokenizer import CountedOnce, Tokenizer
from tests.contract.builders import memory
from tests.turn.records import message, person

TOKENS = BytesTokenizer()
REAL_TOKENS = CountedOnce(TiktokenTokenizer("o200k_base"))
FRAME = 6
MIRA = person("Mira")
ANN = person("Ann", id="ann", kind=PersonKind.USER)
NAMES = {"mira": "Mira", "rex": "Rex", "ann": "Ann"}
SLOT: dict[str, Any] = {"content": "${memory.context}"}
_OPENING = '<mcp:context type="resource" uri="everlore://'
_BLOCK = re.compile(
    r'<mcp:context type="resource" uri="everlore://([^"<>]*)" ephemeral="true">\s(.*?)\s</mcp:context>', re.DOTALL
)
_EDGE = re.compile(r"<\s*/?\s*mcp:context", re.IGNORECASE)


# ── templates ────────────────────────────────────────────────────────────────────────────────────


def document(sections: Mapping[str, Any], **fields: Any) -> TemplateDocument:
    """A section may be written as its lines alone."""
    written = {name: each if isinstance(each, dict) else {"content": each} for name, each in sections.items()}
    return TemplateDocument.model_validate({"name": "Test", "sections": written, **fields})


def resolved(*lineage: TemplateDocument) -> ResolvedTemplate:
    """The first of them; the others can be found as parents."""
    known = {each.name: each for each in lineage}
    return resolve(lineage[0], known.get)


def template(sections: Mapping[str, Any], **fields: Any) -> ResolvedTemplate:
    return resolved(document(sections, **fields))


def problems_of(*lineage: TemplateDocument) -> list[str]:
    """What is wrong with the first of them; nothing where it can be used."""
    try:
        resolved(*lineage)
    except BadTemplate as error:
        return list(map(str, error.problems))
    return []


PLAIN = template(
    {"identity": {"order": 10, "required": True, "content": "You are ${system.fullName}."}, "memory": SLOT}
)


# ── scenes ───────────────────────────────────────────────────────────────────────────────────────


def scene(*history: Message, **fields: Any) -> Context:
    config = config_of(fields.pop("config", {}))
    known: dict[str, Any] = {"character": MIRA, "user": ANN, "names": NAMES, "conversation_id": "chat"}
    return Context(config=config, history=history, **known | fields)


def said(text: str, seq: int = 1, **fields: Any) -> Message:
    """By the user."""
    return message(text, seq=seq, **{"id": f"m{seq}", "person_id": "ann", **fields})


def answered(text: str, seq: int = 1, **fields: Any) -> Message:
    """By the character."""
    return message(text, Author.ASSISTANT, seq=seq, **{"id": f"m{seq}", "person_id": "mira", **fields})


def talk(texts: Iterable[str]) -> list[Message]:
    """In turns, the user first."""
    return [(said if seq % 2 else answered)(text, seq) for seq, text in enumerate(texts, start=1)]


def recalled(id: str, content: str = "", type: MemoryType = MemoryType.FACT, **fields: Any) -> Recalled:
    return Recalled(memory(id, content or f"Ann knows {id}.", type=type, **fields), 0.5, {"vector": 0.5}, "It is near.")


def with_card(name: str = "Mira", **data: Any) -> Person:
    return person(name, extensions={"card": {"data": data}})


# ── prompts ──────────────────────────────────────────────────────────────────────────────────────


def composed(template: ResolvedTemplate, context: Context, tokenizer: Tokenizer = TOKENS) -> Prompt:
    """Of whatever goes in: it fits, its account counts right, and its blocks are whole."""
    budget = budget_of(context.config)
    prompt = compose(template, context, budget, tokenizer)
    check_measure(prompt, budget, tokenizer)
    for each in prompt.messages:
        blocks_in(each.content)
    return prompt


def check_measure(prompt: Prompt, budget: Budget, tokenizer: Tokenizer) -> None:
    cost = sum(tokenizer.count(each.content) + FRAME for each in prompt.messages)
    assert cost <= budget.prompt
    assert prompt.account.used == cost
    assert (prompt.account.window, prompt.account.reserve) == (budget.window, budget.reply)


def text_of(prompt: Prompt) -> str:
    return "\n".join(each.content for each in prompt.messages)


def system_of(template: ResolvedTemplate, *history: Message, **fields: Any) -> str:
    """The system's words at the start."""
    first, *_ = composed(template, scene(*history, **fields)).messages
    return first.content if first.role == "system" else ""


def blocks_in(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Address and inside of each context block; none of them is broken, and none is forged."""
    found = _BLOCK.findall(text)
    assert len(_EDGE.findall(text)) == 2 * len(found), f"A block is broken, or forged: {text[:2_000]}"
    assert text.count(_OPENING) == text.count("</mcp:context>") == len(found)
    return [(uri, json.loads(inside)) for uri, inside in found]


def in_block(text: str, kind: str) -> list[dict[str, Any]]:
    """What the blocks of one kind hold."""
    return [inside["data"] for _, inside in blocks_in(text) if inside["schema"] == f"urn:everlore:narrative:{kind}"]


def memories_in(text: str) -> list[str]:
    """The contents of the memories in all blocks, in the order in which they stand there."""
    groups = [group for data in in_block(text, "memory") for group in data.values() if isinstance(group, list)]
    return [each["content"] for group in groups for each in group]


def messages_of(problems: Iterable[Problem]) -> list[str]:
    return list(map(str, problems))
