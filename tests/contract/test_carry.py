"""A whole workspace out of one database and into another, on every store (M13).

What is read at one moment is brought elsewhere as it was: ids, times, counts, numbers and history.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from everlore.domain.audit_entry import AuditEntry
from everlore.domain.conversation import Conversation, Message
from everlore.domain.counters import Counted
from everlore.domain.memory import Memory, Status
from everlore.domain.person import Person
from everlore.domain.policy import Mode
from everlore.domain.revision import Why, revise
from everlore.domain.scope import Scope
from everlore.domain.setting import INDEX, MODELS, Setting
from everlore.domain.token import Token
from everlore.domain.webhook import Webhook
from everlore.errors import BadAsk, Forbidden, NotFound
from everlore.store.answers import ImportOutcome
from everlore.store.export_order import CARRIED
from everlore.store.port import Count, Delete, ImportRecord, Put, Search, Store, Touch
from tests.contract.builders import (
    MODEL,
    SCOPE,
    START,
    WRITABLE,
    bare,
    conversation,
    filled,
    memory,
    message,
    minute,
    person,
    save,
)
from tests.contract.drivers import inhabit

ELSEWHERE = Scope("elsewhere")


async def everything(store: Store, scope: Scope = SCOPE) -> list[ImportRecord]:
    async with store.snapshot(scope) as snapshot:
        return [each for kind in CARRIED async for page in snapshot.pages(kind) for each in page]


def moved(
    brings: Sequence[ImportRecord], workspace: str = ELSEWHERE.workspace, *, over: bool = False
) -> list[ImportRecord]:
    """The same, for another workspace."""
    return [
        ImportRecord(
            replace(each.record, workspace=workspace),
            tuple(
                replace(one, workspace=workspace, before=replace(one.before, workspace=workspace))
                for one in each.history
            ),
            over,
        )
        for each in brings
    ]


async def found(store: Store, text: str, scope: Scope = ELSEWHERE, **options: Any) -> list[str]:
    hits = (await store.search(scope, Search(text=text, statuses=frozenset(Status), **options))).hits
    return [hit.record.id for hit in hits]


async def revised(store: Store) -> Memory:
    """A memory that was changed twice: in its words, and in whose it is."""
    first = memory("m", "Ada lives in Oslo.", persons=("ada",))
    second = revise(first, minute(10), content="Ada lives in Bergen.")
    third = revise(second, minute(20), importance=9, persons=("ada", "bo"))
    await save(store, person("ada"), person("bo"), first)
    await store.apply(SCOPE, [Put(second, by="user", why=Why.CORRECTION, note="She moved."), Put(third, by="gm")])
    return third


# ── out, and in ──────────────────────────────────────────────────────────────────────────────────


async def test_everything_arrives_as_it_was(store: Store) -> None:
    """M13: every kind, with what was counted, in one list."""
    await inhabit(store, SCOPE)
    await store.apply(SCOPE, [Count("tokens", 7), Touch(("m",), minute(9))])
    left = await everything(store)

    verdicts = await store.apply(ELSEWHERE, moved(left))

    assert set(verdicts) == {ImportOutcome.NEW}
    assert moved(await everything(store, ELSEWHERE), SCOPE.workspace) == left
    assert {type(each.record) for each in left} == set(CARRIED)
    assert await store.tallies(ELSEWHERE) == [each for each in await store.tallies(SCOPE) if each.kind != "vector"]
    assert await store.tallies(ELSEWHERE, since=START) == await store.tallies(SCOPE, since=START)


async def test_every_field_arrives(store: Store) -> None:
    """M1, M13: one of each kind with every field set."""
    await inhabit(store, SCOPE)
    numbered: dict[str, Any] = {"seq": 9}
    kinds = [kind for kind in WRITABLE if kind not in (Token, Webhook)]
    full = [filled(kind, "full", **(numbered if kind is Message else {})) for kind in kinds]
    await save(store, *full)
    left = await everything(store)

    await store.apply(ELSEWHERE, moved(left))

    assert moved(await everything(store, ELSEWHERE), SCOPE.workspace) == left
    assert {type(each.record) for each in left if each.record.id == "full"} == {type(each) for each in full}


async def test_it_comes_in_the_order_of_the_characters(store: Store) -> None:
    """M13: the same workspace gives the same file, whatever language a database sorts by."""
    names = ["Zoe", "ada", "Ärger", "a-b", "a_b", "ab", "Ada", "éa", "🐉", "\uff21"]
    await save(store, *(person(name) for name in names))

    async with store.snapshot(SCOPE) as snapshot:
        found = [each.record.id async for page in snapshot.pages(Person) for each in page]

    assert found == sorted(names)


async def test_a_snapshot_stands_still_while_others_write(store: Store) -> None:
    """M13: one moment, for all kinds."""
    await save(store, *(person(f"p{number:03}") for number in range(450)), conversation())

    async with store.snapshot(SCOPE) as snapshot:
        before = await snapshot.counts()
        pages = snapshot.pages(Person)
        seen = [each.record.id for each in await anext(pages)]
        await save(store, person("late"), person("p999"), message("m1"))
        seen += [each.record.id async for page in pages for each in page]
        later = [each async for page in snapshot.pages(Message) for each in page]

    assert seen == [f"p{number:03}" for number in range(450)]
    assert later == []
    assert (before[Person], before[Message], before[Conversation]) == (450, 0, 1)


async def test_what_belongs_to_the_database_stays_there(store: Store) -> None:
    """S-2: tokens, keys of providers, and which model indexed it."""
    wish = {"provider": "openai", "base_url": "http://x", "model": "m", "key": "sealed-secret"}
    await save(store, person("user"), bare(Token, "t", user_id="user", digest="digest-of-a-token"))
    await save(store, Setting(workspace="one", id=MODELS, value={"chat": wish}, updated_at=START))
    await save(store, Setting(workspace="one", id=INDEX, value={"model": "wordllama"}, updated_at=START))

    left = await everything(store)
    async with store.snapshot(SCOPE) as snapshot:
        counts = await snapshot.counts()

    settings = [each.record for each in left if isinstance(each.record, Setting)]
    assert [setting.value for setting in settings] == [{"chat": without(wish)}]
    assert "secret" not in repr(left)
    assert "digest-of" not in repr(left)
    assert "wordllama" not in repr(left)
    assert counts == {kind: sum(type(each.record) is kind for each in left) for kind in CARRIED}


def without(wish: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in wish.items() if name != "key"}


# ── what a memory has been ───────────────────────────────────────────────────────────────────────


async def test_a_memory_arrives_with_its_history(store: Store) -> None:
    """M6, M13."""
    third = await revised(store)

    await store.apply(ELSEWHERE, moved(await everything(store)))

    here, there = await store.history(SCOPE, "m"), await store.history(ELSEWHERE, "m")
    assert [(each.number, each.by, each.why, each.note, each.since, each.until) for each in there] == [
        (each.number, each.by, each.why, each.note, each.since, each.until) for each in here
    ]
    assert [replace(each.before, workspace="one") for each in there] == [each.before for each in here]
    assert replace(await store.get(ELSEWHERE, Memory, "m"), workspace="one") == third
    (then,) = await store.as_of(ELSEWHERE, ["m"], minute(5))
    assert then.content == "Ada lives in Oslo."


async def test_a_search_as_of_then_finds_the_words_of_then(store: Store) -> None:
    """M6, M13."""
    await revised(store)

    await store.apply(ELSEWHERE, moved(await everything(store)))

    assert await found(store, "Bergen") == ["m"]
    assert await found(store, "Oslo") == []
    assert await found(store, "Oslo", as_of=minute(5)) == ["m"]
    assert await found(store, "Bergen", as_of=minute(15), person_id="bo") == []
    assert await found(store, "Bergen", person_id="bo") == ["m"]


async def test_a_person_that_is_deleted_goes_from_a_history_that_was_brought(store: Store) -> None:
    """M9: what earlier states mention is known here too."""
    await revised(store)
    await store.apply(SCOPE, [Put(revise(await store.get(SCOPE, Memory, "m"), minute(30), persons=("ada",)))])
    await store.apply(ELSEWHERE, moved(await everything(store)))

    await store.apply(ELSEWHERE, [Delete(Person, "bo")])

    assert all("bo" not in each.before.persons for each in await store.history(ELSEWHERE, "m"))


async def test_words_are_found_at_once_and_vectors_are_queued(store: Store) -> None:
    """M14."""
    await inhabit(store, SCOPE)

    await store.apply(ELSEWHERE, moved(await everything(store)))

    assert set(await found(store, "sea")) == set(await found(store, "sea", SCOPE))
    jobs = (await store.jobs(ELSEWHERE)).items
    assert {job.kind for job in jobs} == {"embed"}
    waiting = {each.text for each in await store.unembedded(ELSEWHERE, MODEL)}
    assert "Ada likes the sea." in waiting


async def test_the_next_message_comes_after_all_that_were_brought(store: Store) -> None:
    """V6: also where the conversation was there before, with fewer."""
    await save(store, conversation(), message("m1"), message("m2"))
    left = moved(await everything(store))
    await store.apply(ELSEWHERE, [Put(conversation(workspace="elsewhere", title="Mine"))])

    await store.apply(ELSEWHERE, left)
    (said,) = await store.apply(ELSEWHERE, [Put(message("m3", workspace="elsewhere"))])

    assert isinstance(said, Message)
    assert said.seq == 3


# ── what is there already ────────────────────────────────────────────────────────────────────────


async def test_what_is_there_and_equal_is_passed_over(store: Store) -> None:
    """M13: bringing it twice adds nothing, and what a store counts by itself is no difference."""
    await inhabit(store, SCOPE)
    left = moved(await everything(store))
    await store.apply(ELSEWHERE, left)
    await store.apply(ELSEWHERE, [Touch(("m",), minute(40))])
    audit = await store.count(ELSEWHERE, AuditEntry)

    verdicts = await store.apply(ELSEWHERE, left)

    assert set(verdicts) == {ImportOutcome.SAME}
    assert await store.count(ELSEWHERE, AuditEntry) == audit
    assert (await store.get(ELSEWHERE, Memory, "m")).recall_count == 1


async def test_what_differs_is_left_alone_unless_it_is_to_be_replaced(store: Store) -> None:
    """M13."""
    await revised(store)
    await store.apply(SCOPE, [Count("prompts", 5)])
    left = [each for each in moved(await everything(store)) if not isinstance(each.record, AuditEntry)]
    mine = memory("m", "Ada lives in Rome.", workspace="elsewhere", persons=("ada",))
    await store.apply(ELSEWHERE, [Put(person("ada", workspace="elsewhere", name="Mine")), Put(mine), Count("prompts")])

    weighed = await store.weigh(ELSEWHERE, left)
    kept = await store.apply(ELSEWHERE, left)
    untouched = await store.get(ELSEWHERE, Memory, "m")
    replaced = await store.apply(ELSEWHERE, [replace(each, replace=True) for each in left])

    different = [each.record.id for each, verdict in zip(left, kept, strict=True) if verdict is ImportOutcome.DIFFERENT]
    assert weighed == kept
    assert {"ada", "m"} <= set(different)
    assert "bo" not in different
    assert untouched == mine
    assert ImportOutcome.DIFFERENT not in replaced
    assert ImportOutcome.REPLACED in replaced
    now = [each for each in await everything(store, ELSEWHERE) if not isinstance(each.record, AuditEntry)]
    assert now == moved([each for each in await everything(store) if not isinstance(each.record, AuditEntry)])
    assert await found(store, "Rome") == []
    assert await found(store, "Bergen") == ["m"]
    said = (await store.find(ELSEWHERE, AuditEntry, {"verb": "changed"})).items
    assert {(deed.kind, deed.ref) for deed in said} == {("person", "ada"), ("memory", "m")}


async def test_a_message_whose_place_is_taken_is_left_out(store: Store) -> None:
    """V6: no number is given twice."""
    await save(store, conversation(), message("m1"))
    left = moved(await everything(store), over=True)
    await store.apply(ELSEWHERE, [Put(conversation(workspace="elsewhere")), Put(message("x", workspace="elsewhere"))])

    verdicts = dict(zip([each.record.id for each in left], await store.apply(ELSEWHERE, left), strict=True))

    assert verdicts["m1"] is ImportOutcome.DIFFERENT
    assert [each.id for each in (await store.find(ELSEWHERE, Message)).items] == ["x"]


async def test_a_key_that_is_here_stays_with_its_provider(store: Store) -> None:
    """S-2: a file has no keys, and takes none away."""
    wish = {"provider": "openai", "base_url": "http://x", "model": "m", "key": "sealed"}
    mine = Setting(workspace="one", id=MODELS, value={"chat": wish}, updated_at=START)
    await save(store, mine)
    other = replace(mine, value={"chat": {**without(wish), "model": "other"}}, updated_at=minute(1))

    same = await store.apply(SCOPE, [ImportRecord(replace(mine, value={"chat": without(wish)}))])
    await store.apply(SCOPE, [ImportRecord(other, replace=True)])

    assert same == [ImportOutcome.SAME]
    assert (await store.get(SCOPE, Setting, MODELS)).value == {"chat": {**wish, "model": "other"}}


# ── what is refused ──────────────────────────────────────────────────────────────────────────────


async def test_whatever_is_named_must_be_there_and_of_its_own_kind_may_come_later(store: Store) -> None:
    """M9, M13."""
    old = memory("old", persons=("ada",), status=Status.SUPERSEDED, superseded_by="new")
    nobodys = memory("lost", persons=("nobody",))

    first = await store.apply(SCOPE, [ImportRecord(person("ada")), ImportRecord(old)])
    with pytest.raises(NotFound, match="nobody"):
        await store.apply(SCOPE, [ImportRecord(person("bo")), ImportRecord(nobodys)])

    assert first == [ImportOutcome.NEW, ImportOutcome.NEW]
    assert await store.get_many(SCOPE, Person, ["bo"]) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (ImportRecord(bare(Token, "t")), "token"),
        (ImportRecord(message("m")), "number"),
        (ImportRecord(person("ada", name=7)), "Person.name"),
        (ImportRecord(person("ada", workspace="two")), "workspace"),
        (ImportRecord(Counted(workspace="one", name="", hour=1, number=1)), "Counted.name"),
        (ImportRecord("nothing"), "str"),  # type: ignore[arg-type]  # that is what is tested
    ],
    ids=["token", "unnumbered", "wrong type", "foreign", "no name", "no record"],
)
async def test_what_cannot_be_kept_is_refused(store: Store, change: ImportRecord, said: str) -> None:
    with pytest.raises(BadAsk, match=said):
        await store.apply(SCOPE, [change])
    with pytest.raises(BadAsk, match=said):
        await store.weigh(SCOPE, [change])


async def test_a_history_must_be_that_of_its_memory(store: Store) -> None:
    third = await revised(store)
    history = tuple(await store.history(SCOPE, "m"))
    strange = replace(history[0], memory_id="other")

    for bad in ((strange,), (history[1], history[0]), (replace(history[0], number=third.revision),)):
        with pytest.raises(BadAsk, match="history"):
            await store.apply(SCOPE, [ImportRecord(third, bad)])
    with pytest.raises(BadAsk, match="history"):
        await store.apply(SCOPE, [ImportRecord(person("ada"), history)])


async def test_a_mode_that_does_not_write_all_brings_nothing(store: Store) -> None:
    """C3."""
    with pytest.raises(Forbidden, match="agent mode"):
        await store.apply(replace(SCOPE, mode=Mode.AGENT), [ImportRecord(person("ada"))])
