"""Live events of a campaign: sessions, entities, and who may hear of what (G9).

An event of a session or entity has its id and that of the campaign. Players hear only of what they may
see at that moment. Start at `announce` and `is_heard_at_table`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from everlore.campaign.logs import heard
from everlore.campaign.roles import speaker_names
from everlore.campaign.seats import Seat, seat_at
from everlore.campaign.showing import shown, shown_sessions
from everlore.campaign.spoilers import spoilers_of
from everlore.domain.campaign import Campaign, Entity, Session
from everlore.domain.conversation import Conversation, Message, MessageState
from everlore.domain.memory import Memory
from everlore.domain.scope import Scope
from everlore.domain.sessions import Sittings
from everlore.domain.visibility import is_secret
from everlore.errors import EverloreError
from everlore.store.all_pages import all_of
from everlore.store.port import Amend, Change, Delete, Put, Store
from everlore.turn.news import News
from everlore.turn.resources import Resources

# The records of these events are read when they are sent: what players may see can change meanwhile.
SUBJECTS: dict[str, type[Session] | type[Entity]] = {"session": Session, "entity": Entity}
_SPOKEN = (MessageState.COMPLETE, MessageState.STOPPED)


def announce(resources: Resources, scope: Scope, changes: Sequence[Change], results: Sequence[Any]) -> None:
    """Tell of changes that a store has applied."""
    resources.live.applied(scope, changes, results)
    resources.live.tell(scope, _news(changes, results))


def _news(changes: Sequence[Change], results: Sequence[Any]) -> Iterator[News]:
    for change, result in zip(changes, results, strict=True):
        match change:
            case Put(record=Session() as session):
                yield _of("session.started", session)
            case Amend(kind, _, fields) if kind is Session:
                yield _of("session.ended" if fields.get("ended_at") else "session.updated", result)
            case Put(record=Entity() as entity):
                yield _of("entity.updated" if entity.updated_at > entity.created_at else "entity.created", entity)
            case Amend(kind, _, _) if kind is Entity:
                yield _of("entity.updated", result)
            case Delete(kind, id) if kind in SUBJECTS.values():
                yield News(type=f"{kind.__name__.lower()}.deleted", id=id)


def _of(type: str, record: Session | Entity) -> News:
    return News(type=type, id=record.id, text=record.campaign_id or "")


async def is_heard_at_table(store: Store, scope: Scope, news: News) -> bool:
    """Whether the caller, who has a part of the workspace only, hears of it in a campaign: as a player of what players
    may see, as its game master of everything."""
    subject, _, what = news.type.partition(".")
    try:
        match news.record:
            case Memory(campaign_id=str() as campaign_id) as memory:
                seat = await seat_at(store, scope, campaign_id)
                # A secret that two persons share is no news for the table.
                return not is_secret(memory) and bool(await shown(store, scope, seat, [memory]))
            case Message() as message if message.state in _SPOKEN and not message.private:
                return await _is_said_at_table(store, scope, message)
        # Of what was deleted nobody can tell whether players knew it.
        if subject in SUBJECTS and what != "deleted":
            return await _is_shown(store, scope, SUBJECTS[subject], news)
    except EverloreError:
        pass
    return False


async def _is_shown(store: Store, scope: Scope, kind: type[Session] | type[Entity], news: News) -> bool:
    seat = await seat_at(store, scope, news.text)
    found = await store.get_many(scope, kind, [news.id or ""])
    entities = [each for each in found if isinstance(each, Entity)]
    sessions = [each for each in found if isinstance(each, Session)]
    return bool(shown_sessions(seat, sessions) or await shown(store, scope, seat, entities))


async def _is_said_at_table(store: Store, scope: Scope, message: Message) -> bool:
    campaign = await campaign_of(store, scope, message)
    if campaign is None:
        return False
    seat = await seat_at(store, scope, campaign.id)
    played = Sittings(await all_of(store, scope, Session, {"campaign_id": campaign.id}))
    sessions = played.sessions_of(message)
    return bool(sessions) and (seat.runs or await _is_for_player(store, scope, seat, sessions, message))


async def _is_for_player(store: Store, scope: Scope, seat: Seat, sessions: Sequence[Session], message: Message) -> bool:
    spoilers = await spoilers_of(store, scope, seat.campaign)
    open_ = [each for each in sessions if heard(seat.campaign, each, [message])]
    return any(not spoilers.hide(seat.viewer, each, message) for each in open_)


async def campaign_of(store: Store, scope: Scope, message: Message) -> Campaign | None:
    talks = await store.get_many(scope, Conversation, [message.conversation_id])
    ids = [each.campaign_id for each in talks if each.campaign_id is not None]
    return next(iter(await store.get_many(scope, Campaign, ids)), None) if ids else None


async def table_names(store: Store, scope: Scope, message: Message) -> dict[str, str]:
    """The name of the speaker, for players who are in no conversation with them."""
    campaign = await campaign_of(store, scope, message)
    return await speaker_names(store, scope, campaign, [message]) if campaign is not None else {}
