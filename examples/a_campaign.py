"""A campaign of three sessions: what they came to, who and what is in it, one contradiction and its ruling.

Runs without a model: everything is told in the words of the log. With one it is told better.
"""

import asyncio
from pathlib import Path

import everlore
from everlore.domain.memory import MemoryType
from everlore.domain.person import PersonKind
from everlore.domain.proposal import Decision, ProposalKind

FOLDER = Path(__file__).parent / "the_silent_bell"
NAMES = ("A silence over Tamsel", "The lower weir", "Vantry Locks")


async def main() -> None:
    async with everlore.open("everlore.db") as lore:
        players = [
            await lore.characters.create(name=name, kind=PersonKind.USER) for name in ("Hal", "Marisa", "Theo", "Bex")
        ]
        campaign = await lore.campaigns.make(
            "The Silent Bell",
            premise="A company buys up every lock on the river Orrow. One town will not sell, and its bell disappears.",
            players=players,
        )
        await lore.campaigns.remember(campaign.id, "Magic is rare and lives in old things.", type=MemoryType.SETTING)
        await lore.campaigns.begin_chapter(
            campaign.id,
            "The Stolen Bell",
            goals=["Find out who took the bell of Tamsel.", "Bring the bell back to Tamsel before the autumn flood."],
        )
        for number, name in enumerate(NAMES, 1):
            log = (FOLDER / f"session-{number}.txt").read_bytes()
            await lore.campaign_files.bring_log(campaign.id, log, filename=f"session-{number}.txt", name=name)
            await lore.settle()
            await decide(lore, campaign.id)

        for session in await lore.sessions.list(campaign.id):
            (summary,) = [
                each for each in await lore.sessions.memories(session.id, player="") if each.type is MemoryType.SUMMARY
            ]
            print(f"{session.number}. {session.name}: {summary.summary}")

        for text in ("Magda Rusk is sixty years old.", "Magda Rusk is forty years old."):
            await lore.campaigns.remember(campaign.id, text)
        (conflict,) = await lore.canon.conflicts(campaign.id)
        print(f"In dispute: {conflict.old.text} {conflict.new.text} ({conflict.reason})")
        ruling = await lore.canon.rule(conflict.proposal.id, "new", note="She told the professor so.")
        print(ruling.content)

        for question in ("Who rules Tamsel?", "What is under the weir?"):
            for player, who in ((None, "game master"), ("", "players")):
                answer = await lore.asking.ask(campaign.id, question, player=player, limit=1)
                print(f"{question} The {who}: {answer.text}")
        recap = await lore.campaigns.recap(campaign.id, player="")
        print(recap.text.splitlines()[0])


async def decide(lore: everlore.Everlore, campaign_id: str) -> None:
    """As a game master would go through what waits: names that are sure come in, a chapter that could end does."""
    waiting = (await lore.review.list(campaign_id, limit=500)).items
    sure = [each.id for each in waiting if each.kind is ProposalKind.ENTITY and each.confidence >= 0.8]
    await lore.review.decide_many(sure, Decision.APPROVED)
    for each in waiting:
        if each.kind is ProposalKind.CHAPTER:
            print(f"{each.title}: {'; '.join(reason['reason'] for reason in each.detail['reasons'])}")
            await lore.review.approve(each.id, name="Vantry Locks")


asyncio.run(main())
