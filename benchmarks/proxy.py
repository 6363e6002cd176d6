"""The barest thing between a client and a model server: FastAPI that hands the bytes on. What Everlore is measured
beside.

`python -m benchmarks.proxy PROVIDER` prints its address.
"""

import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

# As Everlore: else whoever uses a connection in the moment in which it is closed gets a reset.
_KEEP_ALIVE_S = 75


def build_proxy(provider: str) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        # At once, as the official client does: else the system holds back the body until the head is confirmed.
        at_once = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
        transport = httpx.AsyncHTTPTransport(limits=limits, socket_options=at_once)
        async with httpx.AsyncClient(base_url=provider, transport=transport, timeout=60) as client:
            app.state.client = client
            yield

    app = FastAPI(lifespan=lifespan)

    @app.post("/v1/chat/completions")
    async def hand_on(request: Request) -> StreamingResponse:
        client: httpx.AsyncClient = request.app.state.client
        asked = client.build_request("POST", "/v1/chat/completions", content=await request.body())
        answer = await client.send(asked, stream=True)

        async def body() -> AsyncIterator[bytes]:
            try:
                async for part in answer.aiter_raw():
                    yield part
            finally:
                await answer.aclose()

        return StreamingResponse(body(), media_type="text/event-stream")

    return app


def main(provider: str) -> None:
    # Named as TCP: only then asyncio sends each part at once.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(512)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    config = uvicorn.Config(build_proxy(provider), log_config=None, timeout_keep_alive=_KEEP_ALIVE_S)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main(sys.argv[1])
