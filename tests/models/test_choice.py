"""Who answers, out of what everybody asked for (V5)."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from everlore.domain.config import ConversationConfig
from everlore.domain.config_choices import Service
from everlore.models.chat import Purpose
from everlore.models.choice import USUAL_ADDRESSES, ChoiceOrigin, Endpoint, Wish, Wishes, choose, wishes_of
from everlore.models.discovery import Offer
from everlore.settings import ChatSettings, ExtractionSettings, Settings, TaskModelSettings

KEY = SecretStr("sk-very-secret-0123456789")
OTHER_KEY = SecretStr("sk-another-secret-987654")
OPENAI = USUAL_ADDRESSES[Service.OPENAI]
OLLAMA = USUAL_ADDRESSES[Service.OLLAMA]

FOUND_OLLAMA = Offer(provider=Service.OLLAMA, base_url=OLLAMA, models=("found:7b", "found:3b"), why="Ollama answers.")
FOUND_STUDIO = Offer(provider=Service.OPENAI, base_url="http://127.0.0.1:1234/v1", models=("studio",), why="…")
KEY_IN_ENVIRONMENT = Offer(
    provider=Service.OPENAI, base_url=OPENAI, models=("gpt-4.1-mini",), why="OPENAI_API_KEY is set.", api_key=KEY
)
VLLM = Wish(provider=Service.OPENAI, base_url="http://vllm:8000/v1", model="big", api_key=OTHER_KEY)


def chat(wish: Wish) -> Wishes:
    return {Purpose.CHAT: wish}


def chosen(
    *offers: Offer,
    operator: Wish | None = None,
    workspace: Wish | None = None,
    conversation: ConversationConfig | None = None,
) -> Endpoint:
    return choose(
        Purpose.CHAT,
        operator=chat(operator or Wish()),
        workspace=chat(workspace or Wish()),
        conversation=conversation or ConversationConfig(),
        offers=offers,
    )


# Who comes first.


def test_nothing_at_all_is_the_built_in_voice() -> None:
    endpoint = chosen()

    assert (endpoint.provider, endpoint.origin, endpoint.built_in) == (Service.VOICE, ChoiceOrigin.BUILT_IN, True)


def test_what_was_found_comes_before_the_voice() -> None:
    assert chosen(FOUND_OLLAMA) == Endpoint(
        provider=Service.OLLAMA, base_url=OLLAMA, model="found:7b", origin=ChoiceOrigin.FOUND
    )


def test_the_operator_comes_before_what_was_found() -> None:
    endpoint = chosen(FOUND_OLLAMA, operator=VLLM)

    assert (endpoint.base_url, endpoint.model, endpoint.origin) == (VLLM.base_url, "big", ChoiceOrigin.OPERATOR)


def test_the_workspace_comes_before_the_operator() -> None:
    endpoint = chosen(operator=VLLM, workspace=Wish(provider=Service.OLLAMA, model="mine"))

    assert (endpoint.provider, endpoint.model, endpoint.origin) == (Service.OLLAMA, "mine", ChoiceOrigin.WORKSPACE)
    assert endpoint.api_key is None


def test_the_conversation_comes_before_all() -> None:
    config = ConversationConfig(service_type=Service.VOICE)

    endpoint = chosen(FOUND_OLLAMA, operator=VLLM, workspace=VLLM, conversation=config)

    assert (endpoint.provider, endpoint.origin) == (Service.VOICE, ChoiceOrigin.CONVERSATION)


def test_the_operator_may_insist_on_the_voice() -> None:
    endpoint = chosen(FOUND_OLLAMA, KEY_IN_ENVIRONMENT, operator=Wish(provider=Service.VOICE))

    assert (endpoint.provider, endpoint.origin) == (Service.VOICE, ChoiceOrigin.OPERATOR)


# Wishes that leave something open.


def test_a_model_alone_is_asked_at_the_endpoint_below() -> None:
    by_workspace = chosen(operator=VLLM, workspace=Wish(model="small"))
    by_conversation = chosen(FOUND_OLLAMA, conversation=ConversationConfig(model="found:3b"))

    assert by_workspace == Endpoint(
        provider=Service.OPENAI, base_url=VLLM.base_url, model="small", api_key=OTHER_KEY, origin=ChoiceOrigin.WORKSPACE
    )
    assert (by_conversation.base_url, by_conversation.model) == (OLLAMA, "found:3b")
    assert by_conversation.origin is ChoiceOrigin.CONVERSATION


def test_a_model_alone_changes_nothing_about_the_voice() -> None:
    endpoint = chosen(conversation=ConversationConfig(model="gpt-5"))

    assert (endpoint.provider, endpoint.model, endpoint.origin) == (Service.VOICE, "", ChoiceOrigin.BUILT_IN)


def test_a_provider_alone_is_the_nearest_endpoint_of_that_provider() -> None:
    config = ConversationConfig(service_type=Service.OPENAI)

    endpoint = chosen(operator=VLLM, workspace=Wish(provider=Service.OLLAMA), conversation=config)

    assert (endpoint.base_url, endpoint.model, endpoint.api_key) == (VLLM.base_url, "big", OTHER_KEY)


def test_a_provider_that_nobody_has_is_at_its_usual_address_with_its_usual_model() -> None:
    openai = chosen(operator=Wish(provider=Service.OPENAI))
    ollama = chosen(workspace=Wish(provider=Service.OLLAMA))

    assert (openai.base_url, openai.model, openai.api_key, openai.barred) == (OPENAI, "gpt-4.1-mini", None, False)
    assert (ollama.base_url, ollama.model, ollama.barred) == (OLLAMA, "", False)


@pytest.mark.parametrize("service", [Service.OPENAI, Service.OLLAMA])
def test_a_conversation_chooses_only_among_services_that_somebody_set_up(service: Service) -> None:
    """V5: members set up conversations too, and must not make the server call out."""
    config = ConversationConfig(service_type=service, model="mine")
    other = Wish(provider=Service.OLLAMA if service is Service.OPENAI else Service.OPENAI)

    assert chosen(conversation=config).barred
    assert chosen(operator=other, conversation=config).barred
    assert not chosen(operator=Wish(provider=service), conversation=config).barred
    assert not chosen(workspace=Wish(provider=service), conversation=config).barred
    assert not chosen(FOUND_OLLAMA, FOUND_STUDIO, conversation=config).barred


def test_a_conversation_that_names_the_provider_of_what_was_found_stays_there() -> None:
    """It must not leave this machine because of a word that stands for both."""
    config = ConversationConfig(service_type=Service.OPENAI)

    assert chosen(FOUND_STUDIO, KEY_IN_ENVIRONMENT, conversation=config).base_url == FOUND_STUDIO.base_url


def test_an_operator_who_names_openai_means_the_service_with_the_key() -> None:
    endpoint = chosen(FOUND_STUDIO, KEY_IN_ENVIRONMENT, operator=Wish(provider=Service.OPENAI, model="gpt-5"))

    assert (endpoint.base_url, endpoint.model, endpoint.api_key) == (OPENAI, "gpt-5", KEY)


def test_a_key_without_an_address_belongs_to_the_usual_address() -> None:
    endpoint = chosen(operator=VLLM, workspace=Wish(provider=Service.OPENAI, api_key=KEY))

    assert (endpoint.base_url, endpoint.api_key, endpoint.model) == (OPENAI, KEY, "gpt-4.1-mini")


def test_an_address_without_a_key_takes_over_no_key_of_another_address() -> None:
    mine = Wish(provider=Service.OPENAI, base_url="http://mine:9/v1")

    endpoint = chosen(KEY_IN_ENVIRONMENT, operator=VLLM, workspace=mine)

    assert (endpoint.base_url, endpoint.api_key) == (mine.base_url, None)


def test_the_same_address_keeps_its_key() -> None:
    again = Wish(provider=Service.OPENAI, base_url=f"{VLLM.base_url}/", model="small")

    endpoint = chosen(operator=VLLM, workspace=again)

    assert (endpoint.model, endpoint.api_key) == ("small", OTHER_KEY)


def test_a_local_file_is_a_path_and_nothing_else() -> None:
    endpoint = chosen(operator=VLLM, workspace=Wish(provider=Service.LOCAL, model="mira.gguf"))

    assert (endpoint.base_url, endpoint.model, endpoint.api_key) == ("", "mira.gguf", None)


OPERATORS_FILE = Wish(provider=Service.LOCAL, model="/models/mira.gguf")


@pytest.mark.parametrize(
    ("path", "opened"),
    [
        ("/models/mira.gguf", "/models/mira.gguf"),
        ("/models/rex.gguf", "/models/rex.gguf"),
        ("/models/x/../rex.gguf", "/models/rex.gguf"),
    ],
)
def test_a_file_in_the_operators_folder_may_be_chosen(path: str, opened: str) -> None:
    """V5: and is opened under the path that was looked at."""
    by_workspace = chosen(operator=OPERATORS_FILE, workspace=Wish(provider=Service.LOCAL, model=path))
    by_conversation = chosen(operator=OPERATORS_FILE, conversation=ConversationConfig(model=path))

    for endpoint in (by_workspace, by_conversation):
        assert (endpoint.barred, endpoint.model) == (False, opened)


@pytest.mark.parametrize("path", ["/etc/passwd", "/models/../etc/passwd", "/models/x/rex.gguf", "rex.gguf", "~/a.gguf"])
def test_any_other_file_is_barred_whoever_below_the_operator_names_it(path: str) -> None:
    """V5."""
    config = ConversationConfig(service_type=Service.LOCAL, model=path)

    assert chosen(operator=OPERATORS_FILE, conversation=config).barred
    assert chosen(operator=OPERATORS_FILE, workspace=Wish(provider=Service.LOCAL, model=path)).barred
    assert chosen(operator=VLLM, conversation=config).barred
    assert chosen(conversation=config).barred
    assert not chosen(operator=Wish(provider=Service.LOCAL, model=path)).barred
    task = choose(Purpose.ANALYSIS, operator=chat(OPERATORS_FILE), conversation=ConversationConfig(analyze_model=path))
    assert task.barred


# Analysis and extraction.

TASKS = [Purpose.ANALYSIS, Purpose.EXTRACTION]


@pytest.mark.parametrize("purpose", TASKS)
def test_tasks_fall_back_to_the_chat_endpoint(purpose: Purpose) -> None:
    config = ConversationConfig(service_type=Service.OLLAMA, model="mine")

    assert choose(purpose, operator=chat(VLLM), conversation=config) == choose(
        Purpose.CHAT, operator=chat(VLLM), conversation=config
    )


@pytest.mark.parametrize("purpose", TASKS)
def test_tasks_have_their_own_models_at_the_chat_endpoint(purpose: Purpose) -> None:
    config = ConversationConfig(analyze_model="small", extraction_model="small")

    endpoint = choose(purpose, operator=chat(VLLM), conversation=config)

    assert (endpoint.base_url, endpoint.model, endpoint.api_key) == (VLLM.base_url, "small", OTHER_KEY)
    assert endpoint.origin is ChoiceOrigin.CONVERSATION


@pytest.mark.parametrize("purpose", TASKS)
def test_the_operators_task_model_stays_where_the_operator_put_it(purpose: Purpose) -> None:
    """A conversation that chats elsewhere does not take the operator's task model with it."""
    config = ConversationConfig(service_type=Service.OLLAMA, model="mine")

    endpoint = choose(purpose, operator={**chat(VLLM), purpose: Wish(model="small")}, conversation=config)

    assert (endpoint.base_url, endpoint.model, endpoint.origin) == (VLLM.base_url, "small", ChoiceOrigin.OPERATOR)


@pytest.mark.parametrize("purpose", TASKS)
def test_the_workspaces_task_endpoint_comes_before_the_operators(purpose: Purpose) -> None:
    endpoint = choose(
        purpose,
        operator={**chat(VLLM), purpose: Wish(model="small")},
        workspace={purpose: Wish(provider=Service.OLLAMA, model="tiny")},
    )

    assert (endpoint.provider, endpoint.model, endpoint.origin) == (Service.OLLAMA, "tiny", ChoiceOrigin.WORKSPACE)


def test_wishes_for_one_task_do_not_reach_the_other_nor_the_chat() -> None:
    operator = {**chat(VLLM), Purpose.ANALYSIS: Wish(model="small")}

    assert choose(Purpose.EXTRACTION, operator=operator).model == "big"
    assert choose(Purpose.CHAT, operator=operator).model == "big"


def test_an_address_for_a_task_is_spoken_to_as_the_chat_is() -> None:
    operator = {**chat(Wish(provider=Service.OLLAMA)), Purpose.ANALYSIS: Wish(base_url="http://box:11434", model="x")}

    assert choose(Purpose.ANALYSIS, operator=operator).provider is Service.OLLAMA


# The operator's settings.


def test_the_settings_are_the_operators_wishes() -> None:
    settings = Settings(
        chat=ChatSettings(provider="ollama", model="mira:7b"),
        analysis=TaskModelSettings(model="small"),
        extraction=ExtractionSettings(provider="openai", base_url="http://vllm:8000/v1", api_key=KEY),
    )

    wishes = wishes_of(settings)

    assert wishes[Purpose.CHAT] == Wish(provider=Service.OLLAMA, model="mira:7b")
    assert wishes[Purpose.ANALYSIS] == Wish(model="small")
    assert wishes[Purpose.EXTRACTION] == Wish(provider=Service.OPENAI, base_url="http://vllm:8000/v1", api_key=KEY)


def test_settings_that_say_nothing_wish_for_nothing() -> None:
    assert set(wishes_of(Settings(chat=ChatSettings())).values()) == {Wish()}


@pytest.mark.parametrize("given_", [{"base_url": "http://vllm:8000/v1"}, {"api_key": KEY}])
def test_an_address_or_a_key_is_used_even_where_the_provider_was_left_at_auto(given_: dict[str, object]) -> None:
    settings = Settings(chat=ChatSettings.model_validate(given_))

    endpoint = choose(Purpose.CHAT, operator=wishes_of(settings), offers=[FOUND_OLLAMA])

    assert (endpoint.provider, endpoint.origin) == (Service.OPENAI, ChoiceOrigin.OPERATOR)


# What is always so.

_KEYS = [None, KEY, OTHER_KEY]
_WISHES = st.builds(
    Wish,
    provider=st.sampled_from(Service),
    base_url=st.sampled_from(["", OPENAI, "http://a/v1", "http://b/v1"]),
    model=st.sampled_from(["", "x"]),
    api_key=st.sampled_from(_KEYS),
)
_OFFERS = st.lists(st.sampled_from([FOUND_OLLAMA, FOUND_STUDIO, KEY_IN_ENVIRONMENT]), unique=True)


@given(
    st.sampled_from(Purpose),
    st.dictionaries(st.sampled_from(Purpose), _WISHES),
    st.dictionaries(st.sampled_from(Purpose), _WISHES),
    st.sampled_from(Service),
    _OFFERS,
)
def test_a_key_is_only_ever_sent_to_the_address_that_it_was_given_for(
    purpose: Purpose, operator: Wishes, workspace: Wishes, service: Service, offers: list[Offer]
) -> None:
    config = ConversationConfig(service_type=service)

    endpoint = choose(purpose, operator=operator, workspace=workspace, conversation=config, offers=offers)

    assert endpoint.provider is not Service.AUTO
    together = {(offer.base_url, offer.api_key) for offer in offers} | {
        (wish.base_url or usual, wish.api_key)
        for wish, usual in product([*operator.values(), *workspace.values()], [*USUAL_ADDRESSES.values(), ""])
    }
    assert endpoint.api_key is None or (endpoint.base_url, endpoint.api_key) in together


def test_neither_wish_nor_endpoint_shows_its_key() -> None:
    secret = OTHER_KEY.get_secret_value()

    assert secret not in repr(VLLM) + repr(chosen(operator=VLLM)) + str(chosen(operator=VLLM))
