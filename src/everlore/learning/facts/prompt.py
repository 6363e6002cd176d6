"""The prompt that asks a model for the facts in one user message, and the reader of its answer (F2).

In: the message and the turns before it. Out: an `Ask`. User text is inserted as data, in blocks that nothing in them
can close (S-6), so that neither a message nor a name can act as an instruction. The prompts are in `prompts/facts.txt`
and `prompts/again.txt`; the schemas of the answers are here.

An answer is read item by item: malformed items become refusals, and anything but the requested object is None.

Start at `fact_ask` and `read_facts`; `again_ask` puts doubted statements to the same model.
"""

from collections.abc import Sequence
from dataclasses import replace

from everlore.domain.blocks import resource
from everlore.domain.bounds import Json
from everlore.domain.claim import Slot
from everlore.domain.display import display
from everlore.domain.memory import Category
from everlore.domain.reading import Filter, Refusal, digest_of
from everlore.learning.answers import line_in, list_in, share_in
from everlore.learning.asking import BOOLEAN, INTEGER, NUMBER, TEXT, instructions, list_of, object_of, one_of
from everlore.learning.candidate import Candidate, EarlierMessage, Source
from everlore.learning.facts.claims import Holds, claim_of
from everlore.models.chat import Ask, Said

# The slot for statements that fit no other one.
OTHER = "other"
TEMPERATURE = 0.1
MOST_FACTS = 20
# Twenty short entries in JSON, and room for a reasoning model's thoughts.
_MOST_TOKENS = 4_000
# Tokens for the frame of an answer and for each entry, and characters of a message per stated fact.
_TOKENS_FRAME = 60
_TOKENS_FACT = 105
_TOKENS_VERDICT = 20
_CHARS_A_FACT = 40
# A longer message is a document: facts about its author are on the first pages.
MOST_READ = 12_000
_MOST_TURNS = 8
_MOST_TURN_CHARS = 1_000
_MOST_NAMES = 12
_MOST_KNOWN = 40
_MOST_NAME_CHARS = 80

SCHEMA = object_of(
    facts=list_of(
        object_of(
            content=TEXT,
            quote=TEXT,
            about=TEXT,
            holds=one_of(Holds),
            slot=one_of([*Slot, OTHER]),
            value=TEXT,
            category=one_of(Category),
            confidence=NUMBER,
        )
    )
)
AGAIN_SCHEMA = object_of(verdicts=list_of(object_of(number=INTEGER, said=BOOLEAN)))


def fact_ask(source: Source) -> Ask:
    return Ask(
        # The first part is the same for every message, so that providers can cache it.
        messages=(Said("system", instructions("facts")), Said("user", _blocks(source))),
        temperature=TEMPERATURE,
        max_tokens=tokens_for(source.content),
        most_tokens=_MOST_TOKENS,
        schema=SCHEMA,
    )


def again_ask(source: Source, statements: Sequence[str]) -> Ask:
    """Asks whether the user said these statements as true: all doubted ones of a message at once."""
    numbered = [{"number": number, "statement": each} for number, each in enumerate(statements, 1)]
    blocks = [_blocks(source), resource("statements", "statements", {"statements": numbered})]
    return Ask(
        messages=(Said("system", instructions("again")), Said("user", "\n".join(blocks))),
        temperature=0.0,
        max_tokens=_TOKENS_FRAME + _TOKENS_VERDICT * len(statements),
        most_tokens=_MOST_TOKENS,
        schema=AGAIN_SCHEMA,
    )


def tokens_for(message: str) -> int:
    """The token limit of an answer: one or two facts per line, and a few dozen per page."""
    read = min(len(message), MOST_READ)
    return min(_MOST_TOKENS, _TOKENS_FRAME + _TOKENS_FACT * (2 + read // _CHARS_A_FACT))


def prompt_version() -> str:
    """Changes with the prompt texts, because a model's reliability was measured with them."""
    return digest_of(instructions("facts"), instructions("again"))[:12]


def _blocks(source: Source) -> str:
    """Names are data too: they come from imported characters, and may contain anything."""
    people: Json = {"assistants": _names(source.assistants), "user": _name(source.user_name)}
    if source.people:
        known = list(source.people.items())[-_MOST_KNOWN:]
        people["known"] = {_name(name): f"User's {_name(bond)}" for name, bond in known}
    blocks = [resource("people", "people", people)]
    if source.before:
        turns = [_turn(each) for each in source.before[-_MOST_TURNS:]]
        blocks.append(resource("context", "context", {"is_evidence": False, "turns": turns}))
    message = {"author": "user", "is_evidence": True, "text": display(source.content).text[:MOST_READ]}
    return "\n".join([*blocks, resource("message", "message", message)])


def _names(names: Sequence[str]) -> list[str]:
    return [_name(each) for each in names[:_MOST_NAMES] if each.strip()]


def _name(name: str) -> str:
    return " ".join(name[: 2 * _MOST_NAME_CHARS].split())[:_MOST_NAME_CHARS]


def _turn(turn: EarlierMessage) -> Json:
    text = display(turn.content).text[:_MOST_TURN_CHARS]
    return {"author": "user" if turn.is_user else "assistant", "name": _name(turn.name), "text": text}


# ── answers ──────────────────────────────────────────────────────────────────────────────────────

# No message states a hundred things; later items are ignored.
_MOST_ITEMS = 100
_MOST_CHARS = 1_200
_MOST_SHORT = 200


def read_facts(value: object) -> list[Candidate | Refusal] | None:
    items = list_in(value, "facts")
    if items is None:
        return None
    read = [_fact(item) for item in items[:_MOST_ITEMS]]
    return read + [Refusal(_shown(item), Filter.OVER_THE_CAP) for item in items[_MOST_ITEMS:]]


def read_verdicts(value: object, most: int) -> dict[int, bool] | None:
    """The model's verdicts on its own statements, by index."""
    items = list_in(value, "verdicts")
    if items is None:
        return None
    found: dict[int, bool] = {}
    for item in items[:_MOST_ITEMS]:
        number, said = (item.get("number"), item.get("said")) if isinstance(item, dict) else (None, None)
        if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= most and isinstance(said, bool):
            # Contradictory verdicts count as no.
            found[number - 1] = said and found.get(number - 1, True)
    return found


def _fact(item: object) -> Candidate | Refusal:
    """Slot, value, about and holds are optional; without a quote it needs a reason, and then waits."""
    fields = item if isinstance(item, dict) else {}
    content = line_in(fields.get("content"), _MOST_CHARS)
    category = next((each for each in Category if each.value == fields.get("category")), None)
    confidence = share_in(fields.get("confidence"))
    quote = line_in(fields.get("quote", "" if "reasoning" in fields else None), _MOST_CHARS)
    reasoning = line_in(fields.get("reasoning", quote), _MOST_CHARS)
    if not content or category is None or confidence is None or reasoning is None or quote is None:
        return Refusal(_shown(item), Filter.BAD_SHAPE)
    candidate = Candidate(
        content=content,
        category=category,
        confidence=confidence,
        reasoning=reasoning,
        quote=quote,
        about=_short(fields.get("about")),
        holds=_short(fields.get("holds")),
    )
    return replace(candidate, claim=claim_of(candidate, _short(fields.get("slot")), _short(fields.get("value"))))


def _short(given: object) -> str:
    return line_in(given, _MOST_SHORT) or ""


def _shown(item: object) -> str:
    """The item's statement if it has one; the rest of it says little, and may be long."""
    content = item.get("content") if isinstance(item, dict) else item
    return line_in(content, _MOST_SHORT) or type(item).__name__
