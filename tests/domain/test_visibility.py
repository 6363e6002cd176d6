"""Who may see what: the seven lines of one rule, each by itself and in their order (R11, V13, G9)."""

from dataclasses import replace
from typing import Any

import pytest

from everlore.domain.campaign import Campaign, Entity, Relationship
from everlore.domain.memory import Memory, MemoryType, Status, Visible
from everlore.domain.policy import Role
from everlore.domain.proposal import Decision, Proposal, ProposalKind
from everlore.domain.scope import Scope
from everlore.domain.visibility import (
    DESK,
    NOWHERE,
    Place,
    Viewer,
    VisibilityContext,
    VisibilityRule,
    caller_in,
    hidden_by,
    is_canon,
    may_keep,
    may_see,
    person_in,
    persons_in,
    place_of,
    present_at,
    speaker_in,
    why_untold,
)
from tests.contract.builders import (
    SCOPE,
    START,
    WORKSPACE,
    campaign,
    conversation,
    event,
    memory,
    message,
    minute,
    summary,
)

QUEST: Campaign = campaign("quest", gm_id="gm", player_ids=("ann", "bob"))
OTHER_GAME: Campaign = campaign("other", gm_id="zoe", player_ids=("ann",))
GAMES = (QUEST, OTHER_GAME)
TALK = conversation("talk", user_id="ann", system_ids=("gm", "fay"), campaign_id="quest")
AT_TABLE = place_of(TALK)
OWNER = caller_in(SCOPE, GAMES)
GM, ANN, BOB, ZOE, CAT = (person_in(WORKSPACE, each, GAMES) for each in ("gm", "ann", "bob", "zoe", "cat"))
FAY, GM_SPEAKS = speaker_in(TALK, "fay", QUEST), speaker_in(TALK, "gm", QUEST)
EVERYBODY = (OWNER, GM, ANN, BOB, ZOE, CAT, FAY, GM_SPEAKS)


def of(*persons: str, **fields: Any) -> Memory:
    return memory("m", "The bell is cracked.", persons=persons, **fields)


def entity(id: str, **fields: Any) -> Entity:
    known = {"workspace": WORKSPACE, "name": id.title(), "campaign_id": "quest", "created_at": START}
    return Entity(id=id, updated_at=START, **{**known, **fields})


def tie(**fields: Any) -> Relationship:
    known = {"workspace": WORKSPACE, "id": "tie", "source_id": "tower", "target_id": "baron", "type": "hides"}
    return Relationship(**{**known, "campaign_id": "quest", "created_at": START, **fields})


def proposal(**fields: Any) -> Proposal:
    known = {"workspace": WORKSPACE, "id": "p", "campaign_id": "quest", "kind": ProposalKind.ENTITY, "title": "Baron"}
    return Proposal(**{**known, "created_at": START, "updated_at": START, **fields})


def seeing(record: Any, place: Place = NOWHERE, beside: VisibilityContext | None = None) -> set[str]:
    """Who of all of them sees it; the owner, whoever asks, and the two who speak."""
    names = ("owner", "gm", "ann", "bob", "zoe", "cat", "fay speaks", "gm speaks")
    return {
        name
        for name, viewer in zip(names, EVERYBODY, strict=True)
        if may_see(viewer, record, place, beside=beside or VisibilityContext())
    }


# ── line by line ─────────────────────────────────────────────────────────────────────────────────


def test_nobody_sees_into_another_workspace() -> None:
    """G9: not even the owner of one."""
    elsewhere = replace(OWNER, workspace="elsewhere")
    assert hidden_by(elsewhere, of("ann")) is VisibilityRule.ELSEWHERE


@pytest.mark.parametrize("status", [Status.PENDING, Status.REJECTED, Status.SUPERSEDED])
def test_what_is_not_active_is_seen_where_it_is_looked_after_by_whose_it_is(status: Status) -> None:
    """R11."""
    record = of("ann", "bob", status=status)
    assert seeing(record) == set()
    assert seeing(record, DESK) == {"owner", "ann", "bob"}
    told = VisibilityContext(told=frozenset({"m"}))
    assert not may_see(CAT, record, DESK, beside=told), "who was told it does not look after it"


def test_what_was_is_seen_by_who_knew_it_where_it_is_asked_for() -> None:
    """R11."""
    record = of("ann", status=Status.SUPERSEDED)
    assert seeing(record, Place(looks_back=True)) == {"owner", "ann"}
    assert seeing(replace(record, status=Status.REJECTED), Place(looks_back=True)) == set()


def test_what_is_private_stays_in_its_conversation() -> None:
    """R11: also before the owner, but for where it is looked after."""
    record = of("ann", visibility=Visible.PRIVATE, conversation_id="talk")
    assert seeing(record) == set()
    assert seeing(record, AT_TABLE) == {"owner", "ann"}
    assert seeing(record, Place(conversation_id="hall")) == set()
    assert seeing(record, DESK) == {"owner", "ann"}
    assert seeing(replace(record, conversation_id=None)) == set()
    for kept in (
        message("x", conversation_id="talk", private=True, present=("ann",)),
        summary("x", conversation_id="talk", private=True, persons=("ann",)),
    ):
        assert seeing(kept) == set()
        assert seeing(kept, AT_TABLE) == {"owner", "ann"}


@pytest.mark.parametrize(
    "record",
    [
        of("ann", "fay", campaign_id="quest", is_spoiler=True),
        of(campaign_id="quest", is_spoiler=True),
        of("ann", campaign_id="quest", is_spoiler=True, visibility=Visible.SECRET),
        entity("tower", is_spoiler=True),
        event("e", campaign_id="quest", participants=("ann", "fay"), is_spoiler=True),
        proposal(is_spoiler=True),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_spoiler_is_for_who_runs_the_game_a_person_or_a_character(record: Any) -> None:
    """G9: nobody else has it, be it theirs."""
    assert seeing(record) == {"owner", "gm", "gm speaks"}
    assert seeing(record, AT_TABLE) == {"owner", "gm", "gm speaks"}
    elsewhere = Place(conversation_id="inn", campaign_id=None)
    assert seeing(record, elsewhere) == {"owner"}, "a game master keeps the plot out of other talks"


def test_a_spoiler_of_no_campaign_is_the_owners() -> None:
    """G9."""
    assert seeing(of("gm", "ann", is_spoiler=True)) == {"owner"}


def test_where_a_player_speaks_the_owner_is_shown_no_spoiler() -> None:
    """G9: and where the game master speaks, all of it."""
    record = of("gm", campaign_id="quest", is_spoiler=True)
    assert hidden_by(caller_in(SCOPE, GAMES, speaking_id="ann"), record, AT_TABLE) is VisibilityRule.SPOILER
    assert may_see(caller_in(SCOPE, GAMES, speaking_id="gm"), record, AT_TABLE)
    assert may_see(caller_in(SCOPE, GAMES, speaking_id="cat"), record, AT_TABLE)
    of_no_game = of("gm", is_spoiler=True)
    assert not may_see(caller_in(SCOPE, GAMES, speaking_id="ann"), of_no_game, AT_TABLE)
    persona = Scope(WORKSPACE, person_id="ann")
    assert hidden_by(caller_in(persona, GAMES), record) is VisibilityRule.SPOILER
    assert may_see(caller_in(persona, GAMES), of("bob", campaign_id="quest")), "all else is the owner's"


def test_a_secret_is_for_those_who_share_it() -> None:
    """R11: in a campaign too, and be it ruled."""
    record = of("ann", "bob", visibility=Visible.SECRET, campaign_id="quest", type=MemoryType.CANON_RULING)
    assert seeing(record) == {"owner", "ann", "bob"}
    assert hidden_by(GM, record) is VisibilityRule.SECRET
    assert hidden_by(GM, record, DESK) is VisibilityRule.SECRET, "where records are looked after, too"
    assert may_see(CAT, record, beside=VisibilityContext(told=frozenset({"m"})))


@pytest.mark.parametrize(
    "record",
    [
        of(campaign_id="quest"),
        of("ann", "bob", campaign_id="quest", type=MemoryType.CANON_RULING),
        entity("tower"),
        entity("tower", person_id="bob"),
        event("e", campaign_id="quest"),
    ],
    ids=["nobody's", "ruled", "entity", "entity of somebody", "event"],
)
def test_canon_is_for_everybody_in_the_campaign_and_for_nobody_outside(record: Any) -> None:
    """G9."""
    assert is_canon(record)
    inside = {"owner", "gm", "ann", "bob", "fay speaks", "gm speaks"}
    assert seeing(record) == inside
    assert seeing(record, AT_TABLE) == inside
    assert seeing(record, Place(conversation_id="inn")) == {"owner", *persons_in(record)}


def test_who_runs_the_game_sees_what_happened_in_it_to_others() -> None:
    """G9: and a player what they were there for."""
    record = of("ann", "fay", campaign_id="quest")
    assert seeing(record) == {"owner", "ann", "gm", "fay speaks", "gm speaks"}


def test_otherwise_it_is_for_who_was_there_was_told_or_wrote_it() -> None:
    """R11, V13."""
    assert seeing(of("ann", "cat")) == {"owner", "ann", "cat"}
    assert seeing(of()) == {"owner"}
    assert seeing(of("bob"), beside=VisibilityContext(told=frozenset({"m"}))) == {
        "owner",
        *("gm ann bob zoe cat".split()),
        "fay speaks",
        "gm speaks",
    }
    assert seeing(message("x", present=("ann", "fay"))) == {"owner", "ann", "fay speaks"}
    assert seeing(summary("x", persons=("bob",))) == {"owner", "bob"}
    assert seeing(event("e", actors=("ann",), participants=("bob",))) == {"owner", "ann", "bob"}
    assert seeing(entity("ann", campaign_id=None, person_id="ann")) == {"owner", "ann"}


def test_a_message_that_names_nobody_was_heard_by_whoever_is_in_its_conversation() -> None:
    """V13."""
    old = message("x", conversation_id="talk", present=())
    assert seeing(old) == {"owner"}
    assert may_see(FAY, old, AT_TABLE)


def test_what_a_user_keeps_for_everybody_is_open_to_whom_they_talk_to() -> None:
    """R11: but no secret, and not elsewhere."""
    assert may_see(FAY, of("ann"), AT_TABLE)
    assert not may_see(FAY, of("ann"))
    assert not may_see(FAY, of("ann", visibility=Visible.SECRET), AT_TABLE)
    assert not may_see(FAY, of("ann", "cat"), AT_TABLE)
    assert not may_see(FAY, of(), Place(conversation_id="inn", user_id=None))


def test_the_world_as_such_is_open_in_a_conversation_outside_of_campaigns() -> None:
    """R11: and for nobody who merely searches."""
    town = entity("town", campaign_id=None)
    stranger = speaker_in(conversation("inn"), "fay", None)
    assert may_see(stranger, town, Place(conversation_id="inn"))
    assert seeing(town) == {"owner"}
    assert not may_see(FAY, town, AT_TABLE)


# ── as of a time ─────────────────────────────────────────────────────────────────────────────────


def test_nothing_is_seen_before_it_was_there() -> None:
    """R11."""
    record = of("ann", created_at=minute(5))
    assert hidden_by(OWNER, record, at=minute(4)) is VisibilityRule.INACTIVE
    assert may_see(ANN, record, at=minute(5))
    assert not may_see(ANN, event("e", actors=("ann",), at=minute(5)), at=minute(4))


# ── what is made of others ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("own", "source", "target", "is_open"),
    [
        (False, False, False, True),
        (True, False, False, False),
        (False, True, False, False),
        (False, False, True, False),
    ],
)
def test_a_tie_is_as_hidden_as_either_of_its_ends(own: bool, source: bool, target: bool, is_open: bool) -> None:
    """G6, G9."""
    ends = {"tower": entity("tower", is_spoiler=source), "baron": entity("baron", is_spoiler=target)}
    beside = VisibilityContext(sources=ends)
    record = tie(is_spoiler=own)
    assert may_see(ANN, record, beside=beside) is is_open
    assert may_see(FAY, record, AT_TABLE, beside=beside) is is_open
    assert may_see(GM, record, beside=beside)
    assert may_see(GM_SPEAKS, record, AT_TABLE, beside=beside)
    assert not may_see(CAT, record, beside=beside)


def test_a_tie_whose_ends_nobody_showed_is_hidden() -> None:
    """G9: what was not looked at is not shown."""
    assert hidden_by(ANN, tie()) is VisibilityRule.SPOILER
    assert may_see(OWNER, tie())


def test_a_tie_is_of_the_world_of_both_its_ends() -> None:
    """G9: one end of another campaign closes it."""
    ends = {"tower": entity("tower"), "baron": entity("baron", campaign_id="other")}
    assert not may_see(BOB, tie(), beside=VisibilityContext(sources=ends))
    assert may_see(ANN, tie(), beside=VisibilityContext(sources=ends)), "who is in both sees it"


def test_what_quotes_a_private_message_is_as_private() -> None:
    """R11, G9."""
    quoted = message("said", conversation_id="talk", private=True)
    sources = VisibilityContext(sources={"tower": entity("tower"), "baron": entity("baron"), "said": quoted})
    record = tie(message_id="said")
    assert hidden_by(ANN, record, beside=sources) is VisibilityRule.PRIVATE
    assert may_see(ANN, record, AT_TABLE, beside=sources)
    assert hidden_by(GM, proposal(message_id="said"), beside=sources) is VisibilityRule.PRIVATE


@pytest.mark.parametrize("status", list(Decision))
def test_what_is_proposed_is_for_who_runs_the_game(status: Decision) -> None:
    """G4, G9."""
    assert seeing(proposal(status=status)) == {"owner", "gm", "gm speaks"}


# ── who looks ────────────────────────────────────────────────────────────────────────────────────


def test_whoever_has_a_part_of_the_workspace_looks_as_themselves() -> None:
    """G9: whomever they name."""
    scope = Scope(WORKSPACE, role=Role.MEMBER, person_id="ann")
    assert caller_in(scope, GAMES, as_person="gm") == ANN
    assert caller_in(Scope(WORKSPACE, role=Role.GUEST), GAMES).sees_all is False
    assert caller_in(SCOPE, GAMES, as_person="gm") == GM


def test_a_game_master_who_is_listed_as_a_player_runs_the_game() -> None:
    """G9."""
    odd = replace(QUEST, player_ids=("gm", "ann"))
    assert person_in(WORKSPACE, "gm", [odd]) == Viewer(workspace=WORKSPACE, person_id="gm", runs=frozenset({"quest"}))


def test_a_character_is_the_game_master_whoever_speaks_to_it() -> None:
    """G9: and is none because the game master speaks to it."""
    for user in ("ann", "gm", None):
        talk = replace(TALK, user_id=user)
        assert speaker_in(talk, "gm", QUEST).runs == {"quest"}
        assert not speaker_in(talk, "fay", QUEST).runs


# ── keeping, and passing on ──────────────────────────────────────────────────────────────────────


def test_who_may_look_after_a_memory() -> None:
    """G9, R11: whose it is, who runs the game, and the owner; nobody by being told, and no player a spoiler."""
    theirs = of("ann", campaign_id="quest")
    assert [may_keep(each, theirs) for each in (OWNER, GM, ANN, BOB, CAT)] == [True, True, True, False, False]
    spoiler = replace(theirs, is_spoiler=True)
    assert [may_keep(each, spoiler) for each in (OWNER, GM, ANN, BOB)] == [True, True, False, False]
    canon = of(campaign_id="quest")
    assert [may_keep(each, canon) for each in (OWNER, GM, ANN)] == [True, True, False]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, ""),
        ({"status": Status.PENDING}, "it is pending"),
        ({"visibility": Visible.SECRET}, "it is secret"),
        ({"visibility": Visible.PRIVATE}, "it is private"),
        ({"is_spoiler": True}, "it is a spoiler"),
    ],
)
def test_what_is_not_passed_on(fields: dict[str, Any], why: str) -> None:
    """R10, R11."""
    assert why_untold(of("ann", **fields)) == why


# ── who was there ────────────────────────────────────────────────────────────────────────────────


def test_of_old_talks_everybody_who_is_in_them_was_there() -> None:
    """V13: and where it was written down, nobody else."""
    written, old = message("m", "Hello.", present=("ann",)), message("m", "Hello.", present=())

    assert present_at(written, ["ann", "bob"]) == {"ann"}
    assert present_at(old, ["ann", "bob"]) == {"ann", "bob"}
    assert present_at(old) == frozenset()
