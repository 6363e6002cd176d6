"""What two characters share, how it changed, and what was believed before."""

import asyncio
from datetime import UTC, datetime

import everlore


async def main() -> None:
    async with everlore.open("everlore.db") as lore:
        mike = await lore.characters.create(name="Mike")
        don = await lore.characters.create(name="Don")
        debt = await lore.remember("Mike owes Don forty crowns", person=mike, partner=don)
        before = datetime.now(UTC)

        await lore.edit(debt.id, content="Mike has paid Don back", by="don", note="Paid in the Grey Tower")

        # A pair is the same whoever is named first.
        for when, name in ((None, "now"), (before, "before")):
            found = await lore.recall(
                "the crowns that Mike owes Don, or has paid", person=don, partner=mike, as_of=when
            )
            print(f"{name}: {found.hits[0].record.content}")
        for revision in await lore.history(debt.id):
            print(f"until {revision.by} changed it: {revision.before.content} ({revision.note})")


asyncio.run(main())
