"""The services of an Everlore, each loaded when it is first used.

Importing all of them takes longer than most commands of the command line, so each is imported on first use.

Start at `Services`.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from everlore.domain.scope import Scope
from everlore.turn.resources import Resources

if TYPE_CHECKING:
    from everlore.campaign.campaigns import Campaigns
    from everlore.campaign.canon.canon import CanonService
    from everlore.campaign.files import CampaignFiles
    from everlore.campaign.questions import Asking
    from everlore.campaign.review import Review
    from everlore.campaign.sessions import Sessions
    from everlore.campaign.world import World
    from everlore.services.capture import Capturing
    from everlore.services.characters import Characters
    from everlore.services.conversations import Conversations
    from everlore.services.demo import Demo
    from everlore.services.knowledge import Knowing
    from everlore.services.learning import Learning
    from everlore.services.lorebooks import Lorebooks
    from everlore.services.memories import Memories
    from everlore.services.messages import Messages
    from everlore.services.scoped_turns import ScopedTurns
    from everlore.services.templates import Templates
    from everlore.services.tokens import Tokens
    from everlore.services.webhooks import Webhooks
    from everlore.services.workspace_files import Carrying
    from everlore.turn.gossip import Gossip
    from everlore.turn.turns import Turns
    from everlore.turn.xrays import XRays
    from everlore.worker import Worker


class BackgroundTasks:
    """The background tasks that all callers share: the turns being written, and the workers."""

    def __init__(self, turns: "Callable[[], Turns]", workers: "Callable[[], Sequence[Worker]]") -> None:
        self._make_turns = turns
        self._make_workers = workers

    @cached_property
    def turns(self) -> "Turns":
        return self._make_turns()

    @cached_property
    def workers(self) -> "Sequence[Worker]":
        return self._make_workers()

    async def close(self) -> None:
        """Stop every reply that is being written."""
        if "turns" in vars(self):
            await self.turns.close()


def _service(module: str, name: str) -> Any:
    """A service of the scope, imported and created on first use."""
    return cached_property(lambda owner: getattr(import_module(module), name)(owner.scope, owner.resources))


class Services:
    characters: "Characters" = _service("everlore.services.characters", "Characters")
    lorebooks: "Lorebooks" = _service("everlore.services.lorebooks", "Lorebooks")
    memories: "Memories" = _service("everlore.services.memories", "Memories")
    learning: "Learning" = _service("everlore.services.learning", "Learning")
    knowledge: "Knowing" = _service("everlore.services.knowledge", "Knowing")
    gossip: "Gossip" = _service("everlore.turn.gossip", "Gossip")
    events: "Capturing" = _service("everlore.services.capture", "Capturing")
    templates: "Templates" = _service("everlore.services.templates", "Templates")
    x_rays: "XRays" = _service("everlore.turn.xrays", "XRays")
    campaigns: "Campaigns" = _service("everlore.campaign.campaigns", "Campaigns")
    canon: "CanonService" = _service("everlore.campaign.canon.canon", "CanonService")
    world: "World" = _service("everlore.campaign.world", "World")
    """Who and what is in a campaign, and how it is tied together."""
    review: "Review" = _service("everlore.campaign.review", "Review")
    """What waits for a game master."""
    asking: "Asking" = _service("everlore.campaign.questions", "Asking")
    """The record of a campaign, which can be asked."""
    campaign_files: "CampaignFiles" = _service("everlore.campaign.files", "CampaignFiles")
    """Logs, lorebooks, vaults and whole campaigns: in from files, and out to them."""
    workspace: "Carrying" = _service("everlore.services.workspace_files", "Carrying")
    """The whole of it: out to a file, and in from one."""
    tokens: "Tokens" = _service("everlore.services.tokens", "Tokens")
    webhooks: "Webhooks" = _service("everlore.services.webhooks", "Webhooks")

    def __init__(self, scope: Scope, resources: Resources, staff: BackgroundTasks) -> None:
        self.scope = scope
        self.resources = resources
        self.staff = staff
        self.settings = resources.settings
        self.store = resources.store
        self.embedder = resources.embedder
        self.tokenizer = resources.tokenizer
        self.backends = resources.backends
        self.live = resources.live
        # Not when the service is created: that may be in another thread.
        resources.backlog.at_home()

    @cached_property
    def turns(self) -> "ScopedTurns":
        from everlore.services.scoped_turns import ScopedTurns

        return ScopedTurns(self.scope, self.staff.turns.of(self.scope))

    @cached_property
    def messages(self) -> "Messages":
        from everlore.services.messages import Messages

        return Messages(self.scope, self.resources, self.turns)

    @cached_property
    def conversations(self) -> "Conversations":
        from everlore.services.conversations import Conversations

        return Conversations(self.scope, self.resources, self.turns, self.characters, self.messages)

    @cached_property
    def sessions(self) -> "Sessions":
        from everlore.campaign.sessions import Sessions

        return Sessions(self.scope, self.resources, self.conversations)

    @cached_property
    def demo(self) -> "Demo":
        """The sample world: import it, and remove it again."""
        from everlore.services.demo import Demo

        return Demo(
            self.scope, self.resources, self.workspace, self.campaigns.delete, self.conversations, self.characters
        )
