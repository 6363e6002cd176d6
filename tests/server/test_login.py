"""Who comes in, with what, and how often: tokens, names, limits (S-1, S-2, S-4, S-7)."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from everlore.domain.conversation import Author
from everlore.domain.policy import Mode, Role
from everlore.domain.token import Token, read, spelled
from everlore.errors import BadAsk
from everlore.server.guard import is_named, names_of
from everlore.server.login import MODE, SOCKET_PROTOCOL
from everlore.server.rates import Rates
from everlore.services.tokens import recognised
from everlore.settings import LOOPBACK, ServerSettings, StoreSettings
from everlore.store.port import Amend
from everlore.store.sqlite.store import SqliteStore
from everlore.wiring import now
from tests.cli.process import Command
from tests.server.home import home
from tests.sqlite import migrated
from tests.waiting import PATIENCE_S

GUARDED = ServerSettings(tokens=True)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def test_without_tokens_whoever_is_at_this_machine_is_the_owner() -> None:
    """S-1; and a key that a client sends anyhow does no harm."""
    async with home() as here:
        plain = (await here.client.get("/api/me")).json()
        keyed = (await here.client.get("/api/me", headers=bearer("sk-whatever"))).json()
        forged = await here.client.get("/api/me", headers=bearer(spelled("default", "nothing", "secret")))

    assert plain["role"] == keyed["role"] == "owner"
    assert forged.status_code == 401


async def test_a_server_that_asks_for_tokens_lets_nobody_in_without() -> None:
    """S-1: but for that it is there."""
    async with home(server=GUARDED) as here:
        made = await here.lore.tokens.create("phone")
        health = await here.client.get("/api/health")
        bare = await here.client.get("/api/memories")
        meeting = await here.client.get("/api/characters")
        wrong = await here.client.get("/api/memories", headers=bearer("sk-whatever"))
        right = await here.client.get("/api/memories", headers=bearer(made.text))
        told = (await here.client.get("/v1/models")).json()

    assert (health.status_code, right.status_code) == (200, 200)
    assert {name for name, told in health.json().items() if told is not None} == {"status", "version"}
    assert [each.status_code for each in (bare, meeting, wrong)] == [401, 401, 401]
    assert bare.headers["www-authenticate"].startswith("Bearer")
    assert "everlore token create" in bare.json()["detail"]
    assert "token" in told["error"]["message"]


async def test_a_token_is_shown_once_and_kept_as_a_digest(tmp_path: Path) -> None:
    """S-2: nothing in the file can be made into the token again."""
    path = tmp_path / "lore.db"
    store = await SqliteStore.open(migrated(path), StoreSettings(), clock=now)
    async with home(store=store, server=GUARDED) as here:
        made = await here.lore.tokens.create("phone")
        listed = await here.client.get("/api/tokens", headers=bearer(made.text))
        secret = made.text.rpartition(".")[2]

    assert secret not in listed.text
    assert secret.encode() not in _bytes_in(tmp_path)


def _bytes_in(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.iterdir() if each.is_file())


async def test_a_token_that_was_revoked_or_has_expired_opens_nothing() -> None:
    async with home(server=GUARDED) as here:
        owner, phone = await here.lore.tokens.create("owner"), await here.lore.tokens.create("phone")
        short = await here.lore.tokens.create("short", days=1)
        before = await here.client.get("/api/memories", headers=bearer(phone.text))
        gone = await here.client.delete(f"/api/tokens/{phone.token.id}", headers=bearer(owner.text))
        after = await here.client.get("/api/memories", headers=bearer(phone.text))
        late = await recognised(here.lore.store, short.text, Mode.DUAL, now() + timedelta(days=2))
        again = await here.client.delete(f"/api/tokens/{phone.token.id}", headers=bearer(owner.text))

    assert (before.status_code, gone.status_code, after.status_code) == (200, 200, 401)
    assert not gone.json()["is_valid"]
    assert late is None
    assert again.json()["revoked_at"] == gone.json()["revoked_at"]


async def test_a_token_is_of_one_workspace() -> None:
    async with home(server=GUARDED) as here:
        made = await here.lore.within("elsewhere").tokens.create("phone")
        await here.lore.remember("Rex barks")
        me = (await here.client.get("/api/me", headers=bearer(made.text))).json()
        found = (await here.client.get("/api/memories", headers=bearer(made.text))).json()
        parts = read(made.text)
        assert parts is not None
        moved = await here.client.get("/api/me", headers=bearer(spelled("default", parts.id, parts.secret)))

    assert me["workspace"] == "elsewhere"
    assert found["items"] == []
    assert moved.status_code == 401


@pytest.mark.parametrize(
    "text",
    [
        "everlore_",
        "everlore_..",
        "everlore_a.b",
        "everlore_!!!.a.b",
        "everlore_ZGVmYXVsdA.x.",
        "nonsense",
        "é" * 50,
        "everlore_ZGVmYXVsdA.é.y",
        "everlore_ZGVmYXVsdA.a b.y",
        f"everlore_ZGVmYXVsdA.{'x' * 200}.y",
        f"everlore_{'QUFB' * 100}.x.y",
        "everlore_AAAA.x.y",
        "everlore_IA.x.y",
        "everlore_" + "x" * 20_000,
    ],
)
async def test_rubbish_is_no_token(text: str) -> None:
    """S-1: 401 and not 400, so that whoever sent it knows what to mend; whatever else is wrong with the request."""
    async with home(server=GUARDED) as here:
        sent = {b"Authorization": b"Bearer " + text.encode()}
        answer = await here.client.get("/api/memories", headers=sent)
        odd_mode = await here.client.get("/api/memories", headers={**sent, MODE.encode(): b"dreaming"})
        over_mcp = await here.client.post("/mcp", headers=sent)

    assert [each.status_code for each in (answer, odd_mode, over_mcp)] == [401] * 3


@pytest.mark.parametrize("sent", ["Basic dXNlcjpwYXNz", "everlore_ZGVmYXVsdA.x.y", "Bearer", "\x7f"])
async def test_what_is_sent_in_place_of_a_token_opens_nothing(sent: str) -> None:
    """S-1: not even what anybody may see where the operator lets them."""
    async with home(server=ServerSettings(tokens=True, anonymous=True)) as here:
        answer = await here.client.get("/api/characters", headers={"Authorization": sent})

    assert answer.status_code == 401


async def test_who_used_a_token_is_in_the_audit_log() -> None:
    """C10."""
    async with home(server=GUARDED) as here:
        made = await here.lore.tokens.create("phone")
        kept = await here.client.post("/api/memories", json={"content": "Rex barks"}, headers=bearer(made.text))
        log = (await here.client.get("/api/audit?kind=memory", headers=bearer(made.text))).json()["items"]
        lines = await here.client.get("/api/audit?format=ndjson", headers=bearer(made.text))

    assert [(each["actor"], each["verb"], each["ref"]) for each in log] == [
        (made.token.id, "created", kept.json()["id"])
    ]
    assert "Rex barks" not in lines.text
    kinds = {json.loads(line)["kind"] for line in lines.text.splitlines()}
    assert {"memory", "token"} <= kinds
    assert lines.headers["content-type"].startswith("application/x-ndjson")


async def test_a_token_asks_only_so_often() -> None:
    """S-7."""
    async with home(server=GUARDED) as here:
        slow = await here.lore.tokens.create("slow", per_minute=3)
        fast = await here.lore.tokens.create("fast")
        answers = [await here.client.get("/api/me", headers=bearer(slow.text)) for _ in range(5)]
        other = await here.client.get("/api/me", headers=bearer(fast.text))

    assert [each.status_code for each in answers] == [200, 200, 200, 429, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 20
    assert other.status_code == 200


def test_what_a_caller_saved_up_is_a_minute_at_most() -> None:
    rates = Rates()
    first = [rates.wait_s("a", 2, 0.0) for _ in range(3)]
    later = [rates.wait_s("a", 2, 1_000_000.0) for _ in range(3)]

    assert first == [0.0, 0.0, 30.0]
    assert later == [0.0, 0.0, 30.0]


def test_a_clock_that_was_set_back_shuts_nobody_out() -> None:
    """R-4: neither by what this server counted, nor by what others did."""
    rates = Rates()
    for _ in range(3):
        rates.wait_s("a", 2, 1_000_000.0, elsewhere=1_000_060.0)

    assert [rates.wait_s("a", 2, 0.0, elsewhere=1_000_060.0) for _ in range(3)] == [0.0, 0.0, 30.0]


def test_what_others_counted_is_counted_here() -> None:
    """S-7: once, and together with what they do not know yet."""
    rates = Rates()
    alone = rates.wait_s("a", 60, 0.0)
    told = rates.unsaved_s("a", 1.0)
    again = rates.unsaved_s("a", 1.0)
    late = [rates.wait_s("a", 60, 0.0, elsewhere=58.0) for _ in range(3)]

    assert (alone, told, again) == (0.0, 1.0, 0.0)
    assert late == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("role", list(Role))
async def test_a_token_carries_its_role_and_its_user(role: Role) -> None:
    async with home(server=GUARDED) as here:
        made = await here.lore.tokens.create("Robin", role=role)
        me = (await here.client.get("/api/me", headers=bearer(made.text))).json()

    assert me["role"] == role.value
    assert me["user"]["name"] == ("User" if role is Role.OWNER else "Robin")


async def test_users_are_made_renamed_and_deleted_with_their_tokens() -> None:
    async with home() as here:
        robin = (await here.client.post("/api/users", json={"name": "Robin"})).json()
        made = await here.client.post("/api/tokens", json={"name": "phone", "role": "member", "user_id": robin["id"]})
        renamed = await here.client.patch(f"/api/users/{robin['id']}", json={"name": "Robin Hood"})
        token = made.json()["token"]
        me = (await here.client.get("/api/me", headers=bearer(token))).json()
        nova = await here.character()
        no_user = await here.client.patch(f"/api/users/{nova}", json={"name": "Nobody"})
        gone = await here.client.delete(f"/api/users/{robin['id']}")
        after = await here.client.get("/api/me", headers=bearer(token))
        left = (await here.client.get("/api/users")).json()["items"]

    assert (made.status_code, renamed.json()["name"], me["user"]["name"]) == (201, "Robin Hood", "Robin Hood")
    assert (no_user.status_code, gone.status_code, after.status_code) == (404, 204, 401)
    assert robin["id"] not in {each["id"] for each in left}


async def test_a_token_that_cannot_be_is_refused() -> None:
    async with home() as here:
        nova = await here.character()
        for_nova = await here.client.post("/api/tokens", json={"name": "x", "user_id": nova})
        odd = await here.client.post("/api/tokens", json={"name": "x", "role": "king"})
        nameless = await here.client.post("/api/tokens", json={"name": ""})
        with pytest.raises(BadAsk, match="is not a role"):
            await here.lore.tokens.create("x", role="king")
        with pytest.raises(BadAsk, match="days"):
            await here.lore.tokens.create("x", days=-1)

    assert (for_nova.status_code, odd.status_code) == (400, 422)
    assert nameless.status_code in {400, 422}


# ── the live events ──────────────────────────────────────────────────────────────────────────────


async def test_a_socket_needs_a_token_too_and_tells_of_ones_own_part() -> None:
    """S-3: a browser sends it among the protocols."""
    async with home(server=GUARDED) as here:
        guest = await here.lore.tokens.create("Robin", role=Role.GUEST)
        url = here.url.replace("http", "ws") + "/api/live"
        with pytest.raises(InvalidStatus) as refused:
            async with connect(url):
                pass
        nova = await here.character()
        owners = await here.lore.conversations.start(nova, config={"auto_title": False}, greet=False)
        body = {"character_id": nova}
        talk = (await here.client.post("/api/conversations", json=body, headers=bearer(guest.text))).json()["id"]
        async with connect(url, subprotocols=[SOCKET_PROTOCOL, guest.text]) as socket:  # type: ignore[list-item]
            async for _ in here.lore.say(owners, "The ledger is in the cellar."):
                pass
            await here.lore.remember("The ledger is in the cellar", person=nova)
            await socket.send(json.dumps({"type": "say", "conversation_id": owners.id, "content": "Hi!"}))
            await socket.send(json.dumps({"type": "say", "conversation_id": talk, "content": "Hi!"}))
            heard: list[dict[str, Any]] = []
            while not heard or heard[-1]["type"] != "message.done":
                heard.append(json.loads(await socket.recv()))

    assert refused.value.response.status_code in {401, 403}
    assert heard[0]["type"] == "error"
    assert {each.get("conversation_id") for each in heard[1:]} == {talk}
    assert "cellar" not in json.dumps(heard)


@pytest.mark.parametrize("ends", ["revoked", "expired", "deleted"])
async def test_who_is_shut_out_loses_the_socket_with_the_token(ends: str) -> None:
    """S-1, S-3: nothing more is heard, and nothing more is said."""
    async with home(server=GUARDED) as here:
        nova = await here.character()
        robin = await here.lore.tokens.create("Robin", role=Role.MEMBER, days=1)
        talk = (
            await here.client.post("/api/conversations", json={"character_id": nova}, headers=bearer(robin.text))
        ).json()["id"]
        url = here.url.replace("http", "ws") + "/api/live"
        protocols: Any = [SOCKET_PROTOCOL, robin.text]
        say = json.dumps({"type": "say", "conversation_id": talk, "content": "Hi!"})
        async with connect(url, subprotocols=protocols) as hears, connect(url, subprotocols=protocols) as speaks:
            await speaks.send(say)
            while json.loads(await hears.recv())["type"] != "message.done":
                pass
            match ends:
                case "revoked":
                    await here.lore.tokens.revoke(robin.token.id)
                case "expired":
                    gone = [Amend(Token, robin.token.id, {"expires_at": now()})]
                    await here.lore.store.apply(here.lore.scope, gone)
                case _:
                    await here.lore.characters.delete(robin.token.user_id or "")
            await speaks.send(say)
            with pytest.raises(ConnectionClosed) as silenced:
                while True:
                    await speaks.recv()
            async for _ in here.lore.say(talk, "The ledger is in the cellar."):
                pass
            heard: list[str] = []
            with pytest.raises(ConnectionClosed) as deafened:
                while True:
                    heard.append(str(await hears.recv()))
        said = await here.lore.messages.all(talk)

    assert [each.value.rcvd.code for each in (silenced, deafened) if each.value.rcvd] == [1008, 1008]
    assert not any("cellar" in each for each in heard)
    assert [each.content for each in said if each.author is Author.USER] == ["Hi!", "The ledger is in the cellar."]


async def test_what_is_said_on_the_socket_counts_as_asking() -> None:
    """S-7."""
    async with home(server=GUARDED) as here:
        slow = await here.lore.tokens.create("slow", per_minute=3)
        url = here.url.replace("http", "ws") + "/api/live"
        async with connect(url, subprotocols=[SOCKET_PROTOCOL, slow.text]) as socket:  # type: ignore[list-item]
            for _ in range(4):
                await socket.send(json.dumps({"type": "stop", "conversation_id": "nope"}))
            heard = [json.loads(await socket.recv())["detail"] for _ in range(4)]

    # Coming in was the first.
    assert ["more often" in each for each in heard] == [False, False, True, True]


# ── the names of a server ────────────────────────────────────────────────────────────────────────


def test_a_server_answers_to_the_names_that_its_operator_gives_it() -> None:
    """S-4."""
    names = names_of(ServerSettings(host="0.0.0.0", names=("Lore.Example.org",)))

    assert is_named("lore.example.org:8420", names)
    assert is_named("localhost", names)
    assert not is_named("evil.example", names)
    assert not is_named("192.168.0.7:8420", names)
    assert is_named("192.168.0.7:8420", names, any_address=True)
    assert is_named("[fe80::1]:8420", LOOPBACK, any_address=True)
    assert not is_named("192.168.0.7.evil.example", names, any_address=True)


def test_a_server_that_others_can_reach_wants_an_owners_token_first(tmp_path: Path) -> None:
    """S-1: refused without one, guarded with one."""
    cli = Command(tmp_path)
    refused = cli("serve", "--host", "0.0.0.0", "--port", "0")
    made = cli.ok("token", "create", "me", "--json").document
    with cli.started("serve", "--host", "0.0.0.0", "--port", "0") as server:
        url = server.line().replace("0.0.0.0", "127.0.0.1")
        with httpx.Client(base_url=url, timeout=PATIENCE_S) as client:
            bare = client.get("/api/memories")
            ours = client.get("/api/memories", headers=bearer(made["token"]))
            named = client.get("/api/health", headers={"Host": "evil.example"})

    assert refused.code == 5
    assert "everlore token create" in refused.err
    assert (bare.status_code, ours.status_code, named.status_code) == (401, 200, 421)


async def test_a_mode_that_is_none_is_said() -> None:
    async with home() as here:
        answer = await here.client.get("/api/memories", headers={MODE: "dreaming"})

    assert answer.status_code == 400
    assert "emulation" in answer.json()["detail"]


def test_a_token_is_spelled_and_read() -> None:
    found = read(spelled("Ünterwelt/7", "01abc", "s3cret_-"))

    assert found is not None
    assert (found.workspace, found.id, found.secret) == ("Ünterwelt/7", "01abc", "s3cret_-")


def test_a_token_has_no_secret_among_its_fields() -> None:
    assert "secret" not in Token.__dataclass_fields__


# ── a browser ────────────────────────────────────────────────────────────────────────────────────


async def test_a_browser_keeps_its_token_where_no_script_can_read_it() -> None:
    """S-4: and sends it from pages of this server alone."""
    async with home(server=GUARDED) as here:
        made = await here.lore.tokens.create("me")
        wrong = await here.client.post("/api/session", json={"token": "everlore_nonsense"})
        logged_in = await here.client.post("/api/session", json={"token": made.text})
        cookie = logged_in.headers["set-cookie"]
        seen = await here.client.get("/api/memories")
        foreign = await here.client.get("/api/memories", headers={"Origin": "https://evil.example"})
        await here.lore.tokens.revoke(made.token.id)
        revoked = await here.client.get("/api/memories")
        again = await here.lore.tokens.create("me again")
        back = await here.client.post("/api/session", json={"token": again.text})
        out = await here.client.delete("/api/session")
        after = await here.client.get("/api/memories")

    assert wrong.status_code == 401
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    assert [each.status_code for each in (logged_in, seen, foreign, revoked, back, out, after)] == [
        200, 200, 403, 401, 200, 204, 401,
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["sk-whatever", "a\x01b", "é;=,", "everlore_", "everlore_ZGVmYXVsdA.x\x01.y", " "])
async def test_only_a_token_becomes_a_cookie(text: str) -> None:
    """Also where none is needed."""
    async with home() as here:
        answer = await here.client.post("/api/session", json={"token": text})

    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
