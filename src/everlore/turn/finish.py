"""What follows when a reply is complete: it is saved, counted, its memories are marked as told, and jobs are queued.

Start at `finished`.
"""

from dataclasses import replace

import structlog

from everlore.compose.account import Account
from everlore.domain.conversation import Author, Conversation, Message, MessageState, spoken_text
from everlore.domain.counters import PROMPT_TOKENS, PROMPTS
from everlore.domain.event import EventType
from everlore.domain.miss import Miss, head_of, is_worth_noting
from everlore.domain.overlap import is_used
from everlore.domain.passage import PassageKind
from everlore.domain.policy import can_write
from everlore.domain.tokens import without_told
from everlore.errors import EverloreError, StoreUnavailable
from everlore.learning.provenance import followed
from everlore.store.port import Amend, Change, Count, Enqueue, Put, Touch
from everlore.turn import follow_up, replies
from everlore.turn.gather import Gathered, latest_of
from everlore.turn.gossip import Gossip
from everlore.turn.news import News
from everlore.turn.plan import Plan
from everlore.turn.reminders import advance
from everlore.turn.resources import Resources
from everlore.turn.tellings import told_by_reply, untold
from everlore.turn.title_job import title_job, untitled
from everlore.turn.write import WrittenReply

log = structlog.get_logger(__name__)


async def finished(
    resources: Resources, plan: Plan, content: str, written: WrittenReply
) -> tuple[Message, list[Change]]:
    """The complete reply, and what is saved together with it."""
    account, chosen, end = written.asked.prompt.account, written.chosen, written.end
    if end.prompt_tokens is None:
        end = replace(end, prompt_tokens=account.used)
    # We cannot tell whether the reply asked about this memory, but without a question mark it did not.
    asks = written.asked.asks if "?" in content else ""
    source = replies.ReplySource(chosen.model.name, chosen.endpoint.built_in, end, asks)
    tokens = end.reply_tokens or resources.tokenizer.count(content)
    reply = replies.complete(plan.reply, content, source, tokens, resources.clock())
    is_learning = can_write(plan.scope.mode, EventType.REFLECTION)
    counted = _recalled(account, spoken_text(reply), resources) if is_learning else []
    spoken = await told_by_reply(resources, plan.scope, reply, [id for each in counted for id in each.used_ids])
    analysed = await follow_up.analysed(
        resources.store, plan.scope, plan.stage, (*plan.history[-1:], reply), resources.clock(), resources.new_id
    )
    beside = [*_missed(resources, plan, written.gathered), Count(PROMPTS), Count(PROMPT_TOKENS, account.used)]
    return reply, [*_afterwards(resources, plan, reply), *analysed, *counted, *spoken, *beside]


async def following(resources: Resources, plan: Plan, reply: Message) -> list[Change]:
    """Removes what was learned from an earlier version of the reply (M15)."""
    if not plan.reply.alternatives and not plan.continuing:
        return []
    store, conversation, now, new_id = resources.store, plan.stage.conversation, resources.clock(), resources.new_id
    try:
        learnt = await followed(store, plan.scope, conversation, [reply], now, new_id, is_gone=False)
        unnamed = await untitled(store, plan.scope, conversation, [reply], now, new_id)
        return [*learnt, *unnamed, *await untold(resources, plan.scope, [reply])]
    except StoreUnavailable as error:
        # Save the reply anyway if possible; what it says is read again on request.
        log.warning("turn.not_followed", conversation=conversation.id, error=str(error))
        return []


async def keep_reply(resources: Resources, plan: Plan, reply: Message, extra: list[Change]) -> Message:
    """Saved if we still hold the reply, or it was only marked as broken off; else what its new holder saved."""
    stored: Message = reply
    for ours in (replies.held_by(plan.reply), {"error": replies.BROKEN_OFF}):
        stored = (await resources.store.apply(plan.scope, [replies.kept_if(reply, ours), *extra]))[0]
        if replies.was_kept(reply, stored):
            return stored
    log.warning("turn.taken_over", conversation=reply.conversation_id, message=reply.id)
    return stored


async def tell_gossip(resources: Resources, plan: Plan, reply: Message) -> None:
    """Announce what the user's character could tell in answer to this reply (R7)."""
    if not plan.stage.config.gossip_enabled or reply.state is not MessageState.COMPLETE:
        return
    try:
        found = await Gossip(plan.scope, resources).suggest(reply.conversation_id, spoken_text(reply), roll=False)
    except EverloreError as error:
        # The reply is saved: gossip is only a suggestion, and is searched for again.
        log.warning("turn.no_gossip", conversation=reply.conversation_id, error=str(error))
        return
    if found.items:
        news = News(type="gossip.available", conversation_id=reply.conversation_id, record=found.items)
        resources.live.tell(plan.scope, [news])


def _afterwards(resources: Resources, plan: Plan, reply: Message) -> list[Change]:
    """The conversation as it is now, and the background jobs."""
    conversation, config, now = plan.stage.conversation, plan.stage.config, resources.clock()
    changes: list[Change] = [Amend(Conversation, conversation.id, {"updated_at": reply.updated_at})]
    episode = advance(reply.content, plan.episode, len(config.episodes))
    if episode != plan.episode:
        # Once: another version of the same reply ends the same episode.
        changes.append(Amend(Conversation, conversation.id, {"episode": episode}, {"episode": plan.episode}))
    # After the first exchange: a greeting alone has no subject yet (V7).
    spoken = next((message for message in plan.history if message.author is Author.USER), None)
    if config.auto_title and not conversation.title and spoken is not None:
        changes.append(Enqueue(title_job(conversation, now, occasion=spoken.id)))
    said = (*plan.history[-1:], reply)
    grown = follow_up.grown(plan.scope, plan.stage, said, reply.seq, now, resources.new_id)
    return [*changes, *follow_up.answered(conversation, config, reply, now, resources.new_id), *grown]


def _missed(resources: Resources, plan: Plan, gathered: Gathered) -> list[Change]:
    """Records a message for which recall found nothing except what is always included (R12)."""
    known, asking = gathered.known, latest_of(gathered.seen)
    said = without_told(asking.content) if asking else ""
    if plan.stage.conversation.private or not plan.sampling.recalls or not is_worth_noting(said):
        return []
    if any(not each.is_due for each in known.recalled):
        return []
    miss = Miss(
        workspace=plan.scope.workspace,
        id=resources.new_id(),
        query=head_of(said),
        mode=plan.scope.mode.value,
        conversation_id=plan.stage.conversation.id,
        message_id=asking.id if asking else None,
        person_id=plan.speaker.id,
        passages=known.coverage.passages,
        embedded=known.coverage.embedded,
        embedder=resources.embedder.name if resources.embedder else "",
        created_at=resources.clock(),
    )
    return [Put(miss)]


def _recalled(account: Account, reply: str, resources: Resources) -> list[Touch]:
    """Counts the memories in the prompt of a reply, and those that it mentioned: frequent use matters (I1, R5)."""
    told = [each for each in account.memories if each.section and each.kind == PassageKind.MEMORY]
    used = tuple(each.id for each in told if is_used(each.content, reply))
    return [Touch(tuple(each.id for each in told), resources.clock(), used_ids=used)] if told else []
