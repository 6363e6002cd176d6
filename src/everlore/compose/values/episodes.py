"""The stage that a story with episodes has reached (P5). All are empty where there is none, or the last is over."""

from collections.abc import Callable
from typing import NamedTuple

from everlore.compose.context import Context
from everlore.compose.values.people import one_line
from everlore.compose.values.wording import joined, opening
from everlore.compose.variables import Pace, Variable, View
from everlore.domain.blocks import NEXT_EPISODE

_SHORT_CHARS = 200


class _Stage(NamedTuple):
    place: str
    name: str
    guidance: str


def _stage(context: Context) -> _Stage | None:
    episodes = context.config.episodes
    if not 0 <= context.episode < len(episodes):
        return None
    current = episodes[context.episode]
    place = f"{context.episode + 1} of {len(episodes)}"
    return _Stage(place, one_line(current.name), current.guidance.strip())


def _told(tell: Callable[[_Stage], str], about: str) -> Variable:
    def value(view: View) -> str:
        stage = _stage(view.context)
        return tell(stage) if stage else ""

    return Variable(value, about, pace=Pace.SLOW)


def _where(stage: _Stage) -> str:
    return joined((f"Episode {stage.place}", stage.name), ": ")


def _guidance(stage: _Stage) -> str:
    return joined((_where(stage), stage.guidance))


def _rule(_stage: _Stage) -> str:
    return f"Follow the guidance of the episode, and once it has come about, end your reply with {NEXT_EPISODE}."


def _reminder(stage: _Stage) -> str:
    return joined((_where(stage), opening(stage.guidance, sentences=1, most=_SHORT_CHARS)), " – ")


def _readiness(stage: _Stage) -> str:
    name = f", {stage.name}" if stage.name else ""
    return f"I am ready to play episode {stage.place}{name}, and to follow its guidance."


VARIABLES = {
    "episode": _told(_guidance, "Where the story stands, and what is to come about."),
    "episodeRule": _told(_rule, f"To follow the guidance, and to end a stage with {NEXT_EPISODE}."),
    "episodeReminder": _told(_reminder, "The present stage in one line."),
    "episodic": _told(lambda _stage: "episodic", 'The word "episodic", or nothing.'),
    "episodeAssist": _told(_readiness, "That the character is ready for the stage, in its own words."),
}
