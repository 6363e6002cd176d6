"""The x-ray of a prompt (P12): of a past turn, or of one that would be made.

What is stored with a reply contains no text of memories or messages: they are looked up when it is read, so deleted
ones are gone from it too (M9).

Start at `XRays`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from everlore.compose.account import Account, PromptPosition, SectionAccount
from everlore.compose.fidelity import Fidelity
from everlore.compose.inherit import ResolvedTemplate
from everlore.compose.memories import clipped
from everlore.domain.config import ConversationConfig
from everlore.domain.conversation import Conversation, Message, Summary, spoken, spoken_text
from everlore.domain.event import Event
from everlore.domain.memory import Memory, short_form
from everlore.domain.passage import PassageKind
from everlore.domain.person import preferring
from everlore.domain.records import Record
from everlore.domain.scope import Scope
from everlore.domain.visibility import Viewer, place_of
from everlore.domain.xray import XRay, pack, unpack
from everlore.errors import NotFound
from everlore.models.chat import Said
from everlore.recall.answer import Step, WhyNotVerdict
from everlore.store.checks import check_record
from everlore.turn.begin import empty_reply, last_speaker, message_of, refuse_absent
from everlore.turn.compose import BuiltPrompt, prompt_of
from everlore.turn.gather import gather, known_in
from everlore.turn.known import TurnRecall
from everlore.turn.ownership import conversation_of
from everlore.turn.plan import Plan, Sampling
from everlore.turn.readable import known_among, unread
from everlore.turn.resources import Resources
from everlore.turn.speakers import next_speaker
from everlore.turn.stage import Stage, set_stage
from everlore.turn.viewers import viewer_of

# Sections of a prompt that are made of memories, messages, lorebooks, or a campaign's records.
_OF_OTHERS = ("recall", "summary", "campaign", "chapter", "session", "lore")


def x_ray_of(reply: Message, account: Account, at: datetime) -> XRay:
    return XRay(
        workspace=reply.workspace,
        id=reply.id,
        message_id=reply.id,
        conversation_id=reply.conversation_id,
        account=pack(_without_words(account)),
        created_at=at,
    )


def _without_words(account: Account) -> dict[str, Any]:
    return replace(
        account,
        sections=tuple(replace(each, text="") if _is_of_others(each) else each for each in account.sections),
        messages=tuple(each._replace(text="") for each in account.messages),
        memories=tuple(replace(each, content="") for each in account.memories),
    ).as_json()


def _is_of_others(section: SectionAccount) -> bool:
    # Notes for one turn may quote earlier messages, as a welcome does.
    return section.part in _OF_OTHERS or section.place is PromptPosition.LATE


_MEMORY = PassageKind.MEMORY.value
_RECALLED: dict[str, type[Memory | Message | Summary | Event]] = {
    _MEMORY: Memory,
    PassageKind.MESSAGE.value: Message,
    PassageKind.SUMMARY.value: Summary,
    PassageKind.EVENT.value: Event,
}


def _words_of(record: Memory | Message | Summary | Event | None, *, in_short: bool) -> str:
    if record is None:
        return ""
    if isinstance(record, Memory):
        return short_form(record) if in_short else record.content
    return clipped(spoken_text(record) if isinstance(record, Message) else record.content)


def _as_sent(message: Message, thinker_id: str | None) -> str:
    return message.content if thinker_id is not None and message.person_id == thinker_id else spoken(message).content


_UNKNOWN = "The person who asks doesn't know it: they were not present, and nobody told them."


def _verdict(memory: Memory, asked: BuiltPrompt) -> WhyNotVerdict:
    listed = [each for each in asked.prompt.account.memories if each.kind == _MEMORY]
    told = [each.id for each in listed if not each.left_out]
    for each in listed:
        if each.id == memory.id and each.left_out:
            why = f"Found, but left out of the prompt: {each.left_out}."
            return WhyNotVerdict(each.id, Step.LIMIT, why, score=each.score, parts=each.parts)
        if each.id == memory.id:
            return WhyNotVerdict(each.id, None, each.why, told.index(each.id) + 1, each.score, each.parts)
    if asked.trace is None:
        return WhyNotVerdict(memory.id, Step.SCOPE, "Memories were not searched.")
    verdict = asked.trace.verdict(memory)
    if verdict.step is None:
        return replace(verdict, step=Step.LIMIT, place=None, why="Found, but too many others rank higher.")
    return verdict


def _listed(recalled: Sequence[Mapping[str, Any]], section: str) -> str:
    """The recalled items of a section, in its format."""
    told = [each["content"] for each in recalled if each["section"] == section]
    return "\n".join(f"- {content}" for content in told if content)


def _ids(recalled: Sequence[Mapping[str, Any]]) -> list[str]:
    return [each["id"] for each in recalled]


@dataclass(frozen=True, slots=True)
class Seen:
    """An x-ray to be shown. `messages` are what would be sent; for a past turn the log has them."""

    account: Mapping[str, Any]
    message_id: str = ""
    at: datetime | None = None
    messages: tuple[Said, ...] = ()


class XRays:
    def __init__(self, scope: Scope, resources: Resources) -> None:
        self._scope = scope
        self._resources = resources
        self._store = resources.store

    async def of(self, conversation_id: str, message_id: str = "") -> Seen:
        """Of one reply, or of the latest one that has an x-ray."""
        conversation = await conversation_of(self._store, self._scope, conversation_id)
        where = {"conversation_id": conversation_id} | ({"message_id": message_id} if message_id else {})
        page = await self._store.find(self._scope, XRay, where, limit=1, newest_first=True)
        if not page.items:
            what = f"message {message_id!r}" if message_id else "this conversation"
            raise NotFound(
                f"No model has been asked for {what} yet. POST a message here to see what one would be told."
            )
        found: XRay = page.items[0]
        reply = await self._store.get(self._scope, Message, found.message_id)
        account = await self._with_words(unpack(found.account), found.created_at, conversation, reply.person_id)
        if reply.alternatives and reply.chosen != len(reply.alternatives) - 1:
            account["warnings"].append("This is of the version that was written last; another one is chosen.")
        return Seen(account, found.message_id, found.created_at)

    async def would_be(
        self,
        conversation_id: str,
        content: str = "",
        *,
        speaker_id: str | None = None,
        template: ResolvedTemplate | None = None,
        config: ConversationConfig | None = None,
    ) -> Seen:
        """Of the turn that this message would begin; without a message, of a character that speaks first. `template`
        and `config` replace those of the conversation. Nothing is saved, and no model is asked."""
        stage = await set_stage(self._resources, self._scope, conversation_id, config)
        asked = await self._asked(await self._plan(stage, content, speaker_id), template)
        return Seen(asked.prompt.account.as_json(), messages=asked.prompt.messages)

    async def known(self, conversation_id: str, content: str, *, speaker_id: str | None = None) -> TurnRecall:
        """What a character would know if this were said to it. Nothing is saved, and no model is asked."""
        stage = await set_stage(self._resources, self._scope, conversation_id)
        return await known_in(self._resources, await self._plan(stage, content, speaker_id))

    async def why_not(self, memory: Memory, conversation_id: str, content: str) -> WhyNotVerdict:
        """Which step keeps this memory out of the reply to these words, if any (R5), by the trace of the reply's own
        recall. Nothing is saved, and no model is asked."""
        stage = await set_stage(self._resources, self._scope, conversation_id)
        plan = replace(await self._plan(stage, content, None), traced=memory.id)
        place = place_of(stage.conversation)
        if plan.shown_to is not None and not await known_among(
            self._store, self._scope, plan.shown_to, place, [memory]
        ):
            return WhyNotVerdict(memory.id, Step.SCOPE, _UNKNOWN)
        return _verdict(memory, await self._asked(plan))

    async def _asked(self, plan: Plan, template: ResolvedTemplate | None = None) -> BuiltPrompt:
        resources = self._resources
        window = await resources.backends.window_for(self._scope, preferring(plan.speaker, plan.stage.config))
        return prompt_of(plan, await gather(resources, plan, template=template), resources.tokenizer, window)

    async def _shown_to(self, conversation: Conversation) -> Viewer | None:
        """The viewer; None if they may see everything."""
        viewer = await viewer_of(self._store, self._scope, conversation=conversation)
        return None if viewer.sees_all and not viewer.plays else viewer

    async def _plan(self, stage: Stage, content: str, speaker_id: str | None) -> Plan:
        resources, history = self._resources, stage.history
        refuse_absent(stage, speaker_id)
        speaker = next_speaker(stage.here, content, last_speaker(history), explicit=speaker_id)
        count = stage.conversation.message_count
        if content.strip():
            message = message_of(stage, "unsaved", content, resources.clock())
            check_record(message)
            history, count = (*history, replace(message, seq=count + 1)), count + 1
        reply = replace(empty_reply(stage, "unsaved", speaker, resources.holder, resources.clock()), seq=count + 1)
        return Plan(
            scope=self._scope,
            stage=stage,
            speaker=speaker,
            history=history,
            reply=reply,
            sampling=Sampling(),
            shown_to=await self._shown_to(stage.conversation),
        )

    async def _recalled(
        self, kind: type[Memory | Message | Summary | Event], ids: Sequence[str], at: datetime
    ) -> Sequence[Memory | Message | Summary | Event]:
        """Memories as they were then: their present text may be for others. What was hidden since was visible then, and
        is not now."""
        if kind is Memory:
            now = {each.id: each for each in await self._store.get_many(self._scope, Memory, ids)}
            then = await self._store.as_of(self._scope, ids, at)
            return [replace(each, is_spoiler=each.is_spoiler or now[each.id].is_spoiler) for each in then]
        return await self._store.get_many(self._scope, kind, ids)

    async def _with_words(
        self, account: dict[str, Any], at: datetime, conversation: Conversation, speaker_id: str | None
    ) -> dict[str, Any]:
        """Restores the text of what was stored without it, as far as it still exists. The speaker's own thoughts were
        in the prompt, and only the owner may read them."""
        is_owner = await self._shown_to(conversation) is None
        thinker_id = speaker_id if is_owner else None
        if not is_owner and conversation.campaign_id is not None:
            # The account does not say which of them are spoilers.
            account["lore"] = []
        ids = [id for each in account["messages"] if each["fidelity"] == Fidelity.FULL for id in each["message_ids"]]
        messages = {each.id: each for each in await self._store.get_many(self._scope, Message, ids)}
        for each in account["messages"]:
            there = [_as_sent(messages[id], thinker_id) for id in each["message_ids"] if id in messages]
            each["text"] = "\n".join(there)
        if changed := sum(1 for each in messages.values() if each.updated_at > at):
            account["warnings"].append(f"{changed} of the messages were changed since; their present words are shown.")
        found: list[Record] = []
        for name, kind in _RECALLED.items():
            # An x-ray of an older format has no kind: it contains memories only.
            these = [each for each in account["memories"] if each.setdefault("kind", _MEMORY) == name]
            records = {each.id: each for each in await self._recalled(kind, _ids(these), at)}
            for each in these:
                each.setdefault("layer", "")
                each["content"] = _words_of(records.get(each["id"]), in_short=each.setdefault("in_short", False))
            found += records.values()
        await self._leave_out_unknown(account, found, conversation)
        for section in account["sections"]:
            if section["part"] == "recall":
                section["text"] = _listed(account["memories"], section["name"])
        return account

    async def _leave_out_unknown(
        self, account: dict[str, Any], found: Sequence[Record], conversation: Conversation
    ) -> None:
        """Removes what they may not see: of others, or hidden from players (R11, G9)."""
        viewer = await self._shown_to(conversation)
        if viewer is None:
            return
        known = await known_among(self._store, self._scope, viewer, place_of(conversation), found)
        theirs = [each for each in account["memories"] if each["id"] in known]
        if warning := unread(len(account["memories"]) - len(theirs)):
            account["warnings"].append(warning)
        account["memories"] = theirs
