"""delete conversation, delete user, delete workspace."""

import pytest

from tests.cli.process import Command


@pytest.fixture
def cli(cli: Command) -> Command:
    """Nothing is looked for, and nothing is done in the background while somebody talks."""
    return cli.having(EVERLORE_CHAT__PROVIDER="voice", EVERLORE_QUEUE__WORKERS="0")


def _talked(cli: Command, said: str) -> str:
    cli.ok("chat", stdin=f"{said}\n")
    id: str = cli.ok("conversations", "--json").document["items"][0]["id"]
    cli.ok("extract", id)
    return id


def test_a_conversation_goes_with_what_was_learnt_of_it(cli: Command) -> None:
    """M9, M15."""
    id = _talked(cli, "I live in Seattle.")

    done = cli.ok("delete", "conversation", id)

    assert done.out == f"Deleted {id}.\nAlso deleted: 1 memory learned only from it.\n"
    assert cli.ok("memories", "list", "--json").document["items"] == []
    assert cli("delete", "conversation", id).code == 3


def test_who_corrected_something_is_asked_what_is_to_become_of_it(cli: Command) -> None:
    """M11, M15."""
    id = _talked(cli, "I live in Seattle.")
    (memory,) = cli.ok("memories", "list", "--json").document["items"]
    cli.ok("memories", "correct", memory["id"], "User lives in Rome")

    refused = cli("delete", "conversation", id)
    kept = cli.ok("delete", "conversation", id, "--keep-memories", "--json").document

    assert refused.code == 2
    assert "you added or edited 1 of them. Nothing was deleted. Add --with-memories" in refused.err
    assert kept == {"deleted": id, "memories_deleted": 0, "memories_kept": 1}
    assert "User lives in Rome" in cli.ok("memories", "list").out


def test_a_user_goes_with_all_that_is_theirs(cli: Command) -> None:
    """M9: only after a confirmation, which says what goes; a character is no user."""
    cli.ok("token", "create", "Pia", "--role", "member")
    cli.ok("remember", "Pia plays the oboe", "--person", "Pia")

    unsure = cli("delete", "user", "Pia")
    character = cli("delete", "user", "Everlore", "--yes")
    done = cli.ok("delete", "user", "Pia", "--yes").out

    assert (unsure.code, character.code) == (2, 3)
    assert "0 conversations, 0 messages, 1 memory, 1 token of Pia would be deleted for good. Add --yes" in unsure.err
    assert done == "Deleted Pia: 0 conversations, 0 messages, 1 memory, 1 token.\n"
    assert cli.ok("memories", "list", "--json").document["items"] == []
    assert cli("delete", "user", "Pia", "--yes").code == 3


def test_a_workspace_goes_as_a_whole(cli: Command) -> None:
    """M9."""
    cli.ok("remember", "Rex barks", "--workspace", "kennel")
    cli.ok("remember", "Don sings")

    unsure = cli("delete", "workspace", "kennel")
    unknown = cli("delete", "workspace", "nowhere", "--yes")
    done = cli.ok("delete", "workspace", "kennel", "--yes").out

    assert (unsure.code, unknown.code) == (2, 3)
    assert "Add --yes to confirm" in unsure.err
    assert done == "Deleted workspace kennel.\n"
    assert cli.ok("stats", "--workspace", "kennel", "--json").document["counts"]["memory"] == 0
    assert cli.ok("stats", "--json").document["counts"]["memory"] == 1
