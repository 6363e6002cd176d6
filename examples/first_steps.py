"""Remember something, and find it again by its meaning."""

import asyncio

import everlore


async def main() -> None:
    async with everlore.open("everlore.db") as lore:
        nova = await lore.characters.create(name="Nova", personality="warm, curious")
        await lore.remember("The user is allergic to peanuts", person=nova, importance=9)
        await lore.remember("The user teaches third grade in Seattle", person=nova)
        await lore.settle()  # wait until both are indexed by meaning; by their words they are found at once
        found = await lore.recall("which nuts must they avoid?", person=nova)
        for hit in found.hits:
            print(f"{hit.score:.2f}  {hit.record.content}")


asyncio.run(main())
