"""Campaigns on the page: made, played, told, decided, asked, carried, with either eyes (U10)."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.axe import findings_in
from tests.browser.house import TOO_WIDE, House, button, messages, say
from tests.models.chat_server import TEXT
from tests.waiting import eventually

pytestmark = pytest.mark.browser

LOG = Path(__file__).resolve().parents[2] / "examples" / "the_silent_bell" / "session-1.txt"
SECRET = "Quorvane heart"
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
PARTS = ("", "/read", "/sessions", "/world", "/ties", "/canon", "/review", "/ask", "/files")
HOSTILE = '<img src=x onerror="window.ran = 1"><script>window.ran = 1</script> [x](javascript:window.ran=1) **bold**'


class Game:
    """A campaign with a chapter and one session that was brought in and read."""

    def __init__(self, house: House, page: Page) -> None:
        self.house, self.page = house, page
        self.player = self._ask("POST", "/api/users", {"name": "Hal"})["id"]
        made = {"name": "The Silent Bell", "premise": "A bell disappears.", "player_ids": [self.player]}
        self.id = self._ask("POST", "/api/campaigns", made)["id"]
        self._ask(
            "POST", f"/api/campaigns/{self.id}/chapters", {"name": "The Stolen Bell", "goals": ["Find the bell."]}
        )
        brought = page.request.post(
            f"{house.url}/api/campaigns/{self.id}/logs?filename=session-1.txt", data=LOG.read_bytes()
        )
        self.session = brought.json()["session"]["id"]
        eventually(lambda: not self._ask("GET", "/api/jobs")["queue"]["pending"])

    def open(self, part: str = "", *, eyes: str = "") -> None:
        self.page.goto(f"{self.house.url}/#/campaigns/{self.id}{part}{f'?as={eyes}' if eyes else ''}")
        expect(self.page.get_by_role("heading", level=1, name="The Silent Bell")).to_be_visible()

    def proposals(self, **wanted: str) -> list[Any]:
        found: list[Any] = self._ask("GET", f"/api/campaigns/{self.id}/proposals?limit=200")["items"]
        return [each for each in found if all(each[name] == value for name, value in wanted.items())]

    def _ask(self, method: str, path: str, data: Any = None) -> Any:
        return self.house.ask(self.page, method, path, **({} if data is None else {"data": data}))


def test_a_campaign_is_made_and_a_session_played_in_a_conversation(house: House) -> None:
    """U10, G1, G3, G13: from nothing to a session that is told, by the keyboard where one writes."""
    page = house.visit("/#/campaigns")
    expect(page.get_by_role("heading", name="Campaigns")).to_be_visible()
    button(page, "New campaign").press("Enter")
    page.get_by_label("Name", exact=True).fill("The Drowned Bell")
    page.get_by_label("Premise").fill("A bell rings *under* the lake.")
    button(page, "Add player by name").click()
    page.get_by_label("Character of player 1").fill("Mira Sallow")
    button(page, "Save").press("Enter")
    expect(page.get_by_label("Player 1", exact=True)).to_be_focused()  # a character needs a player
    page.get_by_label("Player 1", exact=True).fill("Ada")
    button(page, "Save").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("The Drowned Bell")
    expect(page.locator("em")).to_have_text("under")
    expect(page.get_by_role("listitem").filter(has_text="played by Ada")).to_contain_text("Mira Sallow")
    button(page, "Start first chapter").click()
    page.get_by_label("Chapter name").fill("The Shore")
    page.get_by_label("Goals").fill("Find a boat.\nFind a diver.")
    button(page, "Start chapter").click()
    expect(page.get_by_role("listitem").filter(has_text="Find a diver.").last).to_be_visible()
    address = page.url

    house.talk(page)
    button(page, "Chat options").click()
    page.get_by_role("menuitem", name="Play in a campaign").click()
    button(page.locator(".campaign").filter(has_text="The Drowned Bell"), "Start session").click()
    expect(page.get_by_role("status").filter(has_text="Session 1 started")).to_be_visible()
    say(page, "We decide to take the ferry to Marrow Island, and Captain Ilsa Thorn swears to wait for us.")
    expect(messages(page).last).to_contain_text(TEXT)
    button(page, "Chat options").click()
    page.get_by_role("menuitem", name="Play in a campaign").click()
    button(page.get_by_role("dialog"), "End session").click()
    expect(page.get_by_role("dialog")).to_be_hidden()

    page.goto(address)
    page.get_by_role("link", name="Sessions").click()
    page.get_by_role("link", name="Session 1").click()
    expect(page.get_by_role("heading", name="Summary")).to_be_visible()
    expect(page.locator("article").filter(has_text="Marrow Island").first).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Session 1")).to_be_visible()


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_session_is_played_by_all_at_one_table_from_its_start_to_its_recap(house: House, size: ViewportSize) -> None:
    """U10, G3: a new chat, the game master narrates, a player speaks and rolls, a character answers, and it is told."""
    page = house.visit("/#/people")
    page.set_viewport_size(size)
    name = f"Mira the Ferrywoman {size['width']}"
    mira = house.character(page, name, greetings=[])
    made = {"name": "The Drowned Quay", "players": [{"name": "Hal", "character": "Brenna Holt"}]}
    game = house.ask(page, "POST", "/api/campaigns", data=made)["id"]
    [hal] = house.ask(page, "GET", f"/api/campaigns/{game}/players")["items"]
    page.goto(f"{house.url}/#/campaigns/{game}/sessions")
    page.reload()

    button(page, "Start session").click()
    page.get_by_role("combobox", name=re.compile("^Chat")).select_option(label="New chat")
    page.get_by_label(name).check()
    button(page, "Start").click()
    tools = page.get_by_role("group", name="Session")
    expect(tools.get_by_role("link", name="Session 1")).to_be_visible()

    tools.get_by_label("Speak as").select_option(label="As narrator")
    tools.get_by_label("Reply").uncheck()
    say(page, "Fog lies over the quay of Marrow Island.")
    tools.get_by_label("Speak as").select_option(label="As Brenna Holt")
    say(page, "/roll 2d6+1")
    expect(messages(page).last).to_contain_text(re.compile(r"rolls 2d6 \+ 1: \d+ \(\d, \d \+ 1\)"))
    expect(messages(page).last.locator(".name")).to_have_text("Brenna Holt")
    tools.get_by_label("Roll dice").select_option(label="d20")
    expect(messages(page).last).to_contain_text("rolls 1d20")
    tools.get_by_label("Reply").check()
    say(page, "I decide to take the ferry.")
    expect(messages(page).last).to_contain_text(TEXT)
    assert not page.evaluate(TOO_WIDE)
    assert not findings_in(page)

    talk = urlsplit(page.url).fragment.rpartition("/")[2]
    lines = house.ask(page, "GET", f"/api/conversations/{talk}/messages")["items"]
    assert [(each["author"], each["person_id"]) for each in lines if each["author"] != "assistant"] == [
        ("narrator", None),
        *[("user", hal["id"])] * 3,
    ]
    assert lines[-1]["person_id"] == mira
    button(tools, "End session").click()
    expect(page.get_by_role("heading", name="Session 1")).to_be_visible()
    expect(page.get_by_role("heading", name="Summary")).to_be_visible()
    page.goto(f"{house.url}/#/c/{talk}")
    expect(messages(page).last).to_contain_text(TEXT)
    expect(tools).to_have_count(0)


def test_players_are_typed_in_and_characters_follow_each_other(house: House) -> None:
    """G1, U10: no account needed; a dead character is followed by the next."""
    page = house.visit()
    game = Game(house, page)
    game.open()
    button(page, "Add player").click()
    page.get_by_label("Player’s name").fill("Ada")
    page.get_by_label("Character", exact=True).fill("Mira Sallow")
    button(page, "Add").click()
    seat = page.get_by_role("listitem").filter(has_text="played by Ada")
    expect(seat).to_contain_text("Mira Sallow")

    button(seat, "More actions for Ada").click()
    page.get_by_role("menuitem", name="Character died").click()
    seat.get_by_label("Next character").fill("Tomas Reed")
    button(seat, "Mira Sallow died").click()

    expect(seat.locator("strong")).to_have_text("Tomas Reed")
    expect(seat).to_contain_text("Mira Sallow (died)")
    game.open(eyes="any")
    expect(seat).to_contain_text("Mira Sallow (died)")
    expect(button(page, "Add player")).to_have_count(0)


def test_what_was_noticed_is_decided_and_leads_to_where_it_was_said(house: House) -> None:
    """U10, G4, G5, G7, G8: names approved, merged, refused and undone; a contradiction ruled on; mentions followed."""
    page = house.visit()
    game = Game(house, page)
    names = ["Ezra Hobday", "Nessa Hobday", "Weir Company"]
    assert {*names} <= {each["title"] for each in game.proposals(kind="entity")}
    game.open("/review")
    card = page.get_by_role("article", name=re.compile(f"^name: {re.escape(names[0])}$"))
    button(card, "Approve").click()
    expect(card).to_have_count(0)
    other = page.get_by_role("article", name=re.compile(f"^name: {re.escape(names[1])}$"))
    button(other, "Merge").click()
    other.get_by_label("Another name for").select_option(label=names[0])
    other.get_by_role("button", name="Merge").click()
    expect(other).to_have_count(0)
    third = page.get_by_role("article", name=re.compile(f"^name: {re.escape(names[2])}$"))
    button(third, "Reject").click()
    expect(third).to_have_count(0)
    button(page, "Show past decisions").click()
    button(third, "Undo").click()
    expect(button(third, "Approve")).to_be_visible()

    page.keyboard.press("j")
    page.keyboard.press("k")
    first = page.locator("[data-waits] article").first
    expect(first).to_be_focused()
    title = first.get_by_role("heading").inner_text()
    page.keyboard.press("r")
    expect(page.locator("[data-waits] article").first.get_by_role("heading")).not_to_have_text(title)
    expect(page.locator("[data-waits] article").first).to_be_focused()

    for town in ("Orne", "Tarn"):
        house.ask(page, "POST", f"/api/campaigns/{game.id}/memories", data={"content": f"Reth lives in {town}."})
    page.reload()
    conflict = page.get_by_role("article", name="Contradiction: Reth lives in Tarn.")
    expect(conflict).to_contain_text("Reth lives in Orne.")
    conflict.get_by_label("Reason (optional)").fill("The smith lied.")
    button(conflict, "Keep canon").click()
    expect(conflict).to_have_count(0)

    page.get_by_role("link", name="World").click()
    page.get_by_role("link", name=re.compile(re.escape(names[0]))).click()
    expect(page.get_by_text("Also called")).to_contain_text(names[1])
    page.locator("section").filter(has=page.get_by_role("heading", name="Mentions")).get_by_role(
        "link", name="Session 1"
    ).first.click()
    here = page.locator("[aria-current=true]")
    expect(here).to_be_in_viewport()
    expect(here).to_be_focused()
    expect(here).to_contain_text(re.compile("Ezra|Nessa|Hobday"))


def test_several_suggestions_are_decided_at_once_and_undone_together(house: House) -> None:
    """U10, G4: chosen by keyboard or by confidence; one request, one undo; merging a secret asks what stays hidden."""
    page = house.visit()
    game = Game(house, page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.method} {urlsplit(request.url).path}"))
    game.open("/review")
    cards = page.locator("[data-waits] article")
    expect(page.get_by_role("heading", name=re.compile("^Names"))).to_be_visible()
    before = len(game.proposals())
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_text("2 selected")).to_be_visible()
    page.keyboard.press("r")
    expect(page.get_by_role("status").filter(has_text="2 suggestions rejected")).to_be_visible()
    expect(cards).to_have_count(before - 2)
    assert [each for each in asked if each.startswith("POST")] == [f"POST /api/campaigns/{game.id}/proposals/decide"]
    button(page, "Undo").click()
    expect(cards).to_have_count(before)

    page.get_by_label("Confidence").select_option("60")
    page.get_by_role("button", name=re.compile("^Approve all above")).click()
    expect(page.get_by_role("status").filter(has_text="suggestions approved")).to_be_visible()
    assert all(each["confidence"] < 0.6 or each["match_id"] for each in game.proposals(kind="entity"))

    world = f"/api/campaigns/{game.id}/entities"
    house.ask(page, "POST", world, data={"name": "Baron Aldous"})
    masked = {"name": "Ilvane", "aliases": ["The Pale Lord"], "is_spoiler": True}
    secret = house.ask(page, "POST", world, data=masked)["id"]
    game.open(f"/world/{secret}")
    button(page, "More actions for Ilvane").click()
    page.get_by_role("menuitem", name="Merge with another").click()
    page.get_by_label("Merge into").select_option(label="Baron Aldous")
    page.get_by_label("The Pale Lord").uncheck()
    button(page.get_by_role("dialog"), "Merge").click()
    expect(page.get_by_text("Also called")).to_have_text("Also called The Pale Lord")
    assert "Ilvane" not in str(house.ask(page, "GET", f"{world}?player="))


def test_the_whole_story_is_read_printed_and_saved(house: House, tmp_path: Path) -> None:
    """U10, G13: on one page with its chapters; on paper there is the story and nothing else."""
    page = house.visit("/#/campaigns")
    game = Game(house, page)
    game.open()

    page.get_by_role("link", name="Read the whole story").click()
    story = page.get_by_role("article", name="The whole story")
    expect(story.get_by_role("heading", name="Chapter 1: The Stolen Bell")).to_be_visible()
    expect(story.get_by_role("heading", name=re.compile("^Session 1"))).to_be_visible()
    with page.expect_download() as saving:
        page.get_by_role("link", name="Save as Markdown").click()
    assert saving.value.suggested_filename == "The Silent Bell.md"
    saving.value.save_as(tmp_path / "story.md")
    assert "## Chapter 1: The Stolen Bell" in (tmp_path / "story.md").read_text(encoding="utf-8")

    page.emulate_media(media="print")
    expect(story).to_be_visible()
    expect(page.get_by_role("navigation")).to_have_count(0)
    expect(page.get_by_role("button", name="Print")).to_have_count(0)
    assert not page.evaluate(
        "document.documentElement.scrollHeight > 3 * document.querySelector('.story').scrollHeight"
    )


def test_notes_of_the_game_master_get_no_session_number(house: House) -> None:
    """G9, U10: pasted notes are canon for the game master, by heading."""
    page = house.visit()
    game = Game(house, page)
    game.open("/files")
    page.get_by_label("Or paste them").fill("# The abbot\nThe abbot drinks the light.")
    button(page, "Import pasted notes").click()
    expect(page.get_by_text("New: The abbot")).to_be_visible()
    assert len(house.ask(page, "GET", f"/api/campaigns/{game.id}/sessions")["items"]) == 1
    game.open("/canon")
    expect(page.get_by_text("The abbot drinks the light.")).to_be_visible()


def test_ties_are_drawn_and_stand_in_an_equal_list(house: House) -> None:
    """U9, G6: the drawing and the list have the same ties, both lead on, and a hidden tie is not for players."""
    page = house.visit()
    campaign = house.ask(page, "POST", "/api/campaigns", data={"name": "The Silent Bell"})["id"]
    ids = [
        house.ask(page, "POST", f"/api/campaigns/{campaign}/entities", data={"name": name})["id"]
        for name in ("Ilka", "Tam", "Orne")
    ]
    for source, type, target, hidden in ((0, "is the sister of", 1, False), (1, "betrayed", 2, True)):
        tie = {"source_id": ids[source], "type": type, "target_id": ids[target], "is_spoiler": hidden}
        house.ask(page, "POST", "/api/ties", data=tie)
    page.goto(f"{house.url}/#/campaigns/{campaign}/ties")
    drawn, listed = page.get_by_role("region", name="Graph"), page.get_by_role("region", name="List")
    expect(drawn.locator(".edge")).to_have_count(2)
    expect(listed.get_by_role("listitem")).to_have_count(2)
    button(page, "Player").click()
    expect(drawn.locator(".edge")).to_have_count(1)
    expect(listed).not_to_contain_text("betrayed")
    drawn.get_by_role("link", name="Ilka").press("Enter")
    expect(page.get_by_role("heading", name="Ilka")).to_be_visible()


def test_the_record_is_asked_and_files_go_in_and_out(house: House) -> None:
    """U10, G10, G12: passages name their session; a log, a lorebook and a vault come in, and the campaign goes out."""
    page = house.visit()
    game = Game(house, page)
    game.open("/ask")
    page.get_by_role("textbox", name="Question about the campaign").fill("Who rules Tamsel?")
    page.keyboard.press("Enter")
    passage = (
        page.get_by_role("list", name="Passages").get_by_role("listitem").filter(has_text="Dame Orsolya Pruett").first
    )
    passage.get_by_role("link").click()
    expect(page.locator("[aria-current=true]")).to_be_in_viewport()

    game.open("/files")
    lore = {"entries": {"0": {"uid": 0, "key": ["Gull"], "comment": "NPC: Old Gull", "content": "Keeps the ferry."}}}
    with page.expect_file_chooser() as chooser:
        button(page, "Choose lorebook").click()
    chooser.value.set_files({"name": "lore.json", "mimeType": "application/json", "buffer": json.dumps(lore).encode()})
    expect(page.get_by_role("status").filter(has_text="Old Gull")).to_be_visible()
    with page.expect_file_chooser() as chooser:
        button(page, "Choose log").click()
    text = b"GM: The lamp goes out.\nHal: I light a match."
    chooser.value.set_files({"name": "two.txt", "mimeType": "text/plain", "buffer": text})
    expect(page.get_by_role("status").filter(has_text="Session 2 imported")).to_be_visible()
    for name, ending in (("Everything (JSON)", "json"), ("Vault (Markdown)", "zip"), ("Lorebook", "json")):
        with page.expect_download() as download:
            page.get_by_role("link", name=name, exact=True).click()
        assert download.value.suggested_filename.endswith(ending)


def test_a_player_is_shown_what_the_server_tells_a_player_and_no_more(house: House) -> None:
    """U10, G9: another colour, other eyes in the address, and no request but with a player's eyes."""
    page = house.visit()
    game = Game(house, page)
    game.open("/canon")
    expect(page.get_by_text(SECRET).first).to_be_visible()
    place = page.locator(".place")
    before = place.evaluate("(place) => getComputedStyle(place).boxShadow")

    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    button(page, "Player").click()
    expect(page.get_by_text("This is what players see.")).to_be_visible()
    expect(page.get_by_text(SECRET)).to_have_count(0)
    expect(place).not_to_have_css("box-shadow", before)
    expect(button(page, "Player")).to_have_attribute("aria-pressed", "true")
    page.reload()
    for part in (*PARTS, f"/sessions/{game.session}"):
        game.open(part, eyes="any")
        expect(page.get_by_text("This is what players see.")).to_be_visible()
        page.wait_for_load_state("networkidle")
        expect(page.get_by_role("main")).not_to_contain_text(SECRET)
        assert page.get_by_role("button", name=re.compile("^(Add|Edit|Delete|Approve|Start)")).count() == 0
    # What waits for the owner is counted in the rail, whoever's eyes the place has.
    apart = re.compile(r"/(chapters|proposals|conflicts)(\?|$)")
    told = [url for url in asked if re.search(r"/api/(campaigns|sessions|entities)/", url) and not apart.search(url)]
    assert told
    assert [url for url in told if "player" not in parse_qs(urlsplit(url).query, keep_blank_values=True)] == []

    page.get_by_label("Player to view as").select_option(label="Hal")
    expect(page).to_have_url(re.compile(f"as={game.player}"))
    button(page, "Game master").click()
    expect(page.get_by_role("main").get_by_role("link", name=re.compile("Review"))).to_be_visible()


def test_nothing_runs_that_somebody_wrote_and_nothing_is_too_wide(house: House) -> None:
    """U13, S-6: hostile text stays text in every part, on a phone too."""
    page = house.visit()
    game = Game(house, page)
    house.ask(page, "PATCH", f"/api/campaigns/{game.id}", data={"premise": HOSTILE})
    kept = {"name": HOSTILE[:200], "aliases": [HOSTILE[:200]], "description": HOSTILE}
    entity = house.ask(page, "POST", f"/api/campaigns/{game.id}/entities", data=kept)["id"]
    house.ask(page, "POST", f"/api/campaigns/{game.id}/memories", data={"content": HOSTILE})
    house.ask(page, "POST", f"/api/campaigns/{game.id}/chapters", data={"name": HOSTILE[:200], "goals": [HOSTILE]})

    for size, eyes in ((DESKTOP, ""), (PHONE, "any"), (PHONE, "")):
        page.set_viewport_size(size)
        for part in ("", "/canon") if eyes else (*PARTS, f"/sessions/{game.session}", f"/world/{entity}"):
            game.open(part, eyes=eyes)
            page.wait_for_load_state("networkidle")
            assert not page.evaluate(TOO_WIDE), (part, eyes)
    assert page.evaluate("window.ran") is None


def test_a_campaign_that_cannot_be_read_says_why_and_comes_back(house: House) -> None:
    """U13: failed, then tried again; empty says how it is filled."""
    page = house.visit()
    made = house.ask(page, "POST", "/api/campaigns", data={"name": "Empty so far"})["id"]
    page.route("**/api/campaigns/*/sessions*", lambda route: route.abort())
    page.goto(f"{house.url}/#/campaigns/{made}")
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
    page.unroute("**/api/campaigns/*/sessions*")
    button(page, "Try again").click()
    expect(page.get_by_text("No sessions yet")).to_be_visible()
    page.goto(f"{house.url}/#/campaigns/{made}/world")
    expect(page.get_by_text("Nothing here yet")).to_be_visible()
    house.pardon("net::ERR_FAILED")
