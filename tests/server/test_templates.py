"""Templates over HTTP: kept in all their versions, checked, previewed, and what a model is told with (P1, P3, P5)."""

import asyncio
from typing import Any

import httpx
import pytest

from everlore.domain.condition import parse
from everlore.server.templates import in_words
from tests.server.home import Home, home

LETTERS: dict[str, Any] = {
    "name": "Letters",
    "sections": {
        "identity": {"order": 10, "required": True, "content": ["You write letters as ${system.fullName}."]},
        "memory": {"order": 70, "condition": "hasMemories", "content": ["${memory.context}"]},
    },
}
POSTCARDS: dict[str, Any] = {
    "name": "Postcards",
    "extends": "Letters",
    "sections": {"identity": {"override": True, "content": ["You write postcards as ${system.firstName}."]}},
}


async def _made(here: Home, document: dict[str, Any]) -> dict[str, Any]:
    answer = await here.client.post("/api/templates", json=document)
    assert answer.status_code == 201, answer.text
    template: dict[str, Any] = answer.json()
    return template


# ── kept ─────────────────────────────────────────────────────────────────────────────────────────


async def test_a_template_is_made_read_changed_and_deleted() -> None:
    """P1."""
    async with home() as here:
        made = await _made(here, LETTERS)
        path = f"/api/templates/{made['id']}"
        replaced = await here.client.put(path, json=LETTERS | {"style": "long"})
        changed = await here.client.patch(path, json={"style": "short", "framing": "markdown"})
        by_name = await here.client.get("/api/templates/Letters")
        gone = await here.client.delete("/api/templates/Letters")

        assert (made["version"], made["built_in"], made["warnings"], made["notes"]) == (1, False, [], [])
        assert (replaced.json()["version"], replaced.json()["style"]) == (2, "long")
        assert (changed.json()["version"], changed.json()["style"], changed.json()["framing"]) == (
            3,
            "short",
            "markdown",
        )
        assert by_name.json() == changed.json()
        assert by_name.json()["document"]["sections"]["identity"]["content"] == [
            "You write letters as ${system.fullName}."
        ]
        assert gone.status_code == 204
        assert (await here.client.get(path)).status_code == 404


async def test_what_is_read_can_be_sent_back() -> None:
    """P1: the document says all of its fields, and means the same."""
    async with home() as here:
        made = await _made(here, LETTERS)

        again = await here.client.put("/api/templates/Letters", json=made["document"])

        assert again.json()["resolved"] == made["resolved"]
        diff = (await here.client.get("/api/templates/Letters/diff?from=1&to=2")).json()
        assert diff["diff"] == ""


async def test_the_list_has_those_that_come_with_everlore_first() -> None:
    """P7."""
    async with home() as here:
        await _made(here, LETTERS)

        listed = (await here.client.get("/api/templates")).json()

        assert listed["next"] is None
        assert [each["built_in"] for each in listed["items"]] == [True] * 7 + [False]
        assert listed["items"][-1]["name"] == "Letters"
        sms = next(each for each in listed["items"] if each["id"] == "sms-chat")
        assert (sms["name"], sms["extends"], sms["created_at"]) == ("SMS Chat", "Base Roleplay", None)


async def test_a_child_is_shown_with_what_it_inherits_and_from_whom() -> None:
    """P3."""
    async with home() as here:
        await _made(here, LETTERS)

        child = await _made(here, POSTCARDS)

        assert child["lineage"] == ["Postcards", "Letters"]
        assert [(each["name"], each["origin"], each["condition"]) for each in child["resolved"]] == [
            ("identity", "Postcards", "always"),
            ("memory", "Letters", "hasMemories"),
        ]
        assert child["resolved"][0]["required"] is True


async def test_a_child_is_shown_with_what_the_roles_of_its_parent_say() -> None:
    """P3."""
    async with home() as here:
        child = await _made(here, {"name": "Dispatches", "extends": "Base Roleplay"})
        parent = (await here.client.get("/api/templates/base-roleplay")).json()

        assert child["roles"] == parent["roles"]
        said = parent["document"]["roles"]["assistant"]["content"]
        assert child["roles"]["assistant"] == {"content": said, "consent": False}
        assert child["roles"]["user"] == {"content": [], "consent": False}


async def test_every_version_can_be_read_and_compared() -> None:
    """P1."""
    async with home() as here:
        path = f"/api/templates/{(await _made(here, LETTERS))['id']}"
        await here.client.patch(path, json={"description": "For the post."})

        listed = (await here.client.get(f"{path}/versions")).json()
        first = (await here.client.get(f"{path}/versions/1")).json()
        diff = (await here.client.get(f"{path}/diff", params={"from": 1, "to": 2})).json()
        missing = await here.client.get(f"{path}/versions/3")

        assert [each["version"] for each in listed["items"]] == [2, 1]
        assert first == listed["items"][1]
        assert first["document"]["description"] == ""
        assert (diff["from"], diff["to"]) == (1, 2)
        assert '+  "description": "For the post.",' in diff["diff"]
        assert missing.status_code == 404
        assert "has no version 3" in missing.json()["detail"]


async def test_an_older_flat_config_is_read_too() -> None:
    """P7."""
    async with home() as here:
        made = await _made(
            here, {"name": "Old", "system": ["1. Be ${system.firstName}.", "2. Be kind."], "jailbreak": "x"}
        )

        assert [each["content"] for each in made["resolved"]] == [["Be ${system.firstName}.", "Be kind."]]
        assert made["resolved"][0]["numbered"] is True
        assert "jailbreak is left out" in made["notes"][0]


# ── refused ──────────────────────────────────────────────────────────────────────────────────────


async def test_a_template_that_cannot_be_used_is_refused_with_the_section_and_the_field() -> None:
    """P1: an RFC 9457 problem."""
    async with home() as here:
        wrong = {"name": "A", "sections": {"identity": {"order": "first"}, "two": {"content": "x", "condition": "if"}}}

        answer = await here.client.post("/api/templates", json=wrong)

        problem = answer.json()
        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/problem+json"
        assert problem["type"] == "urn:everlore:problem:bad-template"
        assert [each["field"] for each in problem["errors"]] == ["sections.identity.order"]
        assert "sections.identity.order: It must be a whole number." in problem["detail"]


@pytest.mark.parametrize(
    ("method", "path", "status", "says"),
    [
        ("PATCH", "agent", 400, "comes with Everlore and stays as it is"),
        ("PUT", "Base Roleplay", 400, "comes with Everlore"),
        ("DELETE", "agent", 400, "comes with Everlore"),
        ("PATCH", "nope", 404, "There is no template 'nope'. Known: 'Agent'"),
        ("DELETE", "nope", 404, "There is no template 'nope'"),
        ("GET", "nope/versions", 404, "There is no template 'nope'"),
        ("GET", "agent/diff?from=1", 422, "query.to"),
        ("GET", "agent/diff?from=0&to=1", 422, "query.from"),
    ],
)
async def test_what_cannot_be_done_is_explained(method: str, path: str, status: int, says: str) -> None:
    async with home() as here:
        body = {"name": "X", "sections": {}} if method in ("PUT", "PATCH") else None

        answer = await here.client.request(method, f"/api/templates/{path}", json=body)

        assert answer.status_code == status
        assert says in answer.text


@pytest.mark.parametrize(
    "body", [b'{"name": "\\ud800", "sections": {}}', b'{"x\\ud800": 1}', b'{"system": ["a"], "x\\udfff": ["b"]}', b"[]"]
)
async def test_a_body_that_is_no_text_is_refused(body: bytes) -> None:
    """S-5: half of a character breaks no answer."""
    async with home() as here:
        for path in ("/api/templates", "/api/templates/validate"):
            answer = await here.client.post(path, content=body, headers={"Content-Type": "application/json"})

            assert answer.status_code == 422 or answer.json()["valid"] is False


async def test_a_version_that_is_not_the_newest_cannot_be_edited() -> None:
    """P1: of many who change the same version at once, one succeeds."""
    async with home() as here:
        path = f"/api/templates/{(await _made(here, LETTERS))['id']}"

        async def edit(number: int) -> httpx.Response:
            return await here.client.put(f"{path}?version=1", json=LETTERS | {"style": str(number)})

        answers = await asyncio.gather(*(edit(number) for number in range(6)))

        assert sorted(each.status_code for each in answers) == [200, *[409] * 5]
        refused = next(each for each in answers if each.status_code == 409)
        assert "is at version 2, not 1. Reload it, then try again." in refused.json()["detail"]
        kept = next(each for each in answers if each.status_code == 200)
        assert (await here.client.get(path)).json() == kept.json()


async def test_a_parent_whose_child_would_break_is_neither_changed_nor_deleted() -> None:
    """P3."""
    async with home() as here:
        await _made(here, LETTERS)
        await _made(here, POSTCARDS)

        changed = await here.client.patch("/api/templates/Letters", json={"name": "Mail"})
        deleted = await here.client.delete("/api/templates/Letters")

        assert (changed.status_code, deleted.status_code) == (409, 409)
        assert "would break Postcards, which extends it" in deleted.json()["detail"]
        assert (await here.client.get("/api/templates/Letters")).json()["version"] == 1


# ── checked ──────────────────────────────────────────────────────────────────────────────────────


async def test_a_check_answers_whether_a_template_is_right_or_not() -> None:
    """P1, P5, P14."""
    async with home() as here:

        async def checked(document: dict[str, Any]) -> Any:
            answer = await here.client.post("/api/templates/validate", json=document)
            assert answer.status_code == 200
            return answer.json()

        right = await checked(LETTERS)
        wrong = await checked({"name": "A", "extends": "Nobody"})
        unwise = await checked({"name": "A", "sections": {"one": {"content": "Hello ${nope}"}}})

        assert right == {"valid": True, "errors": [], "warnings": []}
        assert (wrong["valid"], wrong["errors"][0]["field"]) == (False, "extends")
        assert [each["field"] for each in unwise["errors"]] == ["sections.one.content"]
        assert "There is no place for memory" in unwise["warnings"][0]["message"]
        assert len((await here.client.get("/api/templates")).json()["items"]) == 7


async def test_variables_are_listed_with_their_pace() -> None:
    """P5, P13."""
    async with home() as here:
        items = (await here.client.get("/api/templates/variables")).json()["items"]

        paces = {each["name"]: each["pace"] for each in items}
        assert paces["system.firstName"] == "steady"
        assert paces["summary"] == "slow"
        assert paces["memory.context"] == "each_turn"
        assert all(each["about"] for each in items)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("always", "always"),
        ("not isGuest", "not isGuest"),
        ("hasMemories and not (isGuest or hasTools)", "hasMemories and not (isGuest or hasTools)"),
        ({"or": [{"and": ["useNLP", "hasTools"]}, "isGuest"]}, "(useNLP and hasTools) or isGuest"),
        ({"not": {"not": "isGuest"}}, "not not isGuest"),
    ],
)
def test_a_condition_is_shown_in_words_that_mean_the_same(written: Any, shown: str) -> None:
    """P2."""
    assert in_words(parse(written)) == shown
    assert parse(shown) == parse(written)


# ── previewed ────────────────────────────────────────────────────────────────────────────────────


async def test_a_template_that_is_not_saved_can_be_previewed_in_a_sample_scene() -> None:
    """P1, P12."""
    async with home() as here:
        answer = await here.client.post("/api/templates/preview", json={"document": LETTERS, "content": "Dear Mira?"})

        seen = answer.json()
        assert answer.status_code == 200
        assert seen["messages"][0] == {"role": "system", "content": "You write letters as Mira Holm."}
        assert seen["messages"][-1]["content"].endswith("Dear Mira?")
        assert [each["name"] for each in seen["sections"]] == ["identity", "memory"]
        assert {each["section"] for each in seen["memories"]} == {"memory"}
        assert (seen["message_id"], seen["at"], seen["warnings"]) == (None, None, [])
        assert seen["share"] == seen["used"] / seen["window"]
        assert here.asked == []


async def test_a_saved_template_is_previewed_for_a_character_a_config_and_a_conversation() -> None:
    """P1."""
    async with home() as here:
        rex = await here.character("Rex", personality="gruff")
        talk = await here.talk(config={"setting": "a foggy harbour"})
        path = "/api/templates/Base Roleplay/preview"

        plain = (await here.client.post(path)).json()
        of_rex = (await here.client.post(path, json={"character_id": rex})).json()
        of_talk = (
            await here.client.post(path, json={"conversation_id": talk, "config": {"include_scene": True}})
        ).json()

        names = [{each["name"] for each in seen["sections"]} for seen in (plain, of_talk)]
        assert "You are Rex." in of_rex["messages"][0]["content"]
        assert ["scene" in each for each in names] == [False, True]
        assert "a foggy harbour" in of_talk["messages"][0]["content"]
        assert "You are Nova." in of_talk["messages"][0]["content"]


@pytest.mark.parametrize(
    ("document", "fields"),
    [
        ({"name": "A", "sections": {"one": {"content": "${a}"}}}, ["sections.one.content"]),
        (
            {"name": "A", "sections": {"one": {"content": "${a}"}}, "variables": {"a": "${b}", "b": "${a}"}},
            ["variables.a", "variables.b"],
        ),
        ({"name": "A", "roles": {"user": {"content": "${nope}"}}}, ["roles.user.content"]),
        ({"name": "A", "sections": {"one": {"order": 1}}}, ["sections.one.content"]),
        ({"system": "Hello ${nope}"}, ["sections.system.content"]),
    ],
    ids=["unknown", "circle", "role", "no content", "flat"],
)
async def test_what_a_live_turn_would_leave_out_is_an_error_in_a_preview(
    document: dict[str, Any], fields: list[str]
) -> None:
    """P5."""
    async with home() as here:
        answer = await here.client.post("/api/templates/preview", json={"document": document})

        assert answer.status_code == 422
        assert [each["field"] for each in answer.json()["errors"]] == fields


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"config": {"colour": "red"}}, 400, "no chat setting 'colour'"),
        ({"config": {"message_trim": 1}}, 400, "message_trim"),
        ({"character_id": "nobody"}, 404, "nobody"),
        ({"conversation_id": "nowhere"}, 404, "nowhere"),
        ({"colour": "red"}, 422, "body.colour"),
    ],
)
async def test_what_cannot_be_previewed_is_explained(body: dict[str, Any], status: int, says: str) -> None:
    async with home() as here:
        answer = await here.client.post("/api/templates/agent/preview", json=body)

        assert answer.status_code == status
        assert says in answer.text


# ── used ─────────────────────────────────────────────────────────────────────────────────────────


async def test_a_template_in_use_is_what_the_model_is_told() -> None:
    """P1."""
    async with home() as here:
        await _made(here, LETTERS)
        id = await here.talk()
        chosen = await here.client.patch(f"/api/conversations/{id}", json={"config": {"template": "Letters"}})

        await here.say(id)

        assert chosen.json()["config"]["template"] == "Letters"
        assert here.asked[-1]["messages"][0] == {"role": "system", "content": "You write letters as Nova."}
        assert (await here.client.get(f"/api/conversations/{id}/prompt")).json()["template"] == "Letters"


async def test_a_turn_goes_on_with_the_default_when_its_template_is_gone() -> None:
    """P12."""
    async with home() as here:
        await _made(here, LETTERS)
        id = await here.talk(config={"template": "Letters"})
        await here.client.delete("/api/templates/Letters")

        said = await here.say(id)

        seen = (await here.client.get(f"/api/conversations/{id}/prompt")).json()
        assert said.json()["reply"]["state"] == "complete"
        assert seen["template"] == "Assistant"
        assert "There is no template 'Letters'. 'Assistant' was used instead." in seen["warnings"]
