"""The current episode of a story (P5). All variables are empty without episodes, or after the last one."""

from collections.abc import Callable
from typing import NamedTuple

from everlore.compose.values.people import one_line
from everlore.compose.values.wording import joined, opening
from everlore.compose.variables import Pace, Variable, VariableView
from everlore.domain.blocks import NEXT_EPISODE
from everlore.domain.config import ConversationConfig

_SHORT_CHARS = 200


class EpisodeStage(NamedTuple):
    place: str
    name: str
    guidance: str


def stage_of(config: ConversationConfig, episode: int) -> EpisodeStage | None:
    """The current episode; None if there are none, or the last is over."""
    episodes = config.episodes
    if not 0 <= episode < len(episodes):
        return None
    current = episodes[episode]
    place = f"{episode + 1} of {len(episodes)}"
    return EpisodeStage(place, one_line(current.name), current.guidance.strip())


def _told(tell: Callable[[EpisodeStage], str], about: str) -> Variable:
    def value(view: VariableView) -> str:
        stage = stage_of(view.context.config, view.context.episode)
        return tell(stage) if stage else ""

    return Variable(value, about, pace=Pace.SLOW)


def _where(stage: EpisodeStage) -> str:
    return joined((f"Episode {stage.place}", stage.name), ": ")


def guidance(stage: EpisodeStage) -> str:
    return joined((_where(stage), stage.guidance))


def rule(_stage: EpisodeStage) -> str:
    return f"Follow the guidance of the episode, and once it has come about, end your reply with {NEXT_EPISODE}."


def _reminder(stage: EpisodeStage) -> str:
    return joined((_where(stage), opening(stage.guidance, sentences=1, most=_SHORT_CHARS)), " – ")


def _readiness(stage: EpisodeStage) -> str:
    name = f", {stage.name}" if stage.name else ""
    return f"I am ready to play episode {stage.place}{name}, and to follow its guidance."


VARIABLES = {
    "episode": _told(guidance, "The current stage of the story, and what should happen next."),
    "episodeRule": _told(rule, f"The rule to follow the guidance, and to end a stage with {NEXT_EPISODE}."),
    "episodeReminder": _told(_reminder, "The current stage in one line."),
    "episodic": _told(lambda _stage: "episodic", 'The word "episodic", or nothing.'),
    "episodeAssist": _told(_readiness, "The character's statement that it is ready for the stage."),
}
