"""Routes for the demo: whether it is open, open it, remove it. For the owner only."""

from pydantic import BaseModel

from everlore.server.access import Lore
from everlore.server.routing import Router
from everlore.server.workspace_files import ArrivalOut

router = Router(prefix="/api/demo", tags=["workspace"])


class DemoOut(BaseModel):
    here: bool
    ids: list[str]


@router.get("")
async def look_for_demo(lore: Lore) -> DemoOut:
    """Returns whether the demo is in this workspace, and the ids of its people and chats."""
    return DemoOut(here=bool(ids := await lore.demo.ids()), ids=ids)


@router.post("")
async def open_demo(lore: Lore) -> ArrivalOut:
    """Adds the demo: characters, chats, memories and a campaign. Existing items stay as they are."""
    return ArrivalOut.model_validate(await lore.demo.open())


@router.delete("", status_code=204)
async def remove_demo(lore: Lore) -> None:
    """Deletes the demo with everything that was learned from it since. Your own chats with its characters stay."""
    await lore.demo.remove()
