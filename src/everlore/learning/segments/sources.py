"""Finds the messages that support a statement about a chat, and the people who remember it. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from everlore.domain.conversation import Author, Conversation, Message
from everlore.domain.visibility import present_at
from everlore.domain.words import query_terms

_MOST_SOURCES = 6


def who_was_there(messages: Sequence[Message], conversation: Conversation) -> tuple[str, ...]:
    """The people present for all of it: only they can remember it (V13)."""
    everybody = {id for id in (conversation.user_id, *conversation.system_ids) if id is not None}
    there = set(everybody)
    for message in messages:
        there &= present_at(message, everybody)
    return tuple(sorted(there))


def supporting(content: str, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages that share the most words with a statement, in order; all messages if none shares any."""
    wanted = set(query_terms(content))
    shared = {each.id: len(wanted & set(query_terms(each.content, most=2_000))) for each in messages}
    best = max(shared.values(), default=0)
    if not best:
        return tuple(messages)
    ranked = sorted(messages, key=lambda each: (-shared[each.id], each.seq))
    near = [each for each in ranked if 2 * shared[each.id] >= best][:_MOST_SOURCES]
    return tuple(sorted(near, key=lambda each: each.seq))


def concerned(sources: Sequence[Message], scene: Sequence[Message], there: tuple[str, ...]) -> tuple[str, ...]:
    """The owners of a memory among those present (V10): its speakers, those whom they answer, and those who answer
    them. Everyone if only one person would be left."""
    ids = {each.id for each in sources}
    speakers = {each.person_id for each in sources}
    for one, other in pairwise(scene):
        if one.id in ids and one.author is Author.USER:
            speakers.add(other.person_id)
        if other.id in ids and other.author is not Author.USER:
            speakers.add(one.person_id)
    own = tuple(id for id in there if id in speakers)
    return own if len(own) > 1 else there
