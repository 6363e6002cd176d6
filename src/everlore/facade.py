"""The services of an Everlore, each loaded when it is first used.

Importing all of them takes longer than most commands of the command line, so each is imported on first use.

Start at `Services`.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

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
    from everlore.services.templates import Templates
    from everlore.services.tokens import Tokens
    from everlore.services.workspace_files import Carrying
    from everlore.turn.gossip import Gossip
    from everlore.turn.turns import Turns
    from everlore.turn.xrays import XRays
    from everlore.worker import Worker


class BackgroundTasks:
    """Who works for all callers: the turns that are being written, and the workers."""

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


class Services:
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
        # Not when the service is made: that may be in another thread.
        resources.backlog.at_home()

    @cached_property
    def turns(self) -> "Turns":
        return self.staff.turns.of(self.scope)

    @cached_property
    def characters(self) -> "Characters":
        from everlore.services.characters import Characters

        return Characters(self.scope, self.resources)

    @cached_property
    def lorebooks(self) -> "Lorebooks":
        from everlore.services.lorebooks import Lorebooks

        return Lorebooks(self.scope, self.resources)

    @cached_property
    def memories(self) -> "Memories":
        from everlore.services.memories import Memories

        return Memories(self.scope, self.resources)

    @cached_property
    def learning(self) -> "Learning":
        from everlore.services.learning import Learning

        return Learning(self.scope, self.resources)

    @cached_property
    def knowledge(self) -> "Knowing":
        from everlore.services.knowledge import Knowing

        return Knowing(self.scope, self.resources)

    @cached_property
    def gossip(self) -> "Gossip":
        from everlore.turn.gossip import Gossip

        return Gossip(self.scope, self.resources)

    @cached_property
    def events(self) -> "Capturing":
        from everlore.services.capture import Capturing

        return Capturing(self.scope, self.resources)

    @cached_property
    def messages(self) -> "Messages":
        from everlore.services.messages import Messages

        return Messages(self.scope, self.resources, self.turns)

    @cached_property
    def templates(self) -> "Templates":
        from everlore.services.templates import Templates

        return Templates(self.scope, self.resources)

    @cached_property
    def x_rays(self) -> "XRays":
        from everlore.turn.xrays import XRays

        return XRays(self.scope, self.resources)

    @cached_property
    def conversations(self) -> "Conversations":
        from everlore.services.conversations import Conversations

        return Conversations(self.scope, self.resources, self.turns, self.characters, self.messages)

    @cached_property
    def campaigns(self) -> "Campaigns":
        from everlore.campaign.campaigns import Campaigns

        return Campaigns(self.scope, self.resources)

    @cached_property
    def canon(self) -> "CanonService":
        from everlore.campaign.canon.canon import CanonService

        return CanonService(self.scope, self.resources)

    @cached_property
    def sessions(self) -> "Sessions":
        from everlore.campaign.sessions import Sessions

        return Sessions(self.scope, self.resources, self.conversations)

    @cached_property
    def world(self) -> "World":
        """Who and what is in a campaign, and how it is tied together."""
        from everlore.campaign.world import World

        return World(self.scope, self.resources)

    @cached_property
    def review(self) -> "Review":
        """What waits for a game master."""
        from everlore.campaign.review import Review

        return Review(self.scope, self.resources)

    @cached_property
    def asking(self) -> "Asking":
        """The record of a campaign, which can be asked."""
        from everlore.campaign.questions import Asking

        return Asking(self.scope, self.resources)

    @cached_property
    def campaign_files(self) -> "CampaignFiles":
        """Logs, lorebooks, vaults and whole campaigns: in from files, and out to them."""
        from everlore.campaign.files import CampaignFiles

        return CampaignFiles(self.scope, self.resources)

    @cached_property
    def workspace(self) -> "Carrying":
        """The whole of it: out to a file, and in from one."""
        from everlore.services.workspace_files import Carrying

        return Carrying(self.scope, self.resources)

    @cached_property
    def demo(self) -> "Demo":
        """A small world that comes along: in, and out again."""
        from everlore.services.demo import Demo

        return Demo(
            self.scope, self.resources, self.workspace, self.campaigns.delete, self.conversations, self.characters
        )

    @cached_property
    def tokens(self) -> "Tokens":
        from everlore.services.tokens import Tokens

        return Tokens(self.scope, self.resources)
