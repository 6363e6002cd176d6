"""What goes with a deleted record, what stays and loses the tie, and that no trace is left (M9)."""

from dataclasses import replace
from typing import Any

import pytest

from everlore.domain.attachment import Attachment
from everlore.domain.campaign import Campaign, Chapter, Entity, Relationship, Session
from everlore.domain.conversation import Conversation, Message, Summary
from everlore.domain.event import Event
from everlore.domain.interaction import Interaction
from everlore.domain.job import Job, JobState
from everlore.domain.knowledge import Telling
from everlore.domain.memory import Memory, MemoryLink, Origin, Status
from everlore.domain.miss import Miss
from everlore.domain.person import Person
from everlore.domain.records import LOOSENED, OWNED, ForeignKey
from everlore.domain.revision import revise, supersede
from everlore.domain.roll import Roll
from everlore.domain.template import Template, TemplateVersion
from everlore.domain.xray import XRay
from everlore.errors import LeaseLost, NotFound
from everlore.store.answers import Coverage
from everlore.store.port import Delete, Enqueue, Finish, Put, Search, Store
from everlore.store.tables import TABLES
from tests.contract.builders import (
    MODEL,
    SCOPE,
    TIES,
    WRITABLE,
    axis,
    bare,
    base_id,
    campaign,
    case,
    conversation,
    embed,
    entity,
    event,
    filled,
    found_ids,
    ids,
    job,
    link,
    memory,
    message,
    minute,
    miss,
    person,
    roll,
    save,
    snapshot,
    summary,
    telling,
    template,
    template_version,
    world,
    xray,
)
from tests.contract.conftest import Dump
from tests.contract.drivers import inhabit

# No other text of these tests holds it, and stemming leaves it as it is.
SECRET = "quoxblat"
MENTIONED = [tie for tie in TIES if tie.child is Memory and tie not in OWNED]


def _name(tie: ForeignKey) -> str:
    return f"{tie.parent.__name__}-{tie.child.__name__}.{tie.column}"


# ── no trace (M9) ────────────────────────────────────────────────────────────────────────────────


async def _well_connected_memory(store: Store) -> Memory:
    """A memory that is in every table it can be in."""
    first = memory("doomed-id", f"The password is {SECRET}.", persons=("ada",))
    second = revise(first, minute(1), content=f"The password was {SECRET} until today.")
    other = memory("other")
    await save(store, person("ada"), first, other, link("l1", "doomed-id", "other"))
    await embed(store, {first.content: axis(0)})
    await save(store, second)
    await embed(store, {second.content: axis(1)})
    await save(store, link("l2", "other", "doomed-id"), supersede(other, second, minute(2), minute(2)))
    again = await store.get(SCOPE, Memory, "other")
    await save(store, revise(again, minute(3), status=Status.ACTIVE, superseded_by="doomed-id"))
    await store.apply(SCOPE, [Enqueue(job("j", subject="memories/doomed-id", payload={"id": "doomed-id"}))])
    await save(store, person("bo"), conversation(), telling("told", "doomed-id", "ada", "bo"))
    await save(store, roll("rolled", memory_id="doomed-id"))
    return second


async def test_a_deleted_memory_leaves_no_trace_anywhere(store: Store, dump: Dump) -> None:
    """M9: no word of it is in any table, the index and the past included. The audit log says that it was (C10), and is
    the only one that has its id."""
    await _well_connected_memory(store)
    before = "\n".join(await dump())

    await store.apply(SCOPE, [Delete(Memory, "doomed-id")])

    assert "doomed-id" in before
    assert SECRET in before
    assert "doomed-id" not in "\n".join(await dump(without="deeds"))
    assert SECRET not in "\n".join(await dump())
    assert ids((await store.find(SCOPE, Memory)).items) == ["other"]
    assert await store.count(SCOPE, Telling) == 0
    assert (await store.find(SCOPE, Roll)).items == (roll("rolled"),)


async def test_search_never_returns_a_deleted_memory(store: Store) -> None:
    """M9: by its words, by its vectors, now or as of a time when it was there."""
    await _well_connected_memory(store)
    asks = [
        Search(text=SECRET, as_of=as_of, vector=vector, model=MODEL)
        for as_of in (None, minute(0.5), minute(9))
        for vector in (None, axis(0), axis(1))
    ]
    before = [await found_ids(store, ask) for ask in asks]

    await store.apply(SCOPE, [Delete(Memory, "doomed-id")])

    after = [id for ask in asks for id in await found_ids(store, ask)]
    assert all("doomed-id" in found for found in before)
    assert "doomed-id" not in after
    assert await store.history(SCOPE, "other") != []
    assert await store.as_of(SCOPE, ["doomed-id"], minute(0.5)) == []


async def test_a_deleted_memory_takes_its_vectors_along(store: Store) -> None:
    """M9."""
    await _well_connected_memory(store)
    before = await store.coverage(SCOPE, MODEL)

    await store.apply(SCOPE, [Delete(Memory, "doomed-id")])

    assert before == Coverage(passages=2, embedded=1)
    assert await store.coverage(SCOPE, MODEL) == Coverage(passages=1, embedded=0)
    assert (await store.cleanup(SCOPE, dry_run=True, keys_before=minute(0))).orphaned_vectors == 0


async def test_a_new_memory_may_take_the_id_of_a_deleted_one(store: Store) -> None:
    """M9: as if there had never been another."""
    await _well_connected_memory(store)
    await store.apply(SCOPE, [Delete(Memory, "doomed-id")])

    await save(store, memory("doomed-id", "A fresh start."))

    assert await store.history(SCOPE, "doomed-id") == []
    assert await found_ids(store, SECRET) == []
    assert await found_ids(store, "fresh start") == ["doomed-id"]


@pytest.mark.parametrize("kind", WRITABLE, ids=lambda kind: kind.__name__)
async def test_no_tie_keeps_the_id_of_a_deleted_record(store: Store, dump: Dump, kind: type[Any]) -> None:
    """M9: after everything that can name the record has named it."""
    await save(store, *world())
    await save(store, *(filled(each, f"names-{TABLES[each].name}") for each in WRITABLE))
    await store.apply(SCOPE, [Enqueue(job("j", subject=f"{TABLES[kind].name}/{base_id(kind)}"))])

    await store.apply(SCOPE, [Delete(kind, base_id(kind))])

    assert base_id(kind) not in "\n".join(await dump(without="deeds"))


# ── what goes, what stays ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("tie", OWNED, ids=_name)
async def test_what_belongs_to_a_record_goes_with_it(store: Store, tie: ForeignKey) -> None:
    """M9."""
    await save(store, *world())
    await save(store, filled(tie.child, "child"), bare(tie.parent, "bystander"))

    await store.apply(SCOPE, [Delete(tie.parent, base_id(tie.parent))])

    assert await store.get_many(SCOPE, tie.child, ["child"]) == []
    assert ids(await store.get_many(SCOPE, tie.parent, ["bystander"])) == ["bystander"]


@pytest.mark.parametrize("tie", LOOSENED, ids=_name)
async def test_what_only_names_a_record_stays_without_it(store: Store, tie: ForeignKey) -> None:
    """M9."""
    await save(store, *world())
    await save(store, bare(tie.child, "child", **{tie.column: base_id(tie.parent)}))

    await store.apply(SCOPE, [Delete(tie.parent, base_id(tie.parent))])

    [child] = await store.get_many(SCOPE, tie.child, ["child"])
    assert getattr(child, tie.column) is None


@pytest.mark.parametrize("tie", MENTIONED, ids=_name)
async def test_a_memory_stays_and_no_longer_mentions_what_is_gone(store: Store, tie: ForeignKey) -> None:
    """M9: without a new revision, for the memory itself says nothing new."""
    await save(store, *world())
    full = filled(Memory, "m", status=Status.ACTIVE)
    await save(store, full)
    empty = () if isinstance(getattr(full, tie.column), tuple) else None

    await store.apply(SCOPE, [Delete(tie.parent, base_id(tie.parent))])

    [kept] = await store.get_many(SCOPE, Memory, ["m"])
    assert getattr(kept, tie.column) == empty
    assert (kept.revision, kept.updated_at) == (1, full.updated_at)
    assert await store.history(SCOPE, "m") == []
    assert await store.count(SCOPE, Memory, {tie.column: base_id(tie.parent)}) == 0


async def test_a_deleted_conversation_takes_all_that_was_said_in_it(store: Store, dump: Dump) -> None:
    """M9: what was learnt from it is kept."""
    said = message("said", f"I said {SECRET}.")
    await save(
        store,
        person("ada"),
        person("bo"),
        conversation(),
        said,
        summary("sum", f"They spoke of {SECRET}."),
        event("ev", f"Somebody whispered {SECRET}.", conversation_id="chat"),
        bare(Interaction, "deal", conversation_id="chat"),
        event("after", "A consequence.", parent_id="ev"),
        xray("said", account=SECRET.encode()),
        roll("rolled"),
        miss("missed", f"What of {SECRET}?", conversation_id="chat"),
        memory(
            "learnt",
            "Ada has a password.",
            conversation_id="chat",
            source_message_ids=("said",),
            interaction_id="deal",
        ),
        telling("told", "learnt", "ada", "bo", conversation_id="chat", message_id="said"),
    )

    await store.apply(SCOPE, [Delete(Conversation, "chat")])

    learnt = await store.get(SCOPE, Memory, "learnt")
    counts = [await store.count(SCOPE, kind) for kind in (Message, Summary, Interaction, XRay, Telling, Roll, Miss)]
    assert counts == [0] * 7
    assert (learnt.conversation_id, learnt.source_message_ids, learnt.interaction_id) == (None, (), None)
    assert (await store.get(SCOPE, Event, "after")).parent_id is None
    assert await found_ids(store, SECRET) == []
    assert await found_ids(store, "password") == ["learnt"]
    assert await found_ids(store, Search(text="password", conversation_id="chat")) == []
    assert SECRET not in "\n".join(await dump())


@pytest.mark.parametrize("keeps_past", [False, True])
async def test_what_a_memory_was_goes_with_the_message_that_said_it(store: Store, dump: Dump, keeps_past: bool) -> None:
    """M9, M15: neither its history nor a search of the past has the words; what another said is there still."""
    await save(store, person("ada"), conversation(), message("one"), message("two"))
    told = {"one": "Ada has a dog."}
    first = memory(
        "m", "Ada has a dog.", origin=Origin.EXTRACTOR, source_message_ids=("one",), extra={"wordings": told}
    )
    both = told | {"two": f"Ada has a dog, {SECRET}."}
    merged = revise(first, minute(1), content=both["two"], source_message_ids=("one", "two"), extra={"wordings": both})
    again = revise(merged, minute(2), content="Ada has a dog.", source_message_ids=("one",), extra={"wordings": told})
    for state in (first, merged, again):
        await save(store, state)

    await store.apply(SCOPE, [Delete(Message, "two", keeps_past=keeps_past)])

    left = [each.before.content for each in await store.history(SCOPE, "m")]
    then = await found_ids(store, Search(text=SECRET, as_of=minute(1.5)))
    assert left == ([first.content, merged.content] if keeps_past else [first.content])
    assert then == (["m"] if keeps_past else [])
    assert await found_ids(store, Search(text="dog", as_of=minute(0.5))) == ["m"]
    assert (SECRET in "\n".join(await dump())) is keeps_past
    assert (await store.get(SCOPE, Memory, "m")).content == "Ada has a dog."


async def test_a_persons_own_words_stay_in_the_history(store: Store, dump: Dump) -> None:
    """M9, M15: without the words of the message, which it kept beside them."""
    await save(store, conversation(), message("one"))
    extra = {"wordings": {"one": f"Ada has a dog, {SECRET}."}, "pinned": True, "quote": SECRET, "why": "She said so."}
    first = memory("m", "Ada has a pet.", source_message_ids=("one",), key_moments=(SECRET,), extra=extra)
    await save(store, first)
    await save(store, revise(first, minute(1), content="Ada has a cat."))

    await store.apply(SCOPE, [Delete(Message, "one")])

    assert [each.before.content for each in await store.history(SCOPE, "m")] == ["Ada has a pet."]
    assert (await store.get(SCOPE, Memory, "m")).extra["why"] == "She said so."
    assert SECRET not in "\n".join(await dump())


async def test_a_deleted_conversation_takes_its_inner_dialogues_along(store: Store) -> None:
    """C7, M9: and what was thought within these; those of other conversations stay."""
    await save(
        store,
        conversation("thought", inner_of_id="chat"),
        conversation("afterthought", inner_of_id="thought"),
        conversation(),
        conversation("other"),
        conversation("other thought", inner_of_id="other"),
        message("said", conversation_id="afterthought"),
        event("dreamt", "A dream.", conversation_id="thought"),
        bare(Attachment, "whole", event_id="dreamt"),
    )

    await store.apply(SCOPE, [Delete(Conversation, "chat")])

    assert set(ids((await store.find(SCOPE, Conversation)).items)) == {"other", "other thought"}
    assert ids((await store.find(SCOPE, Conversation, {"inner_of_id": "other"})).items) == ["other thought"]
    assert [await store.count(SCOPE, kind) for kind in (Message, Event, Attachment)] == [0, 0, 0]


async def test_conversations_that_are_within_each_other_go_together(store: Store) -> None:
    """M9: a ring has no end, and still ends."""
    await save(store, conversation("one", inner_of_id="two"), conversation("two", inner_of_id="one"))
    await save(store, conversation("own", inner_of_id="own"))

    await store.apply(SCOPE, [Delete(Conversation, "one"), Delete(Conversation, "own")])

    assert await store.count(SCOPE, Conversation) == 0


async def test_a_deleted_message_takes_its_x_ray_along(store: Store) -> None:
    """P12, M9: and leaves those of the other replies."""
    await save(store, conversation(), message("said"), message("kept"), xray("said"), xray("kept"))

    await store.apply(SCOPE, [Delete(Message, "said")])

    assert (await store.find(SCOPE, XRay)).items == (xray("kept"),)


async def test_a_deleted_template_takes_its_versions_along(store: Store) -> None:
    """P1, M9: and leaves those of the other templates."""
    other = template_version("other-1", 1, template_id="other")
    versions = [template_version(f"base-{number}", number) for number in (1, 2)]
    await save(store, template("base"), template("other"), *versions, other)

    await store.apply(SCOPE, [Delete(Template, "base")])

    assert (await store.find(SCOPE, Template)).items == (template("other"),)
    assert (await store.find(SCOPE, TemplateVersion)).items == (other,)


async def test_a_deleted_campaign_takes_its_world_along(store: Store) -> None:
    """M9: through several steps: campaign → entity → relationship, campaign → memory → link."""
    await save(
        store,
        campaign(),
        bare(Chapter, "ch", campaign_id="quest"),
        bare(Session, "se", campaign_id="quest"),
        entity("dragon", campaign_id="quest"),
        entity("king"),
        bare(Relationship, "hates", source_id="king", target_id="dragon"),
        memory("canon", campaign_id="quest"),
        memory("free"),
        link("l", "free", "canon"),
        conversation(campaign_id="quest", session_id="se"),
        event("fight", "A fight broke out.", campaign_id="quest"),
    )
    await embed(store, {"A fight broke out.": axis(0)})

    await store.apply(SCOPE, [Delete(Campaign, "quest")])

    gone = [await store.count(SCOPE, kind) for kind in (Campaign, Chapter, Session, Relationship, MemoryLink)]
    chat = await store.get(SCOPE, Conversation, "chat")
    assert gone == [0] * 5
    assert ids((await store.find(SCOPE, Entity)).items) == ["king"]
    assert ids((await store.find(SCOPE, Memory)).items) == ["free"]
    assert (chat.campaign_id, chat.session_id) == (None, None)
    assert await found_ids(store, Search(text="fight", campaign_id="quest")) == []


async def test_what_lost_a_tie_keeps_its_vector(store: Store) -> None:
    """M14: its text is the same, so nothing is embedded again."""
    await save(store, campaign(), event("fight", "A fight broke out.", campaign_id="quest"))
    await embed(store, {"A fight broke out.": axis(0)})

    await store.apply(SCOPE, [Delete(Campaign, "quest")])

    [hit] = (await store.search(SCOPE, Search(vector=axis(0), model=MODEL))).hits
    assert hit.record == event("fight", "A fight broke out.")
    assert await store.unembedded(SCOPE, MODEL) == []


async def test_a_deleted_person_no_longer_scopes_a_memory(store: Store) -> None:
    """M3, M9: what two shared is now the other one's alone."""
    await save(store, person("ada"), person("bo"), memory("m", persons=("ada", "bo")), entity("e", person_id="bo"))

    await store.apply(SCOPE, [Delete(Person, "bo")])

    assert await found_ids(store, Search(text="sea", person_id="ada")) == ["m"]
    assert await found_ids(store, Search(text="sea", person_id="bo")) == []
    assert await found_ids(store, Search(text="sea", persons=frozenset({"ada"}))) == ["m"]
    assert (await store.get(SCOPE, Entity, "e")).person_id is None


# ── jobs ─────────────────────────────────────────────────────────────────────────────────────────


async def _own_jobs(store: Store) -> list[Job]:
    return [each for each in (await store.jobs(SCOPE)).items if each.kind != "embed"]


async def test_what_lost_a_tie_was_still_known_to_whom_it_was_known_then(store: Store) -> None:
    """R11, M6: who has a part in it now knew nothing of it before."""
    await save(store, person("ada"), person("bo"), conversation("chat"))
    await save(store, before := memory("m", "The sea is calm.", persons=("ada",), conversation_id="chat"))
    await save(store, revise(before, minute(5), persons=("bo",)))

    await store.apply(SCOPE, [Delete(Conversation, "chat")])

    def asked(knower: str, then: int) -> Search:
        return Search(text="sea", knower_id=knower, as_of=minute(then))

    assert await found_ids(store, asked("ada", 2)) == ["m"]
    assert await found_ids(store, asked("bo", 2)) == []
    assert await found_ids(store, asked("ada", 9)) == []
    assert await found_ids(store, asked("bo", 9)) == ["m"]


async def test_the_past_of_a_memory_does_not_mention_what_is_gone(store: Store, dump: Dump) -> None:
    """M9: though its present does not name it any more."""
    await save(store, person("ada"), person("bo"), conversation("lost-chat"))
    await save(store, before := memory("m", "The sea is calm.", persons=("ada",), conversation_id="lost-chat"))
    await save(store, revise(before, minute(5), conversation_id=None, persons=("bo",)))
    await save(store, put_aside := memory("n", "The sea is rough.", persons=("ada",), conversation_id="lost-chat"))
    await save(store, revise(put_aside, minute(5), status=Status.DELETED))

    await store.apply(SCOPE, [Delete(Conversation, "lost-chat"), Delete(Person, "ada")])

    assert await found_ids(store, Search(text="sea", conversation_id="lost-chat", as_of=minute(2))) == []
    assert await found_ids(store, Search(text="sea", person_id="ada", as_of=minute(2))) == []
    assert not [text for text in await dump("deeds") if "lost-chat" in text]


async def test_the_pending_jobs_of_a_deleted_record_go_with_it(store: Store) -> None:
    """M9: of the record itself, of what belonged to it, and of a conversation's lane."""
    await save(store, conversation(), message("said"), conversation("other"))
    mine = [
        job("about-chat", subject="conversations/chat"),
        job("about-said", subject="messages/said"),
        job("in-lane", lane="chat"),
    ]
    others = [job("free"), job("other-lane", lane="other"), job("other-kind", subject="persons/chat")]
    await store.apply(SCOPE, [Enqueue(each) for each in (*mine, *others)])

    await store.apply(SCOPE, [Delete(Conversation, "chat")])

    assert ids(await _own_jobs(store)) == ["free", "other-lane", "other-kind"]


async def test_a_lane_is_a_conversations_only(store: Store) -> None:
    await save(store, person("ada"))
    await store.apply(SCOPE, [Enqueue(job("j", lane="ada"))])

    await store.apply(SCOPE, [Delete(Person, "ada")])

    assert ids(await _own_jobs(store)) == ["j"]


async def test_a_job_that_runs_while_its_record_is_deleted_cannot_write_any_more(store: Store) -> None:
    """M9, C5: a memory formed from a deleted message does not appear afterwards."""
    await save(store, conversation())
    await store.apply(SCOPE, [Enqueue(job("j", lane="chat"))])
    [running] = await store.claim(SCOPE, lease="w", now=minute(1), lease_s=30, limit=1, kinds=frozenset({"work"}))
    await store.apply(SCOPE, [Delete(Conversation, "chat")])

    with pytest.raises(LeaseLost, match="'j'"):
        await store.apply(SCOPE, [Put(memory("late")), Finish(running, minute(1))])

    assert await store.count(SCOPE, Memory) == 0


async def test_the_key_of_a_finished_job_goes_with_its_record(store: Store) -> None:
    """M9: no trace of the id, and a new record of that id can be worked on."""
    await save(store, memory("m"))
    keyed = job("j", key="extract m", subject="memories/m")
    await store.apply(SCOPE, [Enqueue(keyed)])
    [running] = await store.claim(SCOPE, lease="w", now=minute(1), lease_s=30, limit=1, kinds=frozenset({"work"}))
    await store.apply(SCOPE, [Finish(running, minute(1))])
    kept = await store.jobs(SCOPE, state=JobState.DONE)

    await store.apply(SCOPE, [Delete(Memory, "m")])

    assert ids(kept.items) == ["j"]
    assert (await store.jobs(SCOPE, state=JobState.DONE)).items == ()


async def test_deleting_an_unknown_id_is_refused_and_changes_nothing(store: Store) -> None:
    await save(store, *world())
    before = await snapshot(store)

    for kind in WRITABLE:
        with case(kind.__name__), pytest.raises(NotFound, match=f"{kind.__name__}.*'nobody'"):
            await store.apply(SCOPE, [Delete(kind, "nobody")])

    assert await snapshot(store) == before


# ── a whole workspace ────────────────────────────────────────────────────────────────────────────


async def test_a_forgotten_workspace_leaves_nothing_and_the_other_is_whole(store: Store, dump: Dump) -> None:
    """M9: of everything there is, the queue and the audit log included; and it can be lived in again."""
    other = replace(SCOPE, workspace="other")
    await inhabit(store, SCOPE)
    await inhabit(store, other)
    await save(store, person("eve", name=SECRET))
    before = await snapshot(store, other)

    await store.forget_workspace(SCOPE)

    counts = {kind.__name__: await store.count(SCOPE, kind) for kind in TABLES}
    assert set(counts.values()) == {0}, counts
    assert (await store.jobs(SCOPE)).items == ()
    assert await store.tallies(SCOPE) == []
    assert await store.workspaces() == ["other"]
    assert SECRET not in "\n".join(await dump())
    assert await snapshot(store, other) == before
    await save(store, person("ada"))
    assert await store.workspaces() == sorted(["other", SCOPE.workspace])
