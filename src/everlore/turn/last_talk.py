"""How the last conversation of the two ended (V16).

Start at `last_talk`.
"""

from collections.abc import Sequence

from everlore.domain.conversation import Conversation, Message, Summary, spoken
from everlore.domain.policy import visibility
from everlore.domain.recalled import LastSession
from everlore.domain.scope import Scope
from everlore.domain.tokens import without_told
from everlore.recall.past import heard_by
from everlore.store.port import Store

# How many conversations back the last one of the two is searched for, and how many of its lines are included.
_LOOK_BACK = 20
_LAST_LINES = 12
_CLIP = 160


async def last_talk(
    scope: Scope, store: Store, conversation: Conversation, character_id: str, *, looked_for: bool
) -> tuple[Sequence[Message], LastSession | None]:
    """The last lines of the conversation before this one, newest first, and how it ended."""
    before = await _conversation_before(scope, store, conversation, character_id) if looked_for else None
    if before is None:
        return (), None
    last = await _end_of(scope, store, before)
    return last, await _told(scope, store, before, last, character_id)


async def _conversation_before(
    scope: Scope, store: Store, conversation: Conversation, character_id: str
) -> Conversation | None:
    """The conversation that these two had before this one."""
    where = {"user_id": conversation.user_id}
    page = await store.find(scope, Conversation, where, limit=_LOOK_BACK, newest_first=True)
    for other in page.items:
        if _is_other_talk(other, conversation, character_id):
            found: Conversation = other
            return found
    return None


def _is_other_talk(other: Conversation, here: Conversation, character_id: str) -> bool:
    with_both = character_id in other.system_ids and other.message_count > 0
    return other.id != here.id and with_both and not other.private


async def _end_of(scope: Scope, store: Store, conversation: Conversation) -> tuple[Message, ...]:
    """Its last lines, newest first, as they were written."""
    where = {"conversation_id": conversation.id, "hidden": False}
    page = await store.find(scope, Message, where, limit=_LAST_LINES, newest_first=True)
    return tuple(map(spoken, page.items))


async def _told(
    scope: Scope, store: Store, before: Conversation, last: Sequence[Message], character_id: str
) -> LastSession | None:
    """Its latest summary, if the caller may see any (C4), and its last lines if the summary does not cover them."""
    summaries = await _summaries(scope, store, before)
    heard = [each for each in summaries if not each.private and character_id in each.persons]
    summary = max(heard, key=lambda each: (each.last_seq, -each.first_seq), default=None)
    if summary is not None and (not last or summary.last_seq >= last[0].seq):
        return LastSession(summary.content, before.updated_at)
    words = " / ".join(_quoted(line, character_id) for line in heard_by(last, character_id)[-2:])
    parts = [*([summary.content] if summary else []), *([f"It ended with: {words}"] if words else [])]
    return LastSession(" ".join(parts), before.updated_at) if parts else None


async def _summaries(scope: Scope, store: Store, conversation: Conversation) -> Sequence[Summary]:
    """The latest first."""
    if not visibility(scope.role).summaries:
        return ()
    page = await store.find(scope, Summary, {"conversation_id": conversation.id}, limit=_LOOK_BACK, newest_first=True)
    return page.items


def _quoted(line: Message, character_id: str) -> str:
    return f"{'you' if line.person_id == character_id else 'they'} said: {_clipped(line.content)}"


def _clipped(text: str) -> str:
    text = " ".join(without_told(text).split())
    return text if len(text) <= _CLIP else f"{text[:_CLIP].rsplit(' ', 1)[0]} …"
