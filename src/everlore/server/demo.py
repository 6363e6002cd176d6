"""Routes for the demo world: whether it is here, in, and out again. The owner's alone."""

from pydantic import BaseModel

from everlore.server.access import Lore
from everlore.server.carrying import ArrivalOut
from everlore.server.routing import Router

router = Router(prefix="/api/demo", tags=["workspace"])


class DemoOut(BaseModel):
    here: bool


@router.get("")
async def look_for_demo(lore: Lore) -> DemoOut:
    """Whether anybody of the demo world is here."""
    return DemoOut(here=await lore.demo.is_here())


@router.post("")
async def open_demo(lore: Lore) -> ArrivalOut:
    """Bring in the demo world: people, talks, memories, and a campaign. What is here of it already stays as it is."""
    return ArrivalOut.model_validate(await lore.demo.open())


@router.delete("", status_code=204)
async def remove_demo(lore: Lore) -> None:
    """All of the demo world, for good, with what was learnt of it since. Talks of one's own with its people stay."""
    await lore.demo.remove()
