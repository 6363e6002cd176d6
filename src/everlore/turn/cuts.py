"""What part of a client's request did not reach the model, for a header and for the x-ray (P12, 9-surfaces). Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from everlore.compose.account import Account, SectionState

_INSTRUCTIONS = "instructions"
_FULL = "full"


@dataclass(frozen=True, slots=True)
class Cut:
    """`kept` of `sent`, in messages or in tokens of the instructions."""

    what: str
    kept: int
    sent: int

    def __str__(self) -> str:
        return f"{self.what}={self.kept}/{self.sent}"

    def warning(self, window: int) -> str:
        unit = "messages" if self.what == "messages" else "tokens of instructions"
        return (
            f"Only {self.kept} of {self.sent} {unit} from the client are complete in the prompt: no more fit into a "
            f"context window of {window} tokens."
        )


def find_cuts(account: Account, *, messages: int, instructions: int) -> Iterator[Cut]:
    """`messages`: how many were sent; `instructions`: their tokens."""
    whole = sum(each.fidelity == _FULL and each.state is SectionState.WHOLE for each in account.messages)
    if whole < messages:
        yield Cut("messages", whole, messages)
    for section in account.sections:
        if section.name == _INSTRUCTIONS and section.state is not SectionState.WHOLE:
            yield Cut(_INSTRUCTIONS, section.tokens, instructions)


def told_in_header(cuts: tuple[Cut, ...]) -> str:
    return ", ".join(map(str, cuts))
