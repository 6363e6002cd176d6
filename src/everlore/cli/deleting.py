"""The commands that delete more than a memory: a conversation, a user, a whole workspace."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from everlore.cli.commands import Answer, Commands
from everlore.cli.options import AsJson, Db, argument, flag
from everlore.cli.output import emit
from everlore.cli.session import CommandOptions, with_lore
from everlore.errors import BadAsk, NotFound

if TYPE_CHECKING:
    from everlore.app import Everlore
    from everlore.learning.provenance import Resting
    from everlore.services.forget_user import ForgottenUser

delete = Commands(name="delete", help="Delete a conversation, a user or a workspace for good.", no_args_is_help=True)


@delete.command()
async def conversation(
    lore: "Everlore",
    id: Annotated[str, argument("ID", "The id, as `everlore conversations` shows it.")],
    keep_memories: Annotated[
        bool | None,
        typer.Option(
            "--keep-memories/--with-memories",
            help="Keep or delete memories learned only from this conversation.",
            show_default=False,
        ),
    ] = None,
) -> Answer:
    """Delete a conversation for good, with all its messages.

    Memories learned only from it are deleted too. If you added or edited any of them, choose --with-memories or
    --keep-memories.
    """
    resting = await lore.conversations.resting(id)
    if keep_memories is None and resting.by_hand:
        raise BadAsk(_choice(id, resting))
    await lore.conversations.delete(id, keep_memories=bool(keep_memories))
    gone, stay = (0, len(resting.believed)) if keep_memories else (len(resting.believed), 0)
    document = {"deleted": id, "memories_deleted": gone, "memories_kept": stay}
    return Answer(document, [f"Deleted {id}.", *_told(gone, stay)])


def _choice(id: str, resting: "Resting") -> str:
    made = len(resting.by_hand)
    return (
        f"{_memories(len(resting.believed))} came only from conversation {id!r}; you added or edited {made} of them. "
        "Nothing was deleted. Add --with-memories to delete them too, or --keep-memories to keep them."
    )


def _told(gone: int, stay: int) -> list[str]:
    if gone:
        return [f"Also deleted: {_memories(gone)} learned only from it."]
    return [f"Kept: {_memories(stay)} learned from it."] if stay else []


def _memories(count: int) -> str:
    return f"{count} memor{'y' if count == 1 else 'ies'}"


@delete.command()
async def user(
    lore: "Everlore",
    name: Annotated[str, argument("USER", "The name or id of a user.")],
    yes: Annotated[bool, flag("--yes", "Confirm the deletion.")] = False,
) -> Answer:
    """Delete a user for good, with all their conversations.

    Their tokens and the memories about them go too. What they said in campaigns stays.
    """
    person = await lore.characters.named(name)
    if not yes:
        found = await lore.forget_user(person, dry_run=True)
        raise BadAsk(f"{_parts(found)} of {person.name} would be deleted for good. Add --yes to confirm.")
    gone = await lore.forget_user(person)
    stays = [f"Kept: {_many(gone.campaign_messages, 'message')} in campaigns."] if gone.campaign_messages else []
    return Answer({"deleted": person.id} | asdict(gone), [f"Deleted {person.name}: {_parts(gone)}.", *stays])


def _parts(found: "ForgottenUser") -> str:
    counts = [
        _many(found.conversations, "conversation"),
        _many(found.messages, "message"),
        _memories(found.memories),
        _many(found.tokens, "token"),
    ]
    return ", ".join(counts)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


@delete.command("workspace")
def whole_workspace(
    name: Annotated[str, argument("NAME", "The name of the workspace.")],
    yes: Annotated[bool, flag("--yes", "Confirm the deletion.")] = False,
    db: Db = None,
    as_json: AsJson = False,
) -> None:
    """Delete a whole workspace for good.

    All people, chats, memories, events, settings, tokens and the audit log. This cannot be undone.
    """

    async def remove(lore: "Everlore") -> None:
        if name not in await lore.store.workspaces():
            raise NotFound(f"There is no workspace {name!r} in this database. Nothing was deleted.")
        if not yes:
            raise BadAsk(f"Everything in workspace {name!r} would be deleted for good. Add --yes to confirm.")
        await lore.forget_workspace()

    with_lore(CommandOptions(db, name, as_json), remove)
    emit(as_json, {"deleted": name}, [f"Deleted workspace {name}."])
