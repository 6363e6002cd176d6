"""Which parts of which conversations were played in a session (G1).

A part is a conversation that began and ended with the session, a range of a longer one, or an imported log. Start at
`parts_of`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from everlore.domain.bounds import Json
from everlore.domain.campaign import Session
from everlore.domain.conversation import Message

# The keys in `extra`: for the parts of a session, and for the author of a message in an imported log.
PARTS = "parts"
SPEAKER = "speaker"
# The key for: visible to the game master only.
GM_ONLY = "gm_only"
# The key for the data of an imported log file; `read_only` in it: it was not played here, and has no digest.
LOG_FILE = "log_file"
READ_ONLY = "read_only"


@dataclass(frozen=True, slots=True)
class SessionPart:
    """`last_seq` is None while it is being played. `open`: the players take part; otherwise it is the game master's
    own, as notes and preparations are."""

    conversation_id: str
    first_seq: int = 1
    last_seq: int | None = None
    open: bool = True

    def holds(self, message: Message) -> bool:
        is_within = self.first_seq <= message.seq and (self.last_seq is None or message.seq <= self.last_seq)
        return message.conversation_id == self.conversation_id and is_within


def parts_of(session: Session) -> tuple[SessionPart, ...]:
    kept = session.extra.get(PARTS)
    return tuple(_part(each) for each in kept if isinstance(each, dict)) if isinstance(kept, list) else ()


class Sittings:
    """Finds the sessions of a line. Made once and used often: a campaign has hundreds of sessions, and parsing the
    parts of each takes time."""

    def __init__(self, sessions: Iterable[Session]) -> None:
        self._parts: dict[str, list[tuple[SessionPart, Session]]] = defaultdict(list)
        for session in sessions:
            for part in parts_of(session):
                self._parts[part.conversation_id].append((part, session))

    def sessions_of(self, message: Message) -> tuple[Session, ...]:
        """In the order in which they were given."""
        found = (session for part, session in self._parts.get(message.conversation_id, ()) if part.holds(message))
        return tuple({each.id: each for each in found}.values())


def is_merely_read(session: Session) -> bool:
    """Whether it is a log for reading and searching only, without a digest."""
    kept = session.extra.get(LOG_FILE)
    return isinstance(kept, dict) and kept.get(READ_ONLY) is True


def with_parts(session: Session, parts: Iterable[SessionPart]) -> Json:
    """The `extra` of a session with these parts."""
    kept = [
        {
            "conversation_id": each.conversation_id,
            "first_seq": each.first_seq,
            "last_seq": each.last_seq,
            "open": each.open,
        }
        for each in parts
    ]
    return {**session.extra, PARTS: kept}


def is_at_table(session: Session) -> bool:
    """Whether any of it was played at the table. If a session is for the game master only, players know neither its
    name nor its date."""
    parts = parts_of(session)
    return not parts or any(each.open for each in parts)


def _part(kept: Mapping[str, object]) -> SessionPart:
    last = kept.get("last_seq")
    return SessionPart(
        conversation_id=str(kept.get("conversation_id", "")),
        first_seq=int(str(kept.get("first_seq", 1))),
        last_seq=int(str(last)) if last is not None else None,
        open=bool(kept.get("open", True)),
    )
