"""Tokens, metrics and the audit log from the command line."""

from everlore.domain.token import read
from tests.cli.process import Command


def test_a_token_is_made_listed_and_revoked(cli: Command) -> None:
    made = cli.ok("token", "create", "phone", "--role", "guest", "--days", "30", "--per-minute", "60")
    token = made.out.strip()
    listed = cli.ok("token", "list", "--json").document["items"]
    gone = cli.ok("token", "revoke", listed[0]["id"])
    lines = cli.ok("token", "list").out

    assert read(token) is not None
    assert "Shown only once" in made.err
    assert (listed[0]["name"], listed[0]["role"], listed[0]["per_minute"]) == ("phone", "guest", 60)
    assert token not in cli.ok("token", "list", "--json").out
    assert "phone is revoked" in gone.out
    assert "revoked" in lines


def test_a_token_that_cannot_be_is_refused(cli: Command) -> None:
    nobody = cli("token", "create", "x", "--user", "Nobody")
    unknown = cli("token", "revoke", "nothing")
    odd = cli("token", "create", "x", "--role", "king")

    assert (nobody.code, unknown.code, odd.code) == (3, 3, 2)


def test_a_list_without_tokens_says_how_to_make_one(cli: Command) -> None:
    assert "everlore token create" in cli.ok("token", "list").out


def test_the_metrics_are_told_in_three_ways(cli: Command) -> None:
    """C9."""
    cli.ok("remember", "User keeps bees")

    assert "1 memories" in cli.ok("metrics").out
    assert cli.ok("metrics", "--json").document["memories_by_type"] == {"FACT": 1}
    assert 'everlore_memories{type="FACT",workspace="default"} 1.0' in cli.ok("metrics", "--prometheus").out


def test_the_audit_log_is_told_and_exported(cli: Command) -> None:
    """C10."""
    id = cli.ok("remember", "User keeps bees").out.strip()
    cli.ok("forget", id)
    told = cli.ok("audit", "--ref", id).out.splitlines()
    lines = cli.ok("audit", "--ndjson").out.splitlines()

    assert [line.split("local  ")[1].split(" memory")[0] for line in told] == ["deleted", "created"]
    assert len(lines) >= 3
    assert all(line.startswith("{") for line in lines)
    assert "bees" not in "".join(lines)
