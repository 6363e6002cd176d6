"""Finds the conversation that a client of `/v1` means, among the caller's own, and aligns it with the client's
messages.

By the name that the client gives: the header, `metadata.conversation_id`. Programs with fixed headers send the same
name for several conversations: then the lines decide which. With `user`, which names a person and no conversation, and
without any name, only the lines decide. The decisions are pure and in `meaning`; this module fetches and applies.
Memory follows, because lines are edited and deleted in the same way as on the page.

Start at `begin`.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from everlore.app import Everlore
from everlore.domain.bounds import Json
from everlore.domain.config import config_of
from everlore.domain.config_choices import Rewriting
from everlore.domain.conversation import SAID_BY, Author, Conversation, Message, MessageState, is_withdrawn
from everlore.domain.display import display
from everlore.domain.person import Person
from everlore.errors import BadAsk, BeingWritten, Conflict
from everlore.server.openai.history_alignment import Fit, HistoryAlignment, Naming, RequestedAction, alone, fit, meaning
from everlore.server.openai.line_alignment import (
    KnownLine,
    SentLine,
    at_once,
    is_alike,
    is_same,
    plain,
    without_withdrawn,
)
from everlore.services.conversations import is_plain
from everlore.services.messages import RecordedLine
from everlore.store.port import Amend
from everlore.turn.reply_writer import Writing
from everlore.turn.turns import Sampling

# How many conversations are searched for one that continues without a name.
_LOOK_BACK = 200
# A first message that failed is soon sent again, if at all.
_LOOK_BACK_TO_FIRST = 20
# Lines of a log to read first, and beyond the number sent: some may be missing from the client's messages.
_NEWEST = 12
_BEYOND = 100
_MOST_NOTES = 8
_ALL = 10**9
# Metadata of a conversation: the client's name for it, the speaker that its client named, whether others have the same
# name, and lines that are not part of the conversation; of a message: that it came through `/v1`.
_SESSION, _PERSON, _SEVERAL, _NOTES = "client_session", "client_user", "client_several", "client_notes"
_OURS = "v1"
NOTHING_SAID = "Nothing was said yet. Send what is to be answered as the last message."
# Another process writes a reply there: how often, and how long, to check for its end.
_LOOK_S = 0.2
_PATIENCE_S = 300


@dataclass(frozen=True, slots=True)
class ConversationName:
    """The client's name for the conversation, or for the speaker."""

    kind: Naming
    text: str = ""
    # The request includes results of tools.
    is_step: bool = False
    # The client sends all messages: those that it lacks were withdrawn, not trimmed.
    is_whole_talk: bool = False


@dataclass(frozen=True, slots=True)
class _Found:
    conversation: Conversation
    log: tuple[KnownLine, ...]
    meant: HistoryAlignment
    fit: Fit


def name_of(session: str | None, metadata: dict[str, str] | None, user: str | None) -> ConversationName:
    """V11. The header has no other purpose, and is refused if it cannot be an id; a body may contain any text."""
    if session:
        return ConversationName(Naming.TALK, session)
    id = (metadata or {}).get("conversation_id")
    if id:
        return ConversationName(Naming.TALK, id if is_plain(id) else _digest(id))
    return ConversationName(Naming.PERSON, _digest(user)) if user else ConversationName(Naming.NOTHING)


async def begin(
    lore: Everlore, character: Person, lines: Sequence[SentLine], name: ConversationName, sampling: Sampling
) -> tuple[Conversation, Writing]:
    if not lines:
        raise BadAsk(NOTHING_SAID)
    user = await lore.user()
    began = asyncio.get_running_loop().time()
    while True:
        try:
            async with lore.resources.understanding.held((lore.scope.workspace, user.id, character.id)):
                return await _begin(lore, character, user, lines, name, sampling)
        except _Occupied as occupied:
            if asyncio.get_running_loop().time() - began > _PATIENCE_S:
                raise BeingWritten(str(occupied)) from None
            await _freed(lore, occupied.conversation_id)


class _Occupied(Exception):
    def __init__(self, conversation_id: str, why: str) -> None:
        super().__init__(why)
        self.conversation_id = conversation_id


async def _freed(lore: Everlore, conversation_id: str) -> None:
    """Waits until the reply that is being written ends, also in another process."""
    writing = lore.turns.writing(conversation_id)
    if writing is None:
        await asyncio.sleep(_LOOK_S)
    else:
        await writing.reply()


async def _begin(
    lore: Everlore,
    character: Person,
    user: Person,
    lines: Sequence[SentLine],
    name: ConversationName,
    sampling: Sampling,
) -> tuple[Conversation, Writing]:
    found = await _meant(lore, character, user, lines, name)
    if found is None or (_wants_branch(found) and not found.meant.forked_at):
        found = await _new(lore, character, lines, name)
    id = found.conversation.id
    if lore.turns.writing(id) is not None:
        raise _Occupied(id, "A reply is being written in this conversation. Wait for it, or stop it first.")
    try:
        found = await _branched(lore, found, lines)
        return found.conversation, await _applied(lore, character, found, sampling)
    except BeingWritten as error:
        raise _Occupied(id, str(error)) from None


# ── finding it ───────────────────────────────────────────────────────────────────────────────────


async def _meant(
    lore: Everlore, character: Person, user: Person, lines: Sequence[SentLine], name: ConversationName
) -> _Found | None:
    best: _Found | None = None
    async for conversation in _candidates(lore, character, user, lines, name):
        found = await _compared(lore, conversation, lines, name)
        if found is None or found.fit is Fit.OTHER:
            continue
        if found.meant.is_whole and not found.meant.rewrites:
            return found
        if best is None or _rank(found) > _rank(best):
            best = found
    return best


def _rank(found: _Found) -> tuple[bool, int]:
    return found.fit is Fit.SAME, found.meant.worth - found.meant.lost


async def _candidates(
    lore: Everlore, character: Person, user: Person, lines: Sequence[SentLine], name: ConversationName
) -> AsyncIterator[Conversation]:
    """The caller's own conversations: the owner sees those of others, but does not continue them."""
    if name.kind is Naming.TALK:
        known = await lore.conversations.known(name.text)
        if known is None:
            return
        if character.id not in known.system_ids:
            raise Conflict(
                f"Conversation {name.text!r} belongs to a character other than {character.name}. Choose another id."
            )
        yield known
        if not known.metadata.get(_SEVERAL):
            return
    limit = _LOOK_BACK if len(lines) > 1 or name.kind is Naming.TALK else _LOOK_BACK_TO_FIRST
    cursor: str | None = None
    # It is usually among the first: continued conversations are recent.
    for count in (_LOOK_BACK_TO_FIRST, limit - _LOOK_BACK_TO_FIRST):
        if not count:
            return
        page = await lore.conversations.list(user=user, limit=count, cursor=cursor)
        for conversation in page.items:
            if conversation.system_ids == (character.id,) and _may_be(conversation, lines, name):
                yield conversation
        cursor = page.cursor
        if cursor is None:
            return


def _may_be(conversation: Conversation, lines: Sequence[SentLine], name: ConversationName) -> bool:
    if name.kind is Naming.TALK:
        return conversation.metadata.get(_SESSION) == name.text
    if name.kind is Naming.PERSON:
        return conversation.metadata.get(_PERSON) == name.text
    # Only a greeting came before: a conversation that has since continued is another one.
    has_begun = len(lines) > 2 or lines[0].is_user
    return conversation.message_count > 0 and (has_begun or conversation.message_count <= len(lines) + 1)


async def _compared(
    lore: Everlore, conversation: Conversation, lines: Sequence[SentLine], name: ConversationName
) -> _Found | None:
    """None if the end of the log already shows that it is another conversation."""
    named = name.kind
    raw, is_all = await _newest(lore, conversation, _NEWEST)
    log = without_withdrawn(lines, kept_of(raw))
    if named is not Naming.TALK and not may_be_near(lines, log):
        return None
    for count in (len(lines) + _NEWEST, _ALL if name.is_whole_talk else len(lines) + _BEYOND):
        if is_all or (not name.is_whole_talk and at_once(lines, log)):
            break
        raw, is_all = await _newest(lore, conversation, count)
        log = without_withdrawn(lines, kept_of(raw))
    notes = conversation.metadata.get(_NOTES)
    meant = meaning(
        lines,
        log,
        known_notes=notes if isinstance(notes, list) else (),
        is_all=is_all,
        is_whole_talk=name.is_whole_talk,
    )
    found = fit(meant, lines, log, named, is_all=is_all, is_step=name.is_step, is_whole_talk=name.is_whole_talk)
    if named is Naming.TALK and len(lines) == 1 and lines[0].is_user and not name.is_whole_talk:
        meant = alone(meant, lines[0], log)
    return _Found(conversation, log, meant, found)


def may_be_near(lines: Sequence[SentLine], log: Sequence[KnownLine]) -> bool:
    """Whether any of the latest lines is known; if none is, the rest need not be compared."""
    return any(is_same(line, kept) or is_alike(line, kept) for line in lines[-_NEWEST:] for kept in log)


async def _newest(lore: Everlore, conversation: Conversation, count: int) -> tuple[list[Message], bool]:
    """The end of a log, with `count` lines that are part of the conversation."""
    found: list[Message] = []
    cursor: str | None = None
    while (missing := count - sum(not is_withdrawn(each) for each in found)) > 0:
        limit = min(missing, 1_000)
        page = await lore.messages.list(conversation.id, limit=limit, cursor=cursor, newest_first=True)
        found += page.items
        cursor = page.cursor
        if cursor is None:
            break
    return found[::-1], cursor is None


def kept_of(messages: Sequence[Message]) -> tuple[KnownLine, ...]:
    """The lines of a log that a client knows: without replies that failed before their first word, and hidden ones."""
    found: list[KnownLine] = []
    is_ours = True
    for at, message in enumerate(messages):
        if message.author is Author.USER:
            is_ours = _OURS in message.metadata
        text = "" if message.state is MessageState.STREAMING else display(message.content).text
        if (
            (message.hidden and not is_withdrawn(message))
            or message.author in (Author.SYSTEM, Author.TOOL)
            or not text.strip()
        ):
            continue
        follows = _follows(messages, at)
        reply = follows if message.author is Author.USER and follows and follows.author in _REPLIES else None
        found.append(
            KnownLine(
                id=message.id,
                is_user=message.author is Author.USER,
                text=text,
                versions=tuple(display(each).text for each in message.alternatives),
                is_ours=is_ours or _OURS in message.metadata,
                reply_id=reply.id if reply else "",
                is_answered=reply is not None and _is_answer(reply),
                is_withdrawn=is_withdrawn(message),
            )
        )
    return tuple(found)


def _follows(messages: Sequence[Message], at: int) -> Message | None:
    """The next message of the conversation; after its last one, the next that was withdrawn."""
    after = messages[at + 1 :]
    return next((each for each in after if not is_withdrawn(each)), after[0] if after else None)


_REPLIES = (Author.ASSISTANT, Author.NARRATOR)


def _is_answer(reply: Message) -> bool:
    """A reply that is still being written counts: it is another client's, or will be complete in a moment."""
    if reply.state is MessageState.STREAMING:
        return True
    return reply.state is MessageState.COMPLETE and bool(display(reply.content).text.strip())


# ── applying it ──────────────────────────────────────────────────────────────────────────────────


async def _new(lore: Everlore, character: Person, lines: Sequence[SentLine], name: ConversationName) -> _Found:
    """The first conversation of a name has it for an id (V11); others of the same name have ids of their own."""
    tag = {Naming.TALK: _SESSION, Naming.PERSON: _PERSON}.get(name.kind)
    first = await lore.conversations.known(name.text) if name.kind is Naming.TALK else None
    id = name.text if name.kind is Naming.TALK and first is None else None
    made = await lore.conversations.start(character, id=id, greet=False, metadata={tag: name.text} if tag else {})
    if first is not None:
        await _amended(lore, first, {_SEVERAL: True})
    return _Found(made, (), meaning(lines, ()), Fit.SAME)


def _wants_branch(found: _Found) -> bool:
    return config_of(found.conversation.config).rewriting is Rewriting.BRANCH and found.meant.rewrites


async def _branched(lore: Everlore, found: _Found, lines: Sequence[SentLine]) -> _Found:
    """Branches off the common part if the log must not change, or if too much of it differs."""
    if found.fit is not Fit.BRANCH and not _wants_branch(found):
        return found
    branch = await lore.conversations.branch(found.conversation.id, found.meant.forked_at)
    if _SESSION in branch.metadata or found.conversation.metadata.get(_SEVERAL):
        await _amended(lore, found.conversation, {_SEVERAL: True})
    raw, is_all = await _newest(lore, branch, len(lines) + _BEYOND)
    log = kept_of(raw)
    return _Found(branch, log, meaning(lines, log, is_all=is_all), Fit.SAME)


async def _applied(lore: Everlore, character: Person, found: _Found, sampling: Sampling) -> Writing:
    meant, id = found.meant, found.conversation.id
    back = list(meant.restored)
    if meant.reply_id and is_withdrawn(await lore.messages.get(id, meant.reply_id)):
        back.append(meant.reply_id)
    await lore.messages.withdraw(id, meant.gone, restored=back)
    for message_id, text in meant.changed:
        await _changed(lore, id, message_id, text)
    await _note_notes(lore, found)
    if meant.notes:
        told = "\n\n".join([*([sampling.instructions] if sampling.instructions else []), *meant.notes])
        sampling = replace(sampling, instructions=told, sent=(sampling.sent or 0) - len(meant.notes))
    if meant.act is RequestedAction.AGAIN:
        return await lore.turns.regenerate(id, meant.reply_id, sampling=sampling)
    if meant.act is RequestedAction.GO_ON:
        kept = await _recorded(lore, id, character, meant.new)
        return await lore.turns.go_on(id, kept[-1].id if kept else meant.reply_id, sampling=sampling)
    *before, last = meant.new
    await _recorded(lore, id, character, before)
    return await lore.turns.say(id, last.text, speaker_id=character.id, sampling=sampling, metadata=_told_of(last))


async def _recorded(lore: Everlore, id: str, character: Person, lines: Sequence[SentLine]) -> tuple[Message, ...]:
    """Earlier messages from elsewhere: saved and learned from, once."""
    said = [RecordedLine(each.text, None if each.is_user else character, metadata=_told_of(each)) for each in lines]
    return await lore.messages.record(id, said, learn=True)


def _told_of(line: SentLine) -> Json:
    return {_OURS: True} | ({SAID_BY: line.by} if line.by else {})


async def _changed(lore: Everlore, id: str, message_id: str, text: str) -> None:
    """Chooses another of a reply's versions if the text is one; anything else is an edit."""
    message = await lore.messages.get(id, message_id)
    versions = [plain(display(each).text) for each in message.alternatives]
    if plain(text) in versions:
        await lore.messages.choose(id, message_id, versions.index(plain(text)))
    else:
        await lore.messages.edit(id, message_id, content=text, keeps_version=True)


async def _note_notes(lore: Everlore, found: _Found) -> None:
    """Saves which lines turned out to be notes of the client."""
    before = found.conversation.metadata.get(_NOTES)
    known = [str(each) for each in before] if isinstance(before, list) else []
    notes = [plain(each) for each in found.meant.notes]
    fresh = [each for each in dict.fromkeys(notes) if each not in known and len(each) <= 2_000]
    if fresh and found.log:
        await _amended(lore, found.conversation, {_NOTES: [*known, *fresh][-_MOST_NOTES:]})


async def _amended(lore: Everlore, conversation: Conversation, metadata: Json) -> None:
    now = await lore.conversations.get(conversation.id)
    change = Amend(Conversation, conversation.id, {"metadata": now.metadata | metadata})
    await lore.store.apply(lore.scope, [change])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:26]
