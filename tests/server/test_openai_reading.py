"""What kind of request a program sends, by its very words, and which lines of it are said (9-surfaces)."""

import pytest

from everlore.domain.person import Person
from everlore.server.openai.line_alignment import SentLine
from everlore.server.openai.request_options import without_card
from everlore.server.openai.request_parsing import ParsedRequest, RequestKind, read, spoken_of
from everlore.wiring import now

CARD = ("system", "You are Nova, who keeps a lighthouse.")
TALK = [("user", "Hello!"), ("assistant", "Come in.")]
IMPERSONATE = "[Write your next reply from the point of view of Ada, using the chat history so far as a guideline.]"
CONTINUE = "[Continue your last message without repeating its original content.]"
TITLE = "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n<chat_history>…"
RAG = "### Task:\nRespond to the user query using the provided context.\n<context>…</context>\nWhen does it leave?"
COMMIT = "You are an expert software engineer that generates concise, one-line Git commit messages based on the diffs."


def read_of(*messages: tuple[str, str]) -> ParsedRequest:
    raw = [{"role": role, "content": text} for role, text in messages]
    return read(spoken_of(raw, [text for _, text in messages]), character="Nova", user="Ada")


KINDS = {
    "a turn": ([CARD, *TALK, ("user", "When?")], RequestKind.TURN),
    "instructions after the talk": ([CARD, ("user", "When?"), ("system", "Stay in character.")], RequestKind.TURN),
    "SillyTavern goes on": ([CARD, *TALK, ("system", CONTINUE)], RequestKind.TURN),
    "SillyTavern impersonates": ([CARD, *TALK, ("system", IMPERSONATE)], RequestKind.QUIET),
    "SillyTavern impersonates as the user": ([CARD, *TALK, ("user", IMPERSONATE)], RequestKind.QUIET),
    "SillyTavern sums up": (
        [CARD, *TALK, ("system", "[Pause your roleplay. Summarize the facts.]")],
        RequestKind.QUIET,
    ),
    "a quiet prompt": ([CARD, *TALK, ("system", "Describe what Nova looks like.")], RequestKind.QUIET),
    "Open WebUI names a chat": ([("user", TITLE)], RequestKind.UTILITY),
    "Open WebUI gives documents": ([("user", RAG)], RequestKind.TURN),
    "LibreChat names a chat": (
        [("user", "Provide a concise, 5-word-or-less title for the conversation, using title case conventions.")],
        RequestKind.UTILITY,
    ),
    "aider asks for a commit": ([("system", COMMIT), ("user", "diff --git a/ferry.py")], RequestKind.UTILITY),
    "a user who wants a title": ([*TALK, ("user", "Write a title for my story about the ferry.")], RequestKind.TURN),
}


@pytest.mark.parametrize("name", KINDS)
def test_what_kind_of_request_it_is(name: str) -> None:
    messages, kind = KINDS[name]

    assert read_of(*messages).kind is kind


def test_names_of_the_two_are_no_part_of_their_words() -> None:
    found = read_of(("user", "Ada: Hello!"), ("assistant", "Nova: Come in."), ("user", "Note: it is late."))

    assert [line.text for line in found.lines] == ["Hello!", "Come in.", "Note: it is late."]


def test_the_others_of_a_group_are_somebody_else() -> None:
    found = read_of(
        ("user", "Hello, you two!"),
        ("assistant", "Nova: Come in."),
        ("assistant", "Rex: Mind the step."),
        ("system", "[Write the next reply only as Nova.]"),
    )

    assert found.kind is RequestKind.TURN
    assert found.lines[-1] == SentLine(is_user=True, text="Rex: Mind the step.", by="Rex")


def test_a_talk_in_one_message_is_taken_apart() -> None:
    merged = "You are Nova.\n\nNova: Come in.\n\nAda: Hello!\n\nIs it late?\n\nNova: Not yet.\n\nAda: When?"
    found = read_of(("user", merged))

    assert [(line.is_user, line.text) for line in found.lines] == [
        (False, "Come in."),
        (True, "Hello!\n\nIs it late?"),
        (False, "Not yet."),
        (True, "When?"),
    ]


def test_examples_that_a_program_brings_along_are_not_said() -> None:
    found = read_of(
        ("system", "Act as an expert software developer."),
        ("user", "Change get_factorial() to use math.factorial"),
        ("assistant", "mathweb/flask/app.py …"),
        ("user", "I switched to a new code base. Please don't consider the above files."),
        ("assistant", "Ok."),
        ("user", "Rename the ferry."),
    )

    assert [line.text for line in found.lines] == ["Rename the ferry."]
    assert "get_factorial" in found.instructions


FILES = "I have *added these files to the chat* so you can go ahead and edit them.\n\nferry.py\n```\nname = 'Oslo'\n```"
REMINDER = (
    "To suggest changes to a file you MUST return the entire content.\n\nYou MUST use this *file listing* format."
)


def test_what_aider_says_in_the_users_role_is_not_said() -> None:
    """Files, what became of an edit, and the reminder that it adds to the last line; the model is told all of them."""
    found = read_of(
        ("system", f"Act as an expert software developer.\n\n{REMINDER}\n"),
        ("user", "Rename the ferry."),
        ("assistant", "ferry.py …"),
        ("user", "I committed the changes with git hash 1a2b3c & commit msg: Rename it"),
        ("assistant", "Ok."),
        ("user", FILES),
        ("assistant", "Ok, any changes I propose will be to those files."),
        ("user", f"And the captain?\n\nShe is called Ada.\n\n{REMINDER}"),
    )

    assert [line.text for line in found.lines] == [
        "Rename the ferry.",
        "ferry.py …",
        "And the captain?\n\nShe is called Ada.",
    ]
    assert all(each in found.instructions for each in ("name = 'Oslo'", "1a2b3c", REMINDER))


def test_a_user_who_speaks_of_files_or_says_ok_is_heard() -> None:
    lines = [
        ("user", "I have added these files to the chat."),
        ("assistant", "Ok."),
        ("user", "Be brief.\n\nI updated the files. You MUST look at them again, please, all of them, one by one."),
        ("assistant", "Ok, done."),
        ("user", f"What does this mean?\n\n{REMINDER}"),
    ]
    found = read_of(("system", "Be brief."), *lines)

    assert [line.text for line in found.lines] == [text for _, text in lines]


def test_a_card_that_both_have_is_told_once() -> None:
    words = "{{char}} keeps the lighthouse of Grey Point, and mends boats in winter."
    at = now()
    nova = Person(workspace="w", id="nova", name="Nova", description=words, created_at=at, updated_at=at)
    ada = Person(workspace="w", id="ada", name="Ada", created_at=at, updated_at=at)
    sent = (
        "Write Nova's next reply.\n\nNova keeps the lighthouse of Grey Point, and mends boats in winter.\n\nBe brief."
    )

    told = without_card(sent, nova, ada)

    assert "lighthouse" not in told
    assert told.startswith("Write Nova's next reply.")
    assert told.endswith("Be brief.")
