"""A live WebSocket for a journey: listens in a thread, so that stories need not be asynchronous."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.journeys.world import Client
from tests.waiting import eventually


class Socket:
    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        # The code with which the server closed it.
        self.closed_with: int | None = None

    def text(self, message_id: str = "") -> str:
        """What was heard of replies, or of one of them."""
        deltas = [each for each in self.events if each["type"] == "message.delta"]
        return "".join(each["text"] for each in deltas if message_id in ("", each["message_id"]))

    def hears(self, type: str) -> dict[str, Any]:
        """Waits for the first event of this type."""
        eventually(lambda: any(each["type"] == type for each in self.events))
        return next(each for each in self.events if each["type"] == type)


@contextmanager
def listening(client: Client) -> Iterator[Socket]:
    heard = Socket()
    headers = {"Authorization": f"Bearer {client.token}"} if client.token else {}
    with connect(f"ws{client.server.url.removeprefix('http')}/api/live", additional_headers=headers) as socket:

        def listen() -> None:
            try:
                for event in socket:
                    heard.events.append(json.loads(event))
            except ConnectionClosed:
                pass
            heard.closed_with = socket.close_code

        listener = threading.Thread(target=listen)
        listener.start()
        yield heard
    listener.join()
