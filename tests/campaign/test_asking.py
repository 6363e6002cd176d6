"""Asking the record itself: as a game master or as a player, with a model and without any (G9)."""

import json

import pytest

from everlore.domain.campaign import Campaign
from everlore.errors import BadAsk
from tests.campaign.table import at_seat, plays, seated, without_model
from tests.turn.world import World, world

BEES = ("GM", "The bees of Low Marl sleep in the bell, says the ferryman Odo.")
SECRET = ("GM", "Odo the ferryman is a thrall of the drowned queen Nerith.")


async def _told(house: World) -> Campaign:
    made = await seated(house)
    session = await house.lore.sessions.start(made.id, name="Low Marl")
    await plays(house, session, BEES, ("Pia", "I listen at the bell."))
    await plays(house, session, SECRET, behind_the_screen=True)
    await house.lore.sessions.end(session.id)
    return made


async def test_without_a_model_the_passages_are_the_answer() -> None:
    """G9: each with the session and the message that it stands in."""
    house = world(settings=without_model())
    made = await _told(house)

    answer = await house.lore.asking.ask(made.id, "Where do the bees sleep?")

    first = answer.passages[0]
    assert (first.text, first.speaker, first.place) == (BEES[1], "", "Session 1: Low Marl")
    assert first.message_id is not None
    assert answer.statements == ()
    assert BEES[1] in answer.text


async def test_a_line_beside_a_passage_tells_no_thoughts() -> None:
    """G9, V4: neither to the game master nor to a player; a line of thoughts alone is left out."""
    house = world(settings=without_model())
    made = await seated(house)
    session = await house.lore.sessions.start(made.id, name="Low Marl")
    thought = "<think>Nerith must not hear of it.</think>"
    await plays(house, session, ("Pia", "I listen."), BEES, ("Vesna", f"{thought}\nThe bell hums."), ("Pia", thought))
    await house.lore.sessions.end(session.id)

    for lore, player in ((house.lore, ""), (house.lore, None), (at_seat(house, "vesna"), None)):
        for question in ("Where do the bees sleep?", "What hums?"):
            answer = await lore.asking.ask(made.id, question, player=player)
            assert "bell hums" in answer.text
            assert "Nerith" not in answer.text


async def test_a_player_is_answered_from_what_players_heard() -> None:
    """G9: with a token of their own, and with the game master's leave."""
    house = world(settings=without_model())
    made = await _told(house)
    await house.works()

    for lore, player in ((house.lore, ""), (at_seat(house, "pia"), None)):
        answer = await lore.asking.ask(made.id, "Who is Odo the ferryman, and whom does he serve?", player=player)
        assert answer.passages
        assert "Nerith" not in answer.text
    mine = await at_seat(house, "vesna").asking.ask(made.id, "Who is Odo the ferryman?")
    assert "Nerith" in mine.text


async def test_what_a_player_may_not_see_does_not_crowd_out_what_they_may() -> None:
    """G9: a hundred hidden notes say it more plainly than the one that is for everybody."""
    house = world(settings=without_model())
    made = await seated(house)
    hidden = [f"Odo the ferryman serves the drowned queen, says note {number}." for number in range(100)]
    await house.lore.remember_many(hidden, is_spoiler=True, force=True, campaign_id=made.id, persons=())
    seen = "Odo the ferryman was seen at the mill."
    await house.lore.remember(seen, force=True, campaign_id=made.id, persons=())
    await house.works()

    answer = await at_seat(house, "pia").asking.ask(made.id, "Whom does Odo the ferryman serve?")

    assert [each.text for each in answer.passages] == [seen]


async def test_a_model_answers_and_names_where_it_stands() -> None:
    """G9: what rests on no passage, or names somebody whom the record does not, is left out."""
    house = world()
    made = await _told(house)
    house.model.answers(
        json.dumps(
            {
                "statements": [
                    {"text": "The bees sleep in the bell.", "passages": [1]},
                    {"text": "King Aldebert owns them.", "passages": [1]},
                    {"text": "They are happy.", "passages": [77]},
                ]
            }
        )
    )

    answer = await house.lore.asking.ask(made.id, "Where do the bees sleep?")

    assert [(each.text, each.passages) for each in answer.statements] == [("The bees sleep in the bell.", (1,))]
    assert answer.model == "scripted"
    assert answer.text == "The bees sleep in the bell. [1]"


async def test_a_question_goes_on_from_the_one_before() -> None:
    """G9."""
    house = world(settings=without_model())
    made = await _told(house)

    answer = await house.lore.asking.ask(
        made.id, "And where do they sleep?", before=[("What of the bees of Low Marl?", "")]
    )

    assert answer.passages[0].text == BEES[1]


async def test_what_nobody_spoke_of_is_not_in_the_record() -> None:
    """G9: and no passages stand beside that."""
    house = world(settings=without_model())
    made = await _told(house)

    for question in ("Who killed the emperor of Korth?", "What does a dragon's egg cost?"):
        answer = await house.lore.asking.ask(made.id, question)
        assert (answer.passages, answer.text) == ((), "Not in the record.")


async def test_whoever_has_another_name_is_found_by_it() -> None:
    """G4, G9: also where the log never says that name; a hidden one helps no player."""
    house = world(settings=without_model())
    made = await _told(house)
    await house.lore.world.add(made.id, "Odo", aliases=["the Heron"], hidden_aliases=["Nerith's Thrall"])

    answer = await house.lore.asking.ask(made.id, "What does the Heron say of the bees?", player="")

    assert answer.passages[0].text == BEES[1]
    hidden = await house.lore.asking.ask(made.id, "Who is Nerith's Thrall?", player="")
    assert hidden.passages == ()


async def test_no_question_is_refused_and_an_unknown_matter_is_said() -> None:
    """G9."""
    house = world(settings=without_model())
    made = await seated(house)

    with pytest.raises(BadAsk, match="question is empty"):
        await house.lore.asking.ask(made.id, "  ")
    assert (await house.lore.asking.ask(made.id, "Who is Zorg?")).text == "Not in the record."


async def test_a_line_comes_with_what_was_said_around_it_and_no_passage_repeats_another() -> None:
    """G9: "Who owns it?" is answered by the line behind the one that names it."""
    house = world(settings=without_model())
    made = await seated(house)
    session = await house.lore.sessions.start(made.id)
    lines = (
        ("GM", "You are in a taproom called the Drowned Heron."),
        ("GM", "Jorrun, who owns the place, is a wide slow man."),
        ("Pia", "I order beans."),
    )
    await plays(house, session, *lines)
    await house.lore.sessions.end(session.id)

    answer = await house.lore.asking.ask(made.id, "Who owns the Drowned Heron?")

    assert "Jorrun" in answer.passages[0].excerpt
    shown = [each.message_id for each in answer.passages] + [
        line.message_id for each in answer.passages for line in each.beside if line is each.before
    ]
    assert len(shown) == len(set(shown))


async def test_what_stands_beside_a_line_is_nothing_that_the_player_may_not_see() -> None:
    """G9."""
    house = world(settings=without_model())
    made = await seated(house)
    log = f"{BEES[0]}: {BEES[1]}\nGM: (GM only) {SECRET[1]}\nPia: I listen at the bell of Low Marl."
    await house.lore.campaign_files.bring_log(made.id, log.encode())
    await house.works()

    answer = await house.lore.asking.ask(made.id, "Where do the bees of Low Marl sleep?", player="")

    assert answer.passages
    assert "Nerith" not in answer.text
    assert "Nerith" in (await house.lore.asking.ask(made.id, "Where do the bees of Low Marl sleep?")).text


async def test_where_no_passage_has_both_the_name_and_the_matter_it_says_so() -> None:
    """G9: the closest passages are still shown."""
    house = world(settings=without_model())
    made = await _told(house)
    await house.lore.world.add(made.id, "Odo")

    answer = await house.lore.asking.ask(made.id, "How old is Odo?")

    assert answer.text.startswith("Perhaps not in the record.")
    assert "ferryman Odo" in answer.text
    assert not (await house.lore.asking.ask(made.id, "Who is the ferryman Odo?")).text.startswith("Perhaps")
