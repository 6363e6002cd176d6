"""Lines of earlier conversations in the prompt of a new one (R1)."""

from tests.server.home import home

LINE = "My budgie Pippin ate the ledger on Sunday."


async def test_the_same_line_said_in_three_conversations_stands_once_among_earlier_lines() -> None:
    async with home() as here:
        nova = await here.character()
        for text in (LINE, LINE.upper(), f"{LINE} "):
            talk = await here.lore.conversations.start(nova, config={"auto_title": False})
            await here.say(talk.id, text)
        await here.lore.settle()
        talk = await here.lore.conversations.start(nova, config={"auto_title": False})
        await here.say(talk.id, "Hello!")
        await here.say(talk.id, "What did Pippin eat on Sunday?")
        x_ray = (await here.client.get(f"/api/conversations/{talk.id}/prompt")).json()

    lines = [each for each in x_ray["memories"] if each["kind"] == "message" and "ledger" in each["content"].casefold()]
    assert len(lines) == 1
