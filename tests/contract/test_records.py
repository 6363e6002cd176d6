"""Records of every kind go in and come back equal, are found again, and hang together (M1, M5, M12, M13, P1, P10)."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta, timezone
from typing import Any

import pytest

from everlore.domain.campaign import Chapter
from everlore.domain.conversation import Conversation, Message
from everlore.domain.interaction import Interaction
from everlore.domain.memory import Memory, Status
from everlore.domain.person import Person, PersonKind
from everlore.domain.records import ForeignKey
from everlore.domain.revision import revise
from everlore.domain.setting import Setting
from everlore.domain.template import TemplateVersion
from everlore.domain.xray import XRay, pack, unpack
from everlore.errors import BadAsk, Conflict, NotFound
from everlore.store.port import Amend, Change, Contains, Delete, Enqueue, PauseQueue, Put, Search, Store, Touch
from everlore.store.tables import TABLES
from tests.contract.builders import (
    SCOPE,
    START,
    TIES,
    WORKSPACE,
    WRITABLE,
    bare,
    base_id,
    campaign,
    case,
    conversation,
    filled,
    ids,
    job,
    memory,
    message,
    minute,
    person,
    save,
    template,
    template_version,
    world,
    xray,
)

FILTERED = {kind: TABLES[kind].filters for kind in WRITABLE if TABLES[kind].filters}


# ── in and out ───────────────────────────────────────────────────────────────────────────────────


async def test_a_record_with_every_field_set_comes_back_equal(store: Store) -> None:
    """M1, M13: nothing is lost between saving and reading, whatever the fields hold."""
    await save(store, *world())
    for kind in WRITABLE:
        with case(kind.__name__):
            record = filled(kind, "full")

            [stored] = await save(store, record)

            assert stored == record
            assert await store.get(SCOPE, kind, "full") == record


async def test_what_is_nested_deep_comes_back_equal(store: Store) -> None:
    """M13: whatever is taken can be read again."""
    deep: list[Any] = []
    for _ in range(400):
        deep = [deep]
    record = memory("m", "Ada keeps boxes in boxes.", extra={"boxes": deep})

    await save(store, record)

    assert await store.get(SCOPE, Memory, "m") == record


async def test_the_memories_of_a_large_batch_come_back_equal(store: Store) -> None:
    """M1, M13: whatever they have in common. Some fields are never set, some alike, some set here and there."""
    await save(store, person("ada"), person("ben"), conversation("chat"))
    batch = [
        memory(
            f"m{number:03}",
            f"Ada has seen lighthouse {number}.",
            at=minute(number),
            persons=("ada", "ben") if number % 3 else ("ben",),
            conversation_id="chat" if 30 < number < 90 else None,
            valid_from=minute(-number) if number % 2 else None,
            confidence=1 if number < 60 else 1.0,
            extra={"seen": number % 2 == 0},
        )
        for number in range(223)
    ]

    await save(store, *batch)

    assert await store.get_many(SCOPE, Memory, [each.id for each in batch]) == batch
    found = await store.search(SCOPE, Search(text="lighthouse", conversation_id="chat", limit=100))
    assert {hit.memory.id for hit in found.hits} == {each.id for each in batch if each.conversation_id}
    with_ada = await store.find(SCOPE, Memory, {"persons": "ada"}, limit=200)
    assert ids(with_ada.items) == [each.id for each in batch if "ada" in each.persons]


async def test_a_record_with_only_what_is_required_comes_back_equal(store: Store) -> None:
    stored = await save(store, *world())

    for record in world():
        with case(type(record).__name__):
            kept = record
            if isinstance(kept, Message):
                kept = replace(kept, seq=1)
            if isinstance(kept, Conversation):
                kept = replace(kept, message_count=1)
            assert await store.get(SCOPE, type(record), record.id) == kept
    assert len(stored) == len(WRITABLE)


async def test_saving_again_replaces_the_record(store: Store) -> None:
    """M1: what is saved last is what is read."""
    await save(store, *world())
    for kind in WRITABLE:
        with case(kind.__name__):
            await save(store, bare(kind, "twice"))
            before = await store.get(SCOPE, kind, "twice")
            changed = filled(kind, "twice", **{name: getattr(before, name) for name in TABLES[kind].counted})
            if isinstance(changed, Memory):
                changed = replace(changed, revision=2, status=Status.ACTIVE)

            await save(store, changed)

            assert await store.get(SCOPE, kind, "twice") == changed


async def test_a_deleted_record_is_not_found_again(store: Store) -> None:
    """M9."""
    await save(store, *world())
    for kind in WRITABLE:
        with case(kind.__name__):
            await save(store, filled(kind, "short-lived"))

            [result] = await store.apply(SCOPE, [Delete(kind, "short-lived")])

            assert result is None
            with pytest.raises(NotFound, match="short-lived"):
                await store.get(SCOPE, kind, "short-lived")
            assert "short-lived" not in ids((await store.find(SCOPE, kind)).items)


async def test_an_unknown_id_is_named_in_the_error(store: Store) -> None:
    for kind in WRITABLE:
        with pytest.raises(NotFound, match=f"{kind.__name__}.*'nobody'"):
            await store.get(SCOPE, kind, "nobody")


async def test_many_records_come_in_the_order_of_their_ids(store: Store) -> None:
    await save(store, *world())
    for kind in WRITABLE:
        with case(kind.__name__):
            await save(store, *(bare(kind, f"r{number}") for number in range(5)))

            found = await store.get_many(SCOPE, kind, ["r3", "unknown", "r0", "r4"])

            assert ids(found) == ["r3", "r0", "r4"]
            assert await store.get_many(SCOPE, kind, []) == []


async def test_a_later_x_ray_takes_the_place_of_the_one_before(store: Store) -> None:
    """P12: a reply has one, and it is that of the version that stands there."""
    await save(store, conversation(), message("reply"), xray("reply", account=pack({"tokens": 1})))

    await save(store, xray("reply", account=pack({"tokens": 2}), created_at=minute(1)))

    [kept] = (await store.find(SCOPE, XRay, {"message_id": "reply"})).items
    assert (unpack(kept.account), kept.created_at) == ({"tokens": 2}, minute(1))


async def test_times_keep_their_microseconds_and_their_moment(store: Store) -> None:
    """M1: a time given in another zone is the same moment when it comes back, and comes back aware."""
    berlin = START.astimezone(timezone(timedelta(hours=2))) + timedelta(microseconds=1)

    await save(store, person("mira", created_at=berlin))

    stored = await store.get(SCOPE, Person, "mira")
    assert stored.created_at == berlin
    assert stored.created_at.utcoffset() is not None


async def test_times_before_1970_are_kept(store: Store) -> None:
    born = START.replace(year=1815, microsecond=999_999)

    await save(store, memory("m", valid_from=born))

    assert (await store.get(SCOPE, Memory, "m")).valid_from == born


async def test_what_a_caller_does_to_its_own_copy_does_not_reach_the_store(store: Store) -> None:
    mine: dict[str, object] = {"list": [1]}
    [stored] = await save(store, Setting(workspace=WORKSPACE, id="theme", value=mine, updated_at=START))
    given = (await store.get(SCOPE, Setting, "theme")).value

    mine["list"] = "mine"
    stored.value["list"] = "stored"
    given["list"] = "given"

    assert (await store.get(SCOPE, Setting, "theme")).value == {"list": [1]}


async def test_a_text_of_the_longest_kind_comes_back_whole(store: Store) -> None:
    """V3: the log takes whatever a person can paste."""
    long = ("word " * 400_000)[:2_000_000]
    await save(store, conversation())

    await save(store, message("long", long))

    assert (await store.get(SCOPE, Message, "long")).content == long


# ── all or nothing ───────────────────────────────────────────────────────────────────────────────


async def test_each_change_gives_back_its_own_result(store: Store) -> None:
    results = await store.apply(
        SCOPE,
        [
            Put(person("ada")),
            PauseQueue(False),
            Put(memory("m", persons=("ada",))),
            Touch(("m",), minute(1)),
            Enqueue(job("j")),
            Delete(Person, "ada"),
        ],
    )

    assert [type(result).__name__ for result in results] == [
        "Person",
        "NoneType",
        "Memory",
        "NoneType",
        "Job",
        "NoneType",
    ]


async def test_no_changes_are_no_work(store: Store) -> None:
    assert await store.apply(SCOPE, []) == []
    assert await store.workspaces() == []


async def test_one_failing_change_undoes_the_whole_list(store: Store) -> None:
    """C5, M9: a message, its memory and its jobs are kept together or not at all."""
    await save(store, conversation())
    changes: list[Change] = [
        Put(message("hello")),
        Put(memory("m", source_message_ids=("hello",))),
        Enqueue(job("j")),
        PauseQueue(True),
        Delete(Person, "nobody"),
    ]

    with pytest.raises(NotFound, match="nobody"):
        await store.apply(SCOPE, changes)

    assert (await store.get(SCOPE, Conversation, "chat")).message_count == 0
    assert await store.count(SCOPE, Message) == 0
    assert await store.count(SCOPE, Memory) == 0
    assert (await store.jobs(SCOPE)).items == ()
    assert not (await store.queue(SCOPE)).paused


async def test_a_later_change_of_the_list_sees_the_earlier_ones(store: Store) -> None:
    first = memory("m")

    await store.apply(SCOPE, [Put(first), Put(revise(first, minute(1), content="Ada likes rain."))])

    assert (await store.get(SCOPE, Memory, "m")).content == "Ada likes rain."
    assert len(await store.history(SCOPE, "m")) == 1


# ── references ───────────────────────────────────────────────────────────────────────────────────


async def test_naming_a_record_that_does_not_exist_is_refused(store: Store) -> None:
    """M5, M9: no id names something that is not there, and the refusal keeps nothing."""
    await save(store, *world())

    for tie in TIES:
        record = filled(tie.child, "dangling")
        nowhere = ("nowhere",) if isinstance(getattr(record, tie.column), tuple) else "nowhere"
        with case(f"{tie.child.__name__}.{tie.column}"):
            with pytest.raises(NotFound, match=f"(?s)(?=.*{tie.parent.__name__})(?=.*nowhere)"):
                await store.apply(SCOPE, [Put(person("bystander")), Put(replace(record, **{tie.column: nowhere}))])
            assert await store.get_many(SCOPE, tie.child, ["dangling"]) == []
            assert await store.get_many(SCOPE, Person, ["bystander"]) == []


async def test_records_of_one_list_may_name_each_other_in_any_order(store: Store) -> None:
    """M7: the closed fact points to a successor that is saved in the same breath."""
    await save(store, memory("seattle", "Ada lives in Seattle."))
    old = await store.get(SCOPE, Memory, "seattle")
    closed = revise(old, minute(1), status=Status.SUPERSEDED, superseded_by="portland")

    await save(store, closed, memory("portland", "Ada lives in Portland."))

    assert (await store.get(SCOPE, Memory, "seattle")).superseded_by == "portland"


async def test_what_an_earlier_change_of_the_list_deleted_cannot_be_named(store: Store) -> None:
    await save(store, person("ada"))

    with pytest.raises(NotFound, match=r"(?s)Person.*ada"):
        await store.apply(SCOPE, [Delete(Person, "ada"), Put(memory("m", persons=("ada",)))])

    assert ids((await store.find(SCOPE, Person)).items) == ["ada"]


async def test_a_record_put_and_deleted_in_one_list_is_gone(store: Store) -> None:
    await store.apply(SCOPE, [Put(person("ada")), Put(memory("m", persons=("ada",))), Delete(Memory, "m")])

    assert await store.count(SCOPE, Memory) == 0
    assert await store.count(SCOPE, Person) == 1


# ── what the store counts ────────────────────────────────────────────────────────────────────────


async def test_messages_are_numbered_as_they_come(store: Store) -> None:
    """V3: a message's number is its place in the conversation."""
    await save(store, conversation(), conversation("elsewhere"))

    first, second = await save(store, message("a"), message("b"))
    [other] = await save(store, message("c", conversation_id="elsewhere"))

    assert (first.seq, second.seq, other.seq) == (1, 2, 1)
    assert (await store.get(SCOPE, Conversation, "chat")).message_count == 2


async def test_an_imported_message_keeps_its_number(store: Store) -> None:
    """M13."""
    await save(store, conversation())

    await save(store, message("seventh", seq=7), message("third", seq=3))
    [next_one] = await save(store, message("next"))

    assert (await store.get(SCOPE, Message, "third")).seq == 3
    assert next_one.seq == 8
    assert (await store.get(SCOPE, Conversation, "chat")).message_count == 8


async def test_two_messages_cannot_have_one_number(store: Store) -> None:
    await save(store, conversation(), message("first", seq=1))

    with pytest.raises(Conflict, match="1"):
        await save(store, message("usurper", seq=1))

    assert ids((await store.find(SCOPE, Message)).items) == ["first"]


async def test_an_edited_message_keeps_its_number(store: Store) -> None:
    await save(store, conversation(), message("a"), message("b"))

    [edited] = await save(store, message("a", "Hello again."))

    assert (edited.seq, edited.content) == (1, "Hello again.")
    assert (await store.get(SCOPE, Conversation, "chat")).message_count == 2


async def test_a_deleted_messages_number_is_not_given_again(store: Store) -> None:
    await save(store, conversation(), message("a"), message("b"))

    await store.apply(SCOPE, [Delete(Message, "b")])
    [third] = await save(store, message("c"))

    assert third.seq == 3


async def test_messages_that_come_at_once_get_different_numbers(store: Store) -> None:
    """One transaction, one truth: nobody loses a message to a race."""
    await save(store, conversation())

    await asyncio.gather(*(save(store, message(f"m{number}")) for number in range(20)))

    page = await store.find(SCOPE, Message, {"conversation_id": "chat"})
    assert [each.seq for each in page.items] == list(range(1, 21))


async def test_editing_a_conversation_does_not_reset_its_count(store: Store) -> None:
    await save(store, conversation(), message("a"))

    [edited] = await save(store, conversation(title="Renamed", message_count=99))

    assert (edited.title, edited.message_count) == ("Renamed", 1)


async def test_recalls_are_counted_without_a_revision(store: Store) -> None:
    await save(store, memory("m"), memory("other"))

    await store.apply(SCOPE, [Touch(("m",), minute(1))])
    await store.apply(SCOPE, [Touch(("m",), minute(2))])

    touched = await store.get(SCOPE, Memory, "m")
    assert (touched.recall_count, touched.last_recalled_at) == (2, minute(2))
    assert (touched.revision, touched.updated_at) == (1, START)
    assert await store.history(SCOPE, "m") == []
    assert (await store.get(SCOPE, Memory, "other")).recall_count == 0


async def test_what_a_reply_used_is_reinforced_without_a_revision(store: Store) -> None:
    """R5."""
    await save(store, memory("used"), memory("unused"))

    await store.apply(SCOPE, [Touch(("used", "unused"), minute(1), used_ids=("used", "gone"))])

    used, unused = await store.get(SCOPE, Memory, "used"), await store.get(SCOPE, Memory, "unused")
    assert (used.reinforcement_count, used.recall_count, used.revision) == (1, 1, 1)
    assert (unused.reinforcement_count, unused.recall_count) == (0, 1)
    assert await store.history(SCOPE, "used") == []


async def test_touching_a_memory_that_is_gone_by_now_is_passed_over(store: Store) -> None:
    await save(store, memory("m"))

    await store.apply(SCOPE, [Touch(("gone", "m"), minute(1))])

    assert (await store.get(SCOPE, Memory, "m")).recall_count == 1


async def test_editing_a_memory_does_not_reset_its_recalls(store: Store) -> None:
    """M1, M6: an edit that was prepared before a recall does not undo the count."""
    await save(store, memory("m"))
    prepared = revise(await store.get(SCOPE, Memory, "m"), minute(2), content="Ada loves the sea.")
    await store.apply(SCOPE, [Touch(("m",), minute(1))])

    [stored] = await save(store, prepared)

    assert (stored.recall_count, stored.last_recalled_at) == (1, minute(1))


# ── finding ──────────────────────────────────────────────────────────────────────────────────────


async def test_a_filter_finds_exactly_what_equals_it(store: Store) -> None:
    await save(store, *world())
    for kind, columns in FILTERED.items():
        record = filled(kind, "wanted")
        await save(store, record)
        everything = (await store.find(SCOPE, kind)).items
        for column in columns:
            with case(f"{kind.__name__}.{column}"):
                await _finds_what_equals(store, record, column, everything)


async def _finds_what_equals(store: Store, record: Any, column: str, everything: Sequence[Any]) -> None:
    kind, value = type(record), getattr(record, column)
    page = await store.find(SCOPE, kind, {column: value})

    equal = [each.id for each in everything if getattr(each, column) == value]
    assert ids(page.items) == equal
    assert "wanted" in equal
    assert await store.count(SCOPE, kind, {column: value}) == len(equal)
    assert (await store.find(SCOPE, kind, {column: "no such value"})).items == ()


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        (("ferry",), ["one", "two"]),
        (("FERRY", "dawn"), ["one"]),
        (("erry le",), ["one"]),
        (("äpfel",), ["three"]),
        (("ÄPFEL",), ["three"]),
        (("100%",), ["four"]),
        (("a_b",), ["four"]),
        (("!",), ["four"]),
        (("no such text",), []),
    ],
)
async def test_messages_are_found_by_a_part_of_their_text(
    store: Store, parts: tuple[str, ...], found: list[str]
) -> None:
    """U3: whatever the case, as it stands, and all parts together."""
    texts = {"one": "The Ferry leaves at dawn.", "two": "A ferry.", "three": "Äpfel und Birnen", "four": "100% a_b!"}
    await save(store, conversation(), *(message(id, text) for id, text in texts.items()), message("five", "100 x aXb"))

    page = await store.find(SCOPE, Message, {"conversation_id": "chat", "content": Contains(parts)})

    assert ids(page.items) == found
    assert await store.count(SCOPE, Message, {"content": Contains(parts)}) == len(found)


@pytest.mark.parametrize(
    ("kind", "name", "parts"), [(Memory, "content", ("x",)), (Message, "state", ("x",)), (Message, "content", ())]
)
async def test_only_the_content_of_messages_is_searched_by_a_part(
    store: Store, kind: type[Any], name: str, parts: tuple[str, ...]
) -> None:
    with pytest.raises(BadAsk):
        await store.find(SCOPE, kind, {name: Contains(parts)})


async def test_a_filter_of_none_finds_what_has_no_value(store: Store) -> None:
    await save(store, conversation(), memory("free"), memory("bound", conversation_id="chat"))

    page = await store.find(SCOPE, Memory, {"conversation_id": None})

    assert ids(page.items) == ["free"]
    assert await store.count(SCOPE, Memory, {"conversation_id": [None, "chat"]}) == 2


@pytest.mark.parametrize("shape", [list, tuple, set, frozenset])
async def test_a_collection_means_any_of_its_values(store: Store, shape: Any) -> None:
    await save(store, person("a", name="Ada"), person("b", name="Bo"), person("c", name="Cy"))

    page = await store.find(SCOPE, Person, {"name": shape(["Ada", "Cy"])})

    assert ids(page.items) == ["a", "c"]
    assert (await store.find(SCOPE, Person, {"name": shape()})).items == ()


async def test_every_filter_that_is_set_must_hold(store: Store) -> None:
    await save(store, person("a", name="Ada"), person("b", name="Ada", kind=PersonKind.USER))

    page = await store.find(SCOPE, Person, {"name": "Ada", "kind": PersonKind.USER})

    assert ids(page.items) == ["b"]


async def _weighed(store: Store) -> None:
    """Ten messages that weigh 0 to 9, two that nobody has weighed, and a weighty one of another conversation."""
    await save(store, conversation(), conversation("elsewhere"))
    weighed = [message(f"m{weight}", weight=weight) for weight in range(10)]
    await save(store, message("unweighed"), *weighed, message("unweighed too"))
    await save(store, message("other", conversation_id="elsewhere", weight=9))


async def test_the_messages_that_matter_are_found_by_their_weight(store: Store) -> None:
    """P10: newest first, a page at a time."""
    await _weighed(store)
    where = {"conversation_id": "chat", "weight": (5, 6, 7, 8, 9)}

    pages = await _all_pages(store, Message, 2, where=where, newest_first=True)

    assert pages == [["m9", "m8"], ["m7", "m6"], ["m5"]]
    assert await store.count(SCOPE, Message, where) == 5


async def test_messages_that_nobody_has_weighed_are_found_as_such(store: Store) -> None:
    """P10: what weighs nothing has been weighed."""
    await _weighed(store)

    unweighed = await store.find(SCOPE, Message, {"conversation_id": "chat", "weight": None})
    unweighed_or_light = await store.find(SCOPE, Message, {"conversation_id": "chat", "weight": [None, 0]})

    assert ids(unweighed.items) == ["unweighed", "unweighed too"]
    assert ids(unweighed_or_light.items) == ["unweighed", "m0", "unweighed too"]


async def test_a_message_that_is_weighed_later_is_found_by_its_weight(store: Store) -> None:
    """P10."""
    await save(store, conversation(), message("plain"), message("promise"))

    await store.apply(SCOPE, [Amend(Message, "promise", {"weight": 8})])

    assert ids((await store.find(SCOPE, Message, {"weight": {7, 8, 9}})).items) == ["promise"]


@pytest.mark.parametrize("tie", [each for each in TIES if each.child is Memory], ids=lambda tie: tie.column)
async def test_memories_are_found_from_what_they_mention(store: Store, tie: ForeignKey) -> None:
    """M5: from a message to the memories formed from it, and likewise for all else they mention."""
    await save(store, *world())
    await save(store, filled(Memory, "mentions"), filled(Memory, "mentions too"))

    page = await store.find(SCOPE, Memory, {tie.column: base_id(tie.parent)})

    assert set(ids(page.items)) == {"mentions", "mentions too"}
    assert await store.count(SCOPE, Memory, {tie.column: [base_id(tie.parent), "nowhere"]}) == 2
    assert await store.count(SCOPE, Memory, {tie.column: "nowhere"}) == 0


async def test_a_mention_that_was_edited_away_is_not_found(store: Store) -> None:
    await save(store, person("ada"), person("bo"), memory("m", persons=("ada", "bo")))
    stored = await store.get(SCOPE, Memory, "m")

    await save(store, revise(stored, minute(1), persons=("bo",)))

    assert await store.count(SCOPE, Memory, {"persons": "ada"}) == 0
    assert await store.count(SCOPE, Memory, {"persons": "bo"}) == 1


# ── pages ────────────────────────────────────────────────────────────────────────────────────────


async def _all_pages(store: Store, kind: type[Any], limit: int, **ask: Any) -> list[list[str]]:
    pages, cursor = [], None
    while True:
        page = await store.find(SCOPE, kind, limit=limit, cursor=cursor, **ask)
        pages.append(ids(page.items))
        cursor = page.cursor
        if cursor is None:
            return pages


# Two were made at the same moment: their ids decide, by their characters and not by a dictionary.
AGES = {"e": 0, "b": 1, "a": 2, "B": 2, "ä": 2, "d": 3, "c": 4}
OLDEST_FIRST = ["e", "b", "B", "a", "ä", "d", "c"]


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
async def test_pages_run_through_everything_once_and_in_order(store: Store, limit: int, newest_first: bool) -> None:
    await save(store, *(person(id, created_at=minute(age)) for id, age in AGES.items()))

    pages = await _all_pages(store, Person, limit, newest_first=newest_first)

    expected = OLDEST_FIRST[::-1] if newest_first else OLDEST_FIRST
    assert [id for page in pages for id in page] == expected
    assert [len(page) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert len(pages) == -(-len(AGES) // limit)


async def test_pages_run_by_number_where_a_kind_has_numbers(store: Store) -> None:
    chapters = [bare(Chapter, f"c{number}", number=number, campaign_id="quest") for number in (10, 9, 2)]
    await save(store, campaign("quest"), *chapters)

    assert await _all_pages(store, Chapter, 2) == [["c2", "c9"], ["c10"]]


async def test_versions_of_a_template_run_by_their_number(store: Store) -> None:
    """P1: whatever their ids and times, and without those of other templates."""
    versions = [template_version(f"v{number}", number, created_at=minute(-number)) for number in (10, 9, 2)]
    await save(store, template("base"), template("other"), *versions)
    await save(store, template_version("not-mine", 11, template_id="other"))
    where = {"template_id": "base"}

    assert await _all_pages(store, TemplateVersion, 2, where=where) == [["v2", "v9"], ["v10"]]
    assert await _all_pages(store, TemplateVersion, 2, where=where, newest_first=True) == [["v10", "v9"], ["v2"]]
    assert ids((await store.find(SCOPE, TemplateVersion, {**where, "version": 9})).items) == ["v9"]


async def test_a_record_that_comes_in_between_neither_repeats_nor_hides_another(store: Store) -> None:
    await save(store, *(person(f"p{number}", created_at=minute(number)) for number in range(4)))
    first = await store.find(SCOPE, Person, limit=2)

    await save(store, person("earlier", created_at=minute(-1)))
    await store.apply(SCOPE, [Delete(Person, "p1")])
    second = await store.find(SCOPE, Person, limit=2, cursor=first.cursor)

    assert ids(first.items) == ["p0", "p1"]
    assert ids(second.items) == ["p2", "p3"]


async def test_pages_of_a_filter_hold_nothing_else(store: Store) -> None:
    kinds = [PersonKind.USER, PersonKind.CHARACTER]
    await save(store, *(person(f"p{number}", kind=kinds[number % 2]) for number in range(9)))

    pages = await _all_pages(store, Person, 2, where={"kind": "user"})

    assert pages == [["p0", "p2"], ["p4", "p6"], ["p8"]]
    assert await store.count(SCOPE, Person) == 9
    assert await store.count(SCOPE, Person, {"kind": "user"}) == 5


async def test_what_passed_is_found_by_either_of_the_two(store: Store) -> None:
    """K3: whoever did it and whoever it was done with, a page at a time."""
    met = [
        bare(Interaction, f"i{number}", actor_id=actor, interactor_id=other, created_at=minute(number))
        for number, (actor, other) in enumerate([("ada", "bo"), ("bo", "cy"), ("cy", "ada"), ("bo", "cy")])
    ]
    await save(store, *met)

    assert await _all_pages(store, Interaction, 2, where={"person_id": "ada"}) == [["i0", "i2"]]
    assert await _all_pages(store, Interaction, 2, where={"person_id": "bo"}) == [["i0", "i1"], ["i3"]]
    assert await store.count(SCOPE, Interaction, {"person_id": ("ada", "cy")}) == 4
    assert await store.count(SCOPE, Interaction, {"person_id": "bo", "interactor_id": "cy"}) == 2


# ── the whole ────────────────────────────────────────────────────────────────────────────────────


async def test_a_store_that_is_well_reports_no_problem(store: Store) -> None:
    """M12: whether it is empty or full, and after deletions."""
    empty = await store.health()
    await save(store, *world())
    await store.apply(SCOPE, [Delete(kind, base_id(kind)) for kind in (Person, Memory, Conversation)])

    used = await store.health()

    assert (empty.problems, used.problems) == ((), ())
    assert used.kind == empty.kind != ""
    assert used.schema == empty.schema
