"""The embedder for OpenAI-compatible servers (V5), against a real server on this machine."""

import asyncio
import json
import socket
import threading
import traceback
from collections.abc import AsyncIterator, Callable, Iterator

import numpy as np
import pytest
from pydantic import SecretStr

from everlore.errors import BadAsk, EverloreError, Misconfigured, ModelMisbehaved
from everlore.models.openai_embedder import READ_BYTES, RETRIES, OpenAIEmbedder
from everlore.settings import EmbeddingSettings
from tests.models.embedding_server import Ask, EmbeddingServer, always, embeddings, vector, well_behaved
from tests.waiting import PATIENCE_S

KEY = "sk-very-secret-0123456789"

Made = Callable[..., OpenAIEmbedder]


@pytest.fixture
async def made(server: EmbeddingServer) -> AsyncIterator[Made]:
    """Makes embedders that talk to the server, and closes them."""
    open_ones: list[OpenAIEmbedder] = []

    def make(**changes: object) -> OpenAIEmbedder:
        wanted = {"provider": "openai", "model": "m", "base_url": server.url, "api_key": SecretStr(KEY)}
        open_ones.append(OpenAIEmbedder(EmbeddingSettings.model_validate(wanted | changes)))
        return open_ones[-1]

    yield make
    for embedder in open_ones:
        await embedder.close()


@pytest.fixture
def closed_port() -> Iterator[int]:
    """Bound but not listening, so that nobody else takes it and every call is refused."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


# What it does.


async def test_texts_become_unit_vectors_in_the_order_of_the_texts(made: Made) -> None:
    texts = ["Mira", "lives in", "Oslo 😀", "שלום"]

    rows = await made().embed(texts)

    raw = np.array([vector(text) for text in texts])
    assert rows.dtype == np.float32
    assert rows == pytest.approx(raw / np.linalg.norm(raw, axis=1, keepdims=True), abs=1e-6)


async def test_texts_go_out_in_batches_of_the_set_size(made: Made, server: EmbeddingServer) -> None:
    texts = [f"number {n}" for n in range(7)]

    rows = await made(batch=3).embed(texts)

    assert [ask["input"] for ask in server.asked] == [texts[:3], texts[3:6], texts[6:]]
    assert len(rows) == 7


async def test_the_server_is_asked_for_the_model_in_plain_floats_with_the_key(
    made: Made, server: EmbeddingServer
) -> None:
    await made(model="nomic").embed(["Mira"])

    assert server.asked == [{"input": ["Mira"], "model": "nomic", "encoding_format": "float"}]
    assert server.keys == [f"Bearer {KEY}"]
    assert server.paths == ["/v1/embeddings"]


async def test_a_server_without_keys_gets_a_placeholder(made: Made, server: EmbeddingServer) -> None:
    await made(api_key=None).embed(["Mira"])

    assert server.keys == ["Bearer none"]


async def test_dimensions_are_asked_for_when_set(made: Made, server: EmbeddingServer) -> None:
    await made(dims=3).embed(["Mira"])

    assert server.asked[0]["dimensions"] == 3


def test_the_name_tells_model_and_dimensions_but_not_the_address(made: Made) -> None:
    assert made(model="nomic").name == "openai:nomic"
    assert made(model="nomic", dims=256).name == "openai:nomic:256"


async def test_blank_texts_are_rows_of_zeros_and_never_sent_as_such(made: Made, server: EmbeddingServer) -> None:
    rows = await made().embed(["", "Mira", " \n"])

    assert [row.any() for row in rows] == [False, True, False]
    assert all(text.strip() for text in server.asked[0]["input"])


async def test_a_megabyte_of_text_is_sent_only_in_its_beginning(made: Made, server: EmbeddingServer) -> None:
    rows = await made().embed(["é" * 1_000_000])

    assert server.asked[0]["input"] == ["é" * (READ_BYTES // 2)]
    assert np.linalg.norm(rows[0]) == pytest.approx(1)


async def test_no_texts_ask_nothing(made: Made, server: EmbeddingServer) -> None:
    rows = await made().embed([])

    assert len(rows) == 0
    assert server.asked == []


async def test_half_a_character_is_refused_before_anything_is_sent(made: Made, server: EmbeddingServer) -> None:
    with pytest.raises(BadAsk, match="half a character at position 0"):
        await made().embed(["\udc00"])

    assert server.asked == []


async def test_many_calls_at_once_each_get_their_own_answer(made: Made) -> None:
    embedder = made()
    texts = ["a" * length for length in range(1, 21)]

    answers = await asyncio.gather(*(embedder.embed([text]) for text in texts))

    assert np.array_equal(np.concatenate(answers), await embedder.embed(texts))


async def test_a_closed_embedder_opens_again_when_asked(made: Made) -> None:
    embedder = made()
    await embedder.embed(["Mira"])
    await embedder.close()

    rows = await embedder.embed(["Mira"])

    assert len(rows) == 1


async def test_one_hiccup_of_the_server_goes_unnoticed(made: Made, server: EmbeddingServer) -> None:
    server.reply = lambda ask: well_behaved(ask) if len(server.asked) > 1 else (503, b"{}")

    rows = await made().embed(["Mira"])

    assert len(rows) == 1


# What it says when the server fails.


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_a_failing_server_is_tried_a_few_times_and_then_left_for_later(
    made: Made, server: EmbeddingServer, status: int
) -> None:
    server.reply = always(status, '{"error": {"message": "out of memory"}}')

    with pytest.raises(ModelMisbehaved, match=rf"failed or is overloaded \(HTTP {status}\).*tried again later"):
        await made().embed(["Mira"])

    assert len(server.asked) == 1 + RETRIES


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_names_the_setting(made: Made, server: EmbeddingServer, status: int) -> None:
    server.reply = always(status, json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}))

    with pytest.raises(Misconfigured, match=r"did not accept the key.*Set EVERLORE_EMBEDDING__API_KEY"):
        await made().embed(["Mira"])


async def test_a_missing_key_is_called_missing(made: Made, server: EmbeddingServer) -> None:
    server.reply = always(401, "{}")

    with pytest.raises(Misconfigured, match="did not accept a call without a key"):
        await made(api_key=None).embed(["Mira"])


async def test_an_unknown_model_is_named(made: Made, server: EmbeddingServer) -> None:
    server.reply = always(404, '{"error": {"message": "no such model"}}')

    with pytest.raises(Misconfigured, match=r"has no model 'nomic'.*Check EVERLORE_EMBEDDING__MODEL"):
        await made(model="nomic").embed(["Mira"])


async def test_a_refused_request_repeats_what_the_server_said(made: Made, server: EmbeddingServer) -> None:
    server.reply = always(400, json.dumps({"error": {"message": f"{KEY} may not use dimensions"}}))

    with pytest.raises(Misconfigured, match=r"refused the request \(HTTP 400\).*\*\*\* may not use dimensions"):
        await made().embed(["Mira"])


async def test_an_address_where_nobody_listens_is_the_operators_to_mend(made: Made, closed_port: int) -> None:
    url = f"http://127.0.0.1:{closed_port}/v1"

    with pytest.raises(Misconfigured, match=rf"at {url} cannot be reached. Start it, or correct"):
        await made(base_url=url).embed(["Mira"])


async def test_a_server_that_hangs_up_is_tried_again_later(made: Made, server: EmbeddingServer) -> None:
    server.reply = lambda _: None

    with pytest.raises(ModelMisbehaved, match="broke off the connection"):
        await made().embed(["Mira"])


async def test_a_slow_server_is_given_up_after_the_set_time(made: Made, server: EmbeddingServer) -> None:
    released = threading.Event()

    def sleepy(ask: Ask) -> tuple[int, bytes]:
        released.wait(PATIENCE_S)
        return well_behaved(ask)

    server.reply = sleepy
    embedder = made(timeout_s=0.3)

    try:
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(ModelMisbehaved, match=r"did not answer within 0.3 s.*TIMEOUT_S"):
                await embedder.embed(["Mira"])
    finally:
        released.set()


@pytest.mark.parametrize("body", ["", "<html>hello</html>", "[]", '{"data": "no"}', '{"data": [{"index": 0}]}'])
async def test_garbage_points_at_the_address(made: Made, server: EmbeddingServer, body: str) -> None:
    server.reply = always(200, body)

    with pytest.raises(ModelMisbehaved, match=r"other than a list of embeddings.*mostly ends in /v1"):
        await made().embed(["Mira"])


@pytest.mark.parametrize("count", [0, 1, 3])
async def test_a_wrong_number_of_vectors_is_refused(made: Made, server: EmbeddingServer, count: int) -> None:
    server.reply = lambda _: embeddings([[1.0, 0.0]] * count)

    with pytest.raises(ModelMisbehaved, match=f"answered {count} vectors for 2 texts"):
        await made().embed(["Mira", "Oslo"])


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e300])
async def test_numbers_without_end_are_refused(made: Made, server: EmbeddingServer, number: float) -> None:
    server.reply = lambda _: embeddings([[1.0, number]])

    with pytest.raises(ModelMisbehaved, match="NaN or infinite"):
        await made().embed(["Mira"])


async def test_vectors_of_mixed_length_are_refused(made: Made, server: EmbeddingServer) -> None:
    server.reply = lambda _: embeddings([[1.0, 0.0], [1.0, 0.0, 0.0]])

    with pytest.raises(ModelMisbehaved, match="answered with 2 and 3 dimensions; one length was expected"):
        await made().embed(["Mira", "Oslo"])


async def test_a_server_that_changes_its_length_later_is_refused(made: Made, server: EmbeddingServer) -> None:
    embedder = made()
    await embedder.embed(["Mira"])
    server.reply = lambda _: embeddings([[1.0, 0.0]])

    with pytest.raises(ModelMisbehaved, match="answered with 2 dimensions; 3 was expected"):
        await embedder.embed(["Mira"])


async def test_empty_vectors_are_refused_and_a_recovered_server_is_believed(
    made: Made, server: EmbeddingServer
) -> None:
    embedder = made()
    server.reply = lambda _: embeddings([[]])
    with pytest.raises(ModelMisbehaved, match="answered with 0 dimensions"):
        await embedder.embed(["Mira"])

    server.reply = well_behaved

    assert len(await embedder.embed(["Mira"])) == 1


async def test_a_server_that_ignores_the_asked_dimensions_names_the_setting(made: Made) -> None:
    with pytest.raises(Misconfigured, match=r"with 3 dimensions; 256 were asked for. Unset EVERLORE_EMBEDDING__DIMS"):
        await made(dims=256).embed(["Mira"])


# What it never says.


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 418, 429, 500])
async def test_no_error_and_no_traceback_ever_shows_the_key(made: Made, server: EmbeddingServer, status: int) -> None:
    server.reply = always(status, json.dumps({"error": {"message": f"You sent {KEY}!"}}))

    with pytest.raises(EverloreError) as caught:
        await made().embed(["Mira"])

    assert KEY not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("key", ["sk-secret\n", "sk secret", "sk-sécret"])
def test_a_key_that_cannot_be_sent_is_refused_without_being_shown(made: Made, key: str) -> None:
    with pytest.raises(Misconfigured, match="EVERLORE_EMBEDDING__API_KEY holds a space") as caught:
        made(api_key=SecretStr(key))

    assert key not in str(caught.value)


async def test_a_password_in_the_address_is_not_shown(made: Made, closed_port: int) -> None:
    url = f"http://user:hunter2@127.0.0.1:{closed_port}/v1?token=hunter3"

    with pytest.raises(Misconfigured, match="cannot be reached") as caught:
        await made(base_url=url).embed(["Mira"])

    assert "hunter" not in str(caught.value)


@pytest.mark.parametrize("url", ["", "localhost:11434", "ftp://example.org", "http://", "http://host:port/v1"])
def test_what_is_no_address_is_refused_at_once(made: Made, url: str) -> None:
    with pytest.raises(Misconfigured, match="EVERLORE_EMBEDDING__BASE_URL is not an address"):
        made(base_url=url)
