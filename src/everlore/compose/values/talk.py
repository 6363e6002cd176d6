"""Variables of the conversation: what was said, who speaks, and with which tools (P5)."""

from everlore.compose.values.people import one_line
from everlore.compose.values.wording import bullets, clip, joined
from everlore.compose.variables import Pace, Variable, VariableView
from everlore.domain.conversation import Author, Message, said_by
from everlore.domain.display import display
from everlore.domain.template import RoleName

_QUOTE_CHARS = 500


def _to_be(view: VariableView) -> str:
    """The system prompt addresses the character; introductions are in their speakers' own words."""
    return "You are" if view.role is RoleName.SYSTEM else "I am"


def _question(view: VariableView) -> str:
    asked = (message.content for message in reversed(view.context.history) if message.author is Author.USER)
    return next(asked, "").strip()


def _citations(view: VariableView) -> str:
    told = [(message, clip(display(message.content).text, _QUOTE_CHARS)) for message in view.context.earlier]
    quotes = [f"{_speaker(view, message)}, {message.created_at.date()}: “{text}”" for message, text in told if text]
    return "\n".join(f"{place}. {quote}" for place, quote in enumerate(quotes, start=1))


def _speaker(view: VariableView, message: Message) -> str:
    if message.author is Author.NARRATOR:
        return "Narrator"
    if other := said_by(message):
        return one_line(other)
    if message.person_id is None:
        return view.get("system.fullName" if message.author is Author.ASSISTANT else "user.fullName")
    return one_line(view.context.names.get(message.person_id, "")) or "Somebody"


def _tools(view: VariableView) -> str:
    return bullets(joined((tool.name, tool.description), ": ") for tool in view.context.tools)


def _recent_tools(view: VariableView) -> str:
    return "\n".join(view.context.recent_tools)


VARIABLES = {
    "firstSecondToBe": Variable(_to_be, '"You are" in the system prompt, "I am" in an introduction.'),
    "firstSecondWho": Variable(_to_be, "The same as `firstSecondToBe`, for descriptions."),
    "user.question": Variable(_question, "The user's latest message.", pace=Pace.EACH_TURN, part="recall"),
    "user.citations": Variable(
        _citations, "Earlier messages relevant to the latest, as numbered quotes.", pace=Pace.EACH_TURN, part="recall"
    ),
    "tools": Variable(_tools, "The tools that the model may use, one per line.", part="tools"),
    "tools.recent": Variable(
        _recent_tools,
        "The latest tool calls in the conversation, with their results, one per line.",
        pace=Pace.EACH_TURN,
        part="tools",
    ),
}
