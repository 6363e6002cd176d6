"""Decides which extractors run: the config's choice, with a default per kind of conversation. Pure.

Users who talk as themselves are read for facts message by message, and by segments. A user who plays a character tells
about the character, so role-play and campaigns are read by segments only. Private messages are never read (F6).
"""

from collections.abc import Mapping

from everlore.domain.config import ConversationConfig
from everlore.domain.conversation import Conversation, Message, MessageState, is_users_own
from everlore.domain.person import Person, PersonKind


def learns_facts(
    conversation: Conversation, config: ConversationConfig, message: Message, persons: Mapping[str, Person]
) -> bool:
    """Whether a message is read for facts: the user's own, complete, and visible (F1)."""
    if not is_users_own(message) or message.state is not MessageState.COMPLETE or message.hidden:
        return False
    if conversation.private or message.private or not config.extract_memories:
        return False
    if config.extract_facts is not None:
        return config.extract_facts
    speaker = persons.get(message.person_id or conversation.user_id or "")
    return speaker is not None and speaker.kind is PersonKind.USER and conversation.campaign_id is None


def forms_keyframes(conversation: Conversation, config: ConversationConfig) -> bool:
    is_wanted = config.extract_memories and config.extract_segments is not False
    return is_wanted and config.keyframe_every > 0 and not conversation.private


def is_analysed(conversation: Conversation, config: ConversationConfig) -> bool:
    """Whether it may be analysed automatically."""
    return config.extract_memories and not conversation.private and conversation.message_count > 0
