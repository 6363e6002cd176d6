"""Every variable of a template has a value, and an unknown thing is nothing at all (P5, P11)."""

from dataclasses import replace

import pytest

from everlore.compose.context import Context
from everlore.compose.values import VARIABLES
from everlore.compose.variables import Pace, Resolver, VariableView
from everlore.domain.config import config_of
from everlore.domain.config_choices import Rating
from everlore.domain.template import RoleName
from everlore.models.tiktoken_tokenizer import TiktokenTokenizer
from tests.compose.values.example import KNOWN, MIRA, UNKNOWN, value
from tests.turn.records import message

FULL = """\
Age: 28. Gender: female. Pronouns: she/her. Race: elf.

Mira Vale mends nets in Port Sorrow. She owes Ann Reed a favour. Nobody knows why she left home.

Personality: Dry and loyal.

Way of speaking: Short sentences, sea words.

Emotional tendency: Slow to warm.

Scenario: Ann Reed comes to the quay at dawn."""
ABOUT = "\n\n".join(FULL.split("\n\n")[:2])
DYNAMIC = """\
Let Mira come across like this:
- Personality: Dry and loyal.
- Way of speaking: Short sentences, sea words.
- Emotional tendency: Slow to warm."""

# Those of the design that Everlore began with, by name.
REFERENCE = {
    "system.firstName": "Mira",
    "system.fullName": "Mira Vale",
    "system.asg": "28-year-old female",
    "system.race": "elf",
    "system.characterDesc": FULL,
    "system.characterDescLight": "A net-mender with a debt.",
    "system.characterDescPublic": "A net-mender with a debt.",
    "system.ppro": "her",
    "system.cpro": "She",
    "system.gender": "female",
    "user.firstName": "Ann",
    "user.fullName": "Ann Reed",
    "user.asg": "31-year-old woman",
    "user.race": "human",
    "user.characterDescPublic": "A stranger with ink on her hands.",
    "user.question": "Where is Tam?",
    "user.citations": (
        "1. Ann Reed, 2026-03-01: “I sold my boat”\n"
        "2. Mira Vale, 2026-03-01: “For how much?”\n"
        "3. Narrator, 2026-03-01: “Rain began.”\n"
        "4. Somebody, 2026-03-01: “I was there”\n"
        "5. Ann Reed, 2026-03-01: “Twelve crowns”"
    ),
    "episode": "Episode 2 of 2: The Bell\nLet the bell be heard. Nobody may see it.",
    "episodeRule": (
        "Follow the guidance of the episode, and once it has come about, end your reply with #NEXT EPISODE#."
    ),
    "episodeReminder": "Episode 2 of 2: The Bell – Let the bell be heard.",
    "episodic": "episodic",
    "episodeAssist": "I am ready to play episode 2 of 2, The Bell, and to follow its guidance.",
    "scene": "Ann Reed comes to the quay at dawn.",
    "scene.auto": (
        "Setting: A quay in spring\n"
        "Terrain: rocky coast, The Fens\n"
        "Present: Mira Vale, Ann Reed\n"
        "Happening: Ann bargains for a passage"
    ),
    "setting": "A quay in spring",
    "location.terrains": "rocky coast, The Fens",
    "population.people": "Old Tam, Salt Guild",
    "population.animals": "Grey seals",
    "event.alignment": "neutral",
    "rating": "T",
    "ratingMpa": "PG-13",
    "censorWarn": "The story is for teenagers: mild violence and mild language at most, and nothing sexual.",
    "assistCensorWarn": "I tell a story for teenagers: mild violence and mild language at most, and nothing sexual.",
    "nlp": "In every reply, keep to this:\nSpeak plainly. No metaphors.",
    "nlp.command": "Speak plainly. No metaphors.",
    "nlpWarn": "In every reply, I keep to this: Speak plainly. No metaphors.",
    "nlpReminder": "Keep to this: Speak plainly.",
    "perspective": DYNAMIC,
    "profile.ageCompat": "Ann is 3 years older than Mira.",
    "profile.romanceCompat": "Both are adults. They have been on good terms.",
    "profile.raceCompat": "Mira's race is elf, Ann's is human; that alone neither joins nor divides them.",
    "profile.leader": "Mira tends to lead Ann, being ahead in intelligence, mental strength.",
    "interaction.description": "Ann bargains for a passage",
    "firstSecondToBe": "You are",
    "firstSecondWho": "You are",
}
FURTHER = {
    "system.lastName": "Vale",
    "system.scenario": "Ann Reed comes to the quay at dawn.",
    "system.exampleDialogue": "Ann Reed: Is it far?\nMira Vale: Far enough.",
    "system.personality.summary": "Dry and loyal.",
    "system.personality.casual": "Dry and loyal; Short sentences, sea words; Slow to warm",
    "system.speechPattern": "Short sentences, sea words.",
    "system.emotionalTendency": "Slow to warm.",
    "user.lastName": "Reed",
    "user.gender": "woman",
    "user.ppro": "her",
    "user.cpro": "She",
    "user.characterDesc": "Age: 31. Gender: woman. Race: human.\n\nAnn draws maps. She has never been to sea.",
    "user.characterDescLight": "Ann draws maps. She has never been to sea.",
    "user.about": "Age: 31. Gender: woman. Race: human.\n\nAnn draws maps. She has never been to sea.",
    "system.about": ABOUT,
    "media.image": "",
    "media.audio": "",
    "perspective.dynamic": DYNAMIC,
    "perspective.casual": (
        "Messages from Mira sound like this: Dry and loyal; Short sentences, sea words; Slow to warm"
    ),
    "command": "Bring them to the crypt",
    "imageTags": "quay, bell",
    "tools": "- dice: Rolls dice\n- map",
    "tools.recent": "✓ dice (2m ago): result: 17",
}
CAMPAIGN = {
    "campaign.name": "The Long Tide",
    "campaign.premise": "The sea is rising.",
    "campaign.themes": "The sea takes back\nDebts outlive people",
    "campaign.setting": "Tides obey the bells",
    "campaign.tone": "Bleak, with warm hearths",
    "campaign.factions": "The Salt Guild buys silence",
    "campaign.threads": "Who rings the ninth bell?",
    "campaign.rulings": "Seals are no shapeshifters",
    "campaign.memory": """\
Premise:
- The sea is rising.
Themes:
- The sea takes back
- Debts outlive people
Setting:
- Tides obey the bells
Tone:
- Bleak, with warm hearths
Factions:
- The Salt Guild buys silence
Plot threads:
- Who rings the ninth bell?
Rulings on canon:
- Seals are no shapeshifters
Known besides:
- Guild and port are at peace""",
    "chapter.name": "Drowned Bells",
    "chapter.goals": "Find the bell\nSave Tam",
    "chapter.memory": """\
So far:
- The bells have begun to ring
Goals:
- Find the bell
- Save Tam
Plot threads:
- Tam is missing
Known besides:
- The quay burnt down""",
    "session.name": "The Crypt",
    "session.recap": "- The Crypt: They opened the crypt\n- Session 3: They met Tam",
    "session.memory": "- Discovery: The crypt floods at noon\n- Decision point: Ann keeps the key",
    "entities.mentioned": "- Old Tam (npc; also Tam): A bell-ringer. Deaf in one ear.\n- Bell of Nine (item)",
    "relationships.context": "- Old Tam → in debt to → Salt Guild (until 2026-03-01): He said so.",
}
EXPECTED = REFERENCE | FURTHER | CAMPAIGN

# All that can be said of a story of which nothing is known but the character's name.
SAID_OF_NOTHING = {
    "system.firstName": "Nova",
    "system.fullName": "Nova",
    "system.ppro": "their",
    "system.cpro": "They",
    "user.firstName": "User",
    "user.fullName": "User",
    "user.ppro": "their",
    "user.cpro": "They",
    "rating": "E",
    "ratingMpa": "G",
    "censorWarn": "The story is for everyone: nothing cruel, crude or sexual.",
    "assistCensorWarn": "I tell a story for everyone: nothing cruel, crude or sexual.",
    "firstSecondToBe": "You are",
    "firstSecondWho": "You are",
}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_variable_says_what_is_known(name: str) -> None:
    """P5, and of a world what is tied to what (G6)."""
    assert value(name) == EXPECTED[name]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_variable_of_which_nothing_is_known_is_empty_or_neutral(name: str) -> None:
    """P5, P2: no "None", no heading without content."""
    assert value(name, UNKNOWN) == SAID_OF_NOTHING.get(name, "")


def test_these_are_all_the_variables() -> None:
    """P5."""
    assert set(VARIABLES) == set(EXPECTED)


@pytest.mark.parametrize("context", [KNOWN, UNKNOWN], ids=["known", "unknown"])
@pytest.mark.parametrize("role", RoleName)
def test_every_variable_resolves_in_every_role(context: Context, role: RoleName) -> None:
    """P5: without a fault, and the same whichever comes first."""
    forwards, backwards = (Resolver(context, VARIABLES, {}) for _ in range(2))

    there = {name: forwards.value(name, role) for name in VARIABLES}
    back = {name: backwards.value(name, role) for name in reversed(VARIABLES)}

    assert there == back
    assert forwards.faults == backwards.faults == {}


@pytest.mark.parametrize("name", sorted(VARIABLES))
def test_a_value_changes_no_more_often_than_it_says(name: str) -> None:
    """P13: one that uses another is at least as quick, and is paid for by the same part of the budget."""
    used: set[str] = set()
    resolver = Resolver(KNOWN, VARIABLES, {})

    def note(other: str) -> str:
        used.add(other)
        return resolver.value(other, RoleName.SYSTEM)

    VARIABLES[name].value(VariableView(KNOWN, RoleName.SYSTEM, note))

    assert all(VARIABLES[name].pace >= VARIABLES[other].pace for other in used)
    assert {VARIABLES[other].part for other in used} - {"system"} <= {VARIABLES[name].part}


def test_nothing_steady_depends_on_what_was_said_or_happened() -> None:
    """P13: another message, another interaction, another stage of the story, and the steady values stay."""
    later = replace(KNOWN, history=(*KNOWN.history, message("And now?")), interactions=(), earlier=(), episode=0)
    steady = [name for name, variable in VARIABLES.items() if variable.pace is Pace.STEADY]

    assert [value(name, later) for name in steady] == [value(name) for name in steady]


@pytest.mark.parametrize("name", sorted(VARIABLES))
def test_a_variable_is_described_in_one_sentence(name: str) -> None:
    about = VARIABLES[name].about

    assert about.endswith(".")
    assert "\n" not in about


@pytest.mark.parametrize(
    ("role", "said"), [(RoleName.SYSTEM, "You are"), (RoleName.USER, "I am"), (RoleName.ASSISTANT, "I am")]
)
def test_introductions_are_in_the_first_person(role: RoleName, said: str) -> None:
    """P5."""
    assert value("firstSecondToBe", role=role) == value("firstSecondWho", role=role) == said


@pytest.mark.parametrize("rating", Rating)
def test_what_a_rating_allows_takes_few_words(rating: Rating) -> None:
    """P5: at most 50 tokens, in one sentence."""
    tokens = TiktokenTokenizer("o200k_base")
    context = replace(UNKNOWN, config=config_of({"rating": rating}))
    warnings = [value(name, context) for name in ("censorWarn", "assistCensorWarn")]

    assert all(tokens.count(warning) <= 50 for warning in warnings)
    assert all(warning.count(".") == 1 for warning in warnings)


def test_each_rating_has_its_own_words() -> None:
    """P5."""
    told = [replace(UNKNOWN, config=config_of({"rating": rating})) for rating in Rating]

    assert [value("ratingMpa", context) for context in told] == ["G", "PG-13", "R", "NC-17", "Unrated"]
    assert len({value("censorWarn", context) for context in told}) == len(Rating)


def test_macros_of_a_card_are_filled_and_names_that_look_like_macros_stay() -> None:
    """V9, S-6."""
    card: dict[str, object] = {"card": {"data": {"nickname": "Mi"}}}
    odd = replace(KNOWN, character=replace(MIRA, name="{{user}} Vale", extensions=card))

    assert value("system.characterDesc", odd).startswith("Age: 28.")
    assert "\n\nMi mends nets" in value("system.characterDesc", odd)
    assert value("system.fullName", odd) == "{{user}} Vale"


def test_what_looks_like_a_variable_in_a_value_is_text() -> None:
    """S-6."""
    odd = replace(KNOWN, character=replace(MIRA, description="${rating}"), config=config_of({"setting": "${rating}"}))

    assert "${rating}" in value("system.characterDesc", odd)
    assert value("setting", odd) == "${rating}"
