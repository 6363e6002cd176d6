"""Repeats to the model what it tends to forget: the episode it is in, and its style (V8).

Takes the config, the episode that a conversation has reached, and the number of messages. Returns a text for the turns
in which a reminder is due. A reply that says that its episode is over starts the next one.
"""

from everlore.compose.values.episodes import guidance, rule, stage_of
from everlore.domain.config import ConversationConfig
from everlore.domain.display import display

# A turn adds a message and its reply.
_PER_TURN = 2


def reminder(config: ConversationConfig, episode: int, message_count: int, *, with_episode: bool = True) -> str:
    """The reminder of this turn, or an empty text. `with_episode`: the template includes the episode."""
    if not is_due(message_count, config.remind_every):
        return ""
    stage = episode_guidance(config, episode) if with_episode else ""
    parts = (stage, config.nlp_command.strip() if config.use_nlp else "")
    return "\n\n".join(part for part in parts if part)


def is_due(message_count: int, every: int) -> bool:
    """At the first turn, which must know its episode, and at each turn that passes a multiple of `every`."""
    return every > 0 and message_count % every < _PER_TURN


def episode_guidance(config: ConversationConfig, episode: int) -> str:
    """What the episode is about and how to end it; empty if there is none, or the last one is over."""
    stage = stage_of(config, episode)
    return f"{guidance(stage)}\n{rule(stage)}" if stage else ""


def advance(reply: str, episode: int, episodes: int) -> int:
    """The episode after a reply; `episodes` itself when the last of them is over."""
    return min(episode + 1, episodes) if episode < episodes and display(reply).ends_episode else episode
