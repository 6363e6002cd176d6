"""A process that learns from what was said, as fast as it can, until somebody kills it or nothing is left."""

import asyncio
import sys

import everlore
from everlore.settings import ChatSettings, EmbeddingSettings, QueueSettings, Settings


def settings(database: str) -> Settings:
    return Settings(
        database_url=database,
        workspace="learning",
        chat=ChatSettings(provider="voice"),
        embedding=EmbeddingSettings(provider="hashing"),
        queue=QueueSettings(workers=1, lease_s=0.5, poll_s=0.02, quiet_s=0),
    )


async def main(database: str) -> None:
    async with everlore.open(settings=settings(database)) as lore:
        print("ready", flush=True)
        await lore.settle(timeout_s=120)
    print("done", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
