"""The options that several commands share, each described once."""

from typing import Annotated, Any

import typer


def argument(metavar: str, help: str) -> Any:
    return typer.Argument(metavar=metavar, help=help)


def flag(name: str, help: str) -> Any:
    return typer.Option(name, help=help)


def option(name: str, metavar: str, help: str, **more: Any) -> Any:
    return typer.Option(name, metavar=metavar, help=help, **more)


def optional(name: str, metavar: str, help: str, **more: Any) -> Any:
    """An option without a default that the help should show."""
    return option(name, metavar, help, show_default=False, **more)


Db = Annotated[
    str | None,
    optional(
        "--db",
        "URL",
        "The database: sqlite:///path/to.db, a plain path, or postgresql://…  "
        "[env: EVERLORE_DATABASE_URL; default: everlore.db in the data folder]",
    ),
]
Workspace = Annotated[
    str | None, optional("--workspace", "NAME", "The workspace.  [env: EVERLORE_WORKSPACE; default: default]")
]
AsJson = Annotated[bool, flag("--json", "Print one JSON document instead of text.")]
Cursor = Annotated[str | None, optional("--cursor", "CURSOR", "Continue after an earlier page.")]
Limit = Annotated[int, option("--limit", "N", "Maximum number of results.")]
Since = Annotated[str | None, optional("--since", "TIME", "From this date on: 2024-05-31.")]
Force = Annotated[bool, flag("--force", "Overwrite an existing file.")]

Someone = Annotated[str | None, optional("--person", "NAME|ID", "The person the memory belongs to.")]
Knower = Annotated[str | None, optional("--person", "NAME|ID", "Only what this person knows.")]
Partner = Annotated[str | None, optional("--with", "NAME|ID", "The second person of a pair; needs --person.")]
OfType = Annotated[list[str] | None, optional("--type", "TYPE", "Only memories of this type; may be repeated.")]
Include = Annotated[str, option("--include", "KINDS", "What to search: memories,messages,summaries,events,entities.")]
OfRecipe = Annotated[
    str | None, optional("--recipe", "NAME", "Ranking preset: companion, roleplay, agent or campaign.")
]
AsOf = Annotated[str | None, optional("--as-of", "TIME", "As known at this time: 2024-05-31 or 2024-05-31T20:00Z.")]
