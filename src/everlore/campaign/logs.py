"""The log of a session: its messages, and which of them the players heard (G1, G9).

`domain/sessions.py` defines which parts of which conversations belong to it. Start at `log_of`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from everlore.domain.campaign import Campaign, Session
from everlore.domain.conversation import Conversation, Message
from everlore.domain.scope import Scope
from everlore.domain.sessions import GM_ONLY, SessionPart, parts_of
from everlore.domain.visibility import present_at
from everlore.learning.segments.transcript import TranscriptLine, lines_of
from everlore.store.all_pages import each_of
from everlore.store.port import Store


def is_open_by_default(campaign: Campaign, conversation: Conversation) -> bool:
    """Whether players hear it: not a game master's own chat with a character."""
    return not campaign.player_ids or conversation.user_id is None or conversation.user_id != campaign.gm_id


async def log_of(store: Store, scope: Scope, session: Session) -> tuple[Message, ...]:
    """All messages of the session, part by part in order."""
    found: list[Message] = []
    for part in parts_of(session):
        found += await _messages(store, scope, part)
    return tuple(found)


def heard(campaign: Campaign, session: Session, messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages that the players heard, without hidden messages and notes."""
    parts = parts_of(session)
    return tuple(each for each in messages if _is_heard(campaign, parts, each))


def lines_in(messages: Sequence[Message], names: Mapping[str, str]) -> tuple[TranscriptLine, ...]:
    """The lines of a log. `names`: of the speakers, by message id (`roles.speaker_names`)."""
    return tuple(replace(each, name=names.get(each.message.id, each.name)) for each in lines_of(messages, {}))


def _is_heard(campaign: Campaign, parts: Sequence[SessionPart], message: Message) -> bool:
    part = next((each for each in parts if each.holds(message)), None)
    if part is None or not part.open or message.private or message.hidden or message.metadata.get(GM_ONLY):
        return False
    return present_at(message) != {campaign.gm_id}


async def _messages(store: Store, scope: Scope, part: SessionPart) -> list[Message]:
    where = {"conversation_id": part.conversation_id}
    return [each async for each in each_of(store, scope, Message, where) if part.holds(each)]
