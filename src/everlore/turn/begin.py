"""How a turn begins: the message to save, who answers, and the empty reply that the model will fill. Pure."""

from collections.abc import Sequence
from datetime import datetime

from everlore.domain.conversation import Author, Message, MessageState
from everlore.domain.person import Person, PersonKind
from everlore.domain.weight import weigh
from everlore.errors import BadAsk
from everlore.turn.holder import Holder
from everlore.turn.stage import Stage


def message_of(
    stage: Stage, id: str, content: str, at: datetime, *, author: Author = Author.USER, person_id: str | None = None
) -> Message:
    conversation = stage.conversation
    speaker = person_id or (conversation.user_id if author is Author.USER else None)
    return Message(
        workspace=conversation.workspace,
        id=id,
        conversation_id=conversation.id,
        author=author,
        person_id=speaker,
        content=content,
        present=_there(stage, speaker),
        private=conversation.private,
        weight=weigh(content),
        created_at=at,
        updated_at=at,
    )


def empty_reply(stage: Stage, id: str, speaker: Person, holder: Holder, at: datetime) -> Message:
    author = Author.NARRATOR if speaker.kind is PersonKind.NARRATOR else Author.ASSISTANT
    conversation = stage.conversation
    metadata: dict[str, object] = {"holder": str(holder)}
    if stage.config.episodes:
        metadata["episode"] = conversation.episode
    return Message(
        workspace=conversation.workspace,
        id=id,
        conversation_id=conversation.id,
        author=author,
        person_id=speaker.id,
        content="",
        state=MessageState.STREAMING,
        present=_there(stage, speaker.id),
        private=conversation.private,
        metadata=metadata,
        created_at=at,
        updated_at=at,
    )


def _there(stage: Stage, speaker_id: str | None) -> tuple[str, ...]:
    """Those on stage and the speaker; for a character's thoughts, nobody else (C7)."""
    if stage.conversation.inner_of_id is not None and speaker_id:
        return (speaker_id,)
    return tuple(dict.fromkeys([*stage.present, *([speaker_id] if speaker_id else [])]))


def refuse_absent(stage: Stage, speaker_id: str | None) -> None:
    person = next((each for each in stage.cast if each.id == speaker_id), None)
    if person is not None and person.id not in stage.present:
        raise BadAsk(f"{person.name} is not in the scene, and so cannot answer. Change who is present, or ask another.")


def refuse_empty(content: str, hint: str) -> None:
    if not content.strip():
        raise BadAsk(f"The message is empty. {hint}")


def last_speaker(history: Sequence[Message]) -> str | None:
    return next((each.person_id for each in reversed(history) if each.author is Author.ASSISTANT), None)
