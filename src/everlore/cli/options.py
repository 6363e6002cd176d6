"""The options that several verbs share, each described once."""

from typing import Annotated

import typer

Db = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="URL",
        help="The database: sqlite:///path/to.db, a plain path, or postgresql://…  "
        "[env: EVERLORE_DATABASE_URL; default: everlore.db in the data folder]",
        show_default=False,
    ),
]
Workspace = Annotated[
    str | None,
    typer.Option(
        "--workspace",
        metavar="NAME",
        help="The workspace.  [env: EVERLORE_WORKSPACE; default: default]",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
Cursor = Annotated[
    str | None,
    typer.Option("--cursor", metavar="CURSOR", help="Continue after an earlier page.", show_default=False),
]

Someone = Annotated[
    str | None,
    typer.Option("--person", metavar="NAME|ID", help="The person the memory belongs to.", show_default=False),
]
Knower = Annotated[
    str | None,
    typer.Option("--person", metavar="NAME|ID", help="Only what this person knows.", show_default=False),
]
Partner = Annotated[
    str | None,
    typer.Option("--with", metavar="NAME|ID", help="The second person of a pair; needs --person.", show_default=False),
]
OfType = Annotated[
    list[str] | None,
    typer.Option("--type", metavar="TYPE", help="Only memories of this type; may be repeated.", show_default=False),
]
Include = Annotated[
    str,
    typer.Option("--include", metavar="KINDS", help="What to search: memories,messages,summaries,events,entities."),
]
OfRecipe = Annotated[
    str | None,
    typer.Option(
        "--recipe",
        metavar="NAME",
        help="Ranking preset: companion, roleplay, agent or campaign.",
        show_default=False,
    ),
]
AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of", metavar="TIME", help="As known at this time: 2024-05-31 or 2024-05-31T20:00Z.", show_default=False
    ),
]
