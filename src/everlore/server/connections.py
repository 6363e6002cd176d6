"""Limits on connections: how many one address may have, and how long a request may take to arrive (S-7).

A client that sends nothing, or half a request, holds a connection for a few seconds only. If one address has too many,
the oldest that is not being answered is closed, so that a real request still gets one; connections of authorised
callers last. The rest of a refused body is not read: the connection is closed once the answer is sent.

Start at `protocol_for`.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import h11
import structlog
from uvicorn.protocols.http.h11_impl import H11Protocol

log = structlog.get_logger(__name__)

# How much of a refused body is discarded, and how long its sender has to read the answer: most clients read it only
# after they have sent everything. Authorised clients that send too large a file should see the error; others need not.
_DRAINED_BYTES, _DRAINING_S = 100_000_000, 5.0
_DRAINED_OF_STRANGERS_BYTES, _DRAINING_STRANGERS_S = 1_000_000, 2.0
_TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 5\r\ncontent-length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """`all` is how many connections the server can have at once, from any address."""

    per_address: int
    all: int
    header_s: float
    body_s: float


@dataclass(slots=True)
class _Open:
    """The open connections, oldest first."""

    all: dict["_Connection", None] = field(default_factory=dict)
    by_address: dict[str, dict["_Connection", None]] = field(default_factory=dict)

    def add(self, connection: "_Connection") -> None:
        self.all[connection] = None
        self.by_address.setdefault(connection.address, {})[connection] = None

    def remove(self, connection: "_Connection") -> None:
        self.all.pop(connection, None)
        same = self.by_address.get(connection.address, {})
        same.pop(connection, None)
        if not same:
            self.by_address.pop(connection.address, None)


def protocol_for(limits: ConnectionLimits) -> type[asyncio.Protocol]:
    """The protocol class for uvicorn; all connections of one server share it."""
    connections = _Open()

    class Connection(_Connection):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(limits, connections, *args, **options)

    return Connection


class _Connection(H11Protocol):
    def __init__(self, limits: ConnectionLimits, connections: _Open, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.address = ""
        self._limits = limits
        self._open = connections
        self._timer: asyncio.TimerHandle | None = None
        self._has_spoken = False
        # Whether the last request that was answered here was an authorised one.
        self.is_trusted = False
        # How much more of a refused body is read; None if no body was refused.
        self._drainable: int | None = None

    @property
    def is_answered(self) -> bool:
        """Whether a request is being answered."""
        # There is none before the first request, whatever uvicorn's annotation says.
        return self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr]

    # ── number of connections ────────────────────────────────────────────────────────────────────

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        same = self._open.by_address.get(self.address, {})
        crowds = ((same, self._limits.per_address), (self._open.all, self._limits.all))
        if all(len(crowd) < most or _make_room(crowd) for crowd, most in crowds):
            self._open.add(self)
            self._start_timer(self._limits.header_s)
        else:
            self._refuse()

    def _refuse(self) -> None:
        log.warning("server.too_many_connections", address=self.address)
        self.transport.write(_FULL)
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._open.remove(self)
        self._stop_timer()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        # From here on another protocol handles it, which admits only authorised callers.
        self._open.remove(self)
        self._stop_timer()
        super().handle_websocket_upgrade(event)

    # ── timeouts ─────────────────────────────────────────────────────────────────────────────────

    def data_received(self, data: bytes) -> None:
        self._has_spoken = True
        if self._drainable is not None:
            self._drainable -= len(data)
            if self._drainable < 0:
                self._hang_up()
                return
        super().data_received(data)
        if self.transport.is_closing() or self not in self._open.all:
            return
        if self._drainable is not None:
            if self.conn.their_state is not h11.SEND_BODY:
                # The refused body ended soon: the connection can be reused.
                self._drainable = None
                self._stop_timer()
        elif self.is_answered:
            self._stop_timer()
            if self.cycle.more_body:
                self._start_timer(self._limits.body_s)
        elif self._timer is None:
            self._start_timer(self._limits.header_s)

    def on_response_complete(self) -> None:
        self._stop_timer()
        self.is_trusted = "lore" in self.scope["state"]
        super().on_response_complete()
        if self.cycle.more_body and not self.transport.is_closing():
            self._drainable = _DRAINED_BYTES if self.is_trusted else _DRAINED_OF_STRANGERS_BYTES
            self._start_timer(_DRAINING_S if self.is_trusted else _DRAINING_STRANGERS_S)

    def _start_timer(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, self._time_out)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _time_out(self) -> None:
        self._timer = None
        if self.transport.is_closing():
            return
        if self._drainable is not None:
            self._hang_up()
        elif self.is_answered and (self.flow.read_paused or self.cycle.waiting_for_100_continue):
            # The server itself has paused reading.
            self._start_timer(self._limits.body_s)
        else:
            if self._has_spoken and not (self.is_answered and self.cycle.response_started):
                self.transport.write(_TIMEOUT)
            self.transport.close()

    def _hang_up(self) -> None:
        """End the connection so that the answer can still be read: data that arrives later would reset it at once."""
        self._stop_timer()
        self._unset_keepalive_if_required()
        if not self.transport.is_closing():
            self.transport.pause_reading()
            if self.transport.can_write_eof():
                self.transport.write_eof()
            self.loop.call_later(_DRAINING_STRANGERS_S, self.transport.close)


def _make_room(connections: dict[_Connection, None]) -> bool:
    """Close the oldest connection that is not being answered, an authorised caller's only if there is no other."""
    idle = [each for each in connections if not each.is_answered and not each.transport.is_closing()]
    if not idle:
        return False
    oldest = min(idle, key=lambda each: each.is_trusted)
    oldest.transport.close()
    oldest._open.remove(oldest)
    return True
