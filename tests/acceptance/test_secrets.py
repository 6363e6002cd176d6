"""No secret in any log, answer, error or export, nor in the database (S-2, V5): planted, and looked for everywhere."""

import signal
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.process import Command
from tests.models.chat_server import ChatServer, Exchange
from tests.waiting import PATIENCE_S

OPERATORS = "sk-operators-key-3f9a81c2"
WORKSPACES = "sk-workspaces-key-77d0e4b5"
PASSPHRASE = "a passphrase that nobody may see 5b1e"
SECRETS = (OPERATORS, WORKSPACES, PASSPHRASE)


async def _tell_tale(exchange: Exchange) -> None:
    """A server that repeats the key it was given, as some do."""
    given = exchange.asked.headers.get("authorization", "")
    await exchange.error(401, f"Incorrect API key provided: {given.removeprefix('Bearer ')}. Check {given}.")


@pytest.mark.parametrize("sealed_by", ["passphrase", "key file"])
def test_no_secret_is_told_to_anybody(tmp_path: Path, sealed_by: str) -> None:
    """S-2."""
    with ChatServer(scenario=_tell_tale) as model:
        cli = Command(
            tmp_path / "data",
            EVERLORE_LOG_LEVEL="debug",
            EVERLORE_CHAT__PROVIDER="openai",
            EVERLORE_CHAT__BASE_URL=model.url,
            EVERLORE_CHAT__MODEL="m",
            EVERLORE_CHAT__API_KEY=OPERATORS,
            **({"EVERLORE_SECRET_KEY": PASSPHRASE} if sealed_by == "passphrase" else {}),
        )
        with cli.started("serve", "--port", "0") as server:
            with httpx.Client(base_url=server.line(), timeout=PATIENCE_S) as client:
                heard = _talk_about_everything(client, model.url)
            ended = server.ends_after(signal.SIGTERM)
        doctor, chat = cli("doctor", "--json"), cli("chat", "Nova", stdin="Hello?\n")

    told = [*heard, ended.out, ended.err, doctor.out, doctor.err, chat.out, chat.err]
    kept = [path.read_bytes() for path in (tmp_path / "data").iterdir() if not path.name.startswith("secret")]
    used = {asked.headers.get("authorization") for asked in model.asked}
    assert {f"Bearer {OPERATORS}", f"Bearer {WORKSPACES}"} <= used, "the keys were really used"
    assert any("did not accept" in text or "HTTP 401" in text for text in told), "the refusals were really told"
    for secret in SECRETS:
        assert not [text for text in told if secret in text]
        assert not [data for data in kept if secret.encode() in data]
    if sealed_by == "key file":
        key_file = tmp_path / "data" / "secret.key"
        assert key_file.stat().st_mode & 0o777 == 0o600


def _talk_about_everything(client: httpx.Client, model_url: str) -> list[str]:
    heard: list[str] = []

    def ask(method: str, path: str, **more: Any) -> Any:
        answer = client.request(method, path, **more)
        heard.append(f"{answer.headers}\n{answer.text}")
        kind = answer.headers.get("content-type", "").partition(";")[0]
        return answer.json() if kind in ("application/json", "application/problem+json") else None

    nova = ask("GET", "/api/characters?kind=character")["items"][0]["id"]
    id = ask("POST", "/api/conversations", json={"character_id": nova})["id"]
    turn = ask("POST", f"/api/conversations/{id}/messages", json={"content": "Hello?"})
    ask("POST", f"/api/conversations/{id}/messages", json={"content": "Hello?", "stream": True})
    wish = {"provider": "openai", "base_url": model_url, "model": "m", "api_key": WORKSPACES}
    ask("PUT", "/api/models", json={"chat": wish, "analysis": wish})
    ask("PUT", "/api/models", json={"chat": wish | {"api_key": [WORKSPACES]}})
    ask("PUT", "/api/models", json={"chat": wish | {"surprise": WORKSPACES}})
    ask("POST", "/api/models/discover")
    ask("POST", f"/api/conversations/{id}/messages/{turn['reply']['id']}/regenerate")
    ask("POST", f"/api/conversations/{id}/messages/{turn['reply']['id']}/regenerate", json={"stream": True})
    chat = {"model": "everlore/nova", "messages": [{"role": "user", "content": "Hello?"}]}
    ask("POST", "/v1/chat/completions", json=chat)
    ask("POST", "/v1/chat/completions", json=chat | {"stream": True})
    for path in (
        "/",
        "/api/health",
        "/api/me",
        "/api/models",
        "/api/conversations",
        f"/api/conversations/{id}",
        f"/api/conversations/{id}/messages",
        f"/api/conversations/{id}/export",
        f"/api/characters/{nova}/export",
        "/v1/models",
        "/openapi.json",
    ):
        ask("GET", path)
    return heard
