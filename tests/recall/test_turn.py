"""What a character may know when it answers: its own, the shared, the user's; never another's (V13, M3)."""

from dataclasses import replace
from typing import Any

import pytest

from everlore.domain.campaign import Relationship
from everlore.domain.config_choices import RecipeName
from everlore.domain.conversation import Conversation
from everlore.domain.layer import Layer
from everlore.domain.memory import Durability, Status, Visible
from everlore.domain.passage import PassageKind
from everlore.domain.person import PersonKind
from everlore.domain.policy import Mode, Role, context_depth
from everlore.domain.scope import Scope
from everlore.domain.visibility import place_of, speaker_in
from everlore.models.hashing import HashingEmbedder
from everlore.models.word_vectors import WordVectors
from everlore.recall.analysis import RecallTools
from everlore.recall.answer import Step
from everlore.recall.noise import NoiseModels
from everlore.recall.question import RecallQuery
from everlore.recall.recipes import TURN_RECIPES, Shares
from everlore.settings import SearchSettings
from everlore.store.port import Put
from everlore.turn.known import MemoryRoom, TurnRecall, known_for
from tests.contract.builders import (
    SCOPE,
    START,
    WORKSPACE,
    conversation,
    embed,
    entity,
    memory,
    message,
    minute,
    person,
    save,
    summary,
)
from tests.store_double.store import DoubleStore

_WORDS = WordVectors()


@pytest.fixture
async def store() -> DoubleStore:
    store = DoubleStore(clock=lambda: START)
    await save(store, *(person(id) for id in ("mira", "rex", "user", "bob")))
    return store


def _talk(id: str, *cast: str, user: str = "user", at: int = 0, **fields: Any) -> Conversation:
    known = {"system_ids": cast, "user_id": user, "created_at": minute(at), "updated_at": minute(at)}
    return conversation(id, **known | fields)


async def _known(
    store: DoubleStore,
    text: str,
    *,
    character: str = "mira",
    here: Conversation | None = None,
    scope: Scope = SCOPE,
    budget: int = 2_000,
    shares: Shares | None = None,
    **fields: Any,
) -> TurnRecall:
    talk = here or _talk("here", character)
    query = RecallQuery(
        text=text,
        viewer=speaker_in(talk, character, None),
        place=place_of(talk),
        recipe=TURN_RECIPES[RecipeName.COMPANION],
        here=talk,
        listener_id=talk.user_id,
        **fields,
    )
    room = MemoryRoom(tokens=budget, cost=lambda words: len(words) // 4, shares=shares or {})
    settings = SearchSettings()
    tools = RecallTools(
        store=store,
        embedder=HashingEmbedder(),
        floors=NoiseModels(),
        words=_WORDS.of,
        pool=settings.pool,
        vector_weight=settings.vector_weight,
        now=START,
    )
    return await known_for(scope, query, tools, room, with_earlier=True, with_last=True)


def _ids(known: TurnRecall) -> set[str]:
    return {each.id for each in known.memories}


def _texts(known: TurnRecall) -> set[str]:
    return {each.content for each in known.memories}


async def test_own_shared_and_the_users_are_known_and_nothing_of_others(store: DoubleStore) -> None:
    """M3, V13: never a memory of the user and another character."""
    await save(
        store,
        memory("own", "Mira hides a boat.", persons=("mira",)),
        memory("shared", "Mira and the user painted the boat.", persons=("mira", "user")),
        memory("users", "The user is afraid of every boat.", persons=("user",)),
        memory("friends", "Mira and Rex stole a boat.", persons=("mira", "rex")),
        memory("all", "All three sank the boat.", persons=("mira", "rex", "user")),
        memory("others", "The user told Rex about a boat.", persons=("rex", "user")),
        memory("rexs", "Rex has a boat of his own.", persons=("rex",)),
        memory("bobs", "Bob sold a boat.", persons=("bob",)),
    )

    assert _ids(await _known(store, "boat")) == {"own", "shared", "users", "all"}
    assert _ids(await _known(store, "boat", character="rex")) == {"users", "all", "others", "rexs"}


async def test_what_a_character_has_with_others_comes_up_only_where_gossip_is_let_in(store: DoubleStore) -> None:
    """R6: never a secret, and never what the user knows."""
    await save(
        store,
        memory("friends", "Mira and Rex stole a boat.", persons=("mira", "rex")),
        memory("all", "All three sank the boat.", persons=("mira", "rex", "user")),
        memory("secret", "Mira and Rex hid the boat.", persons=("mira", "rex"), visibility=Visible.SECRET),
        memory("rexs", "Rex has a boat of his own.", persons=("rex",)),
    )

    known = await _known(store, "boat", gossip_threshold=0)

    assert _ids(await _known(store, "boat")) == {"all"}
    assert {(each.record.id, each.layer) for each in known.recalled} == {
        ("friends", Layer.CROSS),
        ("all", Layer.PAIR),
    }


async def test_what_a_character_shares_with_another_user_is_not_told_nor_takes_the_room_of_what_is(
    store: DoubleStore,
) -> None:
    """M3, V13: not even where this user was there too."""
    await save(store, *(person(id, kind=PersonKind.USER) for id in ("user", "eve")))
    await save(store, memory("own", "Mira once owned a boat, long ago, far away.", persons=("mira",)))
    await save(store, memory("friends", "Mira and Rex stole a boat, long ago.", persons=("mira", "rex")))
    await save(store, memory("all", "Eve and the user sank a boat with Mira.", persons=("mira", "eve", "user")))
    await save(
        store,
        *(memory(f"e{number}", f"Boat, boat: Eve's boat {number}.", persons=("mira", "eve")) for number in range(60)),
    )

    assert _ids(await _known(store, "a boat", gossip_threshold=0)) == {"own", "friends"}
    eves = await _known(store, "a boat", here=_talk("here", "mira", user="eve"))
    assert len({id for id in _ids(eves) if id.startswith("e")}) > 2


async def test_what_the_user_keeps_for_everyone_is_not_crowded_out_by_what_others_know(store: DoubleStore) -> None:
    """M3."""
    await save(store, memory("users", "The user once owned a boat, long ago, far away.", persons=("user",)))
    await save(
        store,
        *(memory(f"o{number}", f"Boat, boat: a boat {number}.", persons=("rex", "user")) for number in range(60)),
    )

    assert {each.id for each in (await _known(store, "a boat")).memories} == {"users"}


async def test_the_best_are_known_first_and_each_once(store: DoubleStore) -> None:
    """V1."""
    await save(
        store,
        memory("a", "A boat.", persons=("mira", "user")),
        memory("b", "A red boat with a white sail.", persons=("mira",)),
        memory("c", "The red boat with the white sail and a blue hull.", persons=("user",)),
    )

    known = await _known(store, "red boat white sail")

    assert [each.id for each in known.memories] == ["b", "c"]


async def test_without_a_user_there_is_still_what_the_character_knows(store: DoubleStore) -> None:
    """V1."""
    await save(store, memory("own", "Mira hides a boat.", persons=("mira",)))
    here = _talk("here", "mira", user_id=None)

    assert _texts(await _known(store, "boat", here=here)) == {"Mira hides a boat."}


async def test_a_pasted_book_is_asked_about_by_its_last_words(store: DoubleStore) -> None:
    """V1."""
    await save(store, memory("own", "Mira hides a boat.", persons=("mira",)))

    assert _texts(await _known(store, "Another chapter of the tale. " * 80_000 + "Where is the boat?")) == {
        "Mira hides a boat."
    }


# ── earlier lines ────────────────────────────────────────────────────────────────────────────────


async def _heard(store: DoubleStore, text: str = "boat", **how: Any) -> list[str]:
    return [each.id for each in (await _known(store, text, **how)).earlier]


async def _said(store: DoubleStore, talk: Conversation, id: str, content: str, **fields: Any) -> None:
    if not await store.get_many(SCOPE, Conversation, [talk.id]):
        await save(store, talk)
    known = {"conversation_id": talk.id, "present": (talk.user_id or "", *talk.system_ids), "private": talk.private}
    await save(store, message(id, content, **known | fields))


async def test_lines_of_earlier_talks_come_back_oldest_first(store: DoubleStore) -> None:
    """V1: the last talk as it ended, and what bears on the question from any other."""
    old, other, last = _talk("old", "mira"), _talk("other", "mira"), _talk("last", "mira", at=5)
    await _said(store, old, "o1", "I bought a boat.", created_at=minute(1))
    await _said(store, other, "o2", "The weather is fine.", created_at=minute(2))
    await _said(store, last, "l1", "See you tomorrow.", created_at=minute(6))

    assert await _heard(store) == ["o1", "l1"]


async def test_lines_of_this_conversation_are_not_earlier(store: DoubleStore) -> None:
    """V1: they are its history."""
    here = _talk("here", "mira")
    await _said(store, here, "h1", "I bought a boat.")

    assert await _heard(store, here=here) == []


@pytest.mark.parametrize(
    ("talk", "fields"),
    [
        (_talk("x", "rex"), {}),
        (_talk("x", "mira", "rex"), {"present": ("user", "rex")}),
        (_talk("x", "mira", user="bob"), {}),
        (_talk("x", "mira", private=True), {}),
        (_talk("x", "mira"), {"private": True}),
        (_talk("x", "mira"), {"hidden": True}),
        # It became private when all had been said.
        (_talk("x", "mira", private=True), {"private": False}),
    ],
    ids=["another's", "was away", "another user", "private talk", "private line", "hidden", "private since"],
)
async def test_what_was_not_said_between_the_two_is_not_heard(
    store: DoubleStore, talk: Conversation, fields: dict[str, Any]
) -> None:
    """V13, V6: nor what is private, nor what is hidden."""
    await _said(store, talk, "x1", "I bought a boat.", **fields)

    assert await _heard(store) == []


async def test_who_was_there_hears_it(store: DoubleStore) -> None:
    """V13: the same line, for one and for the other."""
    talk = _talk("x", "mira", "rex")
    await _said(store, talk, "x1", "I bought a boat.", present=("user", "rex"))

    assert await _heard(store, character="rex") == ["x1"]
    assert await _heard(store, character="mira") == []


async def test_no_workspace_hears_another(store: DoubleStore) -> None:
    """V13."""
    other = replace(SCOPE, workspace="other")
    await store.apply(
        other,
        [
            Put(replace(person("mira"), workspace="other")),
            Put(replace(memory("own", "Mira hides a boat.", persons=("mira",)), workspace="other")),
        ],
    )

    known = await _known(store, "boat")

    assert (known.memories, known.earlier) == ((), ())


# ── names and times ──────────────────────────────────────────────────────────────────────────────


async def _embedded(store: DoubleStore) -> None:
    embedder = HashingEmbedder()
    texts = [each.text for each in await store.unembedded(SCOPE, embedder.name)]
    await embed(store, dict(zip(texts, await embedder.embed(texts), strict=True)), model=embedder.name)


async def test_what_is_known_of_whoever_is_named_comes_back_whatever_its_words_are(store: DoubleStore) -> None:
    """R4: "she" is Tess, or has to do with her, says the entity graph."""
    await save(store, entity("tess", "Tess"), entity("barn", "The Old Barn"))
    owns = Relationship(
        workspace=WORKSPACE, id="tie", source_id="tess", target_id="barn", type="owns", created_at=START
    )
    await save(store, owns)
    both = ("mira", "user")
    await save(store, memory("bees", "She keeps bees on the roof.", persons=both, entity_ids=("tess",)))
    await save(store, memory("owls", "Owls live in it.", persons=both, entity_ids=("barn",)))
    await save(store, memory("kettle", "Red kettles boil water quickly.", persons=both))
    await _embedded(store)

    assert _ids(await _known(store, "How is Tess these days?")) == {"bees", "owls"}
    assert "bees" not in _ids(await _known(store, "How is Wilhelmina these days?"))


async def test_what_is_shared_with_somebody_else_who_is_named_stays_where_it_is(store: DoubleStore) -> None:
    """R4, R6, V13: of Rex, the user hears what they have a part in, and nothing that Mira has with Rex alone."""
    await save(store, memory("ours", "We sailed to the island.", persons=("mira", "user", "rex")))
    await save(store, memory("theirs", "They sold the island.", persons=("mira", "rex")))
    await _embedded(store)

    assert _ids(await _known(store, "Have you heard from rex?")) == {"ours"}


async def test_the_names_of_those_who_talk_bring_nothing_by_themselves(store: DoubleStore) -> None:
    """R4: everything between them is of them."""
    for number in range(5):
        await save(store, memory(f"m{number}", f"Thing {number} is blue.", persons=("mira", "user")))

    assert _ids(await _known(store, "mira, how does a compiler work?")) == set()


async def test_in_doubt_a_few_memories_are_told_and_not_all(store: DoubleStore) -> None:
    """R2: somebody talks, and perhaps one of them bears on it."""
    for number in range(12):
        await save(store, memory(f"m{number:02}", f"The harbour has crane {number}.", persons=("mira", "user")))
    await _embedded(store)

    in_doubt = _ids(await _known(store, "At the harbour every crane was painted white, and it rained."))
    plainly = _ids(await _known(store, "Which crane does the harbour have?"))
    about_nothing = _ids(await _known(store, "Sourdough wants a warm kitchen."))
    of_a_stranger = _ids(await _known(store, "At the harbour every crane was painted white by Ferdinand."))

    assert len(in_doubt) == 5
    assert of_a_stranger == set()
    assert len(plainly) == 12
    assert about_nothing == set()


async def test_what_is_of_the_time_that_is_spoken_of_comes_first(store: DoubleStore) -> None:
    """R3."""
    day, both = 24 * 60, ("mira", "user")
    await save(store, memory("then", "The user walked to the harbour with Bella.", at=minute(-50 * day), persons=both))
    await save(store, memory("new", "A walk took the user to the harbour.", at=minute(-day), persons=both))

    spoken = await _known(store, "Who walked along to the harbour in January?")
    plain = await _known(store, "Who walked along to the harbour?")

    assert [each.id for each in spoken.memories] == ["then", "new"]
    assert [each.id for each in plain.memories] == ["new", "then"]


# ── which lines ──────────────────────────────────────────────────────────────────────────────────


def _lines(known: TurnRecall) -> list[str]:
    return [each.record.id for each in known.recalled if each.kind is PassageKind.MESSAGE]


async def test_a_line_comes_back_for_the_question_that_it_answers(store: DoubleStore) -> None:
    """R2: an answer seldom has the words of its question; the same lines come back as for `recall`."""
    old = _talk("old", "mira")
    for number in range(12):
        await _said(store, old, f"before-{number:02}", f"Number {number} of many things that are long forgotten.")
    await _said(store, old, "asked", "Which instrument do you play, and since when?")
    await _said(store, old, "answered", "The cello, since I was six.")

    found = _lines(await _known(store, "Which instrument did I say I play?"))

    assert "answered" in found
    assert not [id for id in found if id.startswith("before-") and id < "before-09"]


async def test_a_line_that_is_far_less_likely_than_the_best_does_not_come_back(store: DoubleStore) -> None:
    """R2: in a short talk every line stands near the one that answers."""
    old = _talk("old", "mira")
    await _said(store, old, "kayak", "Last summer my cousin and I repaired an old wooden kayak.")
    await _said(store, old, "named", "We painted it green and named it Petrel.")
    await _said(store, old, "weather", "The weather was awful the whole time.")
    for number in range(3):
        await _said(store, old, f"other-{number}", f"Some other thing number {number} about spreadsheets.")

    found = _lines(await _known(store, "What did we name the kayak?"))

    assert found[:2] == ["kayak", "named"]
    assert "other-1" not in found


async def test_no_line_comes_back_where_none_bears_on_what_was_said(store: DoubleStore) -> None:
    """R2: a prompt is not filled with lines that only sound a little like what was said."""
    old = _talk("old", "mira")
    lines = (
        "The kettle was boiling when I came home.",
        "My brother sold his boat.",
        "We walked to the lighthouse and back.",
        "I bake bread on Sundays.",
        "The owl in the barn woke me.",
        "There is no point in hurrying.",
    )
    for number, line in enumerate(lines):
        await _said(store, old, f"m{number}", line)

    asked = ("How does a boiling kettle work?", "How to bake sourdough bread at home?", "Do owls sleep in a barn?")
    assert [_lines(await _known(store, text)) for text in asked] == [[], [], []]


async def test_a_few_lines_come_back_where_somebody_known_is_spoken_of(store: DoubleStore) -> None:
    """R2b: none of them plainly says it; of a stranger there is nothing to tell."""
    old = _talk("old", "mira")
    for number in range(40):
        await _said(store, old, f"m{number}", f"Nobody painted fence {number} in a hurry.", person_id="rex")
    await _embedded(store)

    of_rex = await _known(store, "Where was rex on the evening of the festival?")
    of_wilma = await _known(store, "Where was Wilma on the evening of the festival?")

    assert 0 < len(_lines(of_rex)) <= 3
    assert all(each.is_doubtful for each in of_rex.recalled)
    assert _lines(of_wilma) == []


async def test_a_line_that_stands_in_the_prompt_does_not_come_back(store: DoubleStore) -> None:
    """R2: it is on screen, and so is what stands around it."""
    here = _talk("here", "mira")
    await _said(store, here, "h1", "I bought a boat and called it Nora.")
    await _said(store, here, "h2", "A boat needs a name.")

    seen = await _known(store, "What is my boat called?", here=here, on_screen=frozenset({"h1", "h2"}))
    unseen = await _known(store, "What is my boat called?", here=here)

    assert _lines(seen) == []
    assert "h1" in _lines(unseen)


async def test_a_line_that_answers_comes_before_the_summary_of_its_talk(store: DoubleStore) -> None:
    """R2: a summary tells of many things, and takes the room of many lines."""
    old = _talk("old", "mira")
    await _said(store, old, "o1", "I bought a boat, it is called Nora.")
    told = "They spoke of a boat and what it is called, of harbours, and of a great many other things as well. " * 2
    await save(store, summary("s", told, conversation_id="old", persons=("mira", "user")))

    known = await _known(store, "What is my boat called?", budget=55, shares={Layer.SEMANTIC: 1.0})

    assert [each.record.id for each in known.recalled] == ["o1"]
    assert [each.record.id for each in known.left] == ["s"]
    assert known.left[0].recalled.score <= 0.4, "however plainly it bears on it, lines that are likely come first"


async def test_a_likely_line_comes_before_memories_that_are_only_near(store: DoubleStore) -> None:
    """R1, R2: where both are after the same room, what a line says in full is not crowded out."""
    old = _talk("old", "mira")
    await _said(store, old, "painted", "My aunt was proud when we painted her name on the boat.")
    for number in range(6):
        await save(store, memory(f"m{number}", f"The user has boat number {number}.", persons=("mira", "user")))
    await _embedded(store)

    known = await _known(store, "What is my boat called?")

    assert known.recalled[0].record.id == "painted"
    assert len(known.memories) == 6


# ── what is always offered ───────────────────────────────────────────────────────────────────────


async def _who_they_are(store: DoubleStore) -> None:
    for id, text in {
        "name": "Their name is Ann.",
        "home": "They live in Oslo.",
        "job": "They work as a baker.",
    }.items():
        both = {"persons": ("mira", "user"), "durability": Durability.IDENTITY, "importance": 9}
        await save(store, memory(id, text, **both))


@pytest.mark.parametrize(("mode", "role"), [(Mode.EMULATION, Role.OWNER), (Mode.DUAL, Role.GUEST)])
async def test_who_somebody_is_leaves_room_for_the_answer(store: DoubleStore, mode: Mode, role: Role) -> None:
    """M17, C4: with a depth of three, name, home and job do not fill it."""
    await _who_they_are(store)
    await save(store, memory("boat", "Their boat is called Nora.", persons=("mira", "user")))

    known = await _known(store, "What is my boat called?", scope=replace(SCOPE, mode=mode, role=role))
    greeted = await _known(store, "Hello!", scope=replace(SCOPE, mode=mode, role=role))

    assert known.memories[0].id == "boat"
    assert len(known.memories) == context_depth(mode, role) == 3
    assert _ids(greeted) == {"name", "home", "job"}


@pytest.mark.parametrize("budget", [20, 40, 60])
async def test_what_is_always_offered_does_not_take_all_of_a_small_room(store: DoubleStore, budget: int) -> None:
    """M17, R1: in tokens as in places."""
    for number in range(12):
        await save(store, memory(f"d{number:02}", f"Fact number {number} of them.", persons=("user",), importance=9))
    await save(store, memory("boat", "Their boat is called Nora.", persons=("mira", "user")))

    known = await _known(store, "What is my boat called?", budget=budget)

    assert known.recalled[0].record.id == "boat"
    assert len(known.recalled) > 1


# ── what became of one memory ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("id", "step", "why"),
    [
        ("b00", None, ""),
        ("long", Step.CANDIDATES, "not among the top 48"),
        ("kettle", Step.FLOOR, "Not relevant enough"),
        ("fork", Step.SCOPE, "another branch"),
        ("friends", Step.SCOPE, "the character and someone else"),
        ("rexs", Step.SCOPE, "nobody told them"),
    ],
)
async def test_the_trace_of_a_reply_says_what_became_of_a_memory(
    store: DoubleStore, id: str, step: Step | None, why: str
) -> None:
    """R5: the very recall of the reply says it."""
    both, many = ("mira", "user"), "Among very many other things that they did last year, they saw a boat somewhere."
    memories = {
        "long": memory("long", many, persons=both),
        "kettle": memory("kettle", "The kettle whistles.", persons=("mira",)),
        "fork": memory("fork", "They painted the red boat.", persons=both, conversation_id="fork"),
        "friends": memory("friends", "Mira and Rex stole a red boat.", persons=("mira", "rex")),
        "rexs": memory("rexs", "Rex hides a red boat.", persons=("rex",)),
    }
    boats = {f"b{number:02}": memory(f"b{number:02}", f"Red boat {number}.", persons=both) for number in range(60)}
    await save(store, _talk("fork", "mira", branched_from_id="old"), *(memories | boats).values())
    await _embedded(store)

    known = await _known(store, "Where is the red boat?", traced=id, explain=True)
    verdict = known.trace.verdict((memories | boats)[id]) if known.trace else None

    assert verdict is not None
    assert verdict.step is step
    assert why in verdict.why


# ── how a talk begins ────────────────────────────────────────────────────────────────────────────


async def test_a_talk_of_two_who_know_each_other_begins_with_what_they_share(store: DoubleStore) -> None:
    """M3: the weightiest first, whatever was said; nothing of anybody else, and none once the talk goes on."""
    both, fork = ("mira", "user"), _talk("fork", "mira", branched_from_id="old")
    await save(store, _talk("old", "mira"), fork)
    await save(
        store,
        memory("harbour", "They met at the harbour.", persons=both, importance=6),
        memory("promise", "Mira promised to teach them to sail.", persons=both, importance=7),
        memory("own", "Mira is afraid of eels.", persons=("mira",), importance=7),
        memory("theirs", "They collect stamps.", persons=("user",), importance=7),
        memory("others", "They told Rex of a debt.", persons=("rex", "user"), importance=7),
        memory("friends", "Mira and Rex stole a boat.", persons=("mira", "rex"), importance=7),
        memory("private", "They whispered.", persons=both, visibility=Visible.PRIVATE, conversation_id="old"),
        memory("elsewhere", "On another branch they quarrelled.", persons=both, conversation_id="fork", importance=7),
        memory("spoiler", "The mayor is a ghost.", persons=both, is_spoiler=True, importance=7),
        memory("pending", "They may be cousins.", persons=both, status=Status.PENDING, importance=7),
    )

    begun = await _known(store, "Hello!", begins=True)

    assert [each.id for each in begun.memories] == ["promise", "harbour"]
    assert "start of a chat" in begun.recalled[0].why
    assert _ids(await _known(store, "Hello!")) == set()
    assert _ids(await _known(store, "Hello!", character="rex", begins=True)) == {"others"}


async def test_what_bears_on_the_first_words_comes_before_what_the_two_share(store: DoubleStore) -> None:
    """M3, R1: within the same room."""
    for number in range(20):
        await save(store, memory(f"m{number:02}", f"Thing {number} is blue.", persons=("mira", "user"), importance=7))
    await save(store, memory("boat", "Their boat is called Nora.", persons=("mira", "user"), importance=2))

    begun = await _known(store, "What is my boat called?", begins=True, budget=60)

    assert begun.recalled[0].record.id == "boat"
    assert len(begun.recalled) > 1
    assert sum(len(each.memory.content) // 4 for each in begun.recalled) <= 60
