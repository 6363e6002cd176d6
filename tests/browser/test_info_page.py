"""What a conversation is, and how it is set up: the panel This chat (U4, V6)."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.house import House, SlowAnswer, button, composer, messages, replied, say

pytestmark = pytest.mark.browser

BACKGROUND = "(each) => getComputedStyle(each).backgroundColor"


def about(page: Page) -> Locator:
    """The panel, opened where it is not."""
    shown = page.get_by_role("complementary", name="This chat", exact=True)
    details = button(page, "Chat details")
    # The button says whether it is open, also while the panel itself still loads.
    if details.get_attribute("aria-expanded") != "true":
        details.click()
    expect(shown).to_be_visible()
    return shown


def kept(house: House, page: Page, id: str) -> Any:
    return house.ask(page, "GET", f"/api/conversations/{id}")


def folded(within: Locator, title: str) -> Locator:
    name = re.compile(rf"^{re.escape(title)}(\d+ changed)?$")
    group = within.locator("details").filter(has=within.page.locator("summary", has_text=name)).last
    group.locator("summary").first.click()
    return group


@pytest.fixture(scope="module")
def begun(shared: House) -> tuple[Page, str]:
    """A conversation that several tests look at."""
    page = shared.visit(viewport={"width": 1300, "height": 900})
    return page, shared.talk(page, name="Odile")


@pytest.fixture
def info(shared: House, begun: tuple[Page, str]) -> Locator:
    """What it is, beside it."""
    page, id = begun
    shared.open(page, id)
    return about(page)


def test_ux_session_info_all_fields_visible(info: Locator) -> None:
    """U4: title, icon, model, characters, context, event, interactions, template and settings."""
    expect(info.get_by_role("textbox", name="Title")).to_be_visible()
    expect(info.get_by_role("button", name="Icon:")).to_be_visible()
    for words in ("fine-model", "Odile", "Add a scene", "Needs a language model", "Messages", "Started"):
        expect(info).to_contain_text(words)
    expect(info.get_by_label("Template", exact=True)).to_be_visible()
    expect(info.get_by_role("heading", name="Settings")).to_be_visible()


def test_ux_session_info_collapsible(info: Locator) -> None:
    """U4: one section, that collapses and expands."""
    head = info.get_by_role("heading", name="About this chat")
    head.click()
    expect(info.get_by_role("textbox", name="Title")).to_be_hidden()
    head.click()
    expect(info.get_by_role("textbox", name="Title")).to_be_visible()


def test_ux_session_info_title_editable(info: Locator) -> None:
    """U4: at once everywhere; hostile words are only words."""
    page = info.page
    title = info.get_by_role("textbox", name="Title")
    title.fill("<img src=x onerror='window.broken = 1'> & more")
    title.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("<img src=x onerror='window.broken = 1'> & more")
    assert page.evaluate("window.broken") is None


def test_ux_session_info_icon_editable(shared: House, begun: tuple[Page, str], info: Locator) -> None:
    """U4: sought by its name, and kept."""
    page, id = begun
    info.get_by_role("button", name="Icon:").click()
    page.get_by_role("searchbox", name="Search icons").fill("sail")
    button(page, "sailing").click()
    expect(info.get_by_role("button", name="Icon: sailing")).to_be_focused()
    assert kept(shared, page, id)["icon"] == "sailing"


def test_ux_session_info_context_panel_removed(info: Locator) -> None:
    """U4: a context is attached here and nowhere else, not in the panel at the right either."""
    page = info.page
    section = info.locator("details").filter(has=page.get_by_role("heading", name="About this chat"))
    expect(section.get_by_role("button", name="Add a scene")).to_be_visible()
    button(page, "Show prompt").click()
    expect(page.get_by_role("tab")).to_have_text(["Sources", "Memories", "Prompt"])
    expect(button(page, "Add a scene")).to_have_count(1)
    page.keyboard.press("Escape")
    button(info, "Close the panel").click()
    expect(info).to_be_hidden()
    page.keyboard.press("Alt+i")
    expect(info).to_be_visible()
    # Where there is no chat, it takes no room; the next chat has it again.
    page.get_by_role("link", name="Home").click()
    expect(info).to_be_hidden()
    expect(button(page, "This chat")).to_have_count(0)
    page.go_back()
    expect(info).to_be_visible()


def test_ux_session_info_attach_detach(shared: House, begun: tuple[Page, str]) -> None:
    """U4, V10: characters come in and leave, and so does a context; with several, one can say who answers."""
    page, _ = begun
    shared.character(page, name="Bram Attached")
    id = shared.talk(page, name="Odile")
    page.reload()
    info = about(page)
    info.get_by_label("Add a character").select_option(label="Bram Attached")
    expect(info.get_by_role("link", name="Bram Attached")).to_be_visible()
    page.get_by_label("Who replies").select_option(label="Bram Attached replies")
    say(page, "Who is there?")
    expect(messages(page).last).to_contain_text("Bram Attached")
    button(info, "Remove Odile").click()
    expect(info.get_by_role("link", name="Odile", exact=True)).to_be_hidden()
    expect(button(info, "Remove Bram Attached")).to_be_hidden()
    expect(messages(page).first).to_contain_text("Odile")

    button(info, "Add a scene").click()
    info.get_by_label("Scene", exact=True).fill("A harbour in winter.")
    button(info, "Add to the prompt").click()
    expect(info).to_contain_text("A harbour in winter.")
    config = kept(shared, page, id)["config"]
    assert (config["setting"], config["include_scene"]) == ("A harbour in winter.", True)
    button(info, "Remove").click()
    expect(button(info, "Add a scene")).to_be_visible()
    assert "include_scene" not in kept(shared, page, id)["config"]


@pytest.fixture(scope="module")
def sent(shared: House, begun: tuple[Page, str]) -> str:
    """A conversation with the first message in it. Before that it was no event."""
    page, _ = begun
    id = shared.talk(page, name="Ludo", greetings=[])
    expect(about(page)).to_contain_text("Not yet. It appears there with the first message.")
    say(page, "Is anybody there?")
    replied(page, 2)
    return id


def test_ux_chat_event_created_on_send(shared: House, begun: tuple[Page, str], sent: str) -> None:
    """K5: over HTTP too."""
    event = shared.ask(begun[0], "GET", f"/api/conversations/{sent}/event")
    assert (event["conversation_id"], event["state"]) == (sent, "in_progress")


def test_ux_session_info_event_link(shared: House, begun: tuple[Page, str], sent: str) -> None:
    """U4, K5: it stands there by itself, and leads to what happened with them."""
    page, _ = begun
    shared.open(page, sent)
    link = about(page).locator("dt", has_text="On the timeline").locator("+ dd").get_by_role("link")
    expect(link).not_to_have_text(re.compile("^(Conversation.*)?$"))
    link.click()
    expect(page).to_have_url(re.compile("tab=timeline"))
    # By its address: a model may be giving the chat its title just now.
    expect(page.get_by_role("tabpanel").locator(f'a[href="#/c/{sent}"]').first).to_be_visible()


def test_the_config_is_a_form_made_from_its_one_definition(house: House) -> None:
    """V6, U4: every field is there, in its group; what is set is kept at once, shown as set, and can be given back."""
    page = house.visit(viewport={"width": 1300, "height": 900})
    id = house.talk(page)
    info = about(page)
    schema = house.ask(page, "GET", "/api/config/schema")
    titles = info.locator("details.group > summary")
    expect(titles).to_have_text([group["title"] for group in schema["groups"]])
    apart = {"template", "private", "setting", "include_scene"}
    shown = info.locator(".row").count()
    visible = {name for name, field in schema["properties"].items() if not field.get("hidden")}
    assert shown == len(visible - apart)

    back = folded(info, "Recall")
    budget = back.get_by_role("spinbutton", name="Memory budget (tokens)")
    expect(budget).to_have_value("500")
    budget.fill("900")
    budget.press("Tab")
    expect(back.locator("summary").first).to_contain_text("1 changed")
    assert kept(house, page, id)["config"]["memory_budget"] == 900
    back.get_by_role("combobox", name="Recall style").select_option(label="Agent")
    expect(back.locator("summary").first).to_contain_text("2 changed")
    button(back, "Reset Memory budget (tokens) to default").click()
    expect(budget).to_have_value("500")
    button(back, "Reset Recall style to default").click()
    expect(back.locator("summary").first).not_to_contain_text("changed")
    assert kept(house, page, id)["config"] == {}

    folded(info, "Gossip").get_by_role("switch", name="Gossip").check()
    expect(page.get_by_role("button", name="Gossip: nothing to share")).to_be_visible()
    scene = folded(info, "Scene")
    button(scene, "Add").click()
    scene.get_by_label("Guidance 1").fill("Find the key.")
    scene.get_by_label("Guidance 1").press("Tab")
    expect(scene.locator("summary").first).to_contain_text("1 changed")
    assert kept(house, page, id)["config"]["episodes"] == [{"guidance": "Find the key."}]


def test_settings_that_are_changed_quickly_are_all_kept(house: House) -> None:
    """U4: the answer to the first change is slow, and takes nothing of the second away."""
    page = house.visit(viewport={"width": 1300, "height": 900})
    id = house.talk(page)
    memory = folded(about(page), "Recall")
    first = SlowAnswer(page, re.compile(f"/api/conversations/{id}$"), "PATCH")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    memory.get_by_role("spinbutton", name="Memory budget (tokens)").fill("900")
    memory.get_by_role("spinbutton", name="Memory budget (tokens)").press("Tab")
    first.is_made()
    memory.get_by_role("combobox", name="Recall style").select_option(label="Agent")
    page.evaluate("new Promise(requestAnimationFrame)")
    assert asked.count("PATCH") == 1, "the second change waits for the first"
    first.release()

    expect(memory.locator("summary").first).to_contain_text("2 changed")
    assert kept(house, page, id)["config"] == {"memory_budget": 900, "recall_recipe": "agent"}


def test_what_a_config_cannot_be_is_said_in_the_words_of_the_server(house: House) -> None:
    """V6, U13: and the field is as it was in the conversation."""
    page = house.visit(viewport={"width": 1300, "height": 900})
    id = house.talk(page)
    remembered = folded(about(page), "Memory")
    remembered.get_by_text("Advanced", exact=True).click()
    types = remembered.get_by_label("Memory types")
    types.fill("FACT,NONSENSE")
    types.press("Tab")

    expect(page.get_by_role("alert")).to_contain_text("memory_extraction_types")
    assert kept(house, page, id)["config"] == {}
    house.pardon("status of 400")


def test_a_private_conversation_is_plain_to_see(house: House) -> None:
    """U4, F6: one switch in the head, whose colour changes; it is private from then on, and after a reload."""
    page = house.visit(viewport={"width": 1300, "height": 900})
    id = house.talk(page)
    head = page.get_by_role("main").locator("header").first
    usual = head.evaluate(BACKGROUND)
    switch = page.get_by_role("switch", name="Private")
    expect(switch).not_to_be_checked()
    expect(switch).to_have_text("Private: off, saves memories")
    switch.click()
    expect(switch).to_be_checked()
    expect(switch).to_have_text("Private: on, saves no memories")
    expect(head).to_contain_text("Mira · private")
    expect(head).not_to_have_css("background-color", usual)
    assert kept(house, page, id)["private"] is True

    page.reload()
    expect(switch).to_be_checked()
    expect(about(page).get_by_role("switch", name="Save no memories from this chat")).to_be_checked()
    switch.press("Space")
    expect(switch).not_to_be_checked()
    expect(head).to_have_css("background-color", usual)


def test_one_speaks_as_somebody_else(house: House) -> None:
    """U4: an untouched conversation gives way to the new one; where something was said, it stays, and one is asked."""
    page = house.visit(viewport={"width": 1300, "height": 900})
    pip = house.character(page, name="Pip Persona", greetings=[])
    id = house.talk(page, name="Odile", greetings=["You are late, {{user}}."])
    page.reload()
    about(page).get_by_label("You speak as").select_option(label="Pip Persona")
    expect(messages(page).first).to_contain_text("You are late, Pip Persona.")
    expect(page).not_to_have_url(re.compile(id))
    second = page.url.rsplit("/", 1)[-1]
    assert kept(house, page, second)["user_id"] == pip
    assert page.request.get(f"{house.url}/api/conversations/{id}").status == 404

    say(page, "Good evening.")
    replied(page, 3)
    speaker = about(page).get_by_label("You speak as")
    speaker.select_option("user")
    button(page.get_by_role("dialog"), "Cancel").click()
    expect(speaker).to_have_value(pip)
    speaker.select_option("user")
    button(page.get_by_role("dialog"), "Start a new chat").click()
    expect(page).not_to_have_url(re.compile(second))
    expect(composer(page)).to_be_visible()
    assert kept(house, page, second)["message_count"] == 3
