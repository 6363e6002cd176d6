"""One reply to write: by whom, after which messages, and with which sampling parameters. Pure.

Start at `Plan`.
"""

from dataclasses import dataclass, field, replace

from everlore.domain.bounds import Json
from everlore.domain.conversation import Message
from everlore.domain.person import Person, preferring
from everlore.domain.scope import Scope
from everlore.domain.visibility import Place, Viewer, place_of
from everlore.models.chat import Said
from everlore.turn.stage import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """The sampling parameters that the caller gave."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    instructions: str = ""
    # For the model server only: see `Ask.extra`.
    extra: Json = field(default_factory=dict)
    # The client's own messages, if they contain what a log cannot store: they replace the log in the prompt.
    verbatim: tuple[Said, ...] = ()
    recalls: bool = True
    # How many messages a client sent, all of which must reach the model; None: the caller sent no messages of its own.
    sent: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`shown_to`: the reply is only previewed, for a viewer who may see less than the speaker; the rest is left out.
    `traced`: a memory whose path through recall is reported."""

    scope: Scope
    stage: Stage
    speaker: Person
    history: tuple[Message, ...]
    reply: Message
    sampling: Sampling
    continuing: bool = False
    shown_to: Viewer | None = None
    traced: str | None = None

    @property
    def episode(self) -> int:
        """The episode of the reply, also for a later version of it (V8)."""
        episode = self.reply.metadata.get("episode")
        return episode if isinstance(episode, int) else self.stage.conversation.episode

    @property
    def place(self) -> Place:
        return place_of(self.stage.conversation)

    @property
    def messages_before(self) -> int:
        """How many messages the conversation had before the turn: a message and its reply."""
        return max(self.reply.seq - 2, 0)

    @property
    def first_seq(self) -> int:
        """The first message that was loaded."""
        return self.history[0].seq if self.history else 1

    @property
    def with_preferences(self) -> Sampling:
        """The sampling parameters of the chat or the character, where the caller gave none."""
        config, given = preferring(self.speaker, self.stage.config), self.sampling
        return replace(
            given,
            temperature=config.temperature if given.temperature is None else given.temperature,
            top_p=config.top_p if given.top_p is None else given.top_p,
            max_tokens=given.max_tokens or config.max_tokens,
        )
