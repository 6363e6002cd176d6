"""Talk to a character, with whatever model is found on this machine, or with none."""

import asyncio

import everlore


async def main() -> None:
    async with everlore.open("everlore.db") as lore:
        nova = await lore.characters.create(name="Nova", personality="warm, curious", greetings=("Hello, {{user}}!",))
        chat = await lore.conversations.start(system=nova)
        for line in ("My name is Anna, and I teach third grade in Seattle.", "What is my name?"):
            print(f"> {line}")
            async for word in lore.say(chat, line):
                print(word, end="", flush=True)
            print()


asyncio.run(main())
