"""Look into the queue: pause it, see what waits, let it go on."""

import asyncio

import everlore


async def main() -> None:
    async with everlore.open("everlore.db") as lore:
        await lore.pause()
        await lore.remember_many(f"Boat number {number} is in the harbour" for number in range(1000))
        found = await lore.recall("boat number 7")
        print(f"found by its words while nothing is embedded: {found.hits[0].record.content}")

        for job in (await lore.jobs()).items:
            print(f"{job.state.value}: {job.kind}, tried {job.attempts} times")

        await lore.resume()
        await lore.settle()
        stats = await lore.stats()
        if stats.coverage is not None:
            print(f"embedded: {stats.coverage.embedded} of {stats.coverage.passages}")


asyncio.run(main())
