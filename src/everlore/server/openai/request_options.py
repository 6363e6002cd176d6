"""Translates a request: sampling parameters, and which memory is read and written. Pure.

Start at `understood`.
"""

from dataclasses import dataclass, replace

from everlore.compose.card import card_text
from everlore.compose.values.people import filler
from everlore.domain.memory_use import Use
from everlore.domain.person import Person
from everlore.errors import BadAsk
from everlore.models.chat import Said
from everlore.server.openai.request_parsing import ParsedRequest, RequestKind, RequestMessage, read, spoken_of
from everlore.server.openai.wire import ChatRequest
from everlore.turn.plan import Sampling

MEMORY = "X-Everlore-Memory"
HISTORY = "X-Everlore-History"
_WHOLE = "whole"
# Shorter texts of a card may occur anywhere.
_WORTH_A_CUT = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    use: Use
    read: ParsedRequest
    sampling: Sampling
    messages: tuple[Said, ...]

    @property
    def keeps(self) -> bool:
        return self.use in (Use.BOTH, Use.WRITE)


def use_of(text: str | None) -> Use:
    try:
        return Use((text or Use.BOTH).strip().lower())
    except ValueError:
        raise BadAsk(f"{text!r} is not a valid {MEMORY}. Use one of {', '.join(Use)}.") from None


def is_whole_talk(text: str | None) -> bool:
    """Whether a client says that it sends all messages: those that it lacks were removed."""
    if text and text.strip().lower() != _WHOLE:
        raise BadAsk(f"{HISTORY} is {text!r}. Send {_WHOLE!r}, or leave it out if the talk may be trimmed.")
    return bool(text)


def understood(asked: ChatRequest, character: Person, user: Person, use: Use) -> Understood:
    spoken = spoken_of([each.raw for each in asked.messages], [each.text for each in asked.messages])
    found = read(spoken, character=character.name, user=user.name)
    sampling = Sampling(
        temperature=asked.temperature,
        top_p=asked.top_p,
        max_tokens=asked.max_completion_tokens or asked.max_tokens,
        stop=asked.stops,
        instructions=without_card(found.instructions, character, user),
        extra=asked.extra,
        recalls=use in (Use.BOTH, Use.READ),
        sent=len(found.lines),
    )
    if found.kind is RequestKind.QUIET:
        heads, talk = _heads(spoken)
        told = without_card("\n\n".join(each.text for each in heads), character, user)
        sampling = replace(sampling, instructions=told, verbatim=tuple(_said(each) for each in talk))
    elif found.steps or found.is_unwrapped or not all(each.is_plain for each in asked.messages):
        talk = [each for each in spoken if not each.is_system]
        sampling = replace(sampling, verbatim=tuple(_said(each) for each in talk))
    return Understood(
        use=_of_kind(use, found.kind),
        read=found,
        sampling=sampling,
        messages=tuple(_said(each) for each in spoken),
    )


def _of_kind(use: Use, kind: RequestKind) -> Use:
    """Requests that are not turns are never saved, whatever else is set."""
    if kind is RequestKind.UTILITY:
        return Use.OFF
    if kind is RequestKind.QUIET and use is not Use.OFF:
        return Use.READ if use in (Use.BOTH, Use.READ) else Use.NONE
    return use


def without_card(instructions: str, character: Person, user: Person) -> str:
    """Removes the character's card, if a client has the same one and sends it too."""
    fill = filler(character, user)
    card = [character.description, character.personality, character.scenario, character.example_dialogue]
    card += [card_text(character, name) for name in ("system_prompt", "post_history_instructions")]
    for text in sorted({form for each in card for form in (each.strip(), fill(each).strip())}, key=len, reverse=True):
        if len(text) >= _WORTH_A_CUT:
            instructions = instructions.replace(text, "")
    return instructions.strip()


def _heads(spoken: list[RequestMessage]) -> tuple[list[RequestMessage], list[RequestMessage]]:
    first = next((at for at, each in enumerate(spoken) if not each.is_system), len(spoken))
    return spoken[:first], spoken[first:]


def _said(spoken: RequestMessage) -> Said:
    """Results of tools count as the user's: nobody else would bring them."""
    if spoken.is_system:
        return Said("system", spoken.text, raw=spoken.raw)
    return Said("assistant" if spoken.role == "assistant" else "user", spoken.text, raw=spoken.raw)
