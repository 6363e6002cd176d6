"""`campaign`, as a game master at a terminal uses it (G1, G3, G4, G6, G9, G10, G13)."""

from tests.cli.process import Command


def test_a_campaign_is_made_written_into_told_and_deleted(cli: Command) -> None:
    """G1, G9, G10, G13."""
    id = cli.ok("campaign", "new", "Lamps", "--premise", "The lamps go out.").out.strip()
    kept = cli.ok("campaign", "remember", "Lamps", "The guild rules Orne.", "--type", "faction").out
    cli.ok("campaign", "remember", "Lamps", "The guild eats light.", "--spoiler")
    cli.ok("campaign", "chapter", "begin", "Lamps", "Dusk", "--goal", "Find the lantern")

    assert kept.endswith("  formed\n")
    assert cli.ok("campaign", "list").out == f"{id}  Lamps\n"
    assert "Find the lantern" in cli.ok("campaign", "chapter", "list", "Lamps").out
    whole, seen = cli.ok("campaign", "show", "Lamps").out, cli.ok("campaign", "show", "Lamps", "--player", "any").out
    assert "fact [spoiler]: The guild eats light." in whole
    assert "eats light" not in seen
    assert "The guild rules Orne." in seen
    assert "The lamps go out." in cli.ok("campaign", "recap", "Lamps").out
    assert cli.ok("campaign", "story", "Lamps").out == "# Lamps\n\nThe lamps go out.\n"
    assert cli.ok("campaign", "ask", "Lamps", "who", "rules", "Orne?").out.startswith("[1] The guild rules Orne.")
    assert cli.ok("campaign", "delete", "Lamps", "--yes").out == "Deleted Lamps.\n"
    assert cli("campaign", "show", "Lamps").code == 3


def test_a_campaign_takes_known_and_new_players(cli: Command) -> None:
    """G1: as the page does."""
    cli.ok("token", "create", "Robin", "--role", "member")

    made = cli.ok("campaign", "new", "Lamps", "--player", "Robin", "--player", "Sam", "--json").document

    assert len(set(made["player_ids"])) == 2
    other = cli.ok("campaign", "new", "Tides", "--player", "Sam", "--player", "Robin", "--json").document
    assert set(other["player_ids"]) == set(made["player_ids"])


def test_a_session_is_played_read_and_decided_of(cli: Command) -> None:
    """G3, G4, G6."""
    cli.ok("campaign", "new", "Lamps")
    session = cli.ok("campaign", "session", "start", "Lamps", "--name", "Quay").out.strip()
    cli.ok("campaign", "entity", "add", "Lamps", "Gallowmere", "--kind", "location", "--alias", "the Mere")
    assert "Quay" in cli.ok("campaign", "session", "list", "Lamps").out
    assert cli.ok("campaign", "session", "end", session).out == "Session 1 has ended and is waiting to be digested.\n"
    cli.ok("campaign", "session", "digest", session)
    assert cli.ok("campaign", "session", "log", session).out == ""
    assert cli.ok("campaign", "review", "list", "Lamps").out == ""
    assert cli.ok("campaign", "session", "clear", session).out == "0 memories and 0 proposals deleted.\n"

    listed = cli.ok("campaign", "entity", "list", "Lamps", "--json").document["items"]
    marr = cli.ok("campaign", "entity", "add", "Lamps", "Ysolde Marr", "--kind", "npc").out.strip()
    tie = cli.ok("campaign", "tie", marr, "lives in", listed[0]["id"]).out.strip()
    assert cli.ok("campaign", "ties", "Lamps").out == f"Ysolde Marr – lives in – Gallowmere  ({tie})\n"
    cli.ok("campaign", "untie", tie)
    cli.ok("campaign", "remember", "Lamps", "The Mere is cold.")
    assert "The Mere is cold." in cli.ok("campaign", "entity", "mentions", listed[0]["id"]).out
    cli.ok("campaign", "entity", "merge", marr, listed[0]["id"])
    assert "Ysolde Marr" in cli.ok("campaign", "entity", "list", "Lamps", "--named", "Ysolde Marr").out
    cli.ok("campaign", "entity", "delete", listed[0]["id"])


def test_what_cannot_be_is_said(cli: Command) -> None:
    """G10."""
    cli.ok("campaign", "new", "Lamps")

    assert "no campaign 'Nowhere'" in cli("campaign", "show", "Nowhere").err
    assert "no type of memory" in cli("campaign", "remember", "Lamps", "x", "--type", "poem").err
    assert "not a kind of entity" in cli("campaign", "entity", "add", "Lamps", "x", "--kind", "poem").err
    assert "must be one of" in cli("campaign", "review", "list", "Lamps", "--kind", "poem").err
    refused = cli("campaign", "review", "reject", "nothing")
    assert refused.code == 1
    assert "no Proposal 'nothing'" in refused.out
