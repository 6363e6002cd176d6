"""Let an agent's tools be remembered, and have what it should know ready for its next prompt."""

import asyncio

import everlore


async def main() -> None:
    async with everlore.open("everlore.db") as lore:

        @lore.events.tool()
        async def search(query: str, api_key: str) -> dict[str, list[str]]:
            assert api_key, "given to the tool, and never kept"
            return {"results": [f"Ferries for {query}", f"Night trains for {query}"]}

        @lore.events.tool()
        def book(ferry: str) -> None:
            raise PermissionError(f"The card was declined for {ferry}")

        await search("a way to Oslo", api_key="never kept")
        try:
            book("the night ferry")
        except PermissionError:
            print("the tool failed as it always would")
        await lore.events.capture("task", "Find another way to pay", in_progress=True)
        await lore.settle()

        found = await lore.recall("night trains", include=["event"])
        print(found.hits[0].record.content)
        package = await lore.context("how do we get to Oslo?")
        print(package.text)


asyncio.run(main())
