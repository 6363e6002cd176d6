"""The event of a conversation: opened once, titled, completed, opened again (K5)."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from everlore.domain.event import EventState, EventType
from everlore.learning.segments.episodes import completed, event_id_of, has_event, opened, reopened, titled
from tests.contract.builders import conversation, minute

NAMES = {"lyra": "Lyra", "tom": "Tom", "mira": "Mira"}
CHAT = conversation("chat", system_ids=("lyra",), user_id="tom")


def test_the_first_message_opens_an_event_with_everybody_in_it() -> None:
    """K5."""
    event = opened(CHAT, NAMES, minute(3))

    assert (event.type, event.state, event.at, event.ended_at) == (
        EventType.INTERACT,
        EventState.IN_PROGRESS,
        minute(3),
        None,
    )
    assert (event.actors, event.participants, event.conversation_id) == (("lyra",), ("tom",), "chat")


def test_opening_it_twice_gives_the_same_event() -> None:
    """K5: idempotent."""
    assert opened(CHAT, NAMES, minute(3)).id == opened(replace(CHAT, title="Later"), NAMES, minute(9)).id
    assert event_id_of(CHAT.id) != event_id_of("other")


def test_it_is_named_by_its_title_or_by_who_is_in_it() -> None:
    """K5."""
    three = replace(CHAT, system_ids=("lyra", "mira"))

    assert opened(replace(CHAT, title="The old mill"), NAMES, minute(0)).content == "Conversation: The old mill"
    assert opened(CHAT, NAMES, minute(0)).content == "Conversation: Lyra and Tom"
    assert opened(three, NAMES, minute(0)).content == "Conversation: Lyra, Mira and Tom"
    assert opened(replace(CHAT, user_id=None), NAMES, minute(0)).content == "Conversation: Lyra"
    assert opened(CHAT, {}, minute(0)).content == "Conversation: untitled"


def test_closing_completes_it_and_opening_again_takes_that_back() -> None:
    """K5: start and end bracket the conversation."""
    event = opened(CHAT, NAMES, minute(0))

    closed = replace(event, **completed(minute(60)))
    again = replace(closed, **reopened())

    assert (closed.state, closed.at, closed.ended_at) == (EventState.COMPLETE, minute(0), minute(60))
    assert again == event


def test_a_title_that_comes_later_is_written_into_it() -> None:
    event = replace(opened(CHAT, NAMES, minute(0)), **titled(CHAT, "A forged\nmap", NAMES))

    assert event.content == "Conversation: A forged map"


def test_nothing_is_kept_of_a_private_conversation() -> None:
    """F6."""
    assert has_event(CHAT)
    assert not has_event(replace(CHAT, private=True))


@given(st.text(min_size=1, max_size=128), st.text(max_size=3_000))
def test_whatever_a_client_calls_it_the_event_can_be_kept(id: str, title: str) -> None:
    chat = conversation("x", system_ids=("lyra",))
    event = opened(replace(chat, id=id.encode(errors="replace").decode(), title=title), NAMES, minute(0))

    assert len(event.id) <= 128
    assert len(event.content) <= 1_100
