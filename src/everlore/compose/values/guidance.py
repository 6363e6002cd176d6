"""Instructions of the story's owner to the model: a style, a command to a director, image tags (P5)."""

from collections.abc import Callable

from everlore.compose.values.people import one_line
from everlore.compose.values.wording import joined, opening
from everlore.compose.variables import Variable, VariableView

_SHORT_CHARS = 200


def _nlp_command(view: VariableView) -> str:
    config = view.context.config
    return config.nlp_command.strip() if config.use_nlp else ""


def _of_command(tell: Callable[[str], str], about: str) -> Variable:
    def value(view: VariableView) -> str:
        command = view.get("nlp.command")
        return tell(command) if command else ""

    return Variable(value, about)


def _short(command: str) -> str:
    return opening(command, sentences=1, most=_SHORT_CHARS)


def _command(view: VariableView) -> str:
    return view.context.config.command.strip()


def _image_tags(view: VariableView) -> str:
    return joined((one_line(tag) for tag in view.context.config.image_tags), ", ")


VARIABLES = {
    "nlp.command": Variable(_nlp_command, "The style instruction as written; empty while it is off."),
    "nlp": _of_command(lambda command: f"In every reply, keep to this:\n{command}", "The style instruction."),
    "nlpWarn": _of_command(
        lambda command: f"In every reply, I keep to this: {one_line(command)}",
        "The style instruction, as the character says it.",
    ),
    "nlpReminder": _of_command(
        lambda command: f"Keep to this: {_short(command)}", "The style instruction in one short line."
    ),
    "command": Variable(_command, "The instruction to a director."),
    "imageTags": Variable(_image_tags, "The tags of images that the model may ask for."),
}
