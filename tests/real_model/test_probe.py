"""What a real model is worth as a reader of messages (F5): the probe, its verdict, and what a message costs."""

import os
from pathlib import Path

import pytest
from pydantic import SecretStr

from benchmarks.extract.extractors import ConfiguredModel, trusted
from everlore.domain.scope import Scope
from everlore.learning.model_records import probe_cases
from everlore.models.openai_chat import OpenAIChat

URL = os.environ["EVERLORE_REAL_MODEL_URL"]
KEY = SecretStr(os.environ["EVERLORE_REAL_MODEL_KEY"])
FILE = Path(os.environ["EVERLORE_REAL_MODEL_FILE"])


# On two cores a message takes a small model half a minute, and a larger one longer.
@pytest.mark.timeout(0)
async def test_a_real_model_is_probed_and_trusted_with_what_it_is_worth() -> None:
    chat = OpenAIChat(URL, "", KEY)
    model = ConfiguredModel(chat, Scope("here"))
    try:
        trust, probe = await trusted(model)
    finally:
        await chat.close()

    cost = model.cost()
    print(f"{FILE.name}: {trust.value}; {probe}; tokens a message {cost}")
    assert probe.messages == len(probe_cases())
    assert cost["prompt"] > 500
