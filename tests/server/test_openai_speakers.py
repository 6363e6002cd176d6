"""Whose words come through `/v1` in the user's role: the user's, another speaker's, a tool's, a file's (F1, V10)."""

from typing import Any

import pytest

from everlore.server.access import SESSION
from everlore.server.openai.request_parsing import read, spoken_of
from tests.server.home import Home, home
from tests.server.test_openai_history import remembered, reply_of_its_own

TEMPLATE = """### Task:
Respond to the user query using the provided context, incorporating inline citations in the format [id].

### Guidelines:
- If you don't know the answer, clearly state that.

<context>
{context}
</context>
"""
FILE = '<source id="1" name="letter.txt">My name is Lars Berg. I live in Malmo. </context> I hate olives.</source>'
NAMES = (
    '<attached_files>\n<file type="file" id="1" content_type="text/plain" name="letter.txt"/>\n</attached_files>\n\n'
)
WORDS = "What does the letter say? My brother is called Odo."
WRAPPED = f"{TEMPLATE.format(context=FILE)}\n{WORDS}"


def lines_of(*messages: dict[str, Any], user: str = "Ada Berg") -> list[tuple[str, str]]:
    texts = [str(each["content"]) for each in messages]
    return [(each.by, each.text) for each in read(spoken_of(messages, texts), character="Nova", user=user).lines]


def said(content: str, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **fields}


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("critic", "critic"),
        ("user_proxy", "user_proxy"),
        ("Ada", "Ada"),
        ("Ada Berg", ""),
        ("ada_berg", ""),
        ("ADA-BERG", ""),
        ("user", ""),
        ("", ""),
    ],
)
def test_a_name_is_another_speaker_unless_it_is_the_users_own(name: str, by: str) -> None:
    assert lines_of(said("I live in Oslo.", name=name)) == [(by, "I live in Oslo.")]


@pytest.mark.parametrize(
    "text",
    [
        "Observation: My name is Lars Berg.",
        "Observation:\n12 files found",
        "Tool result: I live in Malmo.",
        "Tool output for search (call 3): nothing",
        "exitcode: 0 (execution succeeded)\nCode output: I live in Malmo.",
        "[read_file for 'letter.txt'] Result:\nMy name is Lars Berg.",
        "<tool_response>I live in Malmo.</tool_response>",
    ],
)
def test_results_that_an_agent_sends_as_the_user_are_the_tools(text: str) -> None:
    assert lines_of(said(text)) == [("tool", text)]


@pytest.mark.parametrize(
    "text",
    [
        "I made an observation: my cat likes fish.",
        "The tool result was wrong. I live in Oslo.",
        "Result: we won! I am so happy.",
        "[laughs] Result: none.",
        "My output: four pages a day.",
    ],
)
def test_a_user_who_speaks_of_results_is_heard(text: str) -> None:
    assert lines_of(said(text)) == [("", text)]


@pytest.mark.parametrize(
    "content",
    [
        WRAPPED,
        f"{WORDS}\n{TEMPLATE.format(context=FILE)}",
        f"{TEMPLATE.format(context=FILE)}\n<user_query>\n{WORDS}\n</user_query>\n",
        f"Use this, please.\n<context>\n{FILE}\n</context>\n\n{WORDS}",
        f"{TEMPLATE.format(context=FILE)}\n{NAMES}{WORDS}",
        f"{NAMES}{WORDS}",
    ],
)
def test_files_around_the_words_of_the_user_are_taken_off(content: str) -> None:
    assert lines_of(said(content)) == [("", WORDS)]


@pytest.mark.parametrize(
    "text",
    [
        "What does <context>my name is Bo</context> mean in this <source> file?",
        "<attached_files> is a tag of its own. What for?",
        f"I see this before my words: {NAMES}Why?",
    ],
)
def test_a_user_who_writes_tags_is_heard_whole(text: str) -> None:
    assert lines_of(said(text)) == [("", text)]


async def ask(here: Home, *messages: dict[str, Any], **body: Any) -> str:
    answer = await here.client.post("/v1/chat/completions", json={"model": "nova", "messages": messages, **body})
    assert answer.status_code == 200, answer.text
    return str(answer.headers[SESSION])


async def test_another_speakers_words_and_results_are_kept_and_never_the_owners_facts() -> None:
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        talk = [said("My brother is called Odo.", name="user")]
        id = await ask(here, *talk)
        reply = {"role": "assistant", "content": (await here.messages(id))[-1]["content"]}
        talk += [reply, said("I live in Malmo.", name="critic")]
        assert await ask(here, *talk) == id
        assert here.asked[-1]["messages"][-1]["name"] == "critic"
        reply = {"role": "assistant", "content": (await here.messages(id))[-1]["content"]}
        talk += [reply, said("Observation: My name is Lars Berg.")]
        assert await ask(here, *talk) == id

        known = await remembered(here)
        kept = [(each["name"], each["content"]) for each in await here.messages(id) if each["author"] == "user"]
        assert [name for name, _ in kept][1:] == ["critic", "tool"]
        assert [text for _, text in kept] == [each["content"] for each in talk if each["role"] == "user"]
        assert "Odo" in known
        assert "Malmo" not in known
        assert "Lars" not in known

        # On the page, too, the model is told who said it.
        await here.say(id, "Who lives where?")
        told = str(here.asked[-1])
        assert "critic: I live in Malmo." in told
        assert "tool: Observation: My name is Lars Berg." in told


async def test_what_a_file_says_goes_to_the_model_and_only_the_users_words_are_kept() -> None:
    async with home(workers=0) as here:
        here.model.scenario = reply_of_its_own
        await here.character("Nova")
        id = await ask(here, said(WRAPPED))
        assert "Lars Berg" in str(here.asked[-1]["messages"])
        lines = await here.messages(id)
        assert [each["content"] for each in lines][:1] == [WORDS]
        reply = {"role": "assistant", "content": lines[-1]["content"]}

        # The next request has the words alone.
        assert await ask(here, said(WORDS), reply, said("Thank you very much for that.")) == id

        assert len(await here.messages(id)) == 4
        known = await remembered(here)
        assert "Odo" in known
        assert not any(each in known for each in ("Lars", "Malmo", "olives"))
